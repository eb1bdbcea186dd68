"""How long `semifactual --help` takes, beside an empty Python and an import of the `datasets` library.

    python benchmarks/startup.py [--rounds 11]

The three take turns in one run, so that all meet the same machine; each figure is a median of wall times.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

AIM_SECONDS = 0.5

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "semifactual --help": ["-m", "semifactual.cli.main", "--help"],
    'python -c "import datasets"': ["-c", "import datasets"],
}
BASELINE, OURS, _ = COMMANDS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11, help="how often each command runs; one more warms the disk")
    rounds = parser.parse_args().rounds

    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _round in range(rounds + 1):
        for name, arguments in COMMANDS.items():
            times[name].append(seconds(arguments))
    medians = {name: statistics.median(measured[1:]) for name, measured in times.items()}

    print("| command | seconds | to an empty Python |")
    print("| --- | ---: | ---: |")
    for name, median in medians.items():
        print(f"| `{name}` | {median:.3f} | {median / medians[BASELINE]:.1f}x |")
    print(f"\naim: under {AIM_SECONDS} s; {'met' if medians[OURS] < AIM_SECONDS else 'missed'}")


def seconds(arguments: list[str]) -> float:
    """The wall time of one fresh interpreter."""
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
