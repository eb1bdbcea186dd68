"""The numbers and tables that describe a rollout and a step; see `semifactual.train.records` for every key."""

from __future__ import annotations

import resource
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import torch

from semifactual.train.credit import Credited
from semifactual.train.probe import LogprobArray
from semifactual.train.rollout import Completion, Rollout
from semifactual.train.update import Scored


class Texts(Protocol):
    """Turns token ids into text."""

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text of a response, without special tokens."""

    def token_texts(self, token_ids: Sequence[int]) -> list[str]:
        """The text of each token alone."""


def rollout_metrics(rollout: Rollout, *, dynamic: bool) -> dict[str, float]:
    """What a rollout was like. A mean over nothing is NaN, which a file holds as null."""
    completions = rollout.completions
    rewards = np.array([completion.reward for completion in completions], dtype=np.float64)
    rewarded = rewards[np.isfinite(rewards)]
    lengths = np.array([len(completion.token_ids) for completion in completions])
    earned = [completion.earned for completion in completions]
    uniform = [len(set(found)) <= 1 for found in _rewards_by_group(rollout)]
    metrics = {
        "reward/mean": float(rewarded.mean()) if len(rewarded) else float("nan"),
        "reward/std": float(rewarded.std()) if len(rewarded) else float("nan"),
        "reward/accuracy": float(np.mean([entry.right for entry in earned])),
        "reward/timeouts": sum(entry.timed_out for entry in earned),
        "reward/failed": sum(bool(entry.error) for entry in earned),
        "group/uniform": float(np.mean(uniform)),
        "length/mean": float(lengths.mean()),
        "length/max": int(lengths.max()),
        "length/truncated": float(np.mean([completion.truncated for completion in completions])),
        "length/empty": float(np.mean(lengths == 0)),
    }
    if dynamic:
        metrics |= {"group/rounds": rollout.rounds, "group/kept": len(rollout.groups) / rollout.generated}
    return metrics


def rollout_warnings(rollout: Rollout, credited: Credited | None) -> list[str]:
    """What a user should hear of a rollout."""
    said = []
    failures = [completion.earned.error for completion in rollout.completions if completion.earned.error]
    if failures:
        said.append(f"{len(failures)} of {len(rollout.completions)} rewards failed, the first with {failures[0]}")
    rewards = {completion.reward for completion in rollout.completions}
    if len(rewards) == 1 and not any(completion.earned.right for completion in rollout.completions) and not failures:
        said.append("no response was right and all rewards are equal: the data may be too hard")
    if credited is not None and credited.idle:
        kinds = ", ".join(credited.idle)
        said.append(f"the drift of {kinds} is within three times its noise floor: it has a vote and nothing to say")
    return said


def completion_rows(
    rollout: Rollout,
    texts: Texts,
    advantages: torch.Tensor,
    credited: Credited | None,
    old: Mapping[int, Scored],
    *,
    step: int,
    weight: float,
    groups: int,
) -> list[dict[str, Any]]:
    """Rows for the table of completions: the first few groups, with what each token was charged.

    Args:
        old: old log-probs of the completions that this process has scored, by their number.
    """
    rows = []
    for number, completion in enumerate(rollout.completions):
        if completion.group >= groups:
            break
        u = None if credited is None else credited.u[number]
        token_ids = completion.token_ids.tolist()
        rows.append(
            {
                "step": step,
                "kind": rollout.kind_of(completion),
                "response": texts.decode(token_ids),
                "tokens": texts.token_texts(token_ids),
                "advantage": _number(advantages[number].item()),
                "lambda": weight,
                "logps": None if number not in old else old[number].logps.tolist(),
                "drift": None if credited is None else _listed(credited.drift[number]),
                "u": _listed(u),
                "credit": None if u is None else (weight * u).tolist(),
                **_about(rollout, completion, texts),
            }
        )
    return rows


def peak_memory_mb() -> float:
    """The most memory so far: of the GPU, or of this process where there is none."""
    if torch.cuda.is_available():
        return torch.cuda.max_memory_allocated() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _about(rollout: Rollout, completion: Completion, texts: Texts) -> dict[str, Any]:
    group = rollout.groups[completion.group]
    return {
        "problem_id": group.problem.id,
        "sample": completion.sample,
        "prompt": texts.decode(rollout.prompt_of(completion, sampled=True)),
        "answer": group.problem.answer,
        "stop": completion.stop.value,
        "reward": _number(completion.reward),
    }


def _rewards_by_group(rollout: Rollout) -> list[list[float]]:
    found: list[list[float]] = [[] for _ in rollout.groups]
    for completion in rollout.completions:
        if np.isfinite(completion.reward):
            found[completion.group].append(completion.reward)
    return found


def _listed(values: LogprobArray | None) -> list[float] | None:
    return None if values is None else values.tolist()


def _number(value: float) -> float | None:
    return value if np.isfinite(value) else None
