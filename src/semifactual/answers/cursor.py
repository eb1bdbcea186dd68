"""A place in a list of tokens, and the ways to look at it and to move on."""

from __future__ import annotations

from collections.abc import Sequence

from .lexer import NotInGrammar
from .tokens import Kind, Token


class Cursor:
    """Walks over tokens; the last one is END, and nothing moves past it."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.index = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    def peek(self, offset: int = 1) -> Token:
        return self.tokens[min(self.index + offset, len(self.tokens) - 1)]

    def advance(self) -> Token:
        token = self.token
        if token.kind is not Kind.END:
            self.index += 1
        return token

    def upcoming(self, *texts: str) -> bool:
        """Whether the next tokens read like this."""
        return all(self.peek(offset).text == text for offset, text in enumerate(texts))

    def at(self, kind: Kind, *texts: str) -> bool:
        token = self.token
        return token.kind is kind and (not texts or token.text in texts)

    def expect(self, kind: Kind, *texts: str) -> Token:
        if not self.at(kind, *texts):
            raise NotInGrammar(f"{self.token.text or 'the end'!r} where {' or '.join(texts) or kind.value!r} belongs")
        return self.advance()
