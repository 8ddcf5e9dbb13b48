"""What is usual of a wearer: typical values, slopes, new levels, days outside."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import eyelog as el
from support.series import alike, by_day


def test_the_density_peak_is_that_of_a_gaussian_kernel_density() -> None:
    values = np.random.default_rng(3).gamma(4, 10, 3000).round()
    found = el.baseline.typical_value(by_day(values))
    assert (found.shape, found.method) == ("gamma", "peak")
    grid = np.linspace(values.min(), values.max(), 4001)
    other = grid[stats.gaussian_kde(values)(grid).argmax()]
    assert found.value == pytest.approx(other, abs=0.2)


def test_a_symmetric_shape_has_its_median_for_typical() -> None:
    found = el.baseline.typical_value(by_day([-2, -1, 0, 1, 2]))
    assert (found.shape, found.method, found.value) == ("other", "median", 0.0)


def test_a_method_that_is_named_is_taken() -> None:
    values = by_day(range(101))
    for method, value in (("median", 50), ("q90", 90), ("q99", 99)):
        assert el.baseline.typical_value(values, method=method).value == value


def test_a_personal_baseline_knows_nothing_of_today_or_later() -> None:
    steps = by_day([5, 6, 7, 5, 6, 7, 6, 6, 6, 6])
    changed = steps.copy()
    changed.iloc[8:] = 1000.0
    first, other = (el.baseline.personal(s, min_n=3) for s in (steps, changed))
    pd.testing.assert_frame_equal(
        first[["baseline", "spread", "n"]].iloc[:9], other[["baseline", "spread", "n"]].iloc[:9]
    )


def test_a_personal_baseline_waits_for_enough_days() -> None:
    table = el.baseline.personal(by_day(range(10)), window="5D", min_n=4)
    assert table["baseline"].isna().tolist() == [True] * 4 + [False] * 6
    assert table["n"].tolist() == [0, 1, 2, 3, 4, 5, 5, 5, 5, 5]
    assert table["baseline"].iloc[-1] == 6.0
    assert table["coverage"].iloc[-1] == 1.0


def test_a_day_that_was_hardly_worn_is_no_earlier_day_and_is_not_judged() -> None:
    days = pd.date_range("2026-10-01", periods=12, freq="D", name="day")
    table = pd.DataFrame({"steps": [5.0, 6, 7, 5, 6, 7, 6, 5, 60, 6, 7, 6], "worn_h": 10.0}, days)
    table.loc["2026-10-09", "worn_h"] = 3.0  # a Friday
    every, worn = (el.baseline.personal(table, "steps", min_day=least) for least in ("3h", "4h"))
    assert every["n"].tolist() == list(range(12))
    assert worn["n"].tolist() == [*range(9), 8, 9, 10]
    assert every.loc["2026-10-09", "outside"]
    assert pd.isna(worn.loc["2026-10-09", "outside"])


def test_weeks_before_a_day_hold_their_days_though_midnight_was_skipped() -> None:
    # In Beirut the clocks go from 23:59 to 01:00, so that day opens at one o'clock.
    days = pd.date_range("2026-03-20", "2026-04-08")
    index = days.tz_localize("Asia/Beirut", nonexistent="shift_forward")
    series = pd.Series(np.arange(20.0), index=index)
    assert el.baseline.personal(series, window="7D")["n"].tolist() == [min(i, 7) for i in range(20)]


def test_several_values_per_day_reach_back_to_the_same_time_of_day() -> None:
    index = pd.date_range("2026-10-22", "2026-10-28", freq="6h", tz="UTC").tz_localize(None)
    series = pd.Series(np.arange(25.0), index=index.tz_localize("Europe/Berlin"))
    assert el.baseline.personal(series, window="2D")["n"].iloc[8:].tolist() == [8] * 17
    elapsed = el.baseline.personal(series, window="47h")["n"]  # less than two days: elapsed time
    assert elapsed.iloc[8:].tolist() == [7] * 4 + [7, 7, 7, 7, 7] + [7] * 8


def test_what_needs_no_clock_takes_any_series() -> None:
    values = [1.0, 2, 3, 4, 10]
    stamped = by_day(values)
    for index in (
        list("abcde"),
        [0, 0, 1, 1, 2],
        stamped.index[::-1],
        stamped.index.tz_localize(None),
    ):
        series = pd.Series(values, index=index)
        typical = el.baseline.typical_value(series)
        assert typical.value == el.baseline.typical_value(stamped).value
        assert np.isnan(typical.exposure_h)
        assert typical.coverage == 1.0
    half = el.baseline.typical_value(pd.Series([1.0, None, 3, 5, None, None]))
    assert (half.n, half.coverage) == (3, 0.5)


numbers = st.floats(-1e4, 1e4, allow_nan=False).map(lambda v: round(v, 2))


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


def from_monday(values) -> pd.Series:
    return by_day(values, "2026-03-02")


def noise(seed: int, n: int, phi: float = 0.3) -> np.ndarray:
    return alike(seed, 1, n, phi)[0]


def test_a_step_has_its_day_levels_and_an_interval_that_holds_it() -> None:
    values = noise(1, 56)
    values[28:] += 4
    found = el.baseline.new_levels(from_monday(values))
    assert found.index.tolist() == [pd.Timestamp("2026-03-30")]
    row = found.iloc[0]
    assert row["before"] == pytest.approx(0, abs=0.6)
    assert row["after"] - row["before"] == pytest.approx(row["difference"])
    assert 0 < row["low"] < 4 < row["high"]
    assert row["p"] < 0.01


def test_a_holiday_is_two_new_levels_up_and_back() -> None:
    values = noise(2, 90)
    values[30:60] += 3
    found = el.baseline.new_levels(from_monday(values))
    assert len(found) == 2
    assert found.index[0] == pytest.approx(pd.Timestamp("2026-04-01"), abs=pd.Timedelta("2D"))
    assert found.index[1] == pytest.approx(pd.Timestamp("2026-05-01"), abs=pd.Timedelta("2D"))
    assert found["difference"].iloc[0] == pytest.approx(3, abs=1)
    assert found["difference"].iloc[1] == pytest.approx(-3, abs=1)


def test_several_levels_are_found_one_after_the_other() -> None:
    values = noise(3, 120) + np.repeat([0.0, 5, 3], 40)
    found = el.baseline.new_levels(from_monday(values))
    places = (found.index - pd.Timestamp("2026-03-02")).days
    assert places.tolist() == pytest.approx([40, 80], abs=2)


def test_p_of_a_single_step_agrees_with_its_interval() -> None:
    low, p = [], []
    for seed in range(60):
        values = noise(seed, 40)
        values[20:] += 2
        found = el.baseline.new_levels(from_monday(values))
        if len(found) == 1:
            p.append(found["p"].iloc[0])
            low.append(found["low"].iloc[0])
    assert len(p) > 20
    assert max(p) < 0.05
    assert min(low) > 0


def test_weekends_are_no_new_levels() -> None:
    values = noise(4, 56) + np.tile([0, 0, 0, 0, 0, 6.0, 6], 8)
    assert el.baseline.new_levels(from_monday(values)).empty
    values[28:] += 5
    assert len(el.baseline.new_levels(from_monday(values))) == 1


def test_missing_days_keep_the_dates_right() -> None:
    values = noise(5, 60)
    values[30:] += 5
    holed = from_monday(values)
    holed.iloc[[3, 4, 29, 41]] = np.nan
    found = el.baseline.new_levels(holed)
    assert found.index.tolist() == [holed.index[30]]
    pd.testing.assert_frame_equal(el.baseline.new_levels(holed.dropna()), found)


def test_few_days_have_no_new_level_and_say_so() -> None:
    found = el.baseline.new_levels(from_monday([1, 1, 1, 1, 9, 9, 9, 9, 9]))
    assert found.empty
    assert found.index.name == "day"
    assert "fewer than 10 days" in found.attrs["reason"]
    assert el.baseline.new_levels(from_monday(np.ones(30))).empty
    with pytest.raises(el.ConfigurationError, match="per week"):
        el.baseline.new_levels(from_monday(np.zeros(5001)))


def test_a_table_and_a_column_are_taken_and_the_unit_scales() -> None:
    values = noise(6, 40)
    values[20:] += 4
    table = from_monday(values).to_frame("steps")
    one = el.baseline.new_levels(table, "steps")
    ten = el.baseline.new_levels(table * 10 + 3, "steps")
    assert len(one) == 1
    assert ten["difference"].tolist() == pytest.approx((one["difference"] * 10).tolist())
    assert ten["p"].tolist() == pytest.approx(one["p"].tolist())


def test_midnights_with_a_zone_open_their_days() -> None:
    days = pd.date_range("2026-03-02", periods=28, tz="Europe/Berlin")  # the clock changes within
    values = pd.Series(np.repeat([0.0, 9.0], 14) + np.tile([0.0, 1.0], 14), index=days)
    opened = el.baseline.new_levels(values).index
    by_date = el.baseline.new_levels(values.set_axis(days.tz_localize(None).rename("day"))).index
    assert opened.tolist() == by_date.tolist() == [pd.Timestamp("2026-03-16")]


def test_bins_of_days_say_themselves_that_midnights_open_them() -> None:
    frame = el.simulate("2026-03-02", 14, log="standard_mode_logs", seed=1, tz="UTC")
    bins = el.resample(frame, "1D")["tl_yav"]
    shifted = bins + np.where(bins.index >= "2026-03-10", 90.0, 0.0)
    shifted.attrs = bins.attrs
    assert el.baseline.new_levels(shifted).index.tolist() == [pd.Timestamp("2026-03-10")]


def test_records_by_the_thousand_are_refused_with_the_days_to_take() -> None:
    frame = el.simulate("2026-10-19", 6, log="standard_mode_logs", seed=1)
    with pytest.raises(el.ConfigurationError, match=r"personal\(eyelog\.daily\(frame\), 'steps'\)"):
        el.baseline.personal(frame, "hm_yo")
    assert len(el.baseline.personal(el.daily(frame), "steps")) == 6
    assert len(el.baseline.personal(el.resample(frame, "1h"), "hm_yo")) > 6


def test_limits_of_days_and_hours_below_0_are_refused() -> None:
    days = el.daily(el.simulate("2026-10-19", 2, log="standard_mode_logs", seed=1))
    for limits in ("nonsense", el.Limits(min_worn="30s")):
        with pytest.raises(el.ConfigurationError, match="limits judge records"):
            el.compare.mixed_table({"ann": days}, limits=limits)
    for hours in (-1, 25):
        with pytest.raises(el.ConfigurationError, match="0 to 24 hours"):
            el.plot_daily(days, "steps", min_worn_h=hours)
