"""report.html from the files of a run: what it says, how large it is, what it can bear."""

from __future__ import annotations

import json
import math
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semifactual.drift import report
from semifactual.drift.charts import category_chart, heat_classes, histogram_chart, kind_chart
from semifactual.drift.exhibits import AT_RANDOM, CELLS, MOMENTS, MOST_DRIFTING, Shown, Transition
from semifactual.drift.report import prompt_data, response_data, steps, write_report
from semifactual.errors import SourceError
from tests.drift.synthetic import KINDS, Shape, write_run


def changed(run: Path, folder: Path, change: Any) -> Path:
    """A copy of the run whose summary `change` has edited."""
    shutil.copytree(run, folder)
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    change(summary)
    (folder / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    return folder


def embedded(page: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL).group(1))  # type: ignore[union-attr]
    return data


def words(page: str) -> str:
    """The visible text, spaces made one."""
    body = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(re.sub("<[^>]+>", " ", body).replace("\u202f", " ").split())


class Balance(HTMLParser):
    """Finds tags that are not closed in the order in which they were opened."""

    void = frozenset({"meta", "link", "wbr", "input", "path", "img", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.asked: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.asked += [value or "" for name, value in attributes if name in ("src", "href", "srcset", "data", "poster")]
        self.ids += [value or "" for name, value in attributes if name == "id"]
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.void:
            assert self.open.pop() == tag, (tag, self.getpos())


def test_the_page_is_well_formed_and_points_nowhere(page: str) -> None:
    balance = Balance()
    balance.feed(page)
    assert balance.open == []
    assert all(target == "data:," or target.removeprefix("#") in balance.ids for target in balance.asked)
    assert len(set(balance.ids)) == len(balance.ids)


def test_the_sentences_state_the_summary(made_up_run: Path, tmp_path: Path) -> None:
    def set_numbers(summary: dict[str, Any]) -> None:
        summary["drift"] |= {
            "mean": 0.0321,
            "interval": [0.0301, 0.0345],
            "share_zero": 0.1282,
            "quantiles": {"0.5": 0.00012, "0.9": 0.1, "0.99": 0.6541},
        }
        summary["kinds"]["typo_noise"]["drift"] |= {"mean": 0.0456, "interval": [0.044, 0.047]}
        summary["kinds"]["paraphrase"]["drift"] |= {"mean": 0.0114, "interval": [0.011, 0.012]}
        summary["categories"]["other"] |= {"tokens": 3, "drift": 0.9, "relative": 28.0, "interval": [0.1, 1.9]}
        summary["categories"]["number"] |= {"drift": 0.1, "relative": 3.115, "interval": [0.09, 0.11]}
        summary["accuracy"] = 0.40625

    text = words(write_report(changed(made_up_run, tmp_path / "run", set_numbers)).read_text(encoding="utf-8"))
    assert "made-up/Model-0B drifts by 0.0321 a token" in text
    assert "95 %: 0.0301 to 0.0345" in text
    assert "changes by a factor of 1.033" in text
    assert "typo_noise moves tokens most, paraphrase least" in text
    assert "from 0.0114 to 0.0456, a factor of 4.0. The intervals of the two do not overlap." in text
    assert "Number tokens drift 3.1 times as much" in text
    assert "12.8 % of tokens do not move at all" in text
    assert "Half of the tokens drift by 1.2 × 10⁻⁴ or less, one in a hundred by more than 0.65" in text
    assert "Right answers 40.6 %" in text


def test_overlapping_intervals_and_a_kind_within_noise_are_said(made_up_run: Path, tmp_path: Path) -> None:
    def blur(summary: dict[str, Any]) -> None:
        for kind in summary["kinds"].values():
            kind["drift"]["interval"] = [0.0, 0.1]
        summary["kinds"]["typo_noise"]["within_noise"] = True
        summary["warnings"] = ["typo_noise: within three times the noise floor"]

    text = words(write_report(changed(made_up_run, tmp_path / "run", blur)).read_text(encoding="utf-8"))
    assert "The intervals of the two overlap, so their order may be chance." in text
    assert "Within three times its noise floor, and so perhaps arithmetic alone: typo_noise ." in text
    assert text.index("typo_noise: within three times the noise floor") < text.index("Mean drift")


def test_a_run_without_intervals_accuracy_or_movement_has_a_report(tmp_path: Path) -> None:
    run = write_run(tmp_path, Shape(problems=1, samples=1, kinds=("paraphrase",)))
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    still = summary["drift"] | {"mean": 0.0, "interval": None, "share_zero": 1.0}
    still["histogram"]["counts"] = [summary["counts"]["tokens"], *[0] * (len(still["histogram"]["counts"]) - 1)]
    summary |= {"accuracy": None, "drift": still}
    summary["kinds"]["paraphrase"] |= {"drift": still, "noise_floor": 0.0}
    for one in summary["categories"].values():
        one |= {"drift": 0.0, "relative": None, "interval": None}
    (run / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    text = words(write_report(run).read_text(encoding="utf-8"))
    assert "Mean drift 0 no interval" in text
    assert "Right answers –" in text
    assert "the noise floor is 0" in text
    assert "No rewrite moves any token" in text
    assert "No category of tokens drifts" in text


def test_a_large_run_has_a_small_report(tmp_path: Path) -> None:
    run = write_run(tmp_path, Shape(problems=40, samples=1, tokens=1600))
    path = write_report(run)
    assert path.stat().st_size < 2_000_000
    data = embedded(path.read_text(encoding="utf-8"))
    assert len(data["responses"]) <= MOST_DRIFTING + AT_RANDOM + MOMENTS
    assert {one["why"] for one in data["responses"]} >= {"most", "random"}
    assert max(len(one["tokens"]) for one in data["responses"]) == report.MOST_TOKENS


def test_the_bytes_are_shared_and_bounded(made_up_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "MOST_BYTES", 20_000)
    shutil.copytree(made_up_run, tmp_path / "run")
    data = embedded(write_report(tmp_path / "run").read_text(encoding="utf-8"))
    assert {one["why"] for one in data["responses"]} == {"most", "random", "moment"}
    assert len(json.dumps(data["responses"], separators=(",", ":"))) < 20_000
    assert data["prompts"].keys() == {one["problem"] for one in data["responses"]}


def test_the_same_run_gives_the_same_bytes(made_up_run: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(made_up_run, tmp_path / name)
    one, two = (write_report(tmp_path / name).read_bytes() for name in ("one", "two"))
    assert one == two


def test_a_folder_without_a_summary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"summary\.json"):
        write_report(tmp_path)


def test_a_long_response_is_cut_around_its_sharpest_token() -> None:
    tokens = [str(place) for place in range(5000)]
    drift = np.zeros(5000, np.float32)
    drift[4200] = 1.5
    logps = np.full(5000, -0.5, np.float32)
    one = Shown(("p", 0), tokens, ["word"] * 5000, drift, {"a": drift}, logps, {"a": [logps]})
    data = response_data(one, ["a", "b"], ["word"])
    assert (data["first"], data["total"]) == (3700, 5000)
    assert data["tokens"][data["drift"].index(15000)] == "4200"
    assert data["drift_by_kind"][1] is None
    assert data["surprise"] == data["surprise_by_kind"][0] == [500] * report.MOST_TOKENS


def test_several_rewrites_of_a_kind_show_their_mean_probability() -> None:
    rows = [np.log(np.array([p], np.float32)) for p in (0.2, 0.6)]
    assert np.exp(report.mean_logps(rows))[0] == pytest.approx(0.4)


def reading(before: str, moves: list[int | str]) -> str:
    """What the page's script makes of steps, in the UTF-16 units that it counts."""
    units = before.encode("utf-16-le", errors="surrogatepass")
    at, made = 0, b""
    for move in moves:
        if isinstance(move, str):
            made += move.encode("utf-16-le", errors="surrogatepass")
            continue
        made += units[2 * at : 2 * (at + move)] if move > 0 else b""
        at += abs(move)
    assert 2 * at == len(units)
    return made.decode("utf-16-le", errors="surrogatepass")


@given(st.text("ab 🧮é.\n", max_size=30), st.text("ab 🧮é.\n", max_size=30))
def test_steps_lead_from_one_text_to_the_other(before: str, after: str) -> None:
    assert reading(before, steps(before, after)) == after


def test_long_prompts_are_cut_and_say_so() -> None:
    row = {"text": "a " * 9000, "answer": "1", "rewrites": [{"kind": "k", "variant": 0, "text": "b " * 9000}]}
    data = prompt_data(row)
    assert data["cut"]
    assert len(data["text"]) == report.MOST_CHARACTERS
    assert not prompt_data({"text": "a", "answer": "1", "rewrites": []})["cut"]


def test_a_kind_with_several_rewrites_and_half_surrogates_have_a_report(tmp_path: Path) -> None:
    run = write_run(tmp_path, Shape(problems=2, samples=1, variants_per_kind=2))
    lines = (run / "prompts.jsonl").read_text(encoding="utf-8").splitlines()
    row = json.loads(lines[0]) | {"answer": "\ud83d"}
    (run / "prompts.jsonl").write_text("\n".join([json.dumps(row), *lines[1:]]), encoding="utf-8")
    data = embedded(write_report(run).read_text(encoding="utf-8"))
    assert data["responses"][0]["rewrites"] == [2] * len(KINDS)
    assert "\ud83d" in {prompt["answer"] for prompt in data["prompts"].values()}


def test_charts_place_values_on_their_axes(made_up_run: Path) -> None:
    summary = json.loads((made_up_run / "summary.json").read_text(encoding="utf-8"))
    summary["kinds"]["paraphrase"]["drift"] |= {"mean": 0.05, "interval": [0.04, 0.1]}
    chart = kind_chart(summary)
    first = chart["rows"][0]
    assert (first["name"], first["at"], first["low"], first["high"]) == ("paraphrase", 50.0, 40.0, 100.0)
    bars = category_chart(summary)
    assert [row["relative"] for row in bars["rows"]] == sorted((row["relative"] for row in bars["rows"]), reverse=True)
    assert bars["one"] == pytest.approx(100 / bars["axis"].top, abs=0.01)


def test_the_histogram_sets_still_tokens_apart_and_begins_where_tokens_do() -> None:
    edges = [0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 2.0]
    spread = {"share_zero": 0.5, "histogram": {"edges": edges, "counts": [50, 0, 0, 10, 40, 0]}}
    chart = histogram_chart(spread, 100, 0.002)
    assert [(part["name"], part["share"]) for part in chart["apart"]] == [("no change", 0.5)]
    assert chart["noise"] is None
    assert [bar["share"] for bar in chart["bars"]] == [0.1, 0.4, 0.0]
    assert [bar["height"] for bar in chart["bars"]] == [
        pytest.approx(100 / 6, abs=0.01),
        pytest.approx(400 / 6, abs=0.01),
        0.0,
    ]
    spread["histogram"] = {"edges": edges, "counts": [60, 0, 0, 20, 20, 0]}
    chart = histogram_chart(spread, 100, 0.002)
    assert [(part["name"], part["share"]) for part in chart["apart"]] == [("no change", 0.5), ("below 10⁻⁴", 0.1)]
    assert len(chart["bars"]) == 5
    assert chart["noise"]["at"] == pytest.approx(100 * math.log10(20) / math.log10(20_000), abs=0.01)


def test_heat_classes_are_logarithmic_and_leave_empty_cells_out() -> None:
    cells = np.zeros((CELLS, CELLS), np.int64)
    cells[0, :4] = (1, 10, 10**6, 10**7)
    assert heat_classes(Transition(cells), 10**7)[0, :5].tolist() == [1, 2, 7, 7, 0]
