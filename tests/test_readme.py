"""The README is true: its code runs, its tree is the repository's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from semifactual.interventions.registry import interventions
from tests.repository import ROOT, repository_files

_BLOCK = re.compile(r"(?:^<!-- (?P<note>[^\n]*?) -->\n)?^```(?P<language>\w*)\n(?P<code>.*?)^```$", re.M | re.S)
_LANGUAGES = {"bash": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}

UNLISTED_IN_THE_TREE = ("tests/",)
"""Folders whose own folders and files the tree leaves out: tests/ mirrors src/."""


@dataclass(frozen=True)
class Block:
    """A fenced block of code and the comment before it, which says what becomes of it."""

    note: str
    language: str
    code: str


@cache
def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(text: str | None = None) -> list[Block]:
    """The blocks of the README, or of another text."""
    found = _BLOCK.finditer(readme() if text is None else text)
    return [Block(match["note"] or "", match["language"], match["code"]) for match in found]


def test_every_block_says_what_becomes_of_it() -> None:
    assert [block for block in blocks() if not is_marked(block)] == []


def is_marked(block: Block) -> bool:
    return re.match(r"runnable$|not run: .|file: .|tree$", block.note) is not None


@pytest.mark.slow
def test_runnable_blocks_run_in_order(tmp_path: Path) -> None:
    """All share one folder, as they would for a reader; files are written, and the plug-in installed, beforehand."""
    for block in blocks():
        if block.note.startswith("file: "):
            path = tmp_path / block.note.removeprefix("file: ")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.code, encoding="utf-8")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    run([*install, "--target", str(tmp_path / "site"), str(tmp_path / "polite")], tmp_path)
    for block in (block for block in blocks() if block.note == "runnable"):
        run_block(block, tmp_path)


def run_block(block: Block, folder: Path) -> None:
    run([*_LANGUAGES[block.language], block.code], folder)


def run(command: list[str], folder: Path) -> None:
    search_path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": search_path, "PYTHONPATH": str(folder / "site"), "HF_HOME": str(folder / "hf")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{command[-1]}\n{done.stdout}\n{done.stderr}"


def test_a_kind_of_ones_own_takes_under_30_lines() -> None:
    (code,) = (block.code for block in blocks() if block.note.startswith("file: ") and block.language == "python")
    assert len(code.splitlines()) < 30


def test_the_tree_is_that_of_the_repository() -> None:
    """It holds every path that is worth listing, each described exactly once, and no other."""
    described = [path for path, description in tree_lines() if description]
    assert len(described) == len(set(described))
    assert set(described) == {path for path, _ in tree_lines()} == set(worth_listing())


def tree_lines() -> Iterator[tuple[str, str]]:
    """The paths of the indented tree, two spaces a level, and what is said of each; folders end with a slash."""
    for block in blocks():
        above: list[str] = []
        for line in block.code.splitlines() if block.note == "tree" else ():
            name, _, description = line.strip().partition(" ")
            above[(len(line) - len(line.lstrip())) // 2 :] = [name]
            yield "".join(above), description.strip()


def worth_listing() -> Iterator[str]:
    """Every folder, every file at the top, and the modules beside the package's folders."""
    seen: set[str] = set()
    for name in repository_files():
        folders = [name[: match.end()] for match in re.finditer("/", name)]
        for path in [*folders, name]:
            inside_unlisted = path.startswith(UNLISTED_IN_THE_TREE) and path not in UNLISTED_IN_THE_TREE
            module = re.fullmatch(r"src/semifactual/(?!__init__)\w+\.py", path) is not None
            if path not in seen and not inside_unlisted and (path.endswith("/") or "/" not in path or module):
                seen.add(path)
                yield path


def test_the_table_of_kinds_is_that_of_the_registry() -> None:
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in section("The kinds").splitlines()]
    kinds = [(kind.kind, kind.family, *kind.example) for kind in interventions().values()]
    assert [row for row in rows if len(row) == 4][2:] == kinds


def section(title: str) -> str:
    return readme().partition(f"\n## {title}\n")[2].partition("\n## ")[0]
