"""From a matched phrase and its replacement to edits: what stays, what is written anew, and the capitals in between."""

from __future__ import annotations

import re

from semifactual.interventions.phrasing.phrases import Carried, Template, inflected
from semifactual.interventions.phrasing.scene import Scene
from semifactual.text.edits import Edit


def recast(scene: Scene, match: re.Match[str], template: Template) -> tuple[Edit, ...]:
    """The edits that turn the matched text into its replacement; none where that would touch what is frozen.

    Slots that keep their order stay where they are, and only the words between them are edited. Where one moves, the
    whole match is written anew, the carried slots with the same bytes in another place.
    """
    carried = [piece.slot for piece in template if isinstance(piece, Carried) and not piece.form]
    spans = sorted(match.span(slot) for slot in carried)
    gaps = zip([match.start(), *(end for _, end in spans)], [*(start for start, _ in spans), match.end()], strict=True)
    if not all(scene.is_free(start, end) for start, end in gaps):
        return ()
    if [match.span(slot) for slot in carried] == spans:
        edits = [_trimmed(scene.text, edit) for edit in _between(scene, match, template)]
    else:
        edits = [_trimmed(scene.text, _anew(scene, match, template))]
    return tuple(edit for edit in edits if edit.start < edit.end or edit.replacement)


def _between(scene: Scene, match: re.Match[str], template: Template) -> list[Edit]:
    """The edits of the words between the slots, which stay."""
    edits: list[Edit] = []
    position, written = match.start(), ""
    for piece in template:
        if isinstance(piece, str):
            written += piece
        elif piece.form:
            written += inflected(match, piece)
        else:
            start, end = match.span(piece.slot)
            cased = _recased(scene, match, start, end, preceded=bool(written))
            changed = int(cased != scene.text[start:end])
            written = _spaced(scene.text[position:start], _begun(scene, match, position, written))
            edits.append(Edit(position, start + changed, written + cased[:changed]))
            position, written = end, ""
    if written.startswith(".") and scene.text[position - 1] == ".":
        written = written[1:]  # the full stop of an abbreviation ends the sentence as well
    edits.append(Edit(position, match.end(), _begun(scene, match, position, written)))
    return edits


def _anew(scene: Scene, match: re.Match[str], template: Template) -> Edit:
    """The one edit that writes the whole match again, its slots in another order."""
    text = ""
    for piece in template:
        if isinstance(piece, str):
            text += piece if text else _capitalised_like(scene, match, piece)
        elif piece.form:
            text += inflected(match, piece)
        else:
            text += _recased(scene, match, *match.span(piece.slot), preceded=bool(text))
    return Edit(match.start(), match.end(), text)


def _recased(scene: Scene, match: re.Match[str], start: int, end: int, *, preceded: bool) -> str:
    """A slot's text with the first letter that it needs where words now precede it, or where it now comes first."""
    if preceded:
        return scene.lowered(start, end)
    if start > match.start() and scene.opens_sentence(match.start()):
        return scene.raised(start, end)
    return scene.text[start:end]


def _begun(scene: Scene, match: re.Match[str], position: int, written: str) -> str:
    """`written`, cased as the start of the match where it stands there."""
    return _capitalised_like(scene, match, written) if position == match.start() else written


def _capitalised_like(scene: Scene, match: re.Match[str], written: str) -> str:
    """`written` with a capital exactly where it opens a sentence, or where the words that it replaces had one."""
    first = match[0][:1]
    if scene.opens_sentence(match.start()) or first.isupper():
        return written[:1].upper() + written[1:]
    return written[:1].lower() + written[1:] if first.islower() else written


def _spaced(replaced: str, written: str) -> str:
    """`written` with the line break that `replaced` ends in, if it does."""
    kept = replaced[len(replaced.rstrip()) :]
    return written.rstrip() + kept if "\n" in kept and written.endswith(" ") else written


def _trimmed(text: str, edit: Edit) -> Edit:
    """The same edit without what it replaces by itself at either end."""
    start, end, replacement = edit.start, edit.end, edit.replacement
    while start < end and replacement and text[start] == replacement[0]:
        start, replacement = start + 1, replacement[1:]
    while start < end and replacement and text[end - 1] == replacement[-1]:
        end, replacement = end - 1, replacement[:-1]
    return Edit(start, end, replacement)
