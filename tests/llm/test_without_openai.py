from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.llm.conftest import write_problems

REFUSE = """
import sys
from importlib.abc import MetaPathFinder

class Refuse(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("openai", "httpx2"):
            raise ImportError(f"{name} is not installed")

sys.meta_path.insert(0, Refuse())
from semifactual.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A command line where the package openai is missing."""
    return subprocess.run([sys.executable, "-c", REFUSE, *arguments], capture_output=True, text=True)


def test_builds_by_rules_and_estimates_need_no_openai(tmp_path: Path) -> None:
    source = str(write_problems(tmp_path / "problems.jsonl", 2))
    assert run("build", source, "--out", str(tmp_path / "out"), "--workers", "1").returncode == 0
    done = run("build", source, "--engine", "llm", "--model", "openai:gpt-4.1", "--estimate")
    assert done.returncode == 0 and "gpt-4.1" in done.stdout


def test_what_needs_openai_says_how_to_get_it(tmp_path: Path) -> None:
    source = str(write_problems(tmp_path / "problems.jsonl", 2))
    models = ["--engine", "llm", "--model", "openai:m@http://127.0.0.1:9/v1", "--workers", "1"]
    done = run("build", source, "--out", str(tmp_path / "out"), *models)
    assert done.returncode == 2
    assert "needs the package openai" in done.stderr
    assert "semifactual[llm]" in done.stderr
