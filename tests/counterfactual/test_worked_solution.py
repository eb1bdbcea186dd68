from __future__ import annotations

import re
from fractions import Fraction
from random import Random

import pytest

from semifactual.answers.rederive import exact_value, rederive_solution
from semifactual.counterfactual.binding import MOST_NUMBERS
from semifactual.counterfactual.worked_solution import of_worked_solution
from semifactual.interventions.registry import get_intervention
from semifactual.text.document import Document
from semifactual.types import Counterfactual, Problem
from semifactual.validate.contract import Pair, judge
from semifactual.validate.verdict import Mode, Outcome

CANDLES = "Ines packs 9 crates with 15 candles each. She sells 40 candles. How many candles are left?"
CANDLES_SOLVED = "There are 9*15=<<9*15=135>>135 candles.\nThen 135-40=<<135-40=95>>95 are left.\n#### 95"


def problem(text: str, solution: str, answer: str | None = None) -> Problem:
    return Problem("p", text, answer or solution.rpartition("#### ")[2], "hand", {"solution": solution})


def all_of(given: Problem) -> list[Counterfactual]:
    return of_worked_solution(given, 1000, Random(0))


def test_one_number_changes_and_every_step_follows_it() -> None:
    for made in all_of(problem(CANDLES, CANDLES_SOLVED)):
        crates, candles, sold = (int(number) for number in re.findall(r"\d+", made.text))
        assert int(made.answer) == crates * candles - sold != 95
        assert sum((crates != 9, candles != 15, sold != 40)) == 1
        assert f"{crates} * {candles} = {crates * candles}; " in made.derivation
        assert made.derivation.endswith(f" - {sold} = {made.answer}")


def test_every_number_of_the_solution_gets_its_turn() -> None:
    starts = {made.derivation.partition(" -> ")[0] for made in all_of(problem(CANDLES, CANDLES_SOLVED))}
    assert starts == {"9", "15", "40"}


def test_the_same_seed_gives_the_same_and_no_more_than_wanted() -> None:
    given = problem(CANDLES, CANDLES_SOLVED)
    assert len(of_worked_solution(given, 2, Random(5))) == 2
    assert of_worked_solution(given, 2, Random(5)) == of_worked_solution(given, 2, Random(5))
    assert of_worked_solution(given, 1, Random(5)) == of_worked_solution(given, 2, Random(5))[:1]


def test_every_kind_refuses_a_counterfactual_of_its_problem() -> None:
    for made in all_of(problem(CANDLES, CANDLES_SOLVED)):
        for mode in Mode:
            pair = Pair(Document(CANDLES), Document(made.text), answer="95", mode=mode)
            assert judge(pair, get_intervention("paraphrase").contract).outcome is Outcome.INVALID


@pytest.mark.parametrize(
    ("text", "solution", "written"),
    [
        ("Pens cost $2,250 a crate. What do 3 crates cost?", "<<2250*3=6750>>\n#### 6,750", r"\d,\d{3}|\d\d,\d{3}"),
        ("A pen costs $2.50. What do 7 pens cost?", "7 * 2.5 = <<7*2.5=17.50>>17.50\n#### 17.50", r"\d+\.\d\d"),
    ],
)
def test_numbers_and_answers_are_written_like_those_before(text: str, solution: str, written: str) -> None:
    made = all_of(problem(text, solution))
    assert made
    for one in made:
        assert re.fullmatch(written, one.answer)
        assert re.search(rf"\$({written})[ .]", one.text)


def test_a_whole_result_stays_whole_and_a_positive_one_positive() -> None:
    made = all_of(
        problem("Ben shares 30 figs among 6 baskets. He eats 3 of each. How many figs are left in a basket?",
                "30/6=<<30/6=5>>5 figs. 5-3=<<5-3=2>>2 are left.\n#### 2")
    )  # fmt: skip
    assert made
    assert all(re.fullmatch("[1-9][0-9]*", one.answer) for one in made)


def test_a_percentage_is_followed_as_the_share_that_it_is() -> None:
    made = all_of(
        problem("A coat of $80 is sold at 25% less. What does it cost?",
                "80*.25=<<80*.25=20>>20 off, so 80-20=<<80-20=60>>60.\n#### 60")
    )  # fmt: skip
    for one in made:
        price, percent = (int(number) for number in re.findall(r"\d+", one.text))
        assert exact_value(one.answer) == price * (1 - Fraction(percent, 100))
    assert {"80", "25"} == {one.derivation.partition(" -> ")[0] for one in made}


@pytest.mark.parametrize(
    ("why", "text", "solution"),
    [
        ("a number said twice", "Al has 9 figs and 9 dates. How many?", "<<9+9=18>>\n#### 18"),
        ("a number said in a word too", "Al has 9 figs, nine of them ripe, in 5 bags.", "<<9*5=45>>\n#### 45"),
        ("a number that a word may bring in", "Al walks 7 km a day. How far in a week?", "<<7*7=49>>\n#### 49"),
        ("days that are weeks", "For 14 days, that is 2 weeks, Al eats 3 figs a day.", "<<14*3=42>>\n#### 42"),
        ("parts beside their whole", "Of 15 figs 9 are ripe and 6 are not; each weighs 20 g.", "<<9+6=15>>\n#### 15"),
        ("a count of what is added up", "3 men lift 20, 31 and 45 kg. What is the mean?",
         "<<20+31+45=96>>, <<96/3=32>>\n#### 32"),
        ("a step that is not annotated", "Al has 9 figs. Bo has 4 more, and each is cut into 3 pieces.",
         "Bo has 13. <<13*3=39>>\n#### 39"),
        ("an equation in prose", "Al has 9 figs, Bo 5 fewer, Cy 14.", "As 9-5 = 4, <<4*14=56>>56.\n#### 56"),
        ("a number from nowhere", "Al has 9 figs of 41 g.", "<<9*17=153>>\n#### 153"),
        ("a rounded step", "Al cuts 50 m in 7 parts.", "<<50/7=7.14>>7.14\n#### 7.14"),
        ("another answer", "Al has 9 bags of 13 figs.", "<<9*13=117>>\n#### 118"),
        ("words for numbers", "Al has nine bags of thirteen figs.", "<<9*13=117>>\n#### 117"),
        ("an article", "Al pays a 9 dollar fee for an 80 km ride.", "<<80-9=71>>\n#### 71"),
        ("a number in a word", "Al does an 8-hour shift on a 15-day tour.", "<<8*15=120>>\n#### 120"),
        ("not the four operations", "Al has 9 figs and 5 dates.", "<<9**5=59049>>\n#### 59049"),
        ("no annotation", "Al has 9 bags of 13 figs.", "9*13=117\n#### 117"),
    ],
)  # fmt: skip
def test_where_a_change_is_doubtful_nothing_is_made(why: str, text: str, solution: str) -> None:
    changed = {one.derivation.partition(" -> ")[0] for one in all_of(problem(text, solution))}
    assert changed <= DOUBTLESS.get(why, set())


DOUBTLESS = {
    "a number said in a word too": {"5"},
    "days that are weeks": {"3"},
    "a count of what is added up": {"20", "31", "45"},
}
"""Numbers of those problems that may well change, beside the doubtful one."""


def test_the_larger_of_two_stays_the_larger() -> None:
    text = "Al runs 20 laps of 11 m, Bo runs 19 laps of 13 m. How many metres does the one run who runs farther?"
    solution = "Al runs <<20*11=220>>220 m, Bo <<19*13=247>>247 m.\nSo it is <<247*1=247>>247.\n#### 247"
    for made in all_of(problem(text, solution)):
        al, lap, bo, other = (int(number) for number in re.findall(r"\d+", made.text))
        assert int(made.answer) == max(al * lap, bo * other)


def test_a_text_or_solution_of_endless_numbers_is_left_alone() -> None:
    numbers = range(2, MOST_NUMBERS + 3)
    many = problem(f"Add {', '.join(map(str, numbers))}.", f"<<{'+'.join(map(str, numbers))}={sum(numbers)}>>\n#### 1")
    assert all_of(many) == []


@pytest.mark.parametrize("solution", [None, 7, "<<", "<<=>>", "<<a=b>>", "<<" * 50_000, "<<1/0=1>>\n#### 1"])
def test_any_solution_field_is_borne(solution: object) -> None:
    assert of_worked_solution(Problem("p", CANDLES, "1", "hand", {"solution": solution}), 1, Random(0)) == []


def test_the_new_numbers_rederive_the_new_answer() -> None:
    """The verifier's own re-derivation, told the solution with the new numbers in it, comes to the same answer."""
    for made in all_of(problem(CANDLES, CANDLES_SOLVED)):
        steps = made.derivation.partition("; ")[2].replace(" ", "").split(";")
        solution = "".join(f"<<{step}>>" for step in steps)
        numbers = [Fraction(number) for number in re.findall(r"\d+", made.text)]
        assert rederive_solution(solution, numbers, made.answer).rederived
