"""A process of its own in which commands talk to the test hub: the client reads its address when it is imported.

Reads one JSON object a line, ``{"arguments": [...], "environment": {...}}`` or ``{"code": ...}``, and answers one.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAUSES = (0.05, 0.1, 0.2, 0.2)


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Driver:
    """Starts the process, and runs command lines and code in it, one at a time."""

    def __init__(self, hub: str, home: Path) -> None:
        self.home = home
        settings = {"HF_ENDPOINT": hub, "HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1", "HF_HUB_OFFLINE": "0"}
        self.stderr = home / "stderr.txt"
        home.mkdir(parents=True, exist_ok=True)
        self._errors = self.stderr.open("w")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.hub.driver"],
            env=os.environ | settings,
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )

    def start(self, *arguments: str | Path, token: str | None = None, **environment: str) -> None:
        """Begin to run a command line; `finish` waits for it."""
        told = {"HF_TOKEN": token, **environment}
        self._send({"arguments": [str(argument) for argument in arguments], "environment": told})

    def finish(self) -> Ran:
        """What the command did that was begun last."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, self.stderr.read_text()
        return Ran(**json.loads(line))

    def run(self, *arguments: str | Path, token: str | None = None, **environment: str) -> Ran:
        """Run a command line of `semifactual`, with this token or without any."""
        self.start(*arguments, token=token, **environment)
        return self.finish()

    def python(self, code: str, token: str | None = None) -> Any:
        """Run code that sets `result`, and return that."""
        self._send({"code": code, "environment": {"HF_TOKEN": token}})
        done = self.finish()
        assert done.code == 0, done.err
        return done.json

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)
        self._errors.close()

    def _send(self, request: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()


def serve() -> None:
    """Answer requests until there are no more."""
    from semifactual.cli.main import main
    from semifactual.publish import hub

    hub.PAUSES = PAUSES
    answers = sys.stdout
    for line in sys.stdin:
        request = json.loads(line)
        for name, value in request["environment"].items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            try:
                code = main(request["arguments"]) if "arguments" in request else _execute(request["code"])
            except Exception:
                traceback.print_exc()
                code = -1
        answers.write(json.dumps({"code": code, "out": out.getvalue(), "err": err.getvalue()}) + "\n")
        answers.flush()


def _execute(code: str) -> int:
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - the tests' own code
    print(json.dumps(names["result"]))
    return 0


if __name__ == "__main__":
    serve()
