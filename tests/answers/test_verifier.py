from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from semifactual.answers import Found, Method, Outcome, Verifier, equivalent

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "answers.jsonl"
CASES = [json.loads(line) for line in GOLDEN.read_text().splitlines()]
BY_KIND: dict[str, list[dict[str, object]]] = defaultdict(list)
for _case in CASES:
    BY_KIND[_case["kind"]].append(_case)


@pytest.mark.parametrize("kind", sorted(kind for kind in BY_KIND if not kind.startswith("hostile")))
def test_golden_cases_hold_both_ways(kind: str, verifier: Verifier) -> None:
    wrong = []
    for case in BY_KIND[kind]:
        verdict = verifier.equivalent(str(case["gold"]), str(case["answer"]))
        mirrored = verifier.equivalent(str(case["answer"]), str(case["gold"]))
        if verdict.equal != case["equal"] or mirrored.outcome != verdict.outcome:
            wrong.append((case, verdict.outcome, mirrored.outcome, verdict.reason))
    assert not wrong


def test_the_verdict_carries_its_evidence() -> None:
    verdict = equivalent(r"\frac{1}{2}", "0.50")
    assert (verdict.outcome, verdict.method) == (Outcome.EQUAL, Method.EXACT)
    assert (verdict.gold_form, verdict.answer_form) == ("(1/2)", "1/2")
    assert 0 < verdict.milliseconds < 1000
    assert "grammar" in equivalent("5", "5 \\unknown").reason


def test_methods_from_cheap_to_dear(verifier: Verifier) -> None:
    assert verifier.equivalent("2", "4/2").method is Method.EXACT
    assert verifier.equivalent("(x+1)^2", "x^2+2x+1").method is Method.NORMAL_FORM
    assert verifier.equivalent(r"\sin x", r"\cos x").method is Method.NUMERIC
    assert verifier.equivalent(r"\sin 2x", r"2\sin x\cos x").method is Method.SYMBOLIC
    assert verifier.equivalent(r"m\ddot{x}+kx=0", r"kx+m\ddot{x}=0").method is Method.LAST_RESORT


def test_math_verify_is_not_asked_where_one_side_is_readable(verifier: Verifier) -> None:
    assert verifier.equivalent("17", r"17 \text{ (or 18)}").outcome is Outcome.UNPARSABLE


@pytest.mark.parametrize("gold", ["", " ", "None", "{", "5\\boxed{6}\\boxed{7}", r"\frac{0}{0}", "x" * 5000, "\ud800"])
def test_a_gold_that_cannot_be_right_is_reported(gold: str, verifier: Verifier) -> None:
    assert verifier.check_gold(gold).outcome is Outcome.UNPARSABLE


def test_foreign_notation_still_equals_itself(verifier: Verifier) -> None:
    verdict = verifier.check_gold(r"f(x)=ax+b \text{ where $a$ is odd and } \mho(a)=0")
    assert (verdict.outcome, verdict.method) == (Outcome.EQUAL, Method.TEXT)


def test_tolerance_is_relative_and_off_by_default() -> None:
    assert not equivalent("3.1416", r"\pi").equal
    with Verifier(tolerance="1e-3") as loose:
        assert loose.equivalent("3.1416", r"\pi").equal
        assert not loose.equivalent("3.15", r"\pi").equal
        assert loose.equivalent("(3.1416, 1)", r"(\pi, 1)").equal
    with pytest.raises(ValueError, match="tolerance"):
        Verifier(tolerance=1)


def test_grade_extracts_first(verifier: Verifier) -> None:
    graded = verifier.grade("42", r"So it is \boxed{42}.")
    assert (graded.extraction.found, graded.verdict.outcome) == (Found.BOXED, Outcome.EQUAL)
    graded = verifier.grade("42", r"So it is \boxed{42} or \boxed{")
    assert (graded.extraction.found, graded.verdict.outcome) == (Found.TRUNCATED, Outcome.UNPARSABLE)
    assert not verifier.grade("42", "The answer is 42.").verdict.equal
    assert verifier.grade("42", "The answer is 42.", strict=False).verdict.equal


def test_outcomes_are_counted() -> None:
    with Verifier() as fresh:
        fresh.equivalent("1", "1")
        fresh.equivalent("1", "2")
        fresh.grade("1", "nothing")
        assert fresh.counts == {Outcome.EQUAL: 1, Outcome.DIFFERENT: 1, Outcome.UNPARSABLE: 1}


def test_threads_get_the_verdicts_of_one(verifier: Verifier) -> None:
    pairs = [(r"\sin 2x", r"2\sin x\cos x"), ("1", "1.0"), (r"\cos 2x", r"2\cos x"), ("a", "b")] * 6
    alone = [verifier.equivalent(*pair).outcome for pair in pairs]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda pair: verifier.equivalent(*pair).outcome, pairs)) == alone


def test_asyncio_is_not_blocked(verifier: Verifier) -> None:
    async def both() -> tuple[Outcome, Outcome]:
        first, second = await asyncio.gather(
            verifier.aequivalent(r"\sin 2x", r"2\sin x\cos x"), verifier.aequivalent("1", "2")
        )
        return first.outcome, second.outcome

    assert asyncio.run(both()) == (Outcome.EQUAL, Outcome.DIFFERENT)


def test_exact_verdicts_import_no_sympy() -> None:
    program = (
        "import sys; from semifactual.answers import equivalent, extract;"
        "assert equivalent('1/2', '0.5').equal and not equivalent('x+1', 'x').equal;"
        "assert extract('\\\\boxed{3}').text == '3';"
        "assert not {'sympy', 'math_verify', 'mpmath', 'asyncio'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
