from __future__ import annotations

import pytest

from semifactual.interventions.registry import interventions
from tests.cli.conftest import Command


def test_every_kind_is_listed_with_its_family_and_example(command: Command) -> None:
    ran = command("kinds")
    assert ran.code == 0
    printed = " ".join(ran.out.split())
    for intervention in interventions().values():
        assert f"{intervention.kind} {intervention.family} {intervention.summary} before" in printed
        assert all(" ".join(text.split()) in printed for text in intervention.example)


@pytest.mark.parametrize("width", [60, 80, 300])
def test_lines_are_as_long_as_the_terminal_and_at_most_100(
    width: int, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for arguments in ([], ["typo_noise"]):
        lines = command("kinds", *arguments).out.splitlines()
        assert max(map(len, lines)) <= min(width, 100)
        assert max(map(len, lines)) > min(width, 100) - 20


def test_json_gives_the_contract(command: Command) -> None:
    described = {entry["kind"]: entry for entry in command("kinds", "--json").json["kinds"]}
    assert set(described) == set(interventions())
    typo_noise = described["typo_noise"]
    assert typo_noise["family"] == "surface"
    assert "number" in typo_noise["frozen"] and "word" not in typo_noise["frozen"]
    assert {"name", "summary"} == set(typo_noise["checks"][0])


def test_one_kind_comes_with_what_its_checks_say(command: Command) -> None:
    ran = command("kinds", "typo_noise")
    assert "paraphrase" not in ran.out
    for check in interventions()["typo_noise"].contract.checks:
        assert f"{check.name}: {check.summary}" in " ".join(ran.out.split())


def test_an_unknown_kind_is_an_error(command: Command) -> None:
    ran = command("kinds", "typo")
    assert ran.code == 2
    assert "'typo'" in ran.err and "typo_noise" in ran.err
