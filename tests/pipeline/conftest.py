"""A kind so simple that the pipeline's own behaviour is all that a test can see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import pytest

from semifactual.interventions import registry
from semifactual.interventions.registry import Intervention, Rewriter
from semifactual.text.document import Document
from semifactual.types import Draft, Family, Problem
from semifactual.validate.contract import Contract, Pair, check
from semifactual.validate.verdict import Finding, failed, passed, undecided


@check("calm", "at most two exclamation marks; three leave it undecided")
def calm(pair: Pair) -> Finding:
    marks = pair.rewrite.text.count("!")
    if marks == 3:
        return undecided("three marks")
    return passed() if marks <= 2 else failed(f"{marks} marks")


@check("extends", "the original comes first")
def extends(pair: Pair) -> Finding:
    return passed() if pair.rewrite.text.startswith(pair.original.text) else failed("another beginning")


def exclaim(original: Document, rng: Random) -> Iterator[Draft]:
    """One to four exclamation marks: one and two are valid, three is unsure, four is invalid."""
    marks = [1, 2, 3, 4]
    rng.shuffle(marks)
    for count in marks:
        yield Draft(original.text + "!" * count, {"marks": count})


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Callable[[Rewriter], str]:
    """Register a rewriter under its own name for one test. Only this process knows it, so builds use one worker."""

    def register_for_test(rewrite: Rewriter) -> str:
        contract = Contract((extends, calm))
        made = Intervention(rewrite.__name__, Family.SURFACE, "exclaims", contract, ("a", "a!"), rewrite)
        registry.interventions()
        monkeypatch.setitem(registry._registered, made.kind, made)
        return made.kind

    return register_for_test


@pytest.fixture
def exclaim_kind(register: Callable[[Rewriter], str]) -> str:
    return register(exclaim)


@pytest.fixture
def problem() -> Problem:
    return Problem("p:1", "Ann has 3 figs. How many figs has Ann?", "3", "hand", {"note": "ripe"})
