"""Mathematics out of a model's hands: it sees ⟦M1⟧, ⟦M2⟧, ..., and the original bytes are put back behind it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from semifactual.text.document import Document
from semifactual.text.spans import VERBATIM, Span, SpanType

OPEN, CLOSE = "⟦", "⟧"

MASKED = VERBATIM - {SpanType.LABEL, SpanType.NAME, SpanType.NUMBER_WORD, SpanType.ORDINAL}
"""What a model does not write. Ordinals in digits are masked too; words, names and units it must be able to place."""

_MARK = re.compile(rf"{OPEN}\s*M(\d{{1,5}})\s*{CLOSE}")
_BRACKET = re.compile(f"[{OPEN}{CLOSE}]")
_SHOWN = 6
_SHOWN_CHARACTERS = 40


class PlaceholderFault(ValueError):
    """Placeholders did not come back as they were sent; the message says which."""


@dataclass(frozen=True)
class Masked:
    """A text with placeholders, and the bytes that they stand for, in the order of the text."""

    text: str
    originals: tuple[str, ...]

    @cached_property
    def legend(self) -> tuple[tuple[str, str], ...]:
        """Each placeholder and what it stands for, so that a model understands what it rewords."""
        return tuple((mark(number), original) for number, original in enumerate(self.originals, start=1))

    def restore(self, text: str) -> str:
        """`text` with the original bytes in the place of their placeholders.

        Where each may stand is for the kind's contract to say, which judges the restored text.

        Raises:
            PlaceholderFault: one is missing, stands twice, or was never sent, or a bracket is left over.
        """
        found = Counter(int(number) for number in _MARK.findall(text))
        known = range(1, len(self.originals) + 1)
        faults = [(n, "is missing") for n in known if not found[n]]
        faults += [(n, f"stands {count} times") for n, count in sorted(found.items()) if n in known and count > 1]
        faults += [(n, "was never given") for n in sorted(found) if n not in known]
        if faults:
            shown = "; ".join(f"{mark(number)} {what}" for number, what in faults[:_SHOWN])
            raise PlaceholderFault(shown + (f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""))
        if _BRACKET.search(_MARK.sub("", text)):
            raise PlaceholderFault(f"{OPEN} or {CLOSE} stands outside a placeholder")
        return _MARK.sub(lambda match: self.originals[int(match[1]) - 1], text)

    def rewritten(self, marks: Iterable[str]) -> str:
        """The text with other bytes in the place of some placeholders, each given as itself with those behind it.

        Raises:
            PlaceholderFault: one of them begins with no placeholder, with one that was never sent or that is given
                twice, has nothing behind it, or holds a second one.
        """
        others: dict[int, str] = {}
        for given in marks:
            match = _MARK.match(given.strip())
            number = int(match[1]) if match else 0
            written = given.strip()[match.end() :].lstrip(" \t=:") if match else ""
            if not 0 < number <= len(self.originals) or number in others or not written or _BRACKET.search(written):
                raise PlaceholderFault(f"{given[:_SHOWN_CHARACTERS]!r} is no known placeholder with what it becomes")
            others[number] = written
        return _MARK.sub(lambda match: others.get(int(match[1]), self.originals[int(match[1]) - 1]), self.text)


def mark(number: int) -> str:
    """The placeholder of that number.

    >>> mark(3)
    '⟦M3⟧'
    """
    return f"{OPEN}M{number}{CLOSE}"


def mask(document: Document) -> Masked:
    """The text with every stretch of mathematics, number or code as a placeholder.

    >>> mask(Document("Ann has 3 figs. If $x = 2$, how many has she?")).text
    'Ann has ⟦M1⟧ figs. If ⟦M2⟧, how many has she?'
    """
    pieces: list[str] = []
    originals: list[str] = []
    position = 0
    for start, end in _stretches(document):
        originals.append(document.text[start:end])
        pieces += [document.text[position:start], mark(len(originals))]
        position = end
    pieces.append(document.text[position:])
    return Masked("".join(pieces), tuple(originals))


def _stretches(document: Document) -> list[tuple[int, int]]:
    """From where to where each placeholder reaches: a span, or several that an operator joins (3 + 4)."""
    found: list[tuple[int, int]] = []
    joins = False
    for span in document.spans:
        if not _is_masked(document, span):
            continue
        gap = document.text[found[-1][1] : span.start] if found else None
        operator = span.type is SpanType.OPERATOR
        if gap in ("", " ") and (operator or joins):
            found[-1] = (found[-1][0], span.end)
        else:
            found.append((span.start, span.end))
        joins = operator
    return found


def _is_masked(document: Document, span: Span) -> bool:
    piece = span.of(document.text)
    if _BRACKET.search(piece):
        return True  # a bracket of the text's own must not be taken for one of ours
    return span.type in MASKED or (span.type is SpanType.ORDINAL and piece[0].isdigit())
