"""Prompts, rendered from templates/llm in a sandbox; problems and replies enter them as values, never as templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from semifactual.interventions.registry import Intervention, get_intervention
from semifactual.llm.forms import Form, example_reply, reply_schema
from semifactual.llm.placeholders import Masked
from semifactual.llm.requests import ChatRequest, Purpose, estimate_tokens
from semifactual.resources import template_sha256, template_text, template_yaml
from semifactual.text.prompt_templates import load_prompt_template, render_prompt

if TYPE_CHECKING:
    from jinja2 import Template

KINDS = "llm/kinds.yaml"
REWRITE = "llm/rewrite.jinja"
REPAIR = "llm/repair.jinja"
JUDGE = "llm/judge.jinja"
SOLVE = "prompts/default.txt"

_SPLIT = "\n=====\n"
"""Stands between the system's message and the user's in a template."""
_SHOWN = 600
"""Characters of a failed rewrite, or of a check's evidence, that a repair request repeats."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model is asked to write."""

    temperature: float | None = None
    reply_tokens: int = 4096
    """The most tokens of one reply, with those of its reasoning."""
    extra: str = "{}"
    """More fields of the request's body, as JSON text."""


def rewrite_request(masked: Masked, kinds: Iterable[str], sampling: Sampling, sample: int) -> ChatRequest:
    """The request for one rewrite of each of these kinds."""
    wanted = tuple(kinds)
    values = {"text": masked.text, "legend": masked.legend, **_about(wanted)}
    return _request(Purpose.REWRITE, REWRITE, values, sampling, schema=reply_schema(_forms(wanted)), sample=sample)


def repair_request(
    masked: Masked, failed: Mapping[str, tuple[str, Iterable[tuple[str, str]]]], sampling: Sampling, sample: int
) -> ChatRequest:
    """The request for other rewrites in the place of failed ones.

    `failed` holds for each kind what came back last, with its placeholders, and the names and evidence of the checks
    that it failed.
    """
    wanted = tuple(failed)
    faults = {
        kind: {"last": _cut(last), "checks": [(name, _cut(evidence)) for name, evidence in checks]}
        for kind, (last, checks) in failed.items()
    }
    values = {"text": masked.text, "legend": masked.legend, "faults": faults, **_about(wanted)}
    return _request(Purpose.REPAIR, REPAIR, values, sampling, schema=reply_schema(_forms(wanted)), sample=sample)


def judge_request(
    original: str, rewrite: str, kind: str, undecided: Iterable[tuple[str, str]], sampling: Sampling, schema: str
) -> ChatRequest:
    """The request for a judgement on what rules could not decide."""
    about = [(name, _cut(evidence)) for name, evidence in undecided]
    values = {"original": original, "rewrite": rewrite, "rules": rules_of(kind), "undecided": about}
    return _request(Purpose.JUDGE, JUDGE, values, sampling, schema=schema)


def solve_request(text: str, sampling: Sampling, sample: int) -> ChatRequest:
    """The request for one solution, in the prompt that responses are otherwise asked for with."""
    prompt = render_prompt(load_prompt_template("default"), text)
    return ChatRequest(
        Purpose.SOLVE,
        (("user", prompt),),
        max_tokens=sampling.reply_tokens,
        temperature=sampling.temperature,
        sample=sample,
        extra=sampling.extra,
    )


def form_of(kind: str) -> Form:
    """The form in which a model hands in this kind; the whole text where nothing else is said."""
    return Form(template_yaml(KINDS).get(kind, {}).get("form", Form.TEXT))


def rules_of(kind: str) -> list[str]:
    """What a model is told of a kind: the rules in templates/llm, or what the kind says of itself."""
    told = template_yaml(KINDS).get(kind)
    return list(told["rules"]) if told else _own_words(get_intervention(kind))


def prompt_hashes(*names: str) -> dict[str, str]:
    """The hashes of these templates, as rows record them."""
    return {name: template_sha256(name) for name in names}


def expected_reply_tokens(masked_text: str, kinds: Iterable[str]) -> int:
    """About how many tokens an answer to `rewrite_request` has."""
    whole = estimate_tokens(masked_text)
    return 8 + sum(12 + (whole if form in (Form.TEXT, Form.MARKS) else 16) for _, form in _forms(tuple(kinds)))


def _request(
    purpose: Purpose, template: str, values: Mapping[str, Any], sampling: Sampling, *, schema: str, sample: int = 0
) -> ChatRequest:
    system, _, user = _template(template).render(values).partition(_SPLIT)
    return ChatRequest(
        purpose,
        (("system", system.strip()), ("user", user.strip("\n"))),
        max_tokens=sampling.reply_tokens,
        schema=schema,
        temperature=sampling.temperature,
        sample=sample,
        extra=sampling.extra,
    )


def _about(kinds: tuple[str, ...]) -> dict[str, Any]:
    shape = example_reply(_forms(kinds))
    return {"kinds": [(kind, rules_of(kind)) for kind in kinds], "shape": shape}


def _forms(kinds: tuple[str, ...]) -> tuple[tuple[str, Form], ...]:
    return tuple((kind, form_of(kind)) for kind in kinds)


def _own_words(intervention: Intervention) -> list[str]:
    """The rules of a kind that has none in templates/llm: one from another package."""
    before, after = intervention.example
    checks = [f"Checked: {check.summary}." for check in intervention.contract.checks]
    return [f"{intervention.summary}.", *checks, f"Example: {before!r} becomes {after!r}."]


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ..."


@cache
def _template(name: str) -> Template:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(template_text(name))
