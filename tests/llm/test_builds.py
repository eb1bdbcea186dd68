"""Whole builds against the stub server: endings that add up, replies that are paid once, keys that stay secret."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from semifactual.cli.main import main
from semifactual.errors import ConfigError, OutputError
from semifactual.interventions import registry
from semifactual.interventions.registry import Intervention, interventions
from semifactual.llm import engine
from semifactual.llm.endpoint import Endpoint
from semifactual.llm.errors import BudgetSpent
from semifactual.pipeline.build import build, preview
from semifactual.pipeline.config import BuildConfig
from semifactual.pipeline.estimating import estimate
from semifactual.pipeline.journal import Journal
from semifactual.types import Family
from semifactual.validate.contract import Contract, Pair, check
from semifactual.validate.verdict import Finding, failed, passed
from tests.llm.conftest import KINDS, mixed, only, problem_text, rejections_of, rows_of, solver, write_problems
from tests.stub_server import KEY, Body, StubServer

Configs = Callable[..., BuildConfig]
CONCURRENT = 32


def data_of(out: Path) -> dict[str, bytes]:
    """The files that hold a dataset's rows."""
    names = ("data/train-00000-of-00001.parquet", "rejected.jsonl")
    return {name: (out / name).read_bytes() for name in names}


def test_every_problem_ends_and_the_endings_add_up(config_of: Configs, tmp_path: Path) -> None:
    with StubServer(behave=mixed) as stub:
        report = build(config_of(stub, count=30, workers=2), tmp_path / "out")
    used, counts = report.manifest["llm"], report.manifest["counts"]
    assert used["problems"] == {"accepted": 24, "rejected": 3, "failed": 3}
    assert sum(used["problems"].values()) == counts["problems"] == len(rows_of(tmp_path / "out")) == 30
    assert sum(used["rewrites"].values()) == 30 * len(KINDS)
    held = sum(len(row["semifactuals"]) for row in rows_of(tmp_path / "out"))
    assert used["rewrites"]["accepted"] == held
    outcomes = Counter(line["outcome"] for line in rejections_of(tmp_path / "out"))
    assert outcomes["failed"] == used["rewrites"]["failed"] == 6
    assert outcomes["invalid"] == used["rewrites"]["rejected"] == 3
    assert report.traffic is not None
    assert report.manifest["tokens"] == sum(used["tokens"][name] for name in ("prompt", "completion"))
    assert used["tokens"]["prompt"] == 200 * used["requests"]
    assert used["tokens"]["cached"] == 120 * used["requests"]


def test_rows_say_which_model_and_which_prompts_made_them(config_of: Configs, tmp_path: Path) -> None:
    with StubServer() as stub:
        manifest = build(config_of(stub, count=1), tmp_path / "out").manifest
    (row,) = rows_of(tmp_path / "out")
    for entry in row["semifactuals"]:
        params = json.loads(entry["params"])
        assert entry["engine"] == "llm:stub"
        assert params["templates"] == {name: manifest["templates"][name] for name in params["templates"]}
        assert set(params["templates"]) == {"llm/kinds.yaml", "llm/rewrite.jinja"}
        assert entry["answer_check"] == "unknown"
    assert "language model" in (tmp_path / "out" / "README.md").read_text()
    assert manifest["llm"]["servers"][f"stub@{stub.url}"]["structure"] == "json_schema"


def test_what_a_model_makes_of_a_sealed_kind_is_for_evaluation(config_of: Configs, tmp_path: Path) -> None:
    with StubServer() as stub:
        build(config_of(stub), tmp_path / "open")
        manifest = build(config_of(stub, seal="wording"), tmp_path / "sealed").manifest
    assert manifest["counts"]["kinds"]["paraphrase"]["sealed"]
    assert manifest["llm"]["rewrites"]["accepted"] == sum(k["valid"] for k in manifest["counts"]["kinds"].values())
    for row, before in zip(rows_of(tmp_path / "sealed"), rows_of(tmp_path / "open"), strict=True):
        texts = [entry["text"] for entry in before["semifactuals"] if entry["kind"] == "paraphrase"]
        assert [variant["text"] for variant in row["evaluation_variants"]] == texts != []
        assert "paraphrase" not in {entry["kind"] for entry in row["semifactuals"]}


def test_a_second_build_pays_nothing(config_of: Configs, tmp_path: Path) -> None:
    with StubServer(behave=only(2, "dropped")) as stub:
        build(config_of(stub, workers=2), tmp_path / "one")
        asked = len(stub.seen)
        report = build(config_of(stub), tmp_path / "two")
        assert len(stub.seen) == asked
    assert data_of(tmp_path / "one") == data_of(tmp_path / "two")
    assert report.traffic is not None and report.traffic["cost"] == 0
    assert report.traffic["requests"] == {"from_cache": asked - 1}  # one was the probe


def test_the_cache_alone_serves_when_the_server_is_gone(config_of: Configs, tmp_path: Path) -> None:
    with StubServer() as stub:
        config = config_of(stub)
        build(config, tmp_path / "one")
    build(config, tmp_path / "two")
    assert data_of(tmp_path / "one") == data_of(tmp_path / "two")


@pytest.mark.slow
def test_two_processes_share_one_cache(config_of: Configs, tmp_path: Path) -> None:
    with StubServer(latency=0.02) as stub:
        config = config_of(stub, count=20)
        both = [run_build(config, tmp_path / name) for name in ("one", "two")]
        assert [process.wait() for process in both] == [0, 0]
    assert data_of(tmp_path / "one") == data_of(tmp_path / "two")
    assert len(rows_of(tmp_path / "one")) == 20


@pytest.mark.slow
def test_a_build_killed_twice_repeats_only_what_was_in_flight(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, problems=2000, kills=2)


@pytest.mark.demand
def test_a_build_killed_ten_times_repeats_only_what_was_in_flight(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, problems=2000, kills=10)


def kill_and_resume(folder: Path, problems: int, kills: int) -> None:
    """Kill a build at random moments, resume it each time, and compare requests and rows with an undisturbed one."""
    pytest.importorskip("openai")
    source = write_problems(folder / "problems.jsonl", problems)
    moments = random.Random(kills)
    with StubServer(latency=0.05, behave=imperfect) as stub:
        options = {"engine": "llm", "model": stub.model, "kinds": KINDS, "concurrency": CONCURRENT, "workers": 1}
        config = BuildConfig(source=str(source), cache=folder / "killed.sqlite", **options)
        lost = 0
        for number in range(1, kills + 1):
            process = run_build(config, folder / "killed")
            goal = (number - moments.uniform(0.2, 0.8)) * problems * 1.3 / kills
            while len(stub.asked()) < goal and process.poll() is None:
                time.sleep(0.002)
            process.send_signal(signal.SIGKILL)
            process.wait()
            come_to_rest(stub)
            asked, committed = len(stub.asked()), len(keys_in(folder / "killed.sqlite"))
            assert 0 <= asked - committed - lost <= CONCURRENT  # sent and not committed: in flight at this kill
            lost = asked - committed
        build(config, folder / "killed")
        assert stub.most_in_flight <= CONCURRENT
        assert stub.repeated() <= lost  # what was lost is asked again, and what was committed is not
        assert len(stub.asked()) - lost == len(keys_in(folder / "killed.sqlite"))
        stub.latency = 0.0  # the rows do not depend on it
        build(config.model_copy(update={"cache": folder / "undisturbed.sqlite"}), folder / "undisturbed")
    assert data_of(folder / "killed") == data_of(folder / "undisturbed")
    assert keys_in(folder / "killed.sqlite") == keys_in(folder / "undisturbed.sqlite")


def come_to_rest(stub: StubServer) -> None:
    """Wait until the stub has read all that a killed process sent, and answers nothing any more."""
    seen = -1
    while stub.in_flight or seen != len(stub.seen):
        seen = len(stub.seen)
        time.sleep(0.3)


def imperfect(body: Body, seen: int) -> str:
    """Complete replies, of which some are no good."""
    behaviour = mixed(body, seen)
    return "good" if behaviour == "too_long" else behaviour


def keys_in(cache: Path) -> set[str]:
    if not cache.exists():
        return set()
    connection = sqlite3.connect(cache)
    try:
        return {key for (key,) in connection.execute("SELECT key FROM replies")}
    finally:
        connection.close()


def run_build(config: BuildConfig, out: Path) -> subprocess.Popen[bytes]:
    """The same build in a process of its own."""
    options: list[str] = ["--out", str(out)]
    for name in ("engine", "model", "concurrency", "workers", "cache"):
        if (value := getattr(config, name)) is not None:
            options += [f"--{name}", str(value)]
    command = [sys.executable, "-m", "semifactual.cli.main", "build", config.source, "--kinds", ",".join(config.kinds)]
    return subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_an_interrupt_keeps_what_was_in_flight(
    config_of: Configs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_DRAIN_SECONDS", 0.01)  # replies that are paid are awaited for longer

    def stop(done: int, total: int) -> None:
        if done >= 5:
            raise KeyboardInterrupt

    with StubServer(latency=0.3) as stub:
        config = config_of(stub, count=60, concurrency=8)
        with pytest.raises(KeyboardInterrupt):
            build(config, tmp_path / "out", on_progress=stop)
        come_to_rest(stub)
        first = len(stub.asked())
        build(config, tmp_path / "out")
        assert stub.repeated() == 0  # none in flight was given up
        assert len(stub.asked()) == 60 > first
    assert len(rows_of(tmp_path / "out")) == 60


def test_a_budget_of_tokens_stops_the_build_before_it_is_overdrawn(config_of: Configs, tmp_path: Path) -> None:
    with StubServer() as stub:
        config = config_of(stub, count=30, max_tokens=3000, reply_tokens=200)
        with pytest.raises(BudgetSpent, match="of 3,000 tokens") as caught:
            build(config, tmp_path / "out")
        assert caught.value.hint is not None and "--max-tokens" in caught.value.hint
        paid = len(stub.asked())
        assert 4 <= paid <= 12  # a reply costs 250 tokens
        with pytest.raises(BudgetSpent):  # the same budget holds for all runs of one build
            build(config, tmp_path / "out")
        assert len(stub.asked()) == paid
        report = build(config.model_copy(update={"max_tokens": None}), tmp_path / "out")
        assert stub.repeated() == 0
    assert report.resumed_at > 0
    assert report.manifest["llm"]["problems"]["accepted"] == 30


def test_a_budget_of_money_needs_a_price(config_of: Configs, tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("prices: [{model: stub, input: 100, cached_input: 10, output: 1000}]\n")
    with StubServer() as stub:
        with pytest.raises(ConfigError, match=f"that of stub is not known at 127.0.0.1:{stub.port}"):
            build(config_of(stub, max_cost=1), tmp_path / "out")
        config = config_of(stub, count=30, max_cost=1.0, prices=prices, reply_tokens=100)
        with pytest.raises(BudgetSpent, match=r"of 1\.0000"):
            build(config, tmp_path / "out")
        report = build(config.model_copy(update={"max_cost": None}), tmp_path / "out")
    one = (80 * 100 + 120 * 10 + 50 * 1000) / 1e6
    assert report.manifest["cost"] == pytest.approx(30 * one)
    assert report.traffic is not None and report.traffic["cost"] < 30 * one


def test_changed_models_are_another_dataset_and_changed_haste_is_not(config_of: Configs, tmp_path: Path) -> None:
    with StubServer() as stub:
        config = config_of(stub)
        build(config, tmp_path / "out")
        assert build(config_of(stub, rpm=60, max_tokens=5), tmp_path / "out").found_finished
        with pytest.raises(OutputError, match=r"config\.repairs: 2 -> 1"):
            build(config_of(stub, repairs=1), tmp_path / "out")


def test_auto_asks_only_for_what_rules_do_not_make(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    source = tmp_path / "problems.jsonl"
    short = {"question": "Xqz 7?", "answer": "7"}  # no rule paraphrases that
    long = {"question": "Mia buys 12 plums and eats 5. How many plums does Mia have left?", "answer": "7"}
    source.write_text(json.dumps(short) + "\n" + json.dumps(long) + "\n")
    with StubServer() as stub:
        config = BuildConfig(
            source=str(source), engine="auto", model=stub.model, kinds=("paraphrase",), workers=1, repairs=0
        )
        report = build(config, tmp_path / "out")
        assert [seen.purpose for seen in stub.asked()] == ["rewrite"]
    assert [[e["engine"] for e in row["semifactuals"]] for row in rows_of(tmp_path / "out")][1] == ["rule"]
    assert sum(report.manifest["llm"]["rewrites"].values()) == 2


def test_more_rewrites_of_a_kind_are_different_ones(config_of: Configs, tmp_path: Path) -> None:
    with StubServer() as stub:  # which always says the same
        manifest = build(config_of(stub, count=1, per_kind=2, repairs=1), tmp_path / "out").manifest
        assert len(stub.asked()) == 3
    assert manifest["llm"]["rewrites"] == {"accepted": 2, "rejected": 2, "failed": 0}
    assert {check["name"] for line in rejections_of(tmp_path / "out") for check in line["checks"]} == {"distinct"}


def test_a_kind_from_elsewhere_is_written_whole(
    config_of: Configs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @check("exclaims", "the original and one exclamation mark")
    def exclaims(pair: Pair) -> Finding:
        return passed() if pair.rewrite.text == pair.original.text + "!" else failed("something else")

    example = ("Add 1 and 2.", "Add 1 and 2.!")
    kind = Intervention("shout", Family.SURFACE, "a shout", Contract((exclaims,)), example, lambda text, rng: iter(()))
    interventions()
    monkeypatch.setitem(registry._registered, "shout", kind)
    with StubServer() as stub:
        manifest = build(config_of(stub, kinds=("shout",)), tmp_path / "out").manifest
    assert manifest["llm"]["problems"]["accepted"] == 4
    assert rows_of(tmp_path / "out")[2]["semifactuals"][0]["text"] == problem_text(3) + "!"


@pytest.mark.parametrize(
    ("opinion", "quote", "ended"),
    [
        ("same", "A tired baker", "accepted"),
        ("different", "A tired baker", "rejected"),
        ("same", "no such words", "rejected"),
    ],
)
def test_the_judge_settles_what_rules_leave_unsure(
    opinion: str, quote: str, ended: str, config_of: Configs, tmp_path: Path
) -> None:
    said = {"verdict": opinion, "quote": quote, "reason": "because"}
    with StubServer(behave=lambda body, seen: "vague", judge=lambda second: said) as stub:
        manifest = build(config_of(stub, judge=stub.model, repairs=0, count=2), tmp_path / "out").manifest
        assert len(stub.asked("judge")) == 2
    assert manifest["llm"]["problems"][ended] == 2
    lines = rejections_of(tmp_path / "out")
    if ended == "rejected":
        assert opinion in lines[0]["checks"][0]["evidence"]
        assert lines[0]["outcome"] == ("invalid" if opinion == "different" else "unsure")


def test_the_judge_is_not_asked_where_rules_are_sure(config_of: Configs, tmp_path: Path) -> None:
    with StubServer(behave=only(2, "changed")) as stub:
        build(config_of(stub, judge=stub.model, repairs=0), tmp_path / "out")
        assert stub.asked("judge") == []


@pytest.mark.parametrize(
    ("on_rewrites", "on_originals", "known"),
    [(False, False, "agreed"), (True, False, "refuted"), (True, True, "unknown"), (False, True, "unknown")],
)
def test_the_solver_compares_answers(
    on_rewrites: bool, on_originals: bool, known: str, config_of: Configs, tmp_path: Path
) -> None:
    with StubServer(solve=solver(on_rewrites, on_originals)) as stub:
        config = config_of(stub, count=2, solver=stub.model, votes=2, repairs=0, kinds=("paraphrase",))
        build(config, tmp_path / "out")
        expected = 2 * 2 if on_originals else 2 * 2 * 2
        assert len(stub.asked("solve")) == expected
    found = [e["answer_check"] for row in rows_of(tmp_path / "out") for e in row["semifactuals"]]
    refused = [line["answer_check"] for line in rejections_of(tmp_path / "out")]
    assert (found, refused) == (([], ["refuted"] * 2) if known == "refuted" else ([known] * 2, []))


def test_rewrites_by_rules_are_solved_too(config_of: Configs, tmp_path: Path) -> None:
    with StubServer(solve=solver(True, False)) as stub:
        config = config_of(
            stub, count=2, engine="rule", model=None, solver=stub.model, votes=1, kinds=("irrelevant_context",)
        )
        manifest = build(config, tmp_path / "out").manifest
    assert manifest["counts"]["kinds"]["irrelevant_context"]["valid"] == 0
    voted_down = [line for line in rejections_of(tmp_path / "out") if line["outcome"] == "valid"]
    assert [line["answer_check"] for line in voted_down] == ["refuted"] * 2


def test_the_bar_for_answers_holds_for_models_too(config_of: Configs, tmp_path: Path) -> None:
    with StubServer(solve=solver(True, True)) as stub:
        config = config_of(stub, count=1, solver=stub.model, votes=1, repairs=0, answer_check="agreed")
        build(config, tmp_path / "out")
    assert {check["name"] for line in rejections_of(tmp_path / "out") for check in line["checks"]} == {"answer_check"}


def test_a_key_that_travels_in_clear_is_told_of_before_it_does(
    config_of: Configs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Endpoint, "sends_key_in_clear", property(lambda endpoint: True))
    sent_before: list[int] = []
    with StubServer() as stub:
        build(config_of(stub), tmp_path / "out", on_news=lambda sentence: sent_before.append(len(stub.seen)))
        assert sent_before == [0]
        pairs = tmp_path / "pairs.jsonl"
        text = problem_text(4)
        pairs.write_text(json.dumps({"problem": text, "rewrite": text, "kind": "paraphrase", "answer": "14"}) + "\n")
        main(["check", str(pairs), "--judge", stub.model, "--workers", "1"])
    assert "travel unencrypted to 127.0.0.1" in capsys.readouterr().err


@pytest.mark.parametrize("fault", ["bad_key", "echo_key", "status_500"])
def test_the_key_is_in_nothing_that_a_run_writes(fault: str, config_of: Configs, tmp_path: Path) -> None:
    with StubServer(behave=only(2, fault)) as stub:
        command = [sys.executable, "-m", "semifactual.cli.main", "--debug", "build", config_of(stub).source]
        models = ["--engine", "llm", "--model", stub.model, "--kinds", ",".join(KINDS)]
        patience = ["--attempts", "1", "--repairs", "1", "--workers", "1", "--out", str(tmp_path / "out")]
        loud = {**os.environ, "OPENAI_LOG": "debug", "PYTHONASYNCIODEBUG": "1"}
        done = subprocess.run([*command, *models, *patience], env=loud, capture_output=True, text=True)
        assert {seen.authorization for seen in stub.seen} == {f"Bearer {KEY}"}
    assert done.returncode == (2 if fault == "bad_key" else 0)
    assert "HTTP Request" in done.stderr  # the client talks, and the traceback of an error is shown
    assert ("Traceback" in done.stderr) == (fault == "bad_key")
    assert KEY not in done.stdout + done.stderr
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.suffix == ".sqlite" for path in written)
    assert [path for path in written if KEY.encode() in path.read_bytes()] == []


def test_as_many_requests_are_in_flight_as_may_be(config_of: Configs, tmp_path: Path) -> None:
    with StubServer(latency=0.5) as stub:
        build(config_of(stub, count=100, concurrency=32, kinds=("irrelevant_context",)), tmp_path / "out")
    assert 16 <= stub.most_in_flight <= 32


def test_another_seed_gets_replies_of_its_own(config_of: Configs, tmp_path: Path) -> None:
    with StubServer() as stub:
        build(config_of(stub, count=2), tmp_path / "one")
        build(config_of(stub, count=2, seed=1), tmp_path / "two")
        assert len(stub.asked()) == 4
        assert stub.repeated() == 0


def test_a_preview_asks_and_keeps_the_replies(config_of: Configs, tmp_path: Path) -> None:
    with StubServer() as stub:
        config = config_of(stub)
        rows = preview(config, 2)
        assert len(stub.asked()) == 2
        build(config, tmp_path / "out")
        assert stub.repeated() == 0
    assert [row["record"] for row in rows] == rows_of(tmp_path / "out")[:2]


def test_an_estimate_asks_nothing(config_of: Configs, capsys: pytest.CaptureFixture[str]) -> None:
    with StubServer() as stub:
        expected = estimate(config_of(stub, count=30, solver=stub.model, votes=2))
        main(["build", config_of(stub).source, "--engine", "llm", "--model", "openai:gpt-4.1-mini", "--estimate"])
        assert stub.seen == []
    rewriter, solves = expected["roles"]["rewriter"], expected["roles"]["solver"]
    assert 30 <= rewriter["requests"] <= rewriter["at_most"]["requests"] == 90
    assert solves["requests"] == 30 * 2 * 3
    assert expected["cost"] is None
    said = capsys.readouterr().out
    assert "gpt-4.1-mini" in said and "are not subtracted" in said


def test_an_estimate_says_where_rules_leave_nothing_to_ask(
    config_of: Configs, capsys: pytest.CaptureFixture[str]
) -> None:
    with StubServer() as stub:
        source = config_of(stub).source
        options = ["--engine", "auto", "--model", stub.model, "--kinds", "scenario_wrap", "--estimate"]
        assert main(["build", source, *options]) == 0
    said = capsys.readouterr().out
    assert said == "4 problems, 4 looked at: rules make all that is wanted, so that no request is expected\n"


def test_check_says_where_no_rewrite_needed_asking(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("openai")
    pairs, original = tmp_path / "pairs.jsonl", problem_text(4)
    row = {"problem": original, "rewrite": original.replace("4 boxes", "5 boxes"), "kind": "paraphrase"}
    pairs.write_text(json.dumps({**row, "answer": "14"}) + "\n")
    with StubServer() as stub:
        assert main(["check", str(pairs), "--judge", stub.model, "--workers", "1"]) == 0
        assert stub.seen == []
    said = capsys.readouterr().out
    assert "models: no rewrite needed asking" in said and "USD" not in said


def test_check_asks_the_judge_and_the_solver(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("openai")
    pairs = tmp_path / "pairs.jsonl"
    original = problem_text(4)
    vague = original.replace("A baker", "A tired baker")
    row = {"problem": original, "rewrite": vague, "kind": "paraphrase", "answer": "14", "label": "kept"}
    pairs.write_text(json.dumps(row) + "\n")
    call = ["check", str(pairs), "--json", "--label-field", "label"]
    with StubServer(solve=solver(False, False)) as stub:
        models = ["--judge", stub.model, "--solver", stub.model, "--votes", "1", "--workers", "1"]
        assert main(call) == 0
        report = json.loads(capsys.readouterr().out)
        assert report["outcomes"]["paraphrase"] == {"unsure": 1}
        assert report["labels"]["all"]["falsely_rejected"]["unsure"] == 1
        assert main([*call, "--out", str(tmp_path / "verdicts.jsonl"), *models]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["labels"]["all"]["falsely_rejected"]["count"] == 0
    assert report["outcomes"]["paraphrase"] == {"valid": 1}
    assert report["answer_checks"] == {"agreed": 1}
    assert report["traffic"]["requests"]["answered"] == 3
    assert "judged same" in (tmp_path / "verdicts.jsonl").read_text()


def test_a_full_disk_stops_the_asking_at_once(
    config_of: Configs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(journal: Journal, lines: list[str]) -> None:
        raise OutputError("the disk is full")

    with StubServer(latency=0.05) as stub:
        config = config_of(stub, count=100, concurrency=4)
        with monkeypatch.context() as patch:
            patch.setattr(Journal, "append", full)
            with pytest.raises(OutputError, match="the disk is full") as caught:
                build(config, tmp_path / "out")
            asked = len(stub.asked())
            time.sleep(0.3)
            assert len(stub.asked()) == asked < 100  # while the traceback is still at hand
        assert caught.value.message
        build(config, tmp_path / "out")
        assert stub.repeated() == 0
    assert len(rows_of(tmp_path / "out")) == 100
