"""What a real hub does to a client: too many requests, outages, broken connections, somebody else at the same time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from semifactual.pipeline.build import build
from semifactual.pipeline.config import BuildConfig
from semifactual.publish.push import FILES
from tests.hub.driver import Driver
from tests.hub.server import OWNER, WRITE_TOKEN, Hub

NAME = f"{OWNER}/words"
PATIENT = (
    "GET /api/whoami",
    "GET /api/datasets/[^/]+/[^/]+$",
    "POST /api/repos/create",
    "POST /api/validate-yaml",
    "POST .*/commit/",
)
"""Requests that the client itself sends only once."""


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("request_", PATIENT)
def test_passing_trouble_is_waited_for(client: Driver, hub: Hub, built: Path, request_: str, status: int) -> None:
    fault = hub.fail(request_, 2, status=status)
    ran = client.run("push", built, NAME, token=WRITE_TOKEN)
    assert ran.code == 0, ran.err
    assert fault.times == 0 and len(hub.commits(NAME)) == 1
    assert ran.err.count("The Hub is busy") == 2


def test_the_wait_that_the_hub_asks_for_is_kept(client: Driver, hub: Hub, built: Path) -> None:
    hub.fail("POST .*/commit/", 1, status=429, headers={"Retry-After": "1"})
    ran = client.run("push", built, NAME, token=WRITE_TOKEN)
    assert ran.code == 0 and "again in 1 s" in ran.err
    hub.fail("GET /api/whoami", 1, status=429, headers={"Retry-After": "86400"})
    late = client.run("push", built, NAME, token=WRITE_TOKEN)
    assert late.code == 2 and "refuses more requests for now" in late.err


@pytest.mark.parametrize(("status", "said"), [(429, "refuses more requests"), (503, "answered 503 again and again")])
def test_trouble_that_stays_is_one_sentence(client: Driver, hub: Hub, built: Path, status: int, said: str) -> None:
    hub.fail("POST .*/commit/", 99, status=status)
    ran = client.run("push", built, NAME, token=WRITE_TOKEN)
    assert ran.code == 2 and said in ran.err and "Traceback" not in ran.err
    assert hub.commits(NAME) == []
    hub.faults.clear()
    sent = sum(hub.uploads.values())
    assert client.run("push", built, NAME, token=WRITE_TOKEN).code == 0
    assert sum(hub.uploads.values()) == sent == 1  # the large file had arrived, so it did not travel again


def test_a_connection_cut_in_the_middle_of_an_upload_is_taken_up_again(client: Driver, hub: Hub, built: Path) -> None:
    fault = hub.fail("PUT /lfs/", 1, after_bytes=1000)
    ran = client.run("push", built, NAME, token=WRITE_TOKEN)
    assert ran.code == 0, ran.err
    assert fault.times == 0 and hub.asked("PUT /lfs/") == 2 and len(hub.commits(NAME)) == 1


def test_an_answer_that_is_lost_makes_no_second_commit(client: Driver, hub: Hub, built: Path) -> None:
    hub.fail("POST .*/commit/", 1, after_done=True)
    ran = client.run("push", built, NAME, token=WRITE_TOKEN)
    assert ran.code == 0, ran.err
    assert hub.asked("POST .*/commit/") == 2 and len(hub.commits(NAME)) == 1


def test_reading_back_is_patient_too(client: Driver, hub: Hub, built: Path) -> None:
    hub.fail("GET .*/resolve/.*parquet", 1, status=503)
    assert client.run("push", built, NAME, token=WRITE_TOKEN).code == 0


@pytest.fixture
def second(hub: Hub, tmp_path: Path) -> Iterator[Driver]:
    driver = Driver(hub.url, tmp_path / "second")
    yield driver
    driver.close()


def test_two_pushes_of_the_same_set_at_once_make_one_commit(
    client: Driver, second: Driver, hub: Hub, built: Path
) -> None:
    """Both have seen the empty repository before either commits."""
    hub.put(NAME, {})
    hub.meeting = Meeting(hub)
    for driver in (client, second):
        driver.start("push", built, NAME, token=WRITE_TOKEN)
    done = [driver.finish() for driver in (client, second)]
    assert [ran.code for ran in done] == [0, 0], done
    assert len(hub.commits(NAME)) == 1
    assert sum("everything is there already" in ran.out for ran in done) == 1


def test_two_pushes_of_different_sets_at_once_never_mix(
    client: Driver, second: Driver, hub: Hub, built: Path, tmp_path: Path
) -> None:
    other = tmp_path / "algebra"
    build(BuildConfig(source="builtin:algebra?n=5", workers=1), other)
    hub.put(NAME, {})
    hub.meeting = Meeting(hub)
    client.start("push", built, NAME, token=WRITE_TOKEN)
    second.start("push", other, NAME, token=WRITE_TOKEN)
    done = [client.finish(), second.finish()]
    assert [ran.code for ran in done] == [0, 0], done
    assert sum("Somebody else changed" in ran.err for ran in done) == 1
    states = [commit.files for commit in hub.repos[NAME].branches["main"][1:]]
    for state, folder in zip(states, order(built, other, states[0]), strict=True):
        assert {name: state[name] for name in FILES} == {name: (folder / name).read_bytes() for name in FILES}


def order(first: Path, second: Path, state: dict[str, bytes]) -> tuple[Path, Path]:
    came_first = state["manifest.json"] == (first / "manifest.json").read_bytes()
    return (first, second) if came_first else (second, first)


class Meeting(threading.Barrier):
    """Two commits wait for each other, once."""

    def __init__(self, hub: Hub) -> None:
        super().__init__(2, action=lambda: setattr(hub, "meeting", None))


def test_a_branch_that_never_rests_is_given_up(client: Driver, hub: Hub, built: Path) -> None:
    hub.fail("POST .*/commit/", 99, status=412)
    ran = client.run("push", built, NAME, token=WRITE_TOKEN)
    assert ran.code == 2 and "changed 5 times" in ran.err
