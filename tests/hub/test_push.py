"""Pushing to a real HTTP hub: what gets there, what it holds afterwards, and what is refused beforehand."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from semifactual.pipeline.assemble import PARQUET_NAME
from semifactual.pipeline.card_notes import NOTES_BEGIN
from semifactual.pipeline.records import read_parquet, write_parquet
from semifactual.publish.push import FILES
from tests.hub.driver import Driver
from tests.hub.server import OWNER, READ_TOKEN, WRITE_TOKEN, Hub

NAME = f"{OWNER}/words"


def parquet_bytes(tmp_path: Path, columns: dict[str, list[Any]]) -> bytes:
    path = tmp_path / "other.parquet"
    pq.write_table(pa.table(columns), path)
    return path.read_bytes()


def test_one_commit_holds_the_folder_byte_for_byte(client: Driver, hub: Hub, built: Path) -> None:
    ran = client.run("push", built, NAME, "--json", token=WRITE_TOKEN)
    assert ran.code == 0, ran.err
    assert ran.json["link"] == f"{hub.url}/datasets/{NAME}"
    assert set(ran.json["uploaded"]) == set(FILES) and ran.json["created"] and ran.json["rows"] == 8
    assert len(hub.commits(NAME)) == 1
    held = hub.files(NAME)
    assert {name: held[name] for name in FILES} == {name: (built / name).read_bytes() for name in FILES}
    assert not hub.repos[NAME].private


def test_pushing_again_sends_nothing(client: Driver, hub: Hub, built: Path) -> None:
    client.run("push", built, NAME, token=WRITE_TOKEN)
    before = sum(hub.uploads.values())
    ran = client.run("push", built, NAME, token=WRITE_TOKEN)
    assert ran.code == 0 and "everything is there already" in ran.out
    assert sum(hub.uploads.values()) == before and len(hub.commits(NAME)) == 1


def test_a_changed_card_alone_is_sent_alone(client: Driver, hub: Hub, dataset: Path) -> None:
    client.run("push", dataset, NAME, token=WRITE_TOKEN)
    card = dataset / "README.md"
    card.write_text(card.read_text() + "\nMore.\n")
    ran = client.run("push", dataset, NAME, "--json", token=WRITE_TOKEN)
    assert ran.json["uploaded"] == ["README.md"] and not ran.json["created"]
    assert hub.files(NAME)["README.md"].endswith(b"More.\n")


def test_notes_that_only_the_hub_has_are_told_of(client: Driver, hub: Hub, dataset: Path) -> None:
    card = dataset / "README.md"
    hub.put(NAME, {"README.md": card.read_bytes().replace(NOTES_BEGIN.encode(), f"{NOTES_BEGIN}\nTheirs.".encode())})
    commit = hub.repos[NAME].branches["main"][-1].oid
    ran = client.run("push", dataset, NAME, token=WRITE_TOKEN)
    assert ran.code == 0 and "has notes that the card here lacks" in ran.err and commit in ran.err
    card.write_text(card.read_text().replace(NOTES_BEGIN, f"{NOTES_BEGIN}\nOurs."))
    assert client.run("push", dataset, NAME, token=WRITE_TOKEN).err == ""
    assert b"\nOurs.\n" in hub.files(NAME)["README.md"]


def test_rows_of_an_older_push_do_not_stay_beside_the_new_ones(client: Driver, hub: Hub, built: Path) -> None:
    old = {"data/train-00000-of-00002.parquet": (built / PARQUET_NAME).read_bytes(), "notes.md": b"mine"}
    hub.put(NAME, old)
    ran = client.run("push", built, NAME, "--json", token=WRITE_TOKEN)
    assert ran.code == 0 and ran.json["deleted"] == ["data/train-00000-of-00002.parquet"]
    assert len(hub.commits(NAME)) == 1 and hub.files(NAME)["notes.md"] == b"mine"


def test_a_branch_is_made_and_the_main_one_left_alone(client: Driver, hub: Hub, built: Path) -> None:
    ran = client.run("push", built, NAME, "--revision", "v2", token=WRITE_TOKEN)
    assert ran.code == 0 and f"/datasets/{NAME}/tree/v2" in ran.out
    assert set(FILES) <= set(hub.files(NAME, "v2")) and not set(FILES) & set(hub.files(NAME, "main"))


def test_private_is_made_private_and_never_put_on_show(client: Driver, hub: Hub, built: Path) -> None:
    assert client.run("push", built, NAME, "--private", token=WRITE_TOKEN).code == 0
    assert hub.repos[NAME].private
    hub.put(f"{OWNER}/open", {})
    ran = client.run("push", built, f"{OWNER}/open", "--private", token=WRITE_TOKEN)
    assert ran.code == 2 and "everybody can see it" in ran.err
    assert hub.commits(f"{OWNER}/open") == []


def test_a_dry_run_needs_neither_token_nor_network(client: Driver, hub: Hub, built: Path) -> None:
    ran = client.run("push", built, NAME, "--dry-run", "--private")
    assert ran.code == 0 and hub.requests == []
    for name in FILES:
        assert f"{name}  " in ran.out and str((built / name).stat().st_size) in ran.out
    assert f"{NAME}, private" in ran.out and (built / "README.md").read_text() in ran.out
    told = client.run("push", built, NAME, "--dry-run", "--json").json
    assert told["files"] == {name: (built / name).stat().st_size for name in FILES}


@pytest.mark.parametrize("columns", [{"problem": ["a"], "label": [1]}, {"id": [1], "problem": ["a"]}])
def test_another_schema_is_refused_and_what_differs_said(
    client: Driver, hub: Hub, built: Path, tmp_path: Path, columns: dict[str, list[Any]]
) -> None:
    old = {"data/train-00000-of-00001.parquet": parquet_bytes(tmp_path, columns)}
    hub.put(NAME, old)
    ran = client.run("push", built, NAME, token=WRITE_TOKEN)
    assert ran.code == 2 and "another schema" in ran.err and "column semifactuals: only here" in ran.err
    expected = "column label: only there" if "label" in columns else "column id: int64 there, string here"
    assert expected in ran.err
    assert hub.files(NAME) == old
    forced = client.run("push", built, NAME, "--force", token=WRITE_TOKEN)
    assert forced.code == 0 and len(hub.commits(NAME)) == 1


def test_a_later_schema_and_data_of_another_form_are_refused(client: Driver, hub: Hub, built: Path) -> None:
    hub.put(NAME, {"manifest.json": json.dumps({"schema": 7}).encode(), "train.csv": b"a,b\n", ".x/y.csv": b""})
    ran = client.run("push", built, NAME, token=WRITE_TOKEN)
    assert ran.code == 2 and "schema: 7 there, 1 here" in ran.err
    assert "no parquet files: train.csv" in ran.err and ".x" not in ran.err


def test_a_repository_with_a_card_alone_is_free(client: Driver, hub: Hub, built: Path) -> None:
    hub.put(NAME, {"README.md": b"soon", ".gitattributes": b""})
    assert client.run("push", built, NAME, token=WRITE_TOKEN).code == 0


@pytest.mark.parametrize("name", ["words", "a/b/c", "/words", "some one/words", "someone/..", "someone/words.git", ""])
def test_a_name_that_is_not_owner_and_name(client: Driver, hub: Hub, built: Path, name: str) -> None:
    ran = client.run("push", built, name, token=WRITE_TOKEN)
    assert ran.code == 2 and "is not OWNER/NAME" in ran.err and hub.requests == []


def test_a_missing_token_is_one_sentence(client: Driver, hub: Hub, built: Path) -> None:
    ran = client.run("push", built, NAME)
    assert ran.code == 2 and "no token" in ran.err and "HF_TOKEN" in ran.err
    assert ran.err.count("\n") == 2 and hub.requests == []


@pytest.mark.parametrize(
    ("token", "name", "said"),
    [
        ("hf_wrongWrongWrong0123456789", NAME, "does not accept the token"),
        (READ_TOKEN, NAME, "no right to write"),
        (WRITE_TOKEN, "strangers/words", "no right to write"),
        ("hf_bad\x07token", NAME, "no token has"),
    ],
)
def test_a_token_that_does_not_open_the_door(
    client: Driver, hub: Hub, built: Path, token: str, name: str, said: str
) -> None:
    for debug in ([], ["--debug"]):
        ran = client.run("push", built, name, *debug, token=token)
        assert ran.code == 2 and said in ran.err
        assert token not in ran.out + ran.err and token[3:] not in ran.out + ran.err
    assert hub.repos == {}


def test_the_token_stands_nowhere(client: Driver, hub: Hub, dataset: Path) -> None:
    hub.fail("POST .*/commit/", 1, status=500)
    ran = client.run("push", dataset, NAME, "--debug", token=WRITE_TOKEN)
    assert ran.code == 0
    written = [path for folder in (dataset, client.home) for path in folder.rglob("*") if path.is_file()]
    assert all(WRITE_TOKEN.encode() not in path.read_bytes() for path in written)
    assert WRITE_TOKEN not in ran.out + ran.err
    assert not any(WRITE_TOKEN.encode() in content for content in hub.files(NAME).values())


def test_no_network_is_one_sentence_at_once(client: Driver, built: Path) -> None:
    code = f"""
import huggingface_hub
from pathlib import Path
from semifactual.errors import HubError
from semifactual.publish.hub import Hub
api = huggingface_hub.HfApi(endpoint="http://127.0.0.1:9", token={WRITE_TOKEN!r})
hub, news = Hub({WRITE_TOKEN!r}, lambda sentence: news.append(sentence)), []
hub._api, hub.endpoint = api, api.endpoint
try:
    hub.ask("the account", api.whoami)
except HubError as error:
    result = [error.message, error.hint, news]
"""
    message, hint, news = client.python(code)
    assert message == "the Hub at http://127.0.0.1:9 cannot be reached, or broke the connection off"
    assert "network" in hint and news == []


def test_only_what_the_user_named_is_asked(client: Driver, hub: Hub, built: Path) -> None:
    client.run("push", built, NAME, token=WRITE_TOKEN)
    others = [request for request in hub.requests if NAME not in request and "/lfs/" not in request]
    assert set(others) == {"GET /api/whoami-v2", "POST /api/repos/create", "POST /api/validate-yaml"}


def test_rows_that_the_manifest_does_not_know_are_not_pushed(client: Driver, hub: Hub, dataset: Path) -> None:
    rows = list(read_parquet(dataset / PARQUET_NAME))
    write_parquet(dataset / PARQUET_NAME, rows[:-1])
    ran = client.run("push", dataset, NAME, token=WRITE_TOKEN)
    assert ran.code == 2 and "holds 7 rows, and its manifest says 8" in ran.err and hub.requests == []


def test_a_hub_that_gives_back_other_rows_is_found_out(client: Driver, hub: Hub, dataset: Path, tmp_path: Path) -> None:
    """The bytes arrive, but what is served as the rows is something else."""
    rows = list(read_parquet(dataset / PARQUET_NAME))
    rows[3]["answer"] = "another"
    write_parquet(tmp_path / "changed.parquet", rows)
    sent = hashlib.sha256((dataset / PARQUET_NAME).read_bytes()).hexdigest()
    hub.objects[sent] = (tmp_path / "changed.parquet").read_bytes()
    ran = client.run("push", dataset, NAME, token=WRITE_TOKEN)
    assert ran.code == 2 and "gives back 8 rows, content" in ran.err


def test_a_card_that_the_hub_refuses_is_told(client: Driver, hub: Hub, dataset: Path) -> None:
    card = (dataset / "README.md").read_text().replace("license: apache-2.0", "license: mine")
    (dataset / "README.md").write_text(card)
    ran = client.run("push", dataset, NAME, token=WRITE_TOKEN)
    assert ran.code == 2 and "license" in ran.err and hub.commits(NAME) == []


def test_build_pushes_what_it_built(client: Driver, hub: Hub, tmp_path: Path) -> None:
    source = ["build", "builtin:word_problems?n=3", "--out", tmp_path / "out", "--workers", "1"]
    refused = client.run(*source, "--push", NAME)
    assert refused.code == 2 and "no token" in refused.err and not (tmp_path / "out").exists()
    assert client.run(*source, "--private", token=WRITE_TOKEN).code == 2
    ran = client.run(*source, "--push", NAME, "--private", token=WRITE_TOKEN)
    assert ran.code == 0 and f"{hub.url}/datasets/{NAME}" in ran.out, ran.err
    assert hub.repos[NAME].private and len(hub.commits(NAME)) == 1
    again = client.run(*source, "--push", NAME, "--json", token=WRITE_TOKEN)
    assert again.json["found_finished"] and again.json["push"]["uploaded"] == []
