"""One value per day: bars, points, intervals, thin days, the median and the hours beneath."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.drawn import artists, heights, legend_of, one, points, title_of, xy


def table(days: int = 14, **columns: list[float]) -> pd.DataFrame:
    """Return a daily table from Monday 19 October 2026 on; every day is worn for 10 hours."""
    index = pd.date_range("2026-10-19", periods=days, freq="D", tz="Asia/Tokyo", name="day")
    hours = {"recorded_h": 16.0, "worn_h": 10.0, "valid_h": 7.0}
    return pd.DataFrame({**hours, **columns}, index=index)


def test_what_adds_up_over_a_day_is_a_bar_from_zero() -> None:
    ax = el.plot_daily(table(3, steps=[5000.0, np.nan, 7000.0]), "steps")
    bars = artists(ax, "full days")
    assert [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in bars] == [
        (0, 5000),
        (2, 7000),
    ]
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylabel() == "Steps (per day)"


def test_a_rate_is_a_point_with_its_interval() -> None:
    days = table(
        3,
        blink_rate_per_min=[15.0, 18.0, np.nan],
        blink_rate_low=[14.0, 16.0, np.nan],
        blink_rate_high=[16.0, 20.0, np.nan],
    )
    ax = el.plot_daily(days, "blink_rate_per_min")
    assert points(ax, "full days") == [[0, 15], [1, 18]]
    segments = one(ax, "interval of full days").get_segments()
    assert [segment[:, 1].tolist() for segment in segments] == [[14, 16], [16, 20]]


def test_thin_days_are_hollow_and_the_legend_says_what_that_means() -> None:
    days = table(3, steps=[5000.0, 600.0, 7000.0])
    days.loc[days.index[1], "worn_h"] = 1.0
    ax = el.plot_daily(days, "steps", min_worn_h=3)
    assert heights(ax, "full days") == [5000, 7000]
    assert heights(ax, "thin days") == [600]
    full, thin = (artists(ax, gid)[0].get_facecolor() for gid in ("full days", "thin days"))
    assert thin == (1, 1, 1, 1)  # white, and not see-through
    assert artists(ax, "thin days")[0].get_edgecolor() == full
    assert "under 3 h worn" in legend_of(ax)


def test_the_median_neither_uses_thin_days_nor_runs_through_them() -> None:
    days = table(14, steps=[float(1000 * day) for day in range(1, 15)])
    days.loc[days.index[6], ["worn_h", "steps"]] = [0.5, 900_000.0]
    _, medians = xy(el.plot_daily(days, "steps"), "median")
    assert np.isnan(medians[6])
    assert medians[5] == np.median([3000, 4000, 5000, 6000, 8000, 9000])
    assert medians[0] == np.median([1000, 2000, 3000, 4000])
    assert np.isfinite(np.delete(medians, 6)).all()


def test_a_median_between_two_thin_days_is_still_shown() -> None:
    days = table(14, steps=[1000.0] * 14)
    days.loc[days.index[[5, 7]], "worn_h"] = 0.5
    ax = el.plot_daily(days, "steps")
    assert xy(ax, "lone medians") == ([6], [1000])


def test_fewer_than_four_days_have_no_median() -> None:
    ax = el.plot_daily(table(3, steps=[1.0, 2.0, 3.0]), "steps")
    assert artists(ax, "median") == []
    assert "7-day median" not in legend_of(ax)


def test_the_hours_behind_the_days_have_an_axis_of_their_own() -> None:
    days = table(3, steps=[1.0, 2.0, 3.0]).drop(pd.Timestamp("2026-10-20", tz="Asia/Tokyo"))
    ax = el.plot_daily(days, "steps")
    (below,) = ax.child_axes
    assert heights(below, "recorded_h") == [16, 16]
    assert heights(below, "worn_h") == [10, 10]
    assert heights(below, "valid_h") == [7, 7]
    assert below.get_ylim() == (0, 24)
    shade = one(below, "no record")
    assert (shade.get_x(), shade.get_width()) == (0.5, 1.0)
    assert {"usable", "worn", "recorded", "no record"} <= set(legend_of(ax))


def test_days_without_a_row_keep_their_place_and_weekends_are_shaded() -> None:
    days = table(14, steps=[1000.0] * 14)
    ax = el.plot_daily(days.drop(days.index[3:9]), "steps")
    assert [bar.get_x() + 0.3 for bar in artists(ax, "full days")][3:] == pytest.approx(
        [9, 10, 11, 12, 13]
    )
    assert [(s.get_x(), s.get_width()) for s in artists(ax, "weekend")] == [(4.5, 2), (11.5, 2)]


def test_a_year_is_readable() -> None:
    days = table(365, blink_rate_per_min=(15 + np.sin(np.arange(365.0))).tolist())
    ax = el.plot_daily(days, "blink_rate_per_min")
    ax.figure.canvas.draw()
    (below,) = ax.child_axes
    labels = [label.get_text() for label in below.get_xticklabels() if label.get_text()]
    assert 4 <= len(labels) <= 16
    assert artists(ax, "weekend") == []
    assert len(points(ax, "full days")) == 365


def test_many_days_of_bars_are_one_outline() -> None:
    days = table(100, steps=np.arange(100.0).tolist())
    days.loc[days.index[50], "worn_h"] = 1.0
    ax = el.plot_daily(days, "steps")
    full, thin = (one(ax, kind).get_data().values for kind in ("full days", "thin days"))
    assert np.flatnonzero(np.isnan(full)).tolist() == [50]
    assert np.flatnonzero(np.isfinite(thin)).tolist() == [50]
    assert np.nansum(full) + np.nansum(thin) == days["steps"].sum()


def test_a_table_without_hours_has_its_days_on_its_own_axis() -> None:
    ax = el.plot_daily(table(7, steps=[1.0] * 7)[["steps"]], "steps")
    assert ax.child_axes == []
    ax.figure.canvas.draw()
    assert ax.get_xticklabels()[0].get_text() == "Mon\n19 Oct"


def test_a_column_without_values_says_so() -> None:
    ax = el.plot_daily(table(3, pace_spm=[np.nan] * 3), "pace_spm")
    assert [text.get_text() for text in ax.texts] == ["no usable values"]


def test_the_title_names_log_and_range() -> None:
    days = el.daily(el.simulate("2026-10-19", 2, tz="Asia/Tokyo"))
    assert title_of(el.plot_daily(days, "steps")) == ("15-second log · 19 to 20 Oct 2026")


def test_worn_hours_have_the_colour_that_they_have_in_the_strip_beneath() -> None:
    ax = el.plot_daily(table(3), "worn_h")
    (below,) = ax.child_axes
    strip, bar = artists(below, "worn_h")[0], artists(ax, "full days")[0]
    assert bar.get_facecolor() == strip.get_facecolor()


def test_times_are_not_drawn() -> None:
    days = el.daily(el.sample("standard_mode_logs"))
    with pytest.raises(el.ConfigurationError, match="first_worn"):
        el.plot_daily(days, "first_worn")
