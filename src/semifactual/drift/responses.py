"""Responses that a user gives in a file, to be scored instead of generated ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semifactual.errors import SourceError
from semifactual.policy.policy import StopReason, TokenIds
from semifactual.sources.readers import open_table
from semifactual.sources.reference import UnusableValue
from semifactual.sources.rows import BadRow, Row, Table, typed

ID_FIELDS = ("problem_id", "id")
TEXT_FIELDS = ("text", "response")
SHOWN_FAULTS = 3


@dataclass(frozen=True, slots=True)
class GivenResponse:
    """One response of the file; it has a text, token ids, or both."""

    place: str
    sample: int
    text: str | None
    token_ids: TokenIds | None
    stop: StopReason | None


@dataclass(slots=True)
class GivenResponses:
    """The usable responses of a file, by problem."""

    sha256: str
    files: tuple[Path, ...]
    notice: str = ""
    """Which field was taken for the responses."""
    by_problem: dict[str, list[GivenResponse]] = field(default_factory=dict)
    skipped: int = 0
    """Rows that could not be used and were left out on request."""

    @property
    def count(self) -> int:
        """How many responses there are."""
        return sum(map(len, self.by_problem.values()))


@dataclass(frozen=True, slots=True)
class _Fields:
    problem_id: str
    sample: int | None
    text: str | None
    token_ids: TokenIds | None
    stop: StopReason | None


def read_responses(path: str, *, skip_bad_rows: bool = False) -> GivenResponses:
    """The responses of a .jsonl, .json, .csv or .parquet file.

    A row has `problem_id` (or `id`), a `text` (or `response`), `token_ids`, or both, and may have `sample` and `stop`.
    A problem may have several; rows of one problem and sample, or without samples of one text, are duplicates.

    Raises:
        SourceError: the file cannot be read, or has rows that cannot be used.
    """
    table = _open(path)
    found = GivenResponses(table.fingerprint(), table.files)
    taken: dict[str, None] = {}
    seen: dict[tuple[Any, ...], str] = {}
    bad = []
    for row in table.rows():
        if isinstance(row, Row):
            _refuse_decoded(path, row.fields)
            taken.update(dict.fromkeys(_source_fields(row.fields)))
        fault = row if isinstance(row, BadRow) else _add(row, found, seen)
        if fault is not None:
            bad.append(fault)
    if bad and not skip_bad_rows:
        raise faults((str(fault).rstrip(".") for fault in bad[:SHOWN_FAULTS]), len(bad), skippable=True)
    if not found.by_problem:
        raise SourceError(f"{path} holds no response", hint="a row needs a problem_id, and a text or token_ids")
    found.skipped = len(bad)
    found.notice = f"{Path(path).name}: responses from {' and '.join(taken)}."
    return found


def _open(path: str) -> Table:
    if not Path(path).expanduser().exists():
        raise SourceError(
            f"there is no file {path}, which --responses names",
            hint="give a .jsonl, .json, .csv or .parquet file with problem_id and text, such as RUN/responses.jsonl",
        )
    return open_table(path)


def _refuse_decoded(path: str, row: Mapping[str, Any]) -> None:
    """The rows of `semifactual decode`, of three methods, would be mixed."""
    if isinstance(method := row.get("method"), str):
        raise SourceError(
            f"{path} holds responses of several methods (its rows have a method, such as {method!r})",
            hint='take those of one method into a file of their own: jq -c \'select(.method == "plain") | '
            "del(.method)' decode.jsonl > plain.jsonl",
        )


def _source_fields(row: Mapping[str, Any]) -> Iterator[str]:
    """What a row's response is read from; a name that is not `text` is a guess."""
    name = next((name for name in TEXT_FIELDS if row.get(name) is not None), None)
    if name is not None:
        yield "text" if name == "text" else f"{name} (guessed)"
    elif row.get("token_ids") is not None:
        yield "token_ids"


def faults(shown: Iterable[str], total: int, *, skippable: bool) -> SourceError:
    """The error about rows that cannot be used, of which the first are shown."""
    sentences = list(shown)
    more = f"; and {total - len(sentences):,} more" if total > len(sentences) else ""
    hint = "mend the rows, or leave them out with --skip-bad-rows" if skippable else "mend the rows, or leave them out"
    return SourceError("; ".join(sentences) + more, hint=hint)


def _add(row: Row, found: GivenResponses, seen: dict[tuple[Any, ...], str]) -> BadRow | None:
    try:
        fields = _fields(row.fields)
    except UnusableValue as fault:
        return BadRow(row.place, str(fault))
    place = str(row.place)
    of_problem = found.by_problem.get(fields.problem_id, [])
    key: tuple[Any, ...] = (fields.problem_id, fields.sample)
    if fields.sample is None:
        key = (fields.problem_id, fields.text, fields.token_ids)
    if key in seen:
        meant = " (give rows a sample number where that is meant)" if fields.sample is None else ""
        what = "response" if fields.sample is None else "sample"
        return BadRow(row.place, f"repeats the problem and {what} of {seen[key]}{meant}")
    seen[key] = place
    taken = {response.sample for response in of_problem}
    sample = fields.sample if fields.sample is not None else max(taken, default=-1) + 1
    if sample in taken:
        return BadRow(row.place, f"has the sample {sample}, which a row of the problem without a sample stands for")
    found.by_problem.setdefault(fields.problem_id, of_problem).append(
        GivenResponse(place, sample, fields.text, fields.token_ids, fields.stop)
    )
    return None


def _fields(row: dict[str, Any]) -> _Fields:
    problem_id = _first(row, ID_FIELDS)
    if problem_id is None or isinstance(problem_id, dict | list | bool):
        raise UnusableValue("has no problem_id")
    text, token_ids = _text(_first(row, TEXT_FIELDS)), _token_ids(row.get("token_ids"))
    if text is None and token_ids is None:
        raise UnusableValue("has neither a text nor token_ids")
    return _Fields(str(problem_id), _sample(row.get("sample")), text, token_ids, _stop(row.get("stop")))


def _first(row: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise UnusableValue(f"has {typed(value)} for a response, which is no text")
    if not value.strip():
        raise UnusableValue("has an empty response")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise UnusableValue("has half of a surrogate pair in its response, which is no character")
    return value


def _token_ids(value: Any) -> TokenIds | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(_is_count(token) for token in value):
        raise UnusableValue("has token_ids that are not a list of whole numbers")
    if not value:
        raise UnusableValue("has an empty response: its token_ids are an empty list")
    return tuple(value)


def _sample(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, str) and value.isdecimal():  # CSV knows no numbers
        return int(value)
    if not _is_count(value):
        raise UnusableValue("has a sample that is not a whole number from 0")
    return int(value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _stop(value: Any) -> StopReason | None:
    if value is None or value == "":
        return None
    if value not in list(StopReason):
        raise UnusableValue(f"has the unknown stop {value!r}, where it can be {' or '.join(StopReason)}")
    return StopReason(value)


@dataclass(frozen=True, slots=True)
class FixedResponse:
    """A given response as a model's tokens."""

    sample: int
    text: str
    token_ids: TokenIds
    stop: StopReason | None


@dataclass(frozen=True, slots=True)
class Tokenised:
    """Given responses in the tokens of one model."""

    by_problem: dict[str, tuple[FixedResponse, ...]]
    retokenised: int
    """How many came with token ids that are not this model's for their text, so that the text was encoded anew."""


def tokenise(
    given: GivenResponses,
    encode: Callable[[str], TokenIds],
    decode: Callable[[TokenIds], str],
    vocabulary: int,
) -> Tokenised:
    """Give every response its tokens: its own ids where they are this model's, those of its text otherwise.

    `encode` and `decode` are a policy's `encode_response` and `decode`; `vocabulary` is how many ids the model knows.

    Raises:
        SourceError: a response has ids that the model does not know and no text, or a text without tokens.
    """
    by_problem, unusable, retokenised = {}, [], 0
    for problem_id, responses in given.by_problem.items():
        fixed = []
        for response in responses:
            ids, text = response.token_ids, response.text
            known = ids is not None and max(ids) < vocabulary
            if ids is not None and known and text in (None, decode(ids)):
                fixed.append(FixedResponse(response.sample, text or decode(ids), ids, response.stop))
            elif text is not None and (anew := encode(text)):
                retokenised += ids is not None
                fixed.append(FixedResponse(response.sample, text, anew, response.stop))
            else:
                unusable.append(f"{response.place} has token_ids that the model does not know, and no text")
        by_problem[problem_id] = tuple(fixed)
    if unusable:
        raise faults(unusable[:SHOWN_FAULTS], len(unusable), skippable=False)
    return Tokenised(by_problem, retokenised)
