"""What people say of rewrites: which values of a column mean that the problem was kept, and which that it changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from semifactual.errors import ConfigError, SourceError

USUALLY_KEPT = ("preserving", "valid", "true", "1", "same", "kept")
USUALLY_CHANGED = ("violating", "invalid", "false", "0", "different", "changed")
_SHOWN_VALUES = 20


class Side(StrEnum):
    """What a label says of a rewrite."""

    KEPT = "kept"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Labels:
    """A column of labels and what its values mean."""

    column: str
    sides: dict[str, Side]
    left_out: tuple[str, ...] = ()
    """Values that mean neither: their rows are judged, and enter no rate."""
    unnamed: tuple[str, ...] = ()
    """Values that nobody named, and that mean what the named ones do not."""

    def values(self, side: Side) -> list[str]:
        """The values that mean this."""
        return [value for value, meant in self.sides.items() if meant is side]


@dataclass(frozen=True, slots=True)
class LabelOptions:
    """What somebody said of the values: those that keep, and those that change. With one of the two, the rest is the
    other; with both, the rest is left out; with neither, the usual words are known."""

    keeps: Sequence[str] = field(default_factory=tuple)
    changes: Sequence[str] = field(default_factory=tuple)


def read_labels(column: str, found: Iterable[str], options: LabelOptions) -> Labels:
    """The meaning of each value that was found in the column.

    Raises:
        ConfigError: a value is said to mean both.
        SourceError: a value that was named does not occur, or a usual word is wanted and another stands there.
    """
    values = sorted(found)
    if both := sorted(set(options.keeps) & set(options.changes)):
        raise ConfigError(f"{both[0]!r} cannot mean both kept and changed")
    if not options.keeps and not options.changes:
        return Labels(column, {value: _usual(column, value, values) for value in values})
    for named in (*options.keeps, *options.changes):
        if named not in values:
            raise SourceError(f"no row has {named!r} in the field {column}", hint=f"it holds: {_listed(values)}")
    rest = Side.CHANGED if not options.changes else Side.KEPT if not options.keeps else None
    sides = dict.fromkeys(options.keeps, Side.KEPT) | dict.fromkeys(options.changes, Side.CHANGED)
    others = [value for value in values if value not in sides]
    if rest is None:
        return Labels(column, sides, tuple(others))
    return Labels(column, sides | dict.fromkeys(others, rest), unnamed=tuple(others))


def _usual(column: str, value: str, values: Sequence[str]) -> Side:
    word = value.strip().lower().removesuffix(".0")
    if word in USUALLY_KEPT:
        return Side.KEPT
    if word in USUALLY_CHANGED:
        return Side.CHANGED
    raise SourceError(
        f"the label {value!r} in the field {column} is unknown; the field holds: {_listed(values)}",
        hint="say what is kept with --keeps VALUE, or what is changed with --changes VALUE, each as often as needed",
    )


def _listed(values: Sequence[str]) -> str:
    shown = ", ".join(repr(value[:60]) for value in values[:_SHOWN_VALUES])
    return f"{shown} and {len(values) - _SHOWN_VALUES:,} more" if len(values) > _SHOWN_VALUES else shown
