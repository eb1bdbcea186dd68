"""The rules that change a mathematics problem, and the few that add to it what no rewrite may add.

A rule returns None where it does not apply; otherwise the text is no longer the same problem. Rules and word lists are
this benchmark's own: none is taken from the checks that it measures.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from random import Random

from mutation import Mutator, anywhere, exchange, maths, persons, pick, prose, sentences, substitute

MUTATORS: dict[str, Mutator] = {}
"""Every rule by name, in the order of the table."""
ADDITIONS = ("hint appended", "answer suggested", "chatter put in front")
"""Rules that leave the problem as it is and add to it."""

INTEGER = r"(?<![\w.,/\\])\d{1,6}(?![\w/]|[.,]\d)"
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
ASKS = re.compile(r"\?|\b(?:find|compute|determine|calculate|evaluate|simplify|what|how)\b", re.IGNORECASE)
SIDE_NOTE = re.compile(r"\(|note|remember|recall|for example", re.IGNORECASE)
DATA = re.compile(r"\d|\$|\b(?:half|twice|double|two|three|four|five|six)\b")
ESCAPES = {"f": "\f", "t": "\t", "b": "\b", "r": "\r", "n": "\n", "v": "\v"}
NEW_NAMES = ("Zelda", "Quentin", "Ottoline", "Barnaby")
NEW_FACTS = (
    "Later, a third of it was lost.",
    "In the end three more were added.",
    "On top of this there was a fee of 15 dollars.",
    "Half of this was given back the next day.",
)
HINTS = ("Hint: work backwards.", "(Start by adding up the numbers.)", "Think of it one step at a time.")
CLAIMS = ("Could it be that the result is {}?", "The answer is {}.", "(It comes to {}.)", "My guess would be {}.")
OPENINGS = ("Of course! Here you go: ", "Rewritten version: ", "Below is the problem in other words.\n\n")


def enter(name: str, rule: Mutator) -> None:
    """Add a rule to `MUTATORS`, guarded against texts that it leaves as they were but for white space."""

    def guarded(text: str, rng: Random) -> str | None:
        changed = rule(text, rng)
        return None if changed is None or changed.split() == text.split() else changed

    MUTATORS[name] = guarded


def mutator(name: str) -> Callable[[Mutator], Mutator]:
    """Enter the decorated function."""

    def register(rule: Mutator) -> Mutator:
        enter(name, rule)
        return rule

    return register


# numbers


def _digits_swapped(match: re.Match[str]) -> str | None:
    digits = match[0]
    for at, (one, next_one) in enumerate(pairwise(digits)):
        if one != next_one and (at or next_one != "0"):
            return digits[:at] + next_one + one + digits[at + 2 :]
    return None


def _word_of_another(match: re.Match[str]) -> str | None:
    value = int(match[0])
    return WORDS[value + 1 if value < 12 else value - 1] if 2 <= value <= 12 else None


def _inverted(match: re.Match[str]) -> str | None:
    opening, top, middle, bottom, closing = match.groups()
    return None if top == bottom else f"{opening}{bottom}{middle}{top}{closing}"


def _point_moved(match: re.Match[str]) -> str:
    whole, first, rest = match.groups()
    return f"{whole}{first}.{rest}" if rest else f"{whole}{first}"


enter("number plus one", substitute(anywhere, INTEGER, lambda match: str(int(match[0]) + 1)))
enter("number times ten", substitute(prose, r"(?<![\w.,/$-])[1-9]\d{0,2}(?= [a-z])", r"\g<0>0"))
enter("two digits swapped", substitute(anywhere, INTEGER.replace("1,6", "2,6"), _digits_swapped))
enter("number spelled as another", substitute(prose, r"(?<![\w.,/$-])\d{1,2}(?= [a-z])", _word_of_another))
enter("number dropped", substitute(prose, r"(?<=[a-z] )(?!1 )\d{1,4} (?=[a-z]{3})", ""))
enter("decimal point moved", substitute(anywhere, r"(?<![\w.,])(\d{1,4})\.(\d)(\d*)(?![\d,])", _point_moved))
enter(
    "number word changed",
    exchange(
        prose,
        "two/three, four/five, six/seven, eight/nine, ten/eleven, twice/three times, half/a third, double/triple, "
        "doubled/tripled, dozen/hundred, hundred/thousand, twenty/thirty, quarter/half",
        one_way=True,
        before=r"(?<![\w-])",
        after=r"(?![\w-])",
    ),
)
enter("fraction inverted", substitute(prose, r"(?<![\w/.])()(\d{1,3})(/)(\d{1,3})()(?![\w/])", _inverted))
enter("LaTeX fraction inverted", substitute(maths, r"(\\[dt]?frac\{)([^{}]{1,12})(\}\{)([^{}]{1,12})(\})", _inverted))
enter("percent sign lost", substitute(anywhere, r"(\d)\s?\\?%", r"\1"))
enter("coordinates exchanged", substitute(maths, r"(\()(-?\d{1,3})(,\s?)(-?\d{1,3})(\))", _inverted))


@mutator("two numbers exchanged")
def numbers_exchanged(text: str, rng: Random) -> str | None:
    """Two numbers that count different things trade places.

    >>> numbers_exchanged("Ed has 3 pens and 5 cups.", Random(0))
    'Ed has 5 pens and 3 cups.'
    """
    counts = list(re.finditer(r"(?<![\w.,/])(\d{1,6})(?= ([a-z]{3,}))", prose(text)))
    counts = [count for count in counts if count[2] not in ("and", "more", "less")]
    pairs = [(a, b) for a in counts for b in counts if a.start() < b.start() and a[1] != b[1] and a[2] != b[2]]
    pair = pick(rng, pairs)
    if pair is None:
        return None
    a, b = pair
    return text[: a.start()] + b[1] + text[a.end() : b.start()] + a[1] + text[b.end() :]


# units, relations, deeds

enter(
    "unit exchanged",
    exchange(
        prose,
        "minutes/hours, minute/hour, days/weeks, day/week, months/years, month/year, feet/inches, foot/inch, "
        "miles/kilometers, mile/kilometer, meters/centimeters, meter/centimeter, pounds/ounces, pound/ounce, "
        "grams/kilograms, cents/dollars, gallons/quarts, gallon/quart, liters/milliliters, seconds/minutes",
        after=r"\b(?!-)",
    ),
)
enter("dollars to cents", substitute(prose, r"(?<![\\\w])\$(\d{1,5})(?![\d.,]*\d)(?! (?:bill|coin))", r"\1 cents"))
enter(
    "more and fewer exchanged",
    exchange(prose, "more/fewer, less/more", before=r"(?<!no )(?<!any )(?<!once )(?<!or )\b", after=r"\b(?! or )"),
)
enter("percent of and off exchanged", exchange(prose, "% of/% off, percent of/percent off", before=""))
enter("each to in total", substitute(prose, r"(?<=[a-z\d] )each(?=[.,;?]| and\b| for\b)", "in total"))
enter(
    "bound made strict or loose",
    exchange(
        prose, "at least/more than, at most/less than", before=r"(?<!\d )(?<!one )(?<!two )\b", after=r"(?= \$?[\d\0])"
    ),
)
enter(
    "times as many to more than",
    substitute(prose, r"\b(\w+) times as (?:many|much) (?:([a-z]+) )?as\b", r"\1 more \2 than"),
)
enter(
    "comparison reversed",
    exchange(
        prose,
        "older/younger, taller/shorter, longer/shorter, faster/slower, heavier/lighter, larger/smaller, greater/less, "
        "higher/lower, cheaper/dearer, greatest/least, largest/smallest, biggest/smallest, highest/lowest, "
        "maximum/minimum, most/fewest, longest/shortest, wider/narrower",
        before=r"(?<!at )\b",
        after=r"\b(?! common)",
    ),
)
enter(
    "by to to",
    substitute(
        prose,
        r"\b((?:increas|decreas|reduc|rais|lower|cut|rises?|rose|gr[eo]w|drop|f[ae]ll)[a-z]{0,4}(?: [\w']+){0,4}) by"
        r"(?= \$?[\d\0])",
        r"\1 to",
    ),
)
enter("per one to per two", substitute(prose, r"(?<=[a-z]) per ((?!cent)[a-z]{3,})", r" per two \1s"))
enter(
    "before and after exchanged",
    exchange(prose, "before/after, earlier/later, first/last", before=r"(?<=[a-z\d,] )", after=r"\b(?! name)"),
)
enter(
    "opposite deed",
    exchange(
        prose,
        "bought/sold, buys/sells, buy/sell, earns/spends, earned/spent, earn/spend, gains/loses, gained/lost, "
        "increases/decreases, increased/decreased, increase/decrease, adds/removes, added/removed, wins/loses, "
        "won/lost, saves/spends, saved/spent, receives/gives, received/gave, borrowed/lent, "
        "multiplied/divided",
    ),
)
enter(
    "ordinal changed",
    exchange(
        prose,
        "first/second, second/third, third/fourth, fourth/sixth, fifth/eighth, sixth/seventh, tenth/twelfth",
        one_way=True,
        before=r"(?<=[Tt]he )",
        after=r"(?= [a-z])",
    ),
)
enter("morning and evening exchanged", exchange(prose, "am/pm, a.m/p.m", before=r"(?<=\d )|(?<=\d)"))
enter("weekday changed", exchange(prose, "weekday/weekend, weekdays/weekends, monday/thursday, friday/sunday"))


# logic and domains

enter(
    "negation removed",
    exchange(
        prose,
        "is not/is, are not/are, do not/do, does not/does, did not/did, could not/could, not/also, cannot/can, "
        "can't/can, never/always, without/with, don't/do, doesn't/does, didn't/did, isn't/is, neither/both, no/some",
        one_way=True,
        after=r"\b(?! matter)",
    ),
)
enter(
    "quantifier changed",
    exchange(
        prose,
        "all of the/some of the, all the/some of the, all of his/some of his, all of her/some of her, both/one of, "
        "every/every other, some of/all of, exactly/at least, at least one/exactly one, all/most",
        one_way=True,
        after=r"\b(?! other)",
    ),
)
enter(
    "domain word removed",
    substitute(
        prose,
        r"\b(?:positive|negative|non-?negative|nonzero|(?<!many )(?<!of )(?<!all )(?<!the )(?:distinct|different)"
        r"|prime|even|odd|consecutive|integer|proper"
        r"|regular|equilateral|isosceles|two-digit|three-digit) (?=[a-z]{4,}|\0)(?!degrees|positive|function)",
        "",
    ),
)
enter(
    "domain word exchanged",
    exchange(
        prose,
        "positive/negative, even/odd, prime numbers/composite numbers, radius/diameter, perimeter/area, mean/median, "
        "inscribed/circumscribed, parallel/perpendicular, acute/obtuse, numerator/denominator, rows/columns, "
        "increasing/decreasing, interior/exterior, quotient/remainder, integers/real numbers",
        before=r"(?<!\bor )\b",
        after=r"\b(?! though| if| or )",
    ),
)
enter(
    "operation word exchanged",
    exchange(
        prose,
        "sum/product, difference/sum, average/total, factors/multiples, divisor/multiple, divisors/multiples, "
        "squares/cubes, union/intersection",
        after=r"\b(?!-| cost| price)",
    ),
)


@mutator("negation added")
def negation_added(text: str, rng: Random) -> str | None:
    """A statement is denied.

    >>> negation_added("Ed is tall. How old is he?", Random(0))
    'Ed is not tall. How old is he?'
    """
    blanked = prose(text)
    auxiliary = re.compile(r"\b(?:is|are|was|were|can|will)\b(?! not|n't)")
    stated = [(start, end) for start, end in sentences(text) if not ASKS.search(blanked[start:end])]
    spots = [match.end() for start, end in stated for match in auxiliary.finditer(blanked, start, end)]
    spot = pick(rng, spots)
    return None if spot is None else f"{text[:spot]} not{text[spot:]}"


# sentences and the question


@mutator("sentence dropped")
def sentence_dropped(text: str, rng: Random) -> str | None:
    """A sentence that holds data, and asks for nothing, is left out.

    >>> sentence_dropped("Ed has 3 pens. He buys 4. How many has he?", Random(0))
    'Ed has 3 pens. How many has he?'
    """
    ranges = sentences(text)
    parts = [(a, b) for a, b in ranges if DATA.search(text[a:b]) and not ASKS.search(text[a:b])]
    chosen = pick(rng, [(start, end) for start, end in parts if not SIDE_NOTE.match(text, start)])
    return None if chosen is None or len(ranges) < 2 else (text[: chosen[0]] + text[chosen[1] :].lstrip()).strip()


enter(
    "clause dropped",
    substitute(
        prose,
        r",? (?:and|but|while|which|with|then|who) (?=[^,.;?!\0]{0,90}(?:\d|half|twice))"
        r"[^,.;?!\0]{6,90}(?=[,.;](?:\s|$))",
        "",
    ),
)
enter(
    "condition dropped",
    substitute(prose, r"\b(?:[Ii]f|such that|Given that) [^.?!]{0,200}?\d[^.?!,]{0,80}, (?=\w)", ""),
)


@mutator("question dropped")
def question_dropped(text: str, rng: Random) -> str | None:
    """The last sentence, which asks, is left out."""
    ranges = sentences(text)
    start, end = ranges[-1]
    return text[:start].rstrip() if len(ranges) > 1 and ASKS.search(text[start:end]) else None


@mutator("end cut off")
def cut_short(text: str, rng: Random) -> str | None:
    """The last tenth of the words is lost."""
    words = text.split(" ")
    return " ".join(words[: -max(3, len(words) // 10)]) if len(words) > 12 else None


@mutator("another thing asked for")
def other_target(text: str, rng: Random) -> str | None:
    """The question asks for how many of another thing that the text counts.

    >>> other_target("Ed has 3 pens and 5 cups. How many pens are left?", Random(0))
    'Ed has 3 pens and 5 cups. How many cups are left?'
    """
    blanked = prose(text)
    asked = re.search(r"\b[Hh]ow many (?:more |fewer |total )?([a-z]{3,}s)\b", blanked)
    if asked is None:
        return None
    counted = set(re.findall(r"\b\d+ ([a-z]{3,}s)\b", blanked)) - {
        "times",
        "hours",
        "minutes",
        "days",
        "less",
        asked[1],
    }
    noun = pick(rng, sorted(noun for noun in counted if noun not in asked[1] and asked[1] not in noun))
    return None if noun is None else text[: asked.start(1)] + noun + text[asked.end(1) :]


enter(
    "difference asked for",
    substitute(prose, r"\b([Hh]ow (?:many|much)) (?!more|fewer|less|longer|times|of\b)", r"\1 more "),
)
enter("amount, not difference, asked for", substitute(prose, r"\b([Hh]ow (?:many|much)) (?:more|fewer|less) ", r"\1 "))
enter("start, not rest, asked for", substitute(prose, r"\b(?:left|remaining)(?: over)?\?", "at the start?"))
enter(
    "average, not total, asked for",
    substitute(prose, r" (?:in total|altogether|in all|combined|total)\?", " on average?"),
)


# persons


@mutator("persons merged")
def persons_merged(text: str, rng: Random) -> str | None:
    """One person gets another's name throughout.

    >>> persons_merged("Ann has 2. How many more has Bob's friend?", Random(1))
    "Bob has 2. How many more has Bob's friend?"
    """
    people = persons(text)
    if len(people) < 2:
        return None
    one, other = rng.sample(people, 2)
    return re.sub(rf"\b{one}\b", other, text)


@mutator("person exchanged in one sentence")
def person_exchanged(text: str, rng: Random) -> str | None:
    """A sentence that speaks of one person speaks of another.

    >>> person_exchanged("Ann has 2. Does Bob and Ann have 3?", Random(0))
    'Bob has 2. Does Bob and Ann have 3?'
    """
    people = persons(text)
    options = []
    for start, end in sentences(text):
        here = [name for name in people if re.search(rf"\b{name}\b", text[start:end])]
        if len(here) == 1:
            options += [(start, end, here[0], name) for name in people if name != here[0]]
    chosen = pick(rng, options)
    if chosen is None:
        return None
    start, end, one, other = chosen
    return text[:start] + re.sub(rf"\b{one}\b", other, text[start:end]) + text[end:]


@mutator("person renamed in one place")
def person_renamed_once(text: str, rng: Random) -> str | None:
    """One of several mentions of a person gets a name that occurs nowhere else."""
    mentions = [list(re.finditer(rf"\b{name}\b", text)) for name in persons(text)]
    mention = pick(rng, [mention for found in mentions if len(found) > 1 for mention in found[1:]])
    return None if mention is None else text[: mention.start()] + rng.choice(NEW_NAMES) + text[mention.end() :]


# formulas


def _exponent_raised(match: re.Match[str]) -> str | None:
    brace, exponent = match.groups()
    return f"^{brace}{int(exponent) + 1}" if brace or int(exponent) < 9 else None


enter(
    "plus and minus exchanged",
    substitute(maths, r"(?<=[\w})\]])(\s?)([+-])(?=\s?[\w\\({])", lambda m: m[1] + ("-" if m[2] == "+" else "+")),
)
enter("exponent raised", substitute(maths, r"\^(\{?)(\d{1,2})(?![\d\\])", _exponent_raised))
enter("exponent or index unbraced", substitute(maths, r"([\^_])\{([^{}\\ ]{2,8})\}", r"\1\2"))
enter("minus sign lost", substitute(maths, r"(?<=[({=,$])(\s?)-(?=\s?[\w\\(])", r"\1"))
enter(
    "relation reversed",
    exchange(maths, r"\leq/\geq, \le/\ge, </>, \neq/=, =/\neq , \subset/\supset", before="", after=r"(?![a-z])"),
)
enter(
    "relation made strict or loose",
    exchange(maths, r"\leq/<, \le/<, \geq/>, \ge/>, </\le , >/\ge ", one_way=True, before="", after=r"(?![a-z])"),
)
enter(
    "function or operator exchanged",
    exchange(
        maths,
        r"\sin/\cos, \tan/\cot, \cup/\cap, \sum/\prod, \log/\ln, \min/\max, \lfloor/\lceil, \cdot/+, \times/+, \perp/=",
        one_way=True,
        before="",
        after=r"(?![a-z])",
    ),
)
enter("root lost", substitute(maths, r"\\sqrt(?=[{\d])", ""))
enter("degree sign lost", substitute(maths, r"\^\{?\\circ\}?", ""))
enter("brackets lost", substitute(maths, r"(?<=[\w}])\s?\((\w+ ?[+-] ?\w+)\)(?=\s?[\w(^])", r" \1"))


@mutator("variable renamed in one place")
def variable_renamed(text: str, rng: Random) -> str | None:
    """One of several occurrences of a variable becomes another letter.

    >>> variable_renamed("If $x=3$, find $x$.", Random(1)).count("x")
    1
    """
    found = list(re.finditer(r"(?<![A-Za-z\\{])[a-z](?![A-Za-z(])", maths(text)))
    letters = [match[0] for match in found]
    chosen = pick(rng, [match for match in found if letters.count(match[0]) > 1])
    if chosen is None:
        return None
    others = sorted(set(letters) - {chosen[0]}) or [letter for letter in "kwu" if letter not in letters]
    return text[: chosen.start()] + rng.choice(others) + text[chosen.end() :]


# damage and additions

enter("escape eaten by JSON", substitute(anywhere, r"\\([ftbrnv])(?=[a-z]{2})", lambda match: ESCAPES[match[1]]))
enter(
    "backslash lost",
    substitute(maths, r"\\(?=(?:frac|sqrt|cdot|times|pi|le|ge|angle|circ|sin|cos|log|theta|text)\b)", ""),
)
enter("backslash doubled", substitute(maths, r"(?<!\\)\\(?=[a-z]{2,})", r"\\\\"))


@mutator("fact added")
def fact_added(text: str, rng: Random) -> str | None:
    """A sentence that bears on the result is put before the last one."""
    ranges = sentences(text)
    start, _ = ranges[-1]
    return f"{text[:start]}{rng.choice(NEW_FACTS)} {text[start:]}" if len(ranges) > 1 else None


@mutator("hint appended")
def hint_appended(text: str, rng: Random) -> str | None:
    return f"{text.rstrip()} {rng.choice(HINTS)}"


@mutator("answer suggested")
def answer_suggested(text: str, rng: Random) -> str | None:
    return f"{text.rstrip()} {rng.choice(CLAIMS).format(rng.randint(3, 900))}"


@mutator("chatter put in front")
def chatter(text: str, rng: Random) -> str | None:
    return rng.choice(OPENINGS) + text
