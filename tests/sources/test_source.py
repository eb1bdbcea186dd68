"""Sources from files: what is read, and the one clear sentence for each thing that can be wrong."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from semifactual.errors import SourceError
from semifactual.sources.reference import read_reference
from semifactual.sources.source import open_source, problems, scan
from semifactual.types import Problem


def lines(path: Path, *rows: object) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def only(spec: str, **options: str) -> Problem:
    (problem,) = problems(open_source(spec, **options))  # type: ignore[arg-type]
    return problem


def refusal(spec: str) -> str:
    with pytest.raises(SourceError) as caught:
        scan(open_source(spec))
    return caught.value.message


def test_gsm8k_rows_keep_the_worked_solution(tmp_path: Path) -> None:
    problem = only(lines(tmp_path / "q.jsonl", {"question": "How many?", "answer": "48+24=72\n#### 72"}))
    assert (problem.id, problem.answer, problem.source) == ("q-000000", "72", "q")
    assert problem.metadata == {"solution": "48+24=72\n#### 72"}


def test_verl_rows_in_parquet(tmp_path: Path) -> None:
    row = {
        "prompt": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Find x. Think step by step."},
        ],
        "reward_model": {"ground_truth": "3", "style": "rule"},
    }
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "v.parquet")
    problem = only(str(tmp_path / "v.parquet"))
    assert (problem.text, problem.answer) == ("Find x.", "3")
    assert problem.metadata["reward_model"] == {"style": "rule"}
    assert problem.metadata["prompt_format"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "{question} Think step by step."},
    ]


@pytest.mark.parametrize("text", ['[{"q": "A?", "a": 1}]', '{"version": [2], "data": [{"q": "A?", "a": 1}]}'])
def test_json_lists(tmp_path: Path, text: str) -> None:
    (tmp_path / "q.json").write_text(text)
    assert only(str(tmp_path / "q.json"), problem_field="q", answer_field="a").answer == "1"


def test_csv_with_byte_order_mark_and_line_breaks(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_bytes('\ufeffproblem,answer\n"A\nB?",5\n'.encode())
    assert only(str(tmp_path / "q.csv")).text == "A\nB?"


def test_fields_inside_fields(tmp_path: Path) -> None:
    assert only(lines(tmp_path / "q.jsonl", {"problem": {"problem": "A?", "answer": "2", "id": 7}})).id == "7"


def test_row_source_and_dates_go_to_metadata(tmp_path: Path) -> None:
    spec = lines(tmp_path / "q.jsonl", {"problem": "A?", "answer": "1", "source": "book", "score": float("nan")})
    assert only(spec).metadata == {"source": "book", "score": None}


def test_built_rows_come_back_as_they_were(tmp_path: Path) -> None:
    row = {
        "id": "a", "problem": "Find x. Think step by step.", "answer": "#### 1", "source": "s",
        "semifactuals": [], "metadata": '{"prompt_format": "p"}',
    }  # fmt: skip
    assert only(lines(tmp_path / "q.jsonl", row)) == Problem(
        "a", "Find x. Think step by step.", "#### 1", "s", {"prompt_format": "p"}
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"problem": "A?", "ans', "q.jsonl:2 is not JSON"),
        (b'{"problem": "caf\xe9", "answer": 1}', "q.jsonl:2 is not UTF-8: byte 0xe9 at column 17"),
        (b'{"problem": "A\0?", "answer": 1}', "q.jsonl:2 holds a NUL byte"),
        (b'{"problem": "A\\u0000?", "answer": 1}', "q.jsonl:2 has a NUL character"),
        (b'{"problem": "A\\ud800?", "answer": 1}', "q.jsonl:2 has half of a surrogate pair"),
        (b'{"problem": "  ", "answer": 1}', "q.jsonl:2 has an empty problem"),
        (b'{"problem": "A?"}', "q.jsonl:2 has no answer"),
        (b'{"problem": "A?", "answer": NaN}', "q.jsonl:2 has the answer nan"),
        (b'{"problem": 5, "answer": 1}', "q.jsonl:2 has an int for a problem"),
        (b'{"problem": "A?", "answer": "\\\\boxed{1"}', "q.jsonl:2 has a \\boxed{ without its closing brace"),
        (b'{"problem": [{"role": "user"}, {"role": "assistant"}], "answer": 1}', "q.jsonl:2 has a chat of the turns"),
        (b"[" * 100_000, "q.jsonl:2 is JSON nested too deeply"),
        (b"3", "q.jsonl:2 is not an object"),
        (json.dumps({"problem": "x" * 2**20, "answer": 1}).encode(), "q.jsonl:2 has 1,048,576 characters"),
    ],
)
def test_a_bad_row_is_named_and_can_be_skipped(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_bytes(b'{"problem": "Good?", "answer": 1}\n' + line + b'\n{"problem": "Fine?", "answer": 2}\n')
    assert reason in refusal(str(path))
    source = open_source(str(path))
    report = scan(source, skip_bad_rows=True)
    assert (report.rows, report.problems, report.bad_rows) == (3, 2, 1)
    assert [problem.id for problem in problems(source)] == ["q-000000", "q-000002"]


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("q.jsonl", b"", "is empty"),
        ("q.jsonl", b"PAR1....", "a parquet file"),
        ("q.jsonl", gzip.compress(b"{}", mtime=0), "a gzip file"),
        ("q.jsonl", b"[1]", "one JSON list"),
        ("q.csv", b"<!DOCTYPE html><p>", "a web page"),
        ("q.parquet", b"{}", "not a parquet file"),
        ("q.parquet", b"PAR1 and no more", "damaged parquet"),
        ("q.jsonl", "{}".encode("utf-16"), "UTF-16"),
        ("q.json", b'{"problem": "A?"}', "single object"),
        ("q.json", b'[{"problem": "A?", "answer": 1}', "is not JSON"),
        ("q.txt", b"A?", "cannot read"),
        ("q.jsonl", b'{"problem": "A", "answer": 1}\n{"problem": "A", "answer": 2}\n', "text of q.jsonl:1"),
    ],
)  # fmt: skip
def test_an_unusable_file_is_refused(tmp_path: Path, name: str, content: bytes, what: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert what in refusal(str(tmp_path / name))


def test_exact_duplicates_are_merged(tmp_path: Path) -> None:
    source = open_source(lines(tmp_path / "q.jsonl", *[{"problem": "A?", "answer": "1"}] * 3))
    assert (scan(source).duplicates, len(list(problems(source)))) == (2, 1)


def test_splits_of_a_folder_are_not_mixed(tmp_path: Path) -> None:
    for split in ("train", "test"):
        lines(tmp_path / f"{split}.jsonl", {"problem": f"{split}?", "answer": "1"})
    assert "several splits" in refusal(str(tmp_path))
    assert only(str(tmp_path), split="test").text == "test?"


def test_fingerprint_follows_the_bytes(tmp_path: Path) -> None:
    spec = lines(tmp_path / "q.jsonl", {"problem": "A?", "answer": "1"})
    before = open_source(spec).fingerprint()
    assert before == open_source(spec).fingerprint()
    assert before != open_source(lines(tmp_path / "q.jsonl", {"problem": "A?", "answer": "2"})).fingerprint()


@pytest.mark.parametrize(
    ("file", "count", "framed"),
    [
        ("gsm8k/train.jsonl", 7473, 0), ("gsm8k/test.jsonl", 1319, 0), ("math500/test.jsonl", 500, 0),
        ("competition/aime24.jsonl", 30, 0), ("competition/aime25.jsonl", 30, 0), ("competition/amc23.jsonl", 40, 0),
        ("competition/olympiadbench.jsonl", 675, 0), ("competition/minerva_math.jsonl", 272, 0),
        ("gsm_plus/testmini.jsonl", 2400, 0), ("rlvr/aime_train.json", 975, 0), ("sample_200.jsonl", 200, 0),
        ("rlvr/dsr_sub.parquet", 1206, 1208),
    ],
)  # fmt: skip
def test_real_sets(shared: Path, file: str, count: int, framed: int) -> None:
    source = open_source(str(shared / "data" / file))
    report = scan(source, skip_bad_rows=file.endswith("parquet"))
    assert (report.problems, report.prompt_formats.total()) == (count, framed)
    answers = [problem.answer for problem in problems(source)]
    assert not [answer for answer in answers if not answer or "####" in answer or "\\boxed" in answer]


def test_an_id_field_that_repeats_is_not_guessed(tmp_path):
    rows = [{"id": n // 2, "question": f"How much is {n} and {n}?", "answer": str(2 * n)} for n in range(4)]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [item.id for item in open_source(str(path)).rows()] == [f"rows-{n:06d}" for n in range(4)]
    with pytest.raises(SourceError, match="contradict"):
        scan(open_source(str(path), id_field="id"))


def test_rows_can_be_numbered_where_they_have_ids(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"id": "a", "question": "How much is 1 and 1?", "answer": "2"}) + "\n")
    assert [item.id for item in open_source(str(path), id_field="none").rows()] == ["rows-000000"]


def test_a_broken_csv_record_ends_the_reading(tmp_path: Path) -> None:
    """What follows it may be the inside of a quoted text, and no row."""
    rows = "".join(f"A{n}?,{n}\n" for n in range(30))
    (tmp_path / "q.csv").write_text(f'problem,answer\n{rows}"B "x\ninside?,7\n",5\n')
    with pytest.raises(SourceError, match=r"q\.csv:32 is not CSV"):
        scan(open_source(str(tmp_path / "q.csv")), skip_bad_rows=True)


def test_a_long_csv_field_is_a_bad_row_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text(f"problem,answer\nA?,1\n{'x' * 200_000},2\n")
    assert "200,000 characters in its problem" in refusal(str(tmp_path / "q.csv"))


def test_a_missing_file_in_a_folder_here_is_not_looked_for_on_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    assert refusal("out/nothere") == "there is no file or folder out/nothere"


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ("#### 72", ("72", None)),
        ("So:\n#### \t72  \n\n", ("72", "So:\n#### \t72")),
        ("#### 5 #### 72", ("5 #### 72", None)),
        ("#### 7\nis the answer", ("#### 7\nis the answer", None)),
    ],
)
def test_the_answer_stands_behind_the_marks_of_the_last_line(answer: str, read: tuple[str, str | None]) -> None:
    reference = read_reference(answer)
    assert (reference.answer, reference.solution) == read


def test_many_marks_are_read_in_no_time() -> None:
    before = time.monotonic()
    read_reference("####" * 20_000 + "\nx")
    assert time.monotonic() - before < 0.5


def test_an_answer_that_does_not_verify_against_itself_is_reported(tmp_path):
    path = tmp_path / "rows.jsonl"
    answers = ["7", "\\frac{1}{2}", "0/0"]
    rows = [{"question": f"How much is {n}?", "answer": answer} for n, answer in enumerate(answers)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = scan(open_source(str(path)))
    assert report.unverifiable == 1
    assert any("rows.jsonl:3 '0/0'" in notice for notice in report.notices())
