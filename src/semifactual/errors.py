"""Errors that a user can act on. Each is one sentence and a hint; the CLI prints both and exits with 2."""

from __future__ import annotations


class SemifactualError(Exception):
    """Base of every error that this package raises on purpose.

    `message` is one clear sentence; `hint`, where there is one, says the way out.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class SourceError(SemifactualError):
    """A problem source cannot be read, or its rows cannot be used."""


class ConfigError(SemifactualError):
    """An option or a config file is wrong, or contradicts another."""


class OutputError(SemifactualError):
    """A result cannot be written: a full disk, a read-only folder, a folder that holds something else."""


class RegistryError(SemifactualError):
    """A kind of intervention is unknown, or is registered twice."""


class HubError(SemifactualError):
    """The Hub cannot be reached, refuses, or holds something else than expected."""
