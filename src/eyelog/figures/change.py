"""Before and after, or two conditions: each pair, and the difference with its interval beside."""

from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase
from matplotlib.lines import Line2D

from eyelog.errors import ConfigurationError, counted
from eyelog.figures.axes import Entry, grid, legend, line, plot_function, set_note, set_title
from eyelog.figures.labels import range_words, short_names
from eyelog.figures.marks import difference_axis, number, value_axis
from eyelog.figures.named import last_step
from eyelog.figures.style import COLOURS, SMALL_PT
from eyelog.figures.tables import dates_of, days_of, log_or_none
from eyelog.frame import ACCOUNT, require, require_frame, stated_account
from eyelog.judge.arrays import Bools, Floats, numbers
from eyelog.judge.limits import Limits
from eyelog.measure.columns import Column
from eyelog.measure.columns import column as column_of
from eyelog.measure.groups import keyed
from eyelog.measure.sheet import decimals, number_text
from eyelog.series.groups import GroupDifference, group_difference, with_account
from eyelog.series.mixed import fit_mixed
from eyelog.series.periods import TwoPeriods, two_periods

LEAST_H: Final = pd.Timedelta(Limits().min_day) / pd.Timedelta("1h")
PANEL_MM: Final = 58.0
AROUND_MM: Final = 30.0
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
    under: tuple[str, str]
    values: tuple[Floats, Floats]
    counts: tuple[Bools, Bools]
    pairs: tuple[tuple[int, int], ...]
    unit: str


@plot_function
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

    Returns
    -------
    array of Axes
        The values, with the labels ``_before``, ``_after``, ``_thin before``, ``_thin after``
        (worn for less than 4 hours, hollow, not counted), ``_pairs`` and ``_means``; and the
        difference, whose 0 is at the mean before, with ``_difference`` and ``_interval``. Pairs
        are the same weekday as many weeks apart as the shorter period has, or the same wearer.

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
    ['before\n28 Sep\nto 4 Oct', 'after\n5 Oct\nto 11 Oct']
    """
    table = days_of(table)
    require_frame(table, what="plot_change", wanted="a table of days, as of eyelog.daily")
    if (at is None) == (by is None):
        raise ConfigurationError(
            "plot_change takes either at=, the first day of the second period, or"
            " by=, the two conditions: a column, 'weekend' or a Series"
        )
    require(table, [column], purpose="plot_change", made_by="eyelog.daily(frame)")
    if by is not None:
        table, keys = keyed(table, by, what="plot_change", one=True)
        by = keys[0]
    if not pd.api.types.is_numeric_dtype(table[column].dtype):
        raise ConfigurationError(f"plot_change draws numbers, but {column!r} holds times or text")
    rows, wearer = _rows(table, account)
    rows, names = _sided(rows, at, by)
    # The order of the rows in a table changes nothing.
    order = [name for name in (ACCOUNT, "day") if name in rows]
    rows = rows.sort_values(order, kind="stable", ignore_index=True)
    full = _full(rows)
    rows["value"] = numbers(rows[column])
    finite = np.isfinite(numbers(rows["value"]))
    rows, full = rows[finite], full[finite]
    _refuse_empty(rows, names, column)
    about = column_of(column, log=log_or_none(table))
    many = wearer is None and ACCOUNT in rows
    if result is not None:
        full = _counted_by(result, rows, full, column)
    elif many:
        result = _of_many(rows[full], names, by)
    else:
        result = _of_one(rows[full], names)
    sides = _wearers(rows[full], names) if many else _days(rows, full, names, at)
    difference = _said(result, names, by)
    left_out = int((~full).sum()) if many else 0
    made = grid([PANEL_MM], [2.3, 1.0], around_mm=AROUND_MM, fig=fig)[0]
    _draw_values(made[0], sides, about)
    _draw_difference(made[0], made[1], sides, difference, about)
    said, facts = _note(sides, difference, about, left_out)
    set_note(made[0], said, facts)
    legend(made[0], _entries(sides, difference), note=f"{said}: {facts}" if facts else said)
    named = wearer or stated_account(table) or ""
    set_title(
        made[0],
        " · ".join(part for part in (str(named), _words(about, names, at, by)) if part),
        title,
        fig=fig,
    )
    return cast("np.ndarray[Any, np.dtype[np.object_]]", made)


def _rows(table: pd.DataFrame, account: str | None) -> tuple[pd.DataFrame, str | None]:
    """Return the rows by number with ``day`` and, for many wearers, ``account``; and the one."""
    rows = with_account(table, what="plot_change")
    days: Any = None
    if isinstance(table.index, pd.MultiIndex):
        days = table.index.get_level_values(-1)
    elif ACCOUNT not in table.columns:
        days = dates_of(table, what="plot_change")
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


def _full(rows: pd.DataFrame) -> Bools:
    """Return which rows were worn for as long as a day that counts; all if none states it."""
    if "worn_h" not in rows:
        return np.ones(len(rows), dtype=bool)
    return np.asarray(numbers(rows["worn_h"]) >= LEAST_H)


def _refuse_empty(rows: pd.DataFrame, names: tuple[str, str], column: str) -> None:
    for name, side in zip(names, (False, True), strict=True):
        if not (rows["after"] == side).any():
            raise ConfigurationError(f"plot_change: {column!r} has no value {_when(name)}")


def _when(name: str) -> str:
    return {"before": "before that day", "after": "from that day on"}.get(name, f"under {name!r}")


def _counted_by(result: Result, rows: pd.DataFrame, full: Bools, column: str) -> Bools:
    """Return which rows a result counted: those of full days, or all.

    A result does not say which column of which table it is of: its counts of both sides and its
    difference must be those of the rows.
    """
    if not isinstance(result, TwoPeriods | GroupDifference) and not (
        isinstance(result, pd.DataFrame) and {"estimate", "low", "high", "n"} <= set(result)
    ):
        raise ConfigurationError(
            f"result= must be of eyelog.compare.two_periods, group_difference or"
            f" fit_mixed, not {type(result).__name__}"
        )
    every = np.ones(len(rows), dtype=bool)
    either = [_facts(result, rows[counts]) for counts in (full, every)]
    for counts, (theirs, ours) in zip((full, every), either, strict=True):
        same = np.allclose(theirs, ours, rtol=1e-6, atol=1e-9, equal_nan=True)
        if same and _outcome(result) in (column, None):
            return np.asarray(counts)
    (theirs, ours), outcome = either[0], _outcome(result)
    of = f" of {outcome!r}" if outcome else ""
    raise ConfigurationError(
        f"plot_change: the result is of other values than these:{of} {_in_words(result, theirs)},"
        f" and the days that count have {_in_words(result, ours)}: pass the table, the column and"
        " the split that the result is of"
    )


def _outcome(result: Result) -> str | None:
    """Return the column of a mixed model, as its history states it; other results do not."""
    return last_step(result).get("outcome") if isinstance(result, pd.DataFrame) else None


def _facts(result: Result, rows: pd.DataFrame) -> tuple[list[float], list[float]]:
    """Return what a result says of its rows, and the same of some rows."""
    after = rows["after"].to_numpy(dtype=bool)
    if isinstance(result, TwoPeriods):
        has_both = after.any() and not after.all()
        shift = _compared(rows).difference if has_both else np.nan
        said = [result.days_before, result.days_after, result.difference]
        return said, [int((~after).sum()), int(after.sum()), shift]
    if isinstance(result, GroupDifference):
        means = rows.groupby(["after", rows[ACCOUNT].astype(str)])["value"].mean()
        sides = [means[means.index.get_level_values("after") == side] for side in (False, True)]
        shift = float(sides[1].mean() - sides[0].mean())
        return (
            [result.n, result.wearers_first, result.wearers_second, result.difference],
            [len(rows), *(len(side) for side in sides), shift],
        )
    said = [float(numbers(result[name])[0]) for name in ("n", "wearers")]
    ours: list[float] = [len(rows), rows[ACCOUNT].nunique() if ACCOUNT in rows else 1]
    terms = [str(name) for name in result.index if name not in FIXED_TERMS]
    if said == ours and len(terms) == 1:  # a model with more terms adjusts for them
        again = _mixed(rows)
        said.append(float(result["estimate"].to_dict()[terms[0]]))
        ours.append(float(again["estimate"].to_dict()["after"]))
    return said, ours


def _in_words(result: Result, facts: list[float]) -> str:
    if isinstance(result, TwoPeriods):
        words, told = f"{facts[0]:.0f} and {facts[1]:.0f} days", facts[2:]
    elif isinstance(result, GroupDifference):
        words, told = f"{facts[0]:.0f} days of {facts[1]:.0f} and {facts[2]:.0f} wearers", facts[3:]
    else:
        words = f"{facts[0]:.0f} days of {counted(int(facts[1]), 'wearer')}"
        told = facts[2:]
    return words + "".join(f", difference {number(value)}" for value in told if np.isfinite(value))


def _of_one(rows: pd.DataFrame, names: tuple[str, str]) -> TwoPeriods:
    after = rows["after"].to_numpy(dtype=bool)
    for name, side in zip(names, (~after, after), strict=True):
        if not side.any():
            raise ConfigurationError(
                f"plot_change: no day {_when(name)} was worn for {LEAST_H:g} hours, so none counts"
            )
    return _compared(rows)


def _compared(rows: pd.DataFrame) -> TwoPeriods:
    """Return how the days of one wearer differ."""
    by_day = pd.Series(numbers(rows["value"]), index=pd.DatetimeIndex(rows["day"], name="day"))
    after = rows["after"].to_numpy(dtype=bool)
    return two_periods(by_day[~after].sort_index(), by_day[after].sort_index())


def _of_many(
    rows: pd.DataFrame, names: tuple[str, str], by: str | None
) -> GroupDifference | pd.DataFrame:
    """Return the difference of two groups of wearers, or within wearers who have both sides."""
    sides = rows.groupby(rows[ACCOUNT].astype(str))["after"]
    if by is not None and (sides.min() == sides.max()).all():
        # Names in the order of the alphabet are what the result calls first and second.
        return group_difference(
            rows,
            {str(one): names[int(after)] for one, after in sides.first().items()},
            outcome="value",
        )
    return _mixed(rows)


def _mixed(rows: pd.DataFrame) -> pd.DataFrame:
    return fit_mixed(rows.assign(after=rows["after"].astype(float)), "value", predictors="after")


def _wearers(rows: pd.DataFrame, names: tuple[str, str]) -> Sides:
    """Return the mean of each wearer on each side; wearers with both are pairs."""
    means = rows.groupby(["after", rows[ACCOUNT].astype(str)])["value"].mean()
    first, second = means.loc[False], means.loc[True]
    pairs = [
        (i, second.index.get_loc(name)) for i, name in enumerate(first.index) if name in second
    ]
    return Sides(
        names=names,
        under=(counted(len(first), "wearer"), counted(len(second), "wearer")),
        values=(numbers(first), numbers(second)),
        counts=(np.ones(len(first), dtype=bool), np.ones(len(second), dtype=bool)),
        pairs=tuple(cast("list[tuple[int, int]]", pairs)),
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
    pairs: list[tuple[int, int]] = []
    under = tuple(counted(len(part), "day") for part in parts)
    if at is not None:
        first = pd.Timestamp(cast(Any, at)).tz_localize(None).normalize()
        spans = (first - parts[0].min(), parts[1].max() - first + pd.Timedelta(days=1))
        weeks = -(-min(span.days for span in spans) // WEEK_DAYS)
        places = parts[1].get_indexer(parts[0] + pd.Timedelta(days=WEEK_DAYS * weeks))
        pairs = [(i, int(place)) for i, place in enumerate(places) if place >= 0]
        under = tuple(_in_lines(part.min(), part.max()) for part in parts)
    values = numbers(rows["value"])
    return Sides(
        names=names,
        under=(under[0], under[1]),
        values=(values[~after], values[after]),
        counts=(full[~after], full[after]),
        pairs=tuple(pairs),
        unit="day",
    )


def _in_lines(first: pd.Timestamp, last: pd.Timestamp) -> str:
    if first == last:
        return range_words(first, last)
    years = (f" {first.year}", f"\n{last.year}") if first.year != last.year else ("", "")
    return f"{first.day} {first:%b}{years[0]}\nto {last.day} {last:%b}{years[1]}"


def _said(result: Result, names: tuple[str, str], by: str | None) -> Difference:
    """Return the difference of a result, and what it is based on in words."""
    if isinstance(result, TwoPeriods):
        facts = [counted(result.days_before + result.days_after, "day")]
        if np.isfinite(result.phi) and result.phi > 0:
            facts = [
                f"{facts[0]}, worth {result.n_effective:.0f}, as neighbouring days are alike"
                f" (phi {result.phi:.2f})"
            ]
        of, row = "of this wearer", result
        what = "Hodges-Lehmann difference"
        meaning = (
            "the median of the differences of every two days, one of each side, with weekends"
            " levelled where both sides have some"
        )
        value, low, high = row.difference, row.low, row.high
        reason = row.reason
    elif isinstance(result, GroupDifference):
        if (result.first, result.second) != names:
            raise ConfigurationError(
                f"plot_change: the result compares {result.first!r} and {result.second!r}, and the"
                f" table has {names[0]!r} and {names[1]!r}"
            )
        of, what, meaning = "between wearers", "difference of the means", ""
        facts = [f"{result.wearers_first} and {counted(result.wearers_second, 'wearer')}"]
        value, low, high, reason = result.difference, result.low, result.high, result.reason
    else:
        term = _term(result, names, by)
        estimate = result.loc[term].to_dict()
        value, low, high = (float(estimate[name]) for name in ("estimate", "low", "high"))
        of, reason = "between wearers", str(estimate["reason"])
        what, meaning = "difference of the mixed model", "the term of a mixed model of the days"
        wearers, n = int(estimate["wearers"]), int(estimate["n"])
        facts = [f"{counted(n, 'day')} of {counted(wearers, 'wearer')}"]
    facts += [reason] if reason else []
    return Difference(value, low, high, of, what, meaning, tuple(facts))


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


def _short(names: tuple[str, str]) -> list[str]:
    """Return the names of the sides, short enough to fit beside each other in one column."""
    return short_names(names, SIDE_CHARACTERS)


def _draw_values(ax: Axes, sides: Sides, about: Column) -> None:
    places = [place + _spread(values) for place, values in enumerate(sides.values)]
    size = float(np.clip(600.0 / max(map(len, sides.values)), 4.0, 16.0))
    for first, second in sides.pairs:
        counts = sides.counts[0][first] and sides.counts[1][second]
        ax.plot(
            [places[0][first], places[1][second]],
            [sides.values[0][first], sides.values[1][second]],
            color=COLOURS["pair"],
            linewidth=0.6,
            linestyle="-" if counts else ":",
            zorder=2,
            label="_pairs",
        )
    for place, (side, marker) in enumerate((("before", "s"), ("after", "o"))):
        for counts, kind in ((sides.counts[place], ""), (~sides.counts[place], "thin ")):
            if not counts.any():
                continue
            dots = ax.scatter(
                places[place][counts], sides.values[place][counts], s=size, marker=marker
            )
            dots.set(
                facecolors="white" if kind else COLOURS[side],
                edgecolors=COLOURS[side] if kind else "white",
                linewidths=0.9 if kind else 0.4,
                zorder=4,
                label=f"_{kind}{side}",
            )
    _means(ax, sides, about)
    names = _short(sides.names)
    ax.set_xticks(
        [0, 1], [f"{name}\n{under}" for name, under in zip(names, sides.under, strict=True)]
    )
    ax.tick_params(axis="x", length=0)
    ax.spines["bottom"].set_visible(False)
    ax.set_xlim(*ENDS)
    ax.set_ylabel(about.text)
    value_axis(ax.yaxis)


def _mean(sides: Sides, place: int) -> float:
    return float(sides.values[place][sides.counts[place]].mean())


def _means(ax: Axes, sides: Sides, about: Column) -> None:
    """Draw the mean of each side beside its points, and carry that of the first across."""
    first, second = _mean(sides, 0), _mean(sides, 1)
    digits = decimals(np.concatenate(sides.values), about.digits)
    left, right = (-REACH - 0.28, -REACH - 0.12), (1 + REACH + 0.12, 1 + REACH + 0.28)
    for (start, end), mean, side in ((left, first, "before"), (right, second, "after")):
        bar = ax.hlines(mean, start, end, color=COLOURS[side], linewidth=2.4, zorder=3)
        bar.set(label="_means", capstyle="butt")
    dashed = ax.hlines(first, left[1], ENDS[1], color=COLOURS["reference"], linewidth=0.9, zorder=1)
    dashed.set(linestyle="--", label="_mean before")
    look: dict[str, Any] = {"textcoords": "offset points", "fontsize": SMALL_PT, "zorder": 5}
    texts = [number_text(mean, digits).replace("-", "\N{MINUS SIGN}") for mean in (first, second)]
    # Over or under its bar, away from the line that carries the first mean across.
    up = second > first
    for text, (start, end), mean, over in (
        (texts[0], left, first, not up),
        (texts[1], right, second, up),
    ):
        ax.annotate(
            text,
            ((start + end) / 2, mean),
            (0, 2.5 if over else -2.5),
            ha="center",
            va="bottom" if over else "top",
            fontweight="bold",
            **look,
        )


def _draw_difference(
    values: Axes, ax: Axes, sides: Sides, difference: Difference, about: Column
) -> None:
    """Draw the difference on an axis of its own, as long as that of the values, 0 at the mean."""
    mean = _mean(sides, 0)
    low, high = values.get_ylim()
    reach = [
        difference.value + SHAPE_REACH * (end - difference.value)
        for end in (difference.low, difference.high)
    ]
    ends = [mean + end for end in (difference.value, *reach) if np.isfinite(end)]
    room = 0.06 * (high - low)
    low, high = (
        min([low, *(end - room for end in ends)]),
        max([high, *(end + room for end in ends)]),
    )
    values.set_ylim(low, high)
    ax.set_ylim(low - mean, high - mean)
    ax.set_xlim(-0.55, 0.75)
    zero = ax.axhline(0.0, color=COLOURS["reference"], linewidth=0.9, linestyle="--", zorder=1)
    zero.set_label("_zero")
    if np.isfinite(difference.low) and np.isfinite(difference.high):
        _shape(ax, difference)
        bar = ax.vlines(
            0.0, difference.low, difference.high, color=COLOURS["difference"], linewidth=2.0
        )
        bar.set(zorder=3, label="_interval", capstyle="butt")
    if np.isfinite(difference.value):
        dot = ax.scatter([0.0], [difference.value], s=26, marker="D", color=COLOURS["difference"])
        dot.set(zorder=4, label="_difference", linewidths=0)
    names = _short(sides.names)
    ax.set_xticks([0.0], [f"{names[1]}\nminus {names[0]}"])
    difference_axis(ax, about.unit)


def _shape(ax: Axes, difference: Difference) -> None:
    """Draw two halves of a normal curve whose 95 % end where the interval does."""
    t = SHAPE_REACH * SPREAD * np.linspace(-1.0, 1.0, 121)
    spread = (
        np.where(t < 0, difference.value - difference.low, difference.high - difference.value)
        / SPREAD
    )
    y = difference.value + t * spread
    wide = SHAPE_WIDE * np.exp(-(t**2) / 2) + 0.02
    area = ax.fill_betweenx(y, 0.02, wide + 0.02, color=COLOURS["usual range"], linewidth=0)
    area.set(zorder=2, label="_shape")
    ax.plot(wide + 0.02, y, color=COLOURS["usual rim"], linewidth=0.5, zorder=2.1)


def _entries(sides: Sides, difference: Difference) -> list[Entry]:
    entries: list[Entry] = [line("mean", "text", linewidth=2.4)]
    if sides.pairs:
        words = "same wearer" if sides.unit == "wearer" else "same weekday"
        entries.append(line(words, "pair", linewidth=0.6))
    if not all(counts.all() for counts in sides.counts):
        hollow = line(f"thin: under {LEAST_H:g} h worn, not counted", "axis", marker="o")
        cast(Line2D, hollow[1]).set(markerfacecolor="white", linestyle="")
        entries.append(hollow)
    if np.isfinite(difference.value):
        interval = np.isfinite(difference.low)
        words = f"{difference.what} with 95 % interval" if interval else difference.what
        entries.append(line(words, "difference", marker="D", linestyle="-" if interval else ""))
    return entries


def _note(sides: Sides, difference: Difference, about: Column, left_out: int) -> tuple[str, str]:
    """Return the difference and its interval, and what they describe and are based on."""
    facts = list(difference.facts)
    both = [sides.counts[0][i] and sides.counts[1][k] for i, k in sides.pairs]
    if sides.pairs and sides.unit == "day":
        facts.insert(1, f"{sum(both)} of {counted(len(both), 'pair')} count")
    elif sides.pairs:
        facts.insert(1, f"{counted(len(both), 'wearer')} on both sides")
    if left_out:
        facts.append(f"{counted(left_out, 'day')} under {LEAST_H:g} h worn left out")
    if difference.meaning and np.isfinite(difference.value):
        facts.insert(0, _meaning(sides, difference, about))
    return _sentence(difference, about), "; ".join(facts)


def _meaning(sides: Sides, difference: Difference, about: Column) -> str:
    """Return what the difference is, and by how much the means beside it differ if not the same."""
    means = _mean(sides, 1) - _mean(sides, 0)
    digits = decimals(np.array([difference.value, means]), about.digits)
    texts = [
        number_text(value, digits).replace("-", "\N{MINUS SIGN}")
        for value in (difference.value, means)
    ]
    apart = f"; the means differ by {texts[1]}" if texts[0] != texts[1] else ""
    return f"It is {difference.meaning}{apart}"


def _sentence(difference: Difference, about: Column) -> str:
    if not np.isfinite(difference.value):
        return "No difference can be given"
    shown = np.array([difference.value, difference.low, difference.high])
    digits = decimals(shown[np.isfinite(shown)], about.digits)
    texts = [number_text(value, digits).replace("-", "\N{MINUS SIGN}") for value in shown]
    unit = f" {about.unit}" if about.unit else ""
    if not np.isfinite(difference.low):
        return f"Difference {texts[0]}{unit}, without an interval"
    return f"Difference {texts[0]}{unit} (95 % interval {texts[1]} to {texts[2]}, {difference.of})"


def _words(
    about: Column, names: tuple[str, str], at: str | pd.Timestamp | None, by: str | None
) -> str:
    if by is not None:
        return f"{about.label} · {names[0]} and {names[1]}"
    day = pd.Timestamp(cast(Any, at))
    return f"{about.label} · before and after {day.day} {day:%b %Y}"
