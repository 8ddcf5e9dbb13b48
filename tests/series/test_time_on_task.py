"""Time on task: the slope within days, its errors over days, and what it refuses."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el


def days_of(values: np.ndarray, *, start: str = "2026-10-05 08:00", tz: str = "UTC") -> pd.Series:
    """Return hourly values from 8 o'clock on, one row of the array per day."""
    first = pd.Timestamp(start)
    stamps = [
        pd.date_range(first + pd.DateOffset(days=day), periods=values.shape[1], freq="h")
        for day in range(len(values))
    ]
    index = pd.DatetimeIndex(np.concatenate([each.to_numpy() for each in stamps])).tz_localize(tz)
    return pd.Series(values.ravel(), index=index)


def noisy(seed: int, days: int, slopes: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    own = rng.normal(0, slopes, (days, 1)) * np.arange(9)
    return rng.normal(size=(days, 1)) * 5 + rng.normal(size=(days, 9)) + own


@given(st.floats(-3, 3), st.integers(1, 6), st.sampled_from(["UTC", "Asia/Tokyo"]))
def test_a_planted_slope_is_found_whatever_the_level_of_the_days(slope, days, tz) -> None:
    levels = np.random.default_rng(days).normal(0, 50, (days, 1))
    found = el.rhythm.time_on_task(days_of(levels + slope * np.arange(9), tz=tz))
    assert found.slope_per_h == pytest.approx(slope, abs=1e-9)
    assert found.days == days


def test_the_estimate_is_that_of_least_squares_with_a_level_per_day() -> None:
    sm = pytest.importorskip("statsmodels.api")
    values = noisy(3, 7, 0.2)
    values[2, 4:] = np.nan  # days of unequal length
    series = days_of(values)
    found = el.rhythm.time_on_task(series)
    rows = series.dropna()
    day = rows.index.day.to_numpy()
    hours = rows.index.hour.to_numpy(dtype=float)
    design = np.column_stack([hours, day[:, None] == np.unique(day)])
    assert found.slope_per_h == pytest.approx(sm.OLS(rows.to_numpy(), design).fit().params[0])


def test_of_days_alike_in_length_the_interval_is_wider_than_a_t_test_of_their_slopes() -> None:
    from scipy import stats

    values = noisy(4, 8, 0.3)
    found = el.rhythm.time_on_task(days_of(values))
    own = [np.polyfit(np.arange(9), row, 1)[0] for row in values]
    test = stats.ttest_1samp(own, 0)
    inside = test.confidence_interval()
    assert found.slope_per_h == pytest.approx(np.mean(own))
    # Neighbouring days may be alike, which a t test does not allow for.
    assert found.low < inside.low < inside.high < found.high
    assert found.p > test.pvalue
    assert found.phi > 0
    assert found.n_effective < 8


def test_slopes_of_neighbouring_days_that_are_alike_widen_the_interval() -> None:
    own = np.repeat([0.6, -0.2, 0.5, -0.4], 5)  # weeks of work that go one way
    values = own[:, None] * np.arange(9) + noisy(5, 20)
    found = el.rhythm.time_on_task(days_of(values))
    mixed = el.rhythm.time_on_task(days_of(np.random.default_rng(1).permutation(values)))
    assert found.slope_per_h == pytest.approx(mixed.slope_per_h)
    assert found.phi > 0.4 > mixed.phi
    assert found.n_effective < 0.5 * found.days
    assert found.high - found.low > 1.4 * (mixed.high - mixed.low)


def test_half_a_row_of_days_is_too_little_for_an_interval_and_one_time_for_a_slope() -> None:
    few = el.rhythm.time_on_task(days_of(noisy(1, 3)))
    assert np.isfinite(few.slope_per_h)
    assert np.isnan([few.low, few.high, few.p]).all()
    assert few.reason == "fewer than 5 days: no interval and no p of this wearer"
    lone = el.rhythm.time_on_task(days_of(noisy(1, 5)[:, :1]))
    assert np.isnan(lone.slope_per_h)
    assert lone.days == 0
    assert lone.reason == "no day has values at two times or more"
    same = el.rhythm.time_on_task(days_of(np.tile(noisy(2, 1), (5, 1))))
    assert same.reason == "the slopes of the days do not differ: no interval and no p"
    long = np.vstack([np.pad(noisy(6, 1), ((0, 0), (0, 0)))] * 4)
    long[1:, 1:] = np.nan  # three days with one value
    assert el.rhythm.time_on_task(days_of(long)).days == 1


def test_a_value_belongs_to_the_day_in_which_its_interval_opens() -> None:
    index = pd.date_range("2026-10-05 22:30", periods=4, freq="30min", tz="Europe/Berlin")
    series = pd.Series([1.0, 2.0, 3.0, 50.0], index=index)  # the last opens at 0:00
    assert el.rhythm.time_on_task(series).slope_per_h == pytest.approx(2.0)


def test_it_prints_what_it_is_about() -> None:
    text = repr(el.rhythm.time_on_task(days_of(noisy(1, 6))))
    assert text.startswith("Time on task: change per hour within the day, of this wearer")
    assert "days as the units" in " ".join(text.split())
