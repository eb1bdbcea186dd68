"""What several atoms of a formula are together: a quotient by a slash, an inverse by a power, dots, a product."""

from __future__ import annotations

from itertools import pairwise

from semifactual.latex.atoms import (
    APART,
    CLOSING,
    OPENING,
    is_plain,
    is_script,
    is_size,
    partner,
    structure,
    with_products,
    word,
    word_of,
)
from semifactual.latex.notation import notation

_MODULO = word("mod")
_DEGREES = "^{\\circ}"
_RELATIONS = {("<", "="): "\\le", (">", "="): "\\ge"}
_OPERANDS = ("\\frac{", "\\sqrt{", "\\root{", "\\bar{", "\\mathbf{", "\\text{", "\\binom{")


def normal_atoms(atoms: list[str]) -> list[str]:
    """The atoms in their normal form: empty scripts gone, a subscript before its superscript, signs put together."""
    found: list[str] = []
    for atom in atoms:
        last = found[-1] if found else ""
        if atom in ("_{}", "^{}"):
            continue
        if atom.startswith("_{") and last.startswith("^{"):
            found.insert(-1, atom)
        elif both := _RELATIONS.get((last, atom)):
            found[-1] = both
        elif atom == "." and found[-2:] == [".", "."]:
            found[-2:] = ["\\dots"]
        elif atom == "^{- 1}" and word_of(last) in notation().invertible:
            found[-1] = word(f"arc{word_of(last)}")
        else:
            found.append(atom)
    return _with_structures(found)


def _with_structures(atoms: list[str]) -> list[str]:
    if "/" in atoms:
        atoms = _with_fractions(atoms)
    if _MODULO in atoms:
        atoms = _without_brackets_of_modulo(atoms)
    if "(" in atoms and any(map(word_of, atoms)):
        atoms = _without_brackets_of_functions(atoms)
    if "\\{" in atoms and ":" in atoms:
        atoms = _with_bars_in_sets(atoms)
    return atoms if is_size(atoms) else with_products(atoms)


# Quotients -----------------------------------------------------------------------------------------------------------


def _with_fractions(atoms: list[str]) -> list[str]:
    """Quotients by a slash as fractions, where it is beyond doubt what stands above and what below.

    Above is all from the last sign that parts terms; below is one symbol or bracket, with such a sign behind it.
    """
    found: list[str] = []
    place = 0
    while place < len(atoms):
        start = _numerator(found) if atoms[place] == "/" else len(found)
        end = _denominator(atoms, place + 1) if start < len(found) else 0
        if end:
            found[start:] = [structure("\\frac", [found[start:], atoms[place + 1 : end]])]
            place = end
        else:
            found.append(atoms[place])
            place += 1
    return found


def _numerator(atoms: list[str]) -> int:
    """Where the product begins that ends the atoms; behind them all where there is none, or not beyond doubt."""
    place = len(atoms)
    while place:
        atom = atoms[place - 1]
        if atom == ")" and (opening := partner(atoms, place - 1)) >= 0:
            place = opening
        elif _is_operand(atom) or is_script(atom):
            place -= 1
        else:
            break
    product = atoms[place:]
    if place and atoms[place - 1] not in APART | OPENING:
        return len(atoms)
    is_mixed = any(left[0].isdecimal() and right[0].isdecimal() for left, right in pairwise(product))
    return len(atoms) if is_mixed else place


def _denominator(atoms: list[str], place: int) -> int:
    """Where the symbol or bracket ends that begins at `place`, with its scripts; 0 where it may go on behind it."""
    if place >= len(atoms):
        return 0
    end = partner(atoms, place) + 1 if atoms[place] == "(" else place + _is_operand(atoms[place])
    if end <= place:
        return 0
    while end < len(atoms) and is_script(atoms[end]):
        end += 1
    return end if end == len(atoms) or atoms[end] in APART | CLOSING else 0


def _is_operand(atom: str) -> bool:
    return is_plain(atom) or atom.startswith(_OPERANDS)


# Brackets ------------------------------------------------------------------------------------------------------------


def _without_brackets_of_modulo(atoms: list[str]) -> list[str]:
    """``(mod 7)`` without its brackets, as ``mod 7`` is written too, where one symbol or number stands in them."""
    found: list[str] = []
    place = 0
    while place < len(atoms):
        closing = partner(atoms, place) if atoms[place : place + 2] == ["(", _MODULO] else -1
        inner = atoms[place + 2 : closing] if closing > 0 else []
        if inner and _is_one_operand(inner) and not any(map(is_script, atoms[closing + 1 : closing + 2])):
            found += [_MODULO, *inner]
            place = closing + 1
        else:
            found.append(atoms[place])
            place += 1
    return found


def _without_brackets_of_functions(atoms: list[str]) -> list[str]:
    """The sine of one thing in brackets as the sine of that thing, where nothing behind it would join it."""
    found: list[str] = []
    place = 0
    while place < len(atoms):
        found.append(atoms[place])
        place += 1
        name = next((atom for atom in reversed(found[-2:]) if not is_script(atom)), "")
        if atoms[place : place + 1] != ["("] or word_of(name) not in notation().functions:
            continue
        closing = partner(atoms, place)
        inner = atoms[place + 1 : closing] if closing > 0 else []
        if inner and _is_argument(inner) and all(map(_stands_apart, atoms[closing + 1 : closing + 2])):
            found += inner
            place = closing + 1
    return found


def _is_argument(atoms: list[str]) -> bool:
    """Whether a function takes all of these without brackets: 2x, a fraction, 30 degrees."""
    factors = atoms[1:] if len(atoms) > 1 and atoms[0].isdecimal() and atoms[1][0].isalpha() else atoms
    return _is_operand(factors[0]) and factors[1:] in ([], [_DEGREES])


def _is_one_operand(atoms: list[str]) -> bool:
    return _is_operand(atoms[0]) and all(map(is_script, atoms[1:]))


def _stands_apart(atom: str) -> bool:
    """Whether an atom ends the argument of a function that stands before it."""
    return atom in APART or atom in CLOSING or word_of(atom) in notation().functions


def _with_bars_in_sets(atoms: list[str]) -> list[str]:
    r"""``\{x : ...\}`` as ``\{x | ...\}``: the first colon between braces that hold no bar."""
    found = list(atoms)
    start = -1
    for place, atom in enumerate(atoms):
        if atom == "\\{":
            start = place
        elif atom in ("\\}", "|"):
            start = -1
        elif atom == ":" and start >= 0:
            found[place], start = "|", -1
    return found
