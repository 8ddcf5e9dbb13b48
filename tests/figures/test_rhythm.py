"""The usual day and week, and the average day with its active hours and its cosinor."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.drawn import artists, legend_of, note_of, one, points, xy


def hourly(first: str, hours: int) -> pd.Series:
    index = pd.date_range(first, periods=hours, freq="h", tz="UTC")
    return pd.Series(np.arange(float(hours)), index=index, name="stp")


def test_a_profile_breaks_where_an_hour_was_not_observed() -> None:
    ax = el.plot_profile(el.rhythm.profile(hourly("2026-10-19 08:00", 10)))
    x, y = xy(ax, "median of the days")
    seen = [(hour, value) for hour, value in zip(x, y, strict=True) if np.isfinite(value)]
    assert seen == [(hour + 8.5, float(hour)) for hour in range(10)]


def test_weekdays_are_points_between_their_quartiles() -> None:
    ax = el.plot_profile(el.rhythm.profile(hourly("2026-10-19", 72), by="weekday"))
    assert points(ax, "median of the days") == [[0, 11.5], [1, 35.5], [2, 59.5]]
    assert artists(ax, "middle half") == []  # one day of each weekday has no middle half
    (below,) = ax.child_axes
    assert [label.get_text() for label in below.get_xticklabels()][:2] == ["Mon", "Tue"]
    weekend = one(ax, "weekend")
    assert (weekend.get_x(), weekend.get_width()) == (4.5, 2)


def test_the_band_holds_the_middle_half_of_the_days_however_long_each_was_observed() -> None:
    # At 08:00 to 09:00 five days have means of 1 to 5; the last has a value each minute.
    day = [pd.Timestamp(f"2026-10-{19 + i} 08:00", tz="UTC") for i in range(4)]
    many = pd.date_range("2026-10-23 08:00", periods=60, freq="min", tz="UTC")
    values = pd.Series([1.0, 2.0, 3.0, 4.0, *[5.0] * 60], index=[*day, *many], name="tl_yav")
    table = el.rhythm.profile(values, interval="1min")
    assert table.loc[8, ["median", "days_median"]].tolist() == [5.0, 3.0]
    ax = el.plot_profile(table)
    lone = [bars.get_segments() for bars in ax.collections if hasattr(bars, "get_segments")]
    assert [segment.tolist() for segment in lone[0]] == [[[8.5, 2.0], [8.5, 4.0]]]
    assert {"middle half of the days", "5 days observed"} < set(legend_of(ax))
    few = el.plot_profile(el.rhythm.profile(values[:3], interval="1min"))
    assert legend_of(few) == ["median of the days", "3 days observed"]


def test_a_frame_and_a_column_are_drawn_as_their_profile_and_other_tables_are_refused() -> None:
    frame = el.sample("standard_mode_logs")
    made = el.rhythm.profile(frame, "tl_yav", by="weekday")
    name = "median of the days"
    direct = el.plot_profile(frame, "tl_yav", by="weekday")
    assert points(direct, name) == points(el.plot_profile(made), name)
    with pytest.raises(el.ConfigurationError, match=r"profile\(frame, 'tl_yav'\)"):
        el.plot_profile(frame["tl_yav"])
    with pytest.raises(el.ConfigurationError, match="indexed by minute"):
        el.plot_profile(el.rhythm.profile(frame, "tl_yav").rename_axis("minute"))


def wave(days: int = 14, *, peak_h: float = 15.0) -> pd.Series:
    hours = pd.date_range("2026-10-19", periods=24 * days, freq="h", tz="Europe/Berlin")
    values = 10 + 6 * np.cos(2 * np.pi * (hours.hour - peak_h) / 24)
    return pd.Series(values, index=hours, name="stp")


def noisy() -> pd.Series:
    return wave() + np.random.default_rng(1).normal(0, 1, 24 * 14)


def test_the_average_day_is_steps_through_the_means_of_the_hours_with_gaps() -> None:
    profile = el.rhythm.profile(wave().between_time("06:00", "22:00"))
    ax = el.plot_rhythm(profile)
    mean = one(ax, "mean of the hour").get_data()
    assert mean.edges.tolist() == list(range(25))
    assert np.flatnonzero(np.isnan(mean.values)).tolist() == [0, 1, 2, 3, 4, 5, 23]
    assert mean.values[6:23].tolist() == profile["mean"].loc[6:22].tolist()
    assert "middle half of the days" in legend_of(ax)
    few = el.rhythm.profile(wave(3))  # the band needs four days
    assert legend_of(el.plot_rhythm(few)) == ["mean of the hour"]


def test_active_hours_are_bars_as_long_as_their_windows_at_their_means() -> None:
    series = wave()
    most = el.rhythm.most_active(series, hours=8)
    least = el.rhythm.least_active(series, night_worn=True)
    ax = el.plot_rhythm(el.rhythm.profile(series), most_active=most, least_active=least)
    assert xy(ax, "M8") == ([most.start, most.start + 8], [most.mean] * 2)
    assert xy(ax, "L5") == ([least.start, least.start + 5], [least.mean] * 2)
    labels = legend_of(ax)
    assert "M8: 14.9 per record, from 11:00" in labels
    assert f"L5: {least.mean:.3g} per record, from {int(least.start):02d}:00" in labels
    late = wave(peak_h=0.0)  # a window over midnight goes on at the left
    most = el.rhythm.most_active(late)
    x, _ = xy(el.plot_rhythm(el.rhythm.profile(late), most_active=most), "M10")
    assert [*x[:2], *x[3:]] == [most.start, 24, 0, most.start + 10 - 24]
    assert np.isnan(x[2])


def test_what_is_refused_or_does_not_stand_out_is_explained_and_not_drawn() -> None:
    day = wave().between_time("06:00", "22:00")
    ax = el.plot_rhythm(el.rhythm.profile(day), least_active=el.rhythm.least_active(day))
    assert note_of(ax) == "least active hours: the night was not observed"
    assert artists(ax, "L5") == []
    flat = wave() * 0
    noise = pd.Series(np.random.default_rng(3).normal(size=24 * 14), index=wave().index, name="stp")
    for series, said in ((noise, "no cosine stands out"), (flat, "no day varies: no peak")):
        ax = el.plot_rhythm(el.rhythm.profile(series), cosinor=el.rhythm.cosinor(series))
        assert note_of(ax).startswith(f"cosinor: {said}")
        assert artists(ax, "cosinor") == []
    assert ax.get_ylim() == (0.0, 1.0)


def test_the_cosinor_is_a_curve_over_observed_hours_with_its_peak_and_the_error_of_it() -> None:
    series = noisy().between_time("06:00", "21:59")
    fit = el.rhythm.cosinor(series)
    ax = el.plot_rhythm(el.rhythm.profile(series), cosinor=fit)
    hours, curve = map(np.asarray, xy(ax, "cosinor"))
    drawn = np.isfinite(curve)
    expected = fit.mesor + fit.amplitude * np.cos(2 * np.pi * (hours - fit.peak_h) / 24)
    assert np.allclose(curve[drawn], expected[drawn])
    assert (hours[drawn].min(), hours[drawn].max()) == (6.0, 22.0)
    ends, _ = xy(ax, "its peak at 1")
    assert ends == [fit.peak_h - fit.peak_se_h, fit.peak_h + fit.peak_se_h]


def test_only_results_of_the_functions_named_are_drawn() -> None:
    profile = el.rhythm.profile(wave())
    with pytest.raises(el.ConfigurationError, match=r"result of eyelog\.rhythm\.cosinor"):
        el.plot_rhythm(profile, cosinor=(1.0, 2.0))  # type: ignore[arg-type]
    with pytest.raises(el.ConfigurationError, match="by='hour'"):
        el.plot_rhythm(el.rhythm.profile(wave(), by="weekday"))


def test_a_frame_and_a_column_are_drawn_with_all_three_results_in_the_unit_of_the_axis() -> None:
    hours = el.resample(el.simulate("2026-03-02", 10, log="standard_mode_logs"), "1h")
    ax, steps = el.plot_rhythm(hours, "stp_mid"), hours["stp_mid"]
    results = {
        name: getattr(el.rhythm, name)(steps) for name in ("most_active", "least_active", "cosinor")
    }
    whole = el.plot_rhythm(el.rhythm.profile(steps), **results)
    assert legend_of(ax) == legend_of(whole)
    assert any(name.startswith("M10: ") and " per h, from " in name for name in legend_of(ax))
