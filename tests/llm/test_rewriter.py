"""The rewriter without any server: every step is answered by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from typing import Any

import pytest

from semifactual.llm.prompts import Sampling
from semifactual.llm.requests import Answer, Answered, ChatRequest, Reply, Unanswered
from semifactual.llm.rewriter import reviewing, rewriting
from semifactual.llm.steps import Ask, Check, Ended, Ending, Grade, Note, RewritePlan, Role, Step
from semifactual.types import AnswerCheck
from semifactual.validate.verdict import CheckResult, Outcome, Verdict
from tests.llm.conftest import make_problem

VALID = Verdict((CheckResult("rule", True, ""),))
UNSURE = Verdict((CheckResult("rule", None, "who knows"),))
INVALID = Verdict((CheckResult("rule", False, "broken"),))
PLAN = RewritePlan(Sampling(), repairs=2)
ENDING = {"irrelevant_context": {"ending": "Velvet is velvet."}}


class ByHand:
    """Answers steps, and remembers them: replies in turn by role, verdicts in turn, votes by their text."""

    def __init__(self, *replies: object, verdicts: tuple[Verdict, ...] = (), **others: Any) -> None:
        self.replies: dict[Role, list[object]] = {Role.REWRITER: list(replies)}
        self.replies |= {Role(role): list(theirs) for role, theirs in others.items()}
        self.verdicts = list(verdicts)
        self.steps: list[Step] = []

    def drive(self, steps: Generator[Step, Any, Any]) -> Any:
        answer: Any = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as done:
                return done.value
            self.steps.append(step)
            answer = self.answer(step)

    def answer(self, step: Step) -> Any:
        match step:
            case Ask(role=role, requests=requests):
                return tuple(self.reply(request, self.replies[role].pop(0)) for request in requests)
            case Check(texts=texts):
                return [self.verdicts.pop(0) if self.verdicts else VALID for _ in texts]
            case Grade(answers=answers):
                return tuple(answer == "90" for answer in answers)
            case Note():
                return None

    def reply(self, request: ChatRequest, said: object) -> Answer:
        if isinstance(said, Exception):
            return Unanswered(request, str(said))
        reply = said if isinstance(said, Reply) else Reply(said if isinstance(said, str) else json.dumps(said))
        return Answered(request, f"key-{len(self.steps)}-0123456789", reply)

    def of(self, kind: type[Any]) -> list[Any]:
        return [step for step in self.steps if isinstance(step, kind)]


def rewrite(hand: ByHand, plan: RewritePlan = PLAN, **wanted: tuple[int, ...]) -> list[Ending]:
    found: list[Ending] = hand.drive(rewriting(make_problem(), wanted or {"irrelevant_context": (0,)}, {}, plan))
    return found


def test_one_request_asks_for_all_kinds() -> None:
    hand = ByHand(ENDING | {"typo_noise": {"word": "packs", "misspelt": "pakcs"}})
    endings = rewrite(hand, irrelevant_context=(0,), typo_noise=(0,))
    assert [(ending.kind, ending.ended) for ending in endings] == [
        ("irrelevant_context", Ended.ACCEPTED),
        ("typo_noise", Ended.ACCEPTED),
    ]
    assert [len(step.requests) for step in hand.of(Ask)] == [1]
    assert endings[0].attempts[-1].text == make_problem().text + " Velvet is velvet."


def test_only_what_failed_is_repaired_with_its_evidence() -> None:
    both = ENDING | {"typo_noise": {"word": "packs", "misspelt": "pakcs"}}
    hand = ByHand(both, {"typo_noise": {"word": "boxes", "misspelt": "boxse"}}, verdicts=(VALID, INVALID, VALID))
    endings = rewrite(hand, irrelevant_context=(0,), typo_noise=(0,))
    assert [len(ending.attempts) for ending in endings] == [1, 2]
    repair = hand.of(Ask)[1].requests[0]
    assert json.loads(repair.schema)["required"] == ["typo_noise"]
    assert "Because of rule: broken" in repair.messages[1][1]
    assert '"misspelt": "pakcs"' in repair.messages[1][1]


def test_repairs_end_and_the_history_is_whole() -> None:
    hand = ByHand(ENDING, "no JSON", ENDING, verdicts=(INVALID, INVALID))
    (ending,) = rewrite(hand)
    assert ending.ended is Ended.REJECTED
    assert [attempt.verdict.failures[0].name for attempt in ending.attempts] == ["rule", "reply", "rule"]
    assert ending.attempts[1].text == "no JSON"
    samples = [step.requests[0].sample for step in hand.of(Ask)]
    assert len(set(samples)) == 3  # the same failure twice must not get the cached reply of the first


def test_a_request_without_a_reply_fails_what_is_still_open() -> None:
    hand = ByHand(ENDING, OSError("gone"), verdicts=(INVALID,))
    (ending,) = rewrite(hand)
    assert (ending.ended, ending.error, len(ending.attempts)) == (Ended.FAILED, "gone", 1)


def test_outcomes_are_noted_before_the_next_request() -> None:
    hand = ByHand(ENDING, ENDING, verdicts=(INVALID, VALID))
    rewrite(hand)
    assert [type(step) for step in hand.steps] == [Ask, Check, Note, Ask, Check, Note]
    assert hand.of(Note)[0].outcome == {
        "irrelevant_context": {"outcome": "invalid", "answer_check": "unknown", "failed": ["rule"]}
    }


@pytest.mark.parametrize(
    ("reply", "evidence"),
    [
        (Reply("", refusal="No."), "refused: No."),
        (Reply("", finish="content_filter"), "refused: content_filter"),
        (Reply('{"irrelevant_context": {"en', finish="length"), "cut off at its longest"),
        (Reply('{"paraphrase": {"text": "x"}}'), "holds no 'irrelevant_context'"),
        (Reply('{"irrelevant_context": "x"}'), "valid dictionary"),
    ],
)
def test_unusable_replies_say_why(reply: Reply, evidence: str) -> None:
    (ending,) = rewrite(ByHand(reply), RewritePlan(Sampling(), repairs=0))
    assert ending.ended is Ended.REJECTED
    assert evidence in ending.attempts[0].verdict.failures[0].evidence


def test_a_second_rewrite_of_a_kind_may_not_repeat_the_first() -> None:
    hand = ByHand(ENDING, ENDING, {"irrelevant_context": {"ending": "Chalk is chalk."}})
    endings = rewrite(hand, RewritePlan(Sampling(), repairs=1), irrelevant_context=(0, 1))
    assert [ending.ended for ending in endings] == [Ended.ACCEPTED, Ended.ACCEPTED]
    assert endings[1].attempts[0].verdict.failures[0].name == "distinct"


def test_what_rules_made_may_not_be_repeated_either() -> None:
    taken = {"irrelevant_context": {make_problem().text + " Velvet is velvet."}}
    hand = ByHand(ENDING)
    steps = rewriting(make_problem(), {"irrelevant_context": (1,)}, taken, RewritePlan(Sampling(), repairs=0))
    assert hand.drive(steps)[0].ended is Ended.REJECTED


def judgement(opinion: str, quote: str = "Velvet is") -> dict[str, str]:
    return {"verdict": opinion, "quote": quote, "reason": "because"}


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (judgement("same"), Outcome.VALID),
        (judgement("different"), Outcome.INVALID),
        (judgement("unsure"), Outcome.UNSURE),
        (judgement("same", "not there"), Outcome.UNSURE),
        (judgement("same", ""), Outcome.UNSURE),
        (judgement("perhaps"), Outcome.UNSURE),
        ("no JSON", Outcome.UNSURE),
        (OSError("gone"), Outcome.UNSURE),
    ],
)
def test_the_judge_decides_only_with_a_quotation(said: object, outcome: Outcome) -> None:
    hand = ByHand(ENDING, verdicts=(UNSURE,), judge=[said])
    (ending,) = rewrite(hand, RewritePlan(Sampling(), repairs=0, judge=Sampling()))
    verdict = ending.attempts[0].verdict
    assert verdict.outcome is outcome
    assert verdict.checks[0].evidence.startswith("who knows")


@pytest.mark.parametrize("verdict", [VALID, INVALID])
def test_the_judge_is_asked_only_where_rules_are_unsure(verdict: Verdict) -> None:
    hand = ByHand(ENDING, verdicts=(verdict,))
    rewrite(hand, RewritePlan(Sampling(), repairs=0, judge=Sampling()))
    assert [step.role for step in hand.of(Ask)] == [Role.REWRITER]


RIGHT, WRONG, CUT = "\\boxed{90}", "\\boxed{7}", Reply("\\boxed{90}", finish="length")


@pytest.mark.parametrize(
    ("votes", "known", "asked"),
    [
        ([RIGHT, RIGHT, RIGHT, RIGHT], AnswerCheck.AGREED, 4),
        ([RIGHT, RIGHT, WRONG, WRONG], AnswerCheck.REFUTED, 4),
        ([RIGHT, RIGHT, WRONG, RIGHT], AnswerCheck.UNKNOWN, 4),
        ([RIGHT, WRONG], AnswerCheck.UNKNOWN, 2),
        ([RIGHT, "no answer here at all, sorry"], AnswerCheck.UNKNOWN, 2),
        ([RIGHT, CUT], AnswerCheck.UNKNOWN, 2),
        ([RIGHT, OSError("gone")], AnswerCheck.UNKNOWN, 2),
        ([RIGHT, RIGHT, RIGHT, OSError("gone")], AnswerCheck.UNKNOWN, 4),
    ],
)
def test_votes_agree_or_refute_or_say_nothing(votes: list[object], known: AnswerCheck, asked: int) -> None:
    hand = ByHand(ENDING, solver=votes)
    (ending,) = rewrite(hand, RewritePlan(Sampling(), repairs=0, solver=Sampling(), votes=2))
    assert ending.attempts[0].verdict.answer_check is known
    assert (ending.ended is Ended.ACCEPTED) == (known is not AnswerCheck.REFUTED)
    assert sum(len(step.requests) for step in hand.of(Ask) if step.role is Role.SOLVER) == asked


def test_the_original_is_solved_once_for_all_rewrites() -> None:
    both = ENDING | {"typo_noise": {"word": "packs", "misspelt": "pakcs"}}
    hand = ByHand(both, solver=[RIGHT, RIGHT, WRONG])
    endings = rewrite(
        hand, RewritePlan(Sampling(), repairs=0, solver=Sampling(), votes=1), irrelevant_context=(0,), typo_noise=(0,)
    )
    assert [ending.ended for ending in endings] == [Ended.ACCEPTED, Ended.REJECTED]
    assert [len(step.requests) for step in hand.of(Ask)] == [1, 1, 2]


def test_a_rederived_answer_stays_rederived() -> None:
    rederived = Verdict((), AnswerCheck.REDERIVED)
    hand = ByHand(solver=[RIGHT, RIGHT])
    plan = RewritePlan(Sampling(), solver=Sampling(), votes=1)
    (verdict,) = hand.drive(reviewing(make_problem(), [("typo_noise", "other text", rederived)], plan))
    assert verdict.answer_check is AnswerCheck.REDERIVED


def test_a_bar_that_is_not_cleared_is_told_to_the_model() -> None:
    admits: Callable[[AnswerCheck], bool] = lambda known: known is AnswerCheck.AGREED  # noqa: E731
    hand = ByHand(ENDING, ENDING)
    (ending,) = rewrite(hand, RewritePlan(Sampling(), repairs=1, admits=admits))
    assert ending.ended is Ended.REJECTED
    assert "does not seem to have the answer" in hand.of(Ask)[1].requests[0].messages[1][1]
