from __future__ import annotations

from collections.abc import Iterator

import pytest

from semifactual.answers import Verifier


@pytest.fixture(scope="session")
def verifier() -> Iterator[Verifier]:
    """One verifier with a worker that is already started."""
    with Verifier(deadline=10) as shared:
        shared.warm_up()
        yield shared
