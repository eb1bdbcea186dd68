"""The Hub through its official client, patient and quiet: what a repository holds, one commit, one file."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from logging import CRITICAL
from pathlib import Path
from typing import Any, TypeVar

from semifactual.errors import HubError
from semifactual.publish.digests import Digest
from semifactual.publish.repository import MAIN, Repository
from semifactual.publish.trouble import CONFLICT, LONGEST_WAIT, asked_wait, in_words, is_network, passes, status_of

PAUSES = (1.0, 3.0, 9.0, 27.0)
"""Seconds to wait before a request is sent again that met with passing trouble."""

News = Callable[[str], None]
Result = TypeVar("Result")


class Conflict(Exception):
    """Somebody else committed since we looked."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a branch of a repository holds."""

    commit: str
    files: Mapping[str, Digest]


class Hub:
    """A connection. `token` is None for reading what is public."""

    def __init__(self, token: str | None, on_news: News = lambda sentence: None, *, writes: bool = True) -> None:
        from huggingface_hub import HfApi

        self._api = HfApi(token=token if token is not None else False)
        self._on_news = on_news
        self._writes = writes
        self._answered = False
        self.token = token
        self.endpoint = str(self._api.endpoint)

    @classmethod
    def to_write(cls, on_news: News = lambda sentence: None) -> Hub:
        """A connection that may write, as far as the token goes.

        Raises:
            HubError: there is no token, the Hub does not accept it, or cannot be reached.
        """
        keep_quiet()
        token = token_to_write()
        hub = cls(token, on_news)
        hub.ask("the account", hub._api.whoami)
        return hub

    @classmethod
    def to_read(cls, on_news: News = lambda sentence: None) -> Hub:
        """A connection that reads, with the token where there is one."""
        keep_quiet()
        return cls(_token(), on_news, writes=False)

    def ask(self, subject: object, request: Callable[[], Result]) -> Result:
        """The answer to a request, sent again after a while where the trouble may pass.

        A hub that never answered is not waited for.

        Raises:
            HubError: it was refused, or the trouble did not pass.
        """
        for pause in (*PAUSES, None):
            try:
                answer = request()
            except Exception as error:  # the libraries raise dozens of types here; none is lost, each is put into words
                hopeless = is_network(error) and not self._answered
                wait = max(asked_wait(error) or 0.0, pause or 0.0)
                if pause is None or hopeless or not passes(error) or wait > LONGEST_WAIT:
                    known, writes = self.token is not None, self._writes
                    raise in_words(error, str(subject), self.endpoint, with_token=known, writes=writes) from error
                self._answered |= not is_network(error)
                self._on_news(f"The Hub is busy or away ({status_of(error) or 'no answer'}); again in {wait:.0f} s.")
                time.sleep(wait)
            else:
                self._answered = True
                return answer
        raise AssertionError("the last round returns or raises")

    def is_private(self, repository: Repository) -> bool | None:
        """Whether only some may see the repository; None where there is none that we may see."""
        from huggingface_hub.errors import RepositoryNotFoundError

        def look() -> bool | None:
            try:
                return bool(self._api.repo_info(repository.name, repo_type="dataset").private)
            except RepositoryNotFoundError:
                return None

        return self.ask(repository, look)

    def held(self, repository: Repository) -> Held:
        """What a branch holds.

        Raises:
            HubError: there is no such repository or branch, or it cannot be seen.
        """

        def look() -> Held:
            info = self._api.repo_info(repository.name, repo_type="dataset", revision=repository.revision)
            commit = str(info.sha)
            entries = self._api.list_repo_tree(repository.name, recursive=True, repo_type="dataset", revision=commit)
            files = {entry.path: Digest.told(entry) for entry in entries if hasattr(entry, "blob_id")}
            return Held(commit, files)

        return self.ask(repository, look)

    def create(self, repository: Repository, *, private: bool) -> None:
        """Make the repository and its branch, where there are none yet."""
        name = repository.name
        self.ask(
            repository,
            lambda: self._api.create_repo(name, repo_type="dataset", private=private or None, exist_ok=True),
        )
        self.branch(repository)

    def branch(self, repository: Repository) -> None:
        """Make the branch, where there is none yet; the main one is always there."""
        name, branch = repository.name, repository.revision
        if branch == MAIN:
            return
        self.ask(repository, lambda: self._api.create_branch(name, branch=branch, repo_type="dataset", exist_ok=True))

    def commit(
        self, repository: Repository, parent: str, message: str, added: Mapping[str, Path], deleted: Sequence[str]
    ) -> str:
        """Upload files and commit all changes at once, on top of the commit `parent`; the new commit's id.

        What was uploaded before is not uploaded again.

        Raises:
            HubError: it was refused.
            Conflict: `parent` is not the newest commit any more.
        """
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        operations: list[Any] = [CommitOperationAdd(name, str(path)) for name, path in added.items()]
        operations += [CommitOperationDelete(name) for name in deleted]

        def send() -> str:
            done = self._api.create_commit(
                repository.name,
                operations,
                commit_message=message,
                repo_type="dataset",
                revision=repository.revision,
                parent_commit=parent,
            )
            return str(done.oid)

        try:
            return self.ask(repository, send)
        except HubError as error:
            if status_of(error) in CONFLICT:
                raise Conflict from error
            raise

    def download(self, repository: Repository, commit: str, name: str, folder: Path) -> Path:
        """Bring one file into `folder`, under its own name; what an interrupted download left there is gone on with."""
        return self.ask(
            f"{repository}: {name}",
            lambda: Path(
                self._api.hf_hub_download(
                    repository.name, name, repo_type="dataset", revision=commit, local_dir=str(folder)
                )
            ),
        )


def keep_quiet() -> None:
    """Leave it to us to say what happens: no log lines of the client's, bars on a terminal alone, no telemetry."""
    from huggingface_hub import constants
    from huggingface_hub.utils import logging

    constants.HF_HUB_DISABLE_TELEMETRY = True
    logging.set_verbosity(CRITICAL)
    if not sys.stderr.isatty():
        from datasets.utils.logging import disable_progress_bar
        from huggingface_hub.utils.tqdm import disable_progress_bars

        disable_progress_bars()
        disable_progress_bar()


def token_to_write() -> str:
    """The user's token; nobody is asked whether it is good for anything.

    Raises:
        HubError: there is none.
    """
    token = _token()
    if token is None:
        raise HubError(
            "there is no token for the Hub",
            hint="set HF_TOKEN, or run `hf auth login`; tokens are made in the settings of your account",
        )
    return token


def _token() -> str | None:
    """The user's token, from where the official client finds it.

    Raises:
        HubError: it cannot be one. A client would put it into an error's message.
    """
    from huggingface_hub import get_token

    token = get_token()
    if token is not None and (not token.isascii() or not token.isprintable() or " " in token):
        raise HubError("the token for the Hub has characters that no token has", hint="set HF_TOKEN anew")
    return token
