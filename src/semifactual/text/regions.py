"""Where mathematics stands in a text: delimited regions, code blocks, and commands outside delimiters.

Nothing here raises on unbalanced input: what has no partner is not a region, and the lexer goes on behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from semifactual.text.lexicon import word_list
from semifactual.text.spans import Span, SpanType

_OPENER = re.compile(
    r"""(?P<asy>\[asy\])
      | (?P<fence>```)
      | (?P<code>`)
      | (?P<display>\\\[)
      | (?P<inline>\\\()
      | \\begin\s*\{(?P<environment>[A-Za-z]+\*?)\}
      | (?P<escaped>\\.)
      | (?P<dollars>\$\$)
      | (?P<dollar>\$)""",
    re.VERBOSE | re.DOTALL,
)
_CLOSERS = {"asy": "[/asy]", "fence": "```", "code": "`", "display": "\\]", "inline": "\\)"}
_TYPES = {"asy": SpanType.CODE, "fence": SpanType.CODE, "code": SpanType.CODE}

_BLANK_LINE = re.compile(r"\n\s*\n")
_PARTNERS = {"{": "}", "[": "]", "(": ")"}
_DEEPEST = 50
"""Levels of brackets or environments."""
_LONGEST_GROUP = 2000
"""Characters between two brackets that are looked for as a pair."""
_TEXT_ARGUMENT = re.compile(r"\\(?:text|mbox|textrm|textbf|textit|mathrm|operatorname)\s*\*?\s*\{[^{}]*\}")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_PROSE = re.compile(r"[A-Za-z]{2,}")
_AMOUNT_ONLY = re.compile(r"\s*\d[\d,]*(?:\.\d+)?\s*(?:[-–—,;.:/]|\s)*\Z")
_SCRIPT = re.compile(r"[_^](?=[{\w\\(+-])")


def math_regions(text: str) -> Iterator[Span]:
    """Yield the delimited regions of `text` in order: LaTeX in any delimiters, environments, asy blocks and code.

    A dollar sign opens mathematics only where what follows up to its partner reads like mathematics:
    in ``between $5 and $10`` both signs are currency and belong to no region.

    >>> [s.of("Is $5 more than $x$?") for s in math_regions("Is $5 more than $x$?")]
    ['$x$']
    """
    if not any(mark in text for mark in "$\\`["):
        return
    position = 0
    never_closed: set[str] = set()
    while match := _OPENER.search(text, position):
        end = None if match.lastgroup in never_closed else _region_end(text, match)
        if end is None:
            if match.lastgroup in _CLOSERS:
                never_closed.add(match.lastgroup)  # or a text of nothing but openers would be searched for each
            position = match.start() + 1 if match.lastgroup == "dollars" else match.end()
            continue
        yield Span(match.start(), end, _TYPES.get(match.lastgroup or "", SpanType.MATH))
        position = end


def _region_end(text: str, match: re.Match[str]) -> int | None:
    """Where the region that `match` opens ends, or None if it opens none."""
    kind = match.lastgroup or ""
    if kind == "escaped":
        return None
    if kind == "dollar":
        return _inline_dollar_end(text, match.start())
    if kind == "dollars":
        end = text.find("$$", match.end())
        inside = text[match.end() : end]
        return None if end < 0 or not inside.strip() or _reads_like_prose(inside, display=True) else end + 2
    if kind == "environment":
        return _environment_end(text, match)
    closer = _CLOSERS[kind]
    end = text.find(closer, match.end())
    return None if end < 0 else end + len(closer)


def _environment_end(text: str, match: re.Match[str]) -> int | None:
    name = re.escape(match["environment"])
    depth = 0
    for mark in re.compile(rf"\\(begin|end)\s*\{{{name}\}}").finditer(text, match.start()):
        depth += 1 if mark[1] == "begin" else -1
        if depth == 0:
            return mark.end()
        if depth > _DEEPEST:
            return None
    return None


def _inline_dollar_end(text: str, start: int) -> int | None:
    """The end of inline mathematics opened by the dollar at `start`; None where that dollar is money."""
    end = start + 1
    while True:
        end = text.find("$", end)
        if end < 0:
            return None
        if text[end - 1] != "\\" or text[end - 2 : end] == "\\\\":
            break
        end += 1
    inside = text[start + 1 : end]
    if not inside.strip() or _BLANK_LINE.search(inside) or _reads_like_prose(inside):
        return None
    after = text[end + 1 : end + 2]
    if _AMOUNT_ONLY.match(inside) and (after.isdigit() or (inside[-1:].isspace() and not inside[:1].isspace())):
        return None  # "$5, $10" or "$5-$10": two amounts, no mathematics between them
    if inside[:1].isdigit() and "\n" in inside and not _COMMAND.search(inside):
        return None
    return end + 1


def _reads_like_prose(inside: str, *, display: bool = False) -> bool:
    """Whether what stands between two dollar signs is running text rather than mathematics."""
    bare = _COMMAND.sub(" ", _TEXT_ARGUMENT.sub(" ", inside))
    words = _PROSE.findall(bare)
    prose = sum(word.lower() in word_list("prose") for word in words)
    if inside.lstrip()[:1].isdigit() and not display:
        return prose >= 1 or (any(len(word) > 3 for word in words) and not _COMMAND.search(inside))
    return prose >= (4 if display or "\\" in inside else 2)


def latex_end(text: str, start: int) -> int:
    """The end of the bare LaTeX that begins at `start`: a command or symbol with its arguments and scripts.

    >>> t = r"\\frac12 of it"; t[: latex_end(t, 0)]
    '\\\\frac12'
    """
    if text[start] == "\\":
        end = _command_end(text, start)
    else:
        end = start
        while end < len(text) and text[end].isalnum():
            end += 1
    while end < len(text) and _SCRIPT.match(text, end):
        end = _script_end(text, end)
    return end


def _command_end(text: str, start: int) -> int:
    """The end of a command or escaped character and its arguments, without scripts."""
    command = _COMMAND.match(text, start)
    if command is None:
        return min(start + 2, len(text))
    end = command.end()
    if command[0] in ("\\frac", "\\dfrac", "\\tfrac", "\\binom"):
        while end < min(len(text), command.end() + 2) and text[end].isdigit():
            end += 1
    return _skip_groups(text, end)


def _script_end(text: str, start: int) -> int:
    """The end of the subscript or superscript whose sign stands at `start`."""
    argument = start + 1
    if text[argument] in "{(":
        return _skip_groups(text, argument, brackets="{(") if _closes(text, argument) else argument + 1
    if text[argument] == "\\":
        return _command_end(text, argument)
    if text[argument] in "+-":
        argument += 1
    end = argument
    while end < len(text) and text[end].isalnum():
        end += 1
    return max(end, start + 1)


def _skip_groups(text: str, start: int, brackets: str = "{[") -> int:
    """Skip balanced bracket groups that follow each other without a space."""
    end = start
    while end < len(text) and text[end] in brackets and (closing := _closes(text, end)):
        end = closing
    return end


def _closes(text: str, start: int) -> int:
    """The position behind the bracket that closes the one at `start`, or 0 where it stays open."""
    opening, closing = text[start], _PARTNERS[text[start]]
    depth = 0
    for mark in re.compile(rf"[\{opening}\{closing}]").finditer(text, start, start + _LONGEST_GROUP):
        depth += 1 if mark[0] == opening else -1
        if depth == 0:
            return mark.end()
        if depth > _DEEPEST:
            return 0
    return 0
