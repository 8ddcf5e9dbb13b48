"""The usual day and week: medians, quartiles, days, and what was not observed."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

import eyelog as el
from eyelog.figures.style import COLOURS, sequential
from support.drawn import artists, heights, legend_of, one, points, title_of, xy


def hourly(first: str, hours: int) -> pd.Series:
    index = pd.date_range(first, periods=hours, freq="h", tz="UTC")
    return pd.Series(np.arange(float(hours)), index=index, name="stp")


def test_a_profile_breaks_where_an_hour_was_not_observed() -> None:
    ax = el.plot_profile(el.rhythm.profile(hourly("2026-10-19 08:00", 10), stamp="start"))
    x, y = xy(ax, "median")
    seen = [(hour, value) for hour, value in zip(x, y, strict=True) if np.isfinite(value)]
    assert seen == [(hour + 8.5, float(hour)) for hour in range(10)]


def test_a_profile_of_whole_days_goes_on_over_midnight() -> None:
    x, y = xy(el.plot_profile(el.rhythm.profile(hourly("2026-10-19", 48), stamp="start")), "median")
    assert x == [hour + 0.5 for hour in range(-1, 25)]
    assert np.isfinite(y).all()
    assert y[0] == y[24]  # 23:00, before the day and at its end
    assert y[1] == y[25]


def test_an_hour_between_two_unobserved_ones_is_still_shown() -> None:
    one_hour = hourly("2026-10-19 08:00", 1)
    assert xy(el.plot_profile(el.rhythm.profile(one_hour, stamp="start")), "lone hours") == (
        [8.5],
        [0.0],
    )


def test_the_days_behind_each_hour_are_shown_beneath() -> None:
    ax = el.plot_profile(el.rhythm.profile(hourly("2026-10-19 12:00", 24), stamp="start"))
    (below,) = ax.child_axes
    assert heights(below, "days") == [1.0] * 24
    ax = el.plot_profile(el.rhythm.profile(hourly("2026-10-19 12:00", 36), stamp="start"))
    assert heights(ax.child_axes[0], "days") == [1.0] * 12 + [2.0] * 12


def test_weekdays_are_points_between_their_quartiles() -> None:
    ax = el.plot_profile(el.rhythm.profile(hourly("2026-10-19", 72), stamp="start", by="weekday"))
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
    table = el.rhythm.profile(values, stamp="start", interval="1min")
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
    few = el.plot_profile(el.rhythm.profile(values[:3], stamp="start", interval="1min"))
    assert legend_of(few) == ["median of the days", "3 days observed"]


def test_weekdays_of_four_weeks_have_bars_between_the_quartiles_of_the_days() -> None:
    ax = el.plot_profile(
        el.rhythm.profile(hourly("2026-10-05", 28 * 24), stamp="start", by="weekday")
    )
    segments = one(ax, "quartiles").get_segments()
    assert segments[0][:, 1].tolist() == [
        137.5,
        389.5,
    ]  # of 11.5 + 0, 168, 336, 504


def test_hours_of_the_week_are_a_map_with_the_days_behind_each_row() -> None:
    ax = el.plot_profile(
        el.rhythm.profile(hourly("2026-10-19", 72), stamp="start", by="weekday_hour")
    )
    cells = ax.images[0].get_array()
    assert cells.shape == (7, 24)
    assert cells[1, 3] == 27
    assert cells.mask[3:].all()
    assert not cells.mask[:3].any()
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels[0] == "Mon  n = 1"
    assert labels[6] == "Sun  n = 0"


def test_labels_and_title_come_from_what_the_profile_is_of() -> None:
    bins = el.resample(el.simulate("2026-10-19", 2, tz="Asia/Tokyo"), "10min")
    ax = el.plot_profile(el.rhythm.profile(bins["hm_yo"]))
    assert ax.get_ylabel() == "Head turns (yaw) per 10 min"
    assert title_of(ax) == "15-second log · 19 to 20 Oct 2026"
    assert ax.child_axes[0].get_xlabel() == "Time of day (Asia/Tokyo)"


def test_another_table_is_refused() -> None:
    days = el.rhythm.profile(hourly("2026-10-19", 48), stamp="start").rename_axis("minute")
    with pytest.raises(el.ConfigurationError, match="indexed by minute"):
        el.plot_profile(days)


def test_hours_without_a_usable_value_are_grey_and_not_hatched() -> None:
    frame = el.sample("standard_mode_logs")
    turns = el.mask(frame, el.flag(frame))["hm_yo"]
    ax = el.plot_profile(el.rhythm.profile(turns, by="weekday_hour"))
    assert ax.patch.get_hatch() is None
    assert to_hex(ax.patch.get_facecolor()).upper() == COLOURS["masked"]
    assert legend_of(ax) == ["no usable value"]
    assert ax.images[0].get_cmap()(1.0) == sequential("head")(1.0)
