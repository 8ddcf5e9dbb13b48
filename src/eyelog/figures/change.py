"""Before and after, or two conditions: each pair, and the difference with its interval beside."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import FigureBase

from eyelog.errors import ConfigurationError, EyelogError, counted
from eyelog.figures import axes, marks, tables
from eyelog.figures.axes import Panels
from eyelog.figures.labels import in_legend, last_step, range_words, short_names
from eyelog.figures.many import LEAST_H, draw_differences
from eyelog.figures.style import COLOURS, SMALL_PT
from eyelog.frame import ACCOUNT, require, require_frame, stated_account
from eyelog.judge.arrays import Bools, numbers
from eyelog.measure.columns import Column
from eyelog.measure.columns import column as column_of
from eyelog.measure.groups import keyed
from eyelog.measure.sheet import decimals
from eyelog.series.groups import GroupDifference, group_difference, with_account
from eyelog.series.mixed import fit_mixed
from eyelog.series.periods import TwoPeriods, two_periods

SIDE_CHARACTERS: Final = 14  # of the name of a condition: three fit beside each other at 89 mm
LEVELS: Final = 30  # values closer than this part of their range are drawn beside each other
STEP: Final = 0.07
REACH: Final = 0.22  # how far from its place a point may be
SPREAD: Final = 1.96  # an interval of 95 % reaches this many standard errors
SHAPE_REACH: Final = 1.3  # of the interval: the curve is hardly higher than 0 there
ENDS: Final = (-0.62, 1.62)
FIXED_TERMS: Final = ("intercept", "sd_wearers", "sd_residual")

Result = TwoPeriods | GroupDifference | pd.DataFrame


@dataclass(frozen=True)
class Difference:
    """What a result says, of whatever kind."""

    value: float
    low: float
    high: float
    reason: str
    of: str
    what: str  # in the legend
    meaning: str  # under the figure, where the difference is not that of the means drawn beside it
    based_on: str
    alike: str = ""  # what the days are worth, if neighbouring ones are alike
    is_adjusted: bool = False  # for more terms of a model


@dataclass(frozen=True)
class Sides:
    """The two sides: a point for each day or wearer, with ``key`` what the points of a pair share.

    ``after`` is the side, ``counts`` whether a point counts, ``x`` and ``value`` its place.
    """

    points: pd.DataFrame
    short: list[str]
    under: list[str]
    unit: str

    @property
    def parts(self) -> list[pd.DataFrame]:
        """The points of each side."""
        return [self.points[self.points["after"] == after] for after in (False, True)]

    @property
    def means(self) -> list[float]:
        """The mean of what counts on each side."""
        return [float(part["value"][part["counts"]].mean()) for part in self.parts]

    @property
    def pairs(self) -> pd.DataFrame:
        """A row for each pair, and whether both of it count."""
        first, second = self.parts
        pairs = first.merge(second, on="key", suffixes=("", "_after"))
        return pairs.assign(both=pairs["counts"] & pairs["counts_after"])


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
    if "day" not in rows and (at is not None or wearer is not None):
        raise ConfigurationError(
            "plot_change needs the day of each row, in the index or in a column 'day'"
        )
    first = _date(at)
    rows, names = _sided(rows, first, by)
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
        # A result does not say which column of which table it is of: its counts of both sides and
        # its difference must be those of the rows of full days, or of all.
        stated, outcome = _said(result, names, by), column
        if isinstance(result, pd.DataFrame):
            outcome = last_step(result).get("outcome") or column
        for counts in (full, np.ones(len(rows), dtype=bool)):
            try:
                own = _said(_result(type(result), rows[counts], names), names, by)
            except EyelogError:
                continue
            same = np.isclose(stated.value, own.value, rtol=1e-6, equal_nan=True)
            is_ours = outcome == column and stated.based_on == own.based_on
            if is_ours and (stated.is_adjusted or same):
                full = counts
                break
        else:
            of = f" of {outcome!r}, or" * (outcome != column)
            raise ConfigurationError(
                f"plot_change: the result is{of} of other values than these: pass the table, the"
                " column and the split that the result is of"
            )
    elif not many:
        result = _result(TwoPeriods, rows[full], names)
    else:
        # Groups of wearers, or both sides within wearers.
        on_sides = rows[full].groupby(ACCOUNT)["after"].nunique()
        grouped = by is not None and (on_sides == 1).all()
        result = _result(GroupDifference if grouped else pd.DataFrame, rows[full], names)
    points, under = _wearers(rows[full]) if many else _days(rows, full, first)
    points["x"] = points["after"] + points.groupby("after")["value"].transform(_spread)
    unit = "wearer" if many else "day"
    sides = Sides(points, short_names(names, SIDE_CHARACTERS), under, unit)
    difference = _said(result, names, by)
    made: Panels = axes.panels([58.0], [2.3, 1.0], fig=fig)[0]
    _draw_values(made[0], sides, about)
    # The difference and its interval, with a shape that shows where most of it lies.
    ax, value, low, high = made[1], difference.value, difference.low, difference.high
    row = pd.DataFrame({"difference": [value], "low": [low], "high": [high]})
    draw_differences(made[0], ax, [0.0], row, sides.means[0], difference.what)
    if np.isfinite(low) and np.isfinite(high):
        # Two halves of a normal curve whose 95 % end where the interval does.
        t = SHAPE_REACH * SPREAD * np.linspace(-1.0, 1.0, 121)
        y = value + t * np.where(t < 0, value - low, high - value) / SPREAD
        wide = 0.42 * np.exp(-(t**2) / 2) + 0.04
        look: dict[str, Any] = {"edgecolor": COLOURS["usual rim"], "linewidth": 0.5, "zorder": 2}
        ax.fill_betweenx(y, 0.02, wide, facecolor=COLOURS["usual range"], **look)
    ax.set_xticks([0.0], [f"{sides.short[1]}\nminus {sides.short[0]}"])
    ax.set_xlim(-0.55, 0.75)
    marks.difference_axis(ax, about.unit)
    said, facts = _note(sides, difference, about, int((~full).sum()) if many else 0)
    sides_said = f"{names[0]} and {names[1]}"
    if first is not None:
        sides_said = f"before and after {first.day} {first:%b %Y}"
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
    if ACCOUNT in rows:
        rows[ACCOUNT] = rows[ACCOUNT].astype(str)
    if account is None:
        return rows, None
    if ACCOUNT not in rows:
        raise ConfigurationError(
            "plot_change: account= chooses a wearer of a table of many, and this"
            " table has no 'account'"
        )
    mine = rows[rows[ACCOUNT] == account].reset_index(drop=True)
    if mine.empty:
        raise ConfigurationError(f"plot_change: the table has no rows of {account!r}")
    return mine, account


def _date(at: str | pd.Timestamp | None) -> pd.Timestamp | None:
    """Return the first day of the second period, if there are periods."""
    try:
        return None if at is None else pd.Timestamp(at).tz_localize(None).normalize()
    except (ValueError, TypeError, AttributeError) as error:  # the last of NaT
        raise ConfigurationError(f"at= must be a date such as 2026-10-12, not {at!r}") from error


def _sided(
    rows: pd.DataFrame, first: pd.Timestamp | None, by: str | None
) -> tuple[pd.DataFrame, tuple[str, str]]:
    """Return the rows of the two sides with a boolean ``after``, and what the sides are called."""
    if first is not None:
        return rows.assign(after=rows["day"] >= first), ("before", "after")
    rows = rows[rows[by].notna()].reset_index(drop=True)
    labels = sorted(rows[by].astype(str).unique())
    if len(labels) != 2:
        raise ConfigurationError(
            f"plot_change compares two conditions, and {by!r} has {len(labels)}:"
            f" {', '.join(labels[:5]) or 'no value'}; choose the rows of two"
        )
    return rows.assign(after=rows[by].astype(str) == labels[1]), (labels[0], labels[1])


def _result(kind: type, rows: pd.DataFrame, names: tuple[str, str]) -> Result:
    """Return how the sides differ: days of one wearer, groups of wearers, or within wearers."""
    if kind is TwoPeriods:
        values = rows.set_index("day")["value"].sort_index()
        after = rows.set_index("day")["after"].sort_index()
        return two_periods(values[~after], values[after])
    if kind is GroupDifference:
        # Names in the order of the alphabet are what the result calls first and second.
        sides = rows.groupby(ACCOUNT)["after"].first()
        of_wearer = {str(wearer): names[int(after)] for wearer, after in sides.items()}
        return group_difference(rows, of_wearer, outcome="value")
    return fit_mixed(rows.assign(after=rows["after"].astype(float)), "value", predictors="after")


def _wearers(rows: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the mean of each wearer on each side, of whom those with both are pairs."""
    points = rows.groupby(["after", ACCOUNT])["value"].mean().rename_axis(["after", "key"])
    under = [counted(int(n), "wearer") for n in points.groupby("after").size()]
    return points.reset_index().assign(counts=True), under


def _days(
    rows: pd.DataFrame, full: Bools, first: pd.Timestamp | None
) -> tuple[pd.DataFrame, list[str]]:
    """Return each day of one wearer; in two periods, the same weekdays are pairs."""
    if "day" not in rows:
        raise ConfigurationError("plot_change needs the day of each row of one wearer")
    if rows.duplicated(["after", "day"]).any():
        raise ConfigurationError(
            "plot_change takes one row for each day of a wearer, and this table has several: pass"
            " eyelog.daily(frame), or a table with 'account'"
        )
    points = rows[["after", "value"]].assign(key=rows["day"], counts=full)
    parts = [days for _, days in rows.groupby("after")["day"]]
    if first is None:
        return points, [counted(len(days), "day") for days in parts]
    length = min(first - parts[0].min(), parts[1].max() - first + pd.Timedelta(days=1))
    later = pd.Timedelta(weeks=-(-length.days // 7))  # as many weeks as the shorter period has
    points["key"] = points["key"].where(points["after"], points["key"] + later)
    return points, [_in_lines(days.min(), days.max()) for days in parts]


def _in_lines(first: pd.Timestamp, last: pd.Timestamp) -> str:
    """Return a range of days, without the year that the title has, or in two lines."""
    words = range_words(first, last)
    if first.year != last.year:
        return words.replace(" to ", "\nto ")
    return words.removesuffix(f" {last.year}")


def _said(result: Result, names: tuple[str, str], by: str | None) -> Difference:
    """Return the difference of a result, and what it is based on in words."""
    words: dict[str, Any] = {"of": "between wearers", "meaning": ""}
    row: dict[Any, Any]
    if isinstance(result, TwoPeriods):
        row = result._asdict()
        words |= {
            "of": "of this wearer",
            "what": "Hodges-Lehmann difference",
            "meaning": "the median of the differences of every two days, one of each side, with"
            " weekends levelled where both sides have some",
            "based_on": counted(result.days_before + result.days_after, "day"),
        }
        if np.isfinite(result.phi) and result.phi > 0:
            words["alike"] = (
                f", worth {result.n_effective:.0f}, as neighbouring days are alike"
                f" (phi {result.phi:.2f})"
            )
    elif isinstance(result, GroupDifference):
        if (result.first, result.second) != names:
            raise ConfigurationError(
                f"plot_change: the result compares {result.first!r} and {result.second!r}, and the"
                f" table has {names[0]!r} and {names[1]!r}"
            )
        row = result._asdict()
        words |= {
            "what": "difference of the means",
            "based_on": f"{result.wearers_first} and {counted(result.wearers_second, 'wearer')}",
        }
    elif isinstance(result, pd.DataFrame) and {"estimate", "low", "high", "n"} <= set(result):
        terms = [str(name) for name in result.index if name not in FIXED_TERMS]
        wanted = [name for name in (f"{by}[{names[1]}]", str(by), "after") if name in terms]
        if len(terms) != 1 and not wanted:
            raise ConfigurationError(
                f"plot_change: the model has the terms {', '.join(terms) or 'none'}, and none is"
                f" named for the two sides: call the predictor {by or 'after'!r}"
            )
        row = result.loc[[*wanted, *terms][0]].to_dict()
        row["difference"] = row["estimate"]
        words |= {
            "what": "difference of the mixed model",
            "meaning": "the term of a mixed model of the days",
            "based_on": f"{counted(int(row['n']), 'day')} of"
            f" {counted(int(row['wearers']), 'wearer')}",
            "is_adjusted": len(terms) > 1,
        }
    else:
        raise ConfigurationError(
            f"result= must be of eyelog.compare.two_periods, group_difference or"
            f" fit_mixed, not {type(result).__name__}"
        )
    value, low, high = (float(row[name]) for name in ("difference", "low", "high"))
    return Difference(value, low, high, str(row["reason"]), **words)


def _spread(values: pd.Series) -> pd.Series:
    """Return how far from its place each point is, so that equal values are side by side."""
    level = np.floor((values - values.min()) / (np.ptp(values) or 1.0) * LEVELS)
    rank = values.groupby(level).cumcount()
    step = min(STEP, REACH / max(1, (int(rank.max()) + 1) // 2))
    return (rank + 1) // 2 * np.where(rank % 2 == 1, step, -step)


def _draw_values(ax: Axes, sides: Sides, about: Column) -> None:
    """Draw the pairs, the points of both sides, and the mean of each beside them."""
    pairs = sides.pairs
    if len(pairs):
        lines = pairs[["x", "value", "x_after", "value_after"]].to_numpy().reshape(-1, 2, 2)
        dashes = np.where(pairs["both"], "-", ":").tolist()
        look: dict[str, Any] = {"colors": COLOURS["pair"], "linewidths": 0.6, "linestyles": dashes}
        same = "same wearer" if sides.unit == "wearer" else "same weekday"
        ax.add_collection(LineCollection(list(lines), zorder=2, label=same, **look))
    first, second = sides.means
    digits = decimals(numbers(sides.points["value"]), about.digits)
    size = float(np.clip(600.0 / max(map(len, sides.parts)), 4.0, 16.0))
    for place, side, marker, ends, mean, over in (
        (0, "before", "s", (-REACH - 0.28, -REACH - 0.12), first, second <= first),
        (1, "after", "o", (1 + REACH + 0.12, 1 + REACH + 0.28), second, second > first),
    ):
        part, thin = sides.parts[place], f"thin: under {LEAST_H:g} h worn, not counted"
        marks.estimates(
            ax, part["x"], part["value"], None, COLOURS[side], s=size, marker=marker,
            label=in_legend(sides.short[place]), edgecolors="white", linewidths=0.4,
            hollow=(~part["counts"].to_numpy(), axes.once(ax, thin)),
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
    marks.value_axis(ax.yaxis, about.text)


def _note(sides: Sides, difference: Difference, about: Column, left_out: int) -> tuple[str, str]:
    """Return the difference and its interval, and what they describe and are based on."""
    value, low, high = difference.value, difference.low, difference.high
    facts, both = [f"{difference.based_on}{difference.alike}"], sides.pairs["both"]
    if len(both):
        counts = f"{both.sum()} of {counted(len(both), 'pair')} count"
        on_both = f"{counted(len(both), 'wearer')} on both sides"
        facts.append(counts if sides.unit == "day" else on_both)
    facts += [difference.reason] * bool(difference.reason)
    if left_out:
        facts.append(f"{counted(left_out, 'day')} under {LEAST_H:g} h worn left out")
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
