"""Contracts: the checks that a kind's rewrites must pass, and the judgement that runs them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from semifactual.text.document import Document
from semifactual.text.edits import Edit, single_edit
from semifactual.text.spans import SpanType
from semifactual.text.values import numerals
from semifactual.validate.verdict import CheckResult, Finding, Mode, Verdict, passed
from semifactual.validate.wording.alignment import CLOSE, Alignment

_MARGIN = 40
"""Characters of context around a change: more than the longest phrase that a rule looks for."""


class Pair:
    """A problem and one text that claims to be a rewrite of it, with what checks may ask about the two."""

    def __init__(
        self, original: Document, rewrite: Document, *, answer: str | None = None, mode: Mode = Mode.FROZEN
    ) -> None:
        self.original = original
        self.rewrite = rewrite
        self.answer = answer
        self.mode = mode

    @cached_property
    def edit(self) -> Edit | None:
        """The one contiguous edit between the two texts; None where they are equal."""
        return single_edit(self.original.text, self.rewrite.text)

    @cached_property
    def alignment(self) -> Alignment:
        """The two texts laid side by side, word by word."""
        return Alignment(self.original, self.rewrite)

    @property
    def in_other_words(self) -> bool:
        """Whether the mode admits free wording, and the rewrite is worded freely: few of the original's words are left.

        A word that such a rewrite lacks says little; one that contradicts the original says all the more.
        """
        return self.mode is Mode.SEMANTIC and self.alignment.closeness < CLOSE

    @cached_property
    def windows(self) -> tuple[str, str]:
        """The stretches of the original and the rewrite around all that differs, with some words on either side.

        What a rule counts outside these is the same in both, so rules that look for gains read only these.
        """
        edit = self.edit
        if edit is None:
            return "", ""
        before, after = self.original.text, self.rewrite.text
        start = before.rfind(" ", 0, max(0, edit.start - _MARGIN)) + 1
        tail = len(before) - edit.end
        stop = before.find(" ", min(len(before), edit.end + _MARGIN))
        kept = tail if stop < 0 else stop - edit.end
        return before[start : edit.end + kept], after[start : len(after) - tail + kept]

    @cached_property
    def same_numerals(self) -> bool:
        """Whether no digit and no number word differs, so that no rule about quantities needs to look further."""
        before, after = map(numerals, self.windows)
        return before == after

    @cached_property
    def window_documents(self) -> tuple[Document, Document]:
        """The windows as documents, so that each is lexed once for all rules.

        Windows that cover most of the texts are the texts themselves, which other rules have lexed already.
        """
        before, after = self.windows
        if 2 * len(before) > len(self.original.text):
            return self.original, self.rewrite
        return Document(before), Document(after)


@dataclass(frozen=True, slots=True)
class Check:
    """One named rule. `run` looks at a pair and says what it found."""

    name: str
    summary: str
    run: Callable[[Pair], Finding]


def check(name: str, summary: str) -> Callable[[Callable[[Pair], Finding]], Check]:
    """Make a `Check` of a function from a pair to a finding."""

    def wrap(run: Callable[[Pair], Finding]) -> Check:
        return Check(name, summary, run)

    return wrap


NOTHING_CHANGED = passed("nothing was changed; see unchanged")
"""What a rule about the edit finds where there was none."""


@dataclass(frozen=True)
class Contract:
    """What a kind promises: its checks in the order they run, and what it does to each type of span.

    A span type is *frozen* (same bytes), *guarded* (same value and role), or, named in neither set, *free*.
    """

    checks: tuple[Check, ...]
    frozen: frozenset[SpanType] = frozenset()
    guarded: frozenset[SpanType] = frozenset()

    def __post_init__(self) -> None:
        names = [check.name for check in self.checks]
        if len(set(names)) != len(names):
            raise ValueError(f"a contract names a check twice: {names}")
        if self.frozen & self.guarded:
            raise ValueError(f"span types are both frozen and guarded: {sorted(self.frozen & self.guarded)}")

    @property
    def free(self) -> frozenset[SpanType]:
        """The span types that this kind may change."""
        return frozenset(SpanType) - self.frozen - self.guarded


def judge(pair: Pair, contract: Contract) -> Verdict:
    """Run every check of `contract` on `pair`. All run, so that the evidence is complete."""
    results = []
    for rule in contract.checks:
        finding = rule.run(pair)
        results.append(CheckResult(rule.name, finding.passed, finding.evidence))
    return Verdict(tuple(results))
