"""What is shown where a pointer rests on a mark of a figure."""

import re
from html import unescape
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

import eyelog as el
from eyelog.reports.mark_titles import AxisMeasure
from eyelog.reports.pictures import closing, figure_of
from support.drawn import as_svg

SAMPLE = el.sample("standard_mode_logs")


def titles(drawn: Any) -> list[str]:
    """Return the titles in a figure, without its own."""
    with closing(figure_of(drawn)) as figure:
        svg = as_svg(figure)
    return [unescape(text) for text in re.findall(r"<title>(.*?)</title>", svg)]


def test_a_title_says_quantity_when_and_value_with_its_unit() -> None:
    assert AxisMeasure.of("Blink rate\n(per min)") == ("Blink rate", "per min")
    assert AxisMeasure.of("Head turns (yaw) (per h worn)") == ("Head turns (yaw)", "per h worn")
    assert AxisMeasure.of("Steps per hour") == ("Steps per hour", "")
    assert AxisMeasure.of("") is None
    assert (
        AxisMeasure("Tilt", "deg").said("Sat 31 Oct", "-17.9")
        == "Tilt, Sat 31 Oct: \N{MINUS SIGN}17.9 deg"
    )


def test_the_band_of_a_glance_is_a_range_and_not_a_value() -> None:
    days = el.daily(el.simulate("2026-08-31", 63, seed=4, tz="Asia/Tokyo"))
    shown = titles(el.plot_week(days))
    rate = days["blink_rate_per_min"].iloc[-1]
    assert f"Blink rate, Sun 1 Nov: {rate:.1f} per min" in shown
    (band,) = (one for one in shown if one.startswith("Blink rate, Sun 1 Nov: usual range "))
    low, high = map(float, re.findall(r"\d+\.\d+", band))
    assert low < high
    assert any(one.startswith("Usable, Sun 1 Nov: ") for one in shown)


def test_a_day_of_states_has_the_hours_of_each() -> None:
    frame = el.simulate("2026-10-26", 7, log="standard_mode_logs", seed=4, tz="Asia/Tokyo")
    shown = titles(el.plot_week(el.daily(frame), states=frame))
    (day,) = (one for one in shown if one.startswith("State, Mon 26 Oct: "))
    of_day = el.states(frame).loc["2026-10-26"].iloc[1:].value_counts() / 60
    assert f"usable {of_day['usable']:.1f} h, walking {of_day['walking']:.1f} h" in day
    assert len([one for one in shown if one.startswith("State, ")]) == 7


def test_a_position_is_never_shown_as_a_value() -> None:
    assert titles(el.plot_attrition(el.attrition(SAMPLE, recipe="eye"))) == []
    assert titles(el.plot_quality(SAMPLE)) == []


def test_each_hour_of_a_usual_day_has_a_title() -> None:
    usual = el.rhythm.profile(el.blinks.rate(SAMPLE, by="1h")["rate_per_min"], stamp="end")
    seen = usual["days_median"].dropna()
    shown = [one for one in titles(el.plot_profile(usual)) if " to " in one]
    assert len(shown) == len(seen)
    assert shown[0].startswith(f"Blink rate, {seen.index[0]:02d}:00 to ")


def test_each_bar_of_a_year_has_a_title() -> None:
    days = pd.DataFrame(
        {"worn_h": np.linspace(5.0, 14.5, 365)},
        index=pd.date_range("2025-11-01", periods=365, tz="UTC", name="day"),
    )
    shown = titles(el.plot_daily(days, "worn_h"))
    assert len(shown) == 365
    assert shown[-1] == "Worn, Sat 31 Oct: 14.5 h per day"


def test_each_cell_of_a_usual_week_has_a_title() -> None:
    usual = el.rhythm.profile(el.mask(SAMPLE, el.flag(SAMPLE)), "hm_yo", by="weekday_hour")
    shown = titles(el.plot_profile(usual))
    seen = usual["days_median"].dropna()
    assert len(shown) == len(seen)
    assert re.match(r"Head.*, Mon \d\d:00 to \d\d:00: .*\(median of the days\)$", shown[0])


def test_the_bins_of_a_density_have_titles_if_they_are_few() -> None:
    figure, ax = plt.subplots()
    ax.set(xlabel="Mean (deg)", ylabel="Difference (deg)")
    cells = ax.pcolormesh([0, 1, 2], [0, 10, 20], [[3, 0], [0, 4]])
    figure.colorbar(cells).set_label("Pairs")
    assert titles(ax) == [
        "Pairs, Mean 0 to 1 deg, Difference 0 to 10 deg: 3",
        "Pairs, Mean 1 to 2 deg, Difference 10 to 20 deg: 4",
    ]
