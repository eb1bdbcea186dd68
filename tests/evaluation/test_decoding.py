"""A decoding run in a folder: its rows, that it resumes to the same bytes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from semifactual.drift import chunked
from semifactual.errors import ConfigError, OutputError, SourceError
from semifactual.evaluation.decoding import compare_decoding
from semifactual.evaluation.decoding_config import DecodeConfig, load_config
from semifactual.policy.local import LocalPolicy
from tests.policy.models import byte_tokenizer, tiny_model

SOURCE = "builtin:word_problems?steps=1..2&max=20&n=5"


@pytest.fixture(scope="module")
def policy() -> LocalPolicy:
    return LocalPolicy(tiny_model("qwen3"), byte_tokenizer(), name="tiny")


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunked, "PROBLEMS_PER_CHUNK", 2)


def config(**options: Any) -> DecodeConfig:
    return load_config(
        {"source": SOURCE, "model": "tiny", "samples": 2, "max_new_tokens": 6, "resamples": 100, **options}
    )


def rows(out: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, (out / "decode.jsonl").read_text(encoding="utf-8").splitlines())


def test_writes_a_row_a_response_and_method(policy: LocalPolicy, tmp_path: Path) -> None:
    report = compare_decoding(config(), tmp_path / "run", policy=policy)
    found = list(rows(tmp_path / "run"))
    assert [row["method"] for row in found] == ["greedy", "plain", "plain", "filtered", "filtered"] * 5
    assert [row["seed"] for row in found[1:3]] == [row["seed"] for row in found[3:5]]
    assert found[0]["seed"] is None
    assert all(("rejected" in row) == (row["method"] == "filtered") for row in found)
    assert report.summary == json.loads((tmp_path / "run" / "summary.json").read_text())
    assert report.summary["counts"]["responses"] == 25
    assert report.summary["config"]["cap"] == 0.8
    assert not (tmp_path / "run" / ".journal").exists()


def test_goes_on_where_it_stopped_and_gives_the_same_bytes(policy: LocalPolicy, tmp_path: Path) -> None:
    def stop_after_a_chunk(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare_decoding(config(), tmp_path / "broken", policy=policy, on_progress=stop_after_a_chunk)
    resumed = compare_decoding(config(), tmp_path / "broken", policy=policy)
    compare_decoding(config(), tmp_path / "whole", policy=policy)
    assert resumed.resumed_at == 2
    for name in ("decode.jsonl", "summary.json"):
        assert (tmp_path / "broken" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_finished_run_is_found_and_kept_from_other_settings(policy: LocalPolicy, tmp_path: Path) -> None:
    first = compare_decoding(config(), tmp_path, policy=policy)
    again = compare_decoding(config(), tmp_path, policy=policy)
    assert again.found_finished and again.summary == first.summary
    with pytest.raises(OutputError, match="cap"):
        compare_decoding(config(cap=0.5), tmp_path, policy=policy)
    (tmp_path / "decode.jsonl").unlink()
    with pytest.raises(OutputError, match=r"lacks decode\.jsonl"):
        compare_decoding(config(), tmp_path, policy=policy)


def test_the_filter_uses_the_kinds_that_it_is_given(policy: LocalPolicy, tmp_path: Path) -> None:
    compare_decoding(config(), tmp_path / "all", policy=policy)
    compare_decoding(config(kinds="typo_noise"), tmp_path / "one", policy=policy)
    both = [[row["text"] for row in rows(tmp_path / name) if row["method"] == "plain"] for name in ("all", "one")]
    assert both[0] == both[1]
    both = [
        [row["masked_mass"] for row in rows(tmp_path / name) if row["method"] == "filtered"] for name in ("all", "one")
    ]
    assert both[0] != both[1]


def test_problems_without_rewrites_are_left_out_and_counted(policy: LocalPolicy, tmp_path: Path) -> None:
    source = tmp_path / "problems.jsonl"
    texts = ["1 + 1 = ?", "Ann has 3 cats and buys 4 more. How many cats does she have?"]
    source.write_text("".join(json.dumps({"problem": text, "answer": "2"}) + "\n" for text in texts))
    options = {"source": str(source), "kinds": "typo_noise"}
    report = compare_decoding(config(**options), tmp_path / "run", policy=policy)
    assert report.summary["counts"]["problems"] == report.summary["counts"]["problems_without_rewrites"] == 1
    assert report.summary["methods"]["plain"]["interval"] is None
    source.write_text(json.dumps({"problem": texts[0], "answer": "2"}))
    with pytest.raises(SourceError, match="rewrite"):
        compare_decoding(config(**options), tmp_path / "none", policy=policy)
    assert not (tmp_path / "none").exists()


def test_responses_shorter_than_asked_for_are_said(tmp_path: Path) -> None:
    short = LocalPolicy(tiny_model("qwen3", max_position_embeddings=400), byte_tokenizer(), name="tiny")
    report = compare_decoding(config(limit=1, samples=1, max_new_tokens=4000), tmp_path / "run", policy=short)
    allowed = report.summary["config"]["max_new_tokens"]
    assert allowed < 400
    assert report.summary["warnings"][0].startswith(f"Responses may have {allowed} tokens at most")


@pytest.mark.parametrize("wrong", [{"cap": 1.0}, {"cap": -0.1}, {"temperature": 0}, {"kinds": ""}])
def test_impossible_options_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        config(**wrong)
