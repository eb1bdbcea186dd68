"""What a run is going to do, as ``--dry-run`` prints it: model, data, batches, memory, and what the probe will cost."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from semifactual.train.model_facts import GIB, Memory, memory_here, memory_needed
from semifactual.train.preflight import Inspection
from semifactual.train.recipe import Recipe


def plan_of(found: Inspection, world: int) -> dict[str, Any]:
    """The plan as JSON values. Numbers that nobody can know yet are null."""
    recipe, facts = found.recipe, found.facts
    rollouts = recipe.steps / recipe.steps_per_rollout if recipe.steps_per_rollout else None
    rows = recipe.rollout.batch * recipe.rollout.samples
    memory = None if facts is None else memory_needed(recipe, facts)
    return {
        "model": {"name": recipe.model.name, **({} if facts is None else asdict(facts))},
        "data": {
            "source": recipe.data.source,
            "problems": len(found.problems),
            "semifactuals_a_problem": {str(count): problems for count, problems in found.rewrites.items()},
            "longest_prompt": found.longest_prompt,
            "passes": None if not found.problems or rollouts is None else _passes(recipe, found, rollouts),
        },
        "method": _method(recipe),
        "batches": {
            "steps": recipe.steps,
            "rollouts": rollouts,
            "steps_per_rollout": recipe.steps_per_rollout,
            "responses_a_rollout": rows,
            "responses_a_step": recipe.optim.minibatch * recipe.rollout.samples,
            "processes": world,
        },
        "memory": None if memory is None else {**asdict(memory), "peak": memory.peak, "here": memory_here()[0]},
        "probe": probe_cost(found),
        "validation": {s.name: {"problems": len(s.problems), "prompts": _prompts(s.problems)} for s in found.sets},
        "notices": list(found.notices),
        "faults": list(found.faults),
    }


def probe_cost(found: Inspection) -> dict[str, Any] | None:
    """What the probe is expected to add, in forward passes a response token; None where there is no credit.

    An update counts as three forward passes, four with gradient checkpointing, generation and the old log-probs as one
    each. Generation takes longer than that on most machines, so the share of the time is smaller than this share.
    """
    recipe = found.recipe
    credit = recipe.credit
    if probe_free(recipe):
        return None
    problems = sum(found.rewrites.values())
    variants = sum(count * number for count, number in found.rewrites.items()) / problems if problems else 0.0
    # The original, its variants, and the original once more for the noise floor.
    passes = variants + 2
    others = 1 + 1 + (4 if recipe.model.gradient_checkpointing else 3)
    share = passes / (passes + others)
    probed = min(credit.steps, recipe.steps) / recipe.steps
    of_run = probed * passes / (probed * passes + others)
    return {
        "passes": passes,
        "other_passes": others,
        "share_probed": share,
        "steps_probed": probed,
        "share_run": of_run,
    }


def probe_free(recipe: Recipe) -> bool:
    """Whether lambda is zero all the time."""
    credit = recipe.credit
    return not credit.enabled or credit.lambda0 == 0 or credit.steps == 0


def plan_lines(plan: dict[str, Any]) -> list[str]:
    """The plan for a person."""
    return [
        *_model_lines(plan),
        *_data_lines(plan),
        *_method_lines(plan),
        *_batch_lines(plan),
        *_memory_lines(plan),
        *_probe_lines(plan),
    ]


def _model_lines(plan: dict[str, Any]) -> list[str]:
    model = plan["model"]
    if "parameters" not in model:
        return [f"model       {model['name']}, of unknown size: its configuration is not here"]
    return [
        f"model       {model['name']}: {model['parameters']:,} parameters in {model['layers']} layers,"
        f" a vocabulary of {model['vocabulary']:,}"
    ]


def _data_lines(plan: dict[str, Any]) -> list[str]:
    data = plan["data"]
    longest = data["longest_prompt"]
    lines = [
        f"data        {data['source']}: {data['problems']:,} problems, longest prompt"
        f" {'not measured' if longest is None else f'{longest:,} tokens'}"
    ]
    counts = ", ".join(f"{problems:,} with {count}" for count, problems in data["semifactuals_a_problem"].items())
    if counts:
        lines.append(f"            semifactuals: {counts}")
    if data["passes"] is not None:
        lines.append(f"            gone through {data['passes']:.2f} times")
    for name, found in plan["validation"].items():
        lines.append(f"validation  {name}: {found['problems']:,} problems, {found['prompts']:,} prompts")
    return lines


def _method(recipe: Recipe) -> dict[str, Any]:
    credit = recipe.credit
    return {
        "advantage": recipe.loss.advantage,
        "credit": None
        if probe_free(recipe)
        else {
            "form": credit.function or credit.form,
            "source": credit.source,
            "lambda0": credit.lambda0,
            "steps": min(credit.steps, recipe.steps),
            "schedule": credit.schedule,
        },
        "lr": recipe.optim.lr,
        "reward": recipe.reward.function,
    }


def _method_lines(plan: dict[str, Any]) -> list[str]:
    method = plan["method"]
    credit = method["credit"]
    said = "no credit"
    if credit is not None:
        source = "" if credit["source"] == "semifactual" else f" ({credit['source']})"
        falling = "" if credit["schedule"] == "constant" else f", {credit['schedule']},"
        said = f"credit {credit['form']}{source}, lambda {credit['lambda0']:g}{falling} in steps 1-{credit['steps']:,}"
    reward = method["reward"] or "last boxed answer"
    return [f"method      {method['advantage']} advantages; {said}; lr {method['lr']:g}; reward: {reward}"]


def _batch_lines(plan: dict[str, Any]) -> list[str]:
    batches = plan["batches"]
    return [
        f"batches     {batches['steps']:,} optimisation steps, {batches['steps_per_rollout']} a rollout;"
        f" {batches['responses_a_rollout']:,} responses a rollout, {batches['responses_a_step']:,} a step,"
        f" on {batches['processes']} process{'es' if batches['processes'] > 1 else ''}"
    ]


def _memory_lines(plan: dict[str, Any]) -> list[str]:
    memory = plan["memory"]
    if memory is None:
        return ["memory      unknown"]
    parts = ", ".join(f"{name} {_size(memory[name])}" for name in Memory.__dataclass_fields__)
    over = "; that is more than is here" if memory["peak"] > memory["here"] else ""
    return [
        f"memory      about {_size(memory['peak'])} of {_size(memory['here'])} here{over}",
        f"            ({parts})",
    ]


def _probe_lines(plan: dict[str, Any]) -> list[str]:
    probe = plan["probe"]
    if probe is None:
        return ["probe       none: no credit"]
    return [
        f"probe       {probe['passes']:.1f} forward passes a response token beside {probe['other_passes']} others:"
        f" {probe['share_probed']:.0%} of the arithmetic of a probed step,"
        f" {probe['share_run']:.1%} of the run's, with {probe['steps_probed']:.0%} of its steps probed"
    ]


def _size(count: int) -> str:
    return f"{count / GIB:.1f} GiB" if count >= GIB else f"{count / 2**20:.0f} MiB"


def _passes(recipe: Recipe, found: Inspection, rollouts: float) -> float:
    return rollouts * recipe.rollout.batch / len(found.problems)


def _prompts(problems: Any) -> int:
    return sum(1 + len(problem.semifactuals) + len(problem.evaluation_variants) for problem in problems)
