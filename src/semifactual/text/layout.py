"""A text set otherwise: Markdown's marks are walked over, and all that is ink is compared, side by side."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from functools import cache
from itertools import islice, takewhile

from semifactual.resources import template_yaml

MARKS = "layout/marks.yaml"

SPACE = " \t\r\n\u00a0"
"""The white space that is layout. A form feed is none, and neither is a separator of records."""

_WORD = re.compile(f"([{SPACE}]*)([^{SPACE}]+)")
_LETTER = re.compile(r"[^\W\d_]")
_OPENS_WITH_WORD = re.compile(r"[\"'“‘(*_]*(?:[^\W\d_]{2}|[AaI](?!\w)|[A-J][).])")
_BULLETS = frozenset("-*+•")
_MARKS = frozenset(".?!:;,\"'”’*_")
_FORMULA_OPENERS = ("$", "\\(", "\\[", "\\begin")
_LONGEST_LINE = 60
"""Words of a line that are looked at behind a bullet."""
_CONTEXT = 5
_SHOWN = 60
"""Words and characters of a difference in evidence."""

Word = tuple[str, str]
"""White space and the ink behind it."""


class InkDiffers(Exception):
    """Two texts differ in more than layout; the message shows where."""


def words(text: str) -> list[Word]:
    """The words of a text, each with the white space before it. What white space ends the text is left out.

    >>> words("a  b")
    [('', 'a'), ('  ', 'b')]
    """
    return _WORD.findall(text.rstrip(SPACE))


def same_ink(before: str, after: str) -> tuple[list[Word], list[Word]]:
    """The words of two texts without the marks that only one of them has: joined up, both lists read the same.

    Quote marks, bullets, code fences and one heading may come; quote marks and bullets may go. A word that the other
    text writes as two is two words, the second without white space before it.

    Raises:
        InkDiffers: something else than layout came or went.
    """
    walk = _Walk(before, after)
    while walk.step():
        pass
    return walk.kept_before, walk.kept_after


class _Walk:
    """Reads both texts word by word, the marks of either aside."""

    def __init__(self, before: str, after: str) -> None:
        self.before, self.after = deque(words(before)), deque(words(after))
        self.kept_before: list[Word] = []
        self.kept_after: list[Word] = []
        self.starts_line_before = self.starts_line_after = True
        self.open_fence = False

    def step(self) -> bool:
        """Read one word or one mark. False at the end of both texts."""
        if not self.before and not self.after:
            if self.open_fence:
                raise InkDiffers("a code fence opens and does not close")
            return False
        self.starts_line_before |= bool(self.before) and "\n" in self.before[0][0]
        self.starts_line_after |= bool(self.after) and "\n" in self.after[0][0]
        if self.before and self.after and self.before[0][1] == self.after[0][1]:
            self.keep(len(self.before[0][1]))
        elif self.starts_line_after and (count := self.mark()):
            _drop(self.after, count)
        elif self.starts_line_before and _is_item(self.before, self.kept_before, letters=True):
            _drop(self.before, 1)
        else:
            self.keep(self.shared())
        return True

    def keep(self, length: int) -> None:
        """Keep that many characters of ink that both texts have next."""
        if not length:
            was, now = _shown(self.kept_before, self.before), _shown(self.kept_after, self.after)
            raise InkDiffers(f"{was} became {now}")
        for line, kept in ((self.before, self.kept_before), (self.after, self.kept_after)):
            gap, word = line.popleft()
            kept.append((gap, word[:length]))
            if len(word) > length:
                line.appendleft(("", word[length:]))
        self.starts_line_before = self.starts_line_after = False

    def shared(self) -> int:
        """With how many of the same characters the next words begin."""
        if not self.before or not self.after:
            return 0
        letters = zip(self.before[0][1], self.after[0][1], strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], letters))

    def mark(self) -> int:
        """Of how many words the mark consists that the rewrite has next; 0 where it has none."""
        word = self.after[0][1] if self.after else ""
        if word == ">" or _is_item(self.after, self.kept_after, letters=False):
            return 1
        if word[:3] in ("```", "~~~") and _line(self.after)[1:] == [] and word[3:].lower() in _fence_languages():
            self.open_fence = not self.open_fence
            return 1
        if not self.kept_after and (heading := _heading().match(" ".join(_line(self.after)))):
            return heading[0].count(" ") + 1
        return 0


def _line(line: Iterable[Word]) -> list[str]:
    """The words up to the next line break, some dozens at most."""
    first, *rest = islice(line, _LONGEST_LINE)
    return [first[1], *(word for _, word in takewhile(lambda word: "\n" not in word[0], rest))]


def _is_item(line: deque[Word], kept: list[Word], *, letters: bool) -> bool:
    """Whether a bullet or quote mark stands next, and no sign of a sum.

    A word behind it tells; before a formula or number, the text before must end with a mark, or, before a formula,
    with a word. With `letters`, a word must stand behind it.
    """
    if not line or (line[0][1] not in _BULLETS and not (letters and line[0][1] == ">")):
        return False
    item = _line(line)[1:]
    opens_with_word = bool(item) and _OPENS_WITH_WORD.match(item[0]) is not None
    if opens_with_word or letters or not item:
        return opens_with_word
    last = kept[-1][1] if kept else "."
    if item[0].startswith(_FORMULA_OPENERS):
        return last[-1] in _MARKS or (last[-2:].isalpha() and len(last) > 1)
    return last[-1] in _MARKS and any(map(_LETTER.search, item))


def _drop(line: deque[Word], count: int) -> None:
    """Take a mark away, and its own space with it."""
    gap = line[0][0]
    quote = line[0][1] == ">"
    for _ in range(count):
        line.popleft()
    if line:
        following, word = line.popleft()
        line.appendleft((gap + (following[1:] if quote and following[:1] == " " else following), word))


def _shown(kept: list[Word], line: deque[Word]) -> str:
    """The next words of a text, from the beginning of the first one, with its backslashes as they are."""
    coming = list(islice(line, _CONTEXT))
    while kept and coming and not coming[0][0] and len(coming) < 2 * _CONTEXT:
        coming.insert(0, kept.pop())
    return f"'{' '.join(''.join(gap + word for gap, word in coming).split())[:_SHOWN]}'" if coming else "the end"


@cache
def _fence_languages() -> frozenset[str]:
    return frozenset(["", *template_yaml(MARKS)["fence_languages"].split()])


@cache
def _heading() -> re.Pattern[str]:
    titles = "|".join(template_yaml(MARKS)["headings"])
    bold = rf"(\*{{2,3}}|__)(?:{titles})[:.]?\1"
    return re.compile(rf"(?:#{{1,6}} (?:{titles})|(?:#{{1,6}} )?{bold})[:.]?(?=\s|\Z)", re.IGNORECASE)
