from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from semifactual.drift.responses import FixedResponse, read_responses, tokenise
from semifactual.errors import SourceError
from semifactual.policy.policy import StopReason
from tests.drift.fake_policy import FakePolicy


def written(folder: Path, *rows: Any) -> str:
    path = folder / "responses.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return str(path)


def test_rows_are_read_by_problem_and_numbered_in_order(tmp_path: Path) -> None:
    rows = [
        {"problem_id": "a", "text": "one"},
        {"id": "b", "response": "two", "stop": "eos"},
        {"problem_id": "a", "text": "three"},
        {"problem_id": "b", "token_ids": [7, 8], "sample": 5, "stop": "length"},
        {"problem_id": 12, "text": "a number for an id"},
    ]
    found = read_responses(written(tmp_path, *rows))
    assert [(one.sample, one.text) for one in found.by_problem["a"]] == [(0, "one"), (1, "three")]
    assert [(one.sample, one.token_ids) for one in found.by_problem["b"]] == [(0, None), (5, (7, 8))]
    assert [one.stop for one in found.by_problem["b"]] == [StopReason.EOS, StopReason.LENGTH]
    assert (found.count, list(found.by_problem)) == (5, ["a", "b", "12"])


BAD_ROWS = [
    ({"text": "no id"}, "has no problem_id"),
    ({"problem_id": ["a"], "text": "x"}, "has no problem_id"),
    ({"problem_id": "a"}, "has neither a text nor token_ids"),
    ({"problem_id": "a", "text": " \n"}, "has an empty response"),
    ({"problem_id": "a", "text": 7}, "has an int for a response"),
    ({"problem_id": "a", "token_ids": []}, "has an empty response"),
    ({"problem_id": "a", "token_ids": [1, -2]}, "not a list of whole numbers"),
    ({"problem_id": "a", "token_ids": [1, True]}, "not a list of whole numbers"),
    ({"problem_id": "a", "text": "x", "sample": -1}, "not a whole number from 0"),
    ({"problem_id": "a", "text": "x", "stop": "tired"}, "unknown stop 'tired'"),
    ('{"problem_id": "a", "text": "\\ud800"}', "half of a surrogate pair"),
    ('{"problem_id": "a", "text": ', "is not JSON"),
    ({"problem_id": "b", "text": "kept"}, r"repeats the problem and response of responses.jsonl:1 \(give rows"),
    ({"problem_id": "b", "text": "other", "sample": 0}, "has the sample 0, which a row"),
]


@pytest.mark.parametrize(("row", "sentence"), BAD_ROWS)
def test_a_bad_row_is_named_before_anything_starts_and_may_be_skipped(tmp_path: Path, row: Any, sentence: str) -> None:
    path = written(tmp_path, {"problem_id": "b", "text": "kept"}, row)
    with pytest.raises(SourceError, match=rf"responses\.jsonl:2 .*{sentence}"):
        read_responses(path)
    found = read_responses(path, skip_bad_rows=True)
    assert (found.skipped, found.count) == (1, 1)


def test_a_sample_twice_is_a_duplicate_and_an_equal_text_under_two_samples_is_none(tmp_path: Path) -> None:
    same = [{"problem_id": "a", "text": "4", "sample": sample} for sample in (0, 1)]
    assert read_responses(written(tmp_path, *same)).count == 2
    again = {"problem_id": "a", "text": "5", "sample": 1}
    with pytest.raises(SourceError, match=r"repeats the problem and sample of responses\.jsonl:2"):
        read_responses(written(tmp_path, *same, again))


def test_many_bad_rows_are_counted_and_a_file_without_a_good_one_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, *[{"text": "no id"}] * 5)
    with pytest.raises(SourceError, match="and 2 more"):
        read_responses(path)
    with pytest.raises(SourceError, match="holds no response"):
        read_responses(path, skip_bad_rows=True)


def test_ids_are_kept_where_they_are_the_models_and_texts_are_encoded_where_not(tmp_path: Path) -> None:
    policy = FakePolicy()
    rows = [
        {"problem_id": "a", "text": "hi", "token_ids": [104, 105, 1], "stop": "eos"},
        {"problem_id": "a", "text": "hi", "token_ids": [5, 6], "sample": 1},
        {"problem_id": "a", "text": "hi", "token_ids": [104, 99_999], "sample": 2},
        {"problem_id": "b", "token_ids": [104]},
        {"problem_id": "c", "text": "text alone"},
    ]
    given = read_responses(written(tmp_path, *rows))
    found = tokenise(given, policy.encode_response, policy.decode, vocabulary=1000)
    assert found.by_problem["a"] == (
        FixedResponse(0, "hi", (104, 105, 1), StopReason.EOS),
        FixedResponse(1, "hi", (104, 105), None),
        FixedResponse(2, "hi", (104, 105), None),
    )
    assert found.by_problem["b"] == (FixedResponse(0, "h", (104,), None),)
    assert found.by_problem["c"][0].token_ids == tuple(map(ord, "text alone"))
    assert found.retokenised == 2


def test_ids_beyond_the_vocabulary_need_a_text(tmp_path: Path) -> None:
    policy = FakePolicy()
    given = read_responses(written(tmp_path, {"problem_id": "a", "token_ids": [5000]}))
    with pytest.raises(SourceError, match=r"responses\.jsonl:1 has token_ids that the model does not know"):
        tokenise(given, policy.encode_response, policy.decode, vocabulary=1000)
