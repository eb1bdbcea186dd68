"""Requests: what is asked for is asked for once, in one form."""

from __future__ import annotations

import re

from semifactual.validate.contract import Pair, check
from semifactual.validate.verdict import Finding, failed, passed

_YOU = "(?:can|could|would|will) you"
_ASKING = "(?:what|what['’]s|how|which|who|when|where|why)"
_STACKED = re.compile(
    rf"\b(?:go ahead and (?:{_YOU}|{_ASKING}|go ahead)|{_YOU} (?:{_YOU}|{_ASKING})|kindly (?:{_YOU}|{_ASKING}|kindly)"
    rf"|please (?:{_ASKING}|please))\b",
    re.IGNORECASE,
)


@check("one_request", "no form of a request stands right before another")
def one_request(pair: Pair) -> Finding:
    stacked = _STACKED.search(" ".join(pair.rewrite.text.split()))
    if stacked is None or stacked[0].lower() in " ".join(pair.original.text.lower().split()):
        return passed()
    return failed(f"asks twice: {stacked[0]!r}")
