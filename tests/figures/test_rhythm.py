"""The average day with its active hours and its cosinor."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.drawn import artists, legend_of, one, xy


def wave(days: int = 14, *, peak_h: float = 15.0) -> pd.Series:
    hours = pd.date_range("2026-10-19", periods=24 * days, freq="h", tz="Europe/Berlin")
    values = 10 + 6 * np.cos(2 * np.pi * (hours.hour - peak_h) / 24)
    return pd.Series(values, index=hours, name="stp")


def test_the_average_day_is_steps_through_the_means_of_the_hours() -> None:
    profile = el.rhythm.profile(wave())
    mean = one(el.plot_rhythm(profile), "mean").get_data()
    assert mean.edges.tolist() == list(range(25))
    assert mean.values.tolist() == profile["mean"].tolist()


def test_an_unobserved_hour_is_a_gap() -> None:
    series = wave().between_time("06:00", "22:00")
    mean = one(el.plot_rhythm(el.rhythm.profile(series)), "mean").get_data().values
    assert np.flatnonzero(np.isnan(mean)).tolist() == [0, 1, 2, 3, 4, 5, 23]


def test_active_hours_are_bars_as_long_as_their_windows_at_their_means() -> None:
    series = wave()
    most = el.rhythm.most_active(series, hours=8)
    least = el.rhythm.least_active(series, night_worn=True)
    ax = el.plot_rhythm(el.rhythm.profile(series), most_active=most, least_active=least)
    assert xy(ax, "most active") == ([most.start, most.start + 8], [most.mean] * 2)
    assert xy(ax, "least active") == ([least.start, least.start + 5], [least.mean] * 2)
    labels = legend_of(ax)
    assert "M8: 14.9 per record, from 11:00" in labels
    assert f"L5: {least.mean:.3g} per record, from {int(least.start):02d}:00" in labels


def test_a_window_over_midnight_goes_on_at_the_left() -> None:
    series = wave(peak_h=0.0)
    most = el.rhythm.most_active(series)
    ax = el.plot_rhythm(el.rhythm.profile(series), most_active=most)
    late, early = (list(line.get_xdata()) for line in artists(ax, "most active"))
    assert late == [most.start, 24]
    assert early == [0, most.start + 10 - 24]


def test_what_is_refused_is_explained_and_not_drawn() -> None:
    series = wave().between_time("06:00", "22:00")
    least = el.rhythm.least_active(series)
    ax = el.plot_rhythm(el.rhythm.profile(series), least_active=least)
    assert artists(ax, "least active") == []
    assert "least active hours: the night was not observed" in legend_of(ax)


def test_the_cosinor_is_a_curve_with_its_peak_and_the_error_of_it() -> None:
    series = wave() + np.random.default_rng(1).normal(0, 1, 24 * 14)
    fit = el.rhythm.cosinor(series)
    ax = el.plot_rhythm(el.rhythm.profile(series), cosinor=fit)
    hours, curve = map(np.asarray, xy(ax, "cosinor"))
    expected = fit.mesor + fit.amplitude * np.cos(2 * np.pi * (hours - fit.peak_h) / 24)
    assert np.allclose(curve, expected)
    (left, right), _ = xy(ax, "peak")
    assert (left, right) == (fit.peak_h - fit.peak_se_h, fit.peak_h + fit.peak_se_h)
    assert any(label.startswith("cosinor, peak 1") for label in legend_of(ax))


def test_the_curve_lies_over_observed_hours_alone() -> None:
    series = (wave() + np.random.default_rng(1).normal(0, 1, 24 * 14)).between_time(
        "06:00", "21:59"
    )
    fit = el.rhythm.cosinor(series)
    ax = el.plot_rhythm(el.rhythm.profile(series), cosinor=fit)
    hours, curve = (np.asarray(part) for part in xy(ax, "cosinor"))
    drawn = hours[np.isfinite(curve)]
    assert (drawn.min(), drawn.max()) == (6.0, 22.0)
    assert np.isfinite(curve[(hours > 6) & (hours < 22)]).all()


def test_the_band_is_that_of_days_and_needs_four() -> None:
    series = wave(8)
    profile = el.rhythm.profile(series)
    assert "middle half of the days" in legend_of(el.plot_rhythm(profile))
    few = el.rhythm.profile(series[: 24 * 3])
    assert legend_of(el.plot_rhythm(few)) == ["mean of the hour"]


def test_active_hours_have_the_unit_of_the_axis() -> None:
    steps = el.resample(el.sample(), "1h")["stp"]
    most = el.rhythm.most_active(steps)
    ax = el.plot_rhythm(el.rhythm.profile(steps), most_active=most)
    assert ax.get_ylabel() == "Steps per h"
    assert f"M10: {most.mean:.0f} per h, from {int(most.start):02d}:00" in legend_of(ax)


def test_a_cosinor_that_does_not_stand_out_is_not_drawn() -> None:
    noise = pd.Series(np.random.default_rng(3).normal(size=24 * 14), index=wave().index, name="stp")
    fit = el.rhythm.cosinor(noise)
    assert fit.p > 0.05
    ax = el.plot_rhythm(el.rhythm.profile(noise), cosinor=fit)
    assert artists(ax, "cosinor") == artists(ax, "peak") == []
    assert "cosinor: no cosine stands out" in " ".join(legend_of(ax)).replace("\n", " ")


def test_a_series_that_does_not_vary_has_no_cosinor_to_draw() -> None:
    flat = wave() * 0
    ax = el.plot_rhythm(el.rhythm.profile(flat), cosinor=el.rhythm.cosinor(flat))
    assert artists(ax, "cosinor") == []
    assert "cosinor: no day varies: no peak" in legend_of(ax)


def test_only_results_of_the_functions_named_are_drawn() -> None:
    profile = el.rhythm.profile(wave())
    with pytest.raises(el.ConfigurationError, match=r"result of eyelog\.rhythm\.cosinor"):
        el.plot_rhythm(profile, cosinor=(1.0, 2.0))  # type: ignore[arg-type]
    with pytest.raises(el.ConfigurationError, match="by='hour'"):
        el.plot_rhythm(el.rhythm.profile(wave(), by="weekday"))


def test_an_average_day_of_zeros_has_an_axis_from_0_to_1() -> None:
    steps = el.resample(el.sample("standard_mode_logs"), "1h")["stp_mid"] * 0.0
    assert el.plot_rhythm(el.rhythm.profile(steps)).get_ylim() == (0.0, 1.0)


def test_a_frame_and_a_column_are_drawn_with_all_three_results() -> None:
    hours = el.resample(el.simulate("2026-03-02", 10, log="standard_mode_logs"), "1h")
    ax = el.plot_rhythm(hours, "stp_mid")
    steps = hours["stp_mid"]
    whole = el.plot_rhythm(
        el.rhythm.profile(steps),
        most_active=el.rhythm.most_active(steps),
        least_active=el.rhythm.least_active(steps),
        cosinor=el.rhythm.cosinor(steps),
    )
    assert legend_of(ax) == legend_of(whole)
    assert len(legend_of(ax)) > 2
