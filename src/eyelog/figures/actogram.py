"""Many days below each other: the states of a wearer or a value, or when each wearer wore it."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, FuncFormatter

from eyelog.analysis.limits import Limits
from eyelog.analysis.series.arrays import Bools, Floats, Ints, numbers
from eyelog.clock import DAY_US, LocalClock, local_days, time_of_day_us
from eyelog.errors import ConfigurationError
from eyelog.figures import ribbon
from eyelog.figures.calendar_axis import day_axis, is_weekend, shade_weekends
from eyelog.figures.drawing import grid, length_pt, plot_function, set_title
from eyelog.figures.events import event_us, key_words, numbered, require_events, spread_apart
from eyelog.figures.labels import short_names, title_of
from eyelog.figures.legends import Entry, legend, line, patch
from eyelog.figures.marks import counted, number, pale, value_axis
from eyelog.figures.named import series_label, series_meaning
from eyelog.figures.style import COLOURS, HATCH
from eyelog.figures.styled_figure import own_figure
from eyelog.figures.tables import require_order, require_rows, row_seconds, rows_of_days, stamps
from eyelog.frame import ACCOUNT, require
from eyelog.provenance import history, stated_log

__all__ = ["plot_actogram"]

LEAST_H: Final = pd.Timedelta(Limits().min_day) / pd.Timedelta("1h")
CLASSES_H: Final = (LEAST_H, 8.0, 12.0)
CLASSES: Final = ("worn 4 to 8 h", "worn 8 to 12 h", "usable")
THIN_SHARE: Final = 0.5  # of white in the palest class, where cells are too low to be hollow
COLUMN_MIN: Final = 15
MOST_ROW_S: Final = 3600.0
LEVELS: Final = 20  # heights that a column of a row may have
FOOT: Final = 1  # levels beneath those of a value
GAP_LEVELS: Final = 3  # of white between two rows
MOST_IMAGE_ROWS: Final = 3000
MOST_ROWS_APART: Final = 60
"""With more rows than this, rows touch, and wearers have no names."""
ROW_MM: Final = 4.0
LEAST_MM, MOST_MM = 24.0, 120.0  # at most 170 mm with title, legend and key
AROUND_MM: Final = 32.0
KEY_MM: Final = 10.0  # of them, for the key to the events
LANE_WIDTH: Final = {"Worn (h)": 0.26, "Diary": 0.1}
DISC_PT: Final = 7.0
DISC_APART_PT: Final = 8.0
MOST_DISCS: Final = 18  # in a row of one column of a journal
LONG_H: Final = 24.0  # an event that lasts longer is a bar beside the days


@plot_function
def plot_actogram(
    states_or_values: pd.Series | pd.DataFrame,
    *,
    double: bool = True,
    events: pd.DataFrame | None = None,
    title: str | None = None,
) -> "np.ndarray[Any, np.dtype[np.object_]]":
    """Draw many days below each other: states, a value, or when each wearer wore the eyewear.

    Parameters
    ----------
    states_or_values : Series or DataFrame
        For one wearer the states (`eyelog.states`) or a column of a frame, such as
        ``frame["hm_yo"]`` or one after `eyelog.resample`, whose stamps close their intervals. For
        many wearers a table of days with ``worn_h``, indexed by ``account`` and ``day``
        (`eyelog.cohort.daily`).
    double : bool
        Whether each row shows its day and the day after, so that nights are complete in the middle.
        A table of days has one cell for each day in any case.
    events : DataFrame, optional
        The diary, as returned by `eyelog.read_events`: moments and spans are numbered at their
        times, spans of more than a day are bars beside the days. Only for one wearer.
    title
        As in `eyelog.plot_daily`.

    Returns
    -------
    array of Axes
        One wearer: the days, with an image of as many columns as a row has quarters of an hour (or
        longer rows), then hours worn (for states) and the diary (with events). Many wearers: the
        days, days that count, and beneath them the wearers of each day; the labels are ``_days that
        count`` and ``_wearers``.

    Raises
    ------
    FieldError
        If a table of days lacks ``worn_h``.
    ConfigurationError
        If this is neither of these, there are no rows, rows last longer than an hour, the wearer's
        zone varies, or events are given for many wearers.

    Notes
    -----
    Of states, the height of a column is the share of its time that each state took; of a value it
    is the mean of its time, from 0 (or the smallest value below it) to the largest. A measured 0 is
    a line at the foot, a row without a value is grey, and time without a record is hatched. On the
    day on which the clocks go back, the repeated hour shows the mean of both passes. Hours worn are
    those of whole records; `eyelog.daily` counts the seconds of a minute: 1 to 2 % fewer.

    Examples
    --------
    >>> import eyelog as el
    >>> days, worn = el.plot_actogram(el.states(el.sample("standard_mode_logs")))
    >>> days.images[0].get_array().shape[1]
    192
    >>> worn.get_xlabel()
    'Worn (h)'
    """
    if isinstance(states_or_values, pd.DataFrame):
        if events is not None:
            raise ConfigurationError("plot_actogram takes events= of one wearer, not of a table")
        return _who_wore_when(states_or_values, title)
    series = _series(states_or_values)
    index = stamps(series.index, what="plot_actogram")
    require_order(index, what="plot_actogram", name="series")
    if any(step.get("zones_vary") for step in history(series)):
        raise ConfigurationError(
            "plot_actogram draws days of one zone, and the zone of this wearer varies: convert the"
            ' stamps first, series.tz_convert("Asia/Tokyo")'
        )
    clock = LocalClock(index.tz)
    of_days = rows_of_days(index, clock)
    series, index = series[of_days], index[of_days]
    dates = local_days(index, clock=clock)
    days = pd.date_range(dates.min(), dates.max(), freq="D", unit="us")
    rows = np.asarray((dates - days[0]).days, dtype=np.int64)
    if isinstance(series.dtype, pd.CategoricalDtype):
        cells, worn, entries = _states(series, index, rows, len(days), clock)
    else:
        cells, entries = _values(series, index, rows, len(days), clock)
        worn = None
    lanes = [
        *(["Worn (h)"] if worn is not None else []),
        *(["Diary"] if events is not None else []),
    ]
    height = float(np.clip(ROW_MM * len(days), LEAST_MM, MOST_MM))
    made = grid(
        [height], [1.0, *(LANE_WIDTH[lane] for lane in lanes)], sharey=True, around_mm=AROUND_MM
    )[0]
    _draw_days(made[0], cells, days, clock, double=double)
    for ax, lane in zip(made[1:], lanes, strict=True):
        ax.set_xlabel(lane)
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
    if worn is not None:
        entries += _draw_worn(made[1], worn)
    if is_weekend(days).any():
        entries.append(patch("weekend", "weekend strip"))
    legend(made[0], entries)
    if events is not None:
        _draw_events(made[0], made[-1], events, days, clock, double=double)
    set_title(made[0], title_of(series, days=days, zone=False), title)
    return cast("np.ndarray[Any, np.dtype[np.object_]]", made)


def _series(given: Any) -> pd.Series:
    if isinstance(given, pd.Series):
        if isinstance(given.dtype, pd.CategoricalDtype):
            return ribbon.require_states(given, what="plot_actogram")
        if pd.api.types.is_numeric_dtype(given.dtype):
            return given
        raise ConfigurationError(f"plot_actogram draws states or numbers, not {given.dtype}")
    raise ConfigurationError(
        "plot_actogram takes eyelog.states(frame), a column of a frame, or the days of many"
        f" wearers, not {type(given).__name__}"
    )


def _states(
    series: pd.Series, index: pd.DatetimeIndex, rows: Ints, n: int, clock: LocalClock
) -> tuple[Floats, Floats, list[Entry]]:
    """Return the colours of each level of each column, the hours worn and usable, the legend."""
    seconds = ribbon.at_most_a_minute(row_seconds(series, None), what="plot_actogram")
    codes = ribbon.state_codes(series)
    shares = ribbon.day_shares(index, codes, rows, n, seconds, clock, column_min=COLUMN_MIN)
    tops = np.cumsum(shares, axis=2)
    # The middle of a level is in the first state whose top is above it, or in none.
    middles = (np.arange(LEVELS) + 0.5) / LEVELS
    place = (middles[:, None, None, None] > tops[None]).sum(axis=3)
    look = np.array([*(to_rgba(COLOURS[name]) for name in ribbon.NAMES), (1.0, 1.0, 1.0, 0.0)])
    hours = shares.sum(axis=1) * (COLUMN_MIN / 60)
    of = {name: hours[:, code] for code, name in enumerate(ribbon.NAMES)}
    worn = np.stack([of["usable"] + of["walking"] + of["noisy"], of["usable"]], axis=1)
    return look[place].transpose(1, 0, 2, 3), worn, ribbon.entries(codes)


def _values(
    series: pd.Series, index: pd.DatetimeIndex, rows: Ints, n: int, clock: LocalClock
) -> tuple[Floats, list[Entry]]:
    """Return the colours of each level of each column of a value, and the legend."""
    seconds = row_seconds(series, stated_log(series))
    if not 0 < seconds <= MOST_ROW_S:
        raise ConfigurationError(
            f"plot_actogram draws rows of an hour at most, and these last {seconds:g} s: resample"
        )
    minutes = next(step for step in (COLUMN_MIN, 30, 60) if seconds <= step * 60)
    columns = 1440 // minutes
    # A stamp closes its interval, which is before it.
    slot = (time_of_day_us(index, clock=clock) - 1) // (DAY_US // columns)
    cell, values = rows * columns + slot, numbers(series)
    finite = np.isfinite(values)
    size = n * columns
    count = np.bincount(cell[finite], minlength=size)
    total = np.bincount(cell[finite], weights=values[finite], minlength=size)
    mean = np.full(size, np.nan)
    np.divide(total, count, out=mean, where=count > 0)
    recorded = np.bincount(cell, minlength=size) > 0
    low = min(0.0, float(np.nanmin(mean))) if finite.any() else 0.0
    high = max(float(np.nanmax(mean)), low) if finite.any() else 1.0
    levels = (mean - low) / ((high - low) or 1.0) * LEVELS
    above = np.arange(LEVELS)[:, None] + 0.5 > levels[None]
    meaning = series_meaning(series)
    # At the foot of every value stands a level in its colour: a measured 0 is a line, not nothing.
    look = np.empty((FOOT + LEVELS, size, 4))
    look[:] = to_rgba(COLOURS[meaning])
    look[FOOT:][above] = (1.0, 1.0, 1.0, 1.0)
    look[:, count == 0] = to_rgba(COLOURS["masked"])
    look[:, ~recorded] = (1.0, 1.0, 1.0, 0.0)
    words = f"{series_label(series)}: {number(low, 3)} to {number(high, 3)}"
    entries = [patch(words, meaning)]
    if (mean <= low).any():
        entries.append(line(f"measured {number(low, 3)}", meaning))
    if (recorded & (count == 0)).any():
        entries.append(patch("no usable value", "masked"))
    if not recorded.all():
        entries.append(patch("no record"))
    return look.reshape(FOOT + LEVELS, n, columns, 4).transpose(1, 0, 2, 3), entries


def _draw_days(
    ax: Axes, cells: Floats, days: pd.DatetimeIndex, clock: LocalClock, *, double: bool
) -> None:
    """Draw the rows as one image over the hatching of time without records."""
    n, levels, columns, _ = cells.shape
    sides = 2 if double else 1
    if double:
        after = np.concatenate([cells[1:], np.zeros_like(cells[:1])])
        cells = np.concatenate([cells, after], axis=2)
    apart = n <= MOST_ROWS_APART
    # Of many days, fewer levels: an image has no more rows than a printed page can show.
    thinned = cells[:, :: max(1, -(-n * levels // MOST_IMAGE_ROWS))]
    drawn = thinned[:, ::-1]
    half = 0.5
    if apart:
        room = np.zeros((n, GAP_LEVELS, columns * sides, 4))
        room[..., :3] = 1.0
        drawn = np.concatenate([room, drawn, room], axis=1)
        half = 0.5 * levels / (levels + 2 * GAP_LEVELS)
    ax.imshow(
        drawn.reshape(-1, columns * sides, 4),
        aspect="auto",
        extent=(0.0, 24.0 * sides, n - 0.5, -0.5),
        interpolation="nearest",
        zorder=1,
    )
    for side in range(sides):
        shown = days[side:]
        for row, day in enumerate(shown):
            if apart and day.day_of_week >= 5:
                _block(ax, side, row, 0.5, facecolor=COLOURS["weekend strip"], zorder=0.2)
            if apart:
                _block(ax, side, row, half, hatch=HATCH, zorder=0.5)
        if not apart and len(shown):
            middle = (len(shown) - 1) / 2
            _block(ax, side, middle, len(shown) / 2, hatch=HATCH, zorder=0.5)
    if double:
        ax.axvline(24.0, color=COLOURS["axis"], linewidth=0.7, zorder=3)
    ax.set_xlim(0.0, 24.0 * sides)
    ax.set_ylim(n - 0.5, -0.5)
    ax.xaxis.set_major_locator(FixedLocator([6.0 * step for step in range(4 * sides + 1)]))
    ax.xaxis.set_major_formatter(FuncFormatter(_hour))
    halves = "\nday of the row | day after it" if double else ""
    ax.set_xlabel(f"Time of day ({clock.tz}){halves}")
    day_axis(ax.yaxis, days)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def _block(ax: Axes, side: int, row: float, half: float, **look: Any) -> None:
    """Draw the background of a row, or of many: hatched, or in a colour."""
    ground: dict[str, Any] = {
        "facecolor": COLOURS["no record"],
        "edgecolor": COLOURS["hatch"],
        "linewidth": 0.0,
    } | look
    (bar,) = ax.barh(row, 24.0, height=2 * half, left=24.0 * side, **ground)
    bar.set_label("_no record" if "hatch" in look else "_weekend")


def _hour(hour: float, _: float | None = None) -> str:
    return "24" if hour in (24.0, 48.0) else f"{hour % 24:02.0f}"


def _draw_worn(ax: Axes, worn: Floats) -> list[Entry]:
    """Draw the hours worn on each day, with the usable ones in front."""
    rows, full = np.arange(len(worn)), worn[:, 0] >= LEAST_H
    entries = [patch("worn, not usable (hours)", "worn")]
    bars = ax.barh(rows[full], worn[full, 0], 0.55, color=COLOURS["worn"])
    front = ax.barh(rows[full], worn[full, 1], 0.55, color=COLOURS["usable"])
    thin = ax.barh(rows[~full], worn[~full, 0], 0.55, facecolor="white")
    for group, name in ((bars, "worn"), (front, "usable"), (thin, "thin")):
        for bar in group:
            bar.set_label(f"_{name}")
    for bar in thin:
        bar.set(edgecolor=COLOURS["usable"], linewidth=0.7)
    if not full.all():
        hollow = Patch(facecolor="white", edgecolor=COLOURS["usable"], linewidth=0.7)
        entries.append((f"thin: worn under {LEAST_H:g} h", hollow))
    ax.set_xlim(0.0, max(8.0, 1.05 * float(worn.max())))
    value_axis(ax.xaxis, most=3)
    ax.tick_params(axis="y", labelleft=False)
    return entries


def _draw_events(
    ax: Axes, lane: Axes, events: pd.DataFrame, days: pd.DatetimeIndex, clock: LocalClock,
    *, double: bool,
) -> None:  # fmt: skip
    """Number the events: moments and short spans at their times, long ones beside the days."""
    spans = event_us(require_events(events, what="plot_actogram"))
    keys = numbered(name for *_, name in spans)
    first_us = int(days.asi8[0])
    discs: list[tuple[int, float, int]] = []  # row, hour, key
    bars: list[tuple[float, float, int]] = []
    for start, end, name in spans:
        walls = clock.wall_us(np.array([start, start if end is None else end])) - first_us
        opens, closes = (float(wall) / DAY_US for wall in walls)
        if closes < 0 or opens >= len(days):
            continue
        if (closes - opens) * 24 > LONG_H:
            bars.append((max(opens, 0.0), min(closes, float(len(days))), keys[name]))
            continue
        row = int(opens // 1)
        hour = (opens - row) * 24
        for place, left in ((row, hour), (row - 1, hour + 24)) if double else ((row, hour),):
            if 0 <= place < len(days):
                long_h = min((closes - opens) * 24, (48 if double else 24) - left)
                _tick(ax, place, left, long_h)
                discs.append((place, left, keys[name]))
    discs.sort()
    _refuse_too_many(discs, days, 48.0 if double else 24.0)
    of_days = [(_leader(ax), _disc(ax, hour, row, key)) for row, hour, key in discs]
    fit = partial(_fit_discs, ax, [(row, hour) for row, hour, _ in discs], of_days)
    fit()
    _draw_bars(lane, bars)
    if discs or bars:
        figure = own_figure(ax)
        shown = {key for *_, key in [*discs, *bars]}
        if figure is not None:
            figure.set_note("", key_words({name: k for name, k in keys.items() if k in shown}))
            marker = line("diary", "event", marker="o", linestyle="")
            cast(Line2D, marker[1]).set_markersize(5.0)
            figure.add_entries([marker])
            figure.fits.append(fit)
            figure.make_room(already_mm=KEY_MM)


def _tick(ax: Axes, row: int, hour: float, long_h: float) -> None:
    mark = ax.vlines(hour, row - 0.5, row + 0.5, color=COLOURS["event"], linewidth=1.0, zorder=4)
    mark.set_label("_event")
    if long_h > 0:
        ax.hlines(row, hour, hour + long_h, color=COLOURS["event"], linewidth=1.6, zorder=4)


def _refuse_too_many(
    discs: list[tuple[int, float, int]], days: pd.DatetimeIndex, hours: float
) -> None:
    rows = Counter(row for row, *_ in discs)
    row, number = max(rows.items(), key=lambda one: one[1], default=(0, 0))
    if number > MOST_DISCS:
        raise ConfigurationError(
            f"plot_actogram has room for the numbers of {MOST_DISCS} events in a row of"
            f" {hours:.0f} h, and the row of {days[row]:%Y-%m-%d} has {number}: choose some of the"
            " events, or draw plot_day"
        )


def _leader(ax: Axes) -> Line2D:
    (leader,) = ax.plot([], [], color=COLOURS["event"], linewidth=0.6, zorder=4.5)
    leader.set(label="_leader", solid_capstyle="butt")
    return leader


def _fit_discs(
    ax: Axes, moments: Sequence[tuple[int, float]], drawn: Sequence[tuple[Line2D, tuple[Any, Any]]]
) -> None:
    """Move the discs of each row apart, as near as they can be, and lead from each to its time."""
    figure = own_figure(ax)
    if figure is not None:
        figure.lay_out()
    pt_per_h = length_pt(ax.xaxis) / float(np.diff(ax.get_xlim())[0])
    for row in {row for row, _ in moments}:
        mine = sorted((hour, place) for place, (own, hour) in enumerate(moments) if own == row)
        apart = min(DISC_APART_PT / pt_per_h, float(ax.get_xlim()[1]) / len(mine))
        ends = apart / 2, float(ax.get_xlim()[1]) - apart / 2
        hours = spread_apart([hour for hour, _ in mine], *ends, apart)
        for (at, place), hour in zip(mine, hours, strict=True):
            leader, (dot, text) = drawn[place]
            dot.set_xdata([hour])
            text.set_x(hour)
            moved = abs(hour - at) > apart / 4
            # From the top of the tick: beside it, a line would lead to all discs of the row.
            leader.set_data([at, hour] if moved else [], [row - 0.5, row] if moved else [])


def _disc(ax: Axes, x: float, y: float, key: int) -> tuple[Line2D, Text]:
    dot = ax.plot([x], [y], "o", color=COLOURS["event"], markersize=DISC_PT, zorder=5)[0]
    dot.set(markeredgecolor="white", markeredgewidth=0.5, clip_on=False, label="_disc")
    text = ax.text(x, y, str(key), color="white", fontsize=5.0, weight="bold", zorder=6)
    text.set(ha="center", va="center_baseline")
    return dot, text


def _draw_bars(lane: Axes, bars: list[tuple[float, float, int]]) -> None:
    """Draw the long events as bars, beside each other where they overlap."""
    ends: list[float] = []
    for opens, closes, key in sorted(bars):
        place = next((i for i, end in enumerate(ends) if end <= opens), len(ends))
        ends[place : place + 1] = [closes]
        (bar,) = lane.barh((opens + closes) / 2 - 0.5, 0.3, closes - opens, place)
        bar.set(facecolor=COLOURS["event"], label="_span")
        _disc(lane, place + 0.15, (opens + closes) / 2 - 0.5, key)
    lane.set_xlim(-0.3, max(2.0, len(ends)) + 0.3)
    lane.xaxis.set_visible(False)  # the key under the figure says what it is
    lane.spines["bottom"].set_visible(False)
    lane.tick_params(axis="y", labelleft=False)


def _who_wore_when(
    table: pd.DataFrame, given_title: str | None
) -> "np.ndarray[Any, np.dtype[np.object_]]":
    """Draw a cell for each wearer and day, days that count beside, wearers of each day beneath."""
    require(table, ["worn_h"], purpose="plot_actogram")
    if list(table.index.names) != [ACCOUNT, "day"]:
        raise ConfigurationError(
            "plot_actogram takes the days of many wearers, indexed by account and day, as of"
            " eyelog.cohort.daily; of one wearer pass eyelog.states(frame)"
        )
    require_rows(table, what="plot_actogram")
    if table.index.has_duplicates:
        account, day = table.index[table.index.duplicated()][0]
        raise ConfigurationError(f"{account!r} has two rows for {day:%Y-%m-%d}: one per day")
    wide = table["worn_h"].unstack("day").astype("float64")  # noqa: PD010 - no two are one
    days = pd.date_range(wide.columns.min(), wide.columns.max(), freq="D")
    wide = wide.reindex(columns=days)
    hours = wide.to_numpy()
    full = hours >= LEAST_H
    order = np.lexsort((np.arange(len(wide)), -full.sum(axis=1)))
    hours, full, names = hours[order], full[order], [str(wide.index[i]) for i in order]
    height = float(np.clip(3.2 * len(names), LEAST_MM, MOST_MM - 24.0))
    made = grid([height, 18.0], [1.0, 0.22], sharex=True, around_mm=AROUND_MM)
    made[1, 1].remove()
    cells, beside, beneath = made[0, 0], made[0, 1], made[1, 0]
    _draw_cells(cells, hours, full)
    _draw_counts(cells, beside, names, full.sum(axis=1))
    steps = beneath.stairs(full.sum(axis=0), np.arange(len(days) + 1) - 0.5)
    steps.set(color=COLOURS["usable"], linewidth=1.2, label="_wearers")
    shade_weekends(beneath, days)
    beneath.set_ylim(0.0, max(1.0, 1.1 * float(full.sum(axis=0).max())))
    beneath.set_ylabel("Wearers")
    value_axis(beneath.yaxis, most=3, whole=True)
    day_axis(beneath.xaxis, days)
    beneath.set_xlim(-0.5, len(days) - 0.5)
    legend(cells, _classes(hours))
    if (figure := own_figure(cells)) is not None:
        white = "" if _inside(hours).all() else "white: before a wearer joined or after leaving; "
        figure.set_note("", f"{white}rows sorted by days that count")
    if is_weekend(days).any():
        legend(cells, [patch("weekend")])
    who = counted(len(names), "wearer")
    set_title(cells, title_of(table, wearer=who, days=days, zone=False), given_title)
    return np.array([cells, beside, beneath], dtype=object)


def _inside(hours: Floats) -> Bools:
    """Return which cells lie between the first and the last day of their wearer."""
    measured = np.isfinite(hours)
    since = np.maximum.accumulate(measured, axis=1)
    until = np.maximum.accumulate(measured[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(since & until)


def _classes(hours: Floats) -> list[Entry]:
    """Return the legend of the cells that are drawn."""
    words = ("4 to 8 h", "8 to 12 h", "12 h worn or more")
    place = np.searchsorted(CLASSES_H, hours[np.isfinite(hours)], side="right") - 1
    entries = [patch(words[of], CLASSES[of]) for of in (2, 1, 0) if (place == of).any()]
    if (place < 0).any():
        thin = Patch(facecolor="white", edgecolor=COLOURS["usable"], linewidth=0.7)
        if len(hours) > MOST_ROWS_APART:
            thin = Patch(facecolor=pale(COLOURS[CLASSES[0]], THIN_SHARE))
        entries.append((f"thin: under {LEAST_H:g} h", thin))
    if (_inside(hours) & np.isnan(hours)).any():
        entries.append(patch("no record"))
    return entries


def _draw_cells(ax: Axes, hours: Floats, full: Bools) -> None:
    """Draw the cells; white is before a wearer joined or after leaving, hatched is no record."""
    n, width = hours.shape
    measured = np.isfinite(hours)
    colour = np.array([to_rgba(COLOURS[name]) for name in CLASSES])
    image = np.ones((n, width, 4))
    place = np.clip(np.searchsorted(CLASSES_H, np.nan_to_num(hours), side="right") - 1, 0, 2)
    image[full] = colour[place[full]]
    thin, apart = measured & ~full, n <= MOST_ROWS_APART
    if not apart:  # a hollow cell of half a millimetre would be all edge
        image[thin] = (*pale(COLOURS[CLASSES[0]], THIN_SHARE), 1.0)
    image[~measured, 3] = 0.0
    ax.imshow(
        image, aspect="auto", interpolation="nearest", zorder=1,
        extent=(-0.5, width - 0.5, n - 0.5, -0.5),
    )  # fmt: skip
    some = measured.any(axis=1)
    first, last = measured.argmax(axis=1), width - 1 - measured[:, ::-1].argmax(axis=1)
    ground = ax.barh(np.flatnonzero(some), (last - first + 1)[some], 1.0, first[some] - 0.5)
    for bar in ground:
        bar.set(facecolor="white", edgecolor=COLOURS["hatch"], hatch=HATCH, linewidth=0.0)
        bar.set(zorder=0.5, label="_no record")
    if apart:
        rows, columns = np.nonzero(thin)
        for bar in ax.barh(rows, 0.7, 0.6, columns - 0.35, facecolor="white", zorder=1.5):
            bar.set(edgecolor=COLOURS["usable"], linewidth=0.7, label="_thin")
        ax.hlines(np.arange(n + 1) - 0.5, -0.5, width - 0.5, color="white", linewidth=1.4, zorder=2)
        if width <= MOST_ROWS_APART:
            ax.vlines(np.arange(width + 1) - 0.5, -0.5, n - 0.5, color="white", zorder=2)
    ax.set_ylim(n - 0.5, -0.5)
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    ax.tick_params(length=0, labelbottom=False)


def _draw_counts(cells: Axes, ax: Axes, names: list[str], counts: Ints) -> None:
    """Draw the days that count of each wearer, with the names beside the cells if they fit."""
    rows = np.arange(len(names))
    dots = ax.scatter(counts, rows, s=8.0 if len(names) <= MOST_ROWS_APART else 2.0)
    dots.set(color=COLOURS["usable"], linewidths=0, label="_days that count", clip_on=False)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlim(0.0, max(1.0, float(counts.max())))
    # Its right end is that of the panel, which may be narrower than the words.
    ax.set_xlabel("Days\nthat count", horizontalalignment="right", x=1.0)
    ax.tick_params(axis="x", labelbottom=True)  # the axis that it shares has been removed
    value_axis(ax.xaxis, most=3, whole=True)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    if len(names) > MOST_ROWS_APART:
        cells.set_yticks([])
        cells.set_ylabel("Wearers, by days that count")
        return
    cells.set_yticks(rows, short_names(names))
    figure = own_figure(cells)
    if figure is not None:
        figure.fits.append(partial(_fit_names, cells, len(names)))


def _fit_names(ax: Axes, n: int) -> None:
    """Make the names as small as their rows are low, between 5 and 7 pt."""
    row_pt = 72.0 * float(ax.bbox.height) / n / float(cast(Any, ax.figure).dpi)
    ax.tick_params(axis="y", labelsize=float(np.clip(0.85 * row_pt, 5.0, 7.0)))
