"""The usual day and week: medians, quartiles, days, and what was not observed."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.drawn import artists, legend_of, one, points, xy


def hourly(first: str, hours: int) -> pd.Series:
    index = pd.date_range(first, periods=hours, freq="h", tz="UTC")
    return pd.Series(np.arange(float(hours)), index=index, name="stp")


def test_a_profile_breaks_where_an_hour_was_not_observed() -> None:
    ax = el.plot_profile(el.rhythm.profile(hourly("2026-10-19 08:00", 10)))
    x, y = xy(ax, "median")
    seen = [(hour, value) for hour, value in zip(x, y, strict=True) if np.isfinite(value)]
    assert seen == [(hour + 8.5, float(hour)) for hour in range(10)]


def test_weekdays_are_points_between_their_quartiles() -> None:
    ax = el.plot_profile(el.rhythm.profile(hourly("2026-10-19", 72), by="weekday"))
    drawn = [place for place in points(ax, "median") if np.isfinite(place[1])]
    assert drawn == [[0, 11.5], [1, 35.5], [2, 59.5]]
    assert one(ax, "quartiles").get_segments() == []  # one day of each weekday has no middle half
    (below,) = ax.child_axes
    assert [label.get_text() for label in below.get_xticklabels()][:2] == ["Mon", "Tue"]
    assert len(artists(ax, "weekend")) == 1
    assert "weekend" in legend_of(ax)


def test_the_band_holds_the_middle_half_of_the_days_however_long_each_was_observed() -> None:
    # At 08:00 to 09:00 five days have means of 1 to 5; the last has a value each minute.
    day = [pd.Timestamp(f"2026-10-{19 + i} 08:00", tz="UTC") for i in range(4)]
    many = pd.date_range("2026-10-23 08:00", periods=60, freq="min", tz="UTC")
    values = pd.Series([1.0, 2.0, 3.0, 4.0, *[5.0] * 60], index=[*day, *many], name="tl_yav")
    table = el.rhythm.profile(values, interval="1min")
    assert table.loc[8, ["median", "days_median"]].tolist() == [5.0, 3.0]
    assert table.loc[8, ["days_q25", "days_q75"]].tolist() == [2.0, 4.0]
    ax = el.plot_profile(table)
    (segment,) = one(ax, "lone ranges").get_segments()
    assert segment.tolist() == [[8.5, 2.0], [8.5, 4.0]]
    assert legend_of(ax) == [
        "median of the days",
        "middle half of the days",
        "5 days observed",
    ]
    few = el.plot_profile(el.rhythm.profile(values[:3], interval="1min"))
    assert legend_of(few) == ["median of the days", "3 days observed"]


def test_a_frame_and_a_column_are_drawn_as_their_profile() -> None:
    frame = el.sample("standard_mode_logs")
    direct = el.plot_profile(frame, "tl_yav", by="weekday")
    assert points(direct, "median") == points(
        el.plot_profile(el.rhythm.profile(frame, "tl_yav", by="weekday")), "median"
    )
    with pytest.raises(el.ConfigurationError, match=r"profile\(frame, 'tl_yav'\)"):
        el.plot_profile(frame["tl_yav"])


def test_another_table_is_refused() -> None:
    days = el.rhythm.profile(hourly("2026-10-19", 48)).rename_axis("minute")
    with pytest.raises(el.ConfigurationError, match="indexed by minute"):
        el.plot_profile(days)
