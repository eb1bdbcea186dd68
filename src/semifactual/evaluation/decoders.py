"""One problem decoded in three ways: greedy, plain sampling, and d-filtered sampling with the same seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from semifactual.answers import Verifier
from semifactual.answers.outcomes import Found
from semifactual.drift.scoring import encode_prompts
from semifactual.pipeline.variants import VariantProblem
from semifactual.policy.filtered import FilteredRequest, FilteredResponse, generate_filtered
from semifactual.policy.local import LocalPolicy
from semifactual.policy.policy import Request, Response, Sampling
from semifactual.policy.sampling import response_seed


class Method(StrEnum):
    """How a response is decoded."""

    GREEDY = "greedy"
    """The most probable token each time: one response a problem."""
    PLAIN = "plain"
    """Drawn from the policy under the original prompt."""
    FILTERED = "filtered"
    """Drawn with the same seeds, without the candidates that drift most between the variants of the prompt."""


@dataclass(frozen=True, slots=True)
class Decoders:
    """Decodes and grades problems, a chunk at a time."""

    policy: LocalPolicy
    template: str
    """The prompt around a problem, with ``{question}``."""
    verifier: Verifier
    seed: int
    samples: int
    """Responses a problem, of each method that draws."""
    sampling: Sampling
    cap: float
    on_stage: Callable[[str], None] = lambda words: None
    """Told what is being done."""

    def chunk(self, problems: Sequence[VariantProblem]) -> dict[str, Any]:
        """The journal's row of some consecutive problems: the rows of decode.jsonl, problem by problem.

        Problems without a rewrite are left out: no method would differ there.
        """
        taken = [problem for problem in problems if problem.semifactuals]
        if not taken:
            return {"rows": []}
        prompts = [encode_prompts(self.policy, self.template, problem) for problem in taken]
        seeds = [
            tuple(response_seed(self.seed, problem.id, sample) for sample in range(self.samples)) for problem in taken
        ]
        pairs = list(zip(prompts, seeds, strict=True))
        self.on_stage("decoding greedily")
        greedy = self.policy.generate(
            [Request(variants[0], (0,)) for variants in prompts], replace(self.sampling, temperature=0.0)
        )
        self.on_stage("sampling")
        plain = self.policy.generate([Request(variants[0], own) for variants, own in pairs], self.sampling)
        self.on_stage("sampling, d-filtered")
        filtered = generate_filtered(
            self.policy, [FilteredRequest(variants, own) for variants, own in pairs], self.sampling, cap=self.cap
        )
        rows: list[dict[str, Any]] = []
        for number, problem in enumerate(taken):
            own = seeds[number]
            rows += self._rows(problem, Method.GREEDY, [None], greedy[number])
            rows += self._rows(problem, Method.PLAIN, own, plain[number])
            rows += self._rows(problem, Method.FILTERED, own, filtered[number])
        return {"rows": rows}

    def _rows(
        self,
        problem: VariantProblem,
        method: Method,
        seeds: Sequence[int | None],
        responses: Sequence[Response | FilteredResponse],
    ) -> Iterator[dict[str, Any]]:
        for sample, (seed, decoded) in enumerate(zip(seeds, responses, strict=True)):
            response = decoded.response if isinstance(decoded, FilteredResponse) else decoded
            text = self.policy.decode(response.token_ids)
            graded = self.verifier.grade(problem.answer, text)
            row: dict[str, Any] = {
                "problem_id": problem.id,
                "method": method.value,
                "sample": sample,
                "seed": seed,
                "text": text,
                "token_ids": list(response.token_ids),
                "stop": response.stop.value,
                "answer": graded.extraction.text if graded.extraction.found is Found.BOXED else None,
                "correct": graded.verdict.equal,
            }
            if isinstance(decoded, FilteredResponse):
                row |= {"rejected": decoded.rejected, "masked_mass": decoded.masked_mass}
            yield row
