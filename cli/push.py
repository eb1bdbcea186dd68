"""`semifactual push`: a built dataset to the Hub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import JsonFlag, print_json, print_news, print_table, printable

if TYPE_CHECKING:
    from semifactual.publish.push import PushReport


def push(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A built dataset.")],
    repository: Annotated[str, typer.Argument(metavar="OWNER/NAME", help="The dataset repository on the Hub.")],
    private: Annotated[bool, typer.Option("--private", help="Make the repository one that only you can see.")] = False,
    revision: Annotated[str | None, typer.Option(help="The branch to push to; made where there is none.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Put it over a dataset of another schema that is there.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be pushed; no network, no token needed.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Put a built dataset on the Hub, read it back and compare."""
    if dry_run:
        _print_plan(folder, repository, private, revision, json)
        return
    _print_report(pushed(folder, repository, private=private, revision=revision, force=force), json)


def pushed(
    folder: Path, repository: str, *, private: bool = False, revision: str | None = None, force: bool = False
) -> PushReport:
    """Push, and tell of waiting on stderr."""
    from semifactual.publish.push import push as run_push

    return run_push(folder, repository, private=private, revision=revision, force=force, on_news=print_news)


def pushed_words(report: PushReport) -> str:
    """What a push did, as a sentence and the link."""
    if report.uploaded or report.deleted:
        removed = f", removed {', '.join(report.deleted)}" if report.deleted else ""
        done = f"uploaded {', '.join(report.uploaded)}{removed} in one commit"
    else:
        done = "everything is there already"
    return printable(f"{done}; read back {report.rows:,} rows, the same as here\n{report.link}")


def _print_report(report: PushReport, as_json: bool) -> None:
    if as_json:
        from dataclasses import asdict

        print_json(asdict(report))
    else:
        print(pushed_words(report))


def _print_plan(folder: Path, name: str, private: bool, revision: str | None, as_json: bool) -> None:
    from semifactual.publish.push import LocalSet
    from semifactual.publish.repository import Repository

    repository, local = Repository.named(name, revision), LocalSet.read(folder)
    if as_json:
        where = {"repository": repository.name, "revision": repository.revision, "private": private}
        content = {"rows": local.content.rows, "content_sha256": local.content.sha256}
        print_json({**where, "files": dict(local.sizes), **content, "card": local.card})
        return
    print(printable(f"{repository}, {'private' if private else 'public'} where it is made; nothing was sent"))
    print_table(["file", "bytes"], [[name, size] for name, size in local.sizes.items()])
    print(printable(f"{local.content}\n\n{local.card}"), end="")
