"""What may go wrong with a server: errors that stop a run, and those that cost one attempt."""

from __future__ import annotations

from dataclasses import dataclass

from semifactual.errors import SemifactualError


class ServerError(SemifactualError):
    """The server cannot be used: it is not there, refuses the key or the model, or has stopped answering."""


class BudgetSpent(SemifactualError):
    """The next request could cost more than what is left of the budget."""


class ReplyPending(Exception):
    """A reply is not in the cache, and requests are only collected now, to be sent as a batch."""


@dataclass(slots=True)
class RateLimited(Exception):
    """The server asked for patience (429). It has done no work, so this spends no attempt."""

    reason: str
    retry_after: float | None = None
    """Seconds, where the server said so."""


@dataclass(slots=True)
class AttemptFailed(Exception):
    """One attempt brought no complete reply."""

    reason: str
    overload: bool = False
    """Whether the server seems to have too much to do, so that fewer requests at once may help."""
    retry_after: float | None = None
    sent: float = 0.0
    """When the attempt was made, on the client's clock."""


@dataclass(slots=True)
class RequestRefused(Exception):
    """The server answered, and would answer the same to the same request: sending it again is no use."""

    reason: str
    status: int = 0
    parameter: str = ""
    """The parameter that the server complained of, where it named one."""
