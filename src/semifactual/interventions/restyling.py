"""Ways to write a formula otherwise: each a small rewriting of its LaTeX that leaves its tree as it is."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from semifactual.latex.notation import notation
from semifactual.latex.tokens import delimiters, tex_tokens, without_delimiters
from semifactual.text.document import Document
from semifactual.text.edits import Edit, apply_edits
from semifactual.text.spans import SpanType

_COMMAND = re.compile(r"\\[A-Za-z]+")
_ENDS_IN_WORD = re.compile(r"\\[A-Za-z]+\Z")
_TALL = re.compile(
    r"\\(?:[cdt]?frac|[dt]?binom|genfrac|over|choose|atop|sqrt|sum|prod|coprod|int|oint|iint|lim|limsup|liminf|max|min|sup|inf"
    r"|bigcup|bigcap|bigoplus|substack|begin|overbrace|underbrace|underset|overset|stackrel)(?![A-Za-z])"
)
"""What makes a formula higher than its letters, or deeper."""
_SIZED = re.compile(r"\\(left|right)(?![A-Za-z])\s*(?=[(\[)\]|\\])")
_TIGHT = frozenset({"=", "<", ">", "+", "\\le", "\\leq", "\\ge", "\\geq", "\\leqslant", "\\geqslant", "\\ne", "\\neq"})


@dataclass(frozen=True, slots=True)
class Restyling:
    """One way of writing, by its name. `apply` rewrites a formula wherever it fits."""

    name: str
    apply: Callable[[str], str]

    def changes(self, formulas: Iterable[str]) -> bool:
        """Whether any of these formulas would look otherwise."""
        return any(self.apply(formula) != formula for formula in formulas)


def restylings(document: Document) -> Iterator[Restyling]:
    """The ways of writing that suit a text. A dollar opens no formula where dollars are money."""
    yield from _ALWAYS
    if not any(document.of_type(SpanType.CURRENCY)) and "\\$" not in document.text:
        yield Restyling("dollar signs", lambda formula: _delimited(formula, {"\\(": ("$", "$"), "\\[": ("$$", "$$")}))


def _delimited(formula: str, other: dict[str, tuple[str, str]]) -> str:
    """The formula between other delimiters, where its own are among the keys."""
    opening, closing = delimiters(formula)
    first, last = other.get(opening, (opening, closing))
    inside = without_delimiters(formula)
    return formula if last in inside or inside.endswith("\\") else first + inside + last


def _commands(table: dict[str, str]) -> Callable[[str], str]:
    """The restyling that writes some commands by other names."""
    return lambda formula: _COMMAND.sub(lambda match: table.get(match[0], match[0]), formula)


def _replaced(pattern: str, replacement: str | Callable[[re.Match[str]], str]) -> Callable[[str], str]:
    """The restyling that replaces every match of a pattern."""
    compiled = re.compile(pattern)
    return lambda formula: compiled.sub(replacement, formula)


def _without_sizes(formula: str) -> str:
    r"""The formula without ``\left`` and ``\right``, but around what is tall and where a bracket is missing."""
    if re.search(r"\\(?:left|right)\s*\.|\\middle", formula):
        return formula
    tall = [match.start() for match in _TALL.finditer(formula)]
    opened: list[re.Match[str]] = []
    dropped: list[tuple[int, int]] = []
    for match in _SIZED.finditer(formula):
        if match[1] == "left":
            opened.append(match)
        elif opened and bisect_left(tall, (start := opened.pop()).end()) == bisect_left(tall, match.start()):
            dropped += [start.span(), match.span()]
    return apply_edits(formula, (Edit(first, last, "") for first, last in sorted(dropped)))


def _with_sizes(formula: str) -> str:
    r"""The formula with ``\left`` and ``\right`` at its round brackets, where these pair within the same braces."""
    if "\\left" in formula or "\\big" in formula.lower() or "&" in formula or "\\\\" in formula:
        return formula
    tokens = tex_tokens(formula)
    open_brackets: list[tuple[int, int]] = []
    depth = 0
    sized: dict[int, str] = {}
    for place, token in enumerate(tokens):
        depth += (token == "{") - (token == "}")
        if token == "(":
            open_brackets.append((place, depth))
        elif token == ")" and open_brackets:
            start, level = open_brackets.pop()
            if level == depth:
                sized |= {start: "\\left(", place: "\\right)"}
    return "".join(sized.get(place, token) for place, token in enumerate(tokens))


def _spaced(formula: str) -> str:
    """The formula with a space on either side of its relations and plus signs."""
    return _respaced(formula, " ")


def _tight(formula: str) -> str:
    """The formula without the spaces beside its relations and plus signs."""
    return _respaced(formula, "")


def _respaced(formula: str, space: str) -> str:
    """The formula with `space` beside its relations outside scripts, and a space wherever a command needs one."""
    tokens = tex_tokens(formula)
    if "\n" in formula or not notation().upright.isdisjoint(tokens):
        return formula
    found: list[str] = []
    depth = 0
    for place, token in enumerate(tokens):
        depth += (token == "{") - (token == "}")
        beside = {*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2]}
        if token == " " and not depth and not _TIGHT.isdisjoint(beside):
            continue
        if token in _TIGHT and not depth and found:
            found += [space, token, space]
        else:
            found.append(token)
    return _joined(token for token in found if token)


def _joined(tokens: Iterable[str]) -> str:
    """The tokens in sequence, with a space between a command and a letter behind it."""
    text = ""
    for token in tokens:
        text += " " + token if token[0].isalpha() and _ENDS_IN_WORD.search(text[-30:]) else token
    return text


_ALWAYS = (
    Restyling("round delimiters", lambda formula: _delimited(formula, {"$": ("\\(", "\\)")})),
    Restyling("square delimiters", lambda formula: _delimited(formula, {"$$": ("\\[", "\\]")})),
    Restyling("large fractions", _commands({"\\frac": "\\dfrac", "\\tfrac": "\\dfrac"})),
    Restyling("plain fractions", _commands({"\\dfrac": "\\frac", "\\tfrac": "\\frac"})),
    Restyling("long names", _commands({"\\le": "\\leq", "\\ge": "\\geq", "\\ne": "\\neq", "\\to": "\\rightarrow"})),
    Restyling("short names", _commands({"\\leq": "\\le", "\\geq": "\\ge", "\\neq": "\\ne", "\\rightarrow": "\\to"})),
    Restyling("slanted signs", _commands({"\\le": "\\leqslant", "\\ge": "\\geqslant", "\\leq": "\\leqslant",
                                          "\\geq": "\\geqslant"})),
    Restyling("logic by shape", _commands({"\\land": "\\wedge", "\\lor": "\\vee", "\\lnot": "\\neg"})),
    Restyling("logic by name", _commands({"\\wedge": "\\land", "\\vee": "\\lor", "\\neg": "\\lnot"})),
    Restyling("dots", _commands({"\\dots": "\\ldots", "\\ldots": "\\dots", "\\cdots": "\\dotsb"})),
    Restyling("named braces", _replaced(r"\\([{}])", lambda m: "\\lbrace " if m[1] == "{" else "\\rbrace ")),
    Restyling("braced fractions", _replaced(r"(\\[dt]?frac)\s*([0-9])\s*([0-9])", r"\1{\2}{\3}")),
    Restyling("bare fractions", _replaced(r"(\\[dt]?frac)\{([0-9])\}\{([0-9])\}(?![A-Za-z0-9])", r"\1\2\3")),
    Restyling("braced scripts", _replaced(r"([_^])([A-Za-z0-9])", r"\1{\2}")),
    Restyling("bare scripts", _replaced(r"([_^])\{([A-Za-z0-9])\}(?![A-Za-z0-9])", r"\1\2")),
    Restyling("braced degrees", _replaced(r"\^\s*\\circ(?![A-Za-z])", r"^{\\circ}")),
    Restyling("bare degrees", _replaced(r"\^\{\\circ\}(?![A-Za-z])", r"^\\circ")),
    Restyling("braced roots", _replaced(r"\\sqrt\s*([0-9])", r"\\sqrt{\1}")),
    Restyling("bare roots", _replaced(r"\\sqrt\{([0-9])\}(?![A-Za-z0-9])", r"\\sqrt\1")),
    Restyling("braced commas", _replaced(r"(?<=\d),\\!(?=\d{3})", "{,}")),
    Restyling("no display style", _replaced(r"\\displaystyle(?![A-Za-z])\s*", "")),
    Restyling("plain brackets", _without_sizes),
    Restyling("sized brackets", _with_sizes),
    Restyling("wide", _spaced),
    Restyling("tight", _tight),
)  # fmt: skip
