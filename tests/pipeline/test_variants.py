from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from semifactual.errors import ConfigError, RegistryError, SemifactualError, SourceError
from semifactual.pipeline.assemble import PARQUET_NAME
from semifactual.pipeline.build import build
from semifactual.pipeline.config import BuildConfig
from semifactual.pipeline.journal import JOURNAL_NAME
from semifactual.pipeline.records import read_parquet, write_parquet
from semifactual.pipeline.variants import AnsweredVariant, open_variants

WORDS = "builtin:word_problems?n=6"
KINDS = ("typo_noise", "scenario_wrap")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("variants") / "words"
    build(BuildConfig(source=WORDS, kinds=KINDS, per_kind=2, counterfactuals=1, seed=5, workers=1), out)
    return out


def rewritten_by_hand(path: Path, row: dict[str, Any]) -> Path:
    """A dataset file of one row."""
    empty: dict[str, Any] = {"semifactuals": [], "evaluation_variants": [], "counterfactuals": [], "metadata": "{}"}
    write_parquet(path, [{"id": "a", "problem": "Add 1.", "answer": "1", "source": "hand", **empty, **row}])
    return path


def test_a_built_dataset_is_read_as_it_is(built: Path) -> None:
    source = open_variants(str(built))
    rows = list(read_parquet(built / PARQUET_NAME))
    found = list(source.problems())
    assert (source.count, source.kinds) == (6, KINDS)
    for problem, row in zip(found, rows, strict=True):
        assert (problem.id, problem.text, problem.answer) == (row["id"], row["problem"], row["answer"])
        assert problem.semifactuals == tuple((entry["kind"], entry["text"]) for entry in row["semifactuals"])
        assert problem.metadata == json.loads(row["metadata"])
        changed = row["counterfactuals"][0]
        assert problem.counterfactuals == (AnsweredVariant(changed["kind"], changed["text"], changed["answer"]),)
    assert source.description["dataset"]["seed"] == 5
    assert source.description["problems"] == 6


def test_rewrites_on_the_fly_are_those_that_a_build_makes(built: Path) -> None:
    made = open_variants(WORDS, kinds=KINDS, per_kind=2, counterfactuals=1, seed=5)
    assert list(made.problems()) == list(open_variants(str(built)).problems())
    assert not made.description["built"]


def test_the_default_kinds_are_those_of_a_build() -> None:
    source = open_variants("builtin:algebra?n=3")
    assert source.kinds == BuildConfig(source="x").kinds
    assert {kind for problem in source.problems() for kind, _ in problem.semifactuals} <= set(source.kinds)


@pytest.mark.parametrize("made", [True, False])
def test_kinds_limit_and_start_narrow_what_is_read(built: Path, made: bool) -> None:
    spec = WORDS if made else str(built)
    whole = list(open_variants(spec, kinds=("scenario_wrap",), seed=5).problems())
    source = open_variants(spec, kinds=("scenario_wrap",), limit=4, seed=5)
    assert (source.count, source.kinds) == (4, ("scenario_wrap",))
    assert list(source.problems()) == whole[:4]
    assert list(source.problems(start=3)) == whole[3:4]
    assert list(source.problems(start=4)) == []
    assert all({kind for kind, _ in problem.semifactuals} == {"scenario_wrap"} for problem in whole)
    assert open_variants(spec, limit=99).count == 6


def test_the_hash_changes_with_the_rewrites_and_not_with_the_moment(built: Path) -> None:
    hashes = [open_variants(WORDS, seed=seed, kinds=kinds).sha256 for seed in (0, 1) for kinds in (KINDS, KINDS[:1])]
    assert len({*hashes, open_variants(str(built)).sha256}) == 5
    assert open_variants(WORDS, seed=0, kinds=KINDS).sha256 == hashes[0]


def test_rows_of_a_dataset_serve_wherever_they_lie(built: Path, tmp_path: Path) -> None:
    copied = shutil.copy(built / PARQUET_NAME, tmp_path / "rows.parquet")
    assert list(open_variants(str(copied)).problems()) == list(open_variants(str(built)).problems())


def test_an_unfinished_build_is_no_dataset(built: Path, tmp_path: Path) -> None:
    (tmp_path / JOURNAL_NAME).mkdir()
    with pytest.raises(SourceError, match="is not finished") as raised:
        open_variants(str(tmp_path))
    assert "again" in (raised.value.hint or "")
    broken = shutil.copytree(built, tmp_path / "broken")
    (broken / PARQUET_NAME).unlink()
    with pytest.raises(SourceError, match="it has no data/train"):
        open_variants(str(broken))


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"kinds": ("paraphrase",)}, ConfigError, "holds no rewrite of the kind 'paraphrase'"),
        ({"kinds": ("nonsense",)}, ConfigError, "holds no rewrite of the kind 'nonsense'"),
        ({"per_kind": 2}, ConfigError, "so per_kind means nothing"),
        ({"limit": 0}, ConfigError, "at least 1"),
        ({"split": "test"}, SourceError, "has no split test"),
    ],
)
def test_what_a_dataset_cannot_give_is_refused(
    built: Path, options: dict[str, Any], error: type[SemifactualError], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        open_variants(str(built), **options)


def test_what_a_source_cannot_give_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match="unknown kind of intervention 'nonsense'"):
        open_variants(WORDS, kinds=("nonsense",))
    with pytest.raises(ConfigError, match="limit"):
        open_variants(WORDS, limit=0)
    with pytest.raises(SourceError, match="there is no file or folder"):
        open_variants(str(tmp_path / "nowhere"))


def test_evaluation_variants_are_carried(tmp_path: Path) -> None:
    shuffled = {"kind": "option_shuffle", "text": "Add one.", "answer": "B"}
    path = rewritten_by_hand(tmp_path / "rows.parquet", {"evaluation_variants": [shuffled]})
    source = open_variants(str(path))
    (problem,) = source.problems()
    assert problem.evaluation_variants == (AnsweredVariant("option_shuffle", "Add one.", "B"),)
    assert (problem.semifactuals, source.kinds) == ((), ())


def test_sealed_kinds_are_named_and_never_given_as_semifactuals(tmp_path: Path) -> None:
    build(BuildConfig(source=WORDS, kinds=KINDS, seal="surface", workers=1), tmp_path / "words")
    source = open_variants(str(tmp_path / "words"))
    assert source.kinds == ("scenario_wrap",)
    assert "rewrites of the kinds scenario_wrap; for evaluation only: typo_noise." in source.notices[0]
    for problem in source.problems():
        assert {kind for kind, _ in problem.semifactuals} == {"scenario_wrap"}
        assert {variant.kind for variant in problem.evaluation_variants} == {"typo_noise"}
    with pytest.raises(ConfigError, match="keeps for evaluation every rewrite of the kind 'typo_noise'"):
        open_variants(str(tmp_path / "words"), kinds=("typo_noise",))


def test_a_family_sealed_on_the_fly_gives_no_semifactuals() -> None:
    made = open_variants(WORDS, kinds=KINDS, seal=("surface",))
    assert made.kinds == ("scenario_wrap",)
    for problem in made.problems():
        assert [kind for kind, _ in problem.semifactuals] == ["scenario_wrap"]
        assert [variant.kind for variant in problem.evaluation_variants] == ["typo_noise"]


@pytest.mark.parametrize("entry", [{"kind": "", "text": "Add one."}, {"kind": "typo_noise", "text": " "}])
def test_a_rewrite_without_a_text_or_a_kind_is_named(tmp_path: Path, entry: dict[str, str]) -> None:
    whole = {"engine": "rule", "checks": [], "answer_check": "unknown", "params": "{}"}
    path = rewritten_by_hand(tmp_path / "rows.parquet", {"semifactuals": [{**whole, **entry}]})
    with pytest.raises(SourceError, match=r"rows\.parquet row 1 is no row of a built dataset"):
        open_variants(str(path))


def test_two_rows_with_one_text_are_one_problem(built: Path, tmp_path: Path) -> None:
    rows = list(read_parquet(built / PARQUET_NAME))
    write_parquet(tmp_path / "rows.parquet", [rows[0], {**rows[0], "id": "again"}, rows[1]])
    source = open_variants(str(tmp_path / "rows.parquet"))
    assert [problem.id for problem in source.problems()] == [rows[0]["id"], rows[1]["id"]]
    assert source.count == 2
