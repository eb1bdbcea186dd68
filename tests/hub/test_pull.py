"""Bringing a set back: the same bytes, with its manifest, so that everything goes on from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from semifactual.publish.push import FILES
from tests.hub.driver import Driver
from tests.hub.server import OWNER, WRITE_TOKEN, Hub

NAME = f"{OWNER}/words"


@pytest.fixture
def pushed(client: Driver, hub: Hub, built: Path) -> Path:
    """The folder that the hub holds."""
    hub.put(NAME, {name: (built / name).read_bytes() for name in FILES} | {"other.txt": b"not ours"})
    return built


def test_the_same_bytes_come_back(client: Driver, hub: Hub, pushed: Path, tmp_path: Path) -> None:
    ran = client.run("pull", NAME, "--out", tmp_path / "here", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["rows"] == 8 and not ran.json["found_there"]
    here = {path.relative_to(tmp_path / "here").as_posix() for path in (tmp_path / "here").rglob("*") if path.is_file()}
    assert here == set(FILES)
    assert all((tmp_path / "here" / name).read_bytes() == (pushed / name).read_bytes() for name in FILES)
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def test_build_and_others_go_on_from_it(client: Driver, hub: Hub, pushed: Path, tmp_path: Path) -> None:
    out = tmp_path / "here"
    client.run("pull", NAME, "--out", out)
    options = ["--counterfactuals", "1", "--license", "apache-2.0", "--json"]
    again = client.run("build", "builtin:word_problems?n=8", "--out", out, *options)
    assert again.json["found_finished"], again.err
    assert client.run("check", out, "--fail-on-reject", "--workers", "1").code == 0
    assert client.run("card", out, "--json").json == {"card": str(out / "README.md"), "changed": False, "notes": ""}
    back = client.run("push", out, NAME, token=WRITE_TOKEN)
    assert "everything is there already" in back.out


def test_pulling_again_brings_nothing_and_another_set_is_left_alone(
    client: Driver, hub: Hub, pushed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "here"
    client.run("pull", NAME, "--out", out)
    before = hub.asked("GET .*/resolve/")
    assert client.run("pull", NAME, "--out", out, "--json").json["found_there"]
    assert hub.asked("GET .*/resolve/") == before
    (out / "README.md").write_text("mine")
    ran = client.run("pull", NAME, "--out", out)
    assert ran.code == 2 and "README.md differs" in ran.err and (out / "README.md").read_text() == "mine"


def test_a_folder_with_other_files_is_left_alone(client: Driver, hub: Hub, pushed: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    ran = client.run("pull", NAME, "--out", tmp_path)
    assert ran.code == 2 and "mine.txt" in ran.err


def test_an_interrupted_pull_goes_on(client: Driver, hub: Hub, pushed: Path, tmp_path: Path) -> None:
    out = tmp_path / "here"
    fault = hub.fail("GET .*/resolve/.*parquet", 99, status=404, headers={"X-Error-Code": "EntryNotFound"})
    assert client.run("pull", NAME, "--out", out).code == 2
    assert not out.exists()
    fault.times = 0
    manifests = hub.asked("GET .*manifest.json")
    assert client.run("pull", NAME, "--out", out).code == 0
    assert hub.asked("GET .*manifest.json") == manifests  # that one had come already


def test_passing_trouble_is_waited_for(client: Driver, hub: Hub, pushed: Path, tmp_path: Path) -> None:
    hub.fail("GET /api/datasets/.*/revision/", 1, status=503)
    assert client.run("pull", NAME, "--out", tmp_path / "here").code == 0


def test_what_is_no_dataset_of_ours(client: Driver, hub: Hub, pushed: Path, tmp_path: Path) -> None:
    hub.put(f"{OWNER}/other", {"data.csv": b"a\n"})
    ran = client.run("pull", f"{OWNER}/other", "--out", tmp_path / "here")
    assert ran.code == 2 and "no dataset that semifactual pushed" in ran.err and "semifactual build" in ran.err
    later = dict.fromkeys(FILES, b"{}") | {"manifest.json": json.dumps({"schema": 9}).encode()}
    hub.put(f"{OWNER}/later", later)
    ran = client.run("pull", f"{OWNER}/later", "--out", tmp_path / "here")
    assert ran.code == 2 and "schema 9" in ran.err and not (tmp_path / "here").exists()
    for counts in ({}, [1], {"rows": "<b>"}):
        hub.put(f"{OWNER}/odd", later | {"manifest.json": json.dumps({"schema": 1, "counts": counts}).encode()})
        ran = client.run("pull", f"{OWNER}/odd", "--out", tmp_path / "here")
        assert ran.code == 2 and "how many rows" in ran.err and not (tmp_path / "here").exists()


def test_what_is_not_there_or_not_to_be_seen(client: Driver, hub: Hub, pushed: Path, tmp_path: Path) -> None:
    out = tmp_path / "here"
    hub.put(f"{OWNER}/secret", dict(hub.files(NAME)), private=True)
    for name in (f"{OWNER}/nothing", f"{OWNER}/secret"):
        ran = client.run("pull", name, "--out", out)
        assert ran.code == 2 and "without a token" in ran.err
    assert "no dataset someone/nothing" in client.run("pull", f"{OWNER}/nothing", "--out", out, token=WRITE_TOKEN).err
    assert "no such revision" in client.run("pull", NAME, "--revision", "v9", "--out", out).err
    assert "is not OWNER/NAME" in client.run("pull", "words", "--out", out).err
    assert client.run("pull", f"{OWNER}/secret", "--out", out, token=WRITE_TOKEN).code == 0


def test_bytes_that_are_not_the_hubs_do_not_stay(client: Driver, hub: Hub, pushed: Path, tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
from semifactual.errors import HubError
from semifactual.publish import pull
from semifactual.publish.hub import Hub
bring = Hub.download
def corrupt(self, repository, commit, name, folder):
    path = bring(self, repository, commit, name, folder)
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    return path
Hub.download = corrupt
try:
    pull.pull({NAME!r}, Path({str(tmp_path / "here")!r}))
except HubError as error:
    result = error.message
Hub.download = bring
"""
    assert "did not arrive as the Hub has it" in client.python(code)
    assert not (tmp_path / "here").exists()
    assert client.run("pull", NAME, "--out", tmp_path / "here").code == 0
