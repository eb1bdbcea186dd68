"""The little language of the patterns: what a phrase with slots means as a regular expression, and back.

A phrase is ordinary text with ``{slot}`` and ``(this|that)`` in it. A slot matches what slots.yaml says, or with
``{name=this|that}`` what it says itself, and carries its text over unchanged to where the replacement names it;
``{verb:told}``, ``{word:capital}`` and ``{word:lower}`` put it in another form. A digit behind a slot's name tells two
uses apart. A question mark or full stop at the end of a phrase stands for that mark at the end of the sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from semifactual.interventions.phrasing.inflection import base_forms, past_forms, third_persons
from semifactual.resources import template_yaml

SLOTS = "paraphrase/slots.yaml"

_PIECE = re.compile(r"\{(?P<slot>\w+)(?:=(?P<choice>[^{}]+))?(?::(?P<form>\w+))?\}|\((?P<any>[^()]+)\)|(?P<space>\s+)")
_SPACE = r"\s{1,3}"
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_GLUE = "\0"
"""Stands for a slot; what touches it is a part of a word."""
_WHOLE_WORD = re.compile(rf"(?<![\w'’{_GLUE}]){_WORD.pattern}(?![\w'’{_GLUE}])")


@dataclass(frozen=True, slots=True)
class Carried:
    """A slot in a replacement: its name, and the form its text takes ("" for unchanged)."""

    slot: str
    form: str = ""


Template = tuple[str | Carried, ...]


def compile_phrase(phrase: str, *, whole: bool) -> re.Pattern[str]:
    """The regular expression of a phrase; `whole` ends it at the end of the sentence, else at the end of a word.

    A literal first letter matches in either case, the rest as written.
    """
    parts: list[str] = []
    position = 0
    for match in _PIECE.finditer(phrase):
        parts += [re.escape(phrase[position : match.start()]), _expression(match)]
        position = match.end()
    parts.append(re.escape(phrase[position:]))
    if parts[0][:1].isalpha():
        parts[0] = _either_case(parts[0])
    start = r"(?<![\w'’-])" if phrase[0].isalpha() or phrase[0] in "({" else ""
    end = r"\s{0,2}\Z" if whole else r"(?:(?<!\w)|(?![\w'’-]))"
    return re.compile(start + "".join(parts) + end)


def _either_case(text: str) -> str:
    return f"[{text[0].upper()}{text[0].lower()}]{text[1:]}" if text[:1].isalpha() else text


def _expression(match: re.Match[str]) -> str:
    if match["space"]:
        return _SPACE
    first = match.start() == 0
    if match["any"]:
        return f"(?:{_alternatives(match['any'], first)})"
    body = _alternatives(match["choice"], first) if match["choice"] else slot_expression(match["slot"])
    return f"(?P<{match['slot']}>{body})"


def _alternatives(choice: str, first: bool) -> str:
    options = (re.escape(option).replace(r"\ ", _SPACE) for option in choice.split("|"))
    return "|".join(_either_case(option) if first else option for option in options)


@cache
def slot_expression(name: str) -> str:
    """The expression of one slot of slots.yaml, with the slots and word lists it refers to put in.

    ``base`` is any base form that verbs.yaml knows. A trailing number is part of the use, not of the slot:
    ``{symbol2}`` is a second ``{symbol}``.
    """
    name = name.rstrip("0123456789")
    if name == "base":
        return f"(?:{'|'.join(base_forms())})(?![\\w'’-])"
    tables = template_yaml(SLOTS)
    if name in tables["words"]:
        return f"(?:{'|'.join(tables['words'][name].split())})(?![\\w'’-])"
    body = " ".join(tables["slots"][name].split())
    return re.sub(r"<(\w+)>", lambda match: f"(?:{slot_expression(match[1])})", body).replace(" ", _SPACE)


def parse_template(replacement: str) -> Template:
    """The literal texts and carried slots of a replacement, in order."""
    pieces: list[str | Carried] = []
    position = 0
    for match in re.finditer(r"\{(\w+)(?::(\w+))?\}", replacement):
        pieces += [replacement[position : match.start()], Carried(match[1], match[2] or "")]
        position = match.end()
    pieces.append(replacement[position:])
    return tuple(piece for piece in pieces if piece != "")


def inflected(match: re.Match[str], piece: Carried) -> str:
    """The text that `piece` carries over from a match, in the form that it names."""
    text = match[piece.slot]
    if piece.form == "capital":
        return text[:1].upper() + text[1:]
    if piece.form == "lower":
        return text[:1].lower() + text[1:]
    if piece.form == "told":
        return _told(match["aux"], text)
    return text


def _told(auxiliary: str, verb: str) -> str:
    """A question's verb as a statement has it, behind its subject.

    >>> _told("did", "buy"), _told("does", "buy"), _told("do", "buy"), _told("will", "buy")
    ('bought', 'buys', 'buy', 'will buy')
    >>> _told("does", "still need"), _told("will", "still need")
    ('still needs', 'will still need')
    """
    adverb, space, base = verb.rpartition(" ")
    if auxiliary == "did":
        return adverb + space + past_forms()[base]
    if auxiliary == "does":
        return adverb + space + third_persons()[base]
    return verb if auxiliary == "do" else f"{auxiliary} {verb}"


def needed_words(phrase: str) -> frozenset[str]:
    """The lower-case words without which a phrase cannot match: its literal ones.

    >>> sorted(needed_words("{who=he|she}'s got {plain}"))
    ['got']
    """
    literal = _PIECE.sub(lambda piece: " " if piece["space"] else _GLUE, phrase)
    return frozenset(word.lower().removesuffix("'s") for word in _WHOLE_WORD.findall(literal))


def first_word(phrase: str) -> str:
    """The lower-case word that every match of a phrase starts with; empty where the phrase starts with a slot."""
    word = _WORD.match(phrase)
    return word[0].lower().removesuffix("'s") if word else ""
