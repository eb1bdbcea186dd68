"""The training loop. `train` is the whole method; each step of it is a function below or in a module of its name."""

from __future__ import annotations

import math
import time
from enum import StrEnum
from functools import partial
from typing import Any

from semifactual.errors import OutputError
from semifactual.train.advantages import spread
from semifactual.train.batch import Batch, Minibatch, lambda_at, make_batch, minibatch
from semifactual.train.checkpoint import rng_state, write_checkpoint, write_state
from semifactual.train.interrupts import Stopping
from semifactual.train.reading import autocast
from semifactual.train.run import Run
from semifactual.train.telemetry import completion_rows, peak_memory_mb, rollout_metrics, rollout_warnings
from semifactual.train.update import accumulate, apply_gradients, over_all
from semifactual.train.validation import validate


class Ended(StrEnum):
    """How a run ended."""

    DONE = "done"
    INTERRUPTED = "interrupted"
    """The user asked for it; a checkpoint holds everything up to here."""


def train(run: Run) -> Ended:
    """Train until the recipe's steps are done, or the user stops it.

    Raises:
        OutputError: the last checkpoint cannot be written.
        RewardError: too many rewards of a rollout failed. The last checkpoint stands.
    """
    try:
        while True:
            run.rng = rng_state()
            validate_if_due(run)
            save_if_due(run)
            if run.state.step >= run.recipe.steps:
                return Ended.DONE
            run.watcher.phase("rollout")
            started = time.perf_counter()
            with run.interrupts.droppable():
                batch = make_batch(run)
            for number in range(run.recipe.steps_per_rollout):
                run.watcher.phase("update")
                learn(run, batch, number, started)
                started = time.perf_counter()
            run.state.rollout += 1
            run.state.position += batch.taken
    except Stopping:
        if run.state.step > 0:
            save(run)
        return Ended.INTERRUPTED


def learn(run: Run, batch: Batch, number: int, started: float) -> None:
    """One optimisation step: loss and gradient of the rows, the update, and what is written down of it."""
    step = run.state.step + 1
    weight = lambda_at(run.recipe, step)
    rows = minibatch(run, batch, number, weight)
    began = time.perf_counter()
    metrics = update(run, rows, step)
    metrics["time/update"] = time.perf_counter() - began
    if number == 0:
        metrics |= rollout_metrics(batch.rollout, dynamic=run.recipe.rollout.dynamic_sampling)
        metrics["policy/entropy"] = mean_entropy(run, batch)
        metrics |= {} if batch.credited is None else batch.credited.metrics
        metrics |= {f"time/{name}": seconds for name, seconds in batch.seconds.items()}
    run.state.step = step
    if run.ranks.is_main:
        warnings = rollout_warnings(batch.rollout, batch.credited) if number == 0 else []
        write_step(run, batch, metrics, weight, warnings, time.perf_counter() - started)


def update(run: Run, rows: Minibatch, step: int) -> dict[str, Any]:
    """The gradient over all micro-batches and processes, and one step of AdamW."""
    recipe, model = run.recipe, run.policy.model
    model.train(recipe.model.gradient_checkpointing)  # which is all that training mode is wanted for
    metrics: dict[str, Any] = {"optim/lr": 0.0, "optim/grad_norm": 0.0}
    tally = accumulate(recipe, run.reader, rows.rows, rows.denominators)
    if rows.denominators.tokens:  # without a token to learn from, weights and moments stay as they are
        metrics = apply_gradients(recipe.optim, run.optimizer, run.ranks, step)
    metrics["tokens"] = rows.denominators.tokens
    return {**metrics, **over_all(run.ranks.gather([tally])).metrics(), **spread(rows.advantages)}


def mean_entropy(run: Run, batch: Batch) -> float:
    """Of the policy that made a rollout, over all tokens that are learnt from, in nats."""
    mine = [(scored.entropy, len(scored.logps)) for scored in batch.old.values()]
    everything = run.ranks.gather(mine)
    tokens = sum(count for _, count in everything)
    return math.fsum(entropy for entropy, _ in everything) / tokens if tokens else math.nan


def write_step(
    run: Run, batch: Batch, metrics: dict[str, Any], weight: float, warnings: list[str], seconds: float
) -> None:
    """The line of a step, and now and then the table of completions."""
    step, log = run.state.step, run.recipe.log
    if not math.isfinite(metrics["optim/grad_norm"]):
        warnings.append("the gradient was not finite, so this step changed nothing")
    first = run.state.step <= run.recipe.steps_per_rollout
    wanted = log.completions_every > 0 and (first or step % log.completions_every < run.recipe.steps_per_rollout)
    if wanted and "reward/mean" in metrics:
        rows = completion_rows(
            batch.rollout,
            run.policy,
            batch.advantages,
            batch.credited,
            batch.old,
            step=step,
            weight=weight,
            groups=log.completions,
        )
        run.records.write_completions(step, rows)
    line = {"step": step, "rollout": run.state.rollout, "epoch": run.state.position / len(run.data), **metrics}
    line |= {"credit/lambda": weight, "time/step": seconds}
    line |= {"time/tokens_per_second": metrics["tokens"] / seconds, "time/peak_memory_mb": peak_memory_mb()}
    if "time/rollout" in line:
        generated = sum(len(completion.token_ids) for completion in batch.rollout.completions)
        line["time/generated_tokens_per_second"] = generated / max(line["time/rollout"], 1e-9)
    if warnings:
        line["warnings"] = warnings
    run.records.metrics.append(line)
    run.watcher.step(line, run.recipe.steps)


def validate_if_due(run: Run) -> None:
    """Before training, every so many steps and at the end, unless this was done before an interruption."""
    settings, step = run.recipe.eval, run.state.step
    due = settings.at_start if step == 0 else settings.every > 0 and step % settings.every == 0
    due = due or (step >= run.recipe.steps and settings.every > 0)
    if not due or not run.sets:
        return
    metrics = run.ranks.gather([run.records.evaluations.of_step(step) if run.ranks.is_main else None])[0]
    if metrics is None:
        metrics = validate_now(run)
    value = metrics.get(run.recipe.checkpoint.best or "")
    if value is not None and math.isfinite(value) and (run.state.best_value is None or value > run.state.best_value):
        run.state.best_step, run.state.best_value = step, value


def validate_now(run: Run) -> dict[str, Any]:
    """Measure on every set, and write it down: the line of eval.jsonl, the same in every process but for the time."""
    step = run.state.step
    run.watcher.phase("validation")
    started = time.perf_counter()
    metrics: dict[str, Any] = {"step": step}
    rows: list[dict[str, Any]] = []
    with run.interrupts.droppable(), autocast(run.recipe.model, run.policy.device):
        for chosen in run.sets:
            longest = run.recipe.rollout.max_new_tokens
            found = validate(chosen, run.policy, run.data.encode, run.judge, run.ranks, longest)
            metrics |= found.metrics
            rows += found.rows
            if found.warning and run.ranks.is_main:
                run.watcher.say(f"step {step}: {found.warning}")
    metrics["time/seconds"] = time.perf_counter() - started
    if run.ranks.is_main:
        run.records.write_validation(step, rows)
        run.records.evaluations.append(metrics)
        run.watcher.evaluation(metrics)
    return metrics


def save_if_due(run: Run) -> None:
    """Every so many steps, at the end, and where validation was never better. A full disk ends the run only at its
    end: until then it is tried again after every rollout.
    """
    step, every = run.state.step, run.recipe.checkpoint.every
    last, best = step >= run.recipe.steps, step == run.state.best_step
    if step == 0 or not (last or best or run.unsaved or (every and step % every == 0)):
        return
    try:
        save(run)
    except OutputError as error:
        if last:
            raise
        run.unsaved = True
        run.watcher.say(f"{error.message}; training goes on, and it is tried again after the next rollout")


def save(run: Run) -> None:
    """Write a checkpoint, once everything before it is on disk too.

    Raises:
        OutputError: the disk refuses. Older checkpoints are untouched.
    """
    run.watcher.phase("checkpoint")
    rng = run.ranks.gather([run.rng])
    error: OutputError | None = None
    if run.ranks.is_main:
        write = partial(
            write_checkpoint,
            model=run.policy.model,
            tokenizer=run.policy.tokenizer,
            optimizer=run.optimizer,
            state=run.state,
            rng=rng,
            about=run.about,
        )
        try:
            run.records.sync()
            if (there := run.checkpoints.path(run.state.step)).exists():  # written when a validation was broken off
                write_state(there, run.state, run.about)
            run.checkpoints.save(run.state.step, write, run.state.best_step)
        except OutputError as refused:
            error = refused
    error = run.ranks.gather([error])[0]
    if error is not None:
        raise error
    run.unsaved = False
