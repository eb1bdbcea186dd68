from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semifactual.drift.distribution import EDGES, QUANTILES, Distribution

drifts = st.lists(st.one_of(st.just(0.0), st.floats(1e-12, 2.0)), min_size=1, max_size=60)


def counted(*parts: list[float]) -> Distribution:
    distribution = Distribution()
    for part in parts:
        distribution.add(np.array(part, dtype=np.float64))
    return distribution


def test_shares_and_counts_by_hand() -> None:
    found = counted([0.0, 0.0, 0.05], [0.3, 0.6, 1.5, 2.0, 0.1]).to_json()
    assert found["share_zero"] == 0.25
    assert found["tail"] == {"0.1": 0.5, "0.5": 0.375, "1.0": 0.25}  # a drift of 0.1 is not above 0.1
    assert sum(found["histogram"]["counts"]) == 8
    assert found["histogram"]["counts"][0] == 2  # both zeros
    assert found["histogram"]["counts"][-1] == 1  # 2.0, the most there can be


def test_no_tokens_give_no_shares() -> None:
    found = counted().to_json()
    assert found["share_zero"] is None
    assert set(found["quantiles"].values()) == {None}


def test_edges_rise_from_nothing_to_the_most_that_drift_can_be() -> None:
    assert EDGES[0] == 0 and EDGES[-1] == 2
    assert list(EDGES) == sorted(set(EDGES))


@settings(max_examples=30, deadline=None)
@given(drifts)
def test_quantiles_are_those_of_the_sorted_values(values: list[float]) -> None:
    distribution = counted(values)
    for share in QUANTILES:
        exact = np.quantile(values, share, method="inverted_cdf")
        assert distribution.quantile(share) == pytest.approx(exact, rel=1 / 4096, abs=1e-40)


@settings(max_examples=30, deadline=None)
@given(drifts, drifts)
def test_parts_add_up_to_the_whole(first: list[float], second: list[float]) -> None:
    assert counted(first, second).to_json() == counted(first + second).to_json()
    found = counted(first, second).to_json()
    assert found["histogram"]["counts"] == np.histogram(first + second, EDGES)[0].tolist()
