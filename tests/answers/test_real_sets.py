from __future__ import annotations

import pytest

from semifactual.answers.grammar import parse
from semifactual.answers.real_sets import NotASet, RealSet, complement, intersection, real_set, union


def described(found: RealSet) -> str:
    return " ".join(
        f"{'[' if piece.low.closed else '('}{piece.low.place:g},{piece.high.place:g}{']' if piece.high.closed else ')'}"
        for piece in found.pieces
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(1,2]", "(1,2]"),
        ("(2,1)", ""),
        (r"[0,1)\cup[1,2]", "[0,2]"),
        (r"[0,1)\cup(1,2]", "[0,1) (1,2]"),
        (r"(0,5)\cap(3,9)", "(3,5)"),
        (r"(0,5)\setminus\{3\}", "(0,3) (3,5)"),
        (r"\mathbb{R}\setminus\{0\}", "(-inf,0) (0,inf)"),
        (r"\emptyset", ""),
        (r"\{1,2\}", "[1,1] [2,2]"),
        ("x>3", "(3,inf)"),
        ("3<x", "(3,inf)"),
        ("-2x\\ge 6", "(-inf,-3]"),
        ("1<x\\le 2", "(1,2]"),
        (r"x\ne 1", "(-inf,1) (1,inf)"),
        (r"x<1\text{ or }x>2", "(-inf,1) (2,inf)"),
        (r"x>1\text{ and }x<2", "(1,2)"),
        (r"\{x : x\ge 2\}", "[2,inf)"),
        (r"x\in[0,1]", "[0,1]"),
        (r"(\sqrt2,\pi)", "(1.41421,3.14159)"),
    ],
)
def test_every_notation_becomes_intervals(text: str, expected: str) -> None:
    assert described(real_set(parse(text))) == expected


@pytest.mark.parametrize("text", ["5", "(a,b)", "x<y", "x^2<4", "(1,2,3)", r"x<1\text{ or }y>2"])
def test_what_is_no_known_set(text: str) -> None:
    with pytest.raises(NotASet):
        real_set(parse(text))


def test_complements_and_de_morgan() -> None:
    first, second = real_set(parse("[0,3)")), real_set(parse("(2,5]"))
    assert complement(complement(first)) == first
    assert described(union([first, second])) == "[0,5]"
    assert described(intersection(first, second)) == "(2,3)"
