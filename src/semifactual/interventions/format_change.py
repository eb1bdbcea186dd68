"""format_change: the same text set otherwise: line breaks, bullets, a quote, a code fence, a heading."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random

from semifactual.interventions.registry import intervention
from semifactual.text.document import Document
from semifactual.text.layout import MARKS
from semifactual.text.spans import SpanType
from semifactual.types import Draft, Family
from semifactual.validate.common import json_damage
from semifactual.validate.contract import Contract
from semifactual.validate.layout import layout, other_layout

CONTRACT = Contract(
    checks=(other_layout, json_damage, layout),
    frozen=frozenset(SpanType) - {SpanType.SPACE},
)

_HEADINGS = ("**Problem**", "**Problem:**", "### Problem", "**Question**", "**Exercise**", "## Question")
_MARKS = ("- ", "* ")
_SET_IN = re.compile(r"\n[ \t]+\Z")
_LETTER = re.compile(r"[^\W\d_]")
_SIGNS = frozenset("-*+•>")
_MARKED = re.compile(r"^\s*[-*+•>]", re.MULTILINE)
_FORMATTED = frozenset({SpanType.MATH, SpanType.LATEX, SpanType.CODE})


@intervention(
    "format_change",
    family=Family.SURFACE,
    contract=CONTRACT,
    summary="other line breaks, bullets, a quote, a code fence or a heading; every word as it is",
    example=(
        "A mill grinds 40 sacks a day. How many sacks does it grind in 6 days?",
        "> A mill grinds 40 sacks a day. How many sacks does it grind in 6 days?",
    ),
    templates=(MARKS,),
)
def rewrite(original: Document, rng: Random) -> Iterator[Draft]:
    """Yield a draft in every style that fits the text, in random order."""
    styles = sorted(_STYLES)
    rng.shuffle(styles)
    seen = {original.text}
    for style in styles:
        text = _STYLES[style](original, rng)
        if text is not None and text not in seen:
            seen.add(text)
            yield Draft(text, {"style": style})


def _breaks(document: Document) -> list[tuple[int, int]]:
    """The white space between the sentences, as offsets. A line that is set in keeps its indentation."""
    ranges = document.sentences
    found = [(end, start) for (_, end), (start, _) in pairwise(ranges)]
    spaces = [(start, end, document.text[start:end]) for start, end in found]
    return [(start, end) for start, end, space in spaces if space.isspace() and not _SET_IN.search(space)]


def _is_marked(document: Document) -> bool:
    """Whether a sentence or a line begins with what could be taken for a mark."""
    text = document.text
    return _MARKED.search(text) is not None or any(text[start] in _SIGNS for start, _ in document.sentences)


def _broken(document: Document, separator: Callable[[int], str]) -> str:
    """The text with other white space between its sentences, by the place of each break."""
    text, position = "", 0
    for place, (start, end) in enumerate(_breaks(document)):
        text += document.text[position:start] + separator(place)
        position = end
    return text + document.text[position:]


def _lines(document: Document, rng: Random) -> str | None:
    """Every sentence on a line of its own."""
    return _broken(document, lambda _: "\n")


def _paragraphs(document: Document, rng: Random) -> str | None:
    """Every sentence in a paragraph of its own."""
    return _broken(document, lambda _: "\n\n")


def _question_apart(document: Document, rng: Random) -> str | None:
    """A blank line before the last sentence."""
    last = len(_breaks(document)) - 1
    spaces = [document.text[start:end] for start, end in _breaks(document)]
    return _broken(document, lambda place: "\n\n" if place == last else spaces[place])


def _bullets(document: Document, rng: Random) -> str | None:
    """Every sentence but the last as an item of a list."""
    count = len(_breaks(document))
    if count < 2 or "\n" in document.text or _is_marked(document) or any(document.of_type(SpanType.CODE)):
        return None
    if not all(_LETTER.search(document.text[start:end]) for start, end in document.sentences):
        return None
    mark = rng.choice(_MARKS)
    return mark + _broken(document, lambda place: "\n\n" if place == count - 1 else f"\n{mark}")


def _quote(document: Document, rng: Random) -> str | None:
    """The whole text as a quotation, often with a line for every sentence."""
    if _is_marked(document) or any(document.of_type(SpanType.CODE)):
        return None
    text = _broken(document, lambda _: "\n") if rng.random() < 0.5 else document.text
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _fence(document: Document, rng: Random) -> str | None:
    """The whole text in a code fence, where it holds nothing that is to be typeset."""
    if any(document.of_type(*_FORMATTED)) or "```" in document.text:
        return None
    return f"```{rng.choice(('', 'text'))}\n{document.text.strip()}\n```"


def _heading(document: Document, rng: Random) -> str | None:
    """A heading before the text, which may have its sentences on lines."""
    text = _broken(document, lambda _: "\n") if rng.random() < 0.5 else document.text
    return f"{rng.choice(_HEADINGS)}\n\n{text}"


def _option_list(document: Document, rng: Random) -> str | None:
    """Every option of a multiple choice on a line of its own, as an item of a list or not."""
    options = [span for span in document.of_type(SpanType.OPTION) if span.start]
    if not options:
        return None
    mark = rng.choice(("", *_MARKS))
    text, position = "", 0
    for span in options:
        before = document.text[position : span.start]
        text += before.rstrip(" \n") + ("\n" + mark if before[-1:].isspace() else before[len(before.rstrip(" \n")) :])
        position = span.start
    return text + document.text[position:]


def _displayed(document: Document, rng: Random) -> str | None:
    """Displayed formulas on lines of their own."""
    text, position = "", 0
    for span in document.of_type(SpanType.MATH):
        formula = span.of(document.text)
        if formula.startswith(("$$", "\\[")):
            text += document.text[position : span.start].rstrip() + "\n\n" + formula + "\n\n"
            position = span.end + len(document.text[span.end :]) - len(document.text[span.end :].lstrip())
    return text + document.text[position:] if text else None


_STYLES: dict[str, Callable[[Document, Random], str | None]] = {
    "bullets": _bullets,
    "displayed": _displayed,
    "fence": _fence,
    "heading": _heading,
    "lines": _lines,
    "options": _option_list,
    "paragraphs": _paragraphs,
    "question apart": _question_apart,
    "quote": _quote,
}
