from __future__ import annotations

import pytest
from huggingface_hub.utils import validate_repo_id
from hypothesis import given
from hypothesis import strategies as st

from semifactual.errors import ConfigError
from semifactual.publish.repository import Repository

PART = st.text(st.sampled_from("aZ0-._/ ü"), max_size=6)


@given(PART, PART)
def test_every_name_that_we_take_the_client_takes(owner: str, name: str) -> None:
    try:
        repository = Repository.named(f"{owner}/{name}")
    except ConfigError:
        return
    validate_repo_id(repository.name)


@pytest.mark.parametrize("revision", ["", "a b", "../x", "a..b", "x/", "@{1}", "-x"])
def test_revisions_that_no_branch_can_have(revision: str) -> None:
    with pytest.raises(ConfigError):
        Repository.named("a/b", revision)


def test_links() -> None:
    assert Repository.named("a/b").link("https://hub") == "https://hub/datasets/a/b"
    assert Repository.named("a/b", "v2").link("https://hub") == "https://hub/datasets/a/b/tree/v2"
