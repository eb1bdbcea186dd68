"""The texts that every kind's rules are tried on, and what all drafts must do."""

from collections.abc import Iterable
from pathlib import Path

import yaml

from semifactual.text.document import Document
from semifactual.types import Draft
from semifactual.validate.contract import Contract, Pair, judge
from semifactual.validate.verdict import Outcome

STORIES = yaml.safe_load((Path(__file__).parents[1] / "golden" / "stories.yaml").read_text())


def assert_drafts_keep(contract: Contract, text: str, drafts: Iterable[Draft]) -> None:
    original = Document(text)
    for draft in drafts:
        verdict = judge(Pair(original, Document(draft.text)), contract)
        assert verdict.outcome is Outcome.VALID, verdict.failures
