"""Does the outcome depend on wear? Days of much and little wear, and the edges of wear bouts."""

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from eyelog.analysis.episodes import episodes
from eyelog.analysis.results import all_missing, shown
from eyelog.analysis.series.arrays import MISSING, Floats, Ints
from eyelog.analysis.series.bootstrap import check_draws, interval, multiplicities
from eyelog.analysis.series.durations import duration_us
from eyelog.analysis.series.observed import (
    HOUR_US,
    Rows,
    local_dates,
    observed_rows,
    one_log,
    rows_of,
)
from eyelog.errors import ConfigurationError

__all__ = ["WearDiagnostic", "wear_diagnostic"]


LEAST_DAYS: Final = 5
LEAST_FOR_INTERVAL: Final = 7  # draws of fewer days give intervals that are too narrow


@shown(
    "Does the outcome depend on wear?",
    rho=("rho_low", "rho_high"),
    tau=("tau_low", "tau_high"),
    difference=("difference_low", "difference_high"),
)
class WearDiagnostic(NamedTuple):
    """How an outcome depends on wear, between days and within wear bouts."""

    rho: float
    rho_low: float
    rho_high: float
    tau: float
    tau_low: float
    tau_high: float
    days: int
    edge_mean: float
    inside_mean: float
    difference: float
    difference_low: float
    difference_high: float
    n_edge: int
    n_inside: int
    n: int
    exposure_h: float
    coverage: float
    reason: str


def wear_diagnostic(
    series: pd.Series | pd.DataFrame,
    worn: pd.Series,
    *,
    column: str | None = None,
    edge: str | pd.Timedelta = "10min",
    draws: int = 1000,
    seed: int = 0,
    stamp: str | None = None,
    interval: str | None = None,
) -> WearDiagnostic:
    """Return whether an outcome depends on wear, so that its mean partly reflects when it was worn.

    Parameters
    ----------
    series : Series or DataFrame
        The outcome: numbers with aware stamps per interval, or by date; or a table that has them as
        a column.
    worn : Series
        For an outcome per interval: true, false or missing at the same stamps (such as
        ``frame["wea_s"] >= 20``). For one value per day: the hours worn on those days
        (``eyelog.daily(frame)["worn_h"]``).
    column : str, optional
        The column, if `series` is a table.
    edge : str or Timedelta
        The width of the edge at the beginning and at the end of a wear bout.
    draws : int
        How many times days are drawn for the intervals, at least 100.
    seed : int
        Seed of the random generator: the same seed gives the same intervals.
    stamp, interval : optional
        As in `eyelog.rhythm.most_active`.

    Returns
    -------
    WearDiagnostic
        Between days: Spearman's ``rho`` and Kendall's ``tau`` (tau-b) of the day's mean outcome
        with the hours worn, each with a 95 % interval (``rho_low`` to ``rho_high``, ``tau_low``
        to ``tau_high``), over ``days``. Within
        bouts, in the unit of the series: ``edge_mean`` (worn values within `edge` of the beginning
        or end of a bout), ``inside_mean`` (other worn values), ``difference`` (edge less inside)
        with ``difference_low`` and ``difference_high``, ``n_edge`` and ``n_inside`` values. Then
        ``n`` (worn values, or days), ``exposure_h``, ``coverage`` (of the span of the series) and
        ``reason`` for what is missing.

    Raises
    ------
    ConfigurationError
        If the stamps are not in order, those of `worn` differ, the values hold the invalid value of
        a field, or an argument cannot be used.
    MixedLogsError
        If the two are of different logs.

    Notes
    -----
    Neither part proves that wear is random; each can show that it is not. Intervals are percentiles
    over local days drawn with replacement, so that values of one day stay together; those of the
    difference are expanded to the width of Student's t (Hesterberg 2015). With fewer than seven
    days there is no interval: it would be too narrow. They assume that days are independent. An
    interval belongs to the local day in which it lies. A missing state, or a gap, ends a bout.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.mask(el.sample(), el.flag(el.sample()))
    >>> result = el.compare.wear_diagnostic(frame["hm_yo"], ~frame["isl"])
    >>> result.days, result.n_edge + result.n_inside == result.n
    (7, True)
    """
    check_draws(draws, seed)
    rows = rows_of(series, column, what="wear_diagnostic", stamp=stamp, interval=interval)
    state = rows_of(worn, what="wear_diagnostic (worn)", stamp=stamp, interval=interval)
    if not state.index.equals(rows.index):
        raise ConfigurationError(
            "wear_diagnostic needs the outcome and worn at the same stamps: use reindex()"
        )
    one_log(series, worn, what="wear_diagnostic")
    margin = duration_us(edge, "edge")
    values, hours = rows.values, state.values
    if pd.api.types.is_bool_dtype(worn.dtype):
        return _intervals(rows, worn, margin, draws, seed)
    days = _days(rows)
    if ((hours < 0) | (hours > 25)).any() or days.size != np.unique(days).size:
        raise ConfigurationError(
            "wear_diagnostic takes worn as true or false per interval, or as hours (0 to 25) of"
            " each day with one row per day"
        )
    present = np.isfinite(values) & np.isfinite(hours)
    between, why = _between_days(values[present], hours[present], draws, seed)
    seen = observed_rows(rows, present)
    return all_missing(
        WearDiagnostic,
        **between,
        n_edge=0,
        n_inside=0,
        n=seen.n,
        exposure_h=float(hours[present].sum()),
        coverage=seen.coverage,
        reason="; ".join(filter(None, [why, "edges of bouts need single intervals"])),
    )


def _days(rows: Rows) -> Ints:
    """Return the local date of each interval."""
    us = rows.index.as_unit("us").asi8
    return local_dates(rows.wall(us - (rows.stamp == "end")))


def _intervals(rows: Rows, worn: pd.Series, margin: int, draws: int, seed: int) -> WearDiagnostic:
    """Return both parts for an outcome per interval."""
    values = rows.values
    on = worn.to_numpy(dtype=bool, na_value=False)
    used = on & np.isfinite(values)
    seen = observed_rows(rows, used)
    distinct, day = np.unique(_days(rows), return_inverse=True)
    hours = np.bincount(day, on, minlength=len(distinct)) * (seen.step_us / HOUR_US)
    sums = np.bincount(day[used], values[used], minlength=len(distinct))
    counts = np.bincount(day[used], minlength=len(distinct))
    some = counts > 0
    means: Floats = np.true_divide(sums[some], counts[some], dtype=np.float64)
    between, why = _between_days(means, hours[some].astype(np.float64), draws, seed)
    near = np.ones(len(on), dtype=bool)
    if on.any() and len(on) > 1:
        near = _near_edge(worn.set_axis(rows.index), rows, margin)
    within, why_not = _within_bouts(values, used, near, day, draws, seed)
    return all_missing(
        WearDiagnostic,
        **between,
        **within,
        n=seen.n,
        exposure_h=seen.exposure_h,
        coverage=seen.coverage,
        reason="; ".join(filter(None, [why, why_not])),
    )


def _between_days(
    outcome: Floats, hours: Floats, draws: int, seed: int
) -> tuple[dict[str, Any], str]:
    """Return rank correlations over days with their intervals, and why they are missing."""
    n = len(outcome)
    columns: dict[str, Any] = {"days": n}
    if n < LEAST_DAYS:
        return columns, f"fewer than {LEAST_DAYS} days have both an outcome and a wear time"
    if np.ptp(outcome) == 0 or np.ptp(hours) == 0:
        return columns, "the outcome or the wear time is the same on all days"
    columns["rho"] = float(scipy.stats.spearmanr(outcome, hours).statistic)
    columns["tau"] = float(scipy.stats.kendalltau(outcome, hours).statistic)
    if n < LEAST_FOR_INTERVAL:
        return columns, f"fewer than {LEAST_FOR_INTERVAL} days: no interval of the correlations"
    # The draws repeat days, so their ranks come from the signs of all differences, counted as often
    # as their days occur: ranking every draw with scipy is far slower.
    a, b = (np.sign(x[:, None] - x[None, :]) for x in (outcome, hours))
    drawn = []
    for times in multiplicities(n, draws, seed):
        for w in times:
            pairs = np.outer(w, w)
            below = (pairs * (a * a)).sum() * (pairs * (b * b)).sum()
            if below == 0:  # all days drawn are alike
                continue
            # A mid-rank is the number of lower values plus half of the equal ones.
            rank_a, rank_b = a @ w, b @ w
            centred_a, centred_b = rank_a - (w @ rank_a) / n, rank_b - (w @ rank_b) / n
            spread = (w @ centred_a**2) * (w @ centred_b**2)
            concordance = (pairs * (a * b)).sum() / np.sqrt(below)
            drawn.append(((w @ (centred_a * centred_b)) / np.sqrt(spread), concordance))
    low, high = interval(np.array(drawn))
    columns["rho_low"], columns["tau_low"] = low.tolist()
    columns["rho_high"], columns["tau_high"] = high.tolist()
    return columns, ""


def _near_edge(worn: pd.Series, rows: Rows, margin: int) -> npt.NDArray[np.bool_]:
    """Return which intervals lie within `margin` of the beginning or end of their wear bout."""
    length = f"{rows.step_us}us"
    stamp = "start" if rows.stamp == "start" and rows.index.tz is not None else None
    bouts = episodes(worn.astype("boolean"), stamp=stamp, interval=length)
    # Where each interval closes.
    stamps = rows.index.as_unit("us").asi8 + (rows.step_us if rows.stamp == "start" else 0)
    begins, ends = (pd.DatetimeIndex(bouts[name]).as_unit("us").asi8 for name in ("start", "end"))
    bout = np.minimum(np.searchsorted(ends, stamps, side="left"), len(ends) - 1)
    inside = (stamps > begins[bout] + margin) & (stamps <= ends[bout] - margin)
    return ~inside


def _within_bouts(
    values: Floats,
    used: npt.NDArray[np.bool_],
    near: npt.NDArray[np.bool_],
    day: Ints,
    draws: int,
    seed: int,
) -> tuple[dict[str, Any], str]:
    """Return the means at the edges and inside, their difference, and why it is missing."""
    parts = {"edge": used & near, "inside": used & ~near}
    size = int(day.max()) + 1 if len(day) else 0
    sums = {k: np.bincount(day[rows], values[rows], minlength=size) for k, rows in parts.items()}
    counts = {k: np.bincount(day[rows], minlength=size) for k, rows in parts.items()}
    numbers = {k: int(counts[k].sum()) for k in parts}
    edge, inside = (
        float(sums[k].sum() / numbers[k]) if numbers[k] else MISSING for k in ("edge", "inside")
    )
    columns: dict[str, Any] = {
        "edge_mean": edge,
        "inside_mean": inside,
        "difference": edge - inside,
        "n_edge": numbers["edge"],
        "n_inside": numbers["inside"],
    }
    for name in parts:
        if not numbers[name]:
            where = "near the edge of" if name == "edge" else "inside"
            return columns, f"no worn value lies {where} a bout"
    some = np.flatnonzero(counts["edge"] + counts["inside"])
    if len(some) < LEAST_FOR_INTERVAL:
        reason = (
            f"fewer than {LEAST_FOR_INTERVAL} days have worn values: no interval of the difference"
        )
        return columns, reason
    drawn = []
    for times in multiplicities(len(some), draws, seed):
        with np.errstate(invalid="ignore"):  # a draw without any edge has no difference
            means = [(times @ sums[k][some]) / (times @ counts[k][some]) for k in parts]
        drawn.append(means[0] - means[1])
    low, high = interval(np.concatenate(drawn)[:, None], np.array([len(some)]))
    return columns | {"difference_low": float(low[0]), "difference_high": float(high[0])}, ""
