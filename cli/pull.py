"""`semifactual pull`: a dataset from the Hub, with its manifest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import JsonFlag, print_json, print_news, printable


def pull(
    repository: Annotated[str, typer.Argument(metavar="OWNER/NAME", help="The dataset repository on the Hub.")],
    out: Annotated[Path, typer.Option(help="The dataset folder to make.")],
    revision: Annotated[str | None, typer.Option(help="The branch, tag or commit to take.")] = None,
    json: JsonFlag = False,
) -> None:
    """Bring a dataset back from the Hub, with its manifest.

    Then build, drift and scapo-train can go on from it.
    """
    from semifactual.publish.pull import pull as run_pull

    report = run_pull(repository, out, revision=revision, on_news=print_news)
    counts = report.manifest["counts"]
    if json:
        where = {"out": str(report.out), "repository": report.repository, "revision": report.revision}
        print_json({**where, "commit": report.commit, "found_there": report.found_there, "rows": counts["rows"]})
        return
    if report.found_there:
        print(printable(f"{report.out} holds this dataset already; nothing to do"))
    print(printable(f"{counts['rows']:,} rows in {report.out}, as of commit {report.commit[:10]}"))
