"""How fast `semifactual build` is, how much memory it takes, and how that compares with nlpaug's character augmenters.

    python benchmarks/build.py [PROBLEMS.jsonl] [--rounds 3] [--workers 2]

Without a file it builds 2,000 built-in word problems. Three tables: time and peak memory of whole builds; the same for
a quarter of the input, which shows whether memory is flat; and rewrites a second beside nlpaug (extra `bench`), which
changes characters at random and checks nothing, on the same texts in the same run.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DEFAULT_SOURCE = "builtin:word_problems?n=2000"
POLL_SECONDS = 0.02
PEER_TEXTS = 1000


@dataclass(frozen=True)
class Measured:
    """One build: how long it took, what its processes used together, and what it made."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    problems: int
    rewrites: int

    @property
    def rate(self) -> float:
        """Validated rewrites a second."""
        return self.rewrites / self.seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", default=DEFAULT_SOURCE)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()

    whole = [build(arguments.source, arguments.workers) for _ in range(arguments.rounds)]
    quarter = build(arguments.source, arguments.workers, "--limit", str(max(1, whole[0].problems // 4)))
    typos = build(arguments.source, 1, "--kinds", "typo_noise")

    print("| build | processes | problems | rewrites | seconds | CPU seconds | rewrites/s | peak RSS, all processes |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    middle = sorted(whole, key=lambda run: run.seconds)[len(whole) // 2]
    print_build(f"all kinds, median of {len(whole)}", arguments.workers, middle)
    print_build("all kinds, a quarter of the input", arguments.workers, quarter)
    print_build("typo_noise alone", 1, typos)
    print(f"\nmemory, whole input to a quarter of it: {middle.peak_mb / quarter.peak_mb:.2f}\n")
    print_peers(texts_of(arguments.source), middle, typos)


def build(source: str, workers: int, *options: str) -> Measured:
    """Run one build as a user would, watch its process tree, and read its manifest."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        command = [sys.executable, "-m", "semifactual.cli.main", "build", source, "--out", str(out)]
        started, used = time.perf_counter(), cpu_seconds_of_children()
        process = subprocess.Popen([*command, "--workers", str(workers), *options], stdout=subprocess.DEVNULL)
        peak = 0
        while process.poll() is None:
            peak = max(peak, sum(map(resident_bytes, process_tree(process.pid))))
            time.sleep(POLL_SECONDS)
        seconds, used = time.perf_counter() - started, cpu_seconds_of_children() - used
        if process.returncode:
            sys.exit(f"the build failed with exit code {process.returncode}")
        counts = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["counts"]
    rewrites = sum(kind["valid"] for kind in counts["kinds"].values())
    return Measured(seconds, used, peak / 1e6, counts["problems"], rewrites)


def cpu_seconds_of_children() -> float:
    """What all finished children, and theirs, have used so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def process_tree(root: int) -> Iterator[int]:
    """The ids of a process and all below it, from Linux's /proc."""
    yield root
    for children in Path(f"/proc/{root}/task").glob("*/children"):
        try:
            below = children.read_text().split()
        except OSError:
            continue
        for child in below:
            yield from process_tree(int(child))


def resident_bytes(process: int) -> int:
    """The resident set of one process; 0 once it is gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS")), 0)


def texts_of(source: str) -> list[str]:
    """Up to `PEER_TEXTS` problem texts of the source, for the peers to change."""
    from itertools import islice

    from semifactual.pipeline.config import BuildConfig
    from semifactual.pipeline.problems import open_problems

    return [problem.text for problem in islice(open_problems(BuildConfig(source=source)).problems(), PEER_TEXTS)]


def print_build(name: str, processes: int, run: Measured) -> None:
    print(
        f"| {name} | {processes} | {run.problems:,} | {run.rewrites:,} | {run.seconds:.1f} | "
        f"{run.cpu_seconds:.1f} | {run.rate:,.0f} | {run.peak_mb:,.0f} MB |"
    )


def print_peers(texts: list[str], all_kinds: Measured, typos: Measured) -> None:
    """Rewrites a second of nlpaug's character augmenters, and ours as multiples of them."""
    try:
        import nlpaug.augmenter.char as peers
    except ImportError:
        print("nlpaug is not installed (extra `bench`): no comparison")
        return
    print("| nlpaug, one process | texts/s | ours, all kinds and checks | ours, typo_noise alone, one process |")
    print("| --- | ---: | ---: | ---: |")
    for peer_class in (peers.RandomCharAug, peers.KeyboardAug):
        peer = peer_class(aug_char_max=1, aug_word_max=1)
        rate = statistics.median(peer_rate(peer, texts) for _ in range(3))
        print(f"| {peer_class.__name__} | {rate:,.0f} | {all_kinds.rate / rate:.2f}x | {typos.rate / rate:.2f}x |")


def peer_rate(peer: object, texts: list[str]) -> float:
    started = time.perf_counter()
    for text in texts:
        peer.augment(text)  # type: ignore[attr-defined]
    return len(texts) / (time.perf_counter() - started)


if __name__ == "__main__":
    main()
