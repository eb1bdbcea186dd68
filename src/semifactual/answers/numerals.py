"""Numerals: thousands separators, decimals, repeating decimals, scientific notation, numerals in a base."""

from __future__ import annotations

import re
from fractions import Fraction

from .limits import MAX_DIGITS, MAX_EXPONENT_DIGITS, TooLarge
from .tree import BaseNumeral

_SEPARATED = re.compile(
    r"(?<![\d,.])\d{1,3}(?:(?:\{,\}|,?\\!|,\\!|\\,|\\ |,\\! |\{,\\?!?\})\s?\d{3})+(?!\d)(?P<fraction>\.\d+)?"
)
_COMMAS = re.compile(r"(?<![\d,.])[1-9]\d{0,2}(?:,\d{3})+(?![\d]|,\d)(?P<fraction>\.\d+)?")
_DECIMAL_COMMA = re.compile(r"(?<![\d,.])(?P<whole>\d+)\{,\}(?P<part>\d+)")
_REPEATING = re.compile(
    r"(?P<whole>\d*)\.(?P<fixed>\d*)(?:\\overline|\\bar|\\dot)\s*(?:\{\s*(?P<block>\d+)\s*\}|(?P<one>\d))"
)
_DOTTED = re.compile(
    r"(?P<whole>\d*)\.(?P<fixed>\d*)\\dot\s*\{?(?P<first>\d)\}?(?P<middle>\d*)\\dot\s*\{?(?P<last>\d)\}?"
)
_BRACKETED = re.compile(r"(?P<whole>\d+)\.(?P<fixed>\d*)\((?P<block>\d+)\)(?![\d^])")
_ELLIPSIS = re.compile(r"(?P<whole>\d*)\.(?P<digits>\d{3,})\s*(?:\.\.\.|\\l?dots|\\cdots)")
_PLAIN = re.compile(r"(?:\d+(?:\.\d+)?|\.\d+)")
_EXPONENT = re.compile(r"[eE]([+-]?\d+)(?![A-Za-z\d])")

_WHOLE_SPACED = re.compile(r"[+-]?\d{1,3}(?: \d{3})+")
_WHOLE_DECIMAL_COMMA = re.compile(r"(?P<sign>[+-]?)(?P<whole>\d{1,3}(?:\.\d{3})+|\d+),(?P<part>\d+)")

BASE_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "sixteen": 16, "binary": 2, "octal": 8, "decimal": 10, "hexadecimal": 16,
}  # fmt: skip
_BASE_NUMERAL = re.compile(
    r"\(?(?P<digits>[0-9A-F]+)\)?\s*(?:_\s*\{?\s*\(?(?:base )?|\(?(?:in )?base[ -]?)"
    r"(?P<base>\d{1,2}|[a-z]+)\s*\)?\}?\)?"
)


def whole_number(digits: str) -> int:
    """The integer that a run of digits stands for. Raises TooLarge beyond MAX_DIGITS."""
    if len(digits) > MAX_DIGITS:
        raise TooLarge(f"a numeral of more than {MAX_DIGITS} digits")
    return int(digits)


def decimal(text: str) -> Fraction:
    """The exact value of ``12``, ``12.50``, ``.5`` or ``1.5e3``.

    >>> decimal("0.125"), decimal("1.5e3")
    (Fraction(1, 8), Fraction(1500, 1))
    """
    mantissa, _, exponent = text.replace("E", "e").partition("e")
    whole, _, part = mantissa.partition(".")
    value = Fraction(whole_number((whole or "0") + part), 10 ** len(part))
    if not exponent:
        return value
    if len(exponent.lstrip("+-0")) > MAX_EXPONENT_DIGITS:
        raise TooLarge("a decimal exponent of more than four digits")
    power = int(exponent)
    return value * Fraction(10) ** power


def repeating(whole: str, fixed: str, block: str) -> Fraction:
    """The value of ``whole.fixed(block)(block)...``.

    >>> repeating("0", "1", "6")
    Fraction(1, 6)
    """
    shift = 10 ** len(fixed)
    head = Fraction(whole_number((whole or "0") + fixed), shift)
    return head + Fraction(whole_number(block), (10 ** len(block) - 1) * shift)


def read_numeral(text: str, start: int, *, commas: bool) -> tuple[Fraction, int] | None:
    """The numeral at `start` and where it ends, or None.

    A comma groups thousands only where `commas` (outside brackets) and only if the whole run of digits and commas is
    grouped in threes: ``1,234`` is a number, ``3,5,7`` and ``27,54,108`` are lists.
    """
    if not (text[start].isdigit() or text[start] == "."):
        return None
    for pattern in (_DOTTED, _REPEATING, _BRACKETED):
        if match := pattern.match(text, start):
            found = match.groupdict()
            block = (
                found.get("block")
                or found.get("one")
                or "".join(found.get(part) or "" for part in ("first", "middle", "last"))
            )
            return repeating(found["whole"], found["fixed"], block), match.end()
    if match := _ELLIPSIS.match(text, start):
        return _continued(match), match.end()
    for pattern in (_SEPARATED, _COMMAS) if commas else (_SEPARATED,):
        if match := pattern.match(text, start):
            fraction = match["fraction"] or ""
            digits = re.sub(r"\D", "", match[0][: len(match[0]) - len(fraction)])
            return decimal(digits + fraction), match.end()
    if match := _DECIMAL_COMMA.match(text, start):
        return decimal(f"{match['whole']}.{match['part']}"), match.end()
    match = _PLAIN.match(text, start)
    if match is None:
        return None
    end = match.end()
    if exponent := _EXPONENT.match(text, end):
        end = exponent.end()
    return decimal(text[start:end]), end


def _continued(match: re.Match[str]) -> Fraction:
    """0.333... and 0.121212...: a block written out at least twice (three times for one digit) goes on for ever."""
    digits = match["digits"]
    for size in range(1, len(digits) // 2 + 1):
        needed = 3 if size == 1 else 2
        block = digits[-size:]
        if digits.endswith(block * needed):
            fixed = digits
            while fixed.endswith(block):
                fixed = fixed[:-size]
            return repeating(match["whole"], fixed, block)
    raise ValueError("decimals that go on without a repeating block")


def spaced_thousands(text: str) -> str | None:
    """``1 234 567`` without its spaces, where that is the whole text."""
    return text.replace(" ", "") if _WHOLE_SPACED.fullmatch(text) else None


def decimal_comma(text: str) -> Fraction | None:
    """The value of ``12,75``, ``-0,25`` or ``1.234,56``, where that is the whole text.

    One digit after the comma reads as a list (``2,5``) unless the whole part is 0; three digits read as thousands.
    """
    match = _WHOLE_DECIMAL_COMMA.fullmatch(text)
    if match is None:
        return None
    whole, part = match["whole"], match["part"]
    if whole != "0" and "." not in whole and len(part) in {1, 3}:
        return None
    value = decimal(f"{whole.replace('.', '')}.{part}")
    return -value if match["sign"] == "-" else value


def base_numeral(text: str) -> BaseNumeral | None:
    """A numeral with its base, where that is the whole text: ``1010_2``, ``(1010)_{two}``, ``FF base 16``.

    A lone letter with a subscript is a variable, and so is anything with a digit that the base does not have.

    >>> base_numeral("FF_{16}")
    BaseNumeral(digits='FF', base=16)
    >>> base_numeral("A_{16}") is None
    True
    """
    match = _BASE_NUMERAL.fullmatch(text.strip())
    if match is None or (match["digits"].isalpha() and len(match["digits"]) == 1):
        return None
    base = int(match["base"]) if match["base"].isdigit() else BASE_WORDS.get(match["base"], 0)
    digits = match["digits"].lstrip("0") or "0"
    if not 2 <= base <= 16 or len(digits) > MAX_DIGITS or any(int(digit, 16) >= base for digit in digits):
        return None
    return BaseNumeral(digits, base)
