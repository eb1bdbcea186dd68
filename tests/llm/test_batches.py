"""Builds by the Batch API: the same rows, found again after any interruption."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from semifactual.llm import batch
from semifactual.llm.errors import BudgetSpent, ServerError
from semifactual.pipeline import batching
from semifactual.pipeline.build import build
from semifactual.pipeline.config import BuildConfig
from tests.llm.conftest import mixed, rejections_of, rows_of, solver
from tests.stub_server import StubServer

Configs = Callable[..., BuildConfig]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "POLL_SECONDS", 0.02)


def test_batches_make_the_same_dataset(config_of: Configs, tmp_path: Path) -> None:
    news: list[str] = []
    with StubServer(behave=lambda body, seen: "malformed" if mixed(body, seen) == "malformed" else "good") as stub:
        report = build(config_of(stub, batch=True, count=12), tmp_path / "out", on_news=news.append)
        assert all(seen.behaviour in ("batch", "good") for seen in stub.seen)
        assert len(stub.batches) >= 1
        assert len(stub.asked()) == 12
        failed = report.manifest["llm"]["problems"]["failed"]
    assert failed == 1  # the stub's batch could not do the one that it does badly otherwise
    assert sum(report.manifest["llm"]["problems"].values()) == 12
    assert any("sent 12 requests" in sentence for sentence in news)


def test_a_batch_survives_its_sender(config_of: Configs, tmp_path: Path) -> None:
    def die(sentence: str) -> None:
        if sentence.startswith("sent"):
            raise KeyboardInterrupt

    with StubServer(solve=solver(False, False)) as stub:
        config = config_of(stub, batch=True, count=6, solver=stub.model, votes=2)
        with pytest.raises(KeyboardInterrupt):
            build(config, tmp_path / "out", on_news=die)
        assert len(stub.batches) == 1
        report = build(config, tmp_path / "out")
        assert stub.repeated() == 0
        assert len(stub.batches) == 3  # rewrites; solutions of originals; solutions of rewrites
    assert report.manifest["llm"]["problems"]["accepted"] == 6


def test_a_server_without_batches_is_told_so(config_of: Configs, tmp_path: Path) -> None:
    with (
        StubServer(supports=("json_schema", "seed", "temperature", "max_tokens", "system")) as stub,
        pytest.raises(Exception, match="cannot be used") as caught,
    ):
        build(config_of(stub, batch=True), tmp_path / "out")
    assert "--batch" in str(getattr(caught.value, "hint", ""))


def test_what_an_expired_batch_left_goes_with_the_next(config_of: Configs, tmp_path: Path) -> None:
    with StubServer(batch_ends=["expired"]) as stub:
        report = build(config_of(stub, batch=True, count=6), tmp_path / "out")
        assert len(stub.batches) == 2
        assert stub.repeated() == 0
    assert report.manifest["llm"]["problems"]["accepted"] == 6


def test_a_batch_that_fails_stops_the_run_with_its_reason(config_of: Configs, tmp_path: Path) -> None:
    with StubServer(batch_ends=["failed"]) as stub:
        config = config_of(stub, batch=True)
        with pytest.raises(ServerError, match="the file is not to our liking"):
            build(config, tmp_path / "out")
        report = build(config, tmp_path / "out")  # it was forgotten, so a new one is sent
    assert report.manifest["llm"]["problems"]["accepted"] == 4


def test_a_batch_that_was_made_when_its_sender_died_is_recognised(
    config_of: Configs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from semifactual.llm.batch import BatchSender

    remember = BatchSender._remember

    async def die_knowing_the_number(self: BatchSender, name: str, state: object) -> None:
        if isinstance(state, dict) and state["batch"] is not None:
            raise KeyboardInterrupt
        await remember(self, name, state)

    with StubServer() as stub:
        config = config_of(stub, batch=True)
        with monkeypatch.context() as patch:
            patch.setattr(BatchSender, "_remember", die_knowing_the_number)
            with pytest.raises(KeyboardInterrupt):
                build(config, tmp_path / "out")
        assert len(stub.batches) == 1
        build(config, tmp_path / "out")
        assert len(stub.batches) == 1
        assert stub.repeated() == 0
    assert len(rows_of(tmp_path / "out")) == 4


@pytest.mark.parametrize("others", [0, 150])
def test_a_batch_whose_answer_was_lost_is_not_made_twice(others: int, config_of: Configs, tmp_path: Path) -> None:
    with StubServer() as stub:
        stub.batch_answers_lost = 1
        made = stub._new_batch

        def made_before_others(wanted: dict[str, object]) -> dict[str, object]:
            ours = made(wanted)
            for _ in range(others):  # of somebody else with the same account: ours is on a later page
                made({**wanted, "metadata": None})
            return ours

        stub._new_batch = made_before_others  # type: ignore[method-assign]
        build(config_of(stub, batch=True), tmp_path / "out")
        assert len(stub.batches) == 1 + others
        assert stub.repeated() == 0
    assert len(rows_of(tmp_path / "out")) == 4


def test_every_file_of_requests_fits_what_the_files_before_it_left(
    config_of: Configs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "MOST_REQUESTS", 1)
    with StubServer() as stub:
        with pytest.raises(BudgetSpent):
            build(config_of(stub, batch=True, count=10, max_tokens=2000, reply_tokens=100), tmp_path / "out")
        assert len(stub.batches) >= 2
        assert len(stub.asked()) * 250 <= 2000  # a reply costs 250 tokens


def test_the_summary_says_what_batches_used(config_of: Configs, tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("prices: [{model: stub, input: 100, cached_input: 10, output: 1000, batch: 0.5}]\n")
    with StubServer() as stub:
        report = build(config_of(stub, batch=True, prices=prices), tmp_path / "out")
    one = (80 * 100 + 120 * 10 + 50 * 1000) / 1e6 / 2
    assert report.manifest["cost"] == pytest.approx(4 * one)
    assert report.traffic is not None
    assert report.traffic["cost"] == pytest.approx(4 * one)
    assert report.traffic["tokens"]["prompt"] == 4 * 200
    assert report.traffic["requests"]["answered"] == 4


def test_a_batch_fits_the_budget_or_is_not_sent(config_of: Configs, tmp_path: Path) -> None:
    with StubServer() as stub:
        config = config_of(stub, batch=True, count=8, max_tokens=5000, reply_tokens=100)
        with pytest.raises(BudgetSpent):
            build(config, tmp_path / "out")
        assert 0 < len(stub.asked()) < 8
        build(config.model_copy(update={"max_tokens": None}), tmp_path / "out")
        assert stub.repeated() == 0
    assert len(rows_of(tmp_path / "out")) == 8


def test_a_request_that_a_batch_could_not_do_fails_with_its_error(config_of: Configs, tmp_path: Path) -> None:
    with StubServer(behave=lambda body, seen: "too_long") as stub:
        report = build(config_of(stub, batch=True, count=2), tmp_path / "out")
    errors = {line["checks"][0]["evidence"] for line in rejections_of(tmp_path / "out")}
    assert errors == {"the server answered 400: the batch could not do this"}
    assert report.traffic is not None and report.traffic["errors"] == dict.fromkeys(errors, 2)


def test_what_no_batch_answers_fails_in_the_end(config_of: Configs, tmp_path: Path) -> None:
    with StubServer(batch_ends=["expired"] * 9) as stub:  # each answers half of what it is sent, rounded up
        report = build(config_of(stub, batch=True, count=12), tmp_path / "out")
        assert len(stub.batches) == 3
    assert report.manifest["llm"]["problems"] == {"accepted": 11, "rejected": 0, "failed": 1}
