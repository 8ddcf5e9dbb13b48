"""The average day by hour and weekday."""

import numpy as np
import pandas as pd

import eyelog as el


def hourly(values, *, start: str = "2026-10-19", tz: str = "UTC") -> pd.Series:
    index = pd.date_range(start, periods=len(values), freq="h", tz=tz)
    return pd.Series(np.asarray(values, dtype="float64"), index=index)


def test_local_hours_are_those_of_the_series_own_zone() -> None:
    series = hourly([float(8 <= (h + 9) % 24 < 18) for h in range(72)])
    assert el.rhythm.most_active(series.tz_convert("Asia/Tokyo")).start == 8.0


def test_a_profile_shows_how_many_days_each_hour_is_based_on() -> None:
    table = el.rhythm.profile(hourly(range(30)), by="hour")
    assert table.loc[3, ["mean", "n", "days"]].tolist() == [15.0, 2, 2]
    assert table.loc[20, "days"] == 1


def test_weekdays_of_a_daily_table_are_exposed_as_long_as_they_were_worn() -> None:
    frame = el.simulate("2026-10-19", 8, log="standard_mode_logs", seed=5, tz="Asia/Tokyo")
    days = el.daily(frame)
    table = el.rhythm.profile(days, "steps", by="weekday")
    expected = days["worn_h"].groupby(days.index.day_of_week).sum()
    np.testing.assert_allclose(table["exposure_h"], expected)


def test_an_hour_that_stands_out_on_every_day_has_a_p_for_all_hours_looked_at() -> None:
    table = el.rhythm.profile(hourly([float(h % 24 == 9) for h in range(240)]))
    # None of the 999 shifts of ten days puts all of them on one hour: (1 + 0) / 1000, for 24 hours.
    expected = [0.024 if hour == 9 else 1.0 for hour in range(24)]
    np.testing.assert_allclose(table["p"], expected)
