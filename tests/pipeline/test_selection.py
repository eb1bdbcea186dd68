from __future__ import annotations

import pytest

from semifactual.errors import ConfigError, RegistryError
from semifactual.interventions.registry import get_intervention
from semifactual.pipeline.config import BuildConfig, load_config
from semifactual.pipeline.selection import Selection, kinds_of, select
from semifactual.types import Family

DEFAULT = BuildConfig.model_fields["kinds"].default
WORDING, CONTEXT = kinds_of(Family.WORDING), kinds_of(Family.CONTEXT)


def chosen(**options: object) -> Selection:
    return load_config(None, {"source": "a.jsonl", **options}).selection


def test_a_family_stands_for_all_its_kinds() -> None:
    assert chosen(families="wording,context").kinds == (*WORDING, *CONTEXT)
    assert all(get_intervention(kind).family is Family.WORDING for kind in WORDING)
    assert chosen().kinds == DEFAULT


def test_kinds_and_families_are_put_together_each_once() -> None:
    both = chosen(kinds="typo_noise,paraphrase", families="wording")
    assert both.kinds == ("typo_noise", "paraphrase", *(kind for kind in WORDING if kind != "paraphrase"))


def test_a_sealed_family_is_made_besides_the_default_kinds() -> None:
    sealed = chosen(seal="wording")
    assert sealed.kinds == (*DEFAULT, *(kind for kind in WORDING if kind not in DEFAULT))
    assert set(sealed.sealed) == set(WORDING)


@pytest.mark.parametrize("named", [{"kinds": "paraphrase,typo_noise"}, {"kinds": "typo_noise,paraphrase"}])
def test_of_a_sealed_family_only_the_named_kinds_are_made(named: dict[str, object]) -> None:
    sealed = chosen(seal="wording", **named)
    assert set(sealed.kinds) == {"paraphrase", "typo_noise"}
    assert sealed.sealed == ("paraphrase",)


@pytest.mark.parametrize("named", [{"kinds": "typo_noise"}, {"families": "surface"}])
def test_a_sealed_family_of_which_no_kind_was_named_is_an_error(named: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="no kind that is to be made belongs to the family 'wording'") as caught:
        chosen(seal="wording", **named)
    assert caught.value.hint is not None and "paraphrase" in caught.value.hint


@pytest.mark.parametrize("named", [{"families": "surface,wording"}, {"kinds": WORDING, "families": "surface"}])
def test_a_sealed_family_is_named_as_its_kinds_are(named: dict[str, object]) -> None:
    sealed = chosen(seal="wording", **named)
    assert set(sealed.sealed) == set(WORDING) and set(sealed.kinds) == {*WORDING, *kinds_of(Family.SURFACE)}


def test_that_every_kind_is_sealed_is_told() -> None:
    assert chosen(families="wording", seal="wording").notices
    assert not chosen(families="wording,surface", seal="wording").notices
    assert not chosen().notices


@pytest.mark.parametrize(("name", "said"), [("register", "register is a kind of the family wording"), ("x", "wording")])
def test_what_is_no_family_is_told_from_a_kind(name: str, said: str) -> None:
    with pytest.raises(ConfigError, match=f"unknown family '{name}'") as caught:
        chosen(seal=name)
    assert caught.value.hint is not None and said in caught.value.hint
    assert "format" not in caught.value.hint


def test_several_families_are_sealed_by_commas_or_by_repetition() -> None:
    assert chosen(seal="wording,context") == chosen(seal=["context", "wording"])
    assert set(chosen(seal="wording,context").sealed) == {*WORDING, *CONTEXT}


def test_what_a_manifest_records_selects_the_same_again() -> None:
    for options in ({}, {"seal": "wording"}, {"families": "context", "seal": "context"}, {"kinds": "typo_noise"}):
        config = load_config(None, {"source": "a.jsonl", **options})
        recorded = config.identity()
        assert "families" not in recorded
        again = load_config(None, {"source": "a.jsonl", "kinds": recorded["kinds"], "seal": recorded["seal"]})
        assert again.selection == config.selection


def test_a_family_without_kinds_is_refused_with_those_that_have_some() -> None:
    for options in ({"families": "format"}, {"seal": "format"}):
        with pytest.raises(RegistryError, match="no kind of the family 'format'") as caught:
            chosen(**options)
        assert caught.value.hint is not None and "wording" in caught.value.hint


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(RegistryError, match="unknown kind of intervention 'typo'"):
        select(("typo",), (), (), DEFAULT)
