"""What models used and cost, in the words that summaries print."""

from __future__ import annotations

from typing import Any


def spending(used: dict[str, Any], currency: str) -> str:
    """Tokens and cost in words."""
    tokens = used["tokens"]
    cost = "the cost is not known" if used["cost"] is None else f"{used['cost']:.4f} {currency}"
    cached = f" ({tokens['cached']:,} cached)" if tokens.get("cached") else ""
    estimated = ", partly estimated" if tokens.get("unreported_replies") else ""
    return f"{tokens.get('prompt', 0):,}{cached} + {tokens.get('completion', 0):,} tokens{estimated}, {cost}"
