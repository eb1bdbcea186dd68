"""Which kinds a build makes, and which of them it seals: from names of kinds and of families to one list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from semifactual.errors import ConfigError, RegistryError
from semifactual.interventions.registry import get_intervention, interventions
from semifactual.types import Family


@dataclass(frozen=True, slots=True)
class Selection:
    """The kinds to make, in the order in which a row lists them, and those of them that are for evaluation only."""

    kinds: tuple[str, ...]
    sealed: tuple[str, ...] = ()

    @property
    def notices(self) -> tuple[str, ...]:
        """What a user should hear of it."""
        if len(self.sealed) < len(self.kinds):
            return ()
        return ("every kind is sealed, so that no row has a semifactual to train on or to measure drift with",)


def select(
    kinds: Sequence[str] | None, families: Sequence[Family], seal: Sequence[Family], default: Sequence[str]
) -> Selection:
    """Exactly the kinds that are named, then those of the named families; of these, a sealed family's are sealed.

    Where neither kinds nor families are given, they are the `default` kinds, then those of the sealed families.

    Raises:
        RegistryError: a kind is unknown, or a family has none.
        ConfigError: no kind that was named belongs to a family that is to be sealed.
    """
    of_sealed = {family: kinds_of(family) for family in seal}
    named = [*(kinds or ()), *(kind for family in families for kind in kinds_of(family))]
    for family, members in of_sealed.items():
        if named and set(members).isdisjoint(named):
            raise ConfigError(
                f"nothing to seal: no kind that is to be made belongs to the family {family.value!r}",
                hint=f"add some of its kinds to --kinds ({', '.join(members)}), or {family.value} to --families",
            )
    made = tuple(dict.fromkeys(named or [*default, *(kind for members in of_sealed.values() for kind in members)]))
    return Selection(made, tuple(kind for kind in made if get_intervention(kind).family in seal))


def kinds_of(family: Family) -> list[str]:
    """The kinds of a family, as the registry orders them.

    Raises:
        RegistryError: there is none.
    """
    known = interventions().values()
    if kinds := [intervention.kind for intervention in known if intervention.family is family]:
        return kinds
    raise RegistryError(f"no kind of the family {family.value!r} is known", hint=family_hint(family))


def family_hint(name: str) -> str:
    """What to write in place of a name that is no family with kinds: the family of a kind, or those that there are."""
    known = interventions()
    if name in known:
        return f"{name} is a kind of the family {known[name].family}"
    return f"the families with kinds are {', '.join(sorted({kind.family for kind in known.values()}))}"
