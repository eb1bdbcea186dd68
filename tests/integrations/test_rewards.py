"""The reward functions: what other trainers call, loaded as those load them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

import semifactual.integrations
from semifactual.answers import Verifier
from semifactual.integrations.rewards import accuracy, trl_reward

FOLDER = Path(semifactual.integrations.__file__).parent
RIGHT, WRONG = r"So we get \boxed{\frac{1}{2}}.", r"So we get \boxed{2}."


def by_path(name: str) -> ModuleType:
    """The module as verl and EasyR1 load it: the file alone, under a name of theirs."""
    spec = importlib.util.spec_from_file_location("custom_module", FOLDER / name)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_only_the_last_box_counts() -> None:
    assert accuracy(RIGHT, "0.5") == 1.0
    assert accuracy(WRONG, "0.5") == accuracy("It is 0.5.", "0.5") == accuracy("", "0.5") == 0.0


def test_verl_calls_it_with_its_own_names() -> None:
    compute_score = by_path("verl_reward.py").compute_score
    given = {"data_source": "semifactual/x", "ground_truth": "0.5", "extra_info": {"index": 3}}
    assert compute_score(solution_str=RIGHT, **given) == {"score": 1.0, "acc": 1.0, "timed_out": 0.0}
    assert compute_score(solution_str=WRONG, **given, num_workers=3) == {"score": 0.0, "acc": 0.0, "timed_out": 0.0}


def test_easyr1_calls_it_with_a_batch() -> None:
    module = by_path("easyr1_reward.py")
    batch = [{"response": text, "response_length": 9, "ground_truth": "0.5"} for text in (RIGHT, WRONG)]
    assert module.REWARD_TYPE == "batch"
    assert [one["overall"] for one in module.compute_score(batch)] == [1.0, 0.0]


def test_trl_hands_over_texts_or_chats_beside_the_columns() -> None:
    assert trl_reward([RIGHT, WRONG], ["0.5", "0.5"], prompts=["", ""], semifactuals=[[], []]) == [1.0, 0.0]
    chats = [[{"role": "assistant", "content": text}] for text in (WRONG, RIGHT)]
    assert trl_reward(chats, ["0.5", "1/2"]) == [0.0, 1.0]
    with pytest.raises(ValueError):
        trl_reward([RIGHT], [])


def test_it_works_in_threads() -> None:
    """verl calls its reward function in the threads of an executor, where no signal reaches."""
    found: list[float] = []
    gold = r"\sqrt{2}+\sqrt{3}"
    response = r"\boxed{\sqrt{5+2\sqrt{6}}}"
    threads = [threading.Thread(target=lambda: found.append(accuracy(response, gold))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [1.0] * 4


def test_a_verdict_that_never_came_is_no_wrong_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with Verifier(deadline=0.0) as verifier:
        monkeypatch.setattr("semifactual.integrations.rewards._verifier", lambda: verifier)
        hard = r"\boxed{\sqrt{5+2\sqrt{6}}}"
        gold = r"\sqrt{2}+\sqrt{3}+\pi^{\sqrt{7}}-\pi^{\sqrt{7}}"
        scored = by_path("verl_reward.py").compute_score("", hard, gold)
        assert scored == {"score": 0.0, "acc": 0.0, "timed_out": 1.0}


def test_they_need_no_torch() -> None:
    program = "import sys; sys.modules['torch'] = None; import semifactual.integrations.easyr1_reward"
    subprocess.run([sys.executable, "-c", program], check=True)
