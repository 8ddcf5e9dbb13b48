"""What is drawn of values: everything, or the mean and range of columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyelog.figures.traces import Columns, columns_for, mean_words, trace

MINUTE_US = 60_000_000


def minutes(n: int) -> np.ndarray:
    return (np.arange(n, dtype=np.int64) + 1) * MINUTE_US


def test_rows_that_the_width_resolves_need_no_columns() -> None:
    assert columns_for(0, 800 * MINUTE_US, 60.0) is None
    assert columns_for(0, 801 * MINUTE_US, 60.0) is not None


@pytest.mark.parametrize("days", [1, 3, 14, 33, 60, 365, 3000])
def test_columns_are_few_enough_and_cover_the_range(days: int) -> None:
    columns = columns_for(0, days * 1440 * MINUTE_US, 15.0)
    assert columns is not None
    assert 100 <= columns.n <= 800
    assert columns.edges[-1] >= days * 1440 * MINUTE_US


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


@given(values)
def test_without_columns_every_value_is_part_of_a_line_or_a_point(found: list[float]) -> None:
    array = np.array(found)
    drawn = trace(minutes(len(array)), array, 60.0, None)
    there = np.isfinite(drawn.values)
    assert there.sum() == np.isfinite(array).sum()
    joined = there[:-1] & there[1:]
    in_line = np.concatenate([joined, [False]]) | np.concatenate([[False], joined])
    assert (there == (in_line | drawn.lone)).all()


def test_the_mean_of_angles_is_on_the_circle() -> None:
    drawn = trace(minutes(2), np.array([170.0, -170.0]), 60.0, Columns(0, 600.0, 1), angle=True)
    assert abs(drawn.values[0]) == pytest.approx(180)


def test_time_of_day_that_goes_back_is_a_gap() -> None:
    us = np.array([1, 2, 3, 2, 3, 4]) * MINUTE_US
    drawn = trace(us, np.arange(6.0), 60.0, None)
    assert np.isnan(drawn.values).sum() == 1
    columns = trace(us, np.arange(6.0), 60.0, Columns(0, 60.0, 4))
    assert columns.values.tolist() == [0.0, 2.0, 3.0, 5.0]


def test_the_width_of_columns_is_in_words() -> None:
    assert mean_words(Columns(0, 1800.0, 1)) == "mean of 30 min"
    assert mean_words(Columns(0, 86_400.0, 1)) == "mean of each day"
