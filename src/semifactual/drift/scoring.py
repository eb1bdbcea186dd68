"""From problems to scored problems: prompts, responses (generated or given), grades, and the log-prob tensor."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from semifactual.answers import Verifier
from semifactual.answers.outcomes import Found
from semifactual.drift.responses import FixedResponse
from semifactual.drift.scored import Logprobs, ScoredProblem, ScoredResponse, to_row
from semifactual.drift.taxonomy import Category, categorise
from semifactual.errors import SemifactualError
from semifactual.pipeline.variants import VariantProblem
from semifactual.policy.policy import Group, GroupLogprobs, Policy, Request, Sampling, TokenIds
from semifactual.policy.sampling import response_seed
from semifactual.text.prompt_templates import render_prompt

Chunk = Sequence[VariantProblem]


@dataclass(frozen=True, slots=True)
class Generation:
    """How responses are made."""

    seed: int
    samples: int
    sampling: Sampling


@dataclass(slots=True)
class Scorer:
    """Scores problems a chunk at a time."""

    policy: Policy
    template: str
    """The prompt around a problem, with ``{question}``."""
    verifier: Verifier
    generation: Generation
    given: Mapping[str, tuple[FixedResponse, ...]] | None = None
    """Responses by problem id, to be scored instead of generated ones."""
    on_stage: Callable[[str], None] = lambda words: None
    """Told what is being done."""
    _categories: dict[int, Category] = field(default_factory=dict)

    def takes(self, problem: VariantProblem) -> bool:
        """Whether there is anything to score: a rewrite, and where responses are given, a response."""
        return bool(problem.semifactuals) and (self.given is None or problem.id in self.given)

    def chunk(self, problems: Chunk) -> dict[str, Any]:
        """The journal's row of some consecutive problems: their scores, and the seconds that each step took.

        What stands in one chunk is worked on in the same batches, so the source's order alone must decide it: then an
        interrupted run gives the same numbers as one that was not.

        Raises:
            SemifactualError: the model gave a log-prob that is no finite number.
        """
        taken = [problem for problem in problems if self.takes(problem)]
        seconds: dict[str, float] = {}
        with _timed(seconds, "encode"):
            prompts = [encode_prompts(self.policy, self.template, problem) for problem in taken]
        if self.given is None:
            self.on_stage("generating")
        with _timed(seconds, "generate"):
            responses = self._responses(taken, prompts)
        groups = [
            Group(variants, tuple(response.token_ids for _, response in of_problem))
            for variants, of_problem in zip(prompts, responses, strict=True)
        ]
        self.on_stage("scoring")
        with _timed(seconds, "score"):
            scores = self.policy.logprobs(groups) if groups else []
        with _timed(seconds, "grade"):
            rows = [
                to_row(self._scored(problem, group, of_problem, score))
                for problem, group, of_problem, score in zip(taken, groups, responses, scores, strict=True)
            ]
        return {"problems": rows, "seconds": seconds}

    def _responses(
        self, problems: Chunk, prompts: Sequence[Sequence[TokenIds]]
    ) -> list[list[tuple[int | None, FixedResponse]]]:
        """The responses to each problem, each with the seed that made it."""
        if self.given is not None:
            return [[(None, response) for response in self.given[problem.id]] for problem in problems]
        samples = range(self.generation.samples)
        seeds = [
            [response_seed(self.generation.seed, problem.id, sample) for sample in samples] for problem in problems
        ]
        requests = [Request(variants[0], tuple(of)) for variants, of in zip(prompts, seeds, strict=True)]
        made = self.policy.generate(requests, self.generation.sampling) if requests else []
        return [
            [
                (seed, FixedResponse(sample, self.policy.decode(one.token_ids), one.token_ids, one.stop))
                for sample, (seed, one) in enumerate(zip(of, responses, strict=True))
            ]
            for of, responses in zip(seeds, made, strict=True)
        ]

    def _scored(
        self,
        problem: VariantProblem,
        group: Group,
        responses: Sequence[tuple[int | None, FixedResponse]],
        scores: GroupLogprobs,
    ) -> ScoredProblem:
        return ScoredProblem(
            id=problem.id,
            text=problem.text,
            answer=problem.answer,
            kinds=tuple(kind for kind, _ in problem.semifactuals),
            rewrites=tuple(text for _, text in problem.semifactuals),
            prompts=group.prompts,
            responses=tuple(
                self._scored_response(problem, seed, response, _tensor(problem, scores, number))
                for number, (seed, response) in enumerate(responses)
            ),
        )

    def _scored_response(
        self, problem: VariantProblem, seed: int | None, response: FixedResponse, logps: Logprobs
    ) -> ScoredResponse:
        graded = self.verifier.grade(problem.answer, response.text)
        return ScoredResponse(
            sample=response.sample,
            seed=seed,
            text=response.text,
            token_ids=response.token_ids,
            stop=None if response.stop is None else response.stop.value,
            answer=graded.extraction.text if graded.extraction.found is Found.BOXED else None,
            correct=graded.verdict.equal,
            tokens=tuple(self.policy.token_texts(response.token_ids)),
            categories=tuple(map(self._category, response.token_ids)),
            logps=logps,
        )

    def _category(self, token: int) -> Category:
        if token not in self._categories:
            (text,) = self.policy.token_texts([token])
            # A special token has a text of its own (<|im_end|>), but no part in the text of a response.
            is_control = bool(text.strip()) and not self.policy.decode([token])
            self._categories[token] = Category.OTHER if is_control else categorise(text)
        return self._categories[token]


def encode_prompts(policy: Policy, template: str, problem: VariantProblem) -> tuple[TokenIds, ...]:
    """The token ids of a problem's prompts: the original's, then those of its rewrites."""
    texts = (problem.text, *(text for _, text in problem.semifactuals))
    return tuple(policy.encode_prompt(render_prompt(template, text)) for text in texts)


def _tensor(problem: VariantProblem, scores: GroupLogprobs, response: int) -> Logprobs:
    """[variant, token] of one response: the original, the rewrites, the identity."""
    logps = np.stack([*(variant[response] for variant in scores.variants), scores.identity[response]])
    if not np.isfinite(logps).all():
        raise SemifactualError(
            f"the model's log-probs for problem {problem.id!r} are not finite numbers",
            hint="look at its weights; in 16 bits, try --dtype float32",
        )
    return logps.astype(np.float32, copy=False)


@contextmanager
def _timed(seconds: dict[str, float], step: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    seconds[step] = time.perf_counter() - started
