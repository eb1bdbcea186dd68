"""Everything that can be found wrong with a run before a model is loaded, all of it at once.

`inspect` reads the data, encodes every prompt with the tokenizer, and looks at each setting beside the others. What
makes a run impossible is a fault; what a user should merely know is a notice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from pydantic import ValidationError

from semifactual.errors import SemifactualError
from semifactual.pipeline.variants import VariantProblem
from semifactual.policy.prompts import PromptEncoder
from semifactual.text.prompt_templates import load_prompt_template, render_prompt
from semifactual.train.data import Encode, prompt_set, read_problems, rewrites_a_problem, without_seen
from semifactual.train.functions import load_function
from semifactual.train.model_facts import GIB, ModelFacts, load_tokenizer, memory_here, memory_needed, model_facts
from semifactual.train.placing import check_place
from semifactual.train.recipe import DataRecipe, Recipe
from semifactual.train.recipe_loading import faults_of, faulty, read_options
from semifactual.train.recipe_outputs import EvalSet
from semifactual.train.validation import ValidationSet

Result = TypeVar("Result")


@dataclass
class Inspection:
    """What was found out about a run."""

    recipe: Recipe
    faults: list[str] = field(default_factory=list)
    """Why it cannot run, a sentence each."""
    notices: list[str] = field(default_factory=list)
    problems: list[VariantProblem] = field(default_factory=list)
    """What is trained on; problems with overlong prompts are already left out, if the recipe says so."""
    sets: list[ValidationSet] = field(default_factory=list)
    facts: ModelFacts | None = None
    """None where the model's configuration is not here."""
    longest_prompt: int | None = None
    """Tokens of the longest of all prompts; None where the tokenizer is not here."""
    mean_prompt: float | None = None
    """Tokens of the original prompts, on average."""
    rewrites: dict[int, int] = field(default_factory=dict)
    """How many problems have how many semifactuals."""


def load_and_inspect(name: str, settings: Sequence[str], *, fetch: bool) -> Inspection:
    """Read a recipe by name, with settings over it, and look at everything.

    Raises:
        ConfigError: the recipe is not one; what is wrong with its data is said along with it.
    """
    options = read_options(name, settings)
    try:
        recipe = Recipe.model_validate(options)
    except ValidationError as error:
        raise faulty(name, [*faults_of(error), *_data_faults(options)]) from error
    return inspect(recipe, fetch=fetch)


def inspect(recipe: Recipe, *, fetch: bool) -> Inspection:
    """Look at everything. With `fetch`, a Hub model's tokenizer and configuration may be downloaded."""
    found = Inspection(recipe)
    found.faults += arithmetic_faults(recipe)
    found.notices += _odd_pairs(recipe)
    for what, path in (("reward.function", recipe.reward.function), ("credit.function", recipe.credit.function)):
        if path is not None:
            _tried(found, partial(load_function, path, what), "")
    found.notices += _tried(found, partial(check_place, recipe.model), "model.name: ") or []
    encode = _encoder(found, fetch)
    problems = inspect_data(found, "data", recipe.data)
    found.facts = model_facts(recipe.model, fetch=fetch)
    if problems is not None:
        _inspect_training(found, problems, encode)
    _inspect_sets(found, found.problems, encode)
    _inspect_model(found)
    return found


def inspect_data(found: Inspection, name: str, settings: DataRecipe | EvalSet) -> list[VariantProblem] | None:
    """The problems of a source; None, and a fault, where they cannot be had."""
    read = _tried(found, lambda: read_problems(settings), f"{name}: ")
    if read is None:
        return None
    problems, notices = read
    found.notices += [f"{name}: {notice}" for notice in notices]
    return problems


def _data_faults(options: Mapping[str, Any]) -> list[str]:
    """What is wrong with the data of a recipe that is wrong elsewhere, as far as its data section can be read."""
    try:
        settings = DataRecipe.model_validate(options.get("data"))
    except ValidationError:
        return []
    found = Inspection(Recipe(data=settings))
    inspect_data(found, "data", settings)
    return found.faults


def arithmetic_faults(recipe: Recipe) -> Iterator[str]:
    """Numbers that do not go into each other, with the nearest that do."""
    batch, minibatch = recipe.rollout.batch, recipe.optim.minibatch
    if batch % minibatch:
        divisors = [number for number in range(1, batch + 1) if batch % number == 0]
        yield (
            f"rollout.batch {batch} is no multiple of optim.minibatch {minibatch}: take a minibatch of"
            f" {_nearest(divisors, minibatch)}, or a batch of {_multiples(batch, minibatch)}"
        )
    else:
        per_rollout = recipe.steps_per_rollout
        every = {"steps": recipe.steps, "checkpoint.every": recipe.checkpoint.every, "eval.every": recipe.eval.every}
        for key, value in every.items():
            if value % per_rollout:
                yield (
                    f"{key} is {value}, and each rollout serves {per_rollout} optimisation steps: take"
                    f" {_multiples(value, per_rollout)}"
                )
    if recipe.rollout.samples < 2:
        yield "rollout.samples is 1, and a response alone in its group has no advantage: take at least 2"
    if recipe.reward.overlong_buffer > recipe.rollout.max_new_tokens:
        yield (
            f"reward.overlong_buffer {recipe.reward.overlong_buffer} is more than rollout.max_new_tokens"
            f" {recipe.rollout.max_new_tokens}"
        )
    if recipe.loss.dual_clip is not None and recipe.loss.dual_clip <= 1 + recipe.loss.clip_high:
        yield f"loss.dual_clip {recipe.loss.dual_clip} is not above the clip at {1 + recipe.loss.clip_high}"
    if recipe.credit.form == "signed" and recipe.credit.sign != "negative":
        yield f"credit.sign {recipe.credit.sign} belongs to the form scapo: the signed credit has one sign"
    best = recipe.checkpoint.best
    if best is not None and best.partition("/")[0] not in recipe.eval.sets:
        yield f"checkpoint.best is {best}, and there is no validation set of that name: {_names(recipe.eval.sets)}"


def _odd_pairs(recipe: Recipe) -> Iterator[str]:
    """Settings that are allowed together and may surprise."""
    credit = recipe.credit
    if recipe.rollout.top_p < 1:
        yield "rollout.top_p is below 1: the ratio of the loss is then that of another distribution than was drawn from"
    if recipe.rollout.dynamic_sampling and credit.enabled and credit.on_uniform_groups == "keep":
        yield "dynamic sampling leaves out groups with equal answers, so credit.on_uniform_groups: keep has no effect"
    if recipe.loss.prompt == "sampled" and recipe.rollout.prompts == "original":
        yield "loss.prompt: sampled means the original where every response is generated under the original prompt"
    if recipe.eval.every and not recipe.eval.sets:
        yield "eval.sets is empty, so nothing is validated"
    if recipe.model.dtype == "bfloat16" and recipe.optim.lr < 1e-4:
        yield f"steps of {recipe.optim.lr:g} are mostly lost in bfloat16 weights; model.autocast: bfloat16 keeps them"


def _encoder(found: Inspection, fetch: bool) -> Encode | None:
    """From a problem's text to token ids; None where the tokenizer is not here."""
    recipe = found.recipe
    template = _tried(found, lambda: load_prompt_template(recipe.data.prompt), "")
    tokenizer = load_tokenizer(recipe.model, fetch=fetch)
    if tokenizer is None:
        found.notices.append(f"The tokenizer of {recipe.model.name} is not here, so no prompt was measured.")
    if template is None or tokenizer is None:
        return None
    encoder = _tried(found, lambda: PromptEncoder(tokenizer, recipe.model.chat), "")
    if encoder is None:
        return None
    return lambda text: encoder.encode_prompt(render_prompt(template, text))


def _inspect_training(found: Inspection, problems: list[VariantProblem], encode: Encode | None) -> None:
    """The training data: prompts that are too long, semifactuals that are missing, too few problems."""
    recipe = found.recipe
    if encode is not None:
        problems = _within_limit(found, problems, encode)
    found.problems = problems
    found.rewrites = rewrites_a_problem(problems)
    if len(problems) < recipe.rollout.batch:
        found.faults.append(
            f"rollout.batch is {recipe.rollout.batch}, and the data has {len(problems)} problems: take fewer, or more"
            " data"
        )
    if not problems:
        return
    without = found.rewrites.get(0, 0)
    if wanting := _needs_semifactuals(recipe):
        if without == len(problems):
            found.faults.append(
                f"the data has no semifactuals, which {wanting} needs: build it with `semifactual build`, or set"
                " credit.enabled=false and rollout.prompts=original"
            )
        elif without:
            found.notices.append(f"{without:,} of {len(problems):,} problems have no semifactual, and so no credit.")
    if recipe.credit.enabled and recipe.credit.source == "counterfactual":
        count = sum(bool(problem.counterfactuals) for problem in problems)
        if not count:
            found.faults.append(
                "the data has no counterfactuals, which credit.source: counterfactual needs: build it with"
                " `semifactual build --counterfactuals 4`, or set data.counterfactuals, for problems whose answer can"
                " be computed anew"
            )
        elif count < len(problems):
            found.notices.append(f"{count:,} of {len(problems):,} problems have counterfactuals.")


def _needs_semifactuals(recipe: Recipe) -> str:
    credit = recipe.credit
    if credit.enabled and credit.lambda0 > 0 and credit.steps > 0 and credit.source != "counterfactual":
        return "credit"
    return "rollout.prompts: random_variant" if recipe.rollout.prompts == "random_variant" else ""


def _within_limit(found: Inspection, problems: list[VariantProblem], encode: Encode) -> list[VariantProblem]:
    """The problems whose longest prompt is within the limit; the others are dropped, or a fault."""
    recipe = found.recipe
    counterfactual = recipe.credit.enabled and recipe.credit.source == "counterfactual"
    limit = recipe.rollout.max_prompt_tokens
    kept, lengths, over = [], [], []
    for problem in problems:
        prompts = prompt_set(problem, encode)
        longest = prompts.longest
        if counterfactual:
            longest = max(longest, prompt_set(problem, encode, counterfactual=True).longest)
        if longest > limit:
            over.append((longest, problem.id))
        if longest <= limit or recipe.data.overlong != "drop":  # a fault is said once, and not by what it leaves
            kept.append(problem)
            lengths.append((longest, len(prompts.prompts[0])))
    if over:
        worst, where = max(over)
        said = (
            f"{len(over):,} of {len(problems):,} problems have a prompt over rollout.max_prompt_tokens {limit}; the"
            f" longest, of {where}, has {worst:,} tokens"
        )
        if recipe.data.overlong == "drop":
            found.notices.append(f"{said}. They are left out.")
        else:
            found.faults.append(f"{said}: set data.overlong=drop, or rollout.max_prompt_tokens={worst}")
    found.longest_prompt = max([longest for longest, _ in lengths], default=0)
    found.mean_prompt = sum(original for _, original in lengths) / max(len(lengths), 1)
    return kept


def _inspect_sets(found: Inspection, trained: Sequence[VariantProblem], encode: Encode | None) -> None:
    """The validation sets."""
    kinds = frozenset(kind for problem in trained for kind, _ in problem.semifactuals)
    for name, settings in found.recipe.eval.sets.items():
        problems = inspect_data(found, f"eval.sets.{name}", settings)
        if problems is None:
            continue
        if settings.unseen:
            unseen = without_seen(problems, trained)
            if len(unseen) < len(problems):
                dropped = len(problems) - len(unseen)
                found.notices.append(f"eval.sets.{name}: {dropped:,} problems are trained on, and left out.")
            problems = unseen
        if not problems:
            found.faults.append(f"eval.sets.{name} has no problem that is not trained on")
            continue
        if encode is not None:
            longest = max(prompt_set(problem, encode).longest for problem in problems)
            found.longest_prompt = max(found.longest_prompt or 0, longest)
        found.sets.append(ValidationSet(name, settings, tuple(problems), kinds))


def _inspect_model(found: Inspection) -> None:
    """Whether the model fits into memory, and prompts and responses into what it can read."""
    recipe = found.recipe
    if found.facts is None:
        found.notices.append(f"The configuration of {recipe.model.name} is not here, so its size is not known.")
        return
    needed, (here, where) = memory_needed(recipe, found.facts).peak, memory_here()
    if needed > here:
        found.notices.append(
            f"Training may need {needed / GIB:.1f} GiB, and {where} has {here / GIB:.1f}: lower"
            " optim.microbatch_tokens or model.tokens_per_batch, or set model.gradient_checkpointing=true."
        )
    context = found.facts.context
    longest = found.longest_prompt or recipe.rollout.max_prompt_tokens
    new = max([recipe.rollout.max_new_tokens, *(s.settings.max_new_tokens or 0 for s in found.sets)])
    if context is not None and longest + new > context:
        found.faults.append(
            f"a prompt of {longest:,} tokens and a response of {new:,} are more than the {context:,} that"
            f" {recipe.model.name} can read: set rollout.max_new_tokens={max(context - longest, 0)} or less"
        )


def _tried(found: Inspection, work: Callable[[], Result], before: str) -> Result | None:
    """The result of some work; None, and a fault, where it raises an error meant for users."""
    try:
        return work()
    except SemifactualError as error:
        hint = f" ({error.hint})" if error.hint else ""
        found.faults.append(f"{before}{error.message}{hint}")
        return None


def _multiples(value: int, of: int) -> str:
    """The multiples on both sides of a value.

    >>> _multiples(7, 4), _multiples(3, 4)
    ('4 or 8', '4')
    """
    below = value // of * of
    return f"{below} or {below + of}" if below else str(of)


def _nearest(allowed: Sequence[int], value: int) -> str:
    """The allowed numbers on both sides of a value.

    >>> _nearest([1, 2, 4, 8], 3)
    '2 or 4'
    """
    below = max((number for number in allowed if number < value), default=None)
    above = min((number for number in allowed if number > value), default=None)
    return " or ".join(str(number) for number in (below, above) if number is not None)


def _names(names: Sequence[str] | dict[str, EvalSet]) -> str:
    return f"there are {', '.join(names)}" if names else "there is none"
