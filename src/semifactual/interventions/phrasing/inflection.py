"""The forms of the verbs that patterns know, from templates/paraphrase/verbs.yaml."""

from __future__ import annotations

from functools import cache

from semifactual.resources import template_yaml
from semifactual.text.lexicon import irregular_verbs

VERBS = "paraphrase/verbs.yaml"


@cache
def third_persons() -> dict[str, str]:
    """For each base form, the form behind he, she or it.

    >>> third_persons()["have"], third_persons()["carry"], third_persons()["catch"]
    ('has', 'carries', 'catches')
    """
    regular = {verb: _third(verb) for verb in base_forms()}
    return regular | {"have": "has", "do": "does", "go": "goes"}


@cache
def past_forms() -> dict[str, str]:
    """For each base form, the simple past.

    >>> past_forms()["eat"], past_forms()["carry"], past_forms()["plan"]
    ('ate', 'carried', 'planned')
    """
    verbs = template_yaml(VERBS)
    irregular = {verb: irregular_verbs()[verb][0] for verb in verbs["irregular"].split()}
    return {verb: _past(verb) for verb in verbs["regular"].split()} | irregular


@cache
def base_forms() -> tuple[str, ...]:
    """Every known base form, the longest first."""
    return tuple(sorted(past_forms(), key=lambda verb: (-len(verb), verb)))


def _third(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if _ends_in_consonant_y(verb) else verb + "s"


def _past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if _ends_in_consonant_y(verb):
        return verb[:-1] + "ied"
    return (verb + verb[-1] if verb in template_yaml(VERBS)["doubling"].split() else verb) + "ed"


def _ends_in_consonant_y(verb: str) -> bool:
    return verb.endswith("y") and verb[-2] not in "aeiou"


def with_article(article: str, following: str) -> str:
    """`article` as it must be spelled before `following`: ``a`` or ``an`` by the first letter.

    >>> with_article("a", "individual"), with_article("An", "box"), with_article("the", "box")
    ('an', 'A', 'the')
    """
    if article.lower() not in ("a", "an"):
        return article
    return article[0] + ("n" if following[:1].lower() in tuple("aeio") else "")
