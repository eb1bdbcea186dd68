"""The atoms of a formula: a symbol, a number, a word, or a command with its arguments, each in its normal form."""

from __future__ import annotations

from collections.abc import Iterable

WORD = "\\text{"
"""How an atom that is a word begins."""

UNCLOSED = "\\unclosed"
"""Stands where a brace, a sized bracket or an environment lacks its partner: a broken formula equals no whole one."""

APART = frozenset(
    {
        "+", "-", "=", "<", ">", "\\le", "\\ge", "\\not{=}", "\\approx", "\\equiv", "\\sim", "\\pm", "\\to", "\\in",
        "\\implies", "\\iff", "\\times", "\\cdot", "\\dots", ",", ";", ":", ".", "?", "&", "\\\\",
    }
)  # fmt: skip
"""Signs that stand between two terms: what is on one side belongs to nothing on the other."""

SCRIPTS = ("^", "_", "'", "’")
"""The tokens that a subscript or superscript begins with; primes are superscripts."""

OPENING = frozenset({"(", "[", "\\{", "|"})
CLOSING = frozenset({")", "]", "\\}", "|"})
_PAIRS = {
    ("[", "]"),
    ("|", "|"),
    ("\\{", "\\}"),
    ("\\parallel", "\\parallel"),
    ("\\lfloor", "\\rfloor"),
    ("\\lceil", "\\rceil"),
}

_QUOTIENT, _PRODUCTS = "\\frac", frozenset({"\\frac", "\\sqrt", "\\root"})
_CROSSED = ("\\mathbf", "\\vec", "\\hat", "\\mathbb", "\\bar", "\\rows")
"""Where these stand, a cross and a dot may be two products: of vectors, of sets, of matrices."""

_FARTHEST = 200
"""Atoms between two brackets that are looked for as a pair."""


def word(letters: str) -> str:
    """A word as an atom; a single letter is a symbol."""
    return f"{WORD}{letters}}}" if len(letters) > 1 else letters


def word_of(atom: str) -> str:
    """The letters of an atom that is a word; empty for any other atom."""
    return atom[len(WORD) : -1] if atom.startswith(WORD) else ""


def is_plain(atom: str) -> bool:
    """Whether an atom is a number, a letter or a letter's command."""
    return atom[0].isalnum() or (atom[0] == "\\" and atom[1:].isalpha() and atom not in APART)


def is_script(atom: str) -> bool:
    """Whether an atom is a subscript or superscript."""
    return atom.startswith(("_{", "^{"))


def braced(atoms: list[str]) -> str:
    """Several atoms as one."""
    return "{" + " ".join(atoms) + "}"


def is_one(atoms: list[str], following: str) -> bool:
    """Whether what stands behind some atoms means the same with braces around them and without.

    A script there belongs to a bracket as a whole, and a power to a symbol with its subscript.
    """
    if len(atoms) < 2 or following not in SCRIPTS or _is_bracketed(atoms):
        return True
    return following == "^" and len(atoms) == 2 and is_plain(atoms[0]) and atoms[1].startswith("_{")


def _is_bracketed(atoms: list[str]) -> bool:
    """Whether one pair of brackets or bars stands around all of the atoms."""
    if atoms[0] == "(":
        return partner(atoms, 0) == len(atoms) - 1
    return (atoms[0], atoms[-1]) in _PAIRS and {atoms[0], atoms[-1]}.isdisjoint(atoms[1:-1])


def structure(name: str, arguments: Iterable[list[str]]) -> str:
    """A command with its arguments as one atom. A fraction's bar serves for the brackets around a whole side."""
    if name == _QUOTIENT:
        arguments = map(without_outer_brackets, arguments)
    if name in _PRODUCTS:
        arguments = map(with_products, arguments)
    return name + "".join(map(braced, arguments))


def with_products(atoms: list[str]) -> list[str]:
    """The atoms with a dot for every cross between numbers, letters and brackets."""
    if "\\times" not in atoms or any(atom.startswith(_CROSSED) for atom in atoms):
        return atoms
    return [
        "\\cdot" if atom == "\\times" and 0 < i < len(atoms) - 1 and not _are_sets(atoms[i - 1], atoms[i + 1]) else atom
        for i, atom in enumerate(atoms)
    ]


def _are_sets(left: str, right: str) -> bool:
    """Whether both sides of a product are capital letters, which may be sets, or lists in braces."""
    return (left.isupper() and right.isupper()) or left == "\\}" or right == "\\{"


def is_size(atoms: list[str]) -> bool:
    r"""Whether there is nothing but numbers, letters and crosses, as in the 3 \times n of a grid."""
    return all(atom == "\\times" or atom in ".,?" or atom.isalnum() for atom in atoms)


def without_outer_brackets(atoms: list[str]) -> list[str]:
    """The atoms without the round brackets around all of them."""
    whole = atoms[:1] == ["("] and partner(atoms, 0) == len(atoms) - 1
    return atoms[1:-1] if whole else atoms


def partner(atoms: list[str], place: int) -> int:
    """Where the round bracket closes that opens at `place`, or opens that closes there; -1 where none does."""
    step = 1 if atoms[place] == "(" else -1
    depth = 0
    for at in range(place, max(-1, min(len(atoms), place + step * _FARTHEST)), step):
        depth += (atoms[at] == "(") - (atoms[at] == ")")
        if depth == 0:
            return at
    return -1
