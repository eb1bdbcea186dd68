"""Makes the embedded tiny model anew: ``python -m semifactual.policy.pretraining --out DIR``.

The same recipe, torch version, processor and number of threads give the same bytes.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import GenerationConfig, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from semifactual.answers import Outcome, Verifier
from semifactual.policy import tiny_corpus
from semifactual.policy.loading import open_policy
from semifactual.policy.local import LocalPolicy
from semifactual.policy.policy import Policy, Request, Sampling, StopReason
from semifactual.types import Problem

MOST_TOKENS = 128
"""The longest response; a good one has about 40 tokens."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides the model."""

    source: str = "builtin:word_problems?steps=1..2&max=20"
    problems: int = 20_000
    """Training problems drawn; those whose text is held out are left away."""
    held_out: int = 400
    """Problems that decide when to stop."""
    test: int = 500
    """Problems of the accuracy that is printed at the end; they have no part in when to stop."""
    seed: int = 1
    """Draws the training problems, their order and the first weights."""
    held_out_seed: int = 2
    test_seed: int = 3
    tokenizer_problems: int = 4_000
    """How many of the training problems the tokenizer is trained on."""
    vocabulary: int = 1024
    hidden: int = 128
    layers: int = 4
    heads: int = 4
    key_value_heads: int = 2
    feed_forward: int = 384
    context: int = 2048
    batch: int = 32
    """Examples an optimisation step."""
    learning_rate: float = 2e-3
    matrix_learning_rate: float = 8e-3
    """Of the matrices inside of the layers, which Muon trains; AdamW trains the rest."""
    averaging: float = 0.98
    """The shipped weights are a moving average of those in training: this share stays at each step."""
    prompt_weight: float = 0.1
    """Weight of a prompt token in the loss, where a token of the response has 1."""
    digit_weight: float = 0.25
    """Weight of a digit in a response. Below 1, the model writes well before it calculates well."""
    broken_words: float = 0.05
    """The share of a prompt's words that are encoded in two parts."""
    target: float = 0.42
    """Sampled accuracy on the held-out problems at which training stops."""
    check_every: int = 25
    most_steps: int = 1_000


@dataclass(frozen=True, slots=True)
class Score:
    """How a policy does on some problems, one response each; all but the last are shares."""

    accuracy: float
    boxed: float
    """Responses in which an answer was found."""
    ended: float
    """Responses that end by themselves."""
    tokens: float
    """Mean length."""

    def __str__(self) -> str:
        return (
            f"{self.accuracy:.1%} right, {self.boxed:.1%} boxed, {self.ended:.1%} ended, {self.tokens:.1f} tokens each"
        )


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded on the right."""

    token_ids: Tensor
    """[example, token]"""
    weights: Tensor
    """[example, token]: what each token counts in the loss; 0 for padding."""


Optimizers = tuple[torch.optim.Optimizer, ...]


def pretrain(
    recipe: Recipe, *, report: Callable[[str], Any] = print
) -> tuple[Qwen3ForCausalLM, PreTrainedTokenizerFast]:
    """Train a model from scratch until its sampled accuracy on held-out problems reaches the target.

    Args:
        report: is called with a line of text now and then.
    """
    held_out = tiny_corpus.draw_problems(recipe.source, recipe.held_out_seed, recipe.held_out)
    known = {problem.text for problem in [*held_out, *test_problems(recipe)]}
    problems = tiny_corpus.draw_problems(recipe.source, recipe.seed, recipe.problems, without=known)
    tokenizer = make_tokenizer(problems, recipe)
    model, average = new_model(recipe, tokenizer), new_model(recipe, tokenizer)
    average.load_state_dict(model.state_dict())
    policy = LocalPolicy(average, tokenizer, name="tiny")
    report(f"{len(problems):,} training problems, {len(held_out):,} held out, {model.num_parameters():,} parameters")
    optimizers = make_optimizers(model, recipe)
    started = time.perf_counter()
    for step, batch in enumerate(training_batches(problems, tokenizer, recipe), start=1):
        loss = train_step(model, optimizers, batch)
        follow(average, model, min(recipe.averaging, step / (step + 10)))
        if step % recipe.check_every == 0:
            score = measure(policy, held_out)
            report(f"step {step}, {time.perf_counter() - started:.0f} s, loss {loss:.3f}, held out: {score}")
            if score.accuracy >= recipe.target:
                break
        if step == recipe.most_steps:
            break
    return average.bfloat16(), tokenizer


def test_problems(recipe: Recipe) -> list[Problem]:
    """The problems on which a finished model is measured."""
    return tiny_corpus.draw_problems(recipe.source, recipe.test_seed, recipe.test)


def make_tokenizer(problems: Sequence[Problem], recipe: Recipe) -> PreTrainedTokenizerFast:
    """The tokenizer of the prompts and responses of some of the problems, with its two special tokens named."""
    rng = random.Random(recipe.seed)
    examples = [tiny_corpus.draw_example(problem, rng) for problem in problems[: recipe.tokenizer_problems]]
    texts = [text for example in examples for text in (example.prompt, example.response)]
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tiny_corpus.train_tokenizer(texts, recipe.vocabulary),
        eos_token=tiny_corpus.END,
        pad_token=tiny_corpus.PADDING,
        padding_side="left",
        model_max_length=recipe.context,
        clean_up_tokenization_spaces=False,
    )


def new_model(recipe: Recipe, tokenizer: PreTrainedTokenizerFast) -> Qwen3ForCausalLM:
    """A Qwen3 model with random weights, decided by the recipe's seed."""
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=recipe.hidden,
        intermediate_size=recipe.feed_forward,
        num_hidden_layers=recipe.layers,
        num_attention_heads=recipe.heads,
        num_key_value_heads=recipe.key_value_heads,
        head_dim=recipe.hidden // recipe.heads,
        max_position_embeddings=recipe.context,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        return Qwen3ForCausalLM(config)


def make_optimizers(model: Qwen3ForCausalLM, recipe: Recipe) -> Optimizers:
    """Muon for the matrices inside of the layers, AdamW for embeddings and norms."""
    layers = [parameter for parameter in model.model.layers.parameters() if parameter.ndim == 2]
    inside = {id(parameter) for parameter in layers}
    others = [parameter for parameter in model.parameters() if id(parameter) not in inside]
    return (
        torch.optim.Muon(layers, lr=recipe.matrix_learning_rate, weight_decay=0.0, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, lr=recipe.learning_rate, betas=(0.9, 0.95), weight_decay=0.0),
    )


def training_batches(
    problems: Sequence[Problem], tokenizer: PreTrainedTokenizerFast, recipe: Recipe
) -> Iterator[Batch]:
    """Batches without end: the problems in a new order each round, a last batch that is not full left away."""
    rng = random.Random(recipe.seed)
    encoder = tiny_corpus.BrokenEncoder(tokenizer.backend_tokenizer, recipe.broken_words, rng)
    digits = {tokenizer.convert_tokens_to_ids(digit) for digit in "0123456789"}
    while True:
        order = rng.sample(problems, len(problems))
        for first in range(0, len(order) - recipe.batch + 1, recipe.batch):
            rows = []
            for problem in order[first : first + recipe.batch]:
                example = tiny_corpus.draw_example(problem, rng)
                prompt = encoder.encode(example.prompt)
                response = [*tokenizer.encode(example.response), tokenizer.eos_token_id]
                weights = [recipe.digit_weight if token in digits else 1.0 for token in response]
                rows.append((prompt + response, [recipe.prompt_weight] * len(prompt) + weights))
            yield padded(rows, tokenizer.pad_token_id)


def padded(rows: Sequence[tuple[list[int], list[float]]], padding: int) -> Batch:
    """Rows of token ids and weights as one batch."""
    longest = max(len(ids) for ids, _ in rows)
    return Batch(
        torch.tensor([ids + [padding] * (longest - len(ids)) for ids, _ in rows]),
        torch.tensor([weights + [0.0] * (longest - len(weights)) for _, weights in rows]),
    )


def weighted_loss(model: Qwen3ForCausalLM, batch: Batch) -> Tensor:
    """Cross-entropy of each token given those before it, averaged with the batch's weights."""
    logits = model(input_ids=batch.token_ids[:, :-1], use_cache=False).logits
    losses = torch.nn.functional.cross_entropy(logits.transpose(1, 2), batch.token_ids[:, 1:], reduction="none")
    weights = batch.weights[:, 1:]
    return (losses * weights).sum() / weights.sum()


def train_step(model: Qwen3ForCausalLM, optimizers: Optimizers, batch: Batch) -> float:
    """One step of the optimisers; the loss before it."""
    model.train()
    loss = weighted_loss(model, batch)
    model.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for optimizer in optimizers:
        optimizer.step()
    return loss.item()


@torch.no_grad()
def follow(average: Qwen3ForCausalLM, model: Qwen3ForCausalLM, share: float) -> None:
    """Move the averaged weights towards the model's; `share` of them stays."""
    for kept, new in zip(average.parameters(), model.parameters(), strict=True):
        kept.lerp_(new, 1 - share)


def measure(policy: Policy, problems: Sequence[Problem], *, temperature: float = 1.0) -> Score:
    """Let the policy answer each problem once, the same way each time."""
    requests = [
        Request(policy.encode_prompt(tiny_corpus.prompt_text(problem)), (number,))
        for number, problem in enumerate(problems)
    ]
    sampling = Sampling(temperature=temperature, max_new_tokens=MOST_TOKENS)
    responses = [response for (response,) in policy.generate(requests, sampling)]
    with Verifier() as verifier:
        outcomes = [
            verifier.grade(problem.answer, policy.decode(response.token_ids)).verdict.outcome
            for problem, response in zip(problems, responses, strict=True)
        ]
    count = len(problems)
    return Score(
        accuracy=outcomes.count(Outcome.EQUAL) / count,
        boxed=1 - outcomes.count(Outcome.UNPARSABLE) / count,
        ended=sum(response.stop is StopReason.EOS for response in responses) / count,
        tokens=sum(len(response.token_ids) for response in responses) / count,
    )


def save(model: Qwen3ForCausalLM, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write what `from_pretrained` needs."""
    model.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
        do_sample=True,
        temperature=1.0,
        top_k=0,
        max_new_tokens=MOST_TOKENS,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    for file in folder.iterdir():  # the weights come out readable for their owner alone
        file.chmod(0o644)


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, train, save, and print the accuracy on problems that had no part in when to stop."""
    defaults = Recipe()
    parser = argparse.ArgumentParser(prog="python -m semifactual.policy.pretraining", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder to write the model to")
    parser.add_argument("--seed", type=int, default=defaults.seed)
    parser.add_argument("--target", type=float, default=defaults.target, help="sampled accuracy at which to stop")
    parser.add_argument("--steps", type=int, default=defaults.most_steps, help="stop here at the latest")
    parser.add_argument("--threads", type=int, default=1, help="another number may change the last bits")
    given = parser.parse_args(arguments)
    torch.set_num_threads(given.threads)
    recipe = replace(defaults, seed=given.seed, target=given.target, most_steps=given.steps)
    model, tokenizer = pretrain(recipe, report=lambda line: print(line, flush=True))
    save(model, tokenizer, given.out)
    policy = open_policy(str(given.out), device="cpu", dtype="float32")
    problems = test_problems(recipe)
    print(f"sampled, on {len(problems):,} other problems: {measure(policy, problems)}")
    print(f"greedy, on the same: {measure(policy, problems, temperature=0.0)}")


if __name__ == "__main__":
    main()
