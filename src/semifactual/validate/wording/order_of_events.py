"""The order of events: what happens before, after and by what, and one thing after another or all at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import zip_longest

from semifactual.resources import template_yaml
from semifactual.text.document import Document
from semifactual.text.spans import SpanType
from semifactual.validate.contract import Pair, check
from semifactual.validate.verdict import Finding, failed, passed, undecided
from semifactual.validate.wording.alignment import Alignment, Token
from semifactual.validate.wording.carriers import MOST_TOKENS, is_verbal, seconds_of, sentences
from semifactual.validate.words import Phrases

ORDER = "checks/order_of_events.yaml"

_TO_ANCHOR = 3
"""Tokens from a preposition to what it places in time."""
_LONGEST = 120
"""Tokens of a sentence. A longer one is a list, of which every two parts would be compared."""
_TIMES = (SpanType.DATE, SpanType.TIME)

_EVENTS = (SpanType.WORD, SpanType.DATE)

Order = set[tuple[str, str]]
"""Pairs of keys: what the one says happens before what the other says."""


@check("order_of_events", "events keep their order, and prepositions of time what they say")
def order_of_events(pair: Pair) -> Finding:
    before, after = pair.alignment.before, pair.alignment.after
    if max(len(before), len(after)) > MOST_TOKENS:
        return undecided("too long to compare")
    if exchange := _exchanged(pair.original.text, pair.rewrite.text) or _moved_in_time(pair.alignment):
        return failed(exchange)
    if not any(_orders(token) for side in (before, after) for token in side):
        return passed()
    return _same_order(pair, _Story(pair.original, before), _Story(pair.rewrite, after))


def _orders(token: Token) -> bool:
    """Whether a word says an order of what stands around it."""
    return token.word in ("before", "after") or token.word in _words("later")


def _exchanged(before: str, after: str) -> str:
    """Phrases that gave way to their opposites: one after another, all at once."""
    texts = (before.lower(), after.lower())
    for one, other in _exchanges():
        for lost, gained in ((one, other), (other, one)):
            if any(phrase in texts[0] for phrase in lost) and any(phrase in texts[1] for phrase in gained):
                gone, come = Phrases.of(lost).gained(after, before), Phrases.of(gained).gained(before, after)
                if gone and come:
                    return f"lost {gone[0]!r}, gained {come[0]!r}"
    return ""


def _moved_in_time(alignment: Alignment) -> str:
    """An anchor in time that another preposition stands before: by Friday, on Friday."""
    was, now = _anchors(alignment.before), _anchors(alignment.after)
    for anchor in sorted(was.keys() & now.keys()):
        (old, times), (new, _) = was[anchor], now[anchor]
        opposed = _opposed("opposed_at_times" if times else "opposed_at_events")
        if len(old) == len(new) == 1 and frozenset((*old, *new)) in opposed:
            written = alignment.written(anchor)
            return f"{next(iter(old))} {written!r} became {next(iter(new))} {written!r}"
    return ""


def _anchors(side: Sequence[Token]) -> dict[str, tuple[set[str], bool]]:
    """What stands behind prepositions of time: what these say, and whether it is a date or a time of day."""
    found: dict[str, tuple[set[str], bool]] = {}
    table = template_yaml(ORDER)["prepositions"]
    for place, token in enumerate(side):
        how = table.get(token.word)
        if how is None:
            continue
        for anchor in side[place + 1 : place + 1 + _TO_ANCHOR]:
            if anchor.opens_clause:
                break
            if anchor.word not in _words("skipped"):
                times = anchor.type in _TIMES
                if anchor.content and (times or how in ("before", "after")):
                    found.setdefault(anchor.key, (set(), times))[0].add(how)
                break
    return found


def _same_order(pair: Pair, before: _Story, after: _Story) -> Finding:
    """What a text says comes first does not come last in the other, said so or told so."""
    for one, other, whose in ((after, before, "original"), (before, after, "rewrite")):
        for first, second in sorted(one.said - other.said):
            if one is before and not first[0] == second[0] == "#":
                continue
            if one.tells(first, second) and other.tells(first, second):
                told = f"{pair.alignment.written(first)!r} before {pair.alignment.written(second)!r}"
                if (second, first) in other.said:
                    return failed(f"{told}: the {whose} says the other way round")
                if other.told_first(second, first):
                    return undecided(f"{told}: the {whose} tells them the other way round")
    return passed()


class _Story:
    """One text: where each of its words stands, and what it says comes before what."""

    def __init__(self, document: Document, side: Sequence[Token]) -> None:
        self.places: dict[str, int] = {}
        self._sentences: dict[str, int] = {}
        self.said: Order = set()
        self._words_of: list[set[str]] = []
        told: Counter[str] = Counter()
        done, previous = 0, side[:0]
        for number, sentence in enumerate(sentences(side)):
            asked = any(start <= sentence[0].start < end for start, end in document.questions)
            for place, token in enumerate(sentence, done):
                if token.quantity or (_happens(token) and not asked):
                    told[token.key] += 1
                    self.places[token.key], self._sentences[token.key] = place, number
            done += len(sentence)
            self._words_of.append(set(_cues(sentence)))
            if not asked and len(sentence) <= _LONGEST:
                self.said.update(_said(sentence, previous))
            previous = sentence
        for key, count in told.items():
            if count > 1 or key == "#1":
                del self.places[key]

    def told_first(self, first: str, second: str) -> bool:
        """Whether the text tells of the one, and only then of the other as of what came later or at no stated time."""
        if self.places[first] > self.places[second]:
            return False
        together = self._sentences[first] == self._sentences[second]
        back = _words("back") | (_words("conditions") if together else frozenset())
        return back.isdisjoint(self._words_of[self._sentences[second]])

    def tells(self, first: str, second: str) -> bool:
        """Whether the text tells of both, once each, and two that are no quantities in one sentence."""
        if first not in self.places or second not in self.places:
            return False
        return (first[0] == second[0] == "#") or self._sentences[first] == self._sentences[second]


def _cues(sentence: Sequence[Token]) -> Iterator[str]:
    """The words of a sentence, "had" only where it looks back: had baked, but not: had lunch."""
    for token, behind in zip_longest(sentence, sentence[1:]):
        if token.word != "had" or (behind is not None and is_verbal(behind.word)):
            yield token.word


def _happens(token: Token) -> bool:
    return token.content and token.type in _EVENTS


def _said(sentence: Sequence[Token], previous: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """The pairs of keys of which a sentence says that the one comes before the other; one of them is a quantity."""
    for earlier, later in _parts(sentence, previous):
        for one in earlier:
            yield from ((one.key, other.key) for other in later if one.quantity or other.quantity)


def _parts(sentence: Sequence[Token], previous: Sequence[Token]) -> Iterator[tuple[Sequence[Token], Sequence[Token]]]:
    """What comes before and what comes after, for each word of a sentence that says so."""
    for place, token in enumerate(sentence[:-1]):
        if not _orders(token) or (place and seconds_of(sentence[place - 1].word)):
            continue
        word, behind = token.word, sentence[place + 1]
        earlier, later = sentence[:place], sentence[place + 1 :]
        starts = not any(other.content for other in earlier)
        if word in _words("later") or (word == "after" and behind.word in _words("pointing")):
            if _words("no_sequence").isdisjoint(other.word for other in earlier):
                yield previous if starts else earlier, later
        elif not behind.quantity:
            end = next((at for at in range(place + 1, len(sentence)) if sentence[at].opens_clause), len(sentence))
            leads = starts or (token.opens_clause and end < len(sentence))
            outer, inner = sentence[end:] if leads else earlier, sentence[place + 1 : end]
            yield (outer, inner) if word == "before" else (inner, outer)


@cache
def _words(name: str) -> frozenset[str]:
    words = template_yaml(ORDER)[name]
    return frozenset(words.split() if isinstance(words, str) else words)


@cache
def _opposed(name: str) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(line.split()) for line in template_yaml(ORDER)[name])


@cache
def _exchanges() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    return tuple((tuple(one), tuple(other)) for one, other in template_yaml(ORDER)["exchanges"])
