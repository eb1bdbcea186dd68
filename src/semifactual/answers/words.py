"""Word lists as they are easiest to read and to change: one text, split at its spaces."""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    """The words of a text.

    >>> words("sin cos tan")
    ('sin', 'cos', 'tan')
    """
    return tuple(text.split())
