"""The Python example of docs/decoding.md runs as it stands."""

from __future__ import annotations

import textwrap
from itertools import takewhile

import pytest

from tests.repository import ROOT

DOCUMENT = (ROOT / "docs" / "decoding.md").read_text(encoding="utf-8")


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    lines = DOCUMENT.partition("\n## From Python\n\n")[2].splitlines()
    example = "\n".join(takewhile(lambda line: not line or line.startswith("    "), lines))
    exec(textwrap.dedent(example), {})  # noqa: S102  # our own text
    assert len(capsys.readouterr().out.strip().splitlines()) >= 2
