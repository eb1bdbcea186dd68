from __future__ import annotations

import json
import subprocess
import sys

import pytest

from semifactual.answers import worker


def test_memory_is_limited() -> None:
    program = "from semifactual.answers.worker import limit_memory; limit_memory(300); bytearray(10**9)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "MemoryError" in ended.stderr


def test_running_out_of_memory_is_a_fatal_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhaust(request: dict[str, object]) -> str:
        raise MemoryError

    monkeypatch.setitem(worker.TASKS, "decide", exhaust)
    assert worker.answer(json.dumps({"task": "decide"})) == {"error": "out of memory", "fatal": True}


def test_computing_time_is_limited() -> None:
    program = (
        "import semifactual.answers.worker as worker; worker.CPU_SECONDS = 1; worker.allow_cpu_time()\nwhile True: pass"
    )
    ended = subprocess.run([sys.executable, "-c", program], timeout=30)
    assert ended.returncode < 0


def test_a_library_that_prints_is_not_a_reply() -> None:
    child = subprocess.run(
        [sys.executable, "-P", "-m", "semifactual.answers.worker", "1024"],
        input='{"task": "unknown"}\n',
        capture_output=True,
        text=True,
        timeout=60,
    )
    lines = child.stdout.splitlines()
    assert lines[0] == "ready"
    assert json.loads(lines[1]) == {"error": "KeyError: 'unknown'"}
    assert len(lines) == 2
