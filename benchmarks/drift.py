"""How fast responses are scored under the variants of a prompt, and in how much memory, beside the plain way.

    python benchmarks/drift.py [--quick] [--threads 2] [--groups 3]

The plain way, in the same run: for each of the K+1 variants one batch of the group's G rows of prompt and response,
padded, through the whole model, with logits at every position. Four tables: (a) wall time; (b) peak memory with a
vocabulary of 151,936 and one response of 2,048 tokens, each case in a process of its own; (c) how time grows with K, G
and the length of a response; (d) the floating point operations a second that scoring reaches, as a share of what a
plain matrix product reaches on the same machine. Models are random and of the Qwen3 family, in float32.

Ours scores K+2 rows a response: the identity, which gives the noise floor, is one more than the plain way's K+1. The
column *a row* compares at equal numbers of rows.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from semifactual.policy.local import LocalPolicy
from semifactual.policy.policy import Group, GroupLogprobs

MIDDLE = {"vocab": 32_000, "width": 512, "layers": 10}
"""48 million parameters."""
SMALL = {"vocab": 8_000, "width": 192, "layers": 4}
WIDE_HEAD = {"vocab": 151_936, "width": 256, "layers": 2}
"""For memory: the vocabulary of Qwen3, and little else."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run, not how fast")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--groups", type=int, default=3, help="groups in table (a)")
    parser.add_argument("--peak", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    if arguments.peak:
        print(json.dumps(peak_mb(**json.loads(arguments.peak))))
        return
    policy = random_policy(**(SMALL if arguments.quick else MIDDLE))
    time_table(policy, 1 if arguments.quick else arguments.groups, longest=80 if arguments.quick else 400)
    memory_table(arguments.threads, tokens=256 if arguments.quick else 2048)
    growth_table(rounds=1 if arguments.quick else 3)
    flops_table(policy, longest=80 if arguments.quick else 400)


def random_policy(*, vocab: int, width: int, layers: int, tokens_per_batch: int | None = None) -> LocalPolicy:
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=vocab,
        hidden_size=width,
        intermediate_size=3 * width,
        num_hidden_layers=layers,
        num_attention_heads=width // 64,
        num_key_value_heads=width // 64,
        head_dim=64,
        tie_word_embeddings=True,
    )
    model = Qwen3ForCausalLM(config).eval()
    # A policy has a tokenizer; everything here is made of token ids.
    words = Tokenizer(models.WordLevel({"</s>": 0}, unk_token="</s>"))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, eos_token="</s>")
    policy = LocalPolicy(model, tokenizer, name="random", tokens_per_batch=tokens_per_batch)
    # The first call tries what the model can do; that is not to be measured.
    policy.logprobs([random_group(random.Random(0), variants=2, responses=1, prompt=(3, 3), response=(3, 3))])
    return policy


def random_group(
    rng: random.Random, *, variants: int, responses: int, prompt: tuple[int, int], response: tuple[int, int]
) -> Group:
    """Random tokens; the variants of a prompt are up to a tenth longer than the original, as rewrites are."""

    def ids(length: int) -> tuple[int, ...]:
        return tuple(rng.randrange(1000) for _ in range(length))

    original = ids(rng.randint(*prompt))
    others = tuple((*original, *ids(rng.randint(0, len(original) // 10))) for _ in range(variants - 1))
    return Group((original, *others), tuple(ids(rng.randint(*response)) for _ in range(responses)))


@torch.no_grad()
def plainly(model: Any, group: Group) -> list[list[np.ndarray]]:
    """The plain way: one padded batch a variant, all logits."""
    found = []
    for prompt in group.prompts:
        rows = [prompt + response for response in group.responses]
        longest = max(map(len, rows))
        ids = torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
        logits = model(input_ids=ids, attention_mask=mask, use_cache=False).logits
        # Row by row, so that no second tensor of this size is made.
        found.append([scored(row, prompt, response) for row, response in zip(logits, group.responses, strict=True)])
    return found


def scored(logits: torch.Tensor, prompt: Sequence[int], response: Sequence[int]) -> np.ndarray:
    here = logits[len(prompt) - 1 : len(prompt) + len(response) - 1]
    return (here.gather(1, torch.tensor(response)[:, None])[:, 0] - here.logsumexp(dim=1)).numpy()


def seconds(function: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = function()
    return time.perf_counter() - started, result


def time_table(policy: LocalPolicy, groups: int, longest: int) -> None:
    """Prompts are spread evenly over their range, one a group; the lengths of responses are drawn from theirs."""
    rng = random.Random(1)
    shortest = longest // 8
    rows, departure = [], 0.0
    for number in range(groups):
        length = round(shortest + (longest - shortest) * (number + 0.5) / groups)
        group = random_group(rng, variants=5, responses=8, prompt=(length, length), response=(shortest, longest))
        plain_seconds, plain = seconds(lambda group=group: plainly(policy.model, group))
        our_seconds, [ours] = seconds(lambda group=group: policy.logprobs([group]))
        departure = max(departure, largest_departure(ours, plain))
        rows.append((str(length), sorted(map(len, group.responses)), plain_seconds, our_seconds))
    plain_all, ours_all = (sum(row[column] for row in rows) for column in (2, 3))
    rows.append(("all", [length for row in rows for length in row[1]], plain_all, ours_all))
    parameters = sum(parameter.numel() for parameter in policy.model.parameters())
    print(
        f"(a) G = 8, K = 4, {parameters / 1e6:.0f} M parameters, vocabulary {policy.model.config.vocab_size:,}, "
        f"{torch.get_num_threads()} threads\n"
    )
    print("| prompt tokens | response tokens | plain, K+1 rows | ours, K+2 rows | plain / ours | a row |")
    print("| ---: | --- | ---: | ---: | ---: | ---: |")
    for name, lengths, plain_seconds, our_seconds in rows:
        ratio = plain_seconds / our_seconds
        print(
            f"| {name} | {min(lengths)} to {max(lengths)}, mean {statistics.mean(lengths):.0f} | "
            f"{plain_seconds:.1f} s | {our_seconds:.1f} s | {ratio:.2f} | {ratio * 6 / 5:.2f} |"
        )
    print(f"\nlargest difference between the two: {departure:.1e} nats\n")


def largest_departure(ours: GroupLogprobs, plain: list[list[np.ndarray]]) -> float:
    return max(
        float(np.abs(one - other).max())
        for rows, others in zip(ours.variants, plain, strict=True)
        for one, other in zip(rows, others, strict=True)
    )


def memory_table(threads: int, tokens: int) -> None:
    one_row = tokens + 256
    cases = {
        "plain, one row at a time": {"way": "plain", "budget": None},
        "ours, one row at a time": {"way": "ours", "budget": one_row},
        "ours, default budget": {"way": "ours", "budget": None},
    }
    logits = (tokens + 200) * WIDE_HEAD["vocab"] * 4 / 1e6
    print(f"(b) vocabulary {WIDE_HEAD['vocab']:,}, one response of {tokens:,} tokens, K = 4, prompts of about 200\n")
    print(f"| way | peak memory above the loaded model | share of plain | of one variant's logits ({logits:,.0f} MB) |")
    print("| --- | ---: | ---: | ---: |")
    plain = math.nan
    for name, case in cases.items():
        options = json.dumps(case | {"tokens": tokens})
        command = [sys.executable, __file__, "--threads", str(threads), "--peak", options]
        peak = json.loads(
            subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1]
        )
        plain = peak if name.startswith("plain") else plain
        print(f"| {name} | {peak:,.0f} MB | {peak / plain:.3f} | {peak / logits:.3f} |")
    print()


def peak_mb(*, way: str, budget: int | None, tokens: int) -> float:
    """The most memory that scoring one group takes above what the process holds before, in MB."""
    policy = random_policy(**WIDE_HEAD, tokens_per_batch=budget)
    group = random_group(random.Random(0), variants=5, responses=1, prompt=(200, 200), response=(tokens, tokens))
    before = resident_kb("VmRSS")
    # Linux: the high-water mark starts again from what is held now.
    Path("/proc/self/clear_refs").write_text("5")
    plainly(policy.model, group) if way == "plain" else policy.logprobs([group])
    return (resident_kb("VmHWM") - before) / 1e3


def resident_kb(name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1])


def growth_table(rounds: int) -> None:
    """Doubles one of K + 2, G and the response's length at a time."""
    policy = random_policy(**SMALL)
    base = {"rows": 6, "responses": 4, "length": 128}
    print(
        "(c) prompts of 128 tokens, a small model; each row varies one size of the base, which is K+2 = 6, G = 4, "
        "128 response tokens\n"
    )
    print("| | half | base | double | 4 times | growth: time ~ size^ |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, size in base.items():
        sizes = [size // 2, size, 2 * size, 4 * size]
        taken = [growth_seconds(policy, **(base | {name: size}), rounds=rounds) for size in sizes]
        slope = np.polyfit(np.log(sizes), np.log(taken), 1)[0]
        label = {"rows": "K+2", "responses": "G", "length": "response tokens"}[name]
        cells = " | ".join(f"{number}: {second:.2f} s" for number, second in zip(sizes, taken, strict=True))
        print(f"| {label} | {cells} | {slope:.2f} |")
    print()


def growth_seconds(policy: LocalPolicy, *, rows: int, responses: int, length: int, rounds: int) -> float:
    # K + 2 rows are K + 1 variants and the identity.
    lengths = {"prompt": (128, 128), "response": (length, length)}
    group = random_group(random.Random(0), variants=rows - 1, responses=responses, **lengths)
    return min(seconds(lambda: policy.logprobs([group]))[0] for _ in range(rounds))


def flops_table(policy: LocalPolicy, longest: int) -> None:
    from torch.utils.flop_counter import FlopCounterMode

    lengths = {"prompt": (longest // 2, longest // 2), "response": (longest // 2, longest)}
    group = random_group(random.Random(2), variants=5, responses=8, **lengths)
    with FlopCounterMode(display=False) as counter:
        policy.logprobs([group])
    operations = counter.get_total_flops()
    left, right = torch.randn(2048, 2048), torch.randn(2048, 2048)
    before = product_rate(left, right)
    taken, _ = seconds(lambda: policy.logprobs([group]))
    product = (before + product_rate(left, right)) / 2
    reached = operations / taken
    print("(d) padding counts as work in the first column\n")
    print("| operations | seconds | scoring | matrix product, 2,048 cubed | share |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    print(
        f"| {operations / 1e12:.2f} T | {taken:.1f} | {reached / 1e9:.0f} GFLOP/s | {product / 1e9:.0f} GFLOP/s | "
        f"{reached / product:.0%} |"
    )


def product_rate(left: torch.Tensor, right: torch.Tensor) -> float:
    """Operations a second of a matrix product: the best of five."""
    return 2 * len(left) ** 3 / min(seconds(lambda: left @ right)[0] for _ in range(5))


if __name__ == "__main__":
    main()
