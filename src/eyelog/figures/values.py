"""Values with their intervals: rates of groups, pairs of two measurements, and bouts."""

from typing import Any, Final

import numpy as np
import pandas as pd
import scipy
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, ListedColormap, LogNorm, Normalize, to_rgba
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from eyelog.catalogue import COMPUTED_DATA
from eyelog.clock import HOUR_US
from eyelog.errors import ConfigurationError, counted
from eyelog.figures import axes, dates, labels, marks, tables
from eyelog.figures.style import COLOURS, sequential
from eyelog.frame import OFFSET, require, require_frame, stated_log
from eyelog.judge.arrays import Floats, numbers
from eyelog.measure.columns import Column, table_of
from eyelog.measure.columns import column as column_of
from eyelog.measure.gait import bouts
from eyelog.measure.sheet import decimals
from eyelog.series.agreement import PAIRS, AgreementLimits, agreement, minute_pairs

EXPOSURE: Final = "exposure_min"
INTERVAL: Final = ("low", "high")
OF: Final = {"minutes": "of these minutes", "wearer": "of this wearer"}
MOST_ROWS: Final = 25  # more would not fit on a page of a journal
MOST_LONGER: Final = 5.0  # than the median interval: longer ones would make the others points
# More points than this hide one another: colours then show how many pairs are where.
MOST_POINTS: Final = 500
NAMES: Final = ("bias", "low", "high")
ROUND_MIN: Final = (0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 240, 480, 960)
BOUT_ROOM: Final = 1.2  # above the longest and below the shortest, as a factor
MOST_BOUTS: Final = 1000  # more lines than this hide one another
DAY_H: Final = 24.0


@axes.plot_function
def plot_rate(
    table: pd.DataFrame,
    column: str | None = None,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> Axes:
    """Draw a rate by hour, weekday, day, week or label, with its interval and its exposure.

    Parameters
    ----------
    table : DataFrame
        The result of `eyelog.blinks.rate`, `eyelog.gait.pace` or `eyelog.posture.head_movements`
        with ``by=`` one key; or any table of one row per group with the column and
        ``exposure_min``.
    column : str, optional
        The column to draw, such as ``"yaw_per_h"``. Default: the first.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names what is drawn, and the log; ``""`` for none.
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    Axes
        Hours, weekdays, days and weeks are along x, with the minutes behind each beneath, in
        ``ax.child_axes``; labels are rows, each with its minutes beside its name. Points are hollow
        in a table about the wearer where the interval is of the minutes alone, or there is none. A
        group without a rate has no point. Each artist has its words in the legend as its label.

    Raises
    ------
    FieldError
        If the table lacks a column.
    ConfigurationError
        If there are no rows, they are grouped by several keys, there are too many labels, or the
        column does not hold numbers.

    Examples
    --------
    >>> import eyelog as el
    >>> ax = el.plot_rate(el.blinks.rate(el.sample(), by="hour"))
    >>> ax.get_ylabel()
    'Blink rate (per min)'
    """
    what = "plot_rate"
    require_frame(table, what=what, wanted="a table of rates, such as eyelog.blinks.rate")
    if isinstance(table.index, pd.MultiIndex):
        names = [str(name) for name in table.index.names]
        raise ConfigurationError(
            f"plot_rate draws rows by one key, and this table has {' and '.join(names)}: choose the"
            f" rows of one, such as table.xs(value, level={names[0]!r})"
        )
    wanted = [EXPOSURE, *([column] if column else [])]
    require(table, wanted, purpose=what, made_by="eyelog.blinks.rate(frame, by='hour')")
    tables.require_rows(table, what=what)
    name = str(table.columns[0]) if column is None else column
    tables.require_numbers(table, name, what=what)
    about = column_of(name, table=table_of(table.columns), log=stated_log(table))
    index, by = table.index, table.index.name
    dated = isinstance(index, pd.DatetimeIndex)
    in_rows = not dated and (
        by not in ("hour", "weekday") or not pd.api.types.is_integer_dtype(index.dtype)
    )
    if isinstance(index, pd.DatetimeIndex) and index.tz is not None:
        raise ConfigurationError(
            "plot_rate draws hours of the day, weekdays, days, weeks or labels, and these rows are"
            " bins of time: use by='hour' or by='1D'"
        )
    if dated and index.has_duplicates:
        raise ConfigurationError("plot_rate takes one row for each day, and some have several")
    if in_rows and len(table) > MOST_ROWS:
        raise ConfigurationError(
            f"plot_rate draws {MOST_ROWS} labels at most, and this table has {len(table)}: choose"
            " the rows to draw"
        )
    ax = axes.on(ax, height_mm=6.0 * max(len(table), 3) if in_rows else 46.0)
    days, minutes = labels.span_of(table), numbers(table[EXPOSURE])
    words = "minutes walked" if about.group == "gait" else "minutes observed"
    if in_rows:  # the first at the top
        y = np.arange(float(len(table)))
        ax.set_ylim(len(table) - 0.4, -0.6)
        marks.value_axis(ax.xaxis, about.text, most=8)
        _draw_rates(ax, y, table, name, about, across=True)
        ends = [f"  {m / 60:.1f} h" if m >= 60 else f"  {m:.0f} min" for m in minutes]
        axes.name_rows(ax, y, [str(label) for label in index], ends)
    else:
        x, wide = numbers(index) + (0.5 if by == "hour" else 0.0), 0.8
        if isinstance(index, pd.DatetimeIndex):
            last = index.max() + pd.Timedelta(days=6 if by == "week" else 0)
            days = pd.date_range(index.min(), last, freq="D", unit=index.unit)
            x = dates.noons(index)
        if by == "week":  # as wide as its seven days, with its point in their middle
            x, wide = x + 3.0, 0.95 * 7
        marks.value_axis(ax.yaxis, about.text)
        _draw_rates(ax, x, table, name, about)
        below = marks.strip(ax)
        below.bar(x, minutes, wide, color=COLOURS["hatch"], label=words)
        marks.value_axis(below.yaxis, "Min", most=2)
        below.set_ylim(bottom=0.0)
        if dated and days is not None:
            dates.day_axis(below, days)
            for panel in (ax, below) if by != "week" else ():
                dates.shade_weekends(panel, days)
        elif by == "hour":
            dates.hours_axis(below, labels.last_step(table).get("tz"))
        else:
            dates.weekdays_axis(ax, below)
    note = f"Beside the names: {words}" if in_rows else ""
    axes.finish(ax, labels.title_of(table, days=days), title, legend=legend, note=note)
    return ax


def _draw_rates(
    ax: Axes, at: Floats, table: pd.DataFrame, name: str, about: Column, *, across: bool = False
) -> None:
    """Draw the rates and their intervals."""
    values, meaning = numbers(table[name]), labels.meaning_of(about)
    said = labels.in_legend(about.label.lower())
    edge = COLOURS[labels.shades(meaning)[0]]
    # The ends of the intervals are of the first column.
    low = high = np.full(len(table), np.nan)
    if name == table.columns[0] and {*INTERVAL} <= set(table.columns):
        low, high = (numbers(table[end]) for end in INTERVAL)
    interval, hollow = "95 % interval", None
    if "of" in table:
        of = table["of"].loc[np.isfinite(low) & np.isfinite(high)]
        interval += "".join(f" {OF.get(str(one), '')}" for one in of.iloc[:1])
    if {"days", "of"} <= set(table.columns):
        # Rows of a table about the wearer that have no interval of the wearer.
        thin = (table["of"] != "wearer").to_numpy(dtype=bool) | ~np.isfinite(high - low)
        why = [str(reason).split(":")[0] for reason in table["reason"][thin & np.isfinite(values)]]
        hollow = thin, f"{said}: {' or '.join(dict.fromkeys(why))}"
    marks.estimates(
        ax, at, values, (low, high), edge, across=across, label=said, interval=interval,
        hollow=hollow, s=18, facecolors=COLOURS[meaning], linewidths=0.8,
    )  # fmt: skip
    finite, long = np.isfinite(values), high - low
    if not finite.any():
        marks.say_no_values(ax)
        return
    # Only intervals of extraordinary length exceed the limits.
    ordinary = long <= MOST_LONGER * np.nanmedian(long) if np.isfinite(long).any() else finite
    ends = np.concatenate([values[finite], low[ordinary], high[ordinary]])
    bottom, top = float(np.nanmin(ends)), float(np.nanmax(ends))
    room = 0.08 * ((top - bottom) or abs(top) or 1.0)
    bottom, top = bottom - room, top + room
    (ax.set_xlim if across else ax.set_ylim)(bottom, top)
    for beyond, end, mark in ((low < bottom, bottom, "<v"), (high > top, top, ">^")):
        places, ends = at[beyond], np.full(int(beyond.sum()), end)
        if len(places):
            x, y = (ends, places) if across else (places, ends)
            look: dict[str, Any] = {"color": edge, "markersize": 4.0, "clip_on": False}
            label = axes.once(ax, "the interval goes further")
            ax.plot(x, y, mark[not across], zorder=4, label=label, **look)


@axes.plot_function
def plot_agreement(
    pairs: pd.DataFrame,
    limits: pd.DataFrame | AgreementLimits | pd.Series,
    *,
    quantity: str | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> Axes:
    """Draw the difference of each pair against its mean, with bias and limits of agreement.

    Parameters
    ----------
    pairs : DataFrame
        A frame of the 15-second log; or pairs: the result of `eyelog.compare.minute_pairs`, or any
        table with the columns ``mean`` and ``difference``.
    limits : DataFrame, AgreementLimits or Series
        With a frame, that of the 60-second log of the same wearer and time. With pairs, the result
        of `eyelog.compare.limits_of_agreement` for them, or the row of `eyelog.compare.agreement`
        for the same quantity.
    quantity : str, optional
        The quantity of `eyelog.compare.agreement` to draw, such as ``"steps"``: needed with two
        frames, and the words on the axes with pairs. Default: the row that `limits` is, or that of
        which the pairs are.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    Axes
        With one point for each pair; for more than 500 pairs, one mesh that counts them, whose
        lightest colour is one pair. Lines are the bias and the limits, bands their own 95 %
        intervals; each has its words in the legend as its label.

    Raises
    ------
    FieldError
        If the table lacks a column.
    ConfigurationError
        If there is no pair, no such quantity, or `limits` is none of these.

    Notes
    -----
    Bland & Altman (1986), Lancet i:307; with intervals of the limits, as in Bland & Altman (1999),
    Stat Methods Med Res 8:135.

    Examples
    --------
    >>> import eyelog as el
    >>> fifteen, sixty = el.sample(), el.sample("standard_mode_logs")
    >>> ax = el.plot_agreement(fifteen, sixty, quantity="tilt_fore_aft")
    >>> ax.get_xlabel()
    'Tilt fore-aft, mean of both (deg)'
    """
    what = "plot_agreement"
    require_frame(pairs, what=what, wanted="a table of eyelog.compare.minute_pairs")
    row: Any = limits
    if isinstance(limits, pd.DataFrame):
        if quantity is None:
            raise ConfigurationError(
                "plot_agreement of two logs draws one quantity of eyelog.compare.agreement: pass"
                " quantity='steps'"
            )
        made = minute_pairs(pairs, limits, quantity=quantity)
        pairs, row = made, agreement(pairs, limits).loc[quantity]
    require(pairs, ["mean", "difference"], purpose=what)
    given = row._asdict() if isinstance(row, AgreementLimits) else row
    names = [name + end for name in NAMES for end in ("", "_low", "_high")]
    if not isinstance(given, dict | pd.Series) or not set(names) <= set(given.keys()):
        raise ConfigurationError(
            "limits must be the result of eyelog.compare.limits_of_agreement, or a row of"
            f" eyelog.compare.agreement, such as table.loc['steps'], not {type(limits).__name__}"
        )
    stated = {name: float(given[name]) for name in names}
    means, differences = numbers(pairs["mean"]), numbers(pairs["difference"])
    both = np.isfinite(means) & np.isfinite(differences)
    means, differences = means[both], differences[both]
    if not len(means):
        raise ConfigurationError("plot_agreement has nothing to draw: there are no pairs")
    if quantity is not None and quantity not in PAIRS:
        raise ConfigurationError(
            f"plot_agreement: eyelog.compare.agreement has no quantity {quantity!r}"
        )
    of: Any = quantity or getattr(row, "name", None) or labels.last_step(pairs).get("quantity")
    pair = PAIRS.get(str(of))
    name, unit = (pair.label, pair.unit) if pair else ("", "")
    unit = {"count/min": "per min", "s/min": "s per min"}.get(unit, unit)
    ax = axes.on(ax, height_mm=66.0)
    field = pair.field if pair else None
    meaning = (labels.meaning_of_field(field.name, COMPUTED_DATA) if field else None) or "usable"
    said = counted(len(means), "pair")
    if len(means) <= MOST_POINTS:
        colour = COLOURS[labels.shades(meaning)[0]]
        ax.scatter(means, differences, s=7, color=colour, linewidths=0, zorder=3, label=said)
    else:  # how many are where
        edges = [_edges(means, 60), _edges(differences, 40)]
        colours = sequential(meaning).with_extremes(bad="none")
        look: dict[str, Any] = {"cmap": colours, "norm": LogNorm(1.0, 2.0), "rasterized": True}
        counts, *_, mesh = ax.hist2d(means, differences, edges, cmin=1, **look)
        mesh.set_clim(1.0, max(2.0, float(np.nanmax(counts))))
        ax.fill([], [], color=colours(0.5), label=said)
        ax.margins(0.03)
        marks.colour_bar(ax, mesh, "Pairs")
    known = bool(np.isfinite(stated["bias"]))
    if known:
        # As many decimals as the limits need: a bias of a hundredth of them does not count.
        places = decimals(np.array([stated["low"], stated["high"]]), None)
        bias, low, high = (marks.words_of(stated[end], places) for end in NAMES)
        words = (f"bias {bias} {unit}", f"95 % limits {low} to {high} {unit}", "")
        for end, said in zip(NAMES, words, strict=True):
            look = {"color": COLOURS["reference"], "linewidth": 1.2, "label": said.rstrip()}
            ax.axhline(stated[end], linestyle="-" if end == "bias" else "--", **look)
        for end in NAMES:
            ends = stated[f"{end}_low"], stated[f"{end}_high"]
            if np.isfinite(ends).all():
                look = {"color": COLOURS["reference"], "alpha": 0.18, "linewidth": 0}
                ax.axhspan(*ends, label=axes.once(ax, "their 95 % intervals"), **look)
        ax.axhline(0, color=COLOURS["axis"], linewidth=0.5, zorder=0.5)
    of_unit = f" ({unit})" if unit else ""
    side = "15-second minus 60-second log" if "fifteen" in pairs else "Difference"
    marks.value_axis(ax.yaxis, f"{side}{of_unit}")
    along = f"{name}, mean of both{of_unit}" if name else f"Mean of both{of_unit}"
    marks.value_axis(ax.xaxis, along, most=8)
    note = "" if known else "Too few pairs for limits of agreement"
    axes.finish(ax, labels.title_of(pairs), title, legend=legend, note=note)
    return ax


def _edges(values: Floats, cells: int) -> Floats:
    """Return the edges of the cells, which have a whole width if the values are counts."""
    low, high = float(values.min()), float(values.max())
    step = (high - low) / cells
    # Means of two counts are multiples of a half, and each difference has every other one: cells
    # narrower than 1 would show a chessboard. A minute that lacks seconds has scaled counts, which
    # are not whole.
    if (values * 2 == np.round(values * 2)).mean() >= 0.5:
        step = max(np.ceil(step), 1.0)
    step = step or 1.0
    return np.arange(low - step / 2, high + step, step)


@axes.plot_function
def plot_bouts(
    table: pd.DataFrame,
    *,
    column: str | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> Axes:
    """Draw when bouts were, how long each lasted, and optionally what each was like.

    Each bout is a line from its start to its end, at the height of its duration; short ones are
    points. One that crosses midnight continues at the left. Hours and days are those of the
    wearer's clock, which ``utc_offset_min`` holds where the zone varies.

    Parameters
    ----------
    table : DataFrame
        A frame, whose bouts of walking are drawn, or the result of `eyelog.gait.bouts` or
        `eyelog.rhythm.activity_bouts`.
    column : str, optional
        A column of the table that gives the colours, such as ``"pace_spm"``.
    ax : Axes, optional
        The Axes to draw on; a new figure by default.
    title : str, optional
        Replaces the title that names wearer, log and days; ``""`` for none.
    legend : bool or str
        Whether there is a legend; or where: ``"right"``, or a location of matplotlib.

    Returns
    -------
    Axes
        On a log scale of minutes, with a collection of lines and one of points in their middles;
        for more than 1000 bouts, one mesh of their number in each cell, or of the median of
        `column`. Bouts without a value of `column` are grey.

    Raises
    ------
    FieldError
        If the table lacks a column.
    ConfigurationError
        If there is no bout, or the column does not hold numbers.

    Examples
    --------
    >>> import eyelog as el
    >>> ax = el.plot_bouts(el.sample(), column="pace_spm")
    >>> ax.get_ylabel()
    'Length of the bout (min)'
    """
    what = "plot_bouts"
    if tables.holds_records(table):
        table = bouts(table)
    require_frame(table, what=what, wanted="a table of eyelog.gait.bouts")
    names = ["start", "end", "duration_min", *([column] if column else [])]
    require(table, names, purpose=what, made_by="eyelog.gait.bouts(frame)")
    if not isinstance(table["start"].dtype, pd.DatetimeTZDtype):
        raise ConfigurationError("plot_bouts needs bouts with time-zone aware starts and ends")
    if column:
        tables.require_numbers(table, column, what=what)
    known = np.isfinite(numbers(table["duration_min"]))
    if not known.any():
        raise ConfigurationError("plot_bouts has nothing to draw: there are no bouts")
    table, left_out = table[known], counted(int((~known).sum()), "bout")
    start, minutes = pd.DatetimeIndex(table["start"]), numbers(table["duration_min"])
    travels = OFFSET in table.columns
    wall = start.tz_localize(None)
    if travels:  # what the wearer's clock shows where each bout begins
        wall = start.tz_convert(None) + pd.to_timedelta(numbers(table[OFFSET]), unit="min")
    opens: Floats = wall.as_unit("us").asi8 % (24 * HOUR_US) / HOUR_US
    ax = axes.on(ax, height_mm=58.0)
    ax.set_yscale("log")
    # The nearest round lengths outside the lengths, with a margin.
    low = max((one for one in ROUND_MIN if one <= minutes.min()), default=float(minutes.min()))
    high = min((one for one in ROUND_MIN if one >= minutes.max()), default=float(minutes.max()))
    low, high = low / BOUT_ROOM, high * BOUT_ROOM
    total = f"{minutes.sum() / 60:.1f} h" if minutes.sum() >= 60 else f"{minutes.sum():.0f} min"
    said, many = f"{counted(len(table), 'bout')}, {total} in total", len(table) > MOST_BOUTS
    named = None if column is None else column_of(column, table="gait.bouts")
    not_known = "" if named is None else f"{labels.in_legend(named.label)} not known"
    values = minutes if column is None else numbers(table[column])
    finite = np.isfinite(values)
    image: ScalarMappable | None = None
    middles = (opens + minutes / 120.0) % DAY_H
    if many:
        x, y = np.linspace(0.0, DAY_H, 97), np.geomspace(low, high, 25)
        # Whole minutes are far apart on a log scale, so cells begin and end half-way between them.
        if bool((minutes == np.round(minutes)).all()):
            y = np.unique(np.append(np.floor(y), np.ceil(high))) + 0.5
            y[0] = low
        counts = np.histogram2d(minutes, middles, [y, x])[0]
        grid = np.where((counts > 0) & (column is None), counts, np.nan)
        norm: Normalize = LogNorm(1.0, max(float(counts.max()), 2.0))
        if column is not None and finite.any():
            places = minutes[finite], middles[finite]
            binned = scipy.stats.binned_statistic_2d  # takes half a second to import
            grid = numbers(binned(*places, values[finite], "median", [y, x]).statistic)
            norm = _norm(grid[np.isfinite(grid)])
        no_value = np.where((counts > 0) & np.isnan(grid), 1.0, np.nan)
        for cells, words, colours, scaled in (
            (no_value, not_known, ListedColormap([COLOURS["hatch"]]), Normalize()),
            (grid, said, _scale(), norm),
        ):
            if np.isfinite(cells).any():
                look: dict[str, Any] = {"rasterized": True, "cmap": colours, "norm": scaled}
                image = ax.pcolormesh(x, y, np.ma.masked_invalid(cells), **look)
                ax.fill([], [], color=colours(0.5), label=words)
    else:
        each = np.tile(to_rgba(COLOURS["walking"]), (len(minutes), 1))
        if column is not None:
            image = ScalarMappable(_norm(values[finite]), _scale())
            each = np.asarray(image.to_rgba(np.where(finite, values, 0.0)))
            each[~finite] = to_rgba(COLOURS["hatch"])
        # Bouts that continue after midnight are drawn again, a day to the left.
        closes = opens + minutes / 60.0
        again = np.flatnonzero(closes > DAY_H)
        order = np.concatenate([np.arange(len(opens)), again])
        left = np.append(opens, np.zeros(len(again)))
        right = np.append(closes, closes[again] - DAY_H)
        ax.hlines(minutes[order], left, right, colors=each[order], linewidth=1.6)
        # The palest colours alone are too light on white.
        look = {"edgecolors": COLOURS["walking edge"], "linewidths": 0.4, "zorder": 3, "s": 12}
        for chosen, words in ((finite, said), (~finite, not_known)):
            if chosen.any():
                places = middles[chosen], minutes[chosen]
                ax.scatter(*places, c=each[chosen], label=words, **look)
    ax.set_ylim(low, high)
    # From the shortest length up, without those for whose label an axis is too short.
    size, ticks = float(ax.yaxis.label.get_fontsize()), list[float]()
    apart = np.exp(1.3 * size * np.log(high / low) / axes.length_pt(ax.yaxis))
    for one in ROUND_MIN:
        if low <= one <= high and (not ticks or one >= apart * ticks[-1]):
            ticks.append(one)
    ax.yaxis.set_major_locator(FixedLocator(ticks))
    ax.yaxis.set_major_formatter(FuncFormatter(marks.plain))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.set_ylabel("Length of the bout (min)")
    dates.hours_axis(ax, None if travels else start.tz)
    if image is not None and finite.any():
        said = "Bouts" if named is None else named.text
        marks.colour_bar(ax, image, f"Median {said.lower()}" if many and named else said)
    ours = labels.title_of(table, days=wall.normalize(), zone=False)
    note = "" if known.all() else f"{left_out} without a duration left out"
    axes.finish(ax, ours, title, legend=legend, note=note)
    return ax


def _scale() -> Colormap:
    """Return the colours of walking without the palest, in which a thin line would be invisible."""
    colours = sequential("walking")(np.linspace(0.2, 1.0, 256))
    return ListedColormap(colours).with_extremes(bad="none")


def _norm(values: Floats) -> Normalize:
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    return Normalize(low, high if high > low else low + 1.0)
