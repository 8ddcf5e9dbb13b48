"""The weekly summary: ISO weeks, the days that count, and the same numbers as the days."""

import warnings

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.logs import LOGS

SUMS = [
    "n",
    "recorded_h",
    "worn_h",
    "valid_h",
    "walking_h",
    "steps",
    "pace_exposure_min",
    "blink_n",
]
EVERY_DAY = el.Limits(min_day="0h")


@pytest.fixture(scope="module", params=LOGS)
def frame(request) -> pd.DataFrame:
    return el.simulate("2026-12-24", 16, log=request.param, seed=1, tz="Asia/Tokyo")


def test_a_week_has_the_iso_number_with_its_own_year(frame) -> None:
    weeks = el.weekly(frame)
    assert weeks["iso_week"].tolist() == ["2026-W52", "2026-W53", "2027-W01"]
    assert [f"{week:%a %Y-%m-%d %H:%M}" for week in weeks.index] == [
        "Mon 2026-12-21 00:00",
        "Mon 2026-12-28 00:00",
        "Mon 2027-01-04 00:00",
    ]
    assert weeks["days"].tolist() == [4, 7, 5]


def test_the_sums_of_the_weeks_are_those_of_the_days(frame) -> None:
    weeks, days = el.weekly(frame, limits=EVERY_DAY), el.daily(frame)
    monday = days.index - pd.to_timedelta(days.index.day_of_week, unit="D")
    by_week = days.groupby(monday)[SUMS].sum()
    np.testing.assert_allclose(weeks[SUMS].to_numpy(float), by_week.to_numpy(float), rtol=1e-12)
    usual = days.groupby(monday)[["worn_h", "steps"]].mean()
    np.testing.assert_allclose(weeks["worn_h_per_day"], usual["worn_h"])
    np.testing.assert_allclose(weeks["steps_per_day"], usual["steps"])
    np.testing.assert_allclose(weeks["coverage"], weeks["recorded_h"] / 168.0)


def test_a_rate_of_a_week_is_made_from_sums_and_not_from_rates_of_days(frame) -> None:
    weeks, by_week = el.weekly(frame, limits=EVERY_DAY), el.blinks.rate(frame, by="week")
    assert by_week.index.equals(weeks.index)
    np.testing.assert_allclose(weeks["blink_rate_per_min"], by_week["rate_per_min"])
    pace = el.gait.pace(frame, by="week")
    np.testing.assert_allclose(weeks["pace_spm"], pace["pace_spm"])


def test_days_that_were_worn_too_little_do_not_count_and_are_named(frame) -> None:
    days = el.daily(frame)
    enough = days["worn_h"] >= 11
    assert 0 < enough.sum() < len(days)
    weeks = el.weekly(frame, limits=el.Limits(min_day="11h"))
    assert weeks["days"].sum() == len(days)
    assert weeks["days_counted"].sum() == enough.sum()
    assert weeks["steps"].sum() == days.loc[enough, "steps"].sum()
    assert weeks["n"].sum() == days.loc[enough, "n"].sum()
    left_out = weeks.attrs["eyelog"]["history"][-1]["days_left_out"]
    assert left_out == [f"{day:%Y-%m-%d}" for day in days.index[~enough]]


def test_a_day_under_four_hours_of_wear_counts_only_where_it_is_asked_for() -> None:
    frame = el.simulate("2026-10-19", 3, log="standard_mode_logs", tz="Asia/Tokyo")
    opens = pd.Timestamp("2026-10-20 06:00", tz="Asia/Tokyo")
    frame = frame[(frame.index < opens) | (frame.index > opens + pd.Timedelta("16h"))]
    worn = el.daily(frame)["worn_h"]
    assert (worn >= 4).tolist() == [True, False, True]
    usual, every = el.weekly(frame), el.weekly(frame, limits=EVERY_DAY)
    assert (usual["days"].item(), usual["days_counted"].item()) == (3, 2)
    assert usual["worn_h"].item() == pytest.approx(worn.iloc[[0, 2]].sum())
    assert (every["days"].item(), every["days_counted"].item()) == (3, 3)
    assert every["worn_h"].item() == pytest.approx(worn.sum())


def test_a_week_with_too_few_days_keeps_its_days_and_loses_its_values(frame) -> None:
    weeks = el.weekly(frame, min_days=5, limits=EVERY_DAY)
    short = weeks["days_counted"] < 5
    assert short.tolist() == [True, False, False]
    assert weeks.loc[short, ["steps", "steps_per_day", "blink_rate_per_min"]].isna().all(axis=None)
    assert weeks.loc[short, ["worn_h", "worn_h_per_day", "coverage"]].notna().all(axis=None)
    assert weeks.loc[~short, ["steps", "blink_rate_per_min"]].notna().all(axis=None)


def test_a_week_in_which_the_clocks_change_is_an_hour_longer() -> None:
    frame = el.simulate("2026-10-19", 7, log="standard_mode_logs", tz="Europe/Berlin")
    weeks = el.weekly(frame)
    assert weeks["coverage"].tolist() == pytest.approx((weeks["recorded_h"] / 169.0).tolist())


def test_the_record_of_the_first_midnight_makes_no_week_of_its_own() -> None:
    frame = el.simulate("2026-10-18", 3, log="standard_mode_logs", tz="Asia/Tokyo")
    frame = frame.loc["2026-10-19":]  # as a fetch selects: the stamp 00:00 belongs to Sunday
    assert el.weekly(frame)["iso_week"].tolist() == ["2026-W43"]
    frame = frame.loc["2026-10-20":]
    assert el.weekly(frame)["n"].tolist() == [el.daily(frame)["n"].sum()]


def test_a_column_of_weeks_knows_its_exposure_and_that_its_dates_open_weeks(frame) -> None:
    weeks = el.weekly(frame)
    trend = el.baseline.trend(weeks, "steps_per_day")
    assert trend.span_days == 14
    assert trend.coverage == pytest.approx(weeks["coverage"].mean())
    typical = el.baseline.typical_value(weeks, "steps_per_day")
    assert typical.exposure_h == pytest.approx(weeks["worn_h"].sum())


def test_wear_without_its_evidence_cannot_choose_days(frame) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bare = frame[[name for name in frame if name in ("hm_yo", "hm_po")]]
        with pytest.raises(el.ConfigurationError, match="min_day"):
            el.weekly(bare, limits=el.Limits(min_day="8h"))
