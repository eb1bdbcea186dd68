"""Times of day, ratios and dates, where one of them is the whole answer."""

from __future__ import annotations

import re
from fractions import Fraction

from .limits import MAX_ITEMS
from .numerals import decimal
from .tree import CalendarDate, Clock, Ratio
from .words import words

_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::([0-5]\d))? ?(?:([ap])\.?m\.?)?", re.IGNORECASE)
_HOUR = re.compile(r"(\d{1,2}) ?([ap])\.?m\.?", re.IGNORECASE)
_RATIO = re.compile(r"\d+(?:\.\d+)?(?:(?: ?: ?| to )\d+(?:\.\d+)?)+")
_MONTHS = words("january february march april may june july august september october november december")
_NAMES = "|".join(f"{month[:3]}(?:{month[3:]})?" for month in _MONTHS)
_MONTH_FIRST = re.compile(rf"({_NAMES})\.? (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?", re.IGNORECASE)
_DAY_FIRST = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_NAMES})\.?(?:,? (\d{{4}}))?", re.IGNORECASE)
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


def clock(text: str) -> Clock | None:
    """A time of day, in minutes: ``3:30``, ``3:30 p.m.``, ``7 PM``."""
    if match := _CLOCK.fullmatch(text):
        minutes = Fraction(int(match[1]) * 60 + int(match[2])) + Fraction(int(match[3] or 0), 60)
        return Clock(minutes, f"{match[4]}m".lower() if match[4] else "")
    if match := _HOUR.fullmatch(text):
        return Clock(Fraction(int(match[1]) * 60), f"{match[2]}m".lower())
    return None


def ratio(text: str) -> Ratio | None:
    """A ratio of plain numbers: ``2:4:6``, ``1 to 2``."""
    if not _RATIO.fullmatch(text) or len(text) > MAX_ITEMS:
        return None
    parts = [decimal(part) for part in re.findall(r"\d+(?:\.\d+)?", text)]
    return Ratio(tuple(parts), clock(text) is not None)


def date(text: str) -> CalendarDate | None:
    """A date with its month in words, or in the order year-month-day. All-number dates are ambiguous: None."""
    if match := _ISO.fullmatch(text):
        return _checked(int(match[1]), int(match[2]), int(match[3]))
    if match := _MONTH_FIRST.fullmatch(text):
        return _checked(_year(match[3]), _month(match[1]), int(match[2]))
    if match := _DAY_FIRST.fullmatch(text):
        return _checked(_year(match[3]), _month(match[2]), int(match[1]))
    return None


def _year(text: str | None) -> int | None:
    return int(text) if text else None


def _month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name.lower()[:3]))


def _checked(year: int | None, month: int, day: int) -> CalendarDate | None:
    return CalendarDate(year, month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None
