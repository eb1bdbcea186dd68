"""The parameters of every command that asks models through a server."""

from __future__ import annotations

from typing import Annotated

import typer


class AskOption:
    """Types of parameters, named as the config's options are."""

    Judge = Annotated[str | None, typer.Option(help="The model that settles what rules leave unsure.")]
    Solver = Annotated[str | None, typer.Option(help="The model that solves rewrites and originals.")]
    Votes = Annotated[int | None, typer.Option(help="Independent solutions of each text.")]
    Temperature = Annotated[float | None, typer.Option(help="The models' sampling temperature.")]
    ReplyTokens = Annotated[int | None, typer.Option(help="The most tokens of one reply, reasoning included.")]
    ExtraBody = Annotated[str | None, typer.Option(help="More fields of every request, as a JSON object.")]
    ApiKeyEnv = Annotated[str | None, typer.Option(help="The environment variable that holds the key.")]
    Concurrency = Annotated[int | None, typer.Option(help="The most requests in flight.")]
    Timeout = Annotated[float | None, typer.Option(help="Seconds in which a reply must be complete.")]
    Attempts = Annotated[int | None, typer.Option(help="How often a request without a reply is sent.")]
    Rpm = Annotated[int | None, typer.Option(help="The most requests a minute.")]
    Tpm = Annotated[int | None, typer.Option(help="The most tokens a minute.")]
