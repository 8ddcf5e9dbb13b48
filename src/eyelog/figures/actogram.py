"""Many days below each other: the states of a wearer or a value, or when each wearer wore it."""

from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import FigureBase
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter

from eyelog.clock import DAY_US, LocalClock, local_days, time_of_day_us
from eyelog.errors import ConfigurationError, counted
from eyelog.figures import ribbon
from eyelog.figures.axes import (
    Entry,
    grid,
    legend,
    length_pt,
    line,
    patch,
    plot_function,
    set_note,
    set_title,
)
from eyelog.figures.calendar_axis import day_axis, is_weekend, shade_weekends
from eyelog.figures.events import event_us, key_words, require_events
from eyelog.figures.labels import short_names, title_of
from eyelog.figures.marks import number, pale, value_axis
from eyelog.figures.named import series_label, series_meaning
from eyelog.figures.style import COLOURS, HATCH
from eyelog.figures.tables import (
    closing,
    judged,
    log_or_none,
    require_order,
    require_rows,
    row_seconds,
    rows_of_days,
    stamps,
)
from eyelog.frame import ACCOUNT, clock_of, history, require
from eyelog.judge.arrays import Bools, Floats, Ints, numbers
from eyelog.judge.flag import states
from eyelog.judge.limits import Limits
from eyelog.series.observed import refuse_records, refuse_sentinel

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
# With more rows than this, rows touch, and wearers have no names
MOST_ROWS_APART: Final = 60
ROW_MM: Final = 4.0
LEAST_MM, MOST_MM = 24.0, 120.0  # at most 170 mm with title, legend and key
AROUND_MM: Final = 32.0
LANE_WIDTH: Final = {"Worn (h)": 0.26, "Diary": 0.1}
LONG_H: Final = 24.0  # an event that lasts longer is a bar beside the days


@plot_function
def plot_actogram(
    table: pd.DataFrame | pd.Series,
    column: str | None = None,
    *,
    double: bool = True,
    events: pd.DataFrame | None = None,
    limits: Limits | None = None,
    fig: FigureBase | None = None,
    title: str | None = None,
) -> "np.ndarray[Any, np.dtype[np.object_]]":
    """Draw many days below each other: states, a value, or when each wearer wore the eyewear.

    Parameters
    ----------
    table : DataFrame or Series
        For one wearer a frame, of records or of bins (`eyelog.resample`), the result of
        `eyelog.states`, or a Series of your own, whose stamps open its rows. For many wearers a
        table of days with ``worn_h``, indexed by ``account`` and ``day`` (`eyelog.cohort.daily`).
    column : str, optional
        The column of the frame, such as ``"hm_yo"``, whose values are judged; by default the state
        of the eyewear.
    double : bool
        Whether each row shows its day and the day after, so that nights are complete in the middle.
        A table of days has one cell for each day in any case.
    events : DataFrame, optional
        The diary, as returned by `eyelog.read_events`: moments and spans are numbered at their
        times, spans of more than a day are bars beside the days. Only for one wearer.
    limits : Limits, optional
        By which the records of a frame are judged, see `eyelog.Limits`.
    fig : Figure or SubFigure, optional
        A figure of matplotlib without Axes, or a part of one (``figure.subfigures(1, 2)``), to draw
        in; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.

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
        If a table of days lacks ``worn_h``, or the frame the column.
    ConfigurationError
        If this is none of these, a Series holds a field of records, there are no rows, rows last
        longer than an hour, states are those of a wearer whose zone varies, or events are given for
        many wearers.

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
    >>> days, worn = el.plot_actogram(el.sample("standard_mode_logs"))
    >>> days.images[0].get_array().shape[1]
    192
    >>> worn.get_xlabel()
    'Worn (h)'
    """
    if isinstance(table, pd.DataFrame) and not _is_frame(table):
        if events is not None:
            raise ConfigurationError("plot_actogram takes events= of one wearer, not of a table")
        return _who_wore_when(table, title, fig)
    series, seconds, clock = _rows(table, column, limits)
    index = cast(pd.DatetimeIndex, series.index)
    of_days = rows_of_days(index, clock)
    series, index = series[of_days], index[of_days]
    dates = local_days(index, clock=clock)
    days = pd.date_range(dates.min(), dates.max(), freq="D", unit="us")
    rows = np.asarray((dates - days[0]).days, dtype=np.int64)
    if isinstance(series.dtype, pd.CategoricalDtype):
        cells, worn, entries = _states(series, index, rows, len(days), seconds, clock)
    else:
        cells, entries = _values(series, index, rows, len(days), seconds, clock)
        worn = None
    lanes = [
        *(["Worn (h)"] if worn is not None else []),
        *(["Diary"] if events is not None else []),
    ]
    height = float(np.clip(ROW_MM * len(days), LEAST_MM, MOST_MM))
    made = grid(
        [height],
        [1.0, *(LANE_WIDTH[lane] for lane in lanes)],
        sharey=True,
        around_mm=AROUND_MM,
        fig=fig,
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
    key = ""
    if events is not None:
        key = _draw_events(made[0], made[-1], events, days, clock, double=double)
        entries += [line("diary", "event", linewidth=1.0)] if key else []
    set_note(made[0], "", key)
    legend(made[0], entries, note=key)
    set_title(made[0], title_of(series, days=days, zone=False), title, fig=fig)
    return cast("np.ndarray[Any, np.dtype[np.object_]]", made)


def _is_frame(table: pd.DataFrame) -> bool:
    """Return whether a table has the rows of one wearer, not the days of many."""
    return isinstance(table.index, pd.DatetimeIndex) and table.index.tz is not None


def _rows(
    given: Any, column: str | None, limits: Limits | None
) -> tuple[pd.Series, float, LocalClock]:
    """Return states or values by the stamps that close them, how long each lasts, and the clock."""
    what = "plot_actogram"
    if isinstance(given, pd.DataFrame):
        stamps(given.index, what=what)
        require_order(cast(pd.DatetimeIndex, given.index), what=what, name="frame")
        seconds, clock = row_seconds(given, log_or_none(given)), clock_of(given)
        if column is None:
            return states(given, limits=limits), seconds, clock
        require(given, [column], purpose=what)
        series = judged(closing(given), [column], limits, what=what)[column]
    elif isinstance(given, pd.Series):
        if column is not None or limits is not None:
            raise ConfigurationError(
                f"{what}: column= and limits= are of a frame: pass {what}(frame, column)"
            )
        series = given
        index = stamps(series.index, what=what)
        require_order(index, what=what, name="series")
        if any(step.get("zones_vary") for step in history(series)):
            raise ConfigurationError(
                f"{what} needs the wearer's clock, and a Series does not hold it where the zone"
                " varies: pass the frame itself"
            )
        seconds, clock = row_seconds(series, None), LocalClock(index.tz)
        if isinstance(series.dtype, pd.CategoricalDtype):
            return ribbon.require_states(series, what=what), seconds, clock
        if pd.api.types.is_numeric_dtype(series.dtype):
            refuse_records(series, what=what)
            refuse_sentinel(series, what=what)
        series = series.set_axis(index + pd.Timedelta(seconds, "s"))
    else:
        raise ConfigurationError(
            f"{what} takes a frame, eyelog.states(frame), or the days of many wearers, not"
            f" {type(given).__name__}"
        )
    if not pd.api.types.is_numeric_dtype(series.dtype):
        raise ConfigurationError(f"{what} draws states or numbers, not {series.dtype}")
    return series, seconds, clock


def _states(
    series: pd.Series,
    index: pd.DatetimeIndex,
    rows: Ints,
    n: int,
    seconds: float,
    clock: LocalClock,
) -> tuple[Floats, Floats, list[Entry]]:
    """Return the colours of each level of each column, the hours worn and usable, the legend."""
    ribbon.at_most_a_minute(seconds, what="plot_actogram")
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
    series: pd.Series,
    index: pd.DatetimeIndex,
    rows: Ints,
    n: int,
    seconds: float,
    clock: LocalClock,
) -> tuple[Floats, list[Entry]]:
    """Return the colours of each level of each column of a value, and the legend."""
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
    zone = "" if clock.tz is None else f" ({clock.tz})"
    ax.set_xlabel(f"Time of day{zone}{halves}")
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
) -> str:  # fmt: skip
    """Number events at their times, long ones beside the days; return the key to the numbers."""
    spans = event_us(require_events(events, what="plot_actogram"))
    keys = {name: key for key, name in enumerate(dict.fromkeys(name for *_, name in spans), 1)}
    first_us = int(days.asi8[0])
    bars: list[tuple[float, float, str]] = []
    shown: set[str] = set()
    for start, end, name in spans:
        walls = clock.wall_us(np.array([start, start if end is None else end])) - first_us
        opens, closes = (float(wall) / DAY_US for wall in walls)
        if closes < 0 or opens >= len(days):
            continue
        shown.add(name)
        if (closes - opens) * 24 > LONG_H:
            bars.append((max(opens, 0.0), min(closes, float(len(days))), name))
            continue
        row = int(opens // 1)
        hour = (opens - row) * 24
        for place, left in ((row, hour), (row - 1, hour + 24)) if double else ((row, hour),):
            if 0 <= place < len(days):
                right = left + min((closes - opens) * 24, (48 if double else 24) - left)
                mark = ax.vlines(left, place - 0.5, place + 0.5, color=COLOURS["event"], zorder=4)
                mark.set(linewidth=1.0, label="_event")
                ax.hlines(place, left, right, color=COLOURS["event"], linewidth=1.6, zorder=4)
                _number(ax, left, place, keys[name])
    ends: list[float] = []
    for opens, closes, name in sorted(bars):
        place = next((i for i, end in enumerate(ends) if end <= opens), len(ends))
        ends[place : place + 1] = [closes]
        (bar,) = lane.barh((opens + closes) / 2 - 0.5, 0.3, closes - opens, place)
        bar.set(facecolor=COLOURS["event"], label="_span")
        _number(lane, place + 0.3, (opens + closes) / 2 - 0.5, keys[name])
    lane.set_xlim(-0.3, max(2.0, len(ends)) + 0.6)
    lane.xaxis.set_visible(False)  # the key under the figure says what it is
    lane.spines["bottom"].set_visible(False)
    lane.tick_params(axis="y", labelleft=False)
    return key_words({name: keys[name] for name in keys if name in shown}) if shown else ""


def _number(ax: Axes, x: float, y: float, key: int) -> None:
    """Write the number of an event beside its mark."""
    look: dict[str, Any] = {"fontsize": 5.0, "weight": "bold", "color": COLOURS["event"]}
    text = ax.annotate(str(key), (x, y), (1.5, 0), textcoords="offset points", va="center", **look)
    text.set(zorder=6, bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "linewidth": 0})


def _who_wore_when(
    table: pd.DataFrame, given_title: str | None, fig: FigureBase | None
) -> "np.ndarray[Any, np.dtype[np.object_]]":
    """Draw a cell for each wearer and day, days that count beside, wearers of each day beneath."""
    require(table, ["worn_h"], purpose="plot_actogram", made_by="eyelog.states(frame)")
    if list(table.index.names) != [ACCOUNT, "day"]:
        raise ConfigurationError(
            "plot_actogram takes the days of many wearers, indexed by account and day, as of"
            " eyelog.cohort.daily; of one wearer pass the frame"
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
    made = grid([height, 18.0], [1.0, 0.22], sharex=True, around_mm=AROUND_MM, fig=fig)
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
    white = "" if _inside(hours).all() else "white: before a wearer joined or after leaving; "
    note = f"{white}rows sorted by days that count"
    set_note(cells, "", note)
    weekend = [patch("weekend")] if is_weekend(days).any() else []
    legend(beneath, [*_classes(hours), *weekend], note=note)
    who = counted(len(names), "wearer")
    set_title(cells, title_of(table, wearer=who, days=days, zone=False), given_title, fig=fig)
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
    row_pt = length_pt(cells.yaxis) / len(names)
    cells.tick_params(axis="y", labelsize=float(np.clip(0.85 * row_pt, 5.0, 7.0)))
