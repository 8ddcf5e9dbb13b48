"""Axes of days and of time of day; the labels are read after drawing."""

from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from eyelog.clock import LocalClock
from eyelog.figures import calendar_axis, style
from eyelog.figures.styled_figure import StyledFigure


def days(first: str, n: int) -> pd.DatetimeIndex:
    return pd.date_range(first, periods=n, freq="D", tz="Asia/Tokyo")


def labels(axis, figure: Figure) -> list[str]:
    figure.draw_without_rendering()
    return [text.get_text() for text in axis.get_majorticklabels()]


def axes_of(width_mm: float, height_mm: float = 60):
    size = (style.inches(width_mm), style.inches(height_mm))
    figure = StyledFigure(figsize=size, layout="constrained")
    with style.style():
        return figure, figure.subplots()


def day_labels(first: str, n: int, width_mm: float = 183) -> list[str]:
    figure, ax = axes_of(width_mm)
    ax.set_xlim(-0.5, n - 0.5)
    calendar_axis.day_axis(ax.xaxis, days(first, n))
    return labels(ax.xaxis, figure)


def test_days_along_x_are_named_in_two_lines() -> None:
    shown = day_labels("2025-10-20", 3)
    assert shown == ["Mon\n20 Oct", "Tue\n21 Oct", "Wed\n22 Oct"]


def test_the_year_is_named_where_a_new_one_begins_and_nowhere_else() -> None:
    assert day_labels("2025-12-31", 3) == ["Wed\n31 Dec", "Thu\n1 Jan\n2026", "Fri\n2 Jan"]
    assert [text for text in day_labels("2025-10-20", 365) if "20" in text] == ["Jan\n2026"]


@pytest.mark.parametrize("n", [21, 28, 42, 60])
def test_from_three_weeks_on_mondays_are_named_along_x(n: int) -> None:
    shown = day_labels("2025-10-16", n)
    assert len(shown) >= 3
    assert {text[:3] for text in shown} == {"Mon"}


@pytest.mark.parametrize("width_mm", [89, 183, 247])
@pytest.mark.parametrize("n", [1, 2, 5, 14, 15, 30, 60, 100, 365, 800, 4000])
def test_there_are_at_most_sixteen_labels_at_any_length(n: int, width_mm: float) -> None:
    shown = day_labels("2025-10-20", n, width_mm)
    assert 1 <= len(shown) <= 16
    assert len(shown) >= min(n, 2)


@pytest.mark.parametrize("width_mm", [89, 183])
@pytest.mark.parametrize("n", [7, 14, 16, 40, 365])
def test_labels_of_days_do_not_overlap(n: int, width_mm: float) -> None:
    figure, ax = axes_of(width_mm)
    ax.set_xlim(-0.5, n - 0.5)
    calendar_axis.day_axis(ax.xaxis, days("2025-12-20", n))
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.get_xticklabels()]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


def test_weekends_are_bold_along_y_and_shaded_behind() -> None:
    figure, ax = axes_of(89)
    ax.set_ylim(6.5, -0.5)
    calendar_axis.day_axis(ax.yaxis, days("2025-10-20", 7))
    calendar_axis.shade_weekends(ax, days("2025-10-20", 7), axis="y")
    figure.draw_without_rendering()
    bold = [t.get_text() for t in ax.get_yticklabels() if t.get_fontweight() == "bold"]
    assert bold == ["Sat 25 Oct", "Sun 26 Oct"]
    (shade,) = ax.patches
    assert (shade.get_y(), shade.get_height()) == (4.5, 2.0)


@pytest.mark.parametrize("width_mm", [30, 89, 183])
def test_the_hours_of_a_day_run_from_00_to_24(width_mm: float) -> None:
    figure, ax = axes_of(width_mm)
    calendar_axis.hours_axis(ax, "Asia/Tokyo")
    shown = labels(ax.xaxis, figure)
    assert (shown[0], shown[-1]) == ("00", "24")
    assert len(shown) <= 16


def time_labels(first: str, last: str, tz: str = "Europe/Berlin") -> list[str]:
    figure, ax = axes_of(183)
    index = pd.DatetimeIndex([first, last]).tz_localize(tz).as_unit("us")
    low, high = calendar_axis.to_x(index.asi8)
    ax.set_xlim(low, high)
    calendar_axis.time_axis(ax, LocalClock(index.tz))
    return labels(ax.xaxis, figure)


def test_a_day_along_time_shows_hours_and_the_day_beneath_midnight() -> None:
    shown = time_labels("2026-10-20", "2026-10-21")
    assert shown[0] == "00\nTue 20 Oct"
    assert shown[1] == "02"
    assert shown[-1] == "00\nWed 21 Oct"


def test_an_hour_along_time_shows_minutes_and_the_day_once() -> None:
    shown = time_labels("2026-10-20 10:00", "2026-10-20 11:00")
    assert shown[0] == "10:00\nTue 20 Oct"
    assert sum("Oct" in text for text in shown) == 1


def test_the_days_of_a_clock_change_stand_at_local_midnight() -> None:
    shown = time_labels("2026-10-23", "2026-10-28")
    assert shown[:3] == ["Fri\n23 Oct", "Sat\n24 Oct", "Sun\n25 Oct"]
    assert shown[3:] == ["Mon\n26 Oct", "Tue\n27 Oct", "Wed\n28 Oct"]


def test_a_day_with_a_skipped_hour_has_no_label_for_it() -> None:
    shown = time_labels("2026-03-29 00:00", "2026-03-29 06:00")
    hours = [text.split("\n")[0] for text in shown]
    assert "02:00" not in hours
    assert "02" not in hours
    assert "03" in hours or "03:00" in hours


def test_a_year_along_time_shows_months() -> None:
    shown = time_labels("2025-10-20", "2026-10-19")
    assert shown[:3] == ["Nov", "Dec", "Jan\n2026"]
    assert len(shown) == 12


def test_weekends_next_to_one_another_are_one_shade() -> None:
    _, ax = axes_of(89)
    calendar_axis.shade_weekends(ax, days("2025-10-20", 14))
    assert [(shade.get_x(), shade.get_width()) for shade in ax.patches] == [(4.5, 2), (11.5, 2)]
    assert np.all([shade.get_label() == "_weekend" for shade in ax.patches])


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
