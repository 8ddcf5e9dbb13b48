"""Slopes over days and changes of level."""

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


def test_a_new_level_begins_where_it_was_planted() -> None:
    values = np.r_[np.full(20, 5.0), np.full(15, 9.0), np.full(20, 4.0)]
    series = by_day(values + np.random.default_rng(2).normal(0, 0.5, 55))
    found = el.baseline.change_points(series, penalty=5)
    assert found == [series.index[20], series.index[35]]
    assert el.baseline.change_points(by_day(np.ones(30)), penalty=5) == []


def test_missing_days_do_not_make_a_new_level() -> None:
    series = by_day(np.r_[np.full(10, 5.0), np.full(5, np.nan), np.full(10, 5.0)])
    assert el.baseline.change_points(series, penalty=5) == []


def test_thousands_of_days_have_their_planted_levels_and_a_large_zero_changes_nothing() -> None:
    levels = np.repeat([5.0, 9.0, 4.0, 6.0], 1000)
    series = by_day(levels + np.random.default_rng(3).normal(0, 0.5, 4000))
    found = el.baseline.change_points(series, penalty=20)
    assert found == [series.index[at] for at in (1000, 2000, 3000)]
    assert el.baseline.change_points(series + 1e7, penalty=20) == found


def test_no_level_lasts_a_single_day() -> None:
    series = by_day([0, 0, 0, 50, 0, 0, 0])
    ends = [*el.baseline.change_points(series, penalty=1.0), series.index[-1] + series.index.freq]
    assert (np.diff([series.index[0], *ends]) >= np.timedelta64(2, "D")).all()
    assert len(ends) > 1


def test_an_endless_penalty_leaves_one_level() -> None:
    assert el.baseline.change_points(by_day([1, 1, 9, 9]), penalty=np.inf) == []


def test_a_short_series_without_a_slope_gives_both_reasons() -> None:
    found = el.baseline.trend(by_day([2, 2, 2, 2]))
    assert found.slope == 0
    assert "fewer than 14 days" in found.reason
    assert "does not vary" in found.reason


def test_independent_days_have_the_slope_and_tau_of_scipy() -> None:
    values = np.random.default_rng(1).normal(size=20)
    found = el.baseline.trend(by_day(values))
    assert found.phi == 0
    assert found.n_effective == 20
    other = stats.theilslopes(values, np.arange(20))
    assert found.slope == pytest.approx(other.slope)
    assert found.tau == pytest.approx(stats.kendalltau(np.arange(20), values).statistic)
    exact = stats.kendalltau(np.arange(20), values, method="exact").pvalue
    assert found.p == pytest.approx(exact)
    tied = values.round()
    tau = el.baseline.trend(by_day(tied)).tau
    assert tau == pytest.approx(stats.kendalltau(np.arange(20), tied).statistic)


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
    index = pd.date_range("2026-10-01 01:00", periods=480, freq="h", tz="Asia/Tokyo")
    hours = pd.Series(np.random.default_rng(8).normal(size=480).cumsum(), index=index)
    days = hours.groupby((index - pd.Timedelta("1us")).date).mean()
    days.index = pd.DatetimeIndex(days.index, name="day")
    found, daily = el.baseline.trend(hours), el.baseline.trend(days)
    assert found[:7] == pytest.approx(daily[:7])
    assert (found.n, daily.n) == (480, 20)


@pytest.mark.slow
@pytest.mark.parametrize(("phi", "most"), [(0.0, 0.065), (0.3, 0.095), (0.5, 0.11)])
def test_four_weeks_without_a_trend_seldom_show_one(phi, most) -> None:
    noise = np.random.default_rng(12).normal(size=(800, 100))
    series = scipy.signal.lfilter([1.0], [1.0, -phi], noise, axis=1)[:, -28:]
    assert np.mean([el.baseline.trend(by_day(values)).p < 0.05 for values in series]) < most
