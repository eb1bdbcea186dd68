"""The type checker of the tensor room's tests: beartype, with an int where a float is wanted, as mypy has it."""

from __future__ import annotations

from beartype import BeartypeConf, beartype

checked = beartype(conf=BeartypeConf(is_pep484_tower=True))
