"""How many bad rewrites a built dataset may still hold: measured rates of the checks, applied to what they rejected.

The checks of a kind catch a share c of bad drafts and reject a share f of good ones, both measured on labelled rewrites
(`templates/checks/measured.yaml`). Of n drafts of that kind r were rejected, so that by Rogan and Gladen (1978)

    bad = clip((r - n f) / (c - f), 0, n),    left = bad (1 - c) / (n - r)

are the bad drafts that there were, and the expected share of bad ones among the rewrites that entered. This takes bad
drafts to be as easy to catch as the labelled ones were, and good drafts to be rejected as often. A generator's drafts
are another population than rewrites that people and models wrote: where fewer were rejected than f alone would have it,
the expected share is 0 whatever went wrong. A cautious share is therefore given beside it, which takes every rejected
draft to have been bad. Both say how large the trouble may be, and do not measure it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from semifactual.pipeline.proportions import Proportion
from semifactual.resources import template_yaml

MEASURED = "checks/measured.yaml"


@dataclass(frozen=True, slots=True)
class MeasuredKind:
    """How the checks of one kind did on labelled rewrites."""

    caught: Proportion
    """Of the violating ones, those that were not found valid."""
    rejected: Proportion
    """Of the preserving ones, those that were not found valid."""

    def to_json(self) -> dict[str, int]:
        """The four counts, as the measurement and the manifest hold them."""
        return {
            "caught": self.caught.count,
            "violating": self.caught.of,
            "rejected": self.rejected.count,
            "preserving": self.rejected.of,
        }


@dataclass(frozen=True, slots=True)
class Measurement:
    """When, with what and on what the checks were measured, and what came out for each kind."""

    semifactual: str
    date: str
    mode: str
    measured_on: str
    kinds: Mapping[str, MeasuredKind]

    def to_json(self) -> dict[str, Any]:
        """The measurement as its file holds it."""
        counts = {kind: measured.to_json() for kind, measured in sorted(self.kinds.items())}
        return {**self.provenance(), "kinds": counts}

    def provenance(self) -> dict[str, str]:
        """All but the counts."""
        return {
            "semifactual": self.semifactual,
            "date": self.date,
            "mode": self.mode,
            "measured_on": self.measured_on,
        }


@cache
def measurement() -> Measurement:
    """The measurement that this version ships with."""
    raw = template_yaml(MEASURED)
    kinds = {
        kind: MeasuredKind(
            Proportion(counts["caught"], counts["violating"]), Proportion(counts["rejected"], counts["preserving"])
        )
        for kind, counts in raw["kinds"].items()
    }
    return Measurement(raw["semifactual"], str(raw["date"]), raw["mode"], raw["measured_on"], kinds)


def error_budget(counts: Mapping[str, Mapping[str, Any]], measured: Measurement | None = None) -> dict[str, Any]:
    """The error budget of a dataset, from what its manifest counts for each kind.

    A kind that was never measured has no entry in `kinds`, and stands in `not_measured`.
    """
    measured = measured or measurement()
    kinds = {
        kind: {**rates.to_json(), **_shares(count["valid"], count["rejected"], rates)}
        for kind, count in counts.items()
        if (rates := measured.kinds.get(kind)) is not None
    }
    return {**measured.provenance(), "kinds": kinds, "not_measured": [kind for kind in counts if kind not in kinds]}


def _shares(valid: int, rejected: int, rates: MeasuredKind) -> dict[str, float | None]:
    """The expected share, and a cautious one: f is 0, and r / n and c are at the worse end of their 95 % intervals."""
    drafts = valid + rejected
    expected = upper = None
    if valid and rates.caught.of and rates.rejected.of:
        expected = bad_share(
            rejected / drafts, rates.caught.count / rates.caught.of, rates.rejected.count / rates.rejected.of
        )
        most_rejected = Proportion(rejected, drafts).interval[1]
        upper = bad_share(most_rejected, rates.caught.interval[0], falsely=0.0, kept=valid / drafts)
    return {"expected_bad_share": _rounded(expected), "upper_bad_share": _rounded(upper)}


def bad_share(rejected: float, caught: float, falsely: float, kept: float | None = None) -> float | None:
    """The share of bad rewrites among those that entered, expected where a share `rejected` of the drafts did not.

    None where checks that reject good ones as readily as bad ones say nothing.

    Args:
        rejected: r / n.
        caught: c, of bad drafts.
        falsely: f, of good drafts.
        kept: the share of drafts that entered, above 0; 1 - `rejected` unless given.

    >>> round(bad_share(rejected=0.10, caught=0.95, falsely=0.02), 5)
    0.00478
    >>> bad_share(rejected=0.01, caught=0.95, falsely=0.02)
    0.0
    """
    if caught <= falsely:
        return None
    bad = min(max((rejected - falsely) / (caught - falsely), 0.0), 1.0)
    return min(bad * (1 - caught) / (1 - rejected if kept is None else kept), 1.0)


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 6)
