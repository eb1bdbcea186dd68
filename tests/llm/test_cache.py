from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from semifactual.errors import OutputError
from semifactual.llm.cache import CACHE_VARIABLE, Origin, ReplyCache, default_cache_path
from semifactual.llm.endpoint import Endpoint
from semifactual.llm.requests import ChatRequest, Purpose, Reply, Usage, cache_key

REQUEST = ChatRequest(Purpose.REWRITE, (("user", "Rewrite ⟦M1⟧."),), 100, '{"a": 1}', 0.7, 3)
REPLY = Reply("text", "stop", "", Usage(10, 4, 5, 0))
ORIGIN = Origin("http://host/v1", "model", "build", 0.25)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    opened = ReplyCache(tmp_path / "deep" / "replies.sqlite")
    yield opened
    opened.close()


def test_a_committed_reply_is_there_for_everybody(cache: ReplyCache) -> None:
    assert cache.get("k") is None
    assert cache.put("k", REQUEST, REPLY, ORIGIN).result() == REPLY
    assert cache.get("k") == REPLY
    other = ReplyCache(cache.path)
    assert other.get("k") == REPLY
    other.close()


def test_the_first_reply_to_a_request_stays(cache: ReplyCache) -> None:
    cache.put("k", REQUEST, REPLY, ORIGIN).result()
    assert cache.put("k", REQUEST, Reply("another"), ORIGIN).result() == REPLY


def test_an_outcome_is_kept_beside_its_reply(cache: ReplyCache) -> None:
    cache.put("k", REQUEST, REPLY, ORIGIN).result()
    assert cache.outcome("k") is None
    cache.note("k", {"paraphrase": {"outcome": "valid"}}).result()
    assert cache.outcome("k") == {"paraphrase": {"outcome": "valid"}}


def test_what_a_build_spent_is_added_up(cache: ReplyCache) -> None:
    for key, origin in (("a", ORIGIN), ("b", ORIGIN), ("c", Origin("s", "m", "other", None))):
        cache.put(key, REQUEST, REPLY, origin).result()
    usage, cost = cache.spent("build")
    assert (usage.total, cost) == (30, 0.5)
    assert cache.spent("other")[1] == 0.0
    assert cache.spent("none")[0].total == 0


def test_facts_are_remembered_and_forgotten(cache: ReplyCache) -> None:
    cache.remember("batch one", {"id": 1}).result()
    cache.remember("batch two", [2]).result()
    cache.remember("x", 3).result()
    assert cache.facts("batch ") == {"batch one": {"id": 1}, "batch two": [2]}
    cache.remember("batch one", None).result()
    assert cache.fact("batch one") is None
    found = cache.fact("x")
    assert found is not None and found[0] == 3


def test_closing_commits_what_waits(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies.sqlite")
    waiting = [cache.put(str(number), REQUEST, REPLY, ORIGIN) for number in range(2000)]
    cache.close()
    assert all(future.done() for future in waiting)
    again = ReplyCache(tmp_path / "replies.sqlite")
    assert all(again.get(str(number)) == REPLY for number in range(2000))
    again.close()


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    program = f"""
import sys
from pathlib import Path
from semifactual.llm.cache import Origin, ReplyCache
from semifactual.llm.requests import ChatRequest, Purpose, Reply
cache = ReplyCache(Path({str(path)!r}))
request, origin = ChatRequest(Purpose.SOLVE, (), 1), Origin("s", "m", sys.argv[1], 1.0)
used = [cache.put(str(n), request, Reply(sys.argv[1]), origin).result().text for n in range(300)]
cache.close()
print(",".join(used))
"""
    both = [subprocess.Popen([sys.executable, "-c", program, name], stdout=subprocess.PIPE, text=True) for name in "ab"]
    one, two = (process.communicate()[0].strip().split(",") for process in both)
    assert one == two  # both use the reply that was committed first
    assert len(one) == 300


def test_the_file_is_the_users_own(cache: ReplyCache) -> None:
    assert cache.path.stat().st_mode & 0o077 == 0


def test_a_file_that_is_no_cache_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    path.write_text("not a database, but quite a long text about something else" * 100)
    with pytest.raises(OutputError, match="cannot be used"):
        ReplyCache(path)


def test_a_write_that_fails_is_told_to_whoever_waits(cache: ReplyCache) -> None:
    sqlite3.connect(cache.path).executescript("DROP TABLE replies")
    with pytest.raises(OutputError, match="cannot be used"):
        cache.put("k", REQUEST, REPLY, ORIGIN).result()
    cache.remember("the thread", "lives").result()


def test_where_the_cache_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    assert default_cache_path() == tmp_path / "replies.sqlite"
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_cache_path() == tmp_path / "xdg" / "semifactual" / "replies.sqlite"


def test_every_part_of_a_request_tells_replies_apart() -> None:
    from dataclasses import replace

    endpoint = Endpoint("model", "http://host/v1")
    changes = [
        {"messages": (("user", "other"),)},
        {"max_tokens": 101},
        {"schema": None},
        {"temperature": 0.8},
        {"sample": 4},
        {"extra": '{"top_k": 5}'},
    ]
    keys = {cache_key(replace(REQUEST, **change), endpoint) for change in changes}  # type: ignore[arg-type]
    keys |= {
        cache_key(REQUEST, Endpoint("other", endpoint.base_url)),
        cache_key(REQUEST, Endpoint("model", "http://b")),
    }
    keys.add(cache_key(REQUEST, endpoint))
    assert len(keys) == len(changes) + 3
    assert cache_key(replace(REQUEST, purpose=Purpose.REPAIR), endpoint) == cache_key(REQUEST, endpoint)
    assert all(len(key) == 48 for key in keys)
