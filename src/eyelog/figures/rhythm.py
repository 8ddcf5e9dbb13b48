"""The average day of a rhythm: its most and least active hours, and the cosine fitted to it."""

import textwrap
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from eyelog.errors import ConfigurationError
from eyelog.figures.axes import axes, line, panel_legend, patch, plot_function, set_title
from eyelog.figures.calendar_axis import hours_axis
from eyelog.figures.labels import title_of
from eyelog.figures.marks import number, say_no_values, value_axis, value_label
from eyelog.figures.named import (
    last_step,
    shades,
    span_of,
    step_label,
    step_meaning,
    step_unit,
)
from eyelog.figures.style import COLOURS
from eyelog.figures.tables import MIDDLE, middle_of_days, require_rows
from eyelog.frame import require, require_frame, require_rows_once
from eyelog.judge.arrays import Bools, numbers
from eyelog.judge.limits import Limits
from eyelog.series import rhythm
from eyelog.series.cosinor import doubt_of
from eyelog.series.rhythm import ActiveHours, Cosinor

DAY_H: Final = 24.0


@plot_function
def plot_rhythm(
    table: pd.DataFrame | pd.Series,
    column: str | None = None,
    *,
    most_active: ActiveHours | None = None,
    least_active: ActiveHours | None = None,
    cosinor: Cosinor | None = None,
    limits: Limits | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the average day with its most and least active hours and its cosinor.

    Parameters
    ----------
    table : DataFrame or Series
        A frame, best after `eyelog.resample`, or any other table or Series that
        `eyelog.rhythm.profile` takes: its average day with all three results; or the profile by
        hour, with those that are given.
    column : str, optional
        The column of the frame. A result of `eyelog.rhythm.profile`, and a Series, need none.
    most_active, least_active : ActiveHours, optional
        The results of `eyelog.rhythm.most_active` and `eyelog.rhythm.least_active` of the same
        Series: a bar as long as the window, at its mean. If the window cannot be known (an unworn
        night), the legend gives the reason instead.
    cosinor : Cosinor, optional
        The result of `eyelog.rhythm.cosinor` of the same Series, with a period of 24 h: a dashed
        curve over the hours that were observed, and its peak with one standard error to either
        side. If it was refused, or does not stand out from the variation between days (p of 0.05 or
        more), the legend says so instead.
    limits : Limits, optional
        By which the records of a frame are judged, see `eyelog.Limits`.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.

    Returns
    -------
    Axes
        With a line of steps through the hourly means, broken where an hour was not observed, and
        the lines labelled ``_most active``, ``_least active``, ``_cosinor`` and ``_peak``. A window
        over midnight is two lines of the same label.

    Raises
    ------
    FieldError
        If the table lacks the column, or a profile the means.
    ConfigurationError
        If there are no rows, they are not hours of the day, or a result comes from another
        function; of a frame or Series as `eyelog.rhythm.profile`.

    Examples
    --------
    >>> import eyelog as el
    >>> ax = el.plot_rhythm(el.resample(el.sample("standard_mode_logs"), "1h"), "stp_mid")
    >>> ax.get_xlim()
    (np.float64(0.0), np.float64(24.0))
    """
    if column is not None or isinstance(table, pd.Series):
        profile = rhythm.profile(table, column, limits=limits)
        most_active = most_active or rhythm.most_active(table, column, limits=limits)
        least_active = least_active or rhythm.least_active(table, column, limits=limits)
        cosinor = cosinor or rhythm.cosinor(table, column, limits=limits)
    else:
        profile = table
    require_frame(profile, what="plot_rhythm", wanted="a frame and the name of a column")
    require_rows_once(profile, what="plot_rhythm")
    require(
        profile,
        ["mean", "days_q25", "days_q75", "days"],
        purpose="plot_rhythm",
        made_by="eyelog.rhythm.profile(frame, column)",
    )
    require_rows(profile, what="plot_rhythm")
    if list(profile.index.names) != ["hour"]:
        raise ConfigurationError(
            "plot_rhythm takes the average day: eyelog.rhythm.profile(frame, 'stp', by='hour')"
        )
    for name, given, wanted in (
        ("most_active", most_active, ActiveHours),
        ("least_active", least_active, ActiveHours),
        ("cosinor", cosinor, Cosinor),
    ):
        if given is not None and not isinstance(given, wanted):
            raise ConfigurationError(
                f"{name} must be the result of eyelog.rhythm.{name}, not {type(given).__name__}"
            )
    ax = axes(ax, height_mm=58.0)
    shared, entries = _day(ax, profile), list[Any]()
    unit = step_unit(profile)
    if cosinor is not None:
        entries += _cosine(ax, cosinor, np.isfinite(numbers(profile["mean"].reindex(range(24)))))
    for window, words, colour in (
        (most_active, "most active", shades(step_meaning(profile))[0]),
        (least_active, "least active", "trace"),
    ):
        if window is not None:
            entries += _window(ax, window, words, colour, unit)
    value_label(ax, step_label(profile))
    value_axis(ax.yaxis)
    if (profile["mean"].dropna() == 0).all():  # limits around 0 alone would be hundredths
        ax.set_ylim(0.0, 1.0)
    if profile["mean"].isna().all():
        say_no_values(ax)
    hours_axis(ax, last_step(profile).get("tz"))
    panel_legend(ax, entries, shared=shared)
    set_title(ax, title_of(profile, days=span_of(profile), zone=False), title)
    return ax


def _day(ax: Axes, profile: pd.DataFrame) -> list[Any]:
    day = profile.reindex(range(24))
    means, (low, high) = numbers(day["mean"]), middle_of_days(day)
    edges = np.arange(25.0)
    of_line, of_area = shades(step_meaning(profile))
    # Hours that were not observed are gaps in the line.
    ax.fill_between(
        np.repeat(edges, 2)[1:-1],
        np.repeat(low, 2),
        np.repeat(high, 2),
        color=COLOURS[of_area],
        alpha=0.45,
        linewidth=0,
    )
    ax.stairs(means, edges, baseline=None, color=COLOURS[of_line], linewidth=1.4).set_label("_mean")
    entries = [line("mean of the hour", of_line)]
    return [*entries, *([patch(MIDDLE, of_area, alpha=0.45)] if np.isfinite(low).any() else [])]


def _cosine(ax: Axes, cosinor: Cosinor, observed: Bools) -> list[Any]:
    """Draw the curve over the hours that were observed: elsewhere it would only be a guess."""
    if doubt := doubt_of(cosinor):
        return [line(_wrapped(f"cosinor: {doubt}"), "reference", linewidth=0)]
    hours = np.linspace(0, DAY_H, 289)
    # Where two hours meet, either may be the observed one.
    after, before = np.minimum(np.floor(hours), 23), np.maximum(np.ceil(hours) - 1, 0)
    seen = observed[after.astype(np.int64)] | observed[before.astype(np.int64)]
    hours = np.where(seen, hours, np.nan)
    angle = 2 * np.pi * (hours - cosinor.peak_h) / DAY_H
    curve = cosinor.mesor + cosinor.amplitude * np.cos(angle)
    ax.plot(hours, curve, "--", color=COLOURS["reference"], linewidth=1.2)[0].set_label("_cosinor")
    top = cosinor.mesor + cosinor.amplitude
    ends = cosinor.peak_h - cosinor.peak_se_h, cosinor.peak_h + cosinor.peak_se_h
    ax.plot(ends, (top, top), color=COLOURS["reference"], linewidth=2.2)[0].set_label("_peak")
    return [
        line(
            f"cosinor, peak {_clock(cosinor.peak_h)} (bar: 1 SE either way)",
            "reference",
            linestyle="--",
        )
    ]


def _window(ax: Axes, window: ActiveHours, words: str, colour: str, unit: str) -> list[Any]:
    if not np.isfinite(window.mean):
        label = _wrapped(f"{words} hours: {_short(window.reason)}")
        return [line(label, "reference", linewidth=0)]
    closes = window.start + window.hours
    parts = [(window.start, min(closes, DAY_H))]
    if closes > DAY_H:
        parts.append((0.0, closes - DAY_H))
    for part in parts:
        drawn = ax.plot(part, (window.mean,) * 2, color=COLOURS[colour], linewidth=3.0, zorder=4)
        drawn[0].set(label=f"_{words}", solid_capstyle="butt")
    letter = "M" if words.startswith("most") else "L"
    mean = f"{number(window.mean, 3)} {unit}".rstrip()
    label = f"{letter}{window.hours:g}: {mean}, from {_clock(window.start)}"
    return [line(label, colour, linewidth=3.0)]


def _clock(hours: float) -> str:
    minutes = round(hours * 60) % 1440
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 46)


def _short(reason: str) -> str:
    """Return a reason without its details."""
    return reason.split(" (")[0].split(":")[0]
