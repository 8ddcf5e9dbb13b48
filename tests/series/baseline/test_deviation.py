"""A person against themselves."""

from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

import eyelog as el
from eyelog.clock import day_start


def by_day(values) -> pd.Series:
    index = pd.date_range("2026-10-01", periods=len(values), freq="D", tz="Asia/Tokyo")
    return pd.Series(np.asarray(values, dtype="float64"), index=index)


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
    index = pd.DatetimeIndex(
        [
            day_start(d.date(), ZoneInfo("Asia/Beirut"))
            for d in pd.date_range("2026-03-20", "2026-04-08")
        ]
    )
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
