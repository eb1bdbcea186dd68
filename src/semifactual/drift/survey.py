"""What is looked at before a model works: whether every prompt and response fits, and what is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from semifactual.drift.responses import SHOWN_FAULTS, FixedResponse
from semifactual.errors import SourceError
from semifactual.pipeline.variants import VariantProblem
from semifactual.policy.policy import TokenIds


@dataclass(slots=True)
class Survey:
    """What a source holds for a run."""

    scored: int = 0
    """Problems that have something to score."""
    without_rewrites: int = 0
    without_responses: int = 0
    unknown: list[str] = field(default_factory=list)
    """Ids that given responses name and no problem has."""
    longest_prompt: int = 0
    """Tokens of the longest prompt, over all variants."""

    def allowed_tokens(self, asked: int, context: int | None) -> int:
        """The longest response: what was asked for, or what the model can read behind the longest prompt."""
        return asked if context is None else min(asked, context - self.longest_prompt)

    def shortening(self, asked: int, context: int | None) -> list[str]:
        """What a reader of the results should know where responses must be shorter than was asked for."""
        allowed = self.allowed_tokens(asked, context)
        if allowed == asked:
            return []
        return [
            f"Responses may have {allowed:,} tokens at most: with the longest prompt that is all that the model reads "
            f"({context:,})."
        ]


def survey(
    problems: Iterable[VariantProblem],
    prompts: Callable[[VariantProblem], tuple[TokenIds, ...]],
    context: int | None,
    given: Mapping[str, tuple[FixedResponse, ...]] | None = None,
) -> Survey:
    """Look at every problem once.

    Args:
        prompts: the token ids of a problem's prompts, one a variant.
        context: the longest sequence that the model reads; None where it has no limit.
        given: the responses to be scored, by problem; None where they will be generated.

    Raises:
        SourceError: a prompt leaves no room for its responses.
    """
    found, unfit, ids = Survey(), [], set()
    for problem in problems:
        ids.add(problem.id)
        if not problem.semifactuals:
            found.without_rewrites += 1
        elif given is not None and problem.id not in given:
            found.without_responses += 1
        else:
            found.scored += 1
            longest = max(map(len, prompts(problem)))
            found.longest_prompt = max(found.longest_prompt, longest)
            wanted = 1 if given is None else max(len(response.token_ids) for response in given[problem.id])
            if context is not None and longest + wanted > context:
                unfit.append(_misfit(problem.id, longest, None if given is None else wanted))
    if unfit:
        more = f"; and {len(unfit) - SHOWN_FAULTS:,} more" if len(unfit) > SHOWN_FAULTS else ""
        raise SourceError(
            f"the model reads {context:,} tokens at most: {'; '.join(unfit[:SHOWN_FAULTS])}{more}",
            hint="leave these problems out, or take a model that reads more",
        )
    found.unknown = [problem_id for problem_id in given or () if problem_id not in ids]
    return found


def _misfit(problem_id: str, prompt: int, response: int | None) -> str:
    behind = "" if response is None else f" before a response of {response:,}"
    return f"problem {problem_id!r} has a prompt of {prompt:,} tokens{behind}"


def require_something(found: Survey, responses: int | None) -> None:
    """Check that there is anything to score.

    Raises:
        SourceError: no problem has a rewrite, or none has one of the given responses.
    """
    if found.scored:
        return
    if responses is not None and found.without_responses:
        raise SourceError(
            f"none of the {responses:,} given responses belongs to a problem of the source",
            hint="the problem_id of a response must be the id of a problem; `semifactual show` prints ids",
        )
    raise SourceError("no problem has a rewrite to score", hint="choose other --kinds, or another source")


def refuse_unknown(found: Survey) -> None:
    """Check that every given response belongs to a problem.

    Raises:
        SourceError: with the ids that no problem has.
    """
    if not found.unknown:
        return
    shown = ", ".join(map(repr, found.unknown[:SHOWN_FAULTS]))
    more = f" and {len(found.unknown) - SHOWN_FAULTS:,} more" if len(found.unknown) > SHOWN_FAULTS else ""
    raise SourceError(
        f"the source has no problem with the id {shown}{more}, of which responses are given",
        hint="take those rows out, or leave them out with --skip-bad-rows",
    )
