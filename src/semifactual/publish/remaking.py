"""Making the card of a built dataset anew, and keeping what a person wrote into it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semifactual.errors import OutputError
from semifactual.pipeline.assemble import CARD_NAME, PARQUET_NAME
from semifactual.pipeline.card import render_card
from semifactual.pipeline.card_examples import choose_examples
from semifactual.pipeline.card_notes import PLACEHOLDER, notes_in
from semifactual.pipeline.dataset import require_dataset
from semifactual.pipeline.journal import finished_manifest
from semifactual.pipeline.output import write_text_durably
from semifactual.pipeline.records import SCHEMA_VERSION, read_parquet


@dataclass(frozen=True, slots=True)
class CardReport:
    """What became of a card."""

    path: Path
    changed: bool
    """Whether the file says anything else than before."""
    notes: str
    """What a person had written, which is still there."""


def manifest_of(folder: Path) -> dict[str, Any]:
    """The manifest of the whole dataset in `folder`.

    Raises:
        SourceError: there is no whole dataset.
        OutputError: the manifest is not one that this version can read.
    """
    require_dataset(folder)
    manifest = finished_manifest(folder) or {}
    if manifest.get("schema") != SCHEMA_VERSION:
        raise OutputError(
            f"{folder} holds a dataset of schema {manifest.get('schema')}, and this version knows {SCHEMA_VERSION}",
            hint="use the version of semifactual that built it, or build the dataset anew",
        )
    return manifest


def remake_card(folder: Path, *, force: bool = False) -> CardReport:
    """Write the card of the dataset in `folder` anew; what stands between its two markers stays.

    With `force` a card without the markers is replaced, and all that a person wrote into it is lost.

    Raises:
        SourceError: there is no whole dataset.
        OutputError: the card has no markers, or cannot be written.
    """
    manifest = manifest_of(folder)
    path = folder / CARD_NAME
    before = _read(path)
    notes = PLACEHOLDER
    if before is not None:
        try:
            notes = notes_in(before, str(path))
        except OutputError:
            if not force:
                raise
    card = render_card(manifest, choose_examples(read_parquet(folder / PARQUET_NAME)), notes)
    if card != before:
        write_text_durably(path, card)
    return CardReport(path, card != before, notes)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8") if path.exists() else None
    except (OSError, UnicodeDecodeError) as error:
        raise OutputError(f"{path} cannot be read: {error}", hint="move it away, and its card is made anew") from error
