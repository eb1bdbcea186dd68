"""How fast training is, in how much memory, and what the probe costs.

    python benchmarks/train_step.py [--quick] [--threads 2] [--rounds 3]

Two tables. (a) GRPO beside TRL's GRPOTrainer (`pip install trl`) in the same run: the same model, prompts, group size,
lengths, sampling, reward, loss and optimiser, on the CPU in float32, with no logging and no checkpoint between steps.
Every training run is a process of its own, and the two trainers take turns. What is measured begins after the first
rollout and its updates, and ends with the last update; peak memory is what the process grows by from just before the
first step on, so that optimiser state and gradients count. TRL is given whichever of three micro-batches is fastest.
(b) The probe's share of a probed step, and of a run that probes one step in five, by the length of a response: from a
rollout with the probe and one without it, both with their updates.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SAMPLES = 8
OURS_MICROBATCH = 4096
"""Tokens, as in the recipe tiny-cpu."""
THEIR_MICROBATCH = 32
"""Responses, which are about as many tokens. With 16 or 128 it takes as much processor time, within 6 %."""
PAPER_SHARE = 0.018
"""Of a whole run that probes one step in five, with a model of 4 B parameters on GPUs."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run, not how fast")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3, help="how often the two trainers take turns")
    parser.add_argument("--rollouts", type=int, default=3, help="of each training run; the first is not measured")
    parser.add_argument("--tables", default="ab", help="which of the two to make")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(train_one(json.loads(arguments.one), arguments.threads)))
        return
    with tempfile.TemporaryDirectory() as folder:
        child = Child(arguments.threads)
        if "a" in arguments.tables:
            sizes = [
                Size("builtin:tiny", tiny_folder(), prompts=4 if arguments.quick else 16, longest=96),
                Size("12 M, 32,768 tokens", wide_model(Path(folder) / "wide"), prompts=4, longest=64),
            ]
            rounds, rollouts = (1, 2) if arguments.quick else (arguments.rounds, arguments.rollouts)
            trainers_table(child, sizes, rounds, rollouts)
        if "b" in arguments.tables:
            probe_table(child, tiny_folder(), arguments.quick)


@dataclass(frozen=True)
class Size:
    """A model to train, and how much of it is trained on at once."""

    name: str
    folder: str
    prompts: int
    """Prompts an optimisation step."""
    longest: int
    """Tokens of a response, at most. The tiny model ends its responses itself; the random one hardly ever does."""


@dataclass(frozen=True)
class Child:
    """Starts training runs in processes of their own."""

    threads: int

    def __call__(self, **case: Any) -> dict[str, Any]:
        command = [sys.executable, __file__, "--threads", str(self.threads), "--one", json.dumps(case)]
        environment = os.environ | {"OMP_NUM_THREADS": str(self.threads), "TOKENIZERS_PARALLELISM": "false"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode:
            sys.exit(f"{case} failed:\n{done.stderr[-3000:]}")
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found


def tiny_folder() -> str:
    from semifactual.resources import tiny_model_path

    return str(tiny_model_path())


def wide_model(folder: Path) -> str:
    """A random Qwen3 of 12 million parameters, most of them in a vocabulary of 32,768, with the tiny model's text."""
    import torch
    from transformers import AutoTokenizer, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

    vocabulary = 32_768
    tokenizer = AutoTokenizer.from_pretrained(tiny_folder())
    state = json.loads(tokenizer.backend_tokenizer.to_str())
    known = state["model"]["vocab"]
    known |= {f"x{number}": number for number in range(len(known), vocabulary)}
    folder.mkdir()
    (folder / "state.json").write_text(json.dumps(state))
    wide = PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "state.json"), eos_token=tokenizer.eos_token, pad_token=tokenizer.pad_token
    )
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=vocabulary,
        hidden_size=256,
        intermediate_size=768,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=64,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    Qwen3ForCausalLM(config).save_pretrained(folder)
    wide.save_pretrained(folder)
    return str(folder)


# One training run, in a process of its own ----------------------------------------------------------------------------


@dataclass
class Marks:
    """What a run took, from the end of its first rollout's updates to the end of its last step."""

    warm: int
    """Steps that are not measured."""
    steps: int
    done: int = 0
    before_mb: float = 0.0
    started: tuple[float, float] = (0.0, 0.0)
    result: dict[str, Any] = field(default_factory=dict)

    def begin(self) -> None:
        """The first step is about to start."""
        self.before_mb = memory_mb("VmRSS")
        # Linux: the high-water mark starts again from what is held now.
        Path("/proc/self/clear_refs").write_text("5")

    def step(self) -> None:
        """A step is done."""
        self.done += 1
        now = (time.perf_counter(), time.process_time())
        if self.done == self.warm:
            self.started = now
        if self.done == self.steps:
            seconds, cpu_seconds = (end - start for end, start in zip(now, self.started, strict=True))
            self.result |= {"seconds": seconds, "cpu_seconds": cpu_seconds}
            self.result["peak_mb"] = memory_mb("VmHWM") - self.before_mb


def memory_mb(name: str) -> float:
    found = re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) / 1e3


def train_one(case: dict[str, Any], threads: int) -> dict[str, Any]:
    import torch

    torch.set_num_threads(threads)
    trainer = case.pop("trainer")
    return train_theirs(**case) if trainer == "trl" else train_ours(**case)


def source_of(count: int) -> str:
    return f"builtin:word_problems?n={count}&steps=1..2&max=20"


def reward(problem: Any, response: str) -> float:
    """Of no use, but the same for both, and hardly ever the same for two responses."""
    return len(response) / 100


def train_ours(*, model: str, updates: int, steps: int, prompts: int, longest: int, probed: int = 0) -> dict[str, Any]:
    """Our loop; `probed` is the number of first steps with credit. Where there are any, no response ends by itself."""
    from semifactual.train.distributed import join
    from semifactual.train.loop import train
    from semifactual.train.preflight import inspect
    from semifactual.train.recipe import Recipe
    from semifactual.train.run import Start, open_run

    recipe = Recipe.model_validate(
        {
            "steps": steps,
            "model": {"name": model, "device": "cpu"},
            "data": {"source": source_of(prompts * steps), "shuffle": False},
            "rollout": {"batch": prompts * updates, "samples": SAMPLES, "max_new_tokens": longest},
            "reward": {"function": "train_step:reward"},
            "credit": {"enabled": probed > 0, "steps": probed, "truncated": "include"},
            "optim": {"minibatch": prompts, "microbatch_tokens": OURS_MICROBATCH},
            "eval": {"every": 0, "at_start": False},
            "checkpoint": {"every": 0},
            "log": {"completions_every": 0},
        }
    )
    watcher = Watching(Marks(updates, steps))
    with tempfile.TemporaryDirectory() as folder:
        found = inspect(recipe, fetch=False)
        assert not found.faults, found.faults
        with open_run(found, Path(folder) / "run", Start(None), join(), watcher) as run:
            if probed:
                run.policy.stops = frozenset()
                # The probed steps are the first ones, so that nothing may be left that only a first call does.
                warm_up(run, longest)
            train(run)
    return watcher.marks.result | {"lines": watcher.lines}


def warm_up(run: Any, longest: int) -> None:
    from semifactual.policy.policy import Group, Request, Sampling

    chosen = run.data.prompts(run.data.problems[0])
    responses = run.policy.generate([Request(chosen.prompts[0], (0, 1))], Sampling(max_new_tokens=longest))[0]
    run.policy.logprobs([Group(chosen.prompts, tuple(response.token_ids for response in responses))])


class Watching:
    """Marks the steps of our loop."""

    def __init__(self, marks: Marks) -> None:
        self.marks = marks
        self.lines: list[dict[str, Any]] = []
        self._begun = False

    def phase(self, name: str) -> None:
        if not self._begun:
            self._begun = True
            self.marks.begin()

    def step(self, metrics: Mapping[str, Any], steps: int) -> None:
        self.marks.step()
        wanted = {name: value for name, value in metrics.items() if name.startswith("time/")}
        self.lines.append({"tokens": metrics["tokens"], **wanted})
        if self.marks.done > self.marks.warm:
            self.marks.result["tokens"] = self.marks.result.get("tokens", 0) + metrics["tokens"]

    def evaluation(self, metrics: Mapping[str, Any]) -> None: ...

    def say(self, sentence: str) -> None:
        print(sentence, file=sys.stderr)


def train_theirs(
    *, model: str, updates: int, steps: int, prompts: int, longest: int, rows: int = THEIR_MICROBATCH
) -> dict[str, Any]:
    """TRL's trainer, with micro-batches of `rows` responses."""
    import torch
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
    from trl import GRPOConfig, GRPOTrainer

    from semifactual.text.prompt_templates import load_prompt_template, render_prompt
    from semifactual.train.data import read_problems
    from semifactual.train.recipe import DataRecipe

    marks = Marks(updates, steps)
    tokens: list[int] = []

    def their_reward(completions: list[str], completion_ids: list[list[int]], **_: Any) -> list[float]:
        tokens.append(sum(map(len, completion_ids)))
        return [reward(None, completion) for completion in completions]

    class Watch(TrainerCallback):
        def on_train_begin(self, *_: Any, **__: Any) -> None:
            marks.begin()

        def on_step_end(self, *_: Any, **__: Any) -> None:
            marks.step()

    problems, _ = read_problems(DataRecipe(source=source_of(prompts * steps)))
    template = load_prompt_template("default")
    accumulated = prompts * SAMPLES // rows
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32),
            processing_class=AutoTokenizer.from_pretrained(model),
            reward_funcs=their_reward,
            train_dataset=Dataset.from_list(
                [{"prompt": render_prompt(template, problem.text)} for problem in problems]
            ),
            callbacks=[Watch()],
            args=GRPOConfig(
                output_dir=folder,
                max_steps=steps,
                per_device_train_batch_size=rows,
                gradient_accumulation_steps=accumulated,
                steps_per_generation=accumulated * updates,
                num_generations=SAMPLES,
                max_completion_length=longest,
                temperature=1.0,
                top_p=1.0,
                shuffle_dataset=False,
                loss_type="dapo",
                epsilon=0.2,
                epsilon_high=0.28,
                delta=10.0,
                beta=0.0,
                learning_rate=1e-6,
                lr_scheduler_type="constant",
                weight_decay=0.01,
                max_grad_norm=1.0,
                use_cpu=True,
                bf16=False,
                gradient_checkpointing=False,
                logging_strategy="no",
                save_strategy="no",
                report_to="none",
                disable_tqdm=True,
                dataloader_pin_memory=False,
                seed=0,
            ),
        )
        generation: list[float] = []
        timed(trainer, "_generate", generation)
        trainer.train()
    rollouts = steps // updates
    assert len(tokens) == rollouts, (len(tokens), rollouts)
    return marks.result | {"tokens": sum(tokens[1:]), "rollout": sum(generation[1:])}


def timed(trainer: Any, name: str, seconds: list[float]) -> None:
    """Note how long each call of a method takes."""
    method = getattr(trainer, name)

    def call(*arguments: Any, **options: Any) -> Any:
        started = time.perf_counter()
        result = method(*arguments, **options)
        seconds.append(time.perf_counter() - started)
        return result

    setattr(trainer, name, call)


# Tables ---------------------------------------------------------------------------------------------------------------


def trainers_table(child: Child, sizes: Sequence[Size], rounds: int, rollouts: int) -> None:
    print(
        f"(a) GRPO, G = {SAMPLES}, {child.threads} threads, median of {rounds} rounds of {rollouts - 1} measured "
        f"rollouts; load {load()}\n"
    )
    print(
        "| model | updates a rollout | | tokens/s | tokens/CPU s | time in generation | peak memory above the start |"
        " tokens/s, ours / TRL | tokens/CPU s, ours / TRL | memory, TRL / ours |"
    )
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for size in sizes:
        for updates in (1, 2):
            compare(child, size, updates, rounds, rollouts)
    print(f"\nload at the end {load()}\n")


def compare(child: Child, size: Size, updates: int, rounds: int, rollouts: int) -> None:
    """Print the rows of one model and number of updates."""
    case = {"model": size.folder, "updates": updates, "steps": updates * rollouts}
    case |= {"prompts": size.prompts, "longest": size.longest}
    ours, theirs = [], []
    for number in range(rounds):
        # Who goes first takes turns too: on a shared machine the load drifts.
        for trainer in ("ours", "trl") if number % 2 else ("trl", "ours"):
            (ours if trainer == "ours" else theirs).append(child(trainer=trainer, **case))
    for found in ours:
        found["rollout"] = sum(line.get("time/rollout", 0.0) for line in found["lines"][updates:])
    wall = ratio(ours, theirs, "seconds")
    cpu = ratio(ours, theirs, "cpu_seconds")
    memory = statistics.median(run["peak_mb"] for run in theirs) / statistics.median(run["peak_mb"] for run in ours)
    what = f"{size.name}; {size.prompts} prompts a step, up to {size.longest} tokens"
    print(f"| {what} | {updates} | TRL | {cells(theirs)} | | | |")
    print(f"| | | ours | {cells(ours)} | {wall:.2f} | {cpu:.2f} | {memory:.2f} |", flush=True)


def ratio(ours: Sequence[Mapping[str, Any]], theirs: Sequence[Mapping[str, Any]], clock: str) -> float:
    """Our tokens by a clock over theirs: the median over the rounds."""
    return statistics.median(
        (mine["tokens"] / mine[clock]) / (their["tokens"] / their[clock])
        for mine, their in zip(ours, theirs, strict=True)
    )


def cells(runs: Sequence[Mapping[str, Any]]) -> str:
    wall, cpu = (statistics.median(run["tokens"] / run[clock] for run in runs) for clock in ("seconds", "cpu_seconds"))
    share = statistics.median(run["rollout"] / run["seconds"] for run in runs)
    peak = statistics.median(run["peak_mb"] for run in runs)
    return f"{wall:,.0f} | {cpu:,.0f} | {share:.0%} | {peak:,.0f} MB"


def probe_table(child: Child, model: str, quick: bool) -> None:
    prompts = 1 if quick else 2
    print(
        f"(b) the probe, K = 4, builtin:tiny, G = {SAMPLES}, two updates of {prompts} prompts a rollout, responses of "
        f"one length, {child.threads} threads; load {load()}\n"
    )
    print(
        "| response tokens | generation | old log-probs | updates | probe, K+2 rows | share of a probed step |"
        " share of a run that probes one step in five | the paper's |"
    )
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for longest in (32, 64) if quick else (32, 256, 1024):
        # One rollout with the probe and one without it.
        found = child(trainer="ours", model=model, updates=2, steps=4, probed=2, prompts=prompts, longest=longest)
        lines = found["lines"]
        parts = {
            name: sum(line.get(f"time/{name}", 0.0) for line in lines) / 2 for name in ("rollout", "old", "update")
        }
        probe = lines[0]["time/probe"]
        rest = (sum(line["time/step"] for line in lines) - probe) / 2
        print(
            f"| {longest:,} | {' | '.join(f'{seconds:.2f} s' for seconds in parts.values())} | {probe:.2f} s | "
            f"{probe / (probe + rest):.1%} | {probe / (probe + 5 * rest):.1%} | {PAPER_SHARE:.1%} |",
            flush=True,
        )
    print(f"\nload at the end {load()}\n")


def load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    main()
