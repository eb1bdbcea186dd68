"""What models used and cost, in the words that summaries print."""

from __future__ import annotations

from typing import Any

from .console import printable


def spending(used: dict[str, Any], currency: str) -> str:
    """Tokens and cost in words."""
    tokens = used["tokens"]
    if used["cost"] == 0 and not tokens.get("prompt") and not tokens.get("completion"):
        return "no tokens, no cost"
    cost = "the cost is not known" if used["cost"] is None else f"{used['cost']:.4f} {currency}"
    cached = f" ({tokens['cached']:,} cached)" if tokens.get("cached") else ""
    estimated = ", partly estimated" if tokens.get("unreported_replies") else ""
    return f"{tokens.get('prompt', 0):,}{cached} + {tokens.get('completion', 0):,} tokens{estimated}, {cost}"


def print_failures(traffic: dict[str, Any]) -> None:
    """Say how many requests got no reply, and why."""
    if traffic["errors"] and not traffic["requests"].get("answered") and not traffic["requests"].get("from_cache"):
        print("no request got a reply: look at the server, and build into a new folder when it is mended")
    for reason, count in traffic["errors"].items():
        print(printable(f"{count:,} requests without a reply: {reason}"))
