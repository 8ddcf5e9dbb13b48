"""New levels: found where they were planted, seldom in noise of days that are alike."""

import numpy as np
import pandas as pd
import pytest
import scipy.signal

import eyelog as el


def by_day(values, start="2026-03-02") -> pd.Series:
    days = pd.date_range(start, periods=len(values), name="day")
    return pd.Series(np.asarray(values, dtype="float64"), index=days)


def noise(seed, n, phi=0.3):
    """Return days with a standard deviation of 1 and an autocorrelation of phi."""
    drawn = np.random.default_rng(seed).normal(0, np.sqrt(1 - phi**2), n + 100)
    return scipy.signal.lfilter([1.0], [1.0, -phi], drawn)[100:]


def test_a_step_has_its_day_levels_and_an_interval_that_holds_it() -> None:
    values = noise(1, 56)
    values[28:] += 4
    found = el.baseline.new_levels(by_day(values))
    assert found.index.tolist() == [pd.Timestamp("2026-03-30")]
    row = found.iloc[0]
    assert row["before"] == pytest.approx(0, abs=0.6)
    assert row["after"] - row["before"] == pytest.approx(row["difference"])
    assert 0 < row["low"] < 4 < row["high"]
    assert row["p"] < 0.01


def test_a_holiday_is_two_new_levels_up_and_back() -> None:
    values = noise(2, 90)
    values[30:60] += 3
    found = el.baseline.new_levels(by_day(values))
    assert len(found) == 2
    assert found.index[0] == pytest.approx(pd.Timestamp("2026-04-01"), abs=pd.Timedelta("2D"))
    assert found.index[1] == pytest.approx(pd.Timestamp("2026-05-01"), abs=pd.Timedelta("2D"))
    assert found["difference"].iloc[0] == pytest.approx(3, abs=1)
    assert found["difference"].iloc[1] == pytest.approx(-3, abs=1)


def test_several_levels_are_found_one_after_the_other() -> None:
    values = noise(3, 120) + np.repeat([0.0, 5, 3], 40)
    found = el.baseline.new_levels(by_day(values))
    places = (found.index - pd.Timestamp("2026-03-02")).days
    assert places.tolist() == pytest.approx([40, 80], abs=2)


def test_p_of_a_single_step_agrees_with_its_interval() -> None:
    low, p = [], []
    for seed in range(60):
        values = noise(seed, 40)
        values[20:] += 2
        found = el.baseline.new_levels(by_day(values))
        if len(found) == 1:
            p.append(found["p"].iloc[0])
            low.append(found["low"].iloc[0])
    assert len(p) > 20
    assert max(p) < 0.05
    assert min(low) > 0


def test_weekends_are_no_new_levels() -> None:
    values = noise(4, 56) + np.tile([0, 0, 0, 0, 0, 6.0, 6], 8)
    assert el.baseline.new_levels(by_day(values)).empty
    values[28:] += 5
    assert len(el.baseline.new_levels(by_day(values))) == 1


def test_missing_days_keep_the_dates_right() -> None:
    values = noise(5, 60)
    values[30:] += 5
    holed = by_day(values)
    holed.iloc[[3, 4, 29, 41]] = np.nan
    found = el.baseline.new_levels(holed)
    assert found.index.tolist() == [holed.index[30]]
    pd.testing.assert_frame_equal(el.baseline.new_levels(holed.dropna()), found)


def test_few_days_have_no_new_level_and_say_so() -> None:
    found = el.baseline.new_levels(by_day([1, 1, 1, 1, 9, 9, 9, 9, 9]))
    assert found.empty
    assert found.index.name == "day"
    assert "fewer than 10 days" in found.attrs["reason"]
    assert el.baseline.new_levels(by_day(np.ones(30))).empty
    with pytest.raises(el.ConfigurationError, match="per week"):
        el.baseline.new_levels(by_day(np.zeros(5001)))


def test_a_table_and_a_column_are_taken_and_the_unit_scales() -> None:
    values = noise(6, 40)
    values[20:] += 4
    table = by_day(values).to_frame("steps")
    one = el.baseline.new_levels(table, "steps")
    ten = el.baseline.new_levels(table * 10 + 3, "steps")
    assert len(one) == 1
    assert ten["difference"].tolist() == pytest.approx((one["difference"] * 10).tolist())
    assert ten["p"].tolist() == pytest.approx(one["p"].tolist())


@pytest.mark.slow("a level is a frequency: it needs many seeds")
@pytest.mark.parametrize(
    ("n", "phi", "most"), [(28, 0.0, 0.055), (28, 0.5, 0.12), (56, 0.0, 0.055), (56, 0.5, 0.11)]
)
def test_days_without_a_new_level_seldom_have_one(n, phi, most) -> None:
    named = [len(el.baseline.new_levels(by_day(noise(seed, n, phi)))) > 0 for seed in range(150)]
    assert np.mean(named) < most


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
