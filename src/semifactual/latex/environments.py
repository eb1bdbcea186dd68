r"""Environments in formulas: rows and cells, whatever arranges them, between the fences that it draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from semifactual.latex.atoms import UNCLOSED, structure
from semifactual.latex.combining import normal_atoms
from semifactual.latex.notation import notation
from semifactual.latex.tokens import Cursor

if TYPE_CHECKING:
    from semifactual.latex.reader import Reader

_LONGEST_NAME = 20
_LONGEST_SPACE = 12
"""Tokens of the name of an environment, and of the length behind a row."""

_ROW_ENDS = frozenset({"&", "\\\\", "\\cr", "\\newline", "\\tabularnewline", "\\end"})
_WITH_COLUMNS = ("array", "subarray", "alignat")


def read_environment(reader: Reader) -> list[str]:
    r"""The atoms of the environment whose ``\begin`` was just read. One that is no layout of formulas is only named."""
    name = _name(reader)
    if name not in notation().layouts:
        return [f"\\begin{{{name}}}"]
    reader.skip_spaces()
    if reader.peek() == "[" and reader.peek(2) == "]":
        reader.position += 3
    if name.startswith(_WITH_COLUMNS):
        reader.argument()
    rows = _rows(reader, name)
    opening, closing = notation().fences.get(name, ("", ""))
    single = len(rows) == 1 and "&" not in rows[0]
    content = rows[0] if single else [structure("\\rows", [_between(rows)])]
    return [*filter(None, [opening]), *content, *filter(None, [closing])]


def _name(cursor: Cursor) -> str:
    """The name in braces that stands next."""
    cursor.skip_spaces()
    if not cursor.take_if("{"):
        return ""
    name = ""
    while cursor.peek() not in ("}", "") and len(name) < _LONGEST_NAME:
        name += cursor.take()
    cursor.take_if("}")
    return name


def _rows(reader: Reader, name: str) -> list[list[str]]:
    """The rows up to the end of the environment, the empty ones at its end left out."""
    rows: list[list[str]] = []
    cells: list[list[str]] = []
    while True:
        cells.append(reader.sequence(_ROW_ENDS))
        mark = reader.take()
        if mark == "&":
            continue
        rows.append(_row(name, cells))
        cells = []
        if mark not in _ROW_ENDS or mark == "\\end":
            break
        _skip_row_space(reader)
    closed = mark == "\\end" and _name(reader) == name
    while rows and not rows[-1]:
        rows.pop()
    return rows if closed else [*rows, [UNCLOSED]]


def _row(name: str, cells: list[list[str]]) -> list[str]:
    """The cells of one row in sequence, parted by ``&`` where that is more than alignment."""
    atoms = list(cells[0])
    for cell in cells[1:]:
        beside = {*atoms[-1:], *cell[:1]}
        if name in notation().tables and beside.isdisjoint(notation().relations):
            atoms.append("&")
        atoms += cell
    return normal_atoms(atoms)


def _skip_row_space(cursor: Cursor) -> None:
    r"""Skip the star and the length that may follow ``\\``."""
    cursor.take_if("*")
    if cursor.peek() == "[" and (cursor.peek(1).isdecimal() or cursor.peek(1) in (".", "-")):
        length = next((ahead for ahead in range(_LONGEST_SPACE) if cursor.peek(ahead) == "]"), -1)
        cursor.position += length + 1


def _between(rows: list[list[str]]) -> list[str]:
    r"""The rows with ``\\`` between them."""
    return [atom for row in rows for atom in (*row, "\\\\")][:-1]
