"""Distribution: whether a quantity is meant of each thing, of each stretch of time, or of all together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, takewhile

from semifactual.text.document import Document
from semifactual.text.spans import SpanType
from semifactual.validate.contract import NOTHING_CHANGED, Pair, check
from semifactual.validate.quoting import excerpt
from semifactual.validate.verdict import Finding, failed, passed, undecided
from semifactual.validate.wording.alignment import Token
from semifactual.validate.wording.carriers import (
    MOST_TOKENS,
    Carrier,
    adverbs_of_time,
    bindings,
    carrier_of,
    carriers,
    seconds_of,
    sentences,
    states,
    value_of,
    words,
)
from semifactual.validate.wording.quantities import measure_of
from semifactual.validate.words import family

_TOGETHER_BEFORE = 3
_TOGETHER_BEHIND = 5
"""Tokens around a quantity among which a word may say that it is one of all together."""
_JOINED = 4
"""Tokens within which two quantities share a word that says them of each: $2 and $5 each."""
_TO_UNIT = 3
"""Tokens from a word that says "per" to the unit of time behind it."""
_TO_THING = 5
"""Tokens from a word that says something of each to the last noun of what it speaks of: each apple pie."""
_NOUN = 2
"""Tokens behind an article or a number among which its noun stands."""
_ASKED = "?"
"""Stands for the quantity that is asked for."""


@check("distribution", "what is said of each is said of each still, and what is said of all together of all together")
def distribution(pair: Pair) -> Finding:
    if pair.edit is None:
        return NOTHING_CHANGED
    if max(len(pair.alignment.before), len(pair.alignment.after)) > MOST_TOKENS:
        return undecided("too long to compare")
    was = _Reading(pair.original, pair.alignment.before)
    now = _Reading(pair.rewrite, pair.alignment.after)
    for quantity, bound in sorted(was.bound.items()):
        if times := _another_time(bound, now.bound.get(quantity, ())):
            return failed(f"{was.quote(times[0])} became {now.quote(times[1])}")
        if quantity in now.together - was.together and quantity not in now.bound:
            return failed(f"{was.quote(bound[0])} became one of all together")
        if missing := now.missing(quantity, bound, was):
            return undecided(f"{was.quote(missing)}: the rewrite says it of no {_each(missing)}")
    for quantity, carrier in sorted(was.periods.items()):
        if now.stating[quantity] and not any(sentence.carriers for sentence in now.stating[quantity]):
            return undecided(f"{was.quote(carrier)}: the rewrite says it of no {_each(carrier)}")
    for quantity, bound in sorted(now.bound.items()):
        if missing := was.missing(quantity, [carrier for carrier in bound if carrier.thing or not carrier.ahead], now):
            told = f"{now.quote(missing)}: the original says it of no {_each(missing)}"
            return failed(told) if quantity in was.together - now.together else undecided(told)
    return passed()


class _Sentence:
    """The tokens of one sentence, its words that say something of each, and what these bind."""

    def __init__(self, side: Sequence[Token]) -> None:
        self.side = side
        self.carriers = list(carriers(side))
        self.bindings = list(bindings(side, self.carriers))
        self.taken = {carrier.place: place for place, carrier in self.bindings if not carrier.ahead}

    def name(self, place: int) -> str:
        """The value of a quantity, with what it measures where a unit of measure stands behind it."""
        token = self.side[place]
        behind = self.side[place + 1] if place + 1 < len(self.side) else None
        unit = measure_of(behind.word) if behind is not None and behind.type is SpanType.UNIT else None
        how = "x" if token.word.lower() in words("times") else unit[0] if unit else ""
        return f"{token.key} {how}"

    def may_say(self, quantity: str, carrier: Carrier, told: _Reading) -> bool:
        """Whether the sentence may say a quantity of each of what a carrier of the other text, `told`, names."""
        own = [place for place, token in enumerate(self.side) if states(token) and self.name(place) == quantity]
        free = [other for other in self.carriers if self._may_bind(other, own)]
        if self._lists_days() and (carrier.seconds or not carrier.thing):
            return True
        if carrier.seconds:
            same = any(other.seconds == carrier.seconds for other in free)
            return same or self._may_say_time(carrier, [other for other in self.carriers if other not in free])
        if any(self._attributive(place) for place in own):
            return True
        counted = any(self._counted(place) for place, token in enumerate(self.side) if token.key == carrier.thing)
        for other in free:
            alike = not other.thing or not carrier.thing or _kin(other.thing, carrier.thing)
            alike = alike or self._names(other, carrier.thing)
            taken = self.taken.get(other.place)
            if not other.seconds and (alike or (not counted if taken is None else taken in own)):
                return True
        return self._loosely() or self._generic(carrier, told.singled)

    def _names(self, carrier: Carrier, thing: str) -> bool:
        """Whether a carrier speaks of a thing behind the word next to it: each apple pie, each of her two pies."""
        behind = self.side[carrier.place + 1 : carrier.place + 1 + _TO_THING]
        if not behind or behind[0].word != "of":
            behind = tuple(takewhile(lambda token: not token.quantity, behind))
        return any(token.key == thing for token in behind)

    def _counted(self, place: int) -> bool:
        """Whether a number counts the thing at a place: 5 different tasks, but not: $5 for tasks."""
        ahead = self.side[max(0, place - _NOUN) : place]
        return any(token.quantity and token.type is not SpanType.CURRENCY for token in ahead)

    def _lists_days(self) -> bool:
        """Whether the sentence names days of which it may say the same: on Mondays, on Monday and Friday."""
        dates = [token.word for token in self.side if token.type is SpanType.DATE]
        return len(dates) > 1 or any(date.endswith("s") for date in dates)

    def _may_bind(self, carrier: Carrier, own: Sequence[int]) -> bool:
        """Whether a carrier may bind one of the quantities at these places, and binds no other one far from them."""
        taken = self.taken.get(carrier.place)
        return taken is None or not own or any(self._joined(at, taken) for at in own)

    def _may_say_time(self, carrier: Carrier, bound: Sequence[Carrier]) -> bool:
        adverbs = adverbs_of_time()
        elsewhere = {at for other in bound for at in range(other.place, other.place + _TO_UNIT)}
        for place, token in enumerate(self.side):
            seconds = seconds_of(adverbs.get(token.word, token.word))
            if not seconds or place in elsewhere:
                continue
            counted = place and token.word not in adverbs and self.side[place - 1].quantity
            many = value_of(self.side[place - 1]) if counted else Fraction(1)
            if seconds * many == carrier.seconds or (many == 1 and seconds <= carrier.seconds):
                return True
        return False

    def _attributive(self, place: int) -> bool:
        """Whether a quantity marks each thing beside it: $5 tickets, 25 dollar pens, 2-cup bags, boxes of 12."""
        if place > 1 and self.side[place - 1].word == "of" and self.side[place - 2].word.endswith("s"):
            return self.side[place - 2].type is SpanType.WORD
        at = place + 1
        if self.side[place].type is not SpanType.CURRENCY:
            if at >= len(self.side) or self.side[at].type is not SpanType.UNIT:
                return False
            at += 1
        noun = self.side[at] if at < len(self.side) else None
        plural = noun is not None and noun.type is SpanType.WORD and noun.word.endswith("s")
        return noun is not None and plural and not noun.gap.strip("-")

    def _joined(self, at: int, other: int) -> bool:
        between = self.side[min(at, other) + 1 : max(at, other) + 1]
        return len(between) <= _JOINED and not any(token.opens_clause for token in between)

    def _loosely(self) -> bool:
        """Whether other words may say something of each: individually, they both ate; but not: for both."""
        if any(token.word in words("loosely_each") for token in self.side):
            return True
        return any(
            token.word in words("of_all") and not behind.opens_clause and behind.word not in words("behind_floating")
            for token, behind in pairwise(self.side)
        )

    def _generic(self, carrier: Carrier, singled: set[str]) -> bool:
        """Whether a noun stands for each of its kind: a box holds 3 eggs, boxes of 3."""
        for place, token in enumerate(self.side):
            before = self.side[place - 1] if place else None
            word = before.word if before else ""
            if token.word.lower() in words("generic"):
                opens = before is None or token.opens_clause
                if opens and token.quantity:
                    return True
                leads = opens or word in ("of", "for") or word in words("barriers")
                if leads and not carrier.thing and singled.isdisjoint(t.key for t in self.side[place + 1 : place + 2]):
                    return True
                noun = self.side[place + 1 : place + 1 + _NOUN]
                if any(_kin(other.key, carrier.thing) for other in noun) and not any(other.quantity for other in noun):
                    return True
            elif carrier.thing and token.word.endswith("s") and _kin(token.key, carrier.thing):
                certain = word in words("definite") or self._counted(place)
                if not certain:
                    return True
        return False


class _Reading:
    """One text: which quantities each sentence states, and what they are said of each of."""

    def __init__(self, document: Document, side: Sequence[Token]) -> None:
        self._text = document.text
        self.bound: dict[str, list[Carrier]] = defaultdict(list)
        self.stating: dict[str, list[_Sentence]] = defaultdict(list)
        self.periods: dict[str, Carrier] = {}
        """Quantities of time that pass again and again: every 3 months."""
        self.together: set[str] = set()
        self.singled = {noun.key for article, noun in pairwise(side) if article.word in words("articles")}
        """What stands behind an article: a bakery is one, not each of its kind."""
        for sentence in sentences(side):
            asked = any(start <= sentence[0].start < end for start, end in document.questions)
            if asked or any(map(states, sentence)):
                self._read(_Sentence(sentence), asked)

    def _read(self, sentence: _Sentence, asked: bool) -> None:
        """Note what a sentence states, and of what it says so."""
        side = sentence.side
        stated = {place: sentence.name(place) for place, token in enumerate(side) if states(token)}
        for quantity in set(stated.values()):
            self.stating[quantity].append(sentence)
        for carrier in sentence.carriers:
            if carrier.seconds and carrier.place + 1 in stated:
                self.periods[stated[carrier.place + 1]] = carrier
        for place, carrier in sentence.bindings:
            self.bound[stated[place]].append(carrier)
        self.together.update(name for place, name in stated.items() if _together(side, place))
        if asked:
            self._ask(sentence)

    def quote(self, carrier: Carrier) -> str:
        """What says something of each, as it stands in the text."""
        return excerpt(self._text, *carrier.said)

    def missing(self, quantity: str, bound: Sequence[Carrier], told: _Reading) -> Carrier | None:
        """What the other text says a quantity of each of, where this text states it and nowhere says so."""
        stating = self.stating.get(quantity, ())
        for carrier in {(c.thing, c.seconds): c for c in bound}.values() if stating else ():
            if not any(sentence.may_say(quantity, carrier, told) for sentence in stating):
                return carrier
        return None

    def _ask(self, sentence: _Sentence) -> None:
        """Read the question: how much each gets, how much one of them costs."""
        side = sentence.side
        self.stating[_ASKED].append(sentence)
        start = next((at for at, token in enumerate(side) if token.word in ("many", "much")), None)
        if start is None:
            return
        if any(token.word in words("together") for token in side):
            self.together.add(_ASKED)
        ends = (at for at in range(start + 1, len(side)) if side[at].opens_clause or side[at].word in words("given"))
        end = next(ends, len(side))
        self.bound[_ASKED] += [c for c in sentence.carriers if start < c.place < end and not c.seconds]
        for place in range(start, end - 1):
            one, thing = side[place : place + 2]
            if one.word.lower() == "one" and thing.content:
                asked = carrier_of(place, thing.key, thing.word)
                self.bound[_ASKED].append(asked._replace(said=(one.start, thing.end)))


def _together(side: Sequence[Token], place: int) -> bool:
    """Whether the quantity at a place is said of all together: $8 in all, a total of 12, 10 hours over 5 days."""
    behind = side[place + 1 : place + 1 + _TOGETHER_BEHIND]
    near = (*side[max(0, place - _TOGETHER_BEFORE) : place], *behind[: _TOGETHER_BEHIND - 1])
    return any(token.word in words("together") for token in near) or any(
        (first.word == "in" and second.word == "all") or (first.word == "over" and second.quantity)
        for first, second in pairwise(behind)
    )


def _another_time(bound: Sequence[Carrier], others: Sequence[Carrier]) -> tuple[Carrier, Carrier] | None:
    """A stretch of time that became another, and that other: 2 a minute, 2 an hour. None where none did."""
    old, new = ({carrier.seconds: carrier for carrier in some if carrier.seconds} for some in (bound, others))
    if len(old) == len(new) == 1 and old.keys() != new.keys():
        return next(iter(old.values())), next(iter(new.values()))
    return None


def _kin(word: str, other: str) -> bool:
    return family(word) == family(other)


def _each(carrier: Carrier) -> str:
    """Of what a carrier says something: each stretch of time, or each thing."""
    return f"single {carrier.thing}" if carrier.seconds else "single thing"
