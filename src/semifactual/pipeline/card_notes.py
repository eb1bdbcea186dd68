"""What a person wrote into a card between two markers, which a remade card keeps."""

from __future__ import annotations

from semifactual.errors import OutputError

NOTES_BEGIN = "<!-- notes: what stands between these two lines is kept when the card is made anew -->"
NOTES_END = "<!-- end of notes -->"
PLACEHOLDER = ""
"""The notes of a card into which nobody wrote."""


def notes_in(card: str, name: str) -> str:
    """The notes of a card, without the line breaks around them; `name` is what an error calls the card.

    Raises:
        OutputError: the two markers are not there once each, in order, each on a line of its own, so that a person's
            words cannot be told from ours.
    """
    lines = card.splitlines()
    begin = [number for number, line in enumerate(lines) if line.strip() == NOTES_BEGIN]
    end = [number for number, line in enumerate(lines) if line.strip() == NOTES_END]
    if len(begin) != 1 or len(end) != 1 or begin[0] > end[0]:
        raise OutputError(
            f"{name} has not the two lines between which a person's notes stand, so they would be lost",
            hint=f"set your notes between {NOTES_BEGIN} and {NOTES_END}, or add --force to replace the whole card",
        )
    return "\n".join(lines[begin[0] + 1 : end[0]]).strip("\n")
