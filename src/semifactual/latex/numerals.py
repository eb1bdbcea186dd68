"""Numerals in formulas: digits, the marks between groups of three, and a decimal part."""

from __future__ import annotations

from semifactual.latex.tokens import Cursor

_CERTAIN_MARKS = (("{", ",", "}"), (",", "\\!"), ("\\,",))
"""What parts the groups of one number and never two numbers."""


def read_number(cursor: Cursor, *, in_brackets: bool) -> str:
    """The numeral that stands next, as long as it is, without the marks between its groups of digits.

    Within brackets a plain comma parts two numbers.
    """
    number = _digits(cursor)
    if len(number) <= 3:
        while mark := _group_mark(cursor, in_brackets=in_brackets):
            cursor.position += mark
            number += _digits(cursor)
    if cursor.peek() == "." and cursor.peek(1).isdecimal():
        cursor.position += 1
        number += "." + _digits(cursor)
    return number


def _digits(cursor: Cursor) -> str:
    """The digits that stand next, at least one character."""
    digits = cursor.take()
    while cursor.peek().isdecimal():
        digits += cursor.take()
    return digits


def _group_mark(cursor: Cursor, *, in_brackets: bool) -> int:
    """How many tokens part the digits before from three more behind; 0 where these are two numbers."""
    marks = _CERTAIN_MARKS if in_brackets else (*_CERTAIN_MARKS, (",",))
    for mark in marks:
        length = len(mark)
        if all(cursor.peek(place) == token for place, token in enumerate(mark)):
            three = all(cursor.peek(length + place).isdecimal() for place in range(3))
            return length if three and not cursor.peek(length + 3).isdecimal() else 0
    return 0
