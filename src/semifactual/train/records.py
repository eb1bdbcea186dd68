"""What a run writes down as it goes, and how that is cut back to a checkpoint.

A run's folder::

    recipe.yaml                         the recipe, every setting resolved
    metrics.jsonl                       one JSON object an optimisation step
    eval.jsonl                          one JSON object a validation
    validation/step-000020.parquet      its results prompt by prompt
    completions/step-000020.parquet     a few groups with per-token credit
    checkpoints/step-40/                see `semifactual.train.checkpoint`
    report.html                         made of the others when the run ends, however it does

**metrics.jsonl**: flat keys, numbers only, but for ``warnings``. Every line has ``step`` (1, 2, ...), ``rollout`` (the
number of the rollout that it used, from 0) and ``epoch`` (how often the data has been gone through, a fraction). Keys
of what happens once a rollout stand in the line of its first step alone. A key is absent where it means nothing: no
``drift/`` and ``credit/`` after the credit's schedule has ended. A number that is not finite is null.

====================================  =====================================================================
once a rollout
====================================  =====================================================================
``reward/mean``, ``reward/std``       over the responses, penalties included
``reward/accuracy``                   share of right answers: rewards before any penalty above 0.5
``reward/timeouts``                   responses that the verifier could not decide before its deadline
``reward/failed``                     responses without a finite reward, left out
``group/uniform``                     share of groups whose rewards are all equal
``group/rounds``                      batches generated for this rollout (dynamic sampling)
``group/kept``                        share of generated groups that were trained on (dynamic sampling)
``length/mean``, ``length/max``       tokens a response
``length/truncated``                  share of responses cut at the longest length
``length/empty``                      share of responses without a token
``policy/entropy``                    mean over tokens, nats, of the policy that generated
``drift/mean``                        mean over kinds, then tokens
``drift/zero``                        share of tokens whose drift is 0 under every kind
``drift/kind/KIND``                   mean over tokens
``drift/noise``                       the same between the original prompt and itself: the noise floor
``drift/noise/KIND``                  that, over the responses that the kind was scored on
``drift/idle/KIND``                   1 where the kind's drift is within three times of its noise floor, else 0
``credit/share``                      share of tokens whose credit is not 0
``credit/mass``                       mean of the credit's size before lambda, over all scored tokens: of -u^-
``time/rollout``                      seconds to generate
``time/reward``                       seconds to compute rewards
``time/probe``                        seconds to score responses under every variant; 0 where nothing was probed
``time/old``                          seconds to score the old log-probs
``time/generated_tokens_per_second``  generated tokens over ``time/rollout``
====================================  =====================================================================

====================================  =====================================================================
every optimisation step
====================================  =====================================================================
``loss``                              the surrogate, as minimised
``policy/kl``                         mean of the old minus the new log-prob: an estimate of KL(old || new)
``ratio/mean``, ``/min``, ``/max``    of the ratio before clipping, over tokens
``clip/low``, ``clip/high``           share of tokens where the clip took the gradient away, by side
``clip/dual``                         share of tokens where the dual clip did
``credit/lambda``                     the strength in this step
``advantage/mean``                    of the token advantages
``advantage/abs``                     mean of their size
``advantage/effective_tokens``        (sum |A|)^2 / (n sum A^2): the share of tokens that carry the update
``advantage/gini``                    Gini coefficient of |A|: 0 even, towards 1 all on a few tokens
``optim/lr``, ``optim/grad_norm``     the norm before clipping
``tokens``                            response tokens in the loss: what it is divided by, with token-mean
``tokens/learnt``                     those of responses with an advantage other than 0; ``policy/kl``, ``ratio/`` and
                                      ``clip/`` are over these, and absent where there is none
``time/update``                       seconds for forward, backward and step
``time/step``                         seconds of the whole step, with its share of the rollout for the first
``time/tokens_per_second``            response tokens trained on over ``time/step``
``time/peak_memory_mb``               most memory so far: of the GPU, or of this process where there is none
``warnings``                          list of sentences, only where there are any
====================================  =====================================================================

Only keys that begin with ``time/`` depend on the machine: the others of a run that was interrupted and resumed on a
CPU equal those of one that was not.

**eval.jsonl**: ``step``, ``time/seconds`` and, for every set NAME: ``NAME/accuracy`` (on the original prompts),
``NAME/accuracy/KIND``, ``NAME/variants`` (mean over kinds), ``NAME/sealed`` (mean over the kinds that nothing trains
on), ``NAME/pass@K`` on the original prompts, ``NAME/truncated``, ``NAME/length``, ``NAME/problems``, and, where
a reward failed, ``NAME/failed`` (the share of such responses, which are not right; an accuracy is null where all of its
responses are such). It is measured on the weights after ``step`` optimisation steps; step 0 is the model before
training.

**validation/*.parquet**: a row a prompt, with ``set``, ``problem_id``, ``number`` (of the prompt in its problem, 0 the
original), ``kind`` ("original" or the rewrite's), ``sealed`` (whether nothing trains on that kind), ``question`` (a
digest of the prompt's problem and answer), ``samples`` and, summed over them, ``right``, ``truncated`` and ``tokens``.

**completions/*.parquet**: a row a response, with ``step``, ``problem_id``, ``sample``, ``kind`` (the prompt that it was
generated under; "original"), ``prompt``, ``answer`` (the reference answer), ``response``, ``stop``, ``reward``,
``advantage`` (of the response, before credit; null where it was left out), ``lambda``, and lists over its tokens:
``tokens`` (text), ``logps`` (old log-probs), ``drift`` (mean over kinds), ``u`` (the credit before lambda: u^-, at most
0 by default) and ``credit`` (lambda u). The last three are null where nothing was probed.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from semifactual.pipeline.output import write_text_durably, writing

RECIPE_NAME = "recipe.yaml"
METRICS_NAME = "metrics.jsonl"
EVAL_NAME = "eval.jsonl"
COMPLETIONS_FOLDER = "completions"
VALIDATION_FOLDER = "validation"
TIMES = "time/"
"""What the keys begin with that depend on the machine and not on the run."""

COMPLETIONS = pa.schema(
    [
        ("step", pa.int64()),
        ("problem_id", pa.string()),
        ("sample", pa.int64()),
        ("kind", pa.string()),
        ("prompt", pa.string()),
        ("answer", pa.string()),
        ("response", pa.string()),
        ("stop", pa.string()),
        ("reward", pa.float64()),
        ("advantage", pa.float64()),
        ("lambda", pa.float64()),
        ("tokens", pa.list_(pa.string())),
        ("logps", pa.list_(pa.float32())),
        ("drift", pa.list_(pa.float32())),
        ("u", pa.list_(pa.float32())),
        ("credit", pa.list_(pa.float32())),
    ]
)
VALIDATION = pa.schema(
    [
        ("set", pa.string()),
        ("problem_id", pa.string()),
        ("number", pa.int64()),
        ("kind", pa.string()),
        ("sealed", pa.bool_()),
        ("question", pa.string()),
        ("right", pa.int64()),
        ("samples", pa.int64()),
        ("truncated", pa.int64()),
        ("tokens", pa.int64()),
    ]
)


class JsonLines:
    """A file of JSON lines with rising steps. What a full disk refuses waits in memory for the next chance."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._waiting = b""
        self._end = path.stat().st_size if path.exists() else 0

    def append(self, line: Mapping[str, Any]) -> bool:
        """Add a line, and say whether everything is in the file now."""
        clean = {key: _finite(value) for key, value in line.items()}
        self._waiting += json.dumps(clean, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        try:
            self._write()
        except OSError:
            return False
        return True

    def sync(self) -> None:
        """Make every line durable.

        Raises:
            OutputError: the disk refuses. No line is lost: each is in the file or still waiting.
        """
        with writing(self.path):
            self._write()
            if self.path.exists():
                with self.path.open("rb") as file:
                    os.fsync(file.fileno())

    def cut(self, step: int) -> None:
        """Take away the lines of later steps, and a last line that a dying process has torn."""
        self._waiting = b""
        self._end = 0
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n") or json.loads(line)["step"] > step:
                    break
                self._end += len(line)
        with writing(self.path):
            os.truncate(self.path, self._end)

    def lines(self) -> Iterator[dict[str, Any]]:
        """The whole lines in the file, in order: a full disk may have torn the last one."""
        if self.path.exists():
            with self.path.open(encoding="utf-8", newline="\n") as file:
                yield from (json.loads(line) for line in file if line.endswith("\n"))

    def of_step(self, step: int) -> dict[str, Any] | None:
        """The line of a step; None where the file has none."""
        return next((line for line in self.lines() if line["step"] == step), None)

    def _write(self) -> None:
        """Everything that waits, from the end of the last whole line on: a write that failed may have left a part."""
        if not self._waiting:
            return
        with self.path.open("r+b" if self.path.exists() else "wb", buffering=0) as file:
            file.seek(self._end)
            file.truncate()
            unwritten = memoryview(self._waiting)
            while unwritten:
                unwritten = unwritten[file.write(unwritten) :]
        self._end += len(self._waiting)
        self._waiting = b""


class Records:
    """What one run writes into its folder, but for the checkpoints."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.metrics = JsonLines(folder / METRICS_NAME)
        self.evaluations = JsonLines(folder / EVAL_NAME)

    def write_recipe(self, text: str) -> None:
        """Keep the resolved recipe, as YAML.

        Raises:
            OutputError: it cannot be written.
        """
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        write_text_durably(self.folder / RECIPE_NAME, text)

    def write_completions(self, step: int, rows: Sequence[Mapping[str, Any]]) -> bool:
        """Write the table of one step, and say whether the disk took it: a run does not end for a table."""
        return self._write_table(COMPLETIONS_FOLDER, step, rows, COMPLETIONS)

    def write_validation(self, step: int, rows: Sequence[Mapping[str, Any]]) -> bool:
        """Write the results of a validation prompt by prompt, and say whether the disk took them."""
        return self._write_table(VALIDATION_FOLDER, step, rows, VALIDATION)

    def sync(self) -> None:
        """Make all lines durable, as a checkpoint needs it: it vouches for everything before it.

        Raises:
            OutputError: the disk refuses.
        """
        self.metrics.sync()
        self.evaluations.sync()

    def cut(self, step: int) -> None:
        """Go back to where a checkpoint stands, so that nothing is written twice; -1: to before everything."""
        self.metrics.cut(step)
        self.evaluations.cut(step)
        for folder in (COMPLETIONS_FOLDER, VALIDATION_FOLDER):
            for path in sorted((self.folder / folder).glob("step-*.parquet")):
                if (found := re.search(r"(\d+)", path.stem)) and int(found[1]) > step:
                    path.unlink()

    def _write_table(self, folder: str, step: int, rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> bool:
        path = self.folder / folder / _table_name(step)
        temporary = path.with_name(f".{path.name}.tmp")
        try:
            path.parent.mkdir(exist_ok=True)
            pq.write_table(pa.Table.from_pylist([dict(row) for row in rows], schema=schema), temporary)
            os.replace(temporary, path)
        except OSError:
            temporary.unlink(missing_ok=True)
            return False
        return True


def _table_name(step: int) -> str:
    return f"step-{step:06d}.parquet"


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
