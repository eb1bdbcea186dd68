"""Are two answers the same? One verifier for validation, reward and evaluation.

    from semifactual.answers import Verifier, extract, equivalent

Nothing here imports sympy: exact comparisons need none, and the rest is asked of worker processes.
"""

from __future__ import annotations

from .extraction import extract
from .outcomes import Extraction, Found, Method, Outcome, Verdict
from .verifier import Graded, Verifier, equivalent

__all__ = ["Extraction", "Found", "Graded", "Method", "Outcome", "Verdict", "Verifier", "equivalent", "extract"]
