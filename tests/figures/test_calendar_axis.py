"""Axes of days and of time of day; the labels are read after drawing."""

from zoneinfo import ZoneInfo

import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from eyelog.clock import LocalClock
from eyelog.figures import calendar_axis, style


def labels(axis, figure: Figure) -> list[str]:
    figure.draw_without_rendering()
    return [text.get_text() for text in axis.get_majorticklabels()]


def axes_of(width_mm: float, height_mm: float = 60):
    size = (style.inches(width_mm), style.inches(height_mm))
    figure = Figure(figsize=size, layout="constrained")
    with style.style():
        return figure, figure.subplots()


def time_labels(first: str, last: str, tz: str = "Europe/Berlin") -> list[str]:
    figure, ax = axes_of(183)
    index = pd.DatetimeIndex([first, last]).tz_localize(tz).as_unit("us")
    low, high = calendar_axis.to_x(index.asi8)
    ax.set_xlim(low, high)
    calendar_axis.time_axis(ax, LocalClock(index.tz))
    return labels(ax.xaxis, figure)


def test_the_days_of_a_clock_change_stand_at_local_midnight() -> None:
    shown = time_labels("2026-10-23", "2026-10-28")
    assert shown[:3] == ["Fri\n23 Oct", "Sat\n24 Oct", "Sun\n25 Oct"]
    assert shown[3:] == ["Mon\n26 Oct", "Tue\n27 Oct", "Wed\n28 Oct"]


@pytest.mark.parametrize("tz", ["Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "UTC"])
def test_every_hour_that_the_clock_skips_in_a_year_is_left_blank(tz: str) -> None:
    clock = LocalClock(ZoneInfo(tz))
    year = pd.date_range("2011-01-01", "2011-12-31", freq="D", unit="us")
    _, ax = axes_of(183)
    calendar_axis.blank_skipped_hours(ax, year, clock, first=2)
    blank = {
        round(bar.get_y() + bar.get_height() / 2): (bar.get_x(), bar.get_width())
        for bar in ax.patches
    }
    lacking = {place: calendar_axis.skipped_hours(day, clock) for place, day in enumerate(year, 2)}
    assert blank == {
        place: (hours[0], pytest.approx(hours[1] - hours[0]))
        for place, hours in lacking.items()
        if hours
    }
    assert bool(blank) == (tz != "UTC")


@pytest.mark.parametrize(("width_in", "names"), [(4.0, ["Mon", "Tue"]), (1.8, ["Mo", "Tu"])])
def test_weekdays_have_as_many_letters_as_there_is_room_for(
    width_in: float, names: list[str]
) -> None:
    figure, ax = plt.subplots(figsize=(2 * width_in, 3))
    figure.subplots_adjust(left=0.25, right=0.75)
    calendar_axis.weekdays_axis(ax.xaxis)
    ax.set_xlim(-0.5, 6.5)
    assert [label.get_text() for label in ax.get_xticklabels()][:2] == names
