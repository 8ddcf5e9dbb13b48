"""Minutes of the 60-second log, filled with overlapping records of the 15-second log."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyelog.series.agreement import Minutes, shared_minutes


@given(st.integers(-14, 14), st.lists(st.integers(0, 20), min_size=40, max_size=40))
@settings(max_examples=40, deadline=None)
def test_steps_are_neither_made_nor_lost_by_the_overlap(shift, steps) -> None:
    index = pd.date_range("2026-10-20T10:00:15Z", periods=40, freq="15s") + pd.Timedelta(shift, "s")
    minutes = pd.date_range("2026-10-20T09:58:00Z", periods=15, freq="min")
    found = shared_minutes(index, minutes)
    assert (found.share @ np.array(steps, dtype=float)).sum() == pytest.approx(sum(steps))
    assert (found.overlap_us.sum(axis=1) <= 60e6).all()


def grids(records: int, minutes: int, *, shift_s: int = 0) -> Minutes:
    """Return the overlap of both grids, the first shifted."""
    short = pd.date_range("2026-10-20T10:00:15Z", periods=records, freq="15s")
    long = pd.date_range("2026-10-20T10:01:00Z", periods=minutes, freq="min")
    return shared_minutes(short + pd.Timedelta(shift_s, "s"), long)


def test_a_sum_is_split_by_the_share_of_each_record_and_an_average_weighted_by_it() -> None:
    shared = grids(20, 5, shift_s=-5)
    values = np.array([3.0, 6, 9, 12] * 5)
    assert shared.fill(values, "sum")[0] == pytest.approx(2 / 3 * 3 + 6 + 9 + 12 + 1 / 3 * 3)
    assert np.isnan(shared.fill(values, "sum")[-1]), "5 seconds of the last minute have no record"
    weighted = shared.fill(values, "wmean", np.ones(20))
    assert weighted[0] == pytest.approx((2 / 3 * 3 + 6 + 9 + 12 + 1 / 3 * 3) / 4)


def test_directions_are_averaged_on_the_circle() -> None:
    shared = grids(4, 1)
    assert shared.fill(np.array([170.0, -170, 175, -175]), "circ_mean")[0] == pytest.approx(180)
    assert np.isnan(shared.fill(np.array([0.0, 180, 0, 180]), "circ_mean")[0])


def test_a_minute_with_a_missing_value_is_missing() -> None:
    shared = grids(8, 2)
    assert np.isnan(shared.fill(np.array([1.0, 1, 1, np.nan, 1, 1, 1, 1]), "sum")).tolist() == [
        True,
        False,
    ]


def test_without_shared_time_there_are_no_minutes() -> None:
    empty = pd.DatetimeIndex([], tz="UTC")
    some = pd.date_range("2026-10-20T10:01:00Z", periods=3, freq="min")
    assert shared_minutes(empty, some).n == shared_minutes(some, empty).n == 0
    assert shared_minutes(some[:1], some + pd.Timedelta("1D")).n == 0
