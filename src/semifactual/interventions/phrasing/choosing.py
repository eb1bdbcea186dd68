"""Which rewordings go together in one rewrite."""

from __future__ import annotations

from random import Random

from semifactual.interventions.phrasing.patterns import Rewording


def shuffled(rewordings: list[Rewording], rng: Random) -> list[Rewording]:
    """A random order in which a rewording of twice the weight is twice as likely to come first."""
    keyed = [(rng.random() ** (1 / rewording.weight), number) for number, rewording in enumerate(rewordings)]
    return [rewordings[number] for _, number in sorted(keyed, reverse=True)]


def choice(questions: list[Rewording], others: list[Rewording], least: int, most: int) -> list[Rewording]:
    """Rewordings that go together, one of the question first where there is one; none if they change too little."""
    for first in range(max(1, len(questions))):
        order = [*questions[first : first + 1], *others, *questions[:first], *questions[first + 1 :]]
        chosen = _compatible(order, questions, most)
        if sum(rewording.changes for rewording in chosen) >= least:
            return chosen
    return []


def _compatible(order: list[Rewording], questions: list[Rewording], most: int) -> list[Rewording]:
    """The first rewordings that do not clash, in the text's order; a pattern comes twice only for want of others.

    What is asked once is worded once: no two forms of one question go together.
    """
    asking = set(questions)
    chosen: list[Rewording] = []
    for repeats in (False, True):
        for rewording in order:
            if len(chosen) == most:
                break
            known = not repeats and any(rewording.pattern == other.pattern for other in chosen)
            asked = rewording in asking and any(other in asking and rewording.overlaps(other) for other in chosen)
            if not known and not asked and not any(rewording.clashes(other) for other in chosen):
                chosen.append(rewording)
    return sorted(chosen, key=lambda rewording: rewording.edits)
