from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from semifactual.errors import ConfigError
from semifactual.resources import template_text
from semifactual.train.recipe_loading import (
    described_recipes,
    faulty,
    known_keys,
    load_recipe,
    merged,
    read_options,
    shipped_recipes,
)

PAPER = ("qwen3-1.7b", "qwen3-4b")
FULL = ("tiny-cpu", *PAPER)
"""Recipes that stand on no other."""


@pytest.mark.parametrize("name", shipped_recipes())
def test_every_shipped_recipe_is_read(name: str) -> None:
    assert load_recipe(name).steps > 0


@pytest.mark.parametrize("name", sorted(set(shipped_recipes()) - set(FULL)))
def test_a_variant_is_as_long_as_its_difference(name: str) -> None:
    lines = template_text(f"recipes/{name}.yaml").splitlines()
    comments = [line for line in lines if line.startswith("#")]
    assert len(comments) == 1
    assert len(lines) - len(comments) <= 3
    assert load_recipe(name) != load_recipe(base_of(name))


def base_of(name: str) -> str:
    return str(yaml.safe_load(template_text(f"recipes/{name}.yaml"))["base"])


def test_every_recipe_says_what_it_is() -> None:
    described = dict(described_recipes())
    assert set(described) == set(shipped_recipes())
    assert all(len(text) > 20 for text in described.values())


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_table_names_a_source_on_every_line(name: str) -> None:
    text = template_text(f"recipes/{name}.yaml")
    settings = [line for line in text.splitlines() if re.match(r" {0,2}(?!#)[\w]+: *[^ #]|source: ", line)]
    assert len(settings) > 40
    assert [line for line in settings if not re.search(r"# (paper|EasyR1|ours)\b", line)] == [
        "  source: out/dapo-math-17k"
    ]


@pytest.mark.parametrize(("name", "steps", "credited"), [("qwen3-4b", 600, 120), ("qwen3-1.7b", 1000, 200)])
def test_the_papers_table(name: str, steps: int, credited: int) -> None:
    recipe = load_recipe(name)
    assert (recipe.steps, recipe.credit.steps, recipe.credit.lambda0) == (steps, credited, 0.01)
    assert (recipe.rollout.batch, recipe.rollout.samples, recipe.rollout.max_new_tokens) == (128, 8, 16384)
    assert recipe.steps_per_rollout == 2


def test_another_base_by_a_setting() -> None:
    recipe = load_recipe("grpo", ["base=qwen3-4b"])
    assert not recipe.credit.enabled
    assert recipe.model.name == "Qwen/Qwen3-4B-Base"


def test_settings_go_over_the_recipe_and_are_read_as_yaml() -> None:
    recipe = load_recipe("tiny-cpu", ["steps=40", "credit.lambda0=1e-1", "optim.lr=1e-6", "checkpoint.best=null"])
    assert (recipe.steps, recipe.credit.lambda0, recipe.optim.lr, recipe.checkpoint.best) == (40, 0.1, 1e-6, None)


def test_a_recipe_of_ones_own_may_stand_on_a_shipped_one_or_on_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("base: tiny-cpu\nsteps: 10\n")
    (tmp_path / "deeper.yaml").write_text("base: mine.yaml\nseed: 3\n")
    recipe = load_recipe(str(tmp_path / "deeper.yaml"))
    assert (recipe.steps, recipe.seed, recipe.model.name) == (10, 3, "builtin:tiny")


def test_bases_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("base: b.yaml\n")
    (tmp_path / "b.yaml").write_text("base: a.yaml\n")
    with pytest.raises(ConfigError, match="its own base"):
        load_recipe(str(tmp_path / "a.yaml"))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [("- a\n", "not a mapping"), ("a: [\n", "not YAML"), ("base: 3\n", "no name"), ("base: nowhere\n", "no recipe")],
)
def test_unusable_files(tmp_path: Path, content: str, complaint: str) -> None:
    (tmp_path / "r.yaml").write_text(content)
    with pytest.raises(ConfigError, match=complaint):
        load_recipe(str(tmp_path / "r.yaml"))


@pytest.mark.parametrize("setting", ["eval.sets={}", "eval.sets.validation=null"])
def test_a_validation_set_can_be_taken_away(setting: str) -> None:
    assert set(load_recipe("tiny-cpu").eval.sets) == {"validation"}
    recipe = load_recipe("tiny-cpu", [setting])
    assert recipe.eval.sets == {}
    assert recipe.eval.every == load_recipe("tiny-cpu").eval.every


def test_a_validation_set_that_is_not_there_cannot_be_taken_away() -> None:
    with pytest.raises(ConfigError, match="no validation set validaton to take away") as caught:
        read_options("tiny-cpu", ["eval.sets.validaton=null"])
    assert caught.value.hint == "the sets are validation"


@pytest.mark.parametrize(
    ("setting", "inside"),
    [
        ("eval.sets=x", "eval.sets.NAME.source"),
        ("eval.sets.x=y", "eval.sets.x.source"),
        ("credit=signed", "credit.form"),
        ("optim=fast", "optim.lr"),
    ],
)
def test_a_section_that_is_given_as_a_value(setting: str, inside: str) -> None:
    with pytest.raises(ConfigError, match=f"write it as {inside}=") as caught:
        load_recipe("tiny-cpu", [setting])
    assert "valid dictionary" not in caught.value.message


def test_a_misspelt_name_gets_a_suggestion() -> None:
    with pytest.raises(ConfigError) as caught:
        load_recipe("tiny-cp")
    assert "did you mean tiny-cpu?" in str(caught.value.hint)
    with pytest.raises(ConfigError) as caught:
        load_recipe("tiny-cpu", ["base=nope"])
    assert "tiny-cpu. A recipe" in str(caught.value.hint)


def test_everything_wrong_is_said_at_once() -> None:
    settings = ["credit.lamda0=1", "rollot.batch=2", "optim.lr=fast", "eval.sets.validation.samples=1"]
    with pytest.raises(ConfigError) as caught:
        load_recipe("tiny-cpu", [*settings, "eval.sets.validation.pass_at=[4]"])
    message = caught.value.message
    assert "4 things are wrong" in message
    assert "no setting credit.lamda0; did you mean credit.lambda0?" in message
    assert "no setting rollot; did you mean rollout?" in message
    assert "optim.lr is 'fast'" in message
    assert "pass_at asks for 4 samples" in message


@pytest.mark.parametrize("setting", ["steps", "=3", ""])
def test_a_setting_without_a_key_or_value(setting: str) -> None:
    with pytest.raises(ConfigError, match="no setting"):
        read_options("tiny-cpu", [setting])


def test_merging_goes_into_sections_alone() -> None:
    assert merged({"a": {"x": [1, 2]}, "b": 1}, {"a": {"x": [3]}, "b": {"c": 2}}) == {"a": {"x": [3]}, "b": {"c": 2}}


def test_one_fault_is_one_sentence() -> None:
    assert faulty("r", ["the data is empty"]).message == "r cannot run: the data is empty"


def test_known_keys_are_dotted() -> None:
    assert {"steps", "credit.lambda0", "eval.sets", "model.name"} <= set(known_keys())
