"""From builtin problems to the Hub and back, offline: the same rows, whoever reads them, and every export loads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from datasets import load_dataset
from huggingface_hub import DatasetCard

from semifactual.pipeline.assemble import PARQUET_NAME
from semifactual.pipeline.records import read_parquet
from tests.hub.driver import Driver
from tests.hub.server import OWNER, WRITE_TOKEN, Hub

NAME = f"{OWNER}/words"
LOAD = """
from datasets import load_dataset
result = list(load_dataset({name!r}, split="train", streaming={streaming}))
"""


def test_from_problems_to_the_hub_and_back(client: Driver, hub: Hub, tmp_path: Path) -> None:
    out = tmp_path / "words"
    assert client.run("build", "builtin:word_problems?n=12", "--out", out, "--workers", "1").code == 0
    assert client.run("check", out, "--fail-on-reject", "--workers", "1").code == 0
    assert client.run("card", out).code == 0
    assert client.run("push", out, NAME, token=WRITE_TOKEN).code == 0
    assert len(hub.commits(NAME)) == 1

    rows = list(read_parquet(out / PARQUET_NAME))
    assert len(rows) == 12
    for streaming in (False, True):
        assert client.python(LOAD.format(name=NAME, streaming=streaming)) == rows
    assert client.run("pull", NAME, "--out", tmp_path / "back").code == 0
    assert list(read_parquet(tmp_path / "back" / PARQUET_NAME)) == rows

    for to in ("trl", "verl", "easyr1", "long"):
        file = tmp_path / f"{to}.parquet"
        assert client.run("export", tmp_path / "back", "--to", to, "--out", file).code == 0
        loaded = load_dataset("parquet", data_files=str(file), split="train", cache_dir=str(tmp_path / "cache"))
        assert len(loaded) == (12 if to != "long" else sum(len(row["semifactuals"]) for row in rows))
    # The judge reads what `long` writes, and finds again what it found when the set was built.
    assert client.run("check", tmp_path / "long.parquet", "--fail-on-reject", "--workers", "1").code == 0
    # A set on the Hub is a source like any other.
    again = client.run("export", NAME, "--to", "trl", "--out", tmp_path / "hub.parquet")
    assert again.code == 0, again.err
    assert (tmp_path / "hub.parquet").read_bytes() == (tmp_path / "trl.parquet").read_bytes()


def test_the_card_passes_the_clients_own_classes_and_the_hubs_validation(client: Driver, hub: Hub, built: Path) -> None:
    text = (built / "README.md").read_text(encoding="utf-8")
    card = DatasetCard(text)
    matter: dict[str, Any] = card.data.to_dict()
    assert matter == yaml.safe_load(text.split("\n---\n")[0].removeprefix("---\n"))
    assert matter["license"] == "apache-2.0" and matter["configs"][0]["config_name"] == "default"
    code = f"""
from huggingface_hub import DatasetCard
DatasetCard({text!r}).validate(repo_type="dataset")
try:
    DatasetCard({text.replace("n<1K", "few")!r}).validate(repo_type="dataset")
except ValueError as error:
    result = str(error)
"""
    assert "few is unknown" in client.python(code)
    assert hub.asked("POST /api/validate-yaml") == 2
