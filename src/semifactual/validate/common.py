"""Rules that hold for every kind: nothing damaged, nothing given away, nobody talking."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from fractions import Fraction

from semifactual.latex.tree import mathematics_key
from semifactual.text.document import Document
from semifactual.text.formulas import parts
from semifactual.text.spans import SpanType
from semifactual.text.values import QUANTITIES, number_value, quantity_value
from semifactual.validate.contract import Pair, check
from semifactual.validate.escapes import COMMAND, escape_damage
from semifactual.validate.verdict import Finding, Mode, failed, passed
from semifactual.validate.words import difference, phrases

_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"))
_MARKUP = re.compile(r"\*\*|__(?=\w)|^#{1,6} |^> |<[a-z/][^>]*>", re.MULTILINE)
_TOLD = re.compile(r"\s+(?:what|how|where|an?|the|one)(?:\s+[\w'’-]+){2,12}", re.IGNORECASE)
_TERMINAL = re.compile(r"[.?!:;)\]}\"'”’$*_|>]\s*\Z")


@check("unchanged", "the rewrite is not the original, nor the original with other white space")
def unchanged(pair: Pair) -> Finding:
    before, after = pair.original.text, pair.rewrite.text
    if before == after:
        return failed("the text is the original's")
    if before.split() == after.split():
        return failed("only white space differs")
    return passed()


@check("truncated", "the text does not break off")
def truncated(pair: Pair) -> Finding:
    before, after = pair.original.text.rstrip(), pair.rewrite.text.rstrip()
    if not after:
        return failed("the text is empty")
    if len(after) < len(before) and before.startswith(after):
        return failed(f"the last {len(before) - len(after)} characters are gone: {before[len(after) :][:60]!r}")
    if len(after) * 2 < len(before):
        return failed(f"{len(after)} characters are left of {len(before)}")
    if _TERMINAL.search(before) and not _TERMINAL.search(after) and before[-12:] not in after:
        return failed(f"the text ends openly: {after[-40:]!r}")
    return passed()


@check("control_characters", "no control, invisible or replacement character beyond the original's")
def control_characters(pair: Pair) -> Finding:
    change = _invisible(pair.rewrite.text) - _invisible(pair.original.text)
    if not change:
        return passed()
    return failed("gained " + ", ".join(f"U+{ord(c):04X}" for c in sorted(change)))


def _invisible(text: str) -> Counter[str]:
    if text.isprintable():
        return Counter()
    return Counter(c for c in text if c == "\ufffd" or (c not in "\n " and unicodedata.category(c) in _HIDDEN))


_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


@check("backslashes", "the same LaTeX commands with the same number of backslashes; in semantic mode, by any name")
def backslashes(pair: Pair) -> Finding:
    before, after = pair.original.text, pair.rewrite.text
    if "\\" not in before and "\\" not in after:
        return passed()
    if pair.mode is Mode.SEMANTIC:
        before, after = _in_normal_notation(before), _in_normal_notation(after)
    change = difference(Counter(COMMAND.findall(before)), Counter(COMMAND.findall(after)))
    return failed(change) if change else passed()


def _in_normal_notation(text: str) -> str:
    """The text with every formula in its normal form, without the command that only says where words stand in one."""
    apart = parts(text)
    return " ".join((*apart.prose, *map(mathematics_key, apart.formulas))).replace("\\text{", "{")


@check("json_damage", "no LaTeX command is broken as JSON's escapes break it")
def json_damage(pair: Pair) -> Finding:
    before, after = pair.windows
    if "\\" not in before:
        return passed()
    fault = escape_damage(before, after)
    return failed(fault) if fault else passed()


@check("delimiters", "brackets and dollar signs close as they do in the original")
def delimiters(pair: Pair) -> Finding:
    before, after = pair.original.text, pair.rewrite.text
    for opening, closing in _PAIRS:
        was = before.count(opening) - before.count(closing)
        now = after.count(opening) - after.count(closing)
        if was != now:
            return failed(f"{opening}{closing} are off balance by {now}, in the original by {was}")
    if (before.count("$") - after.count("$")) % 2 and (_delimiters(pair.original) - _delimiters(pair.rewrite)) % 2:
        return failed("an odd number of dollar signs came or went")
    return passed()


def _delimiters(document: Document) -> int:
    """How many dollar signs of a text stand for no currency."""
    return document.text.count("$") - sum("$" in piece for piece in document.pieces(SpanType.CURRENCY))


@check("markup", "no emphasis, heading or tag beyond the original's")
def markup(pair: Pair) -> Finding:
    before, after = (Counter(_MARKUP.findall(window)) for window in pair.windows)
    new = sorted(after - before)
    return failed("gained " + ", ".join(repr(mark) for mark in new)) if new else passed()


@check("chatter", "nobody talks about having rewritten the text")
def chatter(pair: Pair) -> Finding:
    opening = phrases("chatter_openings").pattern.match(pair.rewrite.text.lstrip("*_\"'# \n"))
    if opening and not pair.original.text.lower().startswith(opening[0].lower()):
        rest = pair.rewrite.text.lstrip("*_\"'# \n")[opening.end() : opening.end() + 80]
        end = re.search(r"[:!]|\n", rest)
        if end and not _tells(opening[0], rest[: end.start()]):
            return failed(f"opens with {opening[0]!r}")
    new = phrases("chatter").gained(*pair.windows)
    return failed("gained " + ", ".join(repr(phrase) for phrase in new)) if new else passed()


def _tells(opening: str, rest: str) -> bool:
    """Whether "here is" opens a story and no reply: how the baker put it, but not a shorter version."""
    told = opening.lower().startswith("here") and _TOLD.fullmatch(rest)
    return bool(told) and not phrases("chatter_topics").count(rest)


@check("meta_words", "no word about the text as a text beyond the original's")
def meta_words(pair: Pair) -> Finding:
    new = phrases("meta_words").gained(*pair.windows)
    return failed("gained " + ", ".join(repr(phrase) for phrase in new)) if new else passed()


@check("hint", "no help towards the answer beyond the original's")
def hint(pair: Pair) -> Finding:
    new = phrases("hint_openings").gained(*pair.windows) + phrases("hints").gained(*pair.windows)
    return failed("gained " + ", ".join(repr(phrase) for phrase in new)) if new else passed()


@check("leak", "the answer stands no more often in the rewrite than in the original")
def leak(pair: Pair) -> Finding:
    if not pair.answer:
        return passed("no answer given")
    value = number_value(pair.answer.strip().strip("$%\\ "))
    if value is None:
        before, after = (_literal_mentions(window, pair.answer) for window in pair.windows)
    elif pair.same_numerals:
        return passed("the same numbers")
    else:
        before, after = (_mentions(window, value) for window in pair.window_documents)
    if after > before:
        times = "once" if after - before == 1 else f"{after - before} times"
        return failed(f"the answer {pair.answer[:40]!r} stands {times} more than in the original")
    return passed()


def _literal_mentions(text: str, answer: str) -> int:
    """How often the text holds an answer that is no number; short ones (a letter, a sign) stand anywhere by chance."""
    return text.count(answer) if len(answer) > 2 else 0


def _mentions(document: Document, value: Fraction) -> int:
    return sum(quantity_value(document.text, span) == value for span in document.of_type(*QUANTITIES))


COMMON = (
    unchanged,
    truncated,
    control_characters,
    backslashes,
    json_damage,
    delimiters,
    markup,
    chatter,
    meta_words,
    leak,
)
"""The rules of every contract, in the order they are reported.

`hint` stands apart: where a closed grammar says what may be added (irrelevant_context), it has nothing left to say."""
