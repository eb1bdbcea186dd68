"""A run before any work: its model is loaded, and every prompt and response is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from semifactual.answers import Verifier
from semifactual.drift.chunked import Stage, silent
from semifactual.drift.config import DriftConfig, PolicyRunConfig
from semifactual.drift.identity import identity_of
from semifactual.drift.inputs import Inputs
from semifactual.drift.responses import Tokenised, tokenise
from semifactual.drift.scoring import Generation, Scorer, encode_prompts
from semifactual.drift.survey import Survey, refuse_unknown, require_something, survey
from semifactual.html import count
from semifactual.policy.loading import open_policy
from semifactual.policy.local import LocalPolicy
from semifactual.policy.policy import Sampling


@dataclass(frozen=True)
class Prepared:
    """A run that was found possible, before any work."""

    config: DriftConfig
    inputs: Inputs
    policy: LocalPolicy
    tokenised: Tokenised | None
    found: Survey
    on_stage: Stage

    @property
    def max_new_tokens(self) -> int:
        """The longest response."""
        return self.found.allowed_tokens(self.config.max_new_tokens, self.policy.context)

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What decides the numbers."""
        return identity_of(self.inputs, self.policy, max_new_tokens=self.max_new_tokens)

    def scorer(self, verifier: Verifier) -> Scorer:
        """What does the work."""
        sampling = Sampling(self.config.temperature, self.config.top_p, self.max_new_tokens)
        return Scorer(
            policy=self.policy,
            template=self.inputs.template,
            verifier=verifier,
            generation=Generation(self.config.seed, self.config.samples_each, sampling),
            given=None if self.tokenised is None else self.tokenised.by_problem,
            on_stage=self.on_stage,
        )

    def counts(self) -> dict[str, int]:
        """What was left out, for the summary."""
        return {
            "problems_without_rewrites": self.found.without_rewrites,
            "problems_without_responses": self.found.without_responses,
            "responses_of_other_problems": len(self.found.unknown),
            "bad_rows_skipped": 0 if self.inputs.given is None else self.inputs.given.skipped,
        }

    def notes(self) -> list[str]:
        """What a reader of the results should know."""
        said, given = [], self.inputs.given
        if without := self.found.without_rewrites:
            said.append(f"{count(without, 'problem')} without a rewrite left out.")
        if without := self.found.without_responses:
            said.append(f"{count(without, 'problem')} without a given response left out.")
        if self.found.unknown:
            said.append(f"Given responses of {count(len(self.found.unknown), 'other problem')} left out.")
        if given is not None and given.skipped:
            said.append(f"{count(given.skipped, 'row')} of responses that cannot be used left out.")
        if self.tokenised is not None and (anew := self.tokenised.retokenised):
            said.append(
                f"The token ids of {count(anew, 'given response')} are not this model's: the text was scored instead."
            )
        if given is None:
            said += self.found.shortening(self.config.max_new_tokens, self.policy.context)
        return said


def prepare(
    config: DriftConfig, inputs: Inputs, policy: LocalPolicy | None = None, on_stage: Stage = silent
) -> Prepared:
    """Load the model, where it is not loaded yet, look at every prompt and response, and write nothing.

    Raises:
        SourceError, ConfigError: something cannot be used; see `measure_drift`.
    """
    if policy is None:
        on_stage("loading the model")
        policy = open_policy_of(config)
    on_stage("looking at the prompts")
    given, tokenised = inputs.given, None
    if given is not None:
        vocabulary = policy.model.get_input_embeddings().weight.shape[0]
        tokenised = tokenise(given, policy.encode_response, policy.decode, vocabulary)
    found = survey(
        inputs.source.problems(),
        partial(encode_prompts, policy, inputs.template),
        policy.context,
        None if tokenised is None else tokenised.by_problem,
    )
    require_something(found, None if given is None else given.count)
    if not config.skip_bad_rows and config.limit is None:  # beyond a limit, other problems are no mistake
        refuse_unknown(found)
    return Prepared(config, inputs, policy, tokenised, found, on_stage)


def open_policy_of(config: PolicyRunConfig) -> LocalPolicy:
    """The model that a config names."""
    return open_policy(
        config.model,
        device=config.device,
        dtype=config.dtype,
        attention=config.attention,
        chat=config.chat,
        tokens_per_batch=config.tokens_per_batch,
        revision=config.revision,
    )
