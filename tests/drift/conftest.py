"""One made-up run and its report, for every test that only reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drift.synthetic import HOSTILE, Shape, write_run


@pytest.fixture(scope="session")
def made_up_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run without a report; do not write into it."""
    return write_run(tmp_path_factory.mktemp("made-up"), Shape(problems=20, samples=3, tokens=30), warnings=[HOSTILE])


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of a made-up run with hostile text everywhere."""
    from semifactual.drift.report import write_report

    run = write_run(tmp_path_factory.mktemp("page"), Shape(problems=4, samples=2, tokens=20), warnings=[HOSTILE])
    return write_report(run).read_text(encoding="utf-8")
