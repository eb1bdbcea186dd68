"""A model's vocabulary projection as a matrix and a few numbers, so that log-probs need no full logits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn

from semifactual.errors import ConfigError
from semifactual.tensor.logprobs import chunked_logprobs


@dataclass(frozen=True, slots=True)
class Head:
    """logits = cap(scale * (hidden weight^T + bias)), cap(x) = softcap * tanh(x / softcap), or x without a softcap."""

    weight: Tensor
    """[vocab, width], the live parameter."""
    bias: Tensor | None
    scale: float = 1.0
    softcap: float | None = None

    def logits(self, hidden: Tensor) -> Tensor:
        """Logits [..., vocab] of hidden states [..., width], in the weight's dtype."""
        logits = nn.functional.linear(hidden.to(self.weight.dtype), self.weight, self.bias) * self.scale
        return logits if self.softcap is None else torch.tanh(logits / self.softcap) * self.softcap

    def logprobs(
        self,
        hidden: Tensor,
        targets: Tensor,
        *,
        temperature: float = 1.0,
        with_entropy: bool = False,
        head_dtype: torch.dtype | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """log p [token] of `targets` [token] under hidden states [token, width], and the entropy where asked for."""
        return chunked_logprobs(
            hidden,
            self.weight,
            targets,
            bias=self.bias,
            temperature=temperature,
            scale=self.scale,
            softcap=self.softcap,
            with_entropy=with_entropy,
            head_dtype=head_dtype,
        )


_forms_found: WeakKeyDictionary[nn.Module, tuple[float, float | None]] = WeakKeyDictionary()
"""Scale and soft cap of each model's head, so that a model is tried once."""


def body_of(model: Any) -> nn.Module:
    """The model without its head: what turns token ids into the last hidden state."""
    body = model.base_model
    assert isinstance(body, nn.Module)
    return body


def head_of(model: Any) -> Head:
    """The head of a causal model, with its live weight.

    The first time, the forms that the config speaks of are tried against the model's own logits on a few tokens.

    Raises:
        ConfigError: none of them gives the model's logits.
    """
    projection = model.get_output_embeddings()
    if model not in _forms_found:
        form = _find_form(model, projection)
        if form is None:
            raise ConfigError(
                f"the logits of a {type(model).__name__} are not one linear map of its last hidden states,"
                " which is what scoring takes them for",
                hint="take a model of another architecture",
            )
        _forms_found[model] = form
    return Head(projection.weight, getattr(projection, "bias", None), *_forms_found[model])


@torch.no_grad()
def _find_form(model: Any, projection: Any) -> tuple[float, float | None] | None:
    if model.base_model is model or not isinstance(getattr(projection, "weight", None), Tensor):
        return None
    draw = torch.Generator().manual_seed(0)
    ids = torch.randint(0, projection.weight.shape[0], (1, 8), generator=draw).to(projection.weight.device)
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        hidden = body_of(model)(input_ids=ids, use_cache=False).last_hidden_state
        expected = model(input_ids=ids, use_cache=False).logits
    finally:
        for module, training in modes.items():
            module.training = training
    bias = getattr(projection, "bias", None)
    for scale, softcap in _forms(model.config.get_text_config()):
        head = Head(projection.weight, bias, scale, softcap)
        if hidden.shape[-1] == head.weight.shape[1] and _agree(head.logits(hidden), expected):
            return scale, softcap
    return None


def _forms(config: Any) -> Iterator[tuple[float, float | None]]:
    """Scales and soft caps that the config speaks of, the plain head last."""
    caps = [getattr(config, name, None) for name in ("final_logit_softcapping", "output_logit_soft_cap")]
    scales = [getattr(config, name, None) for name in ("logit_scale", "output_multiplier", "lm_head_multiplier")]
    divisor = getattr(config, "logits_scaling", None)
    if divisor:
        scales.append(1 / divisor)
    for softcap in [*filter(None, caps), None]:
        for scale in [*filter(None, scales), 1.0]:
            yield float(scale), softcap


def _agree(ours: Tensor, theirs: Tensor) -> bool:
    if ours.shape != theirs.shape:
        return False
    tolerance = 0.05 if theirs.dtype.itemsize < 4 else 1e-4
    return bool((ours.double() - theirs.double()).abs().max() <= tolerance * theirs.double().std())
