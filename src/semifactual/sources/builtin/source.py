"""A builtin source: any number of problems, each decided by the seed, the source, its options and the row's number."""

from __future__ import annotations

import hashlib
import random
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

from semifactual.errors import SourceError
from semifactual.resources import template_text
from semifactual.sources.builtin.drawing import Instance, draw_instance
from semifactual.sources.builtin.options import PREFIX, Options, parse_spec
from semifactual.sources.builtin.templates import Template, load_templates, template_files
from semifactual.types import Problem

_WINDOW = 200_000
"""How many rows back a repeated text is noticed; bounds the memory of an endless source."""
_RETRIES = 12
_RETRIES_OF_TEMPLATE = 6
"""How many draws a row may take to find a fresh text, and how many of them keep to the template whose turn it is."""


@dataclass(frozen=True)
class BuiltinSource:
    """`len(source)` problems. Iterating starts from the first row each time; a longer source begins like a shorter."""

    name: str
    options: Options
    seed: int
    templates: tuple[Template, ...]

    def __len__(self) -> int:
        return self.options.n

    def __iter__(self) -> Iterator[Problem]:
        recent: OrderedDict[bytes, None] = OrderedDict()
        for row in range(self.options.n):
            instance, key = self._fresh(row, recent)
            recent[key] = None
            if len(recent) > _WINDOW:
                recent.popitem(last=False)
            yield self._problem(row, instance)

    def describe(self) -> str:
        """What is drawn from where, for a terminal or a data card."""
        options = self.options.selection() or "all options at their defaults"
        return f"{self.options.n:,} problems from {len(self.templates)} templates ({options})"

    def sha256(self) -> str:
        """A digest of all that decides the rows."""
        texts = [template_text(name) for name in template_files(self.name)]
        parts = [self.name, str(self.seed), self.options.selection(), str(self.options.n), *texts]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def _fresh(self, row: int, recent: OrderedDict[bytes, None]) -> tuple[Instance, bytes]:
        """A problem for the row whose text none of the recent rows has, if a bounded search finds one."""
        for attempt in range(_RETRIES):
            rng = self._rng(row, attempt)
            template = self._scheduled(row) if attempt < _RETRIES_OF_TEMPLATE else rng.choice(self.templates)
            instance = draw_instance(template, self.options, rng)
            if instance is None:
                continue
            key = hashlib.blake2b(instance.text.encode(), digest_size=12).digest()
            if key not in recent or attempt == _RETRIES - 1:
                return instance, key
        return self._any_instance(row)

    def _any_instance(self, row: int) -> tuple[Instance, bytes]:
        """Where fresh texts are used up: the first template's, repeated or not."""
        attempt = _RETRIES
        while (instance := draw_instance(self.templates[0], self.options, self._rng(row, attempt))) is None:
            attempt += 1
        return instance, b""

    def _scheduled(self, row: int) -> Template:
        """The templates take turns, in another order in each round."""
        turn, place = divmod(row, len(self.templates))
        order = list(range(len(self.templates)))
        self._rng("round", turn).shuffle(order)
        return self.templates[order[place]]

    def _rng(self, *key: str | int) -> random.Random:
        return random.Random("\0".join(map(str, (self.seed, self.name, self.options.selection(), *key))))

    def _problem(self, row: int, instance: Instance) -> Problem:
        answer = instance.answer()
        metadata = instance.metadata(answer)
        if selection := self.options.selection():
            metadata["options"] = selection
        return Problem(f"{self.name}-{row:06d}", instance.text, answer, f"{PREFIX}{self.name}", metadata)


def open_builtin(spec: str, seed: int) -> BuiltinSource:
    """The source that a string such as ``builtin:word_problems?steps=1..2&max=20`` names.

    Raises:
        SourceError: the name or an option is wrong, or no template can keep to the options.
    """
    name, options = parse_spec(spec)
    templates = tuple(template for template in load_templates(name) if _is_possible(name, template, options))
    if not templates:
        raise SourceError(
            f"no template of {PREFIX}{name} can make a problem with {options.selection()}",
            hint="allow more steps or a wider range of numbers",
        )
    return BuiltinSource(name, options, seed, templates)


def _is_possible(name: str, template: Template, options: Options) -> bool:
    if options.templates and template.name not in options.templates:
        return False
    rng = random.Random("\0".join((name, template.name, options.selection())))
    instance = draw_instance(template, options, rng)
    if instance is None:
        return False
    low, high = options.steps
    return low <= template.program.steps(instance.quantities) <= high
