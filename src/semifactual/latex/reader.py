"""Reads formulas by TeX's rules into atoms: the normal forms of their symbols, words, numbers and structures."""

from __future__ import annotations

from collections.abc import Set
from functools import cache

from semifactual.latex.atoms import SCRIPTS, UNCLOSED, braced, is_one, structure, word
from semifactual.latex.combining import normal_atoms
from semifactual.latex.environments import read_environment
from semifactual.latex.notation import notation
from semifactual.latex.numerals import read_number
from semifactual.latex.tokens import END, Cursor

_DEEPEST = 50
"""Levels of braces and arguments."""

_PRIMES = ("'", "’")
_OVER = {"\\over": "\\frac", "\\choose": "\\binom", "\\atop": "\\atop"}
_SIZED = frozenset({"\\left", "\\right", "\\middle"})
_SIZED_SIGNS = {".": [], "<": ["\\langle"], ">": ["\\rangle"]}
_BOLD = {"\\bf": "\\mathbf", "\\boldmath": "\\mathbf", "\\cal": "\\mathcal"}
_UPRIGHT = frozenset({"\\rm", "\\tt", "\\sf", "\\it"})
_OPENING = frozenset({"(", "[", "\\{", "\\langle"})
_CLOSING = frozenset({")", "]", "\\}", "\\rangle"})
_NO_SIGN = _SIZED | {"}", END}
_NO_ARGUMENT = ("}", "&", "\\\\", END)
_SHOWS_NOTHING = frozenset({"~", "\\ ", "\\\n"})


class TooDeep(Exception):
    """The formula is nested deeper than any that is written by hand."""


class Reader(Cursor):
    """Reads one formula from its tokens.

    Raises:
        TooDeep: its braces and arguments are nested more than fifty deep.
    """

    def __init__(self, tokens: list[str]) -> None:
        super().__init__(tokens)
        self.depth = 0
        self.open_brackets = 0

    def formula(self) -> list[str]:
        """The atoms of the whole formula, with the braces that close nothing."""
        atoms = self.sequence(frozenset())
        while self.take_if("}"):
            atoms += ["}", *self.sequence(frozenset())]
        return atoms

    # Sequences -------------------------------------------------------------------------------------------------------

    def sequence(self, stops: Set[str], *, upright: bool = False) -> list[str]:
        """The atoms up to one of `stops` or a closing brace, which stays unread."""
        self.enter()
        atoms: list[str] = []
        while (token := self.peek()) not in stops and token not in ("}", END):
            if token in _OVER:
                self.take()
                atoms = [structure(_OVER[token], [normal_atoms(atoms), self.sequence(stops, upright=upright)])]
            elif token in _BOLD:
                self.take()
                atoms.append(structure(_BOLD[token], [self.sequence(stops, upright=upright)]))
            elif token in _UPRIGHT:
                self.take()
                atoms += self.sequence(stops, upright=True)
            else:
                atoms += self.upright_item() if upright else self.item()
        self.depth -= 1
        return normal_atoms(atoms)

    def enter(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise TooDeep

    def item(self) -> list[str]:
        """The atoms of what stands next, more than one where braces only hold together."""
        token = self.peek()
        if token == " ":
            self.take()
            return []
        if token == "{":
            return self.group()
        if token in SCRIPTS:
            return [self.script()]
        if token.isdecimal():
            return [read_number(self, in_brackets=self.open_brackets > 0)]
        if token.isalpha() and token.islower():
            return self.letters()
        return self.single()

    def group(self) -> list[str]:
        """The atoms between two braces: one where a script stands behind them that is of them all."""
        atoms = self.braces()
        self.skip_spaces()
        return atoms if is_one(atoms, self.peek()) else [braced(atoms)]

    def braces(self, *, upright: bool = False) -> list[str]:
        self.take()
        atoms = self.sequence(frozenset(), upright=upright)
        return atoms if self.take_if("}") else [*atoms, UNCLOSED]

    def letters(self) -> list[str]:
        """A run of small letters: one word where it spells a function or a connective, else one atom each."""
        start = self.position
        while (token := self.peek()).isascii() and token.isalpha() and token.islower():
            self.take()
        run = self.tokens[start : self.position]
        if not run:
            return self.single()
        return [word("".join(run))] if "".join(run) in notation().words else run

    def upright_item(self) -> list[str]:
        """What stands next in upright text, where small letters next to each other are one word."""
        start = self.position
        while self.peek().isalpha():
            self.take()
        if run := self.tokens[start : self.position]:
            return run if "".join(run).isupper() else [word("".join(run))]
        if self.take_if("$", "\\("):
            atoms = self.sequence({"$", "\\)"})
            self.take_if("$", "\\)")
            return atoms
        return self.braces(upright=True) if self.peek() == "{" else self.item()

    # Commands and arguments ------------------------------------------------------------------------------------------

    def single(self) -> list[str]:
        """The atoms of the one token that stands next, with its arguments."""
        table = notation()
        written = self.take()
        token = table.synonyms.get(written, written)
        if token in table.expanded:
            return list(_expanded(token))
        if token in table.invisible or token in _SHOWS_NOTHING:
            return []
        if token in _SIZED:
            return self.sized(token)
        if token in _OPENING or token in _CLOSING:
            self.open_brackets = max(0, self.open_brackets + (1 if token in _OPENING else -1))
        return self.command(token) if token.startswith("\\") else [token]

    def command(self, token: str) -> list[str]:
        table = notation()
        if token in table.upright:
            self.take_if("*")
            return self.argument(upright=True)
        if token in table.invisible_with_argument:
            self.take_if("*")
            self.argument()
            return []
        if token in ("\\sqrt", "\\root"):
            return [self.root(token)]
        if token == "\\pmod":
            return ["(", word("mod"), *self.argument(), ")"]
        if token == "\\begin":
            return read_environment(self)
        if count := table.arguments.get(token):
            return [structure(token, [self.argument() for _ in range(count)])]
        if token[1:] in table.functions:
            return [word(token[1:])]
        if self.peek() != "{" or token in table.symbols:
            return [token]
        argument = self.argument()
        return [structure(token, [argument])] if argument else [token]

    def argument(self, *, upright: bool = False) -> list[str]:
        """What TeX takes as an argument: a group, or one token (with its own arguments, where it has some)."""
        self.skip_spaces()
        if self.peek() == "{":
            return self.braces(upright=upright)
        if self.peek() in _NO_ARGUMENT:
            return []
        self.enter()
        atoms = self.single()
        self.depth -= 1
        return atoms

    def script(self) -> str:
        r"""A subscript or superscript; primes are superscripts: ``f'^2`` is ``f^{\prime 2}``."""
        if self.take_if("_"):
            return structure("_", [self.argument()])
        atoms: list[str] = []
        while self.take_if(*_PRIMES):
            atoms.append("\\prime")
        if self.take_if("^"):
            atoms += self.argument()
        return structure("^", [normal_atoms(atoms)])

    def root(self, token: str) -> str:
        self.skip_spaces()
        index: list[str] = []
        if token == "\\root":
            index = self.sequence({"\\of"})
            self.take_if("\\of")
        elif self.take_if("["):
            index = self.sequence({"]"})
            self.take_if("]")
        of = self.argument()
        return structure("\\sqrt", [of]) if index in ([], ["2"]) else structure("\\root", [index, of])

    def sized(self, token: str) -> list[str]:
        r"""The sign behind ``\left``, ``\middle`` or a lone ``\right``; behind the first, all up to its partner too."""
        atoms = [UNCLOSED] if token == "\\right" else []
        atoms += self.sized_sign()
        if token == "\\left":
            atoms += self.sequence({"\\right"})
            atoms += self.sized_sign() if self.take_if("\\right") else [UNCLOSED]
        return atoms

    def sized_sign(self) -> list[str]:
        self.skip_spaces()
        if self.peek() in _SIZED_SIGNS:
            return list(_SIZED_SIGNS[self.take()])
        return [] if self.peek() in _NO_SIGN else self.single()


@cache
def _expanded(sign: str) -> list[str]:
    """The atoms of a sign that stands for several tokens."""
    return Reader(notation().expanded[sign]).formula()
