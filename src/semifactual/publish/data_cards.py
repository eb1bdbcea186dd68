"""The cards of the datasets that this project publishes: built anew and written, or compared with those that are there.

    python -m semifactual.publish.data_cards FOLDER [--check]

FOLDER holds NAME.md for each set that templates/published.yaml describes. With ``--check`` nothing is written, and the
exit code is 1 where a card is not the one that its options give today.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from semifactual.pipeline.assemble import CARD_NAME
from semifactual.pipeline.build import build
from semifactual.pipeline.card_notes import NOTES_BEGIN, notes_in
from semifactual.pipeline.config import load_config
from semifactual.pipeline.output import write_text_durably
from semifactual.resources import template_yaml

PUBLISHED = "published.yaml"
_LIBRARIES = re.compile(r"^\| libraries \|.*$", re.MULTILINE)


def remade_cards(folder: Path) -> Iterator[tuple[Path, str]]:
    """The path and the text of every card, with the notes that the one in `folder` holds."""
    for name, options in template_yaml(PUBLISHED).items():
        path = folder / f"{name}.md"
        notes = notes_in(path.read_text(encoding="utf-8"), str(path)) if path.exists() else ""
        with TemporaryDirectory() as made:
            build(load_config(None, options), Path(made) / name)
            card = (Path(made) / name / CARD_NAME).read_text(encoding="utf-8")
        yield path, card.replace(f"{NOTES_BEGIN}\n\n", f"{NOTES_BEGIN}\n{notes}\n", 1) if notes else card


def out_of_date(folder: Path) -> list[str]:
    """The names of the cards that are not what their options give today, whatever libraries they were made with."""
    return [path.name for path, card in remade_cards(folder) if not path.exists() or _told(path) != _plain(card)]


def _told(path: Path) -> str:
    return _plain(path.read_text(encoding="utf-8"))


def _plain(card: str) -> str:
    return _LIBRARIES.sub("| libraries | |", card)


def main() -> int:
    """Write or compare the cards; see above."""
    parser = argparse.ArgumentParser(description="The cards of the published datasets.")
    parser.add_argument("folder", type=Path, help="the folder that holds them")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 where one is out of date")
    arguments = parser.parse_args()
    if arguments.check:
        stale = out_of_date(arguments.folder)
        print(f"out of date: {', '.join(stale)}" if stale else "all cards are as they should be")
        return bool(stale)
    for path, card in remade_cards(arguments.folder):
        write_text_durably(path, card)
        print(path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
