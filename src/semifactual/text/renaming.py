"""Two texts that should differ in names alone, laid side by side: which words other words replace, and where."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from semifactual.text.persons import as_name, chains_of, is_possessive, name_key, tokens_of

_MOST_NAMES = 20
"""Names of several words that one story may have."""
_WORDS_AND_JOINTS = re.compile(r"[^\W\d_]+|[^\w]+")


@dataclass(frozen=True)
class Renaming:
    """Two texts as tokens, and the words of the first that other words replace, by their places."""

    before: list[str]
    after: list[str]
    swaps: tuple[int, ...]
    """The places, the same in both, of the words that differ."""
    other: str = ""
    """What else differs; empty if nothing does."""

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where each renamed word stands in `before`, changed or not, by its key."""
        wanted = {name_key(self.before[place]) for place in self.swaps}
        found: dict[str, list[int]] = defaultdict(list)
        for place, token in enumerate(self.before):
            if token[0].isalpha() and (key := name_key(token)) in wanted:
                found[key].append(place)
        return found

    @cached_property
    def new_names(self) -> dict[str, list[str]]:
        """The words that stand for each renamed word, by its key, as names, each once."""
        found: dict[str, list[str]] = defaultdict(list)
        for place in self.swaps:
            name = as_name(self.after[place])
            if name not in found[name_key(self.before[place])]:
                found[name_key(self.before[place])].append(name)
        return found


@lru_cache(maxsize=4)
def renaming(before: str, after: str) -> Renaming:
    """Align two texts that should differ in names alone."""
    found = _aligned(tokens_of(before), tokens_of(after))
    names = set(_names_of_several_words(before, after)) if found.other else set()
    if not 0 < len(names) <= _MOST_NAMES:
        return found
    return _aligned(tokens_of(before, names), tokens_of(after, names))


def _aligned(old: list[str], new: list[str]) -> Renaming:
    """Two texts token by token, up to the first difference that is neither a word for a word nor its ending."""
    swaps: list[int] = []
    for place, (removed, added) in enumerate(zip(old, new, strict=False)):
        if removed == added:
            continue
        if removed[0].isalpha() and added[0].isalpha() and len(old) == len(new):
            swaps.append(place)
        elif swaps[-1:] != [place - 1] or not _is_other_possessive(old, new, place):
            other = f"{''.join(old[place : place + 9])[:40]!r} became {''.join(new[place : place + 9])[:40]!r}"
            return Renaming(old, new, tuple(swaps), other)
    if len(old) == len(new):
        return Renaming(old, new, tuple(swaps))
    tail = "".join(max(old, new, key=len)[min(len(old), len(new)) :])[:40]
    return Renaming(old, new, (), f"{'lost' if len(old) > len(new) else 'gained'} {tail!r}")


def _names_of_several_words(before: str, after: str) -> Iterator[str]:
    """What differs between rows of capitalised words where the texts agree in all else: Mary Ann and Nina."""
    old, new = chains_of(before), chains_of(after)
    if len(old) != len(new):
        return
    for removed, added in zip(old, new, strict=True):
        if removed == added:
            continue
        words, new_words = _WORDS_AND_JOINTS.findall(removed), _WORDS_AND_JOINTS.findall(added)
        while len(words) > 1 and len(new_words) > 1 and words[0] == new_words[0]:
            words, new_words = words[2:], new_words[2:]
        while len(words) > 1 and len(new_words) > 1 and words[-1] == new_words[-1]:
            words, new_words = words[:-2], new_words[:-2]
        yield from ("".join(name) for name in (words, new_words) if len(name) > 1)


def _is_other_possessive(old: Sequence[str], new: Sequence[str], place: int) -> bool:
    """Whether the names before `place` have the ending there that each takes: James' and Karl's."""
    if not (is_possessive(old[place]) and is_possessive(new[place])) or old[place][0] != new[place][0]:
        return False
    return all(len(tokens[place]) > 1 or tokens[place - 1].endswith("s") for tokens in (old, new))
