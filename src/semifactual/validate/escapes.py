"""LaTeX that went through JSON or a string literal once too often: escapes read as characters, lost or doubled."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from semifactual.latex.notation import notation
from semifactual.text.lexicon import english_words

COMMAND = re.compile(r"\\+(?:[A-Za-z]+|.)?", re.DOTALL)
"""A LaTeX command with all its backslashes."""

_ESCAPES = {
    "a": ("\a", "a bell"),
    "b": ("\b", "a backspace"),
    "f": ("\f", "a form feed"),
    "n": ("\n", "a line break"),
    "r": ("\r", "a carriage return"),
    "t": ("\t", "a tab"),
    "v": ("\v", "a vertical tab"),
}
"""What JSON or Python makes of a backslash and this letter, and how it is called."""

_MOST_COMMANDS = 24
"""Commands of one text that are looked into: the evidence names one, and a damaged text shows it many times."""


def escape_damage(before: str, after: str) -> str | None:
    r"""What happened to the first command of `before` that `after` has in broken form; None where there is none.

    >>> escape_damage(r"$\frac12$ of it", "$\frac12$ of it")
    "\\frac became a form feed and 'rac'"
    >>> escape_damage(r"$x \le 5$", r"$x \\le 5$")
    '\\le became \\\\le'
    """
    was, now = Counter(COMMAND.findall(before)), Counter(COMMAND.findall(after))
    lost = sorted(was - now, key=lambda command: (-len(command), command))
    for command in lost[:_MOST_COMMANDS]:
        for other in _other_slashes(command):
            if now[other] > was[other]:
                return f"{command} became {other}"
        for pattern, said in _without_slash(command):
            if len(re.findall(pattern, after)) > len(re.findall(pattern, before)):
                return f"{command} became {said}"
    return None


def _other_slashes(command: str) -> Iterator[str]:
    """The command with twice as many backslashes, and with half of them."""
    name = command.lstrip("\\")
    slashes = len(command) - len(name)
    yield 2 * slashes * "\\" + name
    if slashes > 1:
        yield slashes // 2 * "\\" + name


def _without_slash(command: str) -> Iterator[tuple[str, str]]:
    """Patterns of what is left of a command that lost its backslash, and how evidence speaks of it.

    An ordinary word that is no function may be meant as a word, and a name before a round bracket as plain text.
    """
    name = command[1:]
    if not name.isalpha():
        return
    character, called = _ESCAPES.get(name[0], ("", ""))
    if character:
        yield f"{character}{name[1:]}(?![A-Za-z])", f"{called} and {name[1:]!r}"
        if len(name) > 2 and name[1:] not in english_words():
            yield rf"(?<![A-Za-z\\]){name[1:]}(?![A-Za-z])", repr(name[1:])
    if len(name) > 2 and (name not in english_words() or name in notation().functions):
        yield rf"(?<![A-Za-z\\]){name}(?![A-Za-z(])", f"{name!r} without its backslash"
