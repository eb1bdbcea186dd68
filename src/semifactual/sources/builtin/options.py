"""The options of a builtin source, as they stand behind the question mark of ``builtin:word_problems?steps=1..2``."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from semifactual.errors import SourceError
from semifactual.sources.builtin.templates import NAMES, load_templates

PREFIX = "builtin:"
DEFAULT_COUNT = 1000
MAX_STEPS = 4
_VALID = ("n", "steps", "max", "min", "templates")
_HINT = "the options are n=1000, steps=1..4 (or one number), min=2, max=100 and templates=NAME,NAME"


@dataclass(frozen=True, slots=True)
class Options:
    """What a builtin source is asked for."""

    n: int = DEFAULT_COUNT
    """The number of rows. It does not influence what any row holds."""
    steps: tuple[int, int] = (1, MAX_STEPS)
    """The fewest and the most steps of a problem's program."""
    min: int | None = None
    """The smallest number that a text may hold."""
    max: int | None = None
    """The largest number that a text, a step's result or an answer may be."""
    templates: tuple[str, ...] = ()
    """The templates to draw from; empty for all."""

    def selection(self) -> str:
        """The options that decide what rows hold, in one spelling: all but `n` that differ from the defaults."""
        parts = []
        if self.steps != (1, MAX_STEPS):
            parts.append(f"steps={self.steps[0]}..{self.steps[1]}")
        parts += [f"{name}={bound}" for name, bound in (("min", self.min), ("max", self.max)) if bound is not None]
        if self.templates:
            parts.append(f"templates={','.join(self.templates)}")
        return "&".join(parts)


def parse_spec(spec: str) -> tuple[str, Options]:
    """The source's name and options in a string such as ``builtin:algebra?max=20&n=50``.

    >>> name, options = parse_spec("builtin:algebra?max=20&n=50")
    >>> name, options.max, options.n
    ('algebra', 20, 50)

    Raises:
        SourceError: the name or an option is unknown, is given twice, or has a value that makes no sense.
    """
    name, _, query = spec.removeprefix(PREFIX).partition("?")
    if name not in NAMES:
        raise SourceError(f"there is no builtin source {name!r}", hint=f"the builtin sources are {', '.join(NAMES)}")
    return name, parse_options(name, query)


def parse_options(name: str, query: str) -> Options:
    """The options in `query` for the builtin source `name`; errors as for `parse_spec`."""
    given: dict[str, str] = {}
    for part in filter(None, query.split("&")):
        key, equals, value = part.partition("=")
        if key not in _VALID:
            near = difflib.get_close_matches(key, _VALID, n=1)
            hint = f"did you mean {near[0]!r}? {_HINT}" if near else _HINT
            raise SourceError(f"builtin:{name} has no option {key!r}", hint=hint)
        if not equals or not value:
            raise SourceError(f"the option {key!r} of builtin:{name} has no value", hint=_HINT)
        if key in given:
            raise SourceError(f"the option {key!r} of builtin:{name} is given twice")
        given[key] = value
    options = Options(
        n=_whole("n", given["n"]) if "n" in given else DEFAULT_COUNT,
        steps=_steps(given["steps"]) if "steps" in given else (1, MAX_STEPS),
        min=_whole("min", given["min"]) if "min" in given else None,
        max=_whole("max", given["max"]) if "max" in given else None,
        templates=_template_names(name, given["templates"]) if "templates" in given else (),
    )
    if options.min is not None and options.max is not None and options.min > options.max:
        raise SourceError(f"min={options.min} is larger than max={options.max}", hint="give min <= max")
    return options


def _whole(key: str, value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", value) or int(value) == 0:
        raise SourceError(f"{key}={value} is not a whole number from 1 to 999999999", hint=_HINT)
    return int(value)


def _steps(value: str) -> tuple[int, int]:
    match = re.fullmatch(r"([1-9])(?:\.\.([1-9]))?", value)
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= low <= high <= MAX_STEPS:
        raise SourceError(
            f"steps={value} is not a number or range of steps", hint=f"steps lie in 1..{MAX_STEPS}, as in steps=1..2"
        )
    return low, high


def _template_names(source: str, value: str) -> tuple[str, ...]:
    known = [template.name for template in load_templates(source)]
    names = sorted(set(value.split(",")))
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the templates are {', '.join(known)}"
            raise SourceError(f"builtin:{source} has no template {name!r}", hint=hint)
    return tuple(names)
