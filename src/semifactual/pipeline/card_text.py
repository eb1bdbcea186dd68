"""How texts and numbers stand in the Markdown of a card, so that no text from outside can act as Markdown or HTML."""

from __future__ import annotations

import re
import unicodedata

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|$~&])")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def code_span(text: object) -> str:
    """Any text as one inline code span, whatever it contains.

    >>> code_span("a|b`c")
    '`a/b c`'
    """
    flat = " ".join(str(text).replace("`", " ").replace("|", "/").split())
    return f"`{visible(flat)}`"


def fenced(text: str, language: str) -> str:
    r"""Any text as a fenced block, with a fence longer than any in it.

    >>> print(fenced("a\n```\nb", "text"))
    ````text
    a
    ```
    b
    ````
    """
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{visible(text)}\n{fence}"


def prose(text: str) -> str:
    r"""A sentence of ours or of a plug-in's, with nothing in it that Markdown would act on.

    >>> prose("keeps <b> and a_b")
    'keeps \\<b\\> and a\\_b'
    """
    return _MARKDOWN.sub(r"\\\1", visible(" ".join(text.split())))


def number(value: int) -> str:
    """A count with its thousands set apart.

    >>> number(7473)
    '7,473'
    """
    return f"{value:,}"


def share(value: float | None) -> str:
    """A share as a percentage.

    >>> share(0.0123), share(None)
    ('1.23 %', 'unknown')
    """
    return "unknown" if value is None else f"{value:.2%}".replace("%", " %")


def visible(text: str) -> str:
    r"""The text with control and invisible characters, line feeds aside, as escapes.

    >>> visible("a\u202eb\n")
    'a\\u202eb\n'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode()
        if character != "\n" and unicodedata.category(character) in _INVISIBLE
        else character
        for character in text
    )
