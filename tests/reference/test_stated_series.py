"""Numbers of series and of daily tables that follow from the definitions alone."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from reference.rows import EYES, MINUTES
from support.frames import frame_of


def by_day(values: object, start: str = "2026-10-19", tz: str = "Asia/Tokyo") -> pd.Series:
    values = np.asarray(values, dtype=float)
    index = pd.date_range(start, periods=len(values), freq="D", tz=tz)
    return pd.Series(values, index=index)


# Intervals that a few values cannot give


@pytest.mark.parametrize("n", [3, 13])
def test_a_trend_of_fewer_than_fourteen_days_has_no_interval_and_says_why(n: int) -> None:
    found = el.baseline.trend(by_day(np.arange(n) * 2.0))
    assert found.slope == 2.0
    assert np.isnan(found.low)
    assert np.isnan(found.high)
    assert found.reason


def test_a_trend_of_fourteen_days_has_an_interval() -> None:
    found = el.baseline.trend(by_day([1, 3, 2, 5, 4, 7, 5, 8, 6, 9, 9, 12, 10, 13]))
    assert found.low <= found.slope <= found.high


# The person's own days


@pytest.mark.parametrize("start", ["2026-09-20", "2026-03-01"])
def test_four_weeks_before_a_day_are_28_days_over_a_change_of_the_clocks(start: str) -> None:
    series = by_day(np.random.default_rng(1).normal(0, 1, 60), start, "Europe/Berlin")
    found = el.baseline.personal(series, window="28D")
    assert found["n"].tolist() == [min(i, 28) for i in range(60)]
    values = series.to_numpy()
    expected = [np.median(values[max(0, i - 28) : i]) for i in range(7, 60)]
    np.testing.assert_allclose(found["baseline"].iloc[7:], expected)


# Left and right


# What statistics of a daily table rest on


@pytest.fixture(scope="module")
def days() -> pd.DataFrame:
    return el.daily(el.simulate("2026-10-19", 12, log=MINUTES, seed=5, tz="Europe/Berlin"))


def test_two_periods_of_days_rest_on_the_hours_worn(days: pd.DataFrame) -> None:
    found = el.compare.two_periods(days[:6], days[6:], column="steps")
    assert found.exposure_h == pytest.approx(days["worn_h"].sum())
    assert found.coverage == pytest.approx(days["coverage"].mean())


def test_a_trend_of_days_is_covered_as_the_days_are(days: pd.DataFrame) -> None:
    assert el.baseline.trend(days, "steps").coverage == pytest.approx(days["coverage"].mean())


def test_a_fit_to_days_rests_on_the_hours_worn(days: pd.DataFrame) -> None:
    found = el.rhythm.cosinor(days, "steps", period="7D")
    assert found.exposure_h == pytest.approx(days["worn_h"].sum())
    assert found.coverage == pytest.approx(days["coverage"].mean())


# What is read off bins


@pytest.fixture(scope="module")
def walk_at_nine() -> pd.DataFrame:
    """Return four days of minutes whose head moves ten times as much from 09:00 to 10:00."""
    n = 4 * 1440
    minute = np.arange(n) % 1440
    moves = np.where((minute >= 540) & (minute < 600), 50, 5)
    frame = frame_of(MINUTES, {"hm_yo": list(moves)}, start="2026-10-20T00:00:00Z")
    return el.resample(frame, "1h")


def test_the_usual_day_of_bins_peaks_in_the_hour_that_was_walked(
    walk_at_nine: pd.DataFrame,
) -> None:
    table = el.rhythm.profile(walk_at_nine["hm_yo"])
    assert table["mean"].idxmax() == 9
    assert table.loc[9, "mean"] == 3000
    assert sorted(table.index) == list(range(24))


def test_the_most_active_hour_of_bins_opens_when_the_walk_began(walk_at_nine: pd.DataFrame) -> None:
    found = el.rhythm.most_active(walk_at_nine["hm_yo"], hours=1)
    assert (found.mean, found.start) == (3000, 9.0)


def test_a_cosinor_of_bins_peaks_in_the_middle_of_the_walk(walk_at_nine: pd.DataFrame) -> None:
    assert el.rhythm.cosinor(walk_at_nine["hm_yo"]).peak_h == pytest.approx(9.5)


def test_a_mean_standardised_to_one_hour_is_that_of_the_hour(walk_at_nine: pd.DataFrame) -> None:
    found = el.compare.standardised_mean(
        walk_at_nine["hm_yo"], possible=(0, 15_300), reference={9: 1}
    )
    assert found.standardised == 3000


def test_the_stamps_of_a_bare_series_open_its_rows(walk_at_nine: pd.DataFrame) -> None:
    hours = pd.date_range("2026-10-20", periods=96, freq="h", tz=walk_at_nine.index.tz)
    bare = pd.Series(walk_at_nine["hm_yo"].to_numpy(), index=hours)
    assert el.rhythm.profile(bare)["mean"].idxmax() == 9
    assert el.rhythm.most_active(bare, hours=1).start == 9.0
    assert el.rhythm.cosinor(bare).peak_h == pytest.approx(9.5)


# Bouts


def test_a_bout_cut_off_by_a_gap_is_at_risk_and_has_not_ended() -> None:
    states = [0, 1, 1, 1, 0, 1, 1, None, 0, 1, 0, 0, 1, 1, 0]
    index = pd.date_range("2026-10-19", periods=len(states), freq="min", tz="UTC")
    found = el.rhythm.fragmentation(pd.Series(states, index=index, dtype="boolean"))
    # Lengths 3, 1, 2 ended; one of 2 was cut off.
    assert found.censored == 1
    assert found.mean_bout == 2
    assert found.hazard == pytest.approx((1 / 4 + 1 / 3 + 1) / 3)
    assert found.alpha == pytest.approx(1 + 3 / np.log(np.array([3, 1, 2]) / 0.5).sum())
    ended = np.array([1, 2, 3])
    pairs = np.abs(ended[:, None] - ended).sum() / (2 * 3 * 2 * ended.mean())
    assert found.gini == pytest.approx(pairs)


def test_a_gap_in_the_stamps_cuts_a_bout_off_like_a_missing_value() -> None:
    index = pd.date_range("2026-10-19", periods=9, freq="min", tz="UTC")
    states = pd.Series([0, 1, 1, 0, 0, 1, 0, 1, 0], index=index).astype(bool)
    found = el.rhythm.fragmentation(states.drop(index[3]))
    assert found.censored == 1
    assert found.mean_bout == 1


def test_the_peak_minute_says_whether_all_its_records_were_there() -> None:
    frame = frame_of(EYES, {"stp": [20] * 4 + [30] * 4})
    assert el.gait.peak_cadence(frame, minutes=1)["complete"].tolist() == [1]
    holed = frame.drop(frame.index[5])
    found = el.gait.peak_cadence(holed, minutes=1).iloc[0]
    assert found["peak_spm"] == 90
    assert found["complete"] == 0
    assert el.gait.peak_cadence(holed, minutes=2)["complete"].tolist() == [1]
