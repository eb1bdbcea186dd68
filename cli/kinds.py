"""`semifactual kinds`: the kinds of rewrites, their families, contracts and examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .console import JsonFlag, colour_console, print_json, printable

if TYPE_CHECKING:
    from rich.text import Text

    from semifactual.interventions.registry import Intervention
    from semifactual.validate.contract import Contract


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
        console.print(_kind_text(intervention, explained=kind is not None))


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


def _kind_text(intervention: Intervention, *, explained: bool) -> Text:
    """One kind, with the names of its checks, or with what each of them says."""
    from rich.text import Text

    contract = intervention.contract
    text = Text.assemble(
        (printable(intervention.kind), "bold cyan"),
        (f"  {intervention.family}  ", "dim"),
        printable(intervention.summary),
        "\n",
    )
    before, after = intervention.example
    for heading, value in {"before": before, "after": after, **_span_types(contract)}.items():
        text.append(f"  {heading:<8} ", "dim").append(f"{printable(value)}\n")
    text.append("  checks   ", "dim")
    if not explained:
        return text.append(f"{printable(', '.join(check.name for check in contract.checks))}\n")
    lines = [printable(f"{check.name}: {check.summary}") for check in contract.checks]
    return text.append(f"\n{' ' * 11}".join(lines)).append("\n")


def _span_types(contract: Contract) -> dict[str, str]:
    """What is frozen, guarded and free, in words; the largest of the three is said to be all others."""
    types = {"frozen": contract.frozen, "guarded": contract.guarded, "free": contract.free}
    largest = max(types, key=lambda name: len(types[name]))
    others = any(members for name, members in types.items() if name != largest)
    words = {name: ", ".join(sorted(members)) or "nothing" for name, members in types.items()}
    return {**words, largest: "all others" if others else "all"}
