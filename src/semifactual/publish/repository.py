"""The name of a dataset on the Hub."""

from __future__ import annotations

import re
from dataclasses import dataclass

from semifactual.errors import ConfigError

MAIN = "main"
_PART = re.compile(r"(?!.*(?:--|\.\.))[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?(?<!\.git)")
_REVISION = re.compile(r"(?!.*(?:\.\.|//|@\{))[A-Za-z0-9_][A-Za-z0-9._/-]{0,198}(?<![./])")


@dataclass(frozen=True, slots=True)
class Repository:
    """A dataset repository and one of its branches."""

    name: str
    """OWNER/NAME."""
    revision: str = MAIN

    @classmethod
    def named(cls, name: str, revision: str | None = None) -> Repository:
        """The repository that a user means.

        Raises:
            ConfigError: the name is not OWNER/NAME as the Hub wants it, or the revision is no name of one.

        >>> Repository.named("ann/word-problems")
        Repository(name='ann/word-problems', revision='main')
        """
        parts = name.split("/")
        if len(parts) != 2 or len(name) > 96 or not all(map(_PART.fullmatch, parts)):
            raise ConfigError(
                f"{name!r} is not OWNER/NAME",
                hint="write the user or organisation, a slash, and letters, digits, -, _ and .: ann/word-problems",
            )
        if revision is not None and not _REVISION.fullmatch(revision):
            raise ConfigError(f"{revision!r} is no name of a branch", hint="letters, digits, '-', '_', '.' and '/'")
        return cls(name, revision or MAIN)

    def __str__(self) -> str:
        return self.name if self.revision == MAIN else f"{self.name}@{self.revision}"

    def link(self, endpoint: str) -> str:
        """Where a person looks at it."""
        page = f"{endpoint}/datasets/{self.name}"
        return page if self.revision == MAIN else f"{page}/tree/{self.revision}"
