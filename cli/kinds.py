"""`semifactual kinds`: the kinds of rewrites, their families, contracts and examples."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .console import WIDTH, JsonFlag, colour_console, print_json, printable

if TYPE_CHECKING:
    from rich.text import Text

    from semifactual.interventions.registry import Intervention
    from semifactual.validate.contract import Contract


_INDENT = 11
"""Where the values stand behind their headings."""


def kinds(
    kind: Annotated[str | None, typer.Argument(metavar="KIND", help="Show only this kind.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """The kinds of rewrites, their families, contracts and examples."""
    from semifactual.interventions.registry import get_intervention, interventions

    known = [get_intervention(kind)] if kind is not None else list(interventions().values())
    if as_json:
        print_json({"kinds": [_description(intervention) for intervention in known]})
        return
    console = colour_console()
    for intervention in known:
        console.print(_kind_text(intervention, min(console.width, WIDTH), explained=kind is not None))


def _description(intervention: Intervention) -> dict[str, Any]:
    contract = intervention.contract
    before, after = intervention.example
    return {
        "kind": intervention.kind,
        "family": intervention.family.value,
        "summary": intervention.summary,
        "checks": [{"name": check.name, "summary": check.summary} for check in contract.checks],
        "frozen": sorted(contract.frozen),
        "guarded": sorted(contract.guarded),
        "example": {"problem": before, "rewrite": after},
        "templates": list(intervention.templates),
    }


def _kind_text(intervention: Intervention, width: int, *, explained: bool) -> Text:
    """One kind in lines of so many characters, with the names of its checks, or with what each of them says."""
    from rich.text import Text

    contract = intervention.contract
    kind, family = printable(intervention.kind), f"  {intervention.family}  "
    summary = _wrapped(intervention.summary, width, first=len(kind + family), indent=_INDENT)
    text = Text.assemble((kind, "bold cyan"), (family, "dim"), summary, "\n")
    before, after = intervention.example
    checks = "\n".join(f"{check.name}: {check.summary}" for check in contract.checks)
    names = ", ".join(check.name for check in contract.checks)
    parts = {"before": before, "after": after, **_span_types(contract), "checks": checks if explained else names}
    for heading, value in parts.items():
        text.append(f"  {heading:<8} ", "dim").append(f"{_wrapped(value, width, first=_INDENT, indent=_INDENT)}\n")
    return text


def _wrapped(text: str, width: int, *, first: int, indent: int) -> str:
    """The text behind `first` characters, each of its own lines broken at blanks and going on behind `indent`."""
    behind = " " * indent
    lines = [
        textwrap.fill(
            line,
            width,
            initial_indent=" " * (indent if number else first),
            subsequent_indent=behind,
            break_long_words=False,
            break_on_hyphens=False,
        )
        or behind
        for number, line in enumerate(printable(text).split("\n"))
    ]
    return "\n".join(lines)[first:]


def _span_types(contract: Contract) -> dict[str, str]:
    """What is frozen, guarded and free, in words; the largest of the three is said to be all others."""
    types = {"frozen": contract.frozen, "guarded": contract.guarded, "free": contract.free}
    largest = max(types, key=lambda name: len(types[name]))
    others = any(members for name, members in types.items() if name != largest)
    words = {name: ", ".join(sorted(members)) or "nothing" for name, members in types.items()}
    return {**words, largest: "all others" if others else "all"}
