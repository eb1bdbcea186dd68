from __future__ import annotations

from pathlib import Path

import pytest

from semifactual.errors import ConfigError
from semifactual.pipeline.config import AnswerBar, BuildConfig, differences, load_config
from semifactual.types import AnswerCheck


def test_command_line_over_file_over_default(tmp_path: Path) -> None:
    file = tmp_path / "build.yaml"
    file.write_text("source: problems.jsonl\nseed: 5\nper_kind: 2\n")
    config = load_config(file, {"seed": 9, "limit": None})
    assert (config.seed, config.per_kind, config.limit) == (9, 2, None)
    assert config.kinds == BuildConfig.model_fields["kinds"].default


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"source": "a.jsonl", "per_kind": 0}, "per_kind: input should be greater than or equal to 1, not 0"),
        ({"source": "a.jsonl", "kinds": ("a", "a")}, "kinds names a kind twice: a, a"),
        ({"source": "a.jsonl", "kinds": ()}, "kinds is empty, so there is nothing to build"),
        ({"source": "a.jsonl", "seal": "wording,words"}, "seal: unknown family 'words'"),
        ({"source": "a.jsonl", "families": ["contexts"]}, "families: unknown family 'contexts'"),
        ({"source": "builtin:algebra", "split": "test"}, "split means nothing for a builtin source"),
        ({"source": "a.jsonl", "problem_field": "x", "answer_field": "x"}, "must name different fields"),
        ({"seed": 1}, "the option 'source' is missing"),
    ],
)
def test_impossible_options_fail_at_load_in_one_sentence(options: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(None, options)
    assert said in caught.value.message
    assert "\n" not in caught.value.message


def test_kinds_may_be_a_list_or_names_with_commas() -> None:
    for kinds in ("a, b", ["a", "b"], ("a", "b")):
        assert load_config(None, {"source": "a.jsonl", "kinds": kinds}).kinds == ("a", "b")


def test_a_misspelt_option_gets_a_suggestion(tmp_path: Path) -> None:
    file = tmp_path / "build.yaml"
    file.write_text("source: problems.jsonl\nper_kinds: 2\n")
    with pytest.raises(ConfigError, match="unknown option 'per_kinds'") as caught:
        load_config(file, {})
    assert caught.value.hint == "did you mean 'per_kind'?"


@pytest.mark.parametrize("content", [b"- 1\n- 2\n", b"a: [1\n", b"\xff\xfe\x00"])
def test_a_config_file_that_is_no_mapping_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "build.yaml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"build\.yaml"):
        load_config(file, {"source": "a.jsonl"})


def test_a_missing_config_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load_config(tmp_path / "none.yaml", {})


def test_workers_are_no_part_of_the_identity() -> None:
    one, two = (BuildConfig(source="a.jsonl", workers=workers) for workers in (1, 2))
    assert one.identity() == two.identity()
    assert one.identity() != BuildConfig(source="a.jsonl", seed=1).identity()


def test_families_are_known_by_their_kinds_and_seals_by_their_families() -> None:
    named = BuildConfig(source="a.jsonl", families="context")
    assert named.identity() == BuildConfig(source="a.jsonl", kinds=named.selection.kinds).identity()
    sealed = BuildConfig(source="a.jsonl", kinds=named.selection.kinds, seal="context")
    assert differences(named.identity(), sealed.identity()) == ["seal: none -> context"]


def test_differences_name_added_removed_and_changed_options() -> None:
    before = {"config": {"seed": 0, "kinds": ["a", "b"]}, "old": 1}
    after = {"config": {"seed": 0, "kinds": ["a"]}, "new": 2}
    assert differences(before, after) == ["config.kinds: a, b -> a", "old: 1 -> None", "new: None -> 2"]


def test_the_answer_bar_never_admits_a_refuted_answer() -> None:
    admitted = {bar: [known for known in AnswerCheck if bar.admits(known)] for bar in AnswerBar}
    assert admitted == {
        AnswerBar.UNKNOWN: [AnswerCheck.REDERIVED, AnswerCheck.AGREED, AnswerCheck.UNKNOWN],
        AnswerBar.AGREED: [AnswerCheck.REDERIVED, AnswerCheck.AGREED],
        AnswerBar.REDERIVED: [AnswerCheck.REDERIVED],
    }
