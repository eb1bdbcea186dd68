"""What the embedded tiny model learns from: builtin problems as prompts, their written solutions, and a tokenizer."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from semifactual.resources import template_yaml
from semifactual.sources.builtin import open_builtin
from semifactual.text.prompt_templates import load_prompt_template, render_prompt
from semifactual.types import Problem

END = "<|endoftext|>"
PADDING = "<|padding|>"
PROMPT = "default"
OPENERS = "pretraining/openers.yaml"

_PIECES = r"\p{N}| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""Merges stay inside of these: a word or a run of signs with the space before it, white space, or a single digit."""
_SENTENCES = re.compile(r"(?<=\.) (?=[A-Z0-9])")
_FIRST_WORD = re.compile(r"[^ ']*")
_ANSWER = "The answer is"


@dataclass(frozen=True, slots=True)
class Example:
    """A prompt and one response to it, the end-of-sequence token left off."""

    prompt: str
    response: str


def draw_problems(source: str, seed: int, count: int, *, without: Collection[str] = ()) -> list[Problem]:
    """The first `count` problems of a builtin source, less those whose text is in `without`."""
    return [problem for problem in open_builtin(f"{source}&n={count}", seed) if problem.text not in without]


def prompt_text(problem: Problem) -> str:
    """The problem as a prompt, rendered as policies are asked by default."""
    return render_prompt(load_prompt_template(PROMPT), problem.text)


def draw_example(problem: Problem, rng: random.Random) -> Example:
    """The problem with its worked solution, whose sentences begin as `rng` says.

    Half of the prompts end with a line break, so that the model reads both forms.
    """
    prompt = prompt_text(problem) + rng.choice(["", "\n"])
    return Example(prompt, written_response(problem, rng))


def written_response(problem: Problem, rng: random.Random) -> str:
    r"""The solution in the problem's metadata, with other beginnings of its sentences.

    "Each gets 10 / 5 = 2 pears. The answer is \boxed{2}." may become "First, each gets 10 / 5 = 2 pears. So the answer
    is \boxed{2}."; a name keeps its capital.
    """
    openers = template_yaml(OPENERS)
    names = set(problem.metadata["words"].values())
    worked, _, answer = problem.metadata["solution"].rpartition(f" {_ANSWER}")
    written = []
    for number, sentence in enumerate(_SENTENCES.split(worked)):
        opener = rng.choice(openers["next" if number else "first"])
        if opener and _FIRST_WORD.match(sentence)[0] not in names:  # type: ignore[index]  # it matches the empty text
            sentence = sentence[0].lower() + sentence[1:]
        written.append(opener + sentence)
    return " ".join([*written, rng.choice(openers["answer"]) + answer])


def train_tokenizer(texts: Iterable[str], size: int) -> Tokenizer:
    """A byte-level BPE tokenizer of `size` tokens. Every byte is one, so no text is unknown; digits stay single."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[END, PADDING],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


class BrokenEncoder:
    """Encodes as the tokenizer does, but breaks some words in two first.

    A word of the training texts is mostly one token. After a typo it is several, which a model that had only ever seen
    whole words could not read; broken words teach it that the parts spell the same word.
    """

    def __init__(self, tokenizer: Tokenizer, share: float, rng: random.Random) -> None:
        self._tokenizer, self._share, self._rng = tokenizer, share, rng
        self._known: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`, in which each word is broken with the chance `share`."""
        found: list[int] = []
        for piece in self._pieces(text):
            found += self._encode_piece(piece)
        return found

    def _pieces(self, text: str) -> Iterable[str]:
        for _, (start, end) in self._splitter.pre_tokenize_str(text):
            if end - start > 2 and self._rng.random() < self._share:
                middle = self._rng.randrange(start + 1, end)
                yield text[start:middle]
                yield text[middle:end]
            else:
                yield text[start:end]

    @cached_property
    def _splitter(self) -> pre_tokenizers.PreTokenizer:
        return pre_tokenizers.Split(Regex(_PIECES), "isolated")

    def _encode_piece(self, piece: str) -> list[int]:
        if piece not in self._known:
            self._known[piece] = self._tokenizer.encode(piece, add_special_tokens=False).ids
        return self._known[piece]
