"""Days against the person's own earlier days."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

import eyelog as el
from support.drawn import artists, legend_of, one, points, title_of, xy


def steps(values, first: str = "2026-10-01") -> pd.Series:
    index = pd.date_range(first, periods=len(values), freq="D", tz="Asia/Tokyo", name="day")
    return pd.Series(np.asarray(values, dtype=float), index=index, name="steps")


def usual(days: int = 20) -> list[float]:
    return np.random.default_rng(1).normal(6000, 500, days).round().tolist()


def test_days_outside_the_usual_range_stand_out() -> None:
    series = steps([*usual(), 12_000.0])
    table = el.baseline.personal(series)
    ax = el.plot_baseline(table)
    outside = points(ax, "outside")
    assert [place[1] for place in outside] == table["value"][table["outside"] == True].tolist()  # noqa: E712 - it may be missing
    assert [20, 12_000] in outside
    assert points(ax, "rings") == outside
    colours = [to_hex(one(ax, kind).get_facecolors()[0]) for kind in ("within", "outside")]
    assert colours[0] == colours[1]
    assert "day outside its range" in legend_of(ax)


def test_the_band_is_the_usual_range_of_the_table() -> None:
    table = el.baseline.personal(steps(usual()))
    band = one(el.plot_baseline(table), "usual range")
    corners = np.concatenate([path.vertices for path in band.get_paths() if len(path.vertices)])
    at_last = corners[corners[:, 0] == 19][:, 1]
    assert at_last.max() == pytest.approx(table["high"].iloc[-1])
    assert at_last.min() == pytest.approx(table["low"].iloc[-1])


def test_a_day_worn_too_little_is_hollow_and_never_outside() -> None:
    index = pd.date_range("2026-10-01", periods=21, freq="D", name="day")
    days = pd.DataFrame({"steps": [*usual(), 12_000.0], "worn_h": 10.0}, index=index)
    days.loc[index[-1], "worn_h"] = 5.0
    ax = el.plot_baseline(el.baseline.personal(days, "steps"))
    assert [20, 12_000] in points(ax, "not judged")
    assert "day outside its range" not in legend_of(ax)


def test_days_without_a_range_are_hollow_the_first_ones_and_the_first_weekends() -> None:
    ax = el.plot_baseline(el.baseline.personal(steps(usual()), min_n=7))
    first_weekends = [9, 10, 16, 17]
    assert [place[0] for place in points(ax, "not judged")] == [*range(7), *first_weekends]
    assert one(ax, "not judged").get_facecolors()[0].tolist() == [1, 1, 1, 1]
    assert "not judged" in legend_of(ax)


def test_a_change_is_a_line_before_the_day_on_which_the_level_begins() -> None:
    series = steps([*usual(10), *(value + 9000 for value in usual(10))])
    changes = el.baseline.new_levels(series).index
    assert changes.tolist() == [pd.Timestamp("2026-10-11")]
    ax = el.plot_baseline(el.baseline.personal(series), changes=changes)
    assert one(ax, "change").get_xdata() == [9.5, 9.5]
    assert "a new level begins" in legend_of(ax)


def test_a_change_outside_the_days_is_refused() -> None:
    table = el.baseline.personal(steps(usual()))
    with pytest.raises(el.ConfigurationError, match="2030-01-01 lies outside"):
        el.plot_baseline(table, changes=[pd.Timestamp("2030-01-01", tz="Asia/Tokyo")])


def test_days_without_a_row_keep_their_place_and_break_the_line() -> None:
    series = steps(usual(30))
    table = el.baseline.personal(series.drop(series.index[20:23]))
    ax = el.plot_baseline(table)
    assert np.flatnonzero(np.isnan(xy(ax, "baseline")[1])).tolist() == [*range(7), 20, 21, 22]
    assert [place[0] for place in points(ax, "within") + points(ax, "outside")].count(22) == 0


def test_a_baseline_of_one_day_is_still_shown() -> None:
    table = el.baseline.personal(steps(usual(15)))
    table.loc[table.index[9:], ["baseline", "low", "high"]] = np.nan
    table.loc[table.index[7], ["baseline", "low", "high"]] = np.nan
    ax = el.plot_baseline(table)
    assert xy(ax, "lone baselines")[0] == [8]


def test_words_come_from_what_the_baseline_is_of() -> None:
    days = el.daily(el.simulate("2026-10-19", 9, log="standard_mode_logs"))
    ax = el.plot_baseline(el.baseline.personal(days["worn_h"], window="7D", min_n=3))
    assert ax.get_ylabel() == "Worn (h per day)"
    assert title_of(ax) == "60-second log · 19 to 27 Oct 2026"
    assert legend_of(ax)[0] == "median of the 7 days before"
    assert len(artists(ax, "weekend")) == 1


def test_several_values_a_day_are_refused() -> None:
    hours = pd.Series(
        np.arange(48.0), index=pd.date_range("2026-10-19", periods=48, freq="h", tz="UTC")
    )
    with pytest.raises(el.ConfigurationError, match="several rows for 2026-10-19"):
        el.plot_baseline(el.baseline.personal(hours))


def test_the_range_of_steps_ends_at_0_and_that_of_a_tilt_does_not() -> None:
    values = np.random.default_rng(1).normal(500, 400, 20).clip(0)
    table = el.baseline.personal(steps(values))
    assert table["low"].min() < 0
    for name, lowest in (("steps", 0.0), ("tilt_fore_aft_deg", table["low"].min())):
        made = el.baseline.personal(steps(values).rename(name))
        ax = el.plot_baseline(made)
        band = one(ax, "usual range").get_paths()[0].vertices
        assert max(band[:, 1].min(), ax.get_ylim()[0]) == pytest.approx(lowest)


def test_the_legend_names_what_is_drawn_alone() -> None:
    early = el.plot_baseline(el.baseline.personal(steps(usual(3))))
    assert legend_of(early) == ["not judged", "weekend"]
    weekdays = el.plot_baseline(el.baseline.personal(steps(usual(9), first="2026-10-05")))
    assert "day outside its range" not in legend_of(weekdays)
    assert legend_of(weekdays)[-1] == "weekend"


def test_six_weeks_have_their_mondays_named() -> None:
    days = pd.Series(
        np.random.default_rng(2).normal(10, 1, 42),
        index=pd.date_range("2026-03-02", periods=42, name="day"),
    )
    ax = el.plot_baseline(el.baseline.personal(days, window="14D"))
    ax.figure.canvas.draw()
    assert [text.get_text()[:3] for text in ax.get_xticklabels()] == ["Mon"] * 6


def test_a_year_has_the_median_of_each_seven_days() -> None:
    ax = el.plot_baseline(el.baseline.personal(steps(usual(364))))
    assert len(xy(ax, "week")[0]) == 52
    assert "median of seven days" in legend_of(ax)


def test_days_and_a_column_are_drawn_as_their_personal_baseline() -> None:
    days = el.daily(el.simulate("2026-03-02", 21, log="standard_mode_logs"))
    direct = el.plot_baseline(days, "steps", window="14D")
    made = el.plot_baseline(el.baseline.personal(days, "steps", window="14D"))
    assert points(direct, "within") == points(made, "within")
    assert direct.get_ylabel() == made.get_ylabel() == "Steps (per day)"
