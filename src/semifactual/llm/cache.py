"""Replies on disk: each is committed before it is used, is never asked for again, and is shared by all runs.

One SQLite file in WAL mode. A single thread writes; what has gathered while it wrote goes into the next transaction,
so that durability costs one sync for many replies. Other processes may read and write the same file meanwhile: of two
replies to one request the first one committed is everybody's.
"""

from __future__ import annotations

import json
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from semifactual.errors import OutputError
from semifactual.llm.requests import ChatRequest, Reply, Usage

T = TypeVar("T")

CACHE_VARIABLE = "SEMIFACTUAL_CACHE"
_FILE_NAME = "replies.sqlite"
_BUSY_SECONDS = 60.0
_MOST_PER_TRANSACTION = 512
_TABLES = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY,
    server TEXT NOT NULL,
    model TEXT NOT NULL,
    purpose TEXT NOT NULL,
    sample INTEGER NOT NULL,
    reply TEXT NOT NULL,
    outcome TEXT,
    build TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    cost REAL,
    committed REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS replies_by_build ON replies (build);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL, written REAL NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a reply came from and for what build it was paid."""

    server: str
    model: str
    build: str
    cost: float | None
    """In the price table's currency; None where no price is known."""


def default_cache_path() -> Path:
    """Where replies are kept: SEMIFACTUAL_CACHE, or the user's cache folder."""
    folder = os.environ.get(CACHE_VARIABLE) or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "semifactual"
    return Path(folder).expanduser() / _FILE_NAME


class ReplyCache:
    """The open cache. Methods may be called from any thread; those that write return when it is on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._work: queue.SimpleQueue[tuple[Callable[[sqlite3.Connection], Any], Future[Any]] | None]
        self._work = queue.SimpleQueue()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            self._writer = self._connect()
            self._writer.executescript(_TABLES)
            self._reader = self._connect()
        except (OSError, sqlite3.Error) as error:
            raise _unusable(path, error) from error
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._write_all, name="reply-cache", daemon=True)
        self._thread.start()

    def get(self, key: str) -> Reply | None:
        """The committed reply to the request of that key."""
        row = self._one("SELECT reply FROM replies WHERE key = ?", key)
        return None if row is None else Reply.from_json(json.loads(row[0]))

    def outcome(self, key: str) -> Any:
        """What became of that reply; None where it was not committed, or not used yet."""
        row = self._one("SELECT outcome FROM replies WHERE key = ?", key)
        return None if row is None or row[0] is None else json.loads(row[0])

    def put(self, key: str, request: ChatRequest, reply: Reply, origin: Origin) -> Future[Reply]:
        """Commit a complete reply. The result is the reply to use: another process's, if that was first."""
        row = (
            key,
            origin.server,
            origin.model,
            request.purpose.value,
            request.sample,
            json.dumps(reply.to_json()),
            origin.build,
            reply.usage.total,
            origin.cost,
            time.time(),
        )

        def write(connection: sqlite3.Connection) -> Reply:
            connection.execute(
                "INSERT OR IGNORE INTO replies (key, server, model, purpose, sample, reply, build, tokens, cost,"
                " committed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
            (stored,) = connection.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
            return Reply.from_json(json.loads(stored))

        return self._submit(write)

    def note(self, key: str, outcome: Mapping[str, Any]) -> Future[None]:
        """Commit what became of a reply: how it parsed, and what its contract said."""
        text = json.dumps(outcome, ensure_ascii=True, sort_keys=True)

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE replies SET outcome = ? WHERE key = ? AND outcome IS NOT ?", (text, key, text))

        return self._submit(write)

    def spent(self, build: str) -> tuple[Usage, float]:
        """The tokens (as completion) and the known cost of all replies that were paid for this build."""
        row = self._one("SELECT COALESCE(SUM(tokens), 0), COALESCE(SUM(cost), 0) FROM replies WHERE build = ?", build)
        assert row is not None
        return Usage(completion=row[0]), row[1]

    def fact(self, name: str) -> tuple[Any, float] | None:
        """A remembered JSON value, and when it was written."""
        row = self._one("SELECT value, written FROM facts WHERE name = ?", name)
        return None if row is None else (json.loads(row[0]), row[1])

    def facts(self, prefix: str) -> dict[str, Any]:
        """The remembered values whose names start with `prefix`."""
        with self._lock:
            rows = self._reader.execute(
                "SELECT name, value FROM facts WHERE substr(name, 1, ?) = ? ORDER BY written", (len(prefix), prefix)
            ).fetchall()
        return {name: json.loads(value) for name, value in rows}

    def remember(self, name: str, value: Any) -> Future[None]:
        """Commit a JSON value under a name; None forgets it."""
        text, written = json.dumps(value), time.time()

        def write(connection: sqlite3.Connection) -> None:
            if value is None:
                connection.execute("DELETE FROM facts WHERE name = ?", (name,))
            else:
                connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", (name, text, written))

        return self._submit(write)

    def close(self) -> None:
        """Commit what is waiting and close the file."""
        if self._thread.is_alive():
            self._work.put(None)
            self._thread.join()
            self._reader.close()
            self._writer.close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # a paid reply survives a power cut, not only a killed process
        return connection

    def _one(self, query: str, *values: str) -> tuple[Any, ...] | None:
        try:
            with self._lock:
                row: tuple[Any, ...] | None = self._reader.execute(query, values).fetchone()
                return row
        except sqlite3.Error as error:
            raise _unusable(self.path, error) from error

    def _submit(self, write: Callable[[sqlite3.Connection], T]) -> Future[T]:
        done: Future[T] = Future()
        self._work.put((write, done))
        return done

    def _write_all(self) -> None:
        going_on = True
        while going_on:
            batch = [self._work.get()]
            while len(batch) < _MOST_PER_TRANSACTION and not self._work.empty():
                batch.append(self._work.get())
            going_on = None not in batch
            jobs = [job for job in batch if job is not None]
            if jobs:
                self._commit(jobs)

    def _commit(self, jobs: list[tuple[Callable[[sqlite3.Connection], Any], Future[Any]]]) -> None:
        """Do all jobs in one transaction. A job of which nobody wants to hear any more is done too: it was paid."""
        awaited = [done.set_running_or_notify_cancel() for _, done in jobs]
        outcomes: list[Any]
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                outcomes = [write(self._writer) for write, _ in jobs]
                self._writer.execute("COMMIT")
            except BaseException:
                self._writer.execute("ROLLBACK")
                raise
        except Exception as error:  # told to whoever waits; the thread must live
            for (_, done), is_awaited in zip(jobs, awaited, strict=True):
                if is_awaited:
                    done.set_exception(_unusable(self.path, error))
        else:
            for (_, done), is_awaited, outcome in zip(jobs, awaited, outcomes, strict=True):
                if is_awaited:
                    done.set_result(outcome)


def _unusable(path: Path, error: Exception) -> OutputError:
    return OutputError(
        f"the cache of replies {path} cannot be used: {str(error).lower()}",
        hint="name another file with --cache; what it holds stays there",
    )
