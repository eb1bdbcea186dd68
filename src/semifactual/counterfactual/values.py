"""Other values that a quantity of a problem could have had, written as the old one is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

_PLAIN = re.compile(r"(?P<whole>\d{1,3}(?:,\d{3})+|\d{1,12})(?:\.(?P<places>\d{1,6}))?")
_STEPS = (1000, 500, 100, 50, 10, 5, 1)
_REACH = 20
"""How many steps up and down are tried."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """How a number is written: with how many decimal places, and whether its thousands are set apart."""

    value: Fraction
    places: int
    grouped: bool

    def written(self, value: Fraction) -> str | None:
        """Another value in the same form; None where the form cannot hold it.

        >>> numeral("1,250").written(Fraction(1300)), numeral("2.50").written(Fraction(11, 4))
        ('1,300', '2.75')
        """
        scaled = value * 10**self.places
        if scaled.denominator != 1:
            return None
        grouping = "," if self.grouped or (value >= 1000 and self.value < 1000) else ""
        whole, rest = divmod(abs(scaled.numerator), 10**self.places)
        sign = "-" if scaled < 0 else ""
        return f"{sign}{whole:{grouping}}" + (f".{rest:0{self.places}}" if self.places else "")

    def others(self) -> Iterator[Fraction]:
        """Values from about half to about twice this one, as round as it is, itself left out."""
        step = Fraction(next(size for size in _STEPS if self.value * 10**self.places % size == 0), 10**self.places)
        for shift in range(-_REACH, _REACH + 1):
            value = self.value + shift * step
            if shift and self.value / 2 <= value <= self.value * 2 and value > 1:
                yield value


def numeral(text: str) -> Numeral | None:
    """How a text of digits is written; None for anything but a plain positive number."""
    match = _PLAIN.fullmatch(text)
    if match is None:
        return None
    places = len(match["places"] or "")
    return Numeral(Fraction(text.replace(",", "")), places, "," in match["whole"])
