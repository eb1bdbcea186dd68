"""Patterns: from a phrase in a text to the edits that reword it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise

from semifactual.interventions.phrasing.phrases import (
    Template,
    compile_phrase,
    first_word,
    needed_words,
    parse_template,
)
from semifactual.interventions.phrasing.recasting import recast
from semifactual.interventions.phrasing.scene import Scene
from semifactual.resources import template_yaml
from semifactual.text.edits import Edit

QUESTIONS = "paraphrase/questions.yaml"
STATEMENTS = "paraphrase/statements.yaml"

_COMMAND = re.compile("(?:(?:please|kindly) )?(?:find|determine|compute|calculate|evaluate|write)\\b", re.IGNORECASE)
_CONTEXT = 40
"""Characters before a match that say whether it is one."""


class Scope(StrEnum):
    """Where a pattern applies."""

    SENTENCE = "sentence"
    """To a whole sentence."""
    CLAUSE = "clause"
    """From the start of a sentence, or from a comma in it, to its end."""
    OPENING = "opening"
    """At the start of a sentence."""
    HEAD = "head"
    """At the start of a sentence, or behind a comma in it."""
    PAIR = "pair"
    """To two neighbouring sentences."""
    ANYWHERE = "anywhere"


_WHOLE = frozenset({Scope.SENTENCE, Scope.CLAUSE, Scope.PAIR})
"""The scopes in which a phrase must reach the end of the sentence."""


@dataclass(frozen=True, slots=True)
class Rewording:
    """One way to say a stretch of a text differently: which pattern does it, by which edits, and how far it reaches."""

    pattern: str
    edits: tuple[Edit, ...]
    reach: tuple[int, int]
    weight: float

    @property
    def changes(self) -> int:
        """At how many places this changes the text; an edit so long that it moves words counts as two."""
        return max(len(self.edits), min(2, len(self.edits[0].replacement.split()) // 3))

    def overlaps(self, other: Rewording) -> bool:
        """Whether the two reach over the same words."""
        return self.reach[0] < other.reach[1] and other.reach[0] < self.reach[1]

    def clashes(self, other: Rewording) -> bool:
        """Whether the two change characters that touch, or are of one pattern and overlap."""
        if self.pattern == other.pattern and self.overlaps(other):
            return True
        return any(a.start <= b.end and b.start <= a.end for a in self.edits for b in other.edits)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A phrase and its replacements.

    The matched text must not contain the expression `unless`, and `not_after` must not match right before it.
    """

    id: str
    scope: Scope
    phrase: str
    needs: frozenset[str]
    """The words without which the phrase cannot match."""
    first_word: str
    """The word that it starts with, in lower case; empty where that may be one of several."""
    replacements: tuple[Template, ...]
    unless: re.Pattern[str] | None
    not_after: re.Pattern[str] | None
    weight: float

    @property
    def expression(self) -> re.Pattern[str]:
        """The phrase as a regular expression, compiled when a text first has the words that it needs."""
        return _compiled(self.phrase, self.scope in _WHOLE)

    def rewordings(self, scene: Scene) -> Iterator[Rewording]:
        """Every allowed use of this pattern in a text, in order, each replacement on its own."""
        for match in self._matches(scene):
            if self._is_ruled_out(scene, match):
                continue
            for template in self.replacements:
                if _commands(template) and not (_COMMAND.match(match[0]) or scene.takes_command(match.start())):
                    continue
                edits = recast(scene, match, template)
                if edits:
                    yield Rewording(self.id, edits, match.span(), self.weight)

    def _is_ruled_out(self, scene: Scene, match: re.Match[str]) -> bool:
        if self.unless is not None and self.unless.search(match[0]):
            return True
        before = scene.masked[max(0, match.start() - _CONTEXT) : match.start()]
        return self.not_after is not None and self.not_after.search(before) is not None

    def _matches(self, scene: Scene) -> Iterator[re.Match[str]]:
        if self.scope is Scope.ANYWHERE:
            for start, end in scene.document.sentences:
                yield from self.expression.finditer(scene.masked, start, end)
            return
        for start, end in self._places(scene):
            match = self.expression.match(scene.masked, start, end)
            if match is not None:
                yield match

    def _places(self, scene: Scene) -> Sequence[tuple[int, int]]:
        if self.scope is Scope.PAIR:
            return [(first[0], second[1]) for first, second in pairwise(scene.document.sentences)]
        if self.scope in (Scope.SENTENCE, Scope.OPENING):
            return scene.sentences_from(self.first_word)
        return scene.clauses_from(self.first_word)


def _commands(template: Template) -> bool:
    """Whether a replacement turns into a request: "find ..."."""
    return isinstance(template[0], str) and _COMMAND.match(template[0]) is not None


@cache
def patterns(template: str) -> tuple[Pattern, ...]:
    """The patterns of one file, in its order."""
    return tuple(_pattern(entry) for entry in template_yaml(template))


def pattern_rewordings(template: str, scene: Scene) -> Iterator[Rewording]:
    """Every use of every pattern of one file in a text."""
    for pattern in patterns(template):
        if pattern.needs <= scene.words:
            yield from pattern.rewordings(scene)


@cache
def _compiled(phrase: str, whole: bool) -> re.Pattern[str]:
    return compile_phrase(phrase, whole=whole)


def _pattern(entry: dict[str, object]) -> Pattern:
    phrase = str(entry["from"])
    return Pattern(
        id=str(entry["id"]),
        scope=Scope(str(entry.get("scope", "anywhere"))),
        phrase=phrase,
        needs=needed_words(phrase),
        first_word=first_word(phrase),
        replacements=tuple(parse_template(replacement) for replacement in _listed(entry["to"])),
        unless=_optional(entry.get("unless"), "{}"),
        not_after=_optional(entry.get("not_after"), r"(?<![\w'’-])(?:{})\s{{1,3}}\Z"),
        weight=float(str(entry.get("weight", 1))),
    )


def _listed(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _optional(expression: object, frame: str) -> re.Pattern[str] | None:
    return re.compile(frame.format(expression)) if expression else None
