"""Every bound on what an answer may cost, in one place. Beyond a bound an answer is refused, never half-read."""

from __future__ import annotations

MAX_RESPONSE = 2_000_000
"""Characters of a response that `extract` looks at: its end, where the answer is."""
MAX_RAW = 200_000
"""Characters of an answer before it is trimmed; anything longer is refused unread."""
MAX_LENGTH = 2_000
"""Characters of an answer once white space around it is gone."""
MAX_TOKENS = 1_000
"""Tokens of one answer."""
MAX_DEPTH = 40
"""Nested brackets, fractions, roots and powers."""
MAX_DIGITS = 1_000
"""Digits of one numeral. Below CPython's own limit on turning text into integers."""
MAX_EXPONENT_DIGITS = 4
"""Digits of the exponent in scientific notation such as 1e9999."""
MAX_BITS = 200_000
"""Bits of an integer that exact arithmetic may produce; 2^100000 fits, 9^9^9 does not."""
MAX_FACTORIAL = 5_000
"""Largest n whose factorial or binomial coefficient is computed."""
MAX_ITERATIONS = 5_000
"""Terms of a finite sum or product that are added up one by one."""
MAX_TERMS = 400
"""Terms of a polynomial in normal form."""
MAX_ALTERNATIVES = 16
"""Values that the plus-minus signs of one answer may stand for."""
MAX_ITEMS = 200
"""Items of a list, tuple or set."""


class TooLarge(ValueError):
    """An answer asks for more work than the limits allow."""
