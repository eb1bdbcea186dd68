"""Two texts laid side by side, word by word: what stands in both, and what changed in which surroundings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from typing import NamedTuple

from semifactual.text.document import Document
from semifactual.text.lexicon import without_possessive
from semifactual.text.spans import SpanType
from semifactual.validate.quoting import quoted
from semifactual.validate.wording.quantities import Quantity, quantities
from semifactual.validate.words import is_content, meaning

CLOSE = 0.84
"""The closeness from which on a rewrite is the original with changes, not a text in words of its own."""

_ENDS_CLAUSE = frozenset(".,;:?!()")
_ENDS_SENTENCE = frozenset(".;?!")
_SILENT = (SpanType.SPACE, SpanType.PUNCTUATION, SpanType.OTHER)
"""A tuple, since an enumeration's members are found faster by identity than by hash."""
_OPAQUE = (SpanType.MATH, SpanType.LATEX, SpanType.CODE, SpanType.URL)
MOST_COMPARED = 4_000_000
"""Pairs of tokens. Longer texts are compared as a whole: they are no problems, and alignment is quadratic."""
_NEAR = 2
"""Kept tokens on either side that make a change's surroundings the same."""


class Token(NamedTuple):
    """One word, quantity or formula. Tokens of equal `key` say the same."""

    key: str
    word: str
    """As it is written, in lower case and without a possessive ending."""
    start: int
    type: SpanType
    content: bool
    """Whether it carries content of its own: a quantity, a formula, a name, a word that is no function word."""
    gap: str
    """The punctuation between the token before it and this one."""

    quantity: bool = False
    """Whether it states a quantity, whose key holds its value behind a number sign."""
    opens_clause: bool = False
    """Whether a comma, a full stop, a bracket or the like parts it from the token before it."""
    opens_sentence: bool = False
    """Whether a mark that ends a sentence, or a semicolon, parts it from the token before it."""

    @property
    def end(self) -> int:
        """Where it ends in its text, without a possessive ending."""
        return self.start + len(self.word)


@dataclass(frozen=True, slots=True)
class Change:
    """A stretch of the original and what stands for it in the rewrite; either may be empty."""

    before: tuple[Token, ...]
    after: tuple[Token, ...]
    tight: bool
    """Whether the words on both sides are the original's own, so that nothing but these words changed here."""


class Alignment:
    """The tokens of two texts, those that were kept in sequence, and the changes between them."""

    def __init__(self, original: Document, rewrite: Document) -> None:
        self.original = original.text
        self.rewrite = rewrite.text
        self.before = tokens(original)
        self.after = tokens(rewrite)

    @cached_property
    def _matched(self) -> Sequence[tuple[str, int, int, int, int]]:
        old, new = ([token.key for token in side] for side in (self.before, self.after))
        if len(old) * len(new) > MOST_COMPARED:
            return [("replace", 0, len(old), 0, len(new))]
        return SequenceMatcher(None, old, new, autojunk=False).get_opcodes()

    def written(self, key: str) -> str:
        """What a reader sees where a token of this key, or of this word, stands: in the original, if it does there."""
        return self._written.get(key, key.removeprefix("#"))

    def quoted(self, keys: Iterable[str]) -> str:
        """What a reader sees where tokens of these keys stand, in the order of the texts."""
        wanted = frozenset(keys)
        return quoted(dict.fromkeys(word for key, word in self._written.items() if key in wanted))

    @cached_property
    def _written(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for text, side in ((self.original, self.before), (self.rewrite, self.after)):
            for token in side:
                found.setdefault(token.key, text[token.start : token.end])
                found.setdefault(token.word, text[token.start : token.end])
        return found

    @cached_property
    def closeness(self) -> float:
        """The share of the one text's content that the other says in the same words, wherever it says it.

        The greater of the two shares: a text that only lost a part, or only gained one, keeps its words.
        """
        kept = 1 - self.lost.total() / max(1, sum(token.content for token in self.before))
        known = 1 - self.gained.total() / max(1, sum(token.content for token in self.after))
        return max(kept, known)

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """Everything between the kept stretches, in order."""
        return tuple(self._changes())

    def _changes(self) -> Iterator[Change]:
        found = self._matched
        for place, (how, start, stop, other, end) in enumerate(found):
            if how == "equal":
                continue
            left = place == 0 or found[place - 1][2] - found[place - 1][1] >= _NEAR
            right = place + 1 == len(found) or found[place + 1][2] - found[place + 1][1] >= _NEAR
            inserted = start == stop and 0 < start < len(self.before) and self.before[start - 1].quantity
            yield Change(self.before[start:stop], self.after[other:end], inserted or (left and right))

    @cached_property
    def lost(self) -> Counter[str]:
        """The content tokens that the rewrite has less often, wherever they stand."""
        return self._net[0]

    @cached_property
    def gained(self) -> Counter[str]:
        """The content tokens that the rewrite has more often, wherever they stand."""
        return self._net[1]

    @cached_property
    def known(self) -> frozenset[str]:
        """The keys of the original's tokens."""
        return frozenset(token.key for token in self.before)

    @cached_property
    def _net(self) -> tuple[Counter[str], Counter[str]]:
        """What was lost and what was gained; what was kept counts on both sides."""
        old = Counter(token.key for change in self.changes for token in change.before if token.content)
        new = Counter(token.key for change in self.changes for token in change.after if token.content)
        return old - new, new - old


@lru_cache(maxsize=8)
def tokens(document: Document) -> tuple[Token, ...]:
    """The words of a text as stems, its quantities by value, and its formulas as they are written."""
    return tuple(_tokens(document))


def _tokens(document: Document) -> Iterator[Token]:
    text = document.text
    stated = {quantity.start: quantity for quantity in quantities(document) if not quantity.implied}
    done, gap = 0, ""
    clause = sentence = False
    for span in document.spans:
        start = span.start
        if start < done or span.type is SpanType.SPACE:
            continue
        if span.type in _SILENT:
            gap += text[start : span.end]
            clause, sentence = not _ENDS_CLAUSE.isdisjoint(gap), not _ENDS_SENTENCE.isdisjoint(gap)
            continue
        quantity = stated.get(start)
        if quantity is not None:
            done = quantity.end
            yield Token(_value_key(quantity), text[start:done], start, span.type, True, gap, True, clause, sentence)
        else:
            piece = text[start : span.end]
            if piece[0].isalpha() and span.type not in _OPAQUE:
                key, word, content = _word(piece)
            else:
                key, word, content = "".join(piece.split()), piece, True
            yield Token(key, word, start, span.type, content, gap, False, clause, sentence)
        if gap:
            gap, clause, sentence = "", False, False


def _value_key(quantity: Quantity) -> str:
    return f"#{quantity.value}{quantity.sort}"


@lru_cache(maxsize=65536)
def _word(piece: str) -> tuple[str, str, bool]:
    """What a word means, the word without its possessive ending, and whether it carries content."""
    word = without_possessive(piece.lower())
    return meaning(word), word, is_content(word)
