"""How fast and how frugal asking a model is: throughput, refused requests, memory, with the stub server of the tests.

    python benchmarks/llm.py [--rows 20000] [--workers 2] [--at-once 64] [--only throughput|limits|build]

Three measurements: requests a second of the client alone (each reply committed to disk) beside what 64 at once at 200
ms could give; how many requests a server refuses that allows 20 a second; and a whole build with its judging, whose
memory should not grow with the rows.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from semifactual.llm.requests import ChatRequest, Purpose
from semifactual.llm.steps import Role
from semifactual.pipeline.build import build
from semifactual.pipeline.config import BuildConfig
from semifactual.pipeline.llm_options import LlmBuildOptions
from semifactual.pipeline.models import models_for

ROOT = Path(__file__).resolve().parent.parent
LATENCY = 0.2


@contextlib.contextmanager
def stub(*options: str) -> Iterator[str]:
    """The stub server in a process of its own; its address."""
    command = [sys.executable, "-m", "tests.stub_server", "--port", "0", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def ask_many(url: str, folder: Path, count: int, at_once: int, seconds: float | None = None) -> dict[str, Any]:
    """So many different requests, so many at once, each committed to the cache: the client without the judging."""
    settings = LlmBuildOptions(
        engine="llm", model=f"openai:stub@{url}", cache=folder / "cache.sqlite", concurrency=at_once
    )

    async def run() -> dict[str, Any]:
        with models_for(settings, {}) as models:
            assert models is not None
            client = models.open_clients()[Role.REWRITER]
            await client.prepare()
            numbers = iter(range(count))
            moments: list[tuple[float, int, int]] = []

            async def ask() -> None:
                for number in numbers:
                    text = f"<text>\nproblem {number} {'x' * 400}\n</text>"
                    shape = 'in this shape:\n{"irrelevant_context": {}}'
                    await client.ask(ChatRequest(Purpose.REWRITE, (("system", shape), ("user", text)), 500))
                    counts = client.traffic.counts
                    moments.append((time.monotonic(), counts["sent"], counts["refused"]))
                    if seconds is not None and moments[-1][0] - started > seconds:
                        return

            started, cpu = time.monotonic(), time.process_time()
            await asyncio.gather(*(ask() for _ in range(at_once)))
            took, used = time.monotonic() - started, time.process_time() - cpu
            await client.close()
            return {"moments": moments, "started": started, "took": took, "cpu": used, "done": len(moments)}

    return asyncio.run(run())


def throughput(rows: int, at_once: int) -> None:
    """Requests a second of the client alone, beside what so many at once at 200 ms could give."""
    with stub("--latency", str(LATENCY)) as url, tempfile.TemporaryDirectory() as folder:
        found = ask_many(url, Path(folder), rows, at_once)
    ideal = at_once / LATENCY
    rate = found["done"] / found["took"]
    share = f"{rate:.1f} of {ideal:.0f} requests/s ({rate / ideal:.1%})"
    print(f"throughput, {at_once} at once: {share}, {found['done']:,} requests,")
    print(f"            {1000 * found['cpu'] / found['done']:.2f} ms of CPU a request")


def limits(at_once: int) -> None:
    """Requests answered 429 by a server that allows 20 a second."""
    with stub("--latency", str(LATENCY), "--per-second", "20") as url, tempfile.TemporaryDirectory() as folder:
        found = ask_many(url, Path(folder), 10**9, at_once, seconds=120)
    adapted = [moment for moment in found["moments"] if moment[0] - found["started"] > 20]
    sent, refused = (adapted[-1][n] - adapted[0][n] for n in (1, 2))
    rate = (len(adapted) - 1) / (adapted[-1][0] - adapted[0][0])
    print(f"20 a second: {refused} of {sent} refused once adapted ({refused / sent:.2%}), {rate:.1f} served a second")


def whole_build(rows: int, workers: int, at_once: int) -> None:
    """A whole build, judged and journalled: rows a second, and memory at a quarter and at the end."""
    with stub("--latency", str(LATENCY)) as url, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "problems.jsonl"
        with source.open("w") as file:
            for n in range(1, rows + 1):
                text = f"A baker packs {n} boxes with {n + 3} rolls each and sells half of the rolls before noon. "
                row = {"question": f"{text}How many rolls does the baker have left?", "answer": str(n * (n + 3) // 2)}
                file.write(json.dumps(row) + "\n")
        config = BuildConfig(
            source=str(source), engine="llm", model=f"openai:stub@{url}", concurrency=at_once, workers=workers,
            cache=folder / "cache.sqlite", kinds=("paraphrase", "irrelevant_context"),
        )  # fmt: skip
        seen: dict[int, float] = {}

        def watch(done: int, total: int) -> None:
            if done * 4 // total not in seen:
                seen[done * 4 // total] = memory()

        started = time.monotonic()
        report = build(config, folder / "out", on_progress=watch)
        took = time.monotonic() - started
        ended = report.manifest["llm"]["problems"]
        print(f"whole build: {rows / took:.1f} rows/s with 2 kinds, {workers} workers; {ended}")
        shown = ", ".join(f"{quarter}/4: {size:.0f} MB" for quarter, size in sorted(seen.items()))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"memory of the main process: {shown}; at most {peak:.0f} MB")


def memory() -> float:
    """What this process holds now, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> None:
    """Print one table a measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--at-once", type=int, default=64)
    parser.add_argument("--only", choices=["throughput", "limits", "build"])
    options = parser.parse_args()
    os.environ.setdefault("OPENAI_API_KEY", "sk-benchmark")
    if options.only in (None, "throughput"):
        throughput(options.rows, options.at_once)
    if options.only in (None, "limits"):
        limits(options.at_once)
    if options.only in (None, "build"):
        whole_build(options.rows, options.workers, options.at_once)
    assert threading.active_count() == 1


if __name__ == "__main__":
    main()
