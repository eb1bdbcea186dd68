"""A few rewrites of a dataset as diffs, for its card."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice

from semifactual.pipeline.records import Record
from semifactual.text.document import Document

EXAMPLES = 3
LOOKED_AT = 200
"""Examples are chosen among so many first rows."""
LONGEST = 600
"""Characters. A longer problem is an example only where there is no shorter one."""


@dataclass(frozen=True, slots=True)
class Example:
    """One rewrite beside its problem."""

    id: str
    kind: str
    answer: str
    diff: str
    """Line by line, one sentence a line: what went after ``-``, what came after ``+``, what stayed after a blank."""


def choose_examples(records: Iterable[Record], count: int = EXAMPLES) -> list[Example]:
    """Up to `count` rewrites of as many kinds as there are, from different rows where possible, short problems first.

    The same rows always give the same examples.
    """
    rows = list(islice(records, LOOKED_AT))
    rows.sort(key=lambda row: len(row["problem"]) > LONGEST)
    kinds = list(dict.fromkeys(entry["kind"] for row in rows for entry in row["semifactuals"]))
    chosen: list[tuple[Record, Record]] = []
    used: set[str] = set()
    for turn in range(count):
        kind = kinds[turn % len(kinds)] if kinds else ""
        fitting = [
            (row, entry)
            for row in rows
            for entry in row["semifactuals"]
            if entry["kind"] == kind and (row, entry) not in chosen
        ]
        if fitting:
            best = next((pair for pair in fitting if pair[0]["id"] not in used), fitting[0])
            used.add(best[0]["id"])
            chosen.append(best)
    return [
        Example(row["id"], entry["kind"], row["answer"], sentence_diff(row["problem"], entry["text"]))
        for row, entry in chosen
    ]


def sentence_diff(before: str, after: str) -> str:
    """Two texts as one diff, one sentence a line; line by line as they stand, where no sentence differs.

    >>> print(sentence_diff("Ann has 3 cats. How many legs?", "Ann owns 3 cats. How many legs?"))
    - Ann has 3 cats.
    + Ann owns 3 cats.
      How many legs?
    """
    old, new = _sentences(before), _sentences(after)
    if old == new:
        old, new = before.splitlines(), after.splitlines()
    lines = []
    for operation, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if operation == "equal":
            lines += [f"  {sentence}" for sentence in old[a:b]]
        else:
            lines += [f"- {sentence}" for sentence in old[a:b]]
            lines += [f"+ {sentence}" for sentence in new[c:d]]
    return "\n".join(lines)


def _sentences(text: str) -> list[str]:
    """The sentences, and the lines of one that has several."""
    document = Document(text)
    pieces = (text[start:end] for start, end in document.sentences)
    return [line for piece in pieces for line in piece.splitlines() if line.strip()]
