"""Rules for kinds that write the same mathematics in other LaTeX: every formula compared as a tree."""

from __future__ import annotations

from semifactual.latex.tokens import delimiters
from semifactual.latex.tree import same_mathematics
from semifactual.text.formulas import Parts, Token, parts, text_tokens
from semifactual.validate.contract import Pair, check
from semifactual.validate.verdict import Finding, failed, passed

_SHOWN = 60
"""Characters of a piece of text in evidence."""

_MARKS = frozenset({*".,;:?!", "\\%"})
"""What may stand on either side of a delimiter."""

_INLINE = frozenset({"$", "\\("})

_ESCAPED = frozenset("%$&#")
"""What TeX wants a backslash before; prose may gain it, and a formula not lose it."""


@check("unchanged", "at least one formula is written in other characters")
def other_notation(pair: Pair) -> Finding:
    if pair.original.text == pair.rewrite.text:
        return failed("the text is the original's")
    before, after = parts(pair.original.text), parts(pair.rewrite.text)
    if before.formulas != after.formulas:
        return passed()
    if [piece.split() for piece in before.prose] == [piece.split() for piece in after.prose]:
        return failed("only white space outside the formulas differs")
    return passed()


@check("formulas", "every formula is the same mathematics, and they come in the same order")
def formulas(pair: Pair) -> Finding:
    before, after = parts(pair.original.text), parts(pair.rewrite.text)
    change = _changed_formula(before, after)
    if change is None:
        return passed(f"{len(before.formulas)} formulas")
    if _first_difference(pair) is None:
        return passed("the same mathematics between other delimiters")
    return failed(change)


@check("prose", "the text around the formulas is the same, but for white space beside them")
def prose(pair: Pair) -> Finding:
    before, after = parts(pair.original.text), parts(pair.rewrite.text)
    if _same_prose(before, after):
        joined = _joined_words(before, after)
        return failed(joined) if joined else passed()
    difference = _first_difference(pair)
    if difference is None:
        return passed("the same but for notation")
    if len(before.prose) == len(after.prose) and _changed_formula(before, after) is not None:
        pairs = zip(before.prose, after.prose, strict=True)
        changed = (f"{_shown(old)} became {_shown(new)}" for old, new in pairs if old.strip() != new.strip())
        return failed(next(changed, difference))
    return failed(difference)


def _changed_formula(before: Parts, after: Parts) -> str | None:
    """The first formula that is other mathematics, with what it became; None where all are the same."""
    for place, (old, new) in enumerate(zip(before.formulas, after.formulas, strict=False), start=1):
        if not same_mathematics(old, new):
            return f"formula {place}: {_shown(old)} became {_shown(new)}"
    if len(before.formulas) != len(after.formulas):
        return f"{len(before.formulas)} formulas became {len(after.formulas)}"
    return None


def _same_prose(before: Parts, after: Parts) -> bool:
    """Whether the prose is the same byte for byte, but for white space where it meets a formula or an end."""
    if len(before.prose) != len(after.prose):
        return False
    pairs = zip(before.prose, after.prose, strict=True)
    return all(old == new or old.strip() == new.strip() for old, new in pairs)


def _joined_words(before: Parts, after: Parts) -> str | None:
    """Where white space between a word and an inline formula came or went; None where it did so nowhere."""
    for place, (old, new) in enumerate(zip(before.prose, after.prose, strict=True)):
        for formula, edge in ((place - 1, 0), (place, -1)):
            if not old.strip() or not 0 <= formula < len(after.formulas) or not old.strip()[edge].isalnum():
                continue
            change = (old[edge].isspace(), new[edge].isspace())
            if change[0] != change[1] and delimiters(after.formulas[formula])[0] in _INLINE:
                return f"white space beside {_shown(after.formulas[formula])} {'went' if change[0] else 'came'}"
    return None


def _first_difference(pair: Pair) -> str | None:
    """Where the texts differ when no delimiter counts; None where they are the same but for notation.

    Mathematics may gain delimiters, and only plain numbers lose them.
    """
    before, after = text_tokens(pair.original), text_tokens(pair.rewrite)
    for place, (old, new) in enumerate(zip(before, after, strict=False)):
        if not _same_token(old, new):
            return f"{_excerpt(before, place)} became {_excerpt(after, place)}"
        if old.is_mathematics and not new.is_mathematics and not _needs_no_delimiters(old.text):
            return f"{_excerpt(before, place)} is no formula any more"
        if old.gap is not None and new.gap is not None and old.gap != new.gap:
            return f"the white space before {_shown(old.text)} differs in {_excerpt(before, place)}"
    if len(before) == len(after):
        return None
    place = min(len(before), len(after))
    return f"{_excerpt(before, place)} became {_excerpt(after, place)}"


def _needs_no_delimiters(atom: str) -> bool:
    """Whether prose shows an atom just as a formula does."""
    return atom in _MARKS or atom.isdecimal()


def _same_token(old: Token, new: Token) -> bool:
    return old.text == new.text or (old.text in _ESCAPED and new.text == "\\" + old.text)


def _excerpt(tokens: list[Token], place: int) -> str:
    return _shown(" ".join(token.text for token in tokens[max(0, place - 2) : place + 4]))


def _shown(piece: str) -> str:
    """A piece of text in quotes, on one line, with its backslashes as they are."""
    line = " ".join(piece.split())
    return f"'{line if len(line) <= _SHOWN else line[:_SHOWN] + '…'}'"
