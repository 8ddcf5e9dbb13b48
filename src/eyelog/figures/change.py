"""Before and after, or two conditions: each pair, and the difference with its interval beside."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import FigureBase

from eyelog.errors import ConfigurationError, EyelogError, counted
from eyelog.figures import axes, marks, tables
from eyelog.figures.axes import Panels
from eyelog.figures.labels import in_legend, last_step, range_words, short_names
from eyelog.figures.many import draw_differences
from eyelog.figures.style import COLOURS, SMALL_PT
from eyelog.frame import ACCOUNT, require, require_frame, stated_account
from eyelog.judge.arrays import Bools, Floats, numbers
from eyelog.judge.limits import Limits
from eyelog.measure.columns import Column
from eyelog.measure.columns import column as column_of
from eyelog.measure.groups import keyed
from eyelog.measure.sheet import decimals
from eyelog.series.groups import GroupDifference, group_difference, with_account
from eyelog.series.mixed import fit_mixed
from eyelog.series.periods import TwoPeriods, two_periods

LEAST_H: Final = pd.Timedelta(Limits().min_day) / pd.Timedelta("1h")
PANEL_MM: Final = 58.0
WEEK_DAYS: Final = 7
SIDE_CHARACTERS: Final = 14  # of the name of a condition: three fit beside each other at 89 mm
LEVELS: Final = 30  # values closer than this part of their range are drawn beside each other
STEP: Final = 0.07
REACH: Final = 0.22  # how far from its place a point may be
SPREAD: Final = 1.96  # an interval of 95 % reaches this many standard errors
SHAPE_REACH: Final = 1.3  # of the interval: the curve is hardly higher than 0 there
SHAPE_WIDE: Final = 0.42
ENDS: Final = (-0.62, 1.62)
FIXED_TERMS: Final = ("intercept", "sd_wearers", "sd_residual")

Result = TwoPeriods | GroupDifference | pd.DataFrame


@dataclass(frozen=True)
class Difference:
    """What a result says, of whatever kind."""

    value: float
    low: float
    high: float
    of: str
    what: str  # in the legend
    meaning: str  # under the figure, where the difference is not that of the means drawn beside it
    facts: tuple[str, ...]


@dataclass(frozen=True)
class Sides:
    """The two sides: the points of each, the pairs, and which of them count."""

    names: tuple[str, str]
    under: tuple[str, ...]
    values: tuple[Floats, Floats]
    counts: tuple[Bools, Bools]
    pairs: tuple[tuple[int, int], ...]
    unit: str

    @property
    def means(self) -> tuple[float, float]:
        """The mean of what counts on each side."""
        first, second = (
            float(values[counts].mean())
            for values, counts in zip(self.values, self.counts, strict=True)
        )
        return first, second

    def counted(self, pair: tuple[int, int]) -> list[bool]:
        """Return which of a pair counts."""
        return [bool(self.counts[side][row]) for side, row in enumerate(pair)]

    @property
    def short(self) -> list[str]:
        """The names, short enough to fit beside each other in one column."""
        return short_names(self.names, SIDE_CHARACTERS)


@axes.plot_function
def plot_change(
    table: pd.DataFrame,
    column: str,
    *,
    at: str | pd.Timestamp | None = None,
    by: str | pd.Series | None = None,
    account: str | None = None,
    result: TwoPeriods | GroupDifference | pd.DataFrame | None = None,
    fig: FigureBase | None = None,
    title: str | None = None,
    legend: bool | str = True,
) -> "np.ndarray[Any, np.dtype[np.object_]]":
    r"""Draw two periods or two conditions, and beside them the difference with its interval.

    For one wearer a point is a day, for many it is the mean of a wearer's days. Squares are before
    or the first condition, circles after or the second.

    Parameters
    ----------
    table : DataFrame
        A frame, or the days of a wearer (`eyelog.daily`), or those of many, with ``account`` in the
        index or in a column (`eyelog.cohort.daily`, `eyelog.compare.mixed_table`).
    column : str
        The column to draw.
    at : date, optional
        The first day of the second period, such as ``"2026-10-12"``.
    by : str or Series, optional
        Instead, the two conditions: a column, ``"weekend"``, or a Series of labels by day, wearer
        or row; the first in order of their names is the reference. Rows without one are left out.
    account : str, optional
        The wearer to draw, from a table of many.
    result : TwoPeriods, GroupDifference or DataFrame, optional
        The difference, if already computed: of `eyelog.compare.two_periods`,
        `eyelog.compare.group_difference` or `eyelog.compare.fit_mixed`. Default: for one wearer the
        first; for many the second if each wearer has one condition, otherwise the third. It must
        have counted either all or none of the days worn for less than 4 hours.
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
        The values (days worn for less than 4 hours are hollow and not counted), and the
        difference, whose 0 is at the mean before. Each artist has its words in the legend as its
        label. Pairs are the same weekday as many weeks apart as the shorter period has, or the same
        wearer.

    Raises
    ------
    FieldError
        If the table lacks a column.
    ConfigurationError
        If neither or both of `at` and `by` are given, a side has no values, `by` does not have two
        values, `at` is not a date, `account` has no rows, or `result` is not of this table.

    Notes
    -----
    The interval is that of the result, of this wearer (days as units) or between wearers; the grey
    shape beside it has the same two ends and shows where most of it lies. A result that gives no
    interval is drawn without one, with its reason under the figure. The difference of two periods
    is the median of the differences of every two days (Hodges & Lehmann 1963, Annals of
    Mathematical Statistics 34:598), in which single days have little weight, with weekends levelled
    first where both periods have some; that of a mixed model is its term. Neither is necessarily
    the difference of the two means drawn beside it: the text under the figure says what it is, and
    by how much the means differ. An estimation plot after Ho et al. (2019, Nature Methods 16:565).

    Examples
    --------
    >>> import eyelog as el
    >>> days = el.daily(el.simulate("2026-09-28", 14, log="standard_mode_logs"))
    >>> values, difference = el.plot_change(days, "steps", at="2026-10-05")
    >>> [text.get_text() for text in values.get_xticklabels()]
    ['before\n28 Sep to 4 Oct', 'after\n5 to 11 Oct']
    """
    what = "plot_change"
    table = tables.days_of(table)
    require_frame(table, what=what, wanted="a table of days, as of eyelog.daily")
    if (at is None) == (by is None):
        raise ConfigurationError(
            "plot_change takes either at=, the first day of the second period, or"
            " by=, the two conditions: a column, 'weekend' or a Series"
        )
    require(table, [column], purpose=what, made_by="eyelog.daily(frame)")
    if by is not None:
        table, (by, *_) = keyed(table, by, what=what, one=True)
    tables.require_numbers(table, column, what=what)
    rows, wearer = _rows(table, account)
    rows, names = _sided(rows, at, by)
    # The order of the rows in a table changes nothing.
    order = [name for name in (ACCOUNT, "day") if name in rows]
    rows = rows.sort_values(order, kind="stable", ignore_index=True)
    rows = rows.assign(value=numbers(rows[column]))
    rows = rows[np.isfinite(rows["value"])]
    full = np.ones(len(rows), dtype=bool)
    if "worn_h" in rows:  # a day that counts was worn for as long
        full = numbers(rows["worn_h"]) >= LEAST_H
    when = {"before": "before that day", "after": "from that day on"}
    about = column_of(column, log=tables.log_or_none(table))
    many = wearer is None and ACCOUNT in rows
    for name, side in zip(names, (False, True), strict=True):
        words = when.get(name, f"under {name!r}")
        if not (rows["after"] == side).any():
            raise ConfigurationError(f"plot_change: {column!r} has no value {words}")
        if not many and result is None and not (rows["after"][full] == side).any():
            raise ConfigurationError(
                f"plot_change: no day {words} was worn for {LEAST_H:g} hours, so none counts"
            )
    if result is not None:
        full = _counted_by(result, rows, full, column, names)
    elif not many:
        result = _periods(rows[full])
    else:
        # Groups of wearers, or both sides within wearers.
        on_sides = rows[full].groupby(rows[ACCOUNT].astype(str))["after"].nunique()
        grouped = by is not None and (on_sides == 1).all()
        result = _groups(rows[full], names) if grouped else _mixed(rows[full])
    sides = _wearers(rows[full], names) if many else _days(rows, full, names, at)
    difference = _said(result, names, by)
    made: Panels = axes.panels([PANEL_MM], [2.3, 1.0], fig=fig)[0]
    _draw_values(made[0], sides, about)
    _draw_difference(made[0], made[1], sides, difference)
    marks.difference_axis(made[1], about.unit)
    said, facts = _note(sides, difference, about, int((~full).sum()) if many else 0)
    sides_said = f"{names[0]} and {names[1]}"
    if at is not None:
        day = pd.Timestamp(cast(Any, at))
        sides_said = f"before and after {day.day} {day:%b %Y}"
    parts = (str(wearer or stated_account(table) or ""), about.label, sides_said)
    ours, note = " · ".join(part for part in parts if part), f"{said}\n{facts}".strip()
    axes.finish(made[0], ours, title, legend=legend, note=note, fig=fig)
    return made


def _rows(table: pd.DataFrame, account: str | None) -> tuple[pd.DataFrame, str | None]:
    """Return the rows by number with ``day`` and, for many wearers, ``account``; and the one."""
    rows = with_account(table, what="plot_change")
    days: Any = None
    if isinstance(table.index, pd.MultiIndex):
        days = table.index.get_level_values(-1)
    elif ACCOUNT not in table.columns:
        days = tables.dates_of(table, what="plot_change")
    elif "day" in table.columns:
        days = pd.DatetimeIndex(table["day"])
    rows = rows.reset_index(drop=True)
    if isinstance(days, pd.DatetimeIndex):
        rows["day"] = days.tz_localize(None).normalize().as_unit("us")
    if account is None:
        return rows, None
    if ACCOUNT not in rows:
        raise ConfigurationError(
            "plot_change: account= chooses a wearer of a table of many, and this"
            " table has no 'account'"
        )
    mine = rows[rows[ACCOUNT].astype(str) == account].reset_index(drop=True)
    if mine.empty:
        raise ConfigurationError(f"plot_change: the table has no rows of {account!r}")
    return mine, account


def _sided(
    rows: pd.DataFrame, at: str | pd.Timestamp | None, by: str | None
) -> tuple[pd.DataFrame, tuple[str, str]]:
    """Return the rows of the two sides with a boolean ``after``, and what the sides are called."""
    if by is not None:
        rows = rows[rows[by].notna()].reset_index(drop=True)
        labels = sorted(rows[by].astype(str).unique())
        if len(labels) != 2:
            raise ConfigurationError(
                f"plot_change compares two conditions, and {by!r} has {len(labels)}:"
                f" {', '.join(labels[:5]) or 'no value'}; choose the rows of two"
            )
        return rows.assign(after=rows[by].astype(str) == labels[1]), (labels[0], labels[1])
    try:
        first = pd.Timestamp(cast(Any, at))
    except (ValueError, TypeError) as error:
        raise ConfigurationError(f"at= must be a date such as 2026-10-12, not {at!r}") from error
    if "day" not in rows:
        raise ConfigurationError(
            "plot_change needs the day of each row, in the index or in a column 'day'"
        )
    first = first.tz_localize(None).normalize()
    return rows.assign(after=rows["day"] >= first), ("before", "after")


def _periods(rows: pd.DataFrame) -> TwoPeriods:
    """Return how the days of one wearer differ."""
    by_day = pd.Series(numbers(rows["value"]), index=pd.DatetimeIndex(rows["day"], name="day"))
    after = rows["after"].to_numpy(dtype=bool)
    return two_periods(by_day[~after].sort_index(), by_day[after].sort_index())


def _groups(rows: pd.DataFrame, names: tuple[str, str]) -> GroupDifference:
    """Return how the means of two groups of wearers differ."""
    # Names in the order of the alphabet are what the result calls first and second.
    sides = rows.groupby(rows[ACCOUNT].astype(str))["after"].first()
    of_wearer = {str(wearer): names[int(after)] for wearer, after in sides.items()}
    return group_difference(rows, of_wearer, outcome="value")


def _mixed(rows: pd.DataFrame) -> pd.DataFrame:
    """Return how the sides differ within wearers who have both."""
    return fit_mixed(rows.assign(after=rows["after"].astype(float)), "value", predictors="after")


def _counted_by(
    result: Result, rows: pd.DataFrame, full: Bools, column: str, names: tuple[str, str]
) -> Bools:
    """Return which rows a result counted: those of full days, or all.

    A result does not say which column of which table it is of: its counts of both sides and its
    difference must be those of the rows.
    """
    outcome: object = column
    if isinstance(result, TwoPeriods):
        made: Callable[[pd.DataFrame], Result] = _periods
    elif isinstance(result, GroupDifference):
        made = partial(_groups, names=names)
    elif isinstance(result, pd.DataFrame) and {"estimate", "low", "high", "n"} <= set(result):
        made, outcome = _mixed, last_step(result).get("outcome") or column
    else:
        raise ConfigurationError(
            f"result= must be of eyelog.compare.two_periods, group_difference or"
            f" fit_mixed, not {type(result).__name__}"
        )
    for counts in (full, np.ones(len(rows), dtype=bool)):
        try:
            # A model with more terms adjusts for them: its difference is another.
            pairs = zip(_numbers(result), _numbers(made(rows[counts])), strict=False)
        except EyelogError:
            continue
        if outcome == column and all(np.isclose(a, b, rtol=1e-6, equal_nan=True) for a, b in pairs):
            return np.asarray(counts)
    of = f" of {outcome!r}, or" * (outcome != column)
    raise ConfigurationError(
        f"plot_change: the result is{of} of other values than these: pass the table, the column"
        " and the split that the result is of"
    )


def _numbers(result: Result) -> list[float]:
    """Return what a result says of its rows: counts, and the difference if it is not adjusted."""
    if isinstance(result, TwoPeriods):
        return [result.days_before, result.days_after, result.difference]
    if isinstance(result, GroupDifference):
        return [result.n, result.wearers_first, result.wearers_second, result.difference]
    terms = [name for name in result.index if name not in FIXED_TERMS]
    counts = [float(numbers(result[name])[0]) for name in ("n", "wearers")]
    return counts + ([float(numbers(result.loc[terms, "estimate"])[0])] if len(terms) == 1 else [])


def _wearers(rows: pd.DataFrame, names: tuple[str, str]) -> Sides:
    """Return the mean of each wearer on each side; wearers with both are pairs."""
    means = rows.groupby(["after", rows[ACCOUNT].astype(str)])["value"].mean()
    first, second = means.loc[False], means.loc[True]
    places = second.index.get_indexer(first.index)
    return Sides(
        names=names,
        under=(counted(len(first), "wearer"), counted(len(second), "wearer")),
        values=(numbers(first), numbers(second)),
        counts=(np.ones(len(first), dtype=bool), np.ones(len(second), dtype=bool)),
        pairs=tuple((i, int(place)) for i, place in enumerate(places) if place >= 0),
        unit="wearer",
    )


def _days(
    rows: pd.DataFrame, full: Bools, names: tuple[str, str], at: str | pd.Timestamp | None
) -> Sides:
    """Return each day of one wearer; in two periods, the same weekdays are pairs."""
    if "day" not in rows:
        raise ConfigurationError("plot_change needs the day of each row of one wearer")
    after = rows["after"].to_numpy(dtype=bool)
    days = pd.DatetimeIndex(rows["day"])
    parts = [days[~after], days[after]]
    if max(part.has_duplicates for part in parts):
        raise ConfigurationError(
            "plot_change takes one row for each day of a wearer, and this table has several: pass"
            " eyelog.daily(frame), or a table with 'account'"
        )
    places, under = np.zeros(0, np.int64), [counted(len(part), "day") for part in parts]
    if at is not None:
        first = pd.Timestamp(cast(Any, at)).tz_localize(None).normalize()
        spans = (first - parts[0].min(), parts[1].max() - first + pd.Timedelta(days=1))
        weeks = -(-min(span.days for span in spans) // WEEK_DAYS)
        places = parts[1].get_indexer(parts[0] + pd.Timedelta(days=WEEK_DAYS * weeks))
        under = [_in_lines(part.min(), part.max()) for part in parts]
    values = numbers(rows["value"])
    return Sides(
        names=names,
        under=tuple(under),
        values=(values[~after], values[after]),
        counts=(full[~after], full[after]),
        pairs=tuple((i, int(place)) for i, place in enumerate(places) if place >= 0),
        unit="day",
    )


def _in_lines(first: pd.Timestamp, last: pd.Timestamp) -> str:
    """Return a range of days, without the year that the title has, or in two lines."""
    words = range_words(first, last)
    if first.year != last.year:
        return words.replace(" to ", "\nto ")
    return words.removesuffix(f" {last.year}")


def _said(result: Result, names: tuple[str, str], by: str | None) -> Difference:
    """Return the difference of a result, and what it is based on in words."""
    of, meaning = "between wearers", ""
    if isinstance(result, TwoPeriods):
        of, what = "of this wearer", "Hodges-Lehmann difference"
        meaning = (
            "the median of the differences of every two days, one of each side, with weekends"
            " levelled where both sides have some"
        )
        facts = counted(result.days_before + result.days_after, "day")
        if np.isfinite(result.phi) and result.phi > 0:
            facts += (
                f", worth {result.n_effective:.0f}, as neighbouring days are alike"
                f" (phi {result.phi:.2f})"
            )
        value, low, high, reason = result.difference, result.low, result.high, result.reason
    elif isinstance(result, GroupDifference):
        if (result.first, result.second) != names:
            raise ConfigurationError(
                f"plot_change: the result compares {result.first!r} and {result.second!r}, and the"
                f" table has {names[0]!r} and {names[1]!r}"
            )
        what = "difference of the means"
        facts = f"{result.wearers_first} and {counted(result.wearers_second, 'wearer')}"
        value, low, high, reason = result.difference, result.low, result.high, result.reason
    else:
        what, meaning = "difference of the mixed model", "the term of a mixed model of the days"
        row = result.loc[_term(result, names, by)].to_dict()
        value, low, high = (float(row[name]) for name in ("estimate", "low", "high"))
        facts = f"{counted(int(row['n']), 'day')} of {counted(int(row['wearers']), 'wearer')}"
        reason = str(row["reason"])
    return Difference(value, low, high, of, what, meaning, (facts, *([reason] if reason else [])))


def _term(fit: pd.DataFrame, names: tuple[str, str], by: str | None) -> str:
    """Return the term of a mixed model that is the difference of the two sides."""
    terms = [str(name) for name in fit.index if name not in FIXED_TERMS]
    wanted = [name for name in (f"{by}[{names[1]}]", str(by), "after") if name in terms]
    if len(terms) == 1 or wanted:
        return wanted[0] if wanted else terms[0]
    raise ConfigurationError(
        f"plot_change: the model has the terms {', '.join(terms) or 'none'}, and none is named for"
        f" the two sides: call the predictor {by or 'after'!r}"
    )


def _spread(values: Floats) -> Floats:
    """Return how far from its place each point is, so that equal values are side by side."""
    low, high = float(values.min()), float(values.max())
    level = np.floor((values - low) / ((high - low) or 1.0) * LEVELS)
    rank = pd.Series(values).groupby(level).cumcount().to_numpy()
    side = np.where(rank % 2 == 1, 1.0, -1.0)
    step = min(STEP, REACH / max(1, (int(rank.max()) + 1) // 2))
    return np.asarray((rank + 1) // 2 * side * step, dtype=np.float64)


def _draw_values(ax: Axes, sides: Sides, about: Column) -> None:
    """Draw the pairs, the points of both sides, and the mean of each beside them."""
    places = [place + _spread(values) for place, values in enumerate(sides.values)]
    lines = [
        [(places[side][row], sides.values[side][row]) for side, row in enumerate(pair)]
        for pair in sides.pairs
    ]
    if lines:
        dashes = ["-" if all(sides.counted(pair)) else ":" for pair in sides.pairs]
        look: dict[str, Any] = {"colors": COLOURS["pair"], "linewidths": 0.6, "linestyles": dashes}
        same = "same wearer" if sides.unit == "wearer" else "same weekday"
        ax.add_collection(LineCollection(lines, zorder=2, label=same, **look))
    first, second = sides.means
    digits = decimals(np.concatenate(sides.values), about.digits)
    size = float(np.clip(600.0 / max(map(len, sides.values)), 4.0, 16.0))
    for place, side, marker, ends, mean, over in (
        (0, "before", "s", (-REACH - 0.28, -REACH - 0.12), first, second <= first),
        (1, "after", "o", (1 + REACH + 0.12, 1 + REACH + 0.28), second, second > first),
    ):
        thin = axes.once(ax, f"thin: under {LEAST_H:g} h worn, not counted")
        marks.estimates(
            ax, places[place], sides.values[place], None, COLOURS[side], s=size, marker=marker,
            label=in_legend(sides.short[place]), hollow=(~sides.counts[place], thin),
            edgecolors="white", linewidths=0.4,
        )  # fmt: skip
        bar = ax.hlines(mean, *ends, color=COLOURS[side], linewidth=2.4, zorder=3)
        label = "mean of the side" if "mean" in sides.short else "mean"
        bar.set(label=axes.once(ax, label), capstyle="butt")
        # Over or under its bar, away from the line that carries the first mean across.
        ax.annotate(
            marks.words_of(mean, digits), (sum(ends) / 2, mean), (0, 2.5 if over else -2.5),
            textcoords="offset points", ha="center", va="bottom" if over else "top",
            fontsize=SMALL_PT, fontweight="bold", zorder=5,
        )  # fmt: skip
    dashed = ax.hlines(first, -REACH - 0.12, ENDS[1], color=COLOURS["reference"], linewidth=0.9)
    dashed.set(linestyle="--", zorder=1)
    named = zip(sides.short, sides.under, strict=True)
    ax.set_xticks([0, 1], [f"{name}\n{under}" for name, under in named])
    marks.bare(ax, "bottom")
    ax.set_xlim(*ENDS)
    ax.set_ylabel(about.text)
    marks.value_axis(ax.yaxis)


def _draw_difference(values: Axes, ax: Axes, sides: Sides, difference: Difference) -> None:
    """Draw the difference, its interval, and a shape that shows where most of it lies."""
    drawn = {name: [getattr(difference, name)] for name in ("low", "high")}
    row = pd.DataFrame({"difference": difference.value, **drawn})
    draw_differences(values, ax, [0.0], row, sides.means[0], difference.what)
    if np.isfinite(difference.low) and np.isfinite(difference.high):
        # Two halves of a normal curve whose 95 % end where the interval does.
        t = SHAPE_REACH * SPREAD * np.linspace(-1.0, 1.0, 121)
        below, above = difference.value - difference.low, difference.high - difference.value
        y = difference.value + t * np.where(t < 0, below, above) / SPREAD
        wide = SHAPE_WIDE * np.exp(-(t**2) / 2) + 0.04
        look: dict[str, Any] = {"edgecolor": COLOURS["usual rim"], "linewidth": 0.5, "zorder": 2}
        ax.fill_betweenx(y, 0.02, wide, facecolor=COLOURS["usual range"], **look)
    names = sides.short
    ax.set_xticks([0.0], [f"{names[1]}\nminus {names[0]}"])
    ax.set_xlim(-0.55, 0.75)


def _note(sides: Sides, difference: Difference, about: Column, left_out: int) -> tuple[str, str]:
    """Return the difference and its interval, and what they describe and are based on."""
    facts = list(difference.facts)
    both = [all(sides.counted(pair)) for pair in sides.pairs]
    if sides.pairs and sides.unit == "day":
        facts.insert(1, f"{sum(both)} of {counted(len(both), 'pair')} count")
    elif sides.pairs:
        facts.insert(1, f"{counted(len(both), 'wearer')} on both sides")
    if left_out:
        facts.append(f"{counted(left_out, 'day')} under {LEAST_H:g} h worn left out")
    value, low, high = difference.value, difference.low, difference.high
    if not np.isfinite(value):
        return "No difference can be given", "; ".join(facts)
    if difference.meaning:
        means = sides.means[1] - sides.means[0]
        digits = decimals(np.array([value, means]), about.digits)
        texts = [marks.words_of(value, digits), marks.words_of(means, digits)]
        apart = f"; the means differ by {texts[1]}" if texts[0] != texts[1] else ""
        facts.insert(0, f"It is {difference.meaning}{apart}")
    shown = np.array([value, low, high])
    digits = decimals(shown[np.isfinite(shown)], about.digits)
    said = f"Difference {marks.words_of(value, digits)} {about.unit}".rstrip()
    if np.isfinite(low):
        ends = f"{marks.words_of(low, digits)} to {marks.words_of(high, digits)}"
        return f"{said} (95 % interval {ends}, {difference.of})", "; ".join(facts)
    return f"{said}, without an interval", "; ".join(facts)
