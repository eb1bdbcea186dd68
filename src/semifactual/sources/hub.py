"""Rows of a dataset on the Hub, streamed: the one source that uses the network, and only because the user named it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial
from typing import Any

from semifactual.errors import SourceError
from semifactual.sources.rows import BadRow, Place, Row, Table


def open_hub(name: str, *, split: str | None, config_name: str | None) -> Table:
    """The table of the Hub dataset `name` ("OWNER/NAME"), pinned to the revision that it has now.

    Raises:
        SourceError: it cannot be reached, or has several splits and none was named.
    """
    from datasets import get_dataset_split_names
    from huggingface_hub import HfApi, constants

    constants.HF_HUB_DISABLE_TELEMETRY = True
    try:
        revision = HfApi().dataset_info(name).sha
        splits = sorted(get_dataset_split_names(name, config_name, revision=revision))
    except Exception as error:  # the libraries raise dozens of types here, and each means that there is no dataset
        raise _unreachable(name, error) from error
    if split is None and len(splits) == 1:
        split = splits[0]
    if split is None or split not in splits:
        what = "several splits" if split is None else f"no split {split}"
        raise SourceError(f"{name} has {what}", hint=f"name one with --split: {', '.join(splits)}")
    identity = "\n".join([name, str(revision), str(config_name), split])
    return Table(
        name,
        partial(_rows, name, config_name, split, revision),
        lambda: hashlib.sha256(identity.encode()).hexdigest(),
    )


def _rows(name: str, config_name: str | None, split: str, revision: str | None) -> Iterator[Row | BadRow]:
    from datasets import load_dataset

    try:
        stream: Any = load_dataset(name, config_name, split=split, revision=revision, streaming=True)
        for number, fields in enumerate(stream, start=1):
            yield Row(Place(f"{name}/{split}", number, "row"), dict(fields))
    except Exception as error:
        raise _unreachable(name, error) from error


def _unreachable(name: str, error: Exception) -> SourceError:
    reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    return SourceError(
        f"{name} is no file or folder here, and cannot be read from the Hub: {reason}",
        hint="check the name, and --config-name where the dataset has several configurations",
    )
