"""A run before any work: everything that it needs is opened and looked at, the cheap things first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from semifactual.answers import Verifier
from semifactual.drift.config import DriftConfig, PolicyRunConfig
from semifactual.drift.identity import identity_of
from semifactual.drift.responses import GivenResponses, Tokenised, read_responses, tokenise
from semifactual.drift.scoring import Generation, Scorer, encode_prompts
from semifactual.drift.survey import Survey, refuse_unknown, require_something, survey
from semifactual.pipeline.variants import VariantSource, open_variants
from semifactual.policy.loading import open_policy
from semifactual.policy.local import LocalPolicy
from semifactual.policy.policy import Sampling
from semifactual.text.prompt_templates import load_prompt_template


@dataclass(frozen=True)
class Prepared:
    """A run that was found possible, before any work."""

    config: DriftConfig
    source: VariantSource
    policy: LocalPolicy
    template: str
    given: GivenResponses | None
    tokenised: Tokenised | None
    found: Survey

    @property
    def max_new_tokens(self) -> int:
        """The longest response."""
        return self.found.allowed_tokens(self.config.max_new_tokens, self.policy.context)

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What decides the numbers."""
        return identity_of(
            self.config,
            self.source,
            self.policy,
            template=self.template,
            max_new_tokens=self.max_new_tokens,
            responses_sha256=None if self.given is None else self.given.sha256,
        )

    def scorer(self, verifier: Verifier) -> Scorer:
        """What does the work."""
        sampling = Sampling(self.config.temperature, self.config.top_p, self.max_new_tokens)
        return Scorer(
            policy=self.policy,
            template=self.template,
            verifier=verifier,
            generation=Generation(self.config.seed, self.config.samples_each, sampling),
            given=None if self.tokenised is None else self.tokenised.by_problem,
        )

    def counts(self) -> dict[str, int]:
        """What was left out, for the summary."""
        return {
            "problems_without_rewrites": self.found.without_rewrites,
            "problems_without_responses": self.found.without_responses,
            "responses_of_other_problems": len(self.found.unknown),
            "bad_rows_skipped": 0 if self.given is None else self.given.skipped,
        }

    def notes(self) -> list[str]:
        """What a reader of the results should know."""
        said = []
        if self.found.without_rewrites:
            said.append(f"{self.found.without_rewrites:,} problems have no rewrite and were left out.")
        if self.found.without_responses:
            said.append(f"{self.found.without_responses:,} problems have no given response and were left out.")
        if self.found.unknown:
            said.append(f"Given responses of {len(self.found.unknown):,} other problems were left out.")
        if self.given is not None and self.given.skipped:
            said.append(f"{self.given.skipped:,} rows of responses that cannot be used were left out.")
        if self.tokenised is not None and self.tokenised.retokenised:
            said.append(
                f"The token ids of {self.tokenised.retokenised:,} given responses are not this model's: "
                "their texts were scored instead."
            )
        if self.given is None:
            said += self.found.shortening(self.config.max_new_tokens, self.policy.context)
        return said


def prepare(config: DriftConfig, policy: LocalPolicy | None = None) -> Prepared:
    """Look at everything that a run needs, the cheap things first, and write nothing.

    Raises:
        SourceError, ConfigError, RegistryError: something cannot be used; see `measure_drift`.
    """
    template = load_prompt_template(config.prompt)
    source = open_problems_of(config)
    given = None
    if config.responses is not None:
        given = read_responses(config.responses, skip_bad_rows=config.skip_bad_rows)
    if policy is None:
        policy = open_policy_of(config)
    tokenised = None
    if given is not None:
        vocabulary = policy.model.get_input_embeddings().weight.shape[0]
        tokenised = tokenise(given, policy.encode_response, policy.decode, vocabulary)
    found = survey(
        source.problems(),
        partial(encode_prompts, policy, template),
        policy.context,
        None if tokenised is None else tokenised.by_problem,
    )
    require_something(found, None if given is None else given.count)
    if not config.skip_bad_rows and config.limit is None:  # beyond a limit, other problems are no mistake
        refuse_unknown(found)
    return Prepared(config, source, policy, template, given, tokenised, found)


def open_problems_of(config: PolicyRunConfig) -> VariantSource:
    """The problems that a config names, with their rewrites."""
    return open_variants(
        config.source,
        kinds=config.kinds,
        limit=config.limit,
        seed=config.seed,
        split=config.split,
        config_name=config.config_name,
        skip_bad_rows=config.skip_bad_rows,
        problem_field=config.problem_field,
        answer_field=config.answer_field,
        id_field=config.id_field,
    )


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
