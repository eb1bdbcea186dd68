"""d-filtered decoding inside transformers' own `generate`, as a logits processor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor
from transformers.generation.logits_process import LogitsProcessor

from semifactual.policy.filtered import CAP, Layout, Redraws, filter_step
from semifactual.policy.policy import Sampling
from semifactual.policy.sampling import Streams, draw_tokens


class DFilter(LogitsProcessor):
    """Draws the next token from the d-filtered distribution, and forces it on all rows of a sequence.

    Each sequence is several rows of the batch, one after the other: its original prompt first, then its variants.
    Give `generate` the option `do_sample=False`: this processor draws, so temperature and top-p are its own options.
    The first row of each sequence holds the response; the others end with the same tokens. Logits are taken as the
    processors before this one left them. One instance serves one call.

    With equal seeds it gives the responses of `semifactual.policy.filtered.generate_filtered`, up to rounding.

    >>> from transformers import AutoModelForCausalLM, AutoTokenizer
    >>> from semifactual.resources import tiny_model_path
    >>> model = AutoModelForCausalLM.from_pretrained(tiny_model_path())
    >>> tokenizer = AutoTokenizer.from_pretrained(tiny_model_path(), padding_side="left")
    >>> prompts = ["Ann has 3 cats and gets 4 more. How many cats are there?\\n\\n",
    ...            "Ann has 3 cats and gets 4 more. How mnay cats are there?\\n\\n",
    ...            "Ann has 3 cats and gets 4 more. How many cats are there? Velvet is velvet.\\n\\n"]
    >>> inputs = tokenizer(prompts, return_tensors="pt", padding=True)
    >>> d_filter = DFilter(prompts=[3], stops=[tokenizer.eos_token_id], seeds=[0])
    >>> rows = model.generate(inputs.input_ids, attention_mask=inputs.attention_mask, do_sample=False,
    ...                       max_new_tokens=16, logits_processor=[d_filter])
    >>> response = rows[:, inputs.input_ids.shape[1]:]
    >>> bool((response == response[0]).all()), 0 <= d_filter.rejected[0] <= 16
    (True, True)
    """

    def __init__(
        self,
        *,
        prompts: Sequence[int],
        stops: Iterable[int],
        seeds: Sequence[int],
        cap: float = CAP,
        temperature: float = 1.0,
        top_p: float = 1.0,
    ) -> None:
        """
        Args:
            prompts: how many rows each sequence has, two or more.
            stops: the end-of-sequence tokens, which are never masked.
            seeds: one a sequence.
            cap: the most probability that may be masked.

        Raises:
            ValueError: a sequence has no variant, the seeds are not one a sequence or one is negative, or the
                temperature is not above 0.
        """
        if min(prompts, default=2) < 2 or len(prompts) != len(seeds) or temperature <= 0:
            raise ValueError("every sequence needs a variant and a seed, and the temperature must be above 0")
        if negative := [seed for seed in seeds if seed < 0]:
            raise ValueError(f"a seed must be 0 or more, not {negative[0]}")
        self.rejected = [0] * len(prompts)
        """For each sequence, how many proposals of the clean policy were masked and replaced so far."""
        self._prompts = list(prompts)
        self._stops = sorted(stops)
        self._cap = cap
        self._sampling = Sampling(temperature=temperature, top_p=top_p)
        self._streams = Streams(seeds)
        self._redraws = Redraws(seeds)
        self._ended = torch.zeros(len(prompts), dtype=torch.bool)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Scores [row, vocab] that leave one token to each row.

        Raises:
            ValueError: the batch has not as many rows as were promised, as with beam search.
        """
        if len(scores) != (promised := sum(self._prompts)):
            raise ValueError(
                f"prompts={self._prompts} promises a batch of {promised} rows, and {len(scores)} came; give the "
                "original prompt of each sequence and its variants one after the other, and neither num_beams nor "
                "num_return_sequences"
            )
        layout = Layout.of(self._prompts, scores.device)
        stops = torch.tensor(self._stops, device=scores.device)
        present = torch.arange(len(self._prompts), device=scores.device)
        uniforms = self._streams.draw(present.tolist(), 1)[:, 0]
        proposals = draw_tokens(scores[layout.clean], uniforms, self._sampling)
        filtered = filter_step(scores, layout, stops, self._sampling, self._cap)
        tokens, rejected = self._redraws.replace(proposals, filtered, present)
        for sequence in (rejected.cpu() & ~self._ended).nonzero()[:, 0].tolist():
            self.rejected[sequence] += 1
        self._ended |= torch.isin(tokens, stops).cpu()
        forced = torch.full_like(scores, -torch.inf)
        return forced.scatter(1, tokens[layout.sequence, None], 0.0)
