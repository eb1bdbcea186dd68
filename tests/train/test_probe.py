from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from semifactual.policy.policy import Group, GroupLogprobs
from semifactual.train.distributed import Ranks
from semifactual.train.probe import Probed, probe
from tests.train.rollouts import prompts, rollout


class Spelling:
    """Scores a token by its id and its prompt's last one, so that every number says where it belongs."""

    def __init__(self) -> None:
        self.groups: list[Group] = []
        self.temperature: float | None = None

    def logprobs(self, groups: Sequence[Group], *, temperature: float = 1.0) -> list[GroupLogprobs]:
        self.groups += groups
        self.temperature = temperature
        return [
            GroupLogprobs(
                tuple(
                    tuple(self._score(prompt[-1], response) for response in group.responses) for prompt in group.prompts
                ),
                tuple(self._score(0, response) for response in group.responses),
            )
            for group in groups
        ]

    def _score(self, prompt: int, response: Sequence[int]) -> np.ndarray:
        return -(100.0 * prompt + np.array(response, dtype=np.float32))


def test_every_response_is_scored_under_every_variant_of_its_group() -> None:
    made = rollout([[1.0, 0.0], [0.0, 1.0]])
    scorer = Spelling()
    probed = probe(made, made.groups, scorer, Ranks(), temperature=0.5)
    assert scorer.temperature == 0.5
    assert [len(group.responses) for group in scorer.groups] == [2, 2]
    for completion, found in zip(made.completions, probed, strict=True):
        assert found.kinds == ("paraphrase", "typo_noise")
        for row, prompt in zip(found.logps, (3, 4, 5), strict=True):
            np.testing.assert_array_equal(row, -(100.0 * prompt + completion.token_ids))
        np.testing.assert_array_equal(found.identity, -completion.token_ids.astype(np.float32))


def test_a_group_that_straddles_two_processes_is_scored_in_two_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    made = rollout([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    whole = probe(made, made.groups, Spelling(), Ranks())
    together: list[Probed] = []
    sizes = []
    monkeypatch.setattr(Ranks, "gather", lambda self, items: list(items))
    for rank in (0, 1):
        scorer = Spelling()
        together += probe(made, made.groups, scorer, Ranks(rank, 2))
        sizes.append([len(group.responses) for group in scorer.groups])
    assert sizes == [[3, 1], [2, 3]]
    for one, other in zip(whole, together, strict=True):
        np.testing.assert_array_equal(one.logps, other.logps)


def test_controls_bring_prompts_of_their_own() -> None:
    made = rollout([[1.0, 0.0]])
    (found, _) = probe(made, [prompts(0, ("other_number",))], Spelling(), Ranks())
    assert found.kinds == ("other_number",)
    assert found.logps.shape == (2, 3)
