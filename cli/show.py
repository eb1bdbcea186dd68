"""`semifactual show DIR [ID]`: rewrites as a coloured diff, with their verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import JsonFlag, colour_console, print_json, printable

if TYPE_CHECKING:
    from rich.text import Text

    from semifactual.pipeline.dataset import SeenProblem, SeenRewrite, SeenVersion


def show(
    source: Annotated[
        str,
        typer.Argument(metavar="DIR", help="A built dataset, or a source: rewrites are then made on the fly."),
    ],
    row_id: Annotated[str | None, typer.Argument(metavar="ID", help="Show only the row with this id.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many rows to show where no ID is given.")] = 3,
    kind: Annotated[str | None, typer.Option(help="Show only rewrites of this kind.")] = None,
    rejected: Annotated[bool, typer.Option("--rejected", help="Show the rewrites that did not enter.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Rewrites as a coloured diff with their verdicts.

    Behind them come those of sealed families, and counterfactuals with their answers and derivations.
    """
    from itertools import islice

    from semifactual.interventions.registry import get_intervention
    from semifactual.pipeline.dataset import made_problems, seen_problems

    if kind is not None:
        get_intervention(kind)  # a misspelt kind is an error, not an empty page
    if _is_problem_source(source):
        found = made_problems(source, row_id=row_id, kind=kind, rejected=rejected)
    else:
        found = seen_problems(Path(source), row_id=row_id, kind=kind, rejected=rejected)
    problems = list(islice(found, limit))
    if as_json:
        print_json({"rows": [problem.to_json() for problem in problems]})
        return
    console = colour_console()
    coloured = console.color_system is not None
    if all(problem.is_bare for problem in problems):
        console.print(f"No {'rejected ' if rejected else ''}rewrite to show.")
    for problem in problems:
        console.print(_problem_text(problem))
        for rewrite in problem.rewrites:
            console.print(_rewrite_text(problem, rewrite, coloured=coloured))
        for variant in problem.evaluation_variants:
            console.print(_version_text(problem, variant, "for evaluation only", coloured=coloured))
        for control in problem.counterfactuals:
            console.print(_version_text(problem, control, "a counterfactual", coloured=coloured))


def _is_problem_source(source: str) -> bool:
    """Whether this is a source of problems; a path where there is nothing is a mistyped folder, never a Hub id."""
    from semifactual.pipeline.journal import MANIFEST_NAME
    from semifactual.sources.source import BUILTIN_PREFIX

    path = Path(source)
    return source.startswith(BUILTIN_PREFIX) or (path.exists() and not (path / MANIFEST_NAME).exists())


def _problem_text(problem: SeenProblem) -> Text:
    from rich.text import Text

    return Text.assemble(
        (printable(problem.id), "bold"),
        ("  answer ", "dim"),
        printable(problem.answer),
        f"\n{printable(problem.problem)}\n",
    )


def _rewrite_text(problem: SeenProblem, rewrite: SeenRewrite, *, coloured: bool) -> Text:
    """One rewrite: a line on what it is, the diff, and what its checks said."""
    from rich.text import Text

    colour = {"valid": "green", "unsure": "yellow"}.get(rewrite.outcome, "red")
    return Text.assemble(
        (f"  {printable(rewrite.kind)}", "bold cyan"),
        (f"  {rewrite.outcome}", colour),
        (f", answer {rewrite.answer_check}, made by {printable(rewrite.engine)}\n", "dim"),
        _diff_text(problem.problem, rewrite.text, coloured=coloured),
        (f"\n{_checks_text(rewrite)}\n", "dim"),
    )


def _version_text(problem: SeenProblem, version: SeenVersion, role: str, *, coloured: bool) -> Text:
    """A version that is no semifactual: a line on what it is, the diff, and how its answer was computed."""
    from rich.text import Text

    text = Text.assemble(
        (f"  {printable(version.kind)}", "bold cyan"),
        (f"  {role}", "magenta"),
        (f", answer {printable(version.answer)}\n", "dim"),
        _diff_text(problem.problem, version.text, coloured=coloured),
        "\n",
    )
    return text.append(f"  {printable(version.derivation)}\n", "dim") if version.derivation else text


def _diff_text(before: str, after: str, *, coloured: bool) -> Text:
    """What went and what came; where there is no colour, in the brackets of a plain word diff."""
    from rich.text import Text

    from semifactual.text.diff import Change, word_diff

    styles = {Change.REMOVED: "red strike", Change.ADDED: "green", Change.KEPT: ""}
    marks = {Change.REMOVED: ("[-", "-]"), Change.ADDED: ("{+", "+}"), Change.KEPT: ("", "")}
    text = Text("  ")
    for piece in word_diff(before, after):
        opening, closing = ("", "") if coloured else marks[piece.change]
        text.append(f"{opening}{printable(piece.text)}{closing}", styles[piece.change])
    return text


def _checks_text(rewrite: SeenRewrite) -> str:
    failures = [check for check in rewrite.checks if not check.passed]
    if not failures:
        return f"  passed {', '.join(check.name for check in rewrite.checks)}"
    words = {False: "failed", None: "could not decide"}
    return "\n".join(f"  {words[check.passed]} {check.name}: {printable(check.evidence)}" for check in failures)
