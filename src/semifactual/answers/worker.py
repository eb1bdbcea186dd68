"""The worker process: reads one JSON request a line, answers one JSON line, and can be killed at any moment.

Started by `pool`; not for use by hand. It limits its own memory before it imports anything large.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable
from typing import Any

from .wire import decode

CPU_SECONDS = 60
"""Time that one request may compute, for a worker whose parent was killed and cannot kill it any more."""


def limit_memory(megabytes: int) -> None:
    """Cap the address space of this process."""
    size = megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def allow_cpu_time() -> None:
    """Let this process compute for CPU_SECONDS from now; the kernel ends it after that."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = int(used.ru_utime + used.ru_stime) + CPU_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))


def _decide(request: dict[str, Any]) -> str:
    from .symbolic import decide

    return decide(decode(request["first"]), decode(request["second"])).value


def _math_verify(request: dict[str, Any]) -> str:
    from .last_resort import math_verify_outcome

    return math_verify_outcome(request["gold"], request["answer"]).value


def _solve(request: dict[str, Any]) -> str | None:
    from .solver import roots, value

    trees = [decode(tree) for tree in request["trees"]]
    if not request["variables"]:
        return value(trees[0])
    return roots(list(zip(trees[::2], trees[1::2], strict=True)), request["variables"])


TASKS: dict[str, Callable[[dict[str, Any]], str | None]] = {
    "decide": _decide,
    "math_verify": _math_verify,
    "solve": _solve,
}


def answer(line: str) -> dict[str, Any]:
    """The reply to one request. Whatever goes wrong in the mathematics is a reply too."""
    request = json.loads(line)
    try:
        return {"result": TASKS[request["task"]](request)}
    except MemoryError:
        return {"error": "out of memory", "fatal": True}
    except Exception as error:  # sympy raises nearly anything; the parent reports it
        return {"error": f"{type(error).__name__}: {error}"[:300]}


def main() -> None:
    """Serve requests from standard input until it closes."""
    limit_memory(int(sys.argv[1]))
    sys.set_int_max_str_digits(0)
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints must not look like a reply
    from . import symbolic  # noqa: F401  (sympy is imported before the first deadline starts)

    replies.write("ready\n")
    replies.flush()
    for line in sys.stdin:
        allow_cpu_time()
        reply = answer(line)
        replies.write(json.dumps(reply) + "\n")
        replies.flush()
        if reply.get("fatal"):
            return


if __name__ == "__main__":
    main()
