"""A value per day: with the hours behind it, or against the wearer's own earlier days."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.drawn import (
    artists,
    colour_of,
    days_from,
    heights,
    legend_of,
    one,
    points,
    spans,
    title_of,
    xy,
)

INTERVAL = "95 % interval of these minutes"
FIRST = "2026-10-19"


def table(days: int = 14, **columns: list[float]) -> pd.DataFrame:
    """Return a daily table from Monday 19 October 2026 on; every day is worn for 10 hours."""
    index = pd.date_range("2026-10-19", periods=days, freq="D", tz="Asia/Tokyo", name="day")
    hours = {"recorded_h": 16.0, "worn_h": 10.0, "valid_h": 7.0}
    return pd.DataFrame({**hours, **columns}, index=index)


def test_what_adds_up_over_a_day_is_a_bar_from_zero() -> None:
    ax = el.plot_daily(table(3, steps=[5000.0, np.nan, 7000.0]), "steps")
    bars = artists(ax, "day")
    middles = days_from(FIRST, [bar.get_x() + bar.get_width() / 2 for bar in bars])
    assert middles == pytest.approx([0, 2])
    assert heights(ax, "day") == [5000, 7000]
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylabel() == "Steps (per day)"


def test_a_rate_is_a_point_with_its_interval() -> None:
    rate = {"rate_per_min": [15.0, 18.0], "rate_low": [14.0, 16.0], "rate_high": [16.0, 20.0]}
    days = table(3, **{f"blink_{name}": [*of, np.nan] for name, of in rate.items()})
    ax = el.plot_daily(days, "blink_rate_per_min")
    assert points(ax, "day", FIRST) == [[0, 15], [1, 18]]
    segments = one(ax, INTERVAL).get_segments()
    assert [segment[:, 1].tolist() for segment in segments] == [[14, 16], [16, 20]]


def test_thin_days_are_hollow_and_the_median_neither_uses_them_nor_runs_through_them() -> None:
    days = table(14, steps=[float(1000 * day) for day in range(1, 15)])
    days.loc[days.index[6], ["worn_h", "steps"]] = [0.5, 900_000.0]
    ax = el.plot_daily(days, "steps")
    assert heights(ax, "under 4 h worn") == [900_000]
    (thin,) = artists(ax, "under 4 h worn")
    assert thin.get_facecolor() == (1, 1, 1, 1)
    assert thin.get_edgecolor() == artists(ax, "day")[0].get_facecolor()
    _, medians = xy(ax, "7-day median")
    assert np.isnan(medians[6])
    assert medians[5] == np.median([3000, 4000, 5000, 6000, 8000, 9000])
    assert medians[0] == np.median([1000, 2000, 3000, 4000])
    assert np.isfinite(np.delete(medians, 6)).all()
    few = legend_of(el.plot_daily(days[:3], "steps"))
    assert "7-day median" not in few
    assert not [name for name in few if name.startswith("under")]


def test_a_median_between_two_thin_days_is_still_shown() -> None:
    days = table(14, steps=[1000.0] * 14)
    days.loc[days.index[[5, 7]], "worn_h"] = 0.5
    (dash,) = [one for one in el.plot_daily(days, "steps").lines if one.get_marker() == "_"]
    assert days_from(FIRST, dash.get_xdata()).tolist() == [6]
    assert dash.get_ydata().tolist() == [1000]


def test_the_hours_behind_the_days_have_an_axis_and_colours_of_their_own() -> None:
    days = table(3, steps=[1.0, 2.0, 3.0]).drop(pd.Timestamp("2026-10-20", tz="Asia/Tokyo"))
    ax = el.plot_daily(days, "steps")
    (below,) = ax.child_axes
    for name, hours in (("recorded", 16), ("worn", 10), ("usable", 7)):
        assert heights(below, name) == [hours, hours]
    assert below.get_ylim() == (0, 24)
    assert days_from(FIRST, spans(below, "no record")).tolist() == [[0.5, 1.5]]
    assert {"usable", "worn", "recorded", "no record"} <= set(legend_of(ax))
    worn = el.plot_daily(days, "worn_h")
    assert colour_of(worn, "day") == colour_of(worn.child_axes[0], "worn")
    bare = el.plot_daily(days[["steps"]], "steps")
    assert bare.child_axes == []


def test_days_without_a_row_keep_their_place_and_weekends_are_shaded() -> None:
    days = table(14, steps=[1000.0] * 14)
    ax = el.plot_daily(days.drop(days.index[3:9]), "steps")
    places = [bar.get_x() + 0.3 for bar in artists(ax, "day")]
    assert days_from(FIRST, places) == pytest.approx([0, 1, 2, 9, 10, 11, 12, 13])
    assert days_from(FIRST, spans(ax, "weekend")).tolist() == [[4.5, 6.5], [11.5, 13.5]]


def test_a_year_is_readable_and_many_days_of_bars_are_one_outline() -> None:
    days = table(365, steps=np.arange(365.0).tolist())
    days.loc[days.index[50], "worn_h"] = 1.0
    ax = el.plot_daily(days, "steps")
    ax.figure.canvas.draw()
    labels = [text.get_text() for text in ax.child_axes[0].get_xticklabels() if text.get_text()]
    assert 4 <= len(labels) <= 16
    assert "weekend" not in legend_of(ax)
    full, thin = (one(ax, kind).get_data().values for kind in ("day", "under"))
    assert np.flatnonzero(np.isnan(full)).tolist() == np.flatnonzero(np.isfinite(thin)).tolist()
    assert np.nansum(full) + np.nansum(thin) == days["steps"].sum()


def test_a_column_without_values_says_so_and_one_of_times_is_refused() -> None:
    ax = el.plot_daily(table(3, pace_spm=[np.nan] * 3), "pace_spm")
    assert [text.get_text() for text in ax.texts] == ["no usable values"]
    with pytest.raises(el.ConfigurationError, match="first_worn"):
        el.plot_daily(el.sample("standard_mode_logs"), "first_worn")


def steps(values, first: str = "2026-10-01") -> pd.Series:
    index = pd.date_range(first, periods=len(values), freq="D", tz="Asia/Tokyo", name="day")
    return pd.Series(np.asarray(values, dtype=float), index=index, name="steps")


def usual(days: int = 20) -> list[float]:
    return np.random.default_rng(1).normal(6000, 500, days).round().tolist()


def test_days_outside_the_usual_range_have_a_ring_and_the_band_is_that_of_the_table() -> None:
    made = el.baseline.personal(steps([*usual(), 12_000.0]))
    ax = el.plot_baseline(made)
    rings = points(ax, "day outside its range", "2026-10-01")
    outside = made["outside"].fillna(value=False).astype(bool)
    assert [place[1] for place in rings] == made["value"][outside].tolist()
    assert [20, 12_000] in rings
    assert [20, 12_000] in points(ax, "day", "2026-10-01")
    paths = one(ax, "usual range").get_paths()
    corners = np.concatenate([path.vertices for path in paths if len(path.vertices)])
    last = corners[days_from("2026-10-01", corners[:, 0]) == 20][:, 1]
    assert (last.min(), last.max()) == pytest.approx(tuple(made[["low", "high"]].iloc[-1]))


def test_what_is_not_judged_is_hollow_and_never_outside() -> None:
    index = pd.date_range("2026-10-01", periods=21, freq="D", name="day")
    days = pd.DataFrame({"steps": [*usual(), 12_000.0], "worn_h": 10.0}, index=index)
    days.loc[index[-1], "worn_h"] = 5.0
    ax = el.plot_baseline(days, "steps")
    first_weekends = [9, 10, 16, 17]
    hollow = [place[0] for place in points(ax, "not judged", "2026-10-01")]
    assert hollow == [*range(7), *first_weekends, 20]
    assert one(ax, "not judged").get_facecolors()[0].tolist() == [1, 1, 1, 1]
    assert "day outside its range" not in legend_of(ax)
    early = el.plot_baseline(el.baseline.personal(steps(usual(3))))
    assert sorted(legend_of(early)) == ["not judged", "weekend"]


def test_a_change_is_a_line_before_the_day_on_which_the_level_begins() -> None:
    series = steps([*usual(10), *(value + 9000 for value in usual(10))])
    changes = el.baseline.new_levels(series).index
    assert changes.tolist() == [pd.Timestamp("2026-10-11")]
    ax = el.plot_baseline(series, changes=changes)
    (line,) = one(ax, "a new level begins").get_segments()
    assert days_from("2026-10-01", line[:, 0]).tolist() == [9.5, 9.5]
    with pytest.raises(el.ConfigurationError, match="2030-01-01 lies outside"):
        el.plot_baseline(series, changes=[pd.Timestamp("2030-01-01", tz="Asia/Tokyo")])


def test_days_without_a_row_keep_their_place_and_break_the_line() -> None:
    series = steps(usual(30))
    ax = el.plot_baseline(series.drop(series.index[20:23]))
    _, baseline = xy(ax, "median of the 56 days before")
    assert np.flatnonzero(np.isnan(baseline)).tolist() == [*range(7), 20, 21, 22]
    assert 22 not in [place[0] for place in points(ax, "day", "2026-10-01")]


def test_words_come_from_what_the_baseline_is_of_and_a_frame_is_drawn_as_its_days() -> None:
    frame = el.simulate("2026-10-19", 21, log="standard_mode_logs")
    made = el.baseline.personal(el.daily(frame), "worn_h", window="14D")
    direct, other = el.plot_baseline(frame, "worn_h", window="14D"), el.plot_baseline(made)
    for ax in (direct, other):
        assert ax.get_ylabel() == "Worn (h per day)"
        assert title_of(ax) == "60-second log · 19 Oct to 8 Nov 2026"
        assert "median of the 14 days before" in legend_of(ax)
    assert points(direct, "day") == points(other, "day")


def test_several_values_a_day_are_refused() -> None:
    stamps = pd.date_range("2026-10-19", periods=48, freq="h", tz="UTC")
    with pytest.raises(el.ConfigurationError, match="several rows for 2026-10-19"):
        el.plot_baseline(el.baseline.personal(pd.Series(np.arange(48.0), index=stamps)))


def test_the_range_of_steps_ends_at_0_and_that_of_a_tilt_does_not() -> None:
    values = np.random.default_rng(1).normal(500, 400, 20).clip(0)
    made = el.baseline.personal(steps(values))
    assert made["low"].min() < 0
    for name, lowest in (("steps", 0.0), ("tilt_fore_aft_deg", made["low"].min())):
        ax = el.plot_baseline(el.baseline.personal(steps(values).rename(name)))
        band = one(ax, "usual range").get_paths()[0].vertices
        assert max(band[:, 1].min(), ax.get_ylim()[0]) == pytest.approx(lowest)


def test_six_weeks_have_their_mondays_named_and_a_year_the_median_of_each_week() -> None:
    ax = el.plot_baseline(steps(usual(42), first="2026-03-02"), window="14D")
    ax.figure.canvas.draw()
    assert [text.get_text()[:3] for text in ax.get_xticklabels()] == ["Mon"] * 6
    year = el.plot_baseline(steps(usual(364)))
    assert len(xy(year, "median of seven days")[0]) == 52
