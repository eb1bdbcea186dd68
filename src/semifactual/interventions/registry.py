"""The kinds of interventions: how one is declared, found by name, and added from another package."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from random import Random

from semifactual.errors import RegistryError
from semifactual.text.document import Document
from semifactual.types import Draft, Family
from semifactual.validate.contract import Contract

ENTRY_POINT_GROUP = "semifactual.interventions"
BUILTIN_MODULES = (
    "format_change",
    "irrelevant_context",
    "name_swap",
    "noop_distractor",
    "notation",
    "number_word",
    "paraphrase",
    "register",
    "scenario_wrap",
    "typo_noise",
)

Rewriter = Callable[[Document, Random], Iterator[Draft]]
"""From a problem's text and a seeded generator to candidate texts, the best first. Nothing is trusted: the
pipeline judges every candidate by the kind's contract and keeps the first that passes."""


@dataclass(frozen=True, slots=True)
class Intervention:
    """One kind: its family, its contract, and the rewriter that makes drafts of it."""

    kind: str
    family: Family
    summary: str
    contract: Contract
    example: tuple[str, str]
    rewrite: Rewriter
    templates: tuple[str, ...] = ()
    """The templates that the rewriter draws on; their hashes are recorded in every row and manifest."""


_registered: dict[str, Intervention] = {}


def intervention(
    kind: str,
    *,
    family: Family,
    contract: Contract,
    summary: str,
    example: tuple[str, str],
    templates: tuple[str, ...] = (),
) -> Callable[[Rewriter], Rewriter]:
    """Register the decorated rewriter as a kind of intervention.

    Raises:
        RegistryError: the kind is registered already, by another function.
    """

    def register(rewrite: Rewriter) -> Rewriter:
        known = _registered.get(kind)
        if known is not None and known.rewrite is not rewrite:
            raise RegistryError(
                f"two interventions are registered as {kind!r}: {_origin(known.rewrite)} and {_origin(rewrite)}",
                hint="rename one of them",
            )
        _registered[kind] = Intervention(kind, family, summary, contract, example, rewrite, templates)
        return rewrite

    return register


def interventions() -> dict[str, Intervention]:
    """Every known kind by name: ours in alphabetical order, then those of installed plug-ins."""
    _load_all()
    return dict(_registered)


def get_intervention(kind: str) -> Intervention:
    """The intervention of that kind.

    Raises:
        RegistryError: there is none.
    """
    known = interventions()
    if kind not in known:
        raise RegistryError(f"unknown kind of intervention {kind!r}", hint=f"the kinds are {', '.join(known)}")
    return known[kind]


@cache
def _load_all() -> None:
    for module in BUILTIN_MODULES:
        import_module(f"semifactual.interventions.{module}")
    for entry_point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda point: point.name):
        try:
            entry_point.load()
        except RegistryError:
            raise
        except Exception as error:
            raise RegistryError(
                f"the plug-in {entry_point.name!r} ({entry_point.value}) cannot be loaded: {error}",
                hint="fix or uninstall the package that provides it",
            ) from error


def _origin(function: Rewriter) -> str:
    return f"{function.__module__}.{getattr(function, '__qualname__', function)}"
