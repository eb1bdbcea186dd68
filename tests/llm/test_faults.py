"""Every fault that a server may have: what becomes of the problem, and that no other problem notices."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from semifactual.cli.main import main
from semifactual.errors import SemifactualError
from semifactual.llm import client as client_module
from semifactual.llm.errors import ServerError
from semifactual.pipeline.build import build
from semifactual.pipeline.config import BuildConfig
from tests.llm.conftest import only, rejections_of, rows_of
from tests.stub_server import KEY, StubServer

Configs = Callable[..., BuildConfig]

HARMLESS = ("fenced", "chatter", "thinking", "no_usage", "mislabelled")
"""Replies that hold what was asked for, in spite of all."""
UNUSABLE = {
    "malformed": "reply",
    "truncated": "reply",
    "empty": "reply",
    "null": "reply",
    "refusal": "reply",
    "filtered": "reply",
    "commands": "reply",
    "dropped": "placeholders",
    "duplicated": "placeholders",
    "changed": "placeholders",
    "doubled": "backslashes",
    "html": "markup",
    "jinja": "frozen_spans",
    "control": "control_characters",
}
"""Replies that are complete and no good, each with the check that says so (of the paraphrase)."""
NO_REPLY = ("status_500", "status_503", "closed", "hung_up", "error_200", "web_page", "empty_choices")
"""No complete reply: worth another attempt."""


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "_FIRST_DELAY", 0.01)
    monkeypatch.setattr(client_module, "_LONGEST_DELAY", 0.05)


@pytest.mark.parametrize("fault", HARMLESS)
def test_a_reply_that_holds_what_was_asked_for_is_used(fault: str, config_of: Configs, tmp_path: Path) -> None:
    with StubServer(behave=only(2, fault)) as stub:
        manifest = build(config_of(stub), tmp_path / "out").manifest
    assert manifest["llm"]["problems"] == {"accepted": 4, "rejected": 0, "failed": 0}
    assert manifest["llm"]["tokens"]["unreported_replies"] == (1 if fault == "no_usage" else 0)
    assert len(stub.asked()) == 4


@pytest.mark.parametrize("fault", UNUSABLE)
def test_a_reply_that_is_no_good_is_rejected_with_its_history(fault: str, config_of: Configs, tmp_path: Path) -> None:
    with StubServer(behave=only(2, fault)) as stub:
        manifest = build(config_of(stub, repairs=1), tmp_path / "out").manifest
    assert manifest["llm"]["problems"] == {"accepted": 3, "rejected": 1, "failed": 0}
    (rejection,) = [r for r in rejections_of(tmp_path / "out") if r["kind"] == "paraphrase"]
    assert rejection["id"] == rows_of(tmp_path / "out")[1]["id"]
    assert rejection["outcome"] == "invalid"
    assert UNUSABLE[fault] in [check["name"] for check in rejection["checks"]]
    assert len(rejection["history"]) == 1
    assert UNUSABLE[fault] in [check["name"] for check in rejection["history"][0]["checks"]]


@pytest.mark.parametrize("fault", UNUSABLE)
def test_a_reply_that_is_no_good_is_repaired_by_another_request(fault: str, config_of: Configs, tmp_path: Path) -> None:
    with StubServer(behave=only(2, fault, times=1)) as stub:
        manifest = build(config_of(stub), tmp_path / "out").manifest
    assert manifest["llm"]["problems"] == {"accepted": 4, "rejected": 0, "failed": 0}
    assert manifest["llm"]["repairs"] >= 1
    assert [seen.purpose for seen in stub.asked("repair")] == ["repair"]
    assert stub.repeated() == 0
    params = [json.loads(entry["params"]) for entry in rows_of(tmp_path / "out")[1]["semifactuals"]]
    assert 1 in [param["repairs"] for param in params]


@pytest.mark.parametrize("fault", NO_REPLY)
def test_a_request_without_a_reply_is_sent_again(fault: str, config_of: Configs, tmp_path: Path) -> None:
    with StubServer(behave=only(2, fault, times=2)) as stub:
        report = build(config_of(stub), tmp_path / "out")
    assert report.manifest["llm"]["problems"] == {"accepted": 4, "rejected": 0, "failed": 0}
    assert report.traffic is not None and report.traffic["requests"]["retried"] == 2
    assert len(stub.asked()) == 6


@pytest.mark.parametrize("fault", [*NO_REPLY, "too_long", "huge", "huge_error"])
def test_a_request_that_never_gets_a_reply_fails_with_the_error(fault: str, config_of: Configs, tmp_path: Path) -> None:
    with StubServer(behave=only(2, fault)) as stub:
        manifest = build(config_of(stub, attempts=2), tmp_path / "out").manifest
    assert manifest["llm"]["problems"] == {"accepted": 3, "rejected": 0, "failed": 1}
    assert manifest["llm"]["rewrites"] == {"accepted": 6, "rejected": 0, "failed": 2}
    failures = rejections_of(tmp_path / "out")
    assert [failure["outcome"] for failure in failures] == ["failed", "failed"]
    assert failures[0]["checks"][0]["evidence"]
    assert len(rows_of(tmp_path / "out")) == 4


@pytest.mark.parametrize("fault", ["drip", "never"])
def test_a_reply_that_does_not_end_is_given_up(fault: str, config_of: Configs, tmp_path: Path) -> None:
    with StubServer(behave=only(2, fault)) as stub:
        manifest = build(config_of(stub, attempts=1, timeout=2), tmp_path / "out").manifest
    assert manifest["llm"]["problems"] == {"accepted": 3, "rejected": 0, "failed": 1}
    assert "within 2 seconds" in rejections_of(tmp_path / "out")[0]["checks"][0]["evidence"]


def test_a_refusal_for_haste_spends_no_attempt(config_of: Configs, tmp_path: Path) -> None:
    with StubServer(behave=only(2, "rate_limited", times=6)) as stub:
        report = build(config_of(stub, attempts=1), tmp_path / "out")
    assert report.manifest["llm"]["problems"] == {"accepted": 4, "rejected": 0, "failed": 0}
    assert report.traffic is not None and report.traffic["requests"]["refused"] == 6


@pytest.mark.parametrize(("fault", "said"), [("bad_key", "answered 401"), ("no_credit", "exceeded your current quota")])
def test_what_every_request_would_meet_stops_the_run(fault: str, said: str, config_of: Configs, tmp_path: Path) -> None:
    with StubServer(behave=only(2, fault)) as stub:
        config = config_of(stub, concurrency=1)
        with pytest.raises(ServerError, match=said) as caught:
            build(config, tmp_path / "out")
        assert KEY not in str(caught.value) and KEY not in repr(caught.value.__dict__)
        port = stub.port
    with StubServer(port=port) as healthy:  # the same server, mended: what was paid is not asked again
        report = build(config, tmp_path / "out")
    assert report.manifest["llm"]["problems"]["accepted"] == 4
    assert len(healthy.asked()) < 4 + len(stub.asked())
    assert report.resumed_at == 1


def test_a_server_that_falls_silent_stops_the_run_and_poisons_no_row(config_of: Configs, tmp_path: Path) -> None:
    with StubServer(dies_after=3) as stub:
        config = config_of(stub, count=12, concurrency=1, attempts=2)
        with pytest.raises(ServerError, match="sends no usable reply"):
            build(config, tmp_path / "out")
        port = stub.port
    with StubServer(port=port) as back:
        report = build(config, tmp_path / "out")
    assert report.manifest["llm"]["problems"] == {"accepted": 12, "rejected": 0, "failed": 0}
    assert len(back.asked()) == 9


def test_no_server_at_all_is_one_clear_error(config_of: Configs, tmp_path: Path) -> None:
    with StubServer() as stub:
        config = config_of(stub)
    with pytest.raises(SemifactualError, match="sends no usable reply") as caught:
        build(config, tmp_path / "out")
    assert caught.value.hint is not None and "run the same command again" in caught.value.hint


def test_a_run_without_any_reply_says_why_and_blames_no_bar(
    config_of: Configs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with StubServer(behave=lambda body, seen: "web_page") as stub:
        source = config_of(stub, count=3).source
        options = ["--engine", "llm", "--model", stub.model, "--workers", "1", "--attempts", "2"]
        assert main(["build", source, "--out", str(tmp_path / "out"), *options]) == 0
    said = capsys.readouterr().out
    assert "3 requests without a reply: the server sent no JSON, but '<html>" in said
    assert "no request got a reply" in said
    assert "the cost is not known" in said and "0.0000" not in said
    assert "no rewrite entered the dataset\n" in said and "--answer-check" not in said
