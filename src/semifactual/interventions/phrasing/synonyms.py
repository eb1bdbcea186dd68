"""Words that may stand for one another, each with the neighbours that rule its sense in or out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from semifactual.interventions.phrasing.inflection import with_article
from semifactual.interventions.phrasing.patterns import Rewording
from semifactual.interventions.phrasing.scene import Scene
from semifactual.resources import template_yaml
from semifactual.text.edits import Edit
from semifactual.text.spans import Span, SpanType

SYNONYMS = "paraphrase/synonyms.yaml"

_ARTICLE = re.compile(r"(?<![\w'’-])([Aa]n?)\s{1,2}\Z")
_CONTEXT = 60
_NAME_BEHIND = re.compile(r"\s[A-Z][a-z]")


@dataclass(frozen=True, slots=True)
class Synonym:
    """Forms of one word and of its substitute. The neighbours are expressions for the text right before or behind."""

    id: str
    forms: dict[str, str]
    preceded: re.Pattern[str] | None
    followed: re.Pattern[str] | None
    not_preceded: re.Pattern[str] | None
    not_followed: re.Pattern[str] | None
    weight: float

    def rewording(self, scene: Scene, spans: list[Span]) -> Rewording | None:
        """The exchange at every occurrence among `spans`; None where one of them has another sense.

        None also where a substitute stands in the text already: it may mean something else there.
        """
        used = {self.forms[span.of(scene.text).lower()] for span in spans}
        if not scene.words.isdisjoint(used | (set(self.forms.values()) - self.forms.keys())):
            return None
        edits: list[Edit] = []
        for span in spans:
            if not self._fits(scene, span):
                return None
            edits += _exchange(scene, span, self.forms[span.of(scene.text).lower()])
        if not scene.allows(tuple(edits)):
            return None
        return Rewording(f"syn:{self.id}", tuple(edits), (0, len(scene.text)), self.weight)

    def _fits(self, scene: Scene, span: Span) -> bool:
        before = scene.masked[max(0, span.start - _CONTEXT) : span.start]
        after = scene.masked[span.end : span.end + _CONTEXT]
        if scene.text[span.start].isupper() and _NAME_BEHIND.match(after):
            return False  # a part of a name: Grandmother Osei, the Kids Club
        return (
            (self.preceded is None or self.preceded.search(before) is not None)
            and (self.followed is None or self.followed.match(after) is not None)
            and (self.not_preceded is None or self.not_preceded.search(before) is None)
            and (self.not_followed is None or self.not_followed.match(after) is None)
        )


def synonym_rewordings(scene: Scene, template: str = SYNONYMS) -> Iterator[Rewording]:
    """One rewording for each synonym of a file that fits wherever its word stands in the text, in the file's order."""
    found: dict[int, list[Span]] = {}
    index = _index(template)
    for span in scene.document.of_type(SpanType.WORD):
        for number in index.get(scene.text[span.start : span.end].lower(), ()):
            found.setdefault(number, []).append(span)
    for number in sorted(found):
        rewording = synonyms(template)[number].rewording(scene, found[number])
        if rewording is not None:
            yield rewording


def _exchange(scene: Scene, span: Span, substitute: str) -> Iterator[Edit]:
    word = span.of(scene.text)
    article = _ARTICLE.search(scene.text, max(0, span.start - 5), span.start)
    if article is not None and (right := with_article(article[1], substitute)) != article[1]:
        yield Edit(article.start(1), article.end(1), right)
    yield Edit(span.start, span.end, substitute[0].upper() + substitute[1:] if word[0].isupper() else substitute)


@cache
def synonyms(template: str = SYNONYMS) -> tuple[Synonym, ...]:
    """The synonyms of one file, in its order."""
    return tuple(_synonym(entry) for entry in template_yaml(template))


@cache
def _index(template: str) -> dict[str, tuple[int, ...]]:
    numbers: dict[str, tuple[int, ...]] = {}
    for number, synonym in enumerate(synonyms(template)):
        for form in synonym.forms:
            numbers[form] = (*numbers.get(form, ()), number)
    return numbers


def _synonym(entry: dict[str, object]) -> Synonym:
    forms = dict(pair.strip().split("/") for pair in str(entry["forms"]).split(","))
    return Synonym(
        id=str(entry["id"]),
        forms=forms,
        preceded=_neighbour(entry.get("preceded"), r"(?<![\w'’-])(?:{})\s{{1,3}}\Z"),
        followed=_neighbour(entry.get("followed"), r"\s{{1,3}}(?:{})(?![\w'’-])"),
        not_preceded=_neighbour(entry.get("not_preceded"), r"(?<![\w'’-])(?:{})\s{{1,3}}\Z"),
        not_followed=_neighbour(entry.get("not_followed"), r"\s{{1,3}}(?:{})(?![\w'’-])"),
        weight=float(str(entry.get("weight", 1))),
    )


def _neighbour(words: object, frame: str) -> re.Pattern[str] | None:
    return re.compile(frame.format(words)) if words else None
