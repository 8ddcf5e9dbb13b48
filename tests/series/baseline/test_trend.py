"""Slopes over days."""

import numpy as np
import pandas as pd
import pytest
import scipy.signal
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import eyelog as el

numbers = st.floats(-1e4, 1e4, allow_nan=False).map(lambda v: round(v, 2))


def by_day(values) -> pd.Series:
    index = pd.date_range("2026-10-01", periods=len(values), freq="D", tz="Asia/Tokyo")
    return pd.Series(np.asarray(values, dtype="float64"), index=index)


@given(st.floats(-5, 5), numbers, st.integers(4, 30))
def test_a_straight_line_has_its_own_slope(slope, start, n) -> None:
    found = el.baseline.trend(by_day(start + slope * np.arange(n)))
    assert found.slope == pytest.approx(slope, abs=1e-6)
    assert found.n == n


def test_a_trend_is_per_day_whatever_the_step() -> None:
    weekly = by_day(np.arange(50.0)).iloc[::7]
    assert el.baseline.trend(weekly).slope == pytest.approx(1)


def test_a_trend_of_too_many_values_says_to_summarise_first() -> None:
    with pytest.raises(el.ConfigurationError, match="per week"):
        el.baseline.trend(by_day(np.zeros(5001)))


def test_two_values_have_no_trend() -> None:
    found = el.baseline.trend(by_day([1, 2]))
    assert np.isnan(found.slope)
    assert found.reason


def test_a_short_series_without_a_slope_gives_both_reasons() -> None:
    found = el.baseline.trend(by_day([2, 2, 2, 2]))
    assert found.slope == 0
    assert "fewer than 14 days" in found.reason
    assert "does not vary" in found.reason


def test_independent_days_have_the_slope_and_tau_of_scipy() -> None:
    values = np.random.default_rng(1).normal(size=20)
    found = el.baseline.trend(by_day(values))
    assert 0 < found.phi < 0.3  # as if seven days of a usual wearer stood beside
    assert 12 < found.n_effective < 20
    weeks = pd.date_range("2026-01-05", periods=20, freq="7D")  # no weekends to level
    found = el.baseline.trend(pd.Series(values, index=weeks))
    other = stats.theilslopes(values, np.arange(20))
    assert found.slope * 7 == pytest.approx(other.slope)
    assert found.tau == pytest.approx(stats.kendalltau(np.arange(20), values).statistic)
    exact = stats.kendalltau(np.arange(20), values, method="exact").pvalue
    assert found.p >= exact * (1 - 1e-9)
    tied = values.round()
    tau = el.baseline.trend(pd.Series(tied, index=weeks)).tau
    assert tau == pytest.approx(stats.kendalltau(np.arange(20), tied).statistic)


def test_weekends_are_no_trend() -> None:
    monday = pd.date_range("2026-10-19", periods=14, freq="D")
    values = np.random.default_rng(3).normal(size=14) * 0.1 + 3 * (monday.day_of_week >= 5)
    found = el.baseline.trend(pd.Series(values, index=monday))
    assert found.low < 0 < found.high
    assert abs(found.slope) < 0.02


def test_p_and_the_interval_of_a_slope_never_contradict_each_other() -> None:
    generator = np.random.default_rng(6)
    said, phis = [], []
    for _ in range(200):
        found = el.baseline.trend(by_day(generator.normal(size=20).cumsum() * 0.5))
        said.append(found.p < 0.05)
        phis.append(found.phi)
        assert said[-1] == (found.low > 0 or found.high < 0)
    assert {True, False} == set(said)
    assert max(phis) > 0.5


def test_a_line_asks_for_fourteen_days() -> None:
    values = np.random.default_rng(7).normal(size=14)
    for n in (13, 14):
        found = el.baseline.trend(by_day(values[:n]))
        assert np.isfinite([found.slope, found.tau]).all()
        enough = [np.isfinite(getattr(found, name)) for name in ("low", "high", "p", "phi")]
        assert set(enough) == {n == 14}
        assert bool(found.reason) == (n < 14)


def test_the_hours_of_a_day_count_as_one_day_of_the_trend() -> None:
    index = pd.date_range("2026-10-01", periods=480, freq="h", tz="Asia/Tokyo")
    hours = pd.Series(np.random.default_rng(8).normal(size=480).cumsum(), index=index)
    days = hours.groupby(index.date).mean()
    days.index = pd.DatetimeIndex(days.index, name="day")
    found, daily = el.baseline.trend(hours), el.baseline.trend(days)
    assert found[:7] == pytest.approx(daily[:7])
    assert (found.n, daily.n) == (480, 20)


@pytest.mark.slow("a level is a frequency: it needs many seeds")
@pytest.mark.parametrize(("phi", "most"), [(0.0, 0.065), (0.3, 0.095), (0.5, 0.11)])
def test_four_weeks_without_a_trend_seldom_show_one(phi, most) -> None:
    noise = np.random.default_rng(12).normal(size=(300, 100))
    series = scipy.signal.lfilter([1.0], [1.0, -phi], noise, axis=1)[:, -28:]
    assert np.mean([el.baseline.trend(by_day(values)).p < 0.05 for values in series]) < most
