from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from semifactual.pipeline.records import write_parquet


def entry(kind: str, text: str) -> dict[str, Any]:
    evidence = {"engine": "rule", "checks": ["unchanged", "one_typo"], "answer_check": "unknown", "params": '{"n": 1}'}
    return {"kind": kind, "text": text, **evidence}


def record(row_id: str, problem: str, answer: str, *entries: dict[str, Any], metadata: str = "{}") -> dict[str, Any]:
    variants = [{"kind": "option_shuffle", "text": "never trained on", "answer": "B"}]
    counterfactuals = [{"kind": "c", "text": "never exported", "answer": "9", "derivation": "d"}]
    lists = {"semifactuals": list(entries), "evaluation_variants": variants, "counterfactuals": counterfactuals}
    return {"id": row_id, "problem": problem, "answer": answer, "source": "hand", "metadata": metadata, **lists}


FRAMED = '{"prompt_format": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Q: {question}"}]}'


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Three rows: two rewrites, none, and one in a prompt format of its own with a system turn."""
    folder = tmp_path / "pets"
    (folder / "data").mkdir(parents=True)
    rows = [
        record("a", "Ann has {3} cats.", "3", entry("typo_noise", "Ann hsa {3} cats."), entry("paraphrase", "3 cats.")),
        record("b", "Bo has 4 dogs.", "4"),
        record("c", "Cy sees 5 owls.", "5", entry("typo_noise", "Cy seees 5 owls."), metadata=FRAMED),
    ]
    write_parquet(folder / "data" / "train-00000-of-00001.parquet", rows)
    (folder / "rejected.jsonl").write_text("", encoding="utf-8")
    (folder / "manifest.json").write_text('{"schema": 1}', encoding="utf-8")
    return folder
