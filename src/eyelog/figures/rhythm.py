"""The usual day, the usual week, or both at once; and the rhythm of the average day."""

from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize

from eyelog.errors import ConfigurationError, counted
from eyelog.figures import axes, dates, marks, tables
from eyelog.figures.labels import last_step, shades, span_of, subject, title_of
from eyelog.figures.style import COLOURS, sequential
from eyelog.frame import require, require_frame, require_rows_once
from eyelog.judge.arrays import Floats, numbers
from eyelog.judge.limits import Limits
from eyelog.measure.groups import WEEKDAYS, By
from eyelog.series import rhythm
from eyelog.series.cosinor import doubt_of
from eyelog.series.rhythm import ActiveHours, Cosinor

QUANTILES: Final = ("days_median", "days_q25", "days_q75", "days")
MIDDLE: Final = "middle half of the days"
LEAST_DAYS: Final = 4  # fewer have no middle half
DAY_H: Final = 24.0


@axes.plot_function
def plot_profile(
    table: pd.DataFrame | pd.Series,
    column: str | None = None,
    *,
    by: By = "hour",
    limits: Limits | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> Axes:
    """Draw the usual day or week: the median of the days, their middle half and their number.

    Parameters
    ----------
    table : DataFrame or Series
        A frame, or any other table or Series that `eyelog.rhythm.profile` takes; or its result, by
        hour, by weekday or by both.
    column : str, optional
        The column of the frame. A result of `eyelog.rhythm.profile`, and a Series, need none.
    by : str or list
        ``"hour"``, ``"weekday"`` or ``["weekday", "hour"]``, of a frame or Series.
    limits : Limits, optional
        By which the records of a frame are judged, see `eyelog.Limits`.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    Axes
        By hour: a line through the medians of the days in the middle of their hours, closed over
        midnight and broken where an hour was not observed, in a band between the quartiles of the
        days, where there are four days or more. By weekday: points with bars between the quartiles.
        Beneath either, in ``ax.child_axes``, the number of days. By both: one image of the medians,
        a row for each weekday and a column for each hour, grey where there is no usable value.

    Raises
    ------
    FieldError
        If the table lacks the column, or a profile the quantiles.
    ConfigurationError
        If there are no rows, or they are not hours of the day or days of the week; of a frame or
        Series as `eyelog.rhythm.profile`.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample("standard_mode_logs")
    >>> ax = el.plot_profile(frame, "tl_yav", by="hour")
    >>> ax.get_ylabel()
    'Tilt fore-aft (deg)'
    """
    what = "plot_profile"
    if column is not None or isinstance(table, pd.Series):
        table = rhythm.profile(table, column, by=by, limits=limits)
    _require_profile(table, QUANTILES, what)
    names = tuple(map(str, table.index.names))
    if names not in (("hour",), ("weekday",), ("weekday", "hour")):
        raise ConfigurationError(
            f"{what} takes a table of eyelog.rhythm.profile, by hour, weekday or both, and"
            f" this one is indexed by {', '.join(names)}"
        )
    about, tz = subject(table), last_step(table).get("tz")
    ax = axes.on(ax, height_mm=46.0 if len(names) == 2 else 56.0)
    if len(names) == 2:
        week = pd.MultiIndex.from_product([range(7), range(24)], names=["weekday", "hour"])
        cells = numbers(table["days_median"].reindex(week)).reshape(7, 24)
        finite = cells[np.isfinite(cells)]
        low, high = min(finite.min(initial=0.0), 0.0), finite.max(initial=0.0)
        # The table does not say whether there was a record: hatching would say that there was none.
        ax.patch.set_facecolor(COLOURS["masked"])
        image = ax.imshow(
            np.ma.masked_invalid(cells),
            aspect="auto",
            interpolation="nearest",
            cmap=sequential(about.meaning).with_extremes(bad="none"),
            norm=Normalize(low, high if high > low else low + 1.0),
            extent=(0, 24, 6.5, -0.5),
        )
        days = table["days"].groupby(level="weekday").max().reindex(range(7)).fillna(0).astype(int)
        # The number of days in a row is beside its name.
        ax.set_yticks(range(7), [f"{WEEKDAYS[day]}  n = {days[day]}" for day in range(7)])
        ax.tick_params(axis="y", length=0)
        dates.hours_axis(ax, tz)
        if finite.size:
            marks.colour_bar(ax, image, f"Median of the days\n{about.label}")
        else:
            marks.say_no_values(ax)
        if not np.isfinite(cells).all():
            axes.key(ax, "no usable value", "masked")
    else:
        hourly = table.index.name == "hour"
        whole = table.reindex(range(24 if hourly else 7))
        x: Any = np.arange(len(whole)) + 0.5 * hourly
        median, (low, high) = numbers(whole["days_median"]), _middle_of_days(whole)
        of_line, of_area = shades(about.meaning)
        area: dict[str, Any] = {"facecolor": COLOURS[of_area], "alpha": 0.5, "linewidth": 0}
        look: dict[str, Any] = {"label": "median of the days", "facecolors": COLOURS[of_line]}
        if hourly:
            # The line is closed over midnight: the last hour precedes the first.
            around = np.concatenate([[23], np.arange(24), [0]])
            turn = np.arange(-0.5, 25.0)
            middle, *ends = (of[around] for of in (median, low, high))
            if np.isfinite(ends[0]).any():
                ax.fill_between(turn, *ends, label=MIDDLE, **area)
            ax.plot(turn, middle, color=COLOURS[of_line], linewidth=1.4, label="median of the days")
            alone = marks.lone(middle)
            x, median, (low, high) = turn[alone], middle[alone], (end[alone] for end in ends)
            look |= {"label": "", "interval": "", "width": 2.0, "s": 6.0}
        else:
            look |= {"interval": MIDDLE, "width": 4.0, "s": 22.0}
            ax.margins(y=0.1)
        marks.estimates(ax, x, median, (low, high), COLOURS[of_area], **look)
        marks.value_axis(ax.yaxis, about.label, numbers(table["days_median"]))
        below, seen = marks.strip(ax), table["days"].astype(int)
        few = f"{seen.min()} to " if seen.min() < seen.max() else ""
        observed = f"{few}{counted(int(seen.max()), 'day')} observed"
        places, counts = np.arange(len(whole)) + 0.5 * hourly, np.nan_to_num(numbers(whole["days"]))
        below.bar(places, counts, width=0.8, color=COLOURS["hatch"], label=observed)
        marks.strip_axis(below, "Days", float(max(counts.max(), 1.0)))
        if hourly:
            dates.hours_axis(below, tz)
        else:
            dates.weekdays_axis(ax, below)
    ours = title_of(table, days=span_of(table), zone=False)
    axes.finish(ax, ours, title, legend=legend)
    return ax


def _require_profile(table: Any, columns: tuple[str, ...], what: str) -> None:
    """Raise if a table is not the result of `eyelog.rhythm.profile`."""
    require_frame(table, what=what, wanted="a frame and the name of a column")
    require_rows_once(table, what=what)
    require(table, columns, purpose=what, made_by="eyelog.rhythm.profile(frame, column)")
    tables.require_rows(table, what=what)


def _middle_of_days(table: pd.DataFrame) -> tuple[Floats, Floats]:
    """Return the quartiles of the days; none for few days."""
    many = numbers(table["days"]) >= LEAST_DAYS
    low, high = (np.where(many, numbers(table[f"days_{name}"]), np.nan) for name in ("q25", "q75"))
    return low, high


@axes.plot_function
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
    legend: bool | str = True,
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
        night), the note above the legend gives the reason.
    cosinor : Cosinor, optional
        The result of `eyelog.rhythm.cosinor` of the same Series, with a period of 24 h: a dashed
        curve over the hours that were observed, and its peak with one standard error to either
        side. If it was refused, or does not stand out from the variation between days (p of 0.05 or
        more), the note above the legend says so instead.
    limits : Limits, optional
        By which the records of a frame are judged, see `eyelog.Limits`.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    Axes
        With a line of steps through the hourly means, broken where an hour was not observed, a
        line for each window (a gap is in one over midnight), the cosinor and its peak. Each artist
        has its words in the legend as its label.

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
    profile: Any = table
    if column is not None or isinstance(table, pd.Series):
        profile = rhythm.profile(table, column, limits=limits)
        most_active = most_active or rhythm.most_active(table, column, limits=limits)
        least_active = least_active or rhythm.least_active(table, column, limits=limits)
        cosinor = cosinor or rhythm.cosinor(table, column, limits=limits)
    _require_profile(profile, ("mean", "days_q25", "days_q75", "days"), "plot_rhythm")
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
    ax = axes.on(ax, height_mm=58.0)
    about, day, edges = subject(profile), profile.reindex(range(24)), np.arange(25.0)
    of_line, of_area = shades(about.meaning)
    means, (low, high) = numbers(day["mean"]), _middle_of_days(day)
    # Hours that were not observed are gaps in the line.
    steps: dict[str, Any] = {"baseline": None, "color": COLOURS[of_line], "linewidth": 1.4}
    ax.stairs(means, edges, label="mean of the hour", **steps)
    if np.isfinite(low).any():
        band: dict[str, Any] = {"facecolor": COLOURS[of_area], "alpha": 0.45, "linewidth": 0}
        low, high = np.repeat(low, 2), np.repeat(high, 2)
        ax.fill_between(np.repeat(edges, 2)[1:-1], low, high, label=MIDDLE, zorder=1, **band)
    note = list[str]()
    if cosinor is not None and (doubt := doubt_of(cosinor)):
        note.append(f"cosinor: {doubt}")
    elif cosinor is not None:
        # Only over the hours that were observed: elsewhere the curve would be a guess. Where two
        # hours meet, either may be the observed one.
        hours, observed = np.linspace(0, DAY_H, 289), np.isfinite(means)
        after, before = np.minimum(np.floor(hours), 23), np.maximum(np.ceil(hours) - 1, 0)
        hours[~(observed[after.astype(np.int64)] | observed[before.astype(np.int64)])] = np.nan
        angle = 2 * np.pi * (hours - cosinor.peak_h) / DAY_H
        curve = cosinor.mesor + cosinor.amplitude * np.cos(angle)
        colour, top = COLOURS["reference"], cosinor.mesor + cosinor.amplitude
        ax.plot(hours, curve, "--", color=colour, linewidth=1.2, label="cosinor")
        ends = cosinor.peak_h - cosinor.peak_se_h, cosinor.peak_h + cosinor.peak_se_h
        said = f"its peak at {_clock(cosinor.peak_h)}, 1 SE either way"
        ax.plot(ends, (top, top), color=colour, linewidth=2.2, label=said)
    for window, name, colour in (
        (most_active, "most active", of_line),
        (least_active, "least active", "trace"),
    ):
        if window is not None and np.isfinite(window.mean):
            closes = window.start + window.hours
            x = [window.start, min(closes, DAY_H)]
            if closes > DAY_H:  # in two parts
                x += [np.nan, 0.0, closes - DAY_H]
            mean = f"{marks.number(window.mean, 3)} {about.unit}".rstrip()
            said = f"{name[0].upper()}{window.hours:g}: {mean}, from {_clock(window.start)}"
            look: dict[str, Any] = {"color": COLOURS[colour], "linewidth": 3.0, "zorder": 4}
            y = np.where(np.isnan(x), np.nan, window.mean)
            ax.plot(x, y, solid_capstyle="butt", label=said, **look)
        elif window is not None:
            note.append(f"{name} hours: {window.reason.split(' (')[0].split(':')[0]}")
    marks.value_axis(ax.yaxis, about.label, means)
    if not np.nan_to_num(means).any():  # limits around 0 alone would be hundredths
        ax.set_ylim(0.0, 1.0)
    dates.hours_axis(ax, last_step(profile).get("tz"))
    ours = title_of(profile, days=span_of(profile), zone=False)
    axes.finish(ax, ours, title, legend=legend, note="\n".join(note))
    return ax


def _clock(hours: float) -> str:
    minutes = round(hours * 60) % 1440
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
