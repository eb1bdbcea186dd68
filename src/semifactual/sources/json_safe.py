"""Any value that a reader can yield, as a value that JSON can hold."""

from __future__ import annotations

import base64
import datetime as dt
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any


def json_safe(value: Any) -> Any:
    """`value` with JSON's types alone: dates in ISO form, bytes in base64, what is not finite as None.

    >>> json_safe({"when": dt.date(2024, 5, 1), "score": float("nan"), "rate": Decimal("0.5")})
    {'when': '2024-05-01', 'score': None, 'rate': 0.5}
    """
    match value:
        case None | bool() | int():
            return value
        case str():
            return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            return _number(value)
        case Mapping():
            return {str(json_safe(key)): json_safe(item) for key, item in value.items()}
        case list() | tuple():
            return [json_safe(item) for item in value]
        case bytes():
            return base64.b64encode(value).decode("ascii")
        case dt.date() | dt.time():
            return value.isoformat()
        case _:
            return str(value)


def _number(value: Decimal) -> float | str | None:
    """A float where it has the very same value in print, else the digits."""
    if not value.is_finite():
        return None
    number = float(value)
    return number if Decimal(repr(number)) == value else str(value)
