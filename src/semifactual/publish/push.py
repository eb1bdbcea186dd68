"""From a dataset folder to a repository on the Hub: one commit, read back and compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from semifactual.errors import HubError, OutputError
from semifactual.pipeline.assemble import CARD_NAME, PARQUET_NAME, PAYLOAD, require_whole
from semifactual.pipeline.card_notes import notes_in
from semifactual.pipeline.journal import MANIFEST_NAME
from semifactual.publish.content import Content
from semifactual.publish.hub import Conflict, Held, Hub, News
from semifactual.publish.remaking import manifest_of
from semifactual.publish.repository import Repository
from semifactual.publish.schemas import schema_differences

FILES = (*PAYLOAD, MANIFEST_NAME)
"""What a repository gets."""
OUR_DATA = "data/train-*.parquet"
"""What the card names as the rows: files there of an older push must not stay beside ours."""
ROUNDS = 5
"""How often a push starts anew because somebody else committed meanwhile."""


@dataclass(frozen=True, slots=True)
class LocalSet:
    """A whole dataset folder, ready to go."""

    folder: Path
    manifest: Mapping[str, Any]
    content: Content
    sizes: Mapping[str, int]

    @classmethod
    def read(cls, folder: Path) -> LocalSet:
        """The dataset in `folder`.

        Raises:
            SourceError, OutputError: it is not whole, or its manifest speaks of other rows than it holds.
        """
        manifest = manifest_of(folder)
        require_whole(folder)
        content = Content.of_file(folder / PARQUET_NAME)
        if content.rows != manifest["counts"]["rows"]:
            raise OutputError(
                f"{folder} holds {content.rows:,} rows, and its manifest says {manifest['counts']['rows']:,}",
                hint="build the dataset anew, or export it where the rows were changed on purpose",
            )
        return cls(folder, manifest, content, {name: (folder / name).stat().st_size for name in FILES})

    @property
    def card(self) -> str:
        """The text of the data card."""
        return (self.folder / CARD_NAME).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class PushReport:
    """What a push did."""

    repository: str
    revision: str
    commit: str
    link: str
    uploaded: tuple[str, ...]
    """The files that were new or different."""
    deleted: tuple[str, ...]
    """Files of an older dataset there that were in the way."""
    created: bool
    """Whether the repository was made."""
    rows: int
    content_sha256: str
    """Over the rows; what was read back has the same."""


def push(
    folder: Path,
    name: str,
    *,
    private: bool = False,
    revision: str | None = None,
    force: bool = False,
    on_news: News = lambda sentence: None,
) -> PushReport:
    """Put the dataset in `folder` into the repository `name`, made where there is none, and compare what is there then.

    All files change in one commit, so that nobody ever reads half a dataset. What is there already is not sent again,
    so the same push after an interruption goes on where it stood.

    Raises:
        ConfigError: `name` is not OWNER/NAME.
        SourceError, OutputError: `folder` holds no whole dataset.
        HubError: the Hub refuses or cannot be reached; the repository holds a dataset of another schema and not
            `force`; it is public and `private` was asked for; or what came back is not what was sent.
    """
    repository = Repository.named(name, revision)
    local = LocalSet.read(folder)
    hub = Hub.to_write(on_news)
    created = _prepare(hub, repository, private)
    for _ in range(ROUNDS):
        held = hub.held(repository)
        if not force:
            _refuse_other_schema(hub, repository, held)
        added = [file for file in FILES if not (file in held.files and held.files[file].is_of(folder / file))]
        deleted = [file for file in held.files if fnmatchcase(file, OUR_DATA) and file not in FILES]
        if CARD_NAME in added and CARD_NAME in held.files:
            _tell_of_notes(hub, repository, held, local, on_news)
        try:
            commit = _commit(hub, repository, held, local, added, deleted)
        except Conflict:
            on_news(f"Somebody else changed {repository} meanwhile; looking at it anew.")
            continue
        _compare(hub, repository, commit, local)
        link = repository.link(hub.endpoint)
        content = local.content
        files = tuple(added), tuple(deleted)
        return PushReport(name, repository.revision, commit, link, *files, created, content.rows, content.sha256)
    raise HubError(
        f"{repository} changed {ROUNDS} times while this push was at work",
        hint="find out who else pushes there, and run the same command again",
    )


def _prepare(hub: Hub, repository: Repository, private: bool) -> bool:
    """See that the repository and its branch are there, and return whether they had to be made."""
    is_private = hub.is_private(repository)
    if is_private is None:
        hub.create(repository, private=private)
        return True
    if private and not is_private:
        raise HubError(
            f"{repository.name} is there already, and everybody can see it",
            hint="make it private in its settings on the Hub first, or leave --private out",
        )
    hub.branch(repository)
    return False


def _refuse_other_schema(hub: Hub, repository: Repository, held: Held) -> None:
    if differences := schema_differences(hub, repository, held):
        raise HubError(
            f"{repository} holds a dataset of another schema: {'; '.join(differences)}",
            hint="choose another OWNER/NAME, or add --force to put this dataset over it",
        )


def _tell_of_notes(hub: Hub, repository: Repository, held: Held, local: LocalSet, on_news: News) -> None:
    """Say so where somebody wrote into the card there what the card here does not have."""
    with TemporaryDirectory() as folder:
        theirs = hub.download(repository, held.commit, CARD_NAME, Path(folder)).read_bytes().decode("utf-8", "replace")
    try:
        notes = notes_in(theirs, CARD_NAME)
    except OutputError:
        return
    if notes and notes not in local.card:
        on_news(f"The card of {repository} has notes that the card here lacks; they stay in its commit {held.commit}.")


def _commit(hub: Hub, repository: Repository, held: Held, local: LocalSet, added: list[str], deleted: list[str]) -> str:
    """The commit that holds the dataset: a new one, or the newest where nothing differs."""
    if not added and not deleted:
        return held.commit
    message = f"{local.content.rows:,} rows, built with semifactual {local.manifest['semifactual']}"
    return hub.commit(repository, held.commit, message, {name: local.folder / name for name in added}, deleted)


def _compare(hub: Hub, repository: Repository, commit: str, local: LocalSet) -> None:
    """Read the rows back as anybody would, and compare them with those here."""
    from datasets import load_dataset

    def read() -> Content:
        rows: Any = load_dataset(repository.name, split="train", revision=commit, streaming=True, token=hub.token)
        return Content.of(rows)

    found = hub.ask(f"{repository}, as it was read back", read)
    if found != local.content:
        raise HubError(
            f"{repository} gives back {found}, where {local.content} were sent",
            hint="look at the repository's files, and run the same command again",
        )
