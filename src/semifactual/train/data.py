"""The problems that a run trains on, as prompts in token ids, and the order in which they come."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from semifactual.errors import SourceError
from semifactual.pipeline.variants import VariantProblem, open_variants
from semifactual.policy.policy import TokenIds
from semifactual.train.recipe import DataRecipe
from semifactual.train.recipe_outputs import EvalSet
from semifactual.train.seeds import seed_of

Encode: TypeAlias = Callable[[str], TokenIds]
"""From a problem's text, or a rewrite of it, to the token ids of its whole prompt."""

ORIGINAL = "original"
"""What stands for a kind where the original prompt is meant."""


@dataclass(frozen=True, slots=True)
class PromptSet:
    """A problem and its prompts. `prompts[0]` is the original; `kinds` says what each of the others is."""

    problem: VariantProblem
    kinds: tuple[str, ...]
    prompts: tuple[TokenIds, ...]

    @property
    def longest(self) -> int:
        """Tokens of the longest of the K+1 prompts."""
        return max(map(len, self.prompts))


def prompt_set(problem: VariantProblem, encode: Encode, *, counterfactual: bool = False) -> PromptSet:
    """The prompts of a problem and of its semifactuals, or of its counterfactuals as a control."""
    pairs = [(entry.kind, entry.text) for entry in problem.counterfactuals] if counterfactual else problem.semifactuals
    texts = (problem.text, *(text for _, text in pairs))
    return PromptSet(problem, tuple(kind for kind, _ in pairs), tuple(map(encode, texts)))


class TrainingData:
    """The problems in an endless order: pass after pass, each in an order of its own.

    A position in that order is all there is to remember of how far a run has come.
    """

    def __init__(self, problems: Sequence[VariantProblem], encode: Encode, *, seed: int, shuffle: bool) -> None:
        self.problems = problems
        self.encode = encode
        """From a problem's text to the token ids of its prompt."""
        self._seed = seed
        self._shuffle = shuffle
        self._order = lru_cache(maxsize=2)(self._order_of_pass)

    def __len__(self) -> int:
        return len(self.problems)

    def take(self, position: int, count: int) -> list[VariantProblem]:
        """`count` problems from a position on."""
        return [self._at(place) for place in range(position, position + count)]

    def prompts(self, problem: VariantProblem, *, counterfactual: bool = False) -> PromptSet:
        """A problem's prompts; see `prompt_set`."""
        return prompt_set(problem, self.encode, counterfactual=counterfactual)

    def _at(self, position: int) -> VariantProblem:
        number, place = divmod(position, len(self.problems))
        return self.problems[self._order(number)[place]]

    def _order_of_pass(self, number: int) -> list[int]:
        order = list(range(len(self.problems)))
        if self._shuffle:
            random.Random(seed_of(self._seed, "pass", number)).shuffle(order)
        return order


def read_problems(data: DataRecipe | EvalSet) -> tuple[list[VariantProblem], list[str]]:
    """The problems of a source with their semifactuals, and what a user should hear of it.

    Raises:
        SemifactualError: the source cannot be read or lacks a kind.
    """
    counterfactuals = data.counterfactuals if isinstance(data, DataRecipe) else 0
    try:
        source = open_variants(
            data.source,
            kinds=data.kinds,
            limit=data.limit,
            seed=data.seed,
            split=data.split,
            config_name=data.config_name,
            counterfactuals=counterfactuals or None,
        )
        return list(source.problems()), list(source.notices)
    except SourceError as error:
        option, ending, names = (error.hint or "").removeprefix("name it with ").partition("-field. ")
        if not ending:
            raise
        # A recipe names no fields: the option is one of `semifactual build`.
        command = f"semifactual build {data.source} {option}-field NAME --out DIR"
        raise SourceError(error.message, hint=f"build it first, `{command}`, and train on DIR. {names}") from error


def rewrites_a_problem(problems: Sequence[VariantProblem]) -> dict[int, int]:
    """How many problems have how many semifactuals: K by problem."""
    counts = Counter(len(problem.semifactuals) for problem in problems)
    return dict(sorted(counts.items()))


def without_seen(problems: Sequence[VariantProblem], seen: Sequence[VariantProblem]) -> list[VariantProblem]:
    """The problems whose text is none of the texts that are trained on, semifactuals included."""
    texts = {problem.text for problem in seen} | {text for problem in seen for _, text in problem.semifactuals}
    return [problem for problem in problems if problem.text not in texts]
