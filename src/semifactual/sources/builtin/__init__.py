"""Problem sets that come with the package: ``builtin:word_problems`` and ``builtin:algebra``."""

from __future__ import annotations

from semifactual.sources.builtin.counterfactuals import counterfactuals
from semifactual.sources.builtin.source import BuiltinSource, open_builtin

__all__ = ["BuiltinSource", "counterfactuals", "open_builtin"]
