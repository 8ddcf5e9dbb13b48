"""Days below each other, by time of day: their states, one field, or each day with the next."""

from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, Normalize, PowerNorm, to_rgba
from matplotlib.figure import FigureBase

from eyelog.catalogue import role
from eyelog.checks import one_of
from eyelog.clock import DAY_US, LocalClock, local_days, stamps_at, time_of_day_us
from eyelog.errors import ConfigurationError
from eyelog.figures import axes, dates, marks, ribbon, tables
from eyelog.figures.axes import Panels
from eyelog.figures.events import Event, event_us, key_words, on_days
from eyelog.figures.labels import in_legend, label_of, short_names, subject, title_of
from eyelog.figures.many import LEAST_H, MOST_ROWS_APART, draw_who_wore_when
from eyelog.figures.style import COLOURS, HATCH, SMALL_PT, sequential
from eyelog.figures.timeline import kind_of
from eyelog.frame import OFFSET, history, is_resampled, require
from eyelog.judge.arrays import Bools, Floats, Ints, numbers
from eyelog.judge.flag import states as states_of
from eyelog.judge.limits import Limits
from eyelog.series.observed import refuse_wearers, rows_of

ROW_MM, LEAST_MM, MOST_MM = 4.0, 24.0, 140.0

STEPS: Final = "steps"

COLUMN_MIN: Final = 15
LEVELS: Final = 20  # heights that a column of a row may have
FOOT: Final = 1  # levels beneath those of a value
GAP_LEVELS: Final = 3  # of white between two rows
LANE_WIDTH: Final = {"Worn (h)": 0.26, "Diary": 0.1}


@axes.plot_function
def plot_overview(
    states: pd.Series | pd.DataFrame,
    *,
    limits: Limits | None = None,
    day_starts: str | None = None,
    patterns: bool = False,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> Axes:
    """Draw the state of the eyewear, one row per wearer and day, from 00 to 24.

    The first picture of every analysis: when the eyewear was worn, which records can be used, and
    where there are none (hatched).

    Parameters
    ----------
    states : DataFrame or Series
        A frame of either log, not resampled, or the result of `eyelog.states` for it. For several
        wearers put their states together, in one zone:
        ``pd.concat({"anna": states_of_anna, "ben": states_of_ben}, names=["account"])``. For a
        wearer whose zone varies, the frame: its column ``utc_offset_min`` holds the wearer's clock.
    limits : Limits, optional
        The limits by which a frame is judged.
    day_starts : str, optional
        When a day starts, such as ``"18:00"`` for people who work at night; by default midnight.
    patterns : bool
        Whether noisy is dotted and off pose crossed, for print in grey: of all states these two
        have the most similar greys.
    ax : Axes, optional
        The Axes to draw on; a new figure by default, whose height follows the number of rows.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    Axes
        With one image. Its columns are the minutes of the day; each day has several rows, as many
        as every other. Every day from a wearer's first to the last has a row;
        with several wearers, a blank row precedes those of each. The colour of a minute is the mean
        of its states, its opacity the share of it that was recorded. Records without neighbours are
        6 minutes wide, so that they are seen; the legend then says so.

    Raises
    ------
    ConfigurationError
        If these are neither states nor a frame of records, there are no rows, a record lasts longer
        than a minute, `limits` are given for states, or these are states of a wearer whose zone
        varies.

    Notes
    -----
    Time is local clock time: on the day on which the clocks go back, the repeated hour shows the
    mean of both passes; on the day on which they go forward, the hour that does not exist is left
    blank. The same applies to the hours that a flight west repeats and a flight east skips.

    Examples
    --------
    >>> import eyelog as el
    >>> ax = el.plot_overview(el.sample("standard_mode_logs"))
    >>> [text.get_text() for text in ax.get_yticklabels()][:2]
    ['Mon 19 Oct', 'Tue 20 Oct']
    >>> ax.images[0].get_array().shape[1]
    1440
    """
    what = "plot_overview"
    judged = ribbon.judged(states, limits=limits, day_starts=day_starts, what=what)
    clock, index = judged.clock, judged.stamps
    accounts: Any = np.zeros(len(index), dtype=np.int64)
    if isinstance(judged.states.index, pd.MultiIndex):
        accounts = judged.states.index.get_level_values(0)
    # A row for every day from a wearer's first to the last, after a blank one if there are several
    every: dict[Any, pd.DatetimeIndex] = {}
    firsts, n, several = list[int](), 0, len(set(accounts)) > 1
    of_record = np.full(len(index), -1)
    for account in dict.fromkeys(accounts):
        mine = np.flatnonzero(accounts == account)
        kept, every[account], place = tables.placed_on_days(index[mine], clock)
        firsts.append(n + several)
        of_record[mine[kept]] = firsts[-1] + place
        n = firsts[-1] + len(every[account])
    judged, of_record = judged.of_rows(of_record >= 0), of_record[of_record >= 0]
    shares, note = ribbon.widened(ribbon.day_shares(judged, of_record, n))
    ax = axes.on(ax, height_mm=max(12.0, min(5.0 * n, 80 + 0.15 * n)))
    # Enough rows of the image per day to keep the colours of neighbouring days apart.
    repeats = max(1, min(24, 1200 // n))
    colours = np.repeat(ribbon.colours(shares), repeats, axis=0)
    ribbon.image(ax, colours, (0, 24, n - 0.5, -0.5))
    if patterns:
        ribbon.patterned(ax, shares, range(n))
    for days, first in zip(every.values(), firsts, strict=True):
        ribbon.hatched(ax, first - 0.5, first + len(days) - 0.5, left=0, right=24)
        dates.blank_skipped_hours(ax, days, clock, first)
    if n <= MOST_ROWS_APART:
        borders = np.arange(n + 1) - 0.5
        ax.barh(borders, 24, height=0.2, color="white", linewidth=0, zorder=2)
    ax.set_ylim(n - 0.5, -0.5)
    zone = None if isinstance(states, pd.DataFrame) and OFFSET in states else index.tz
    dates.hours_axis(ax, zone, day_starts=day_starts)
    names = [str(account) for account in every]
    if several and n > 40:  # with more rows, many wearers are named, and their days are not
        middles = np.array(firsts) + [(len(days) - 1) / 2 for days in every.values()]
        axes.name_rows(ax, middles, names)
    else:
        dates.day_rows_axis(ax, list(every.values()), firsts)
        for name, first in zip(short_names(names, 40) if several else [], firsts, strict=False):
            ax.text(0, first - 0.75, name, weight="bold", ha="left", va="center")
    marks.bare(ax, "left")
    many = f"{len(names)} wearers" if several else None
    days = local_days(judged.stamps, clock=clock)
    ribbon.explain(ax, judged.codes, patterns=patterns)
    ours = title_of(judged.states, wearer=many, days=days, zone=False)
    axes.finish(ax, ours, title, legend=legend, note=note)
    return ax


@axes.plot_function
def plot_heatmap(
    frame: pd.DataFrame,
    field: str,
    *,
    scale: str = "auto",
    limits: Limits | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> Axes:
    """Draw one field, day by time of day.

    Every row of the frame is one cell, so resample first to a visible width. Three things never
    look alike: an amount of 0 is plain white, a missing or masked value is plain light grey, and
    time without a record is white and hatched. Values of records that have a reason against them
    (`eyelog.flag`), and those of time in which the eyewear was not worn, are no usable values.

    Parameters
    ----------
    frame : DataFrame
        A frame of either log, best after `eyelog.resample`.
    field : str
        The column to draw, or ``"steps"`` for the steps of all classes.
    scale : {"auto", "linear", "power"}
        How values become colours. ``"power"`` gives small values more of the colours; the ticks of
        the colour bar are placed accordingly. ``"auto"`` uses it if no value is negative and at
        least half of them are 0, as with steps, and a linear scale otherwise.
    limits : Limits, optional
        By which records are judged, see `eyelog.Limits`.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    Axes
        With two images of the same shape, whose rows are all days from the first to the last and
        whose columns are times of day: the values, and 1 for a record without a value. Rows shorter
        than a minute are averaged over it. Hours that the clock passes twice (a day of 25 hours, a
        flight west) show the mean of both passes; the hour that a day of 23 hours lacks is blank.

    Raises
    ------
    FieldError
        If the frame lacks the column.
    ConfigurationError
        If there are no rows, rows last longer than half a day, the column does not hold numbers, or
        there is no such scale.

    Examples
    --------
    >>> import eyelog as el
    >>> quarters = el.resample(el.sample("standard_mode_logs"), "15min")
    >>> ax = el.plot_heatmap(quarters, "steps")
    >>> ax.images[0].get_array().shape
    (7, 96)
    """
    what = "plot_heatmap"
    one_of(scale, "scale", ("auto", "linear", "power"))
    log = tables.log_or_none(frame) if isinstance(frame, pd.DataFrame) else None
    if field == STEPS and log is not None and field not in frame.columns:
        records = tables.records_of_days(frame, role(log, "steps"), limits, what=what)
        records = records._replace(frame=with_steps(records.frame, log))
    else:
        records = tables.records_of_days(frame, [field], limits, what=what)
    frame, days, clock = records.frame, records.days, records.clock
    cells, recorded = _cells(records, field)
    ax = axes.on(ax, height_mm=float(np.clip(ROW_MM * len(days), LEAST_MM, MOST_MM)))
    ax.patch.set(facecolor="white", edgecolor=COLOURS["hatch"], hatch=HATCH, linewidth=0.0)
    # A scale that begins darker than the grey of masked values, in grey print too.
    colours = sequential(subject(frame, field).meaning)(np.linspace(0.24, 1.0, 256))
    norm = _norm(cells[np.isfinite(cells)], scale)
    has_zero = bool((cells < (norm.vmin or 0.0)).any())
    spread: dict[str, Any] = {"aspect": "auto", "interpolation": "nearest"}
    spread["extent"] = (0, 24, len(days) - 0.5, -0.5)
    image = ax.imshow(
        np.ma.masked_invalid(cells),
        cmap=ListedColormap(colours).with_extremes(bad="none", under="white"),
        norm=norm,
        **spread,
    )
    unvalued = np.ma.masked_equal((recorded & np.isnan(cells)).astype(float), 0.0)
    grey = ListedColormap([COLOURS["masked"]]).with_extremes(bad="none")
    ax.imshow(unvalued, cmap=grey, vmin=0, vmax=2, **spread)
    dates.blank_skipped_hours(ax, days, clock)
    if np.isfinite(cells).any():
        marks.colour_bar(ax, image, "")
    else:
        marks.say_no_values(ax)
    dates.hours_axis(ax, clock.tz)
    dates.day_rows_axis(ax, [days], [0])
    if has_zero:
        axes.key(ax, "0", "masked", hollow=True)
    axes.key(ax, "no usable value", "masked")
    axes.key(ax, "no record")
    name = label_of(log, field, seconds=tables.unit_seconds(frame))
    ours = title_of(frame, zone=False)
    if axes.sheet_of(ax) is None:
        ours = " · ".join([name, *([ours] if ours else [])])
    else:
        ax.set_title(name, loc="left", fontsize=SMALL_PT, fontweight="normal", pad=2)
    axes.finish(ax, ours, title, legend=legend)
    return ax


def with_steps(frame: pd.DataFrame, log: str) -> pd.DataFrame:
    """Return a frame with the steps of all classes, whose fields it must have."""
    require(frame, role(log, "steps"), purpose="plot_heatmap")
    out = frame.assign(**{STEPS: frame[[*role(log, "steps")]].sum(axis=1, skipna=False)})
    out.attrs = frame.attrs
    return out


def _cells(records: tables.Records, field: str) -> tuple[Floats, Bools]:
    """Return for each day and time of day the value, and whether there is a record."""
    frame, log, seconds, clock, days, place = records
    width = max(seconds, 60.0)  # narrower cells do not fit on a page
    at = time_of_day_us(cast(pd.DatetimeIndex, frame.index), clock=clock)
    shape = len(days), -(-dates.DAY_S // int(width))
    cell, size = place * shape[1] + (at - 1) // int(width * 1e6), shape[0] * shape[1]
    values, held = numbers(frame[field]), np.ones(len(frame), dtype=bool)
    if is_resampled(frame):  # bins have rows without records too
        held = numbers(frame["n"]) > 0
    elif log is not None and set(role(log, "worn")) <= set(frame.columns):
        values = np.where(states_of(frame) == "not worn", np.nan, values)
    recorded = np.bincount(cell[held], minlength=size) > 0
    cells = tables.means(values, cell, size, angle=kind_of(log, field).is_angle)
    return cells.reshape(shape), recorded.reshape(shape)


def _norm(values: Floats, scale: str) -> Normalize:
    """Return the colour scale; that of amounts begins just above 0: none is not a little."""
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if low >= 0:
        # States are 0 or 1, so they have no small values that need more colours.
        are_amounts = high > 1
        if scale == "auto" and are_amounts and (values == 0).mean() >= 0.5:
            scale = "power"
        low = high * 1e-9 if are_amounts else 0.0
    if high <= low:
        high = low + 1.0
    # On a power scale of 0.4, a few steps and a brisk walk both show.
    return PowerNorm(0.4, low, high) if scale == "power" else Normalize(low, high)


@axes.plot_function
def plot_actogram(
    table: pd.DataFrame | pd.Series,
    column: str | None = None,
    *,
    double: bool = True,
    events: pd.DataFrame | None = None,
    limits: Limits | None = None,
    fig: FigureBase | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> "np.ndarray[Any, np.dtype[np.object_]]":
    """Draw many days below each other: states, a value, or when each wearer wore the eyewear.

    Parameters
    ----------
    table : DataFrame or Series
        For one wearer a frame, of records or of bins (`eyelog.resample`), the result of
        `eyelog.states`, or a Series of your own, whose stamps open its rows. For many wearers a
        table of days with ``worn_h`` (`eyelog.cohort.daily`); ``account`` and ``day`` index it, or
        are columns.
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
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    array of Axes
        One wearer: the days, with an image of as many columns as a row has quarters of an hour (or
        longer rows), then hours worn (for states) and the diary (with events). Many wearers: the
        days, days that count, and beneath them the wearers of each day. Each artist has its words
        in the legend as its label.

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
    index: Any = getattr(table, "index", None)
    aware = isinstance(index, pd.DatetimeIndex) and index.tz is not None
    if isinstance(table, pd.DataFrame) and not aware:
        if events is not None:
            raise ConfigurationError("plot_actogram takes events= of one wearer, not of a table")
        return draw_who_wore_when(table, title, legend, fig)
    what = "plot_actogram"
    of_states = isinstance(getattr(table, "dtype", None), pd.CategoricalDtype)
    of_states |= isinstance(table, pd.DataFrame) and column is None
    if of_states:
        refuse_wearers(index, what=what)
        judged = ribbon.judged(table, limits=limits, what=what)
        series, seconds, clock = judged.states.set_axis(judged.stamps), judged.seconds, judged.clock
    elif not isinstance(table, pd.DataFrame | pd.Series):
        raise ConfigurationError(
            f"{what} takes a frame, eyelog.states(frame), or the days of many wearers, not"
            f" {type(table).__name__}"
        )
    elif isinstance(table, pd.Series) and any(step.get("zones_vary") for step in history(table)):
        raise ConfigurationError(
            f"{what} needs the wearer's clock, and a Series does not hold it where the zone varies:"
            " pass the frame itself"
        )
    else:
        # Irregular rows of one's own last as long as the shortest distance between them.
        length = pd.Timedelta(seconds=tables.row_seconds(table, None))
        of = rows_of(table, column, what, limits, length)
        tables.require_rows(of.index, what=what)
        series = pd.Series(of.values, stamps_at(of.closes_us, of.index.tz), name=of.name or None)
        series.attrs = table.attrs
        seconds, clock = of.step_us / 1e6, of.clock
    kept, days, rows = tables.placed_on_days(pd.DatetimeIndex(series.index), clock)
    series = series[kept]
    lanes = ["Worn (h)"] * of_states + ["Diary"] * (events is not None)
    # At most 170 mm with title, legend and key.
    height = float(np.clip(ROW_MM * len(days), LEAST_MM, 120.0))
    widths = [1.0, *(LANE_WIDTH[lane] for lane in lanes)]
    made: Panels = axes.panels([height], widths, sharey=True, fig=fig)[0]
    for ax, lane in zip(made[1:], lanes, strict=True):
        ax.set_xlabel(lane)
        marks.bare(ax, "left")
        ax.tick_params(axis="y", labelleft=False)
    if of_states:
        cells = _states(made[0], made[1], judged.of_rows(kept), rows, len(days))
    else:
        cells = _values(made[0], series, rows, len(days), seconds, clock)
    _draw_days(made[0], cells, days, clock, double=double)
    key = ""
    if events is not None:
        key = _draw_events(made, event_us(events), days, clock, double=double)
    ours = title_of(series, days=days, zone=False)
    axes.finish(made[0], ours, title, legend=legend, note=key, fig=fig)
    return made


def _states(ax: Axes, beside: Axes, judged: ribbon.Judged, rows: Ints, n: int) -> Floats:
    """Return the colours of each level of each column, which `ax` explains; draw the hours worn."""
    shares = ribbon.day_shares(judged, rows, n, column_min=COLUMN_MIN)
    tops = np.cumsum(shares, axis=2)
    # The middle of a level is in the first state whose top is above it, or in none.
    middles = (np.arange(LEVELS) + 0.5) / LEVELS
    place = (middles[:, None, None, None] > tops[None]).sum(axis=3)
    look = np.array([*(to_rgba(COLOURS[name]) for name in ribbon.NAMES), (1.0, 1.0, 1.0, 0.0)])
    hours = shares.sum(axis=1) * (COLUMN_MIN / 60)
    of = {name: hours[:, code] for code, name in enumerate(ribbon.NAMES)}
    worn = np.stack([of["usable"] + of["walking"] + of["noisy"], of["usable"]], axis=1)
    ribbon.explain(ax, judged.codes)
    axes.key(ax, "no record")
    # The usable hours are in front.
    days, full = np.arange(n), worn[:, 0] >= LEAST_H
    thin: dict[str, Any] = {"edgecolor": COLOURS["usable"], "facecolor": "white", "linewidth": 0.7}
    for chosen, which, name, bars in (
        (full, 0, "worn, not usable (hours)", {"color": COLOURS["worn"]}),
        (full, 1, "usable", {"color": COLOURS["usable"]}),
        (~full, 0, f"thin: worn under {LEAST_H:g} h", thin),
    ):
        if chosen.any():
            beside.barh(days[chosen], worn[chosen, which], 0.55, label=name, **bars)
    beside.set_xlim(0.0, max(8.0, 1.05 * float(worn.max())))
    marks.value_axis(beside.xaxis, most=3)
    colours: Floats = look[place].transpose(1, 0, 2, 3)
    return colours


def _values(
    ax: Axes, series: pd.Series, rows: Ints, n: int, seconds: float, clock: LocalClock
) -> Floats:
    """Return the colours of each level of each column of a value, which `ax` explains."""
    if not 0 < seconds <= 3600.0:
        raise ConfigurationError(
            f"plot_actogram draws rows of an hour at most, and these last {seconds:g} s: resample"
        )
    minutes = next(step for step in (COLUMN_MIN, 30, 60) if seconds <= step * 60)
    columns = 1440 // minutes
    # A stamp closes its interval, which is before it.
    closes = pd.DatetimeIndex(series.index)
    slot = (time_of_day_us(closes, clock=clock) - 1) // (DAY_US // columns)
    cell, values = rows * columns + slot, numbers(series)
    size, finite = n * columns, np.isfinite(values)
    mean = tables.means(values, cell, size)
    recorded = np.bincount(cell, minlength=size) > 0
    low = min(0.0, float(np.nanmin(mean))) if finite.any() else 0.0
    high = max(float(np.nanmax(mean)), low) if finite.any() else 1.0
    levels = (mean - low) / ((high - low) or 1.0) * LEVELS
    above = np.arange(LEVELS)[:, None] + 0.5 > levels[None]
    about = subject(series)
    meaning = about.meaning
    # At the foot of every value stands a level in its colour: a measured 0 is a line, not nothing.
    look = np.empty((FOOT + LEVELS, size, 4))
    look[:] = to_rgba(COLOURS[meaning])
    look[FOOT:][above] = (1.0, 1.0, 1.0, 1.0)
    look[:, np.isnan(mean)] = to_rgba(COLOURS["masked"])
    look[:, ~recorded] = (1.0, 1.0, 1.0, 0.0)
    least = marks.number(low, 3)
    axes.key(ax, f"{in_legend(about.label)}: {least} to {marks.number(high, 3)}", meaning)
    if (mean <= low).any():
        ax.plot([], [], color=COLOURS[meaning], linewidth=1.2, label=f"measured {least}")
    if (recorded & np.isnan(mean)).any():
        axes.key(ax, "no usable value", "masked")
    if not recorded.all():
        axes.key(ax, "no record")
    return look.reshape(FOOT + LEVELS, n, columns, 4).transpose(1, 0, 2, 3)


def _draw_days(
    ax: Axes, cells: Floats, days: pd.DatetimeIndex, clock: LocalClock, *, double: bool
) -> None:
    """Draw the rows as one image over the hatching of time without records."""
    n, levels, columns, _ = cells.shape
    sides = 2 if double else 1
    if double:
        after = np.concatenate([cells[1:], np.zeros_like(cells[:1])])
        cells = np.concatenate([cells, after], axis=2)
    apart, half = n <= MOST_ROWS_APART, 0.5
    # Of many days, fewer levels: an image has no more rows than a printed page can show.
    drawn = cells[:, :: max(1, -(-n * levels // 3000))][:, ::-1]
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
    ground: dict[str, Any] = {"facecolor": COLOURS["no record"], "edgecolor": COLOURS["hatch"]}
    ground["linewidth"] = 0.0
    strip: dict[str, Any] = {"color": COLOURS["weekend strip"], "zorder": 0.2, "linewidth": 0.0}
    for side in range(sides):
        dates.blank_skipped_hours(ax, days[side:], clock, at=24.0 * side)
        rows, weekend = np.arange(n - side), np.flatnonzero(days[side:].day_of_week >= 5)
        ax.barh(rows, 24.0, 2 * half, 24.0 * side, hatch=HATCH, zorder=0.5, **ground)
        if apart and len(weekend):
            label = axes.once(ax, "weekend")
            ax.barh(weekend, 24.0, 1.0, 24.0 * side, label=label, **strip)
    if double:
        ax.axvline(24.0, color=COLOURS["axis"], linewidth=0.7, zorder=3)
    ax.set_ylim(n - 0.5, -0.5)
    dates.hours_axis(ax, clock.tz, days=sides)
    if double:
        ax.set_xlabel(f"{ax.get_xlabel()}\nday of the row | day after it")
    dates.day_rows_axis(ax, [days], [0])
    marks.bare(ax, "left")


def _draw_events(
    made: Panels, spans: list[Event], days: pd.DatetimeIndex, clock: LocalClock, *, double: bool
) -> str:
    """Number events at their times, long ones beside the days; return the key to the numbers."""
    ax, *_, lane = made
    keys = {name: key for key, name in enumerate(dict.fromkeys(name for *_, name in spans), 1)}
    bars: list[tuple[float, float, str]] = []
    short: list[Event] = []
    for start, end, name in spans:
        walls = clock.wall_us(np.array([start, start if end is None else end]))
        opens, closes = ((walls - int(days.asi8[0])) / DAY_US).tolist()
        if (closes - opens) * 24 <= 24.0:  # an event that lasts longer is a bar beside the days
            short.append((start, end, name))
        elif closes >= 0 and opens < len(days):
            bars.append((max(opens, 0.0), min(closes, float(len(days))), name))
    parts = on_days(short, days, clock)
    look: dict[str, Any] = {"color": COLOURS["event"], "zorder": 4}
    for row, left, right, name in parts:
        for place, shift in ((row, 0), (row - 1, 24))[: 1 + double]:
            if place >= 0:
                ax.hlines(place, left + shift, (right or left) + shift, linewidth=1.6, **look)
            if place >= 0 and name:
                x, label = left + shift, axes.once(ax, "diary")
                ax.vlines(x, place - 0.5, place + 0.5, linewidth=1.0, label=label, **look)
                _number(ax, x, place, keys[name])
    shown = {name for *_, name in (*parts, *bars)}
    ends: list[float] = []
    for opens, closes, name in sorted(bars):
        place = next((i for i, end in enumerate(ends) if end <= opens), len(ends))
        ends[place : place + 1] = [closes]
        middle = (opens + closes) / 2 - 0.5
        label = axes.once(lane, "diary")
        lane.barh(middle, 0.3, closes - opens, place, color=COLOURS["event"], label=label)
        _number(lane, place + 0.3, middle, keys[name])
    lane.set_xlim(-0.3, max(2.0, len(ends)) + 0.6)
    lane.xaxis.set_visible(False)  # the key under the figure says what it is
    lane.spines["bottom"].set_visible(False)
    return key_words({name: key for name, key in keys.items() if name in shown}) if shown else ""


def _number(ax: Axes, x: float, y: float, key: int) -> None:
    """Write the number of an event beside its mark."""
    look: dict[str, Any] = {"fontsize": 5.0, "weight": "bold", "color": COLOURS["event"]}
    text = ax.annotate(str(key), (x, y), (1.5, 0), textcoords="offset points", va="center", **look)
    text.set(zorder=6, bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "linewidth": 0})
