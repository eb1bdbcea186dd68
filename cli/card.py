"""`semifactual card`: the data card of a built dataset, made anew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import JsonFlag, print_json, printable


def card(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A built dataset.")],
    force: Annotated[
        bool, typer.Option("--force", help="Replace a card without the two markers, and all that it says.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Make the data card anew, and keep a person's notes in it."""
    from semifactual.publish.remaking import remake_card

    report = remake_card(folder, force=force)
    if json:
        print_json({"card": str(report.path), "changed": report.changed, "notes": report.notes})
        return
    lines = len(report.notes.splitlines())
    kept = f"; {lines:,} line{'s' * (lines != 1)} of notes kept" if lines else ""
    print(printable(f"{report.path} {'made anew' if report.changed else 'is as it should be'}{kept}"))
