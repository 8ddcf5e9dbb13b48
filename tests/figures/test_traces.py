"""What is drawn of values: everything, or the mean and range of columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyelog.figures.timeline import Columns, trace

MINUTE_US = 60_000_000


def minutes(n: int) -> np.ndarray:
    return (np.arange(n, dtype=np.int64) + 1) * MINUTE_US


def test_a_stamp_closes_its_column() -> None:
    columns = Columns(0, 600.0, 6)
    assert columns.of(np.array([1, 600_000_000, 600_000_001])).tolist() == [0, 0, 1]


values = st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(float("nan"))), min_size=1, max_size=300)


@given(values)
def test_columns_hide_no_extreme_and_their_means_lie_within(found: list[float]) -> None:
    array = np.array(found)
    drawn = trace(minutes(len(array)), array, 60.0, Columns(0, 600.0, 30))
    assert drawn.low is not None
    assert drawn.high is not None
    finite = array[np.isfinite(array)]
    there = np.isfinite(drawn.values)
    assert there.any() == bool(finite.size)
    if finite.size:
        assert np.nanmin(drawn.low) == finite.min()
        assert np.nanmax(drawn.high) == finite.max()
        spare = 1e-9 * (1 + np.abs(drawn.values[there]))
        assert (drawn.low[there] <= drawn.values[there] + spare).all()
        assert (drawn.high[there] >= drawn.values[there] - spare).all()


def test_the_mean_of_angles_is_on_the_circle() -> None:
    drawn = trace(minutes(2), np.array([170.0, -170.0]), 60.0, Columns(0, 600.0, 1), angle=True)
    assert abs(drawn.values[0]) == pytest.approx(180)
