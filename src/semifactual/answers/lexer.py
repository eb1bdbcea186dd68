"""From an answer's text to tokens. A command or character that the vocabulary lacks is an error, not a guess."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from . import tokens as vocabulary
from .limits import MAX_DEPTH, MAX_TOKENS, TooLarge
from .numerals import decimal, read_numeral
from .tokens import Kind, Token
from .units import is_unit_word


class NotInGrammar(ValueError):
    """The text is not an answer that the grammar admits; the message says where it leaves it."""


_COMMAND = re.compile(r"\\([A-Za-z]+|.)")
_LETTERS = re.compile(r"[A-Za-z]+")
_TEXT_ESCAPE = re.compile(r"\\(.)")
_BRACED = re.compile(r"\s*\{([^{}]*)\}")
_BLACKBOARD = re.compile(r"\s*\{?\s*([RZNQC])\s*\}?")
_ANGLE_NAME = re.compile(r"\s*([A-Z]{1,3})")
_RELATION = re.compile(r"<=|>=|=<|=>|!=|==|<>|[<>=]")
_SINGLE = {
    "+": "+", "-": "-", "*": "*", "/": "/", "^": "^", "_": "_", "!": "!", "|": "|", ":": ":", "'": "'", ",": ",",
    ";": ";", "%": "%", "&": "&", '"': '"',
}  # fmt: skip
_OPEN = {"(": "(", "[": "[", "{": "{"}
_CLOSE = {")": ")", "]": "]", "}": "}"}


class Lexer:
    """Reads one answer."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0
        self.tokens: list[Token] = []

    def run(self) -> list[Token]:
        """All tokens, with an END token last."""
        spaced = False
        while self.position < len(self.text):
            char = self.text[self.position]
            if char in " ~":
                self.position += 1
                spaced = True
                continue
            start, before = self.position, len(self.tokens)
            for token in self._next(char, spaced):
                self._push(token)
            if len(self.tokens) > before:
                spaced = False
            elif self.text[start + 1 : self.position] in vocabulary.SPACING:
                spaced = True
        self.tokens.append(Token(Kind.END, ""))
        return self.tokens

    def _push(self, token: Token) -> None:
        if len(self.tokens) >= MAX_TOKENS:
            raise TooLarge(f"more than {MAX_TOKENS} tokens")
        if token.kind is Kind.OPEN:
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise TooLarge(f"brackets nested more than {MAX_DEPTH} deep")
        elif token.kind is Kind.CLOSE:
            self.depth -= 1
        self.tokens.append(token)

    def _next(self, char: str, spaced: bool) -> Iterator[Token]:
        if char.isdigit() or char == ".":
            yield from self._number(char, spaced)
        elif char == "\\":
            yield from self._command(spaced)
        elif char.isascii() and char.isalpha():
            match = _LETTERS.match(self.text, self.position)
            assert match is not None
            self.position = match.end()
            yield from self._letters(match[0], spaced)
        elif match := _RELATION.match(self.text, self.position):
            self.position = match.end()
            yield Token(Kind.RELATION, {"=<": "<=", "=>": ">=", "==": "=", "<>": "!="}.get(match[0], match[0]), spaced)
        else:
            self.position += 1
            yield self._single(char, spaced)

    def _single(self, char: str, spaced: bool) -> Token:
        if char in _OPEN:
            return Token(Kind.OPEN, char, spaced)
        if char in _CLOSE:
            return Token(Kind.CLOSE, char, spaced)
        if char in _SINGLE:
            return Token(Kind.OPERATOR, _SINGLE[char], spaced)
        if char in vocabulary.CURRENCIES:
            return Token(Kind.CURRENCY, vocabulary.CURRENCIES[char], spaced)
        raise NotInGrammar(f"the character {char!r}")

    def _number(self, char: str, spaced: bool) -> Iterator[Token]:
        if self.text.startswith("...", self.position):
            self.position += 3
            yield Token(Kind.OPERATOR, "...", spaced)
            return
        try:
            found = read_numeral(self.text, self.position, commas=self.depth == 0)
        except TooLarge:
            raise
        except ValueError as error:
            raise NotInGrammar(str(error)) from error
        if found is None:
            raise NotInGrammar(f"a stray {char!r}")
        value, end = found
        if self._is_log_base():
            value, end = Fraction(int(char)), self.position + 1
        raw = self.text[self.position : end]
        self.position = end
        yield Token(Kind.NUMBER, raw, spaced, value)

    def _is_log_base(self) -> bool:
        """In `\\log_23` TeX takes one digit as the base."""
        return len(self.tokens) > 1 and self.tokens[-1].text == "_" and self.tokens[-2].kind is Kind.FUNCTION

    def _letters(self, run: str, spaced: bool) -> Iterator[Token]:
        """A run of plain letters: a known name, a unit or word after a value, or a product of one-letter symbols."""
        lowered = run.lower()
        if run in vocabulary.CURRENCIES:
            yield Token(Kind.CURRENCY, vocabulary.CURRENCIES[run], spaced)
        elif lowered in vocabulary.CONNECTIVES:
            yield Token(Kind.CONNECTIVE, lowered, spaced)
        elif run in vocabulary.FUNCTIONS and not self._is_final_unit(run):
            yield Token(Kind.FUNCTION, vocabulary.FUNCTIONS[run], spaced)
        elif len(run) == 1 and run not in vocabulary.CONSTANTS:
            yield Token(Kind.SYMBOL, run, spaced)
        elif lowered in vocabulary.CONSTANTS and (len(run) > 1 or run in vocabulary.CONSTANTS):
            yield Token(Kind.CONSTANT, vocabulary.CONSTANTS[lowered], spaced)
        elif self._is_word(run, spaced):
            yield Token(Kind.WORD, run, spaced)
        else:
            for letter in run:
                yield from self._letters(letter, spaced)
                spaced = False

    def _is_final_unit(self, run: str) -> bool:
        """``15 min`` and ``3 sec``: the name of a function after a number, and without an argument, is a unit."""
        after_number = bool(self.tokens) and self.tokens[-1].kind is Kind.NUMBER
        return after_number and is_unit_word(run) and not self.text[self.position :].strip(" )}")

    def _is_word(self, run: str, spaced: bool) -> bool:
        if len(run) >= 4:
            return True
        if not self.tokens:
            return False
        last = self.tokens[-1]
        after_value = (
            run in vocabulary.FUNCTIONS
            or last.kind in {Kind.NUMBER, Kind.CONSTANT, Kind.CURRENCY}
            or last.text in {")", "}", "]"}
        )
        if last.kind is Kind.WORD or (last.kind is Kind.OPERATOR and last.text == "/" and self._unit_before()):
            return True
        if after_value and is_unit_word(run):
            return True
        return len(run) == 3 and spaced and last.kind is Kind.NUMBER and any(vowel in run for vowel in "aeiou")

    def _unit_before(self) -> bool:
        return len(self.tokens) > 1 and self.tokens[-2].kind is Kind.WORD

    def _command(self, spaced: bool) -> Iterator[Token]:
        match = _COMMAND.match(self.text, self.position)
        if match is None:
            self.position += 1
            return
        name = match[1]
        self.position = match.end()
        if name in vocabulary.TEXT_WRAPPERS:
            yield from self._wrapped(name, spaced)
        elif name in {"color", "textcolor", "phantom", "hspace"}:
            if argument := _BRACED.match(self.text, self.position):
                self.position = argument.end()
        elif name in {"mathbb", "Bbb"}:
            blackboard = _BLACKBOARD.match(self.text, self.position)
            if blackboard is None:
                raise NotInGrammar("\\mathbb of something that is no set of numbers")
            self.position = blackboard.end()
            yield Token(Kind.NAMED_SET, blackboard[1], spaced)
        elif name in {"angle", "triangle"}:
            yield self._geometric(name, spaced)
        elif name not in vocabulary.TRANSPARENT and name not in vocabulary.SPACING:
            yield self._plain_command(name, spaced)

    def _geometric(self, name: str, spaced: bool) -> Token:
        letters = _ANGLE_NAME.match(self.text, self.position)
        if letters:
            self.position = letters.end()
        return Token(Kind.SYMBOL, f"\\{name} {letters[1] if letters else ''}".strip(), spaced)

    def _plain_command(self, name: str, spaced: bool) -> Token:
        if name in vocabulary.FUNCTIONS:
            return (
                Token(Kind.FUNCTION, vocabulary.FUNCTIONS[name], spaced)
                if name != "sqrt"
                else Token(Kind.COMMAND, "sqrt", spaced)
            )
        if name in {"pi", "infty"}:
            return Token(Kind.CONSTANT, vocabulary.CONSTANTS[name], spaced)
        if name in vocabulary.GREEK:
            return Token(Kind.SYMBOL, "\\" + name, spaced)
        if name in {"emptyset", "varnothing"}:
            return Token(Kind.NAMED_SET, "empty", spaced)
        if name in vocabulary.CURRENCIES:
            return Token(Kind.CURRENCY, vocabulary.CURRENCIES[name], spaced)
        for table, kind in (
            (vocabulary.RELATIONS, Kind.RELATION),
            (vocabulary.OPERATORS, Kind.OPERATOR),
            (vocabulary.SET_OPERATORS, Kind.SET_OPERATOR),
            (vocabulary.OPENING, Kind.OPEN),
            (vocabulary.CLOSING, Kind.CLOSE),
        ):
            if name in table:
                return Token(kind, table[name], spaced)
        if name == "\\":
            return Token(Kind.OPERATOR, "newline", spaced)
        if name in vocabulary.STRUCTURAL:
            return Token(Kind.COMMAND, name.lstrip("dtc") if name.endswith("frac") else name, spaced)
        raise NotInGrammar(f"the command \\{name}")

    def _wrapped(self, name: str, spaced: bool) -> Iterator[Token]:
        """`\\text{...}` and its like: a number, a symbol or a function name in disguise, or else words."""
        argument = _BRACED.match(self.text, self.position)
        if argument is None:
            return
        self.position = argument.end()
        content = _TEXT_ESCAPE.sub(lambda escape: escape[1].strip(" ,;:!"), argument[1].replace("~", " ")).strip()
        if name == "operatorname" or (name == "mathrm" and content in vocabulary.FUNCTIONS):
            if content not in vocabulary.FUNCTIONS:
                raise NotInGrammar(f"the operator {content!r}")
            yield Token(Kind.FUNCTION, vocabulary.FUNCTIONS[content], spaced)
        elif name == "mathrm" and len(content) == 1 and content in {"e", "i", "d"}:
            yield from self._letters(content, spaced)
        else:
            yield from _words(content)


_WORDS = re.compile(r"[A-Za-z]+|\d+(?:\.\d+)?|\S")


def _words(content: str) -> Iterator[Token]:
    inner = Lexer(content)
    for piece in _WORDS.findall(content):
        if piece.isascii() and piece.isalpha():
            lowered = piece.lower()
            yield Token(Kind.CONNECTIVE if lowered in vocabulary.CONNECTIVES else Kind.WORD, piece, True)
        elif piece[0].isdigit():
            yield Token(Kind.NUMBER, piece, True, decimal(piece))
        else:
            yield inner._single(piece, True)
