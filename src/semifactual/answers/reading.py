"""From an answer's raw text to what it can mean: guards first, then every reading that its notation allows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from .alternatives import spread
from .calendar_forms import clock, date, ratio
from .extraction import innermost
from .grammar import parse
from .lexer import NotInGrammar
from .limits import MAX_LENGTH, MAX_RAW, TooLarge
from .numerals import base_numeral, decimal_comma, spaced_thousands
from .phrases import choice, is_words, phrase, plain, without_lead
from .tokens import FUNCTIONS
from .tree import INFINITY, Apply, Group, Listing, NamedSet, Node, Number, Symbol, negate, symbols
from .unicode import fold, is_readable
from .units import LETTER_UNITS
from .words import words

_NOTHING = frozenset(("nan", "none", "null", "n/a", "na", "?", "..."))
_NAMED: dict[str, Node] = {
    "all real numbers": NamedSet("R"),
    "empty set": NamedSet("empty"),
    "infinity": INFINITY,
    "negative infinity": negate(INFINITY),
}
"""Phrases that name a value."""
_SHORT_WORDS = frozenset(words("am an as at by do dry fly go he if in is it me my no of ok on or sky so to up us we"))
"""Words that would otherwise read as products of variables."""
_WRAPPERS = (
    re.compile(r"\$\$(?P<inside>[^$]+)\$\$"),
    re.compile(r"\$(?P<inside>[^$]+)\$"),
    re.compile(r"\\\((?P<inside>(?:(?!\\\)).)+)\\\)"),
    re.compile(r"\\\[(?P<inside>(?:(?!\\\]).)+)\\\]"),
    re.compile(r"\*\*(?P<inside>[^*]+)\*\*"),
    re.compile(r"`(?P<inside>[^`]+)`"),
    re.compile(r'"(?P<inside>[^"]+)"'),
)
_LEAD_IN_TEXT = re.compile(r"^\\text\s*\{\s*(?:the )?(?:final )?answer(?: is)?:?\s*\}\s*", re.IGNORECASE)
_SEVERAL_BOXES = re.compile(r"\\f?boxed|\\fbox")
_FRENCH = re.compile(r"(?P<open>[\[\]])(?P<inside>[^\[\]()]+[,;][^\[\]()]+)(?P<close>[\[\]])")
_DOLLARS = re.compile(r"(?<!\\)\$")
_MATH_BETWEEN_WORDS = re.compile(r"(?<!\\)\$[^$]*[^$,; ] ?\$")
_TIMES_TEN = re.compile(r"(?<=\d) ?x ?(?=10\^)")
_STYLE = re.compile(r"\\(?:displaystyle|textstyle|tiny|small|large|Large|huge|bf|rm|it)(?![A-Za-z])\s*")
_EMPTY_DELIMITER = re.compile(r"\\(?:left|right)\s*\.")
_LETTER_AFTER_NUMBER = re.compile(r"\d\s*[A-Za-z]$")
_DEFAULT_VARIABLES = frozenset("xyztu") | {"\\theta"}
_ITEMS = re.compile(r"\s*(?:,|;|\band\b|\bor\b)\s*(?:\band\b|\bor\b)?\s*")


class Unreadable(ValueError):
    """The text is no answer, whatever the other side says: empty, oversized, malformed, or hedged by policy."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer can mean. `nodes` is empty where it cannot be read, and then `problem` says why.

    `is_foreign`: the grammar lacks its notation, which is not to say that it is no answer.
    """

    text: str
    nodes: tuple[Node, ...]
    problem: str = ""
    is_foreign: bool = False


def clean(raw: str) -> str:
    """The answer without wrappers and in the grammar's characters. Raises Unreadable."""
    if len(raw) > MAX_RAW:
        raise Unreadable(f"longer than {MAX_RAW} characters")
    if not is_readable(raw):
        raise Unreadable("control, combining or unassigned characters")
    text = _TIMES_TEN.sub(r"\\times ", fold(raw)).replace("+/-", r"\pm ").strip()
    if len(text) > MAX_LENGTH:
        raise Unreadable(f"longer than {MAX_LENGTH} characters")
    if len(_SEVERAL_BOXES.findall(text)) > 1 and innermost(text) == text:
        raise Unreadable("several boxes in one answer")
    before = None
    while text != before:
        before = text
        text = _unwrapped(text)
    if not text or text.lower() in _NOTHING:
        raise Unreadable("no answer in it")
    if not _is_balanced(text):
        raise Unreadable("brackets that do not match")
    return text


def _unwrapped(text: str) -> str:
    text = _EMPTY_DELIMITER.sub("", innermost(text)).strip()
    for wrapper in _WRAPPERS:
        if match := wrapper.fullmatch(text):
            text = match["inside"].strip()
    if "$" in text and len(_DOLLARS.findall(text)) % 2 == 0 and _MATH_BETWEEN_WORDS.search(text):
        text = _DOLLARS.sub("", text)
    text = _STYLE.sub("", text, count=1)
    text = _LEAD_IN_TEXT.sub("", without_lead(text), count=1)
    if text.endswith(".") and not text.endswith(".."):
        text = text[:-1]
    return text.rstrip("\\ ")


def _is_balanced(text: str) -> bool:
    depth = 0
    escaped = False
    for char in text:
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif char in "{}":
            depth += 1 if char == "{" else -1
            if depth < 0:
                return False
    return depth == 0


def squeezed(text: str) -> str:
    """The text without white space and the marks that only space it out, for comparing notation."""
    spaced = re.sub(r"\\[,;:! ]|~", " ", re.sub(r"\\left|\\right|\\!", "", text))
    return re.sub(r"(?<!\d) +| +(?!\d)", "", spaced).replace("dfrac", "frac").replace("tfrac", "frac")


def read(raw: str) -> Reading:
    """All readings of an answer. Raises Unreadable where a guard refuses it."""
    text = clean(raw)
    bare = plain(text.replace("{:}", ":"))
    nodes: list[Node | None] = [clock(bare), ratio(bare), date(bare), base_numeral(bare), choice(text)]
    if (value := decimal_comma(bare.replace("{,}", ","))) is not None:
        nodes.append(Number(value))
    found = [node for node in nodes if node is not None]
    problem, is_foreign = "", False
    try:
        found += _word_readings(text) if is_words(text) else _math_readings(text)
    except NotInGrammar as error:
        problem, is_foreign = f"outside the grammar: {error}", True
        found += _phrase_list(bare)
    except TooLarge as error:
        problem = f"beyond the limits: {error}"
    return Reading(text, tuple(found), "" if found else problem, is_foreign and not found)


def _math_readings(text: str) -> list[Node]:
    spaced = spaced_thousands(text)
    if spaced is not None:
        return [Number(Fraction(spaced))]
    if match := _FRENCH.fullmatch(text):
        brackets = {"[": "[", "]": "("}[match["open"]], {"]": "]", "[": ")"}[match["close"]]
        text = f"{brackets[0]}{match['inside']}{brackets[1]}"
    nodes = [settled(parse(text))]
    if _LETTER_AFTER_NUMBER.search(text):
        nodes.append(settled(parse(text, letter_units=LETTER_UNITS)))
    return nodes


def settled(node: Node) -> Node:
    """The tree with plus-minus signs spread out and the constant of integration under one name."""
    parts = spread(node)
    settled_node = parts[0] if len(parts) == 1 else Listing(parts, "or")
    match settled_node:
        case Apply("add", (*_, Symbol("c"))) if symbols(settled_node) - {"c"} <= _DEFAULT_VARIABLES:
            return Apply("add", (*settled_node.args[:-1], Symbol("C")))
        case Group("[]", (single,)):
            return single
        case _:
            return settled_node


def _word_readings(text: str) -> list[Node]:
    bare = plain(text)
    if _is_product(bare):
        return [parse(bare)]
    found = phrase(text)
    nodes: list[Node] = [] if found is None else [found]
    if found is not None and found.text in _NAMED:
        nodes.append(_NAMED[found.text])
    if bare.split()[0] in FUNCTIONS:
        nodes.append(parse(bare))
    return nodes + _phrase_list(bare)


def _is_product(bare: str) -> bool:
    """Whether a run of letters reads as a product of variables, not as a word: ``xy``, ``abc``, but not ``odd``."""
    letters = set(bare.lower())
    if not bare.isalpha() or bare.lower() in _SHORT_WORDS:
        return False
    return len(bare) == 2 or (len(bare) == 3 and (letters <= set("abc") or not letters & set("aeiou")))


def _phrase_list(bare: str) -> list[Node]:
    """A list of phrases, where each item is words: ``Alice and Bob``."""
    items = _ITEMS.split(bare)
    phrases = [phrase(item) for item in items if item]
    if len(phrases) < 2 or any(item is None for item in phrases):
        return []
    return [Listing(tuple(item for item in phrases if item is not None), ",")]
