"""Two periods of one person: how much the values of the second differ from those of the first."""

from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from eyelog.errors import ConfigurationError
from eyelog.frame import takes_tables
from eyelog.judge.arrays import Floats
from eyelog.judge.limits import Limits
from eyelog.measure.sheet import all_missing, shown
from eyelog.series.inference import (
    Days,
    Effect,
    by_day,
    effect,
    rank_interval,
    two_samples_law,
    with_weekend,
)
from eyelog.series.observed import Rows, observed, one_log

MOST_PAIRS: Final = 250_000
LEAST_VALUES: Final = 3


@shown("Difference of two periods, of this wearer", difference=("low", "high"))
class TwoPeriods(NamedTuple):
    """The usual difference of two periods of a wearer, with days as units."""

    difference: float
    low: float
    high: float
    p: float
    phi: float
    n_effective: float
    n_before: int
    n_after: int
    days_before: int
    days_after: int
    exposure_h: float
    coverage: float
    reason: str


@takes_tables
def two_periods(
    before: pd.Series | pd.DataFrame,
    after: pd.Series | pd.DataFrame,
    *,
    column: str | None = None,
    limits: Limits | None = None,
    interval: str | None = None,
    exposure: pd.Series | None = None,
) -> TwoPeriods:
    """Return by how much the values of one period exceed those of an earlier one.

    Parameters
    ----------
    before, after : Series or DataFrame
        The same quantity of one person in two periods: numbers by date or with aware stamps, or two
        tables that have them as a column, usually days of `eyelog.daily`. Several values of a local
        day count as one, their mean. At most 250,000 pairs of days.
    column : str, optional
        The column, if `before` and `after` are tables.
    limits, interval : optional
        As in `eyelog.rhythm.most_active`; an interval belongs to the local day in which it opens.
    exposure : Series, optional
        The hours that each row of both periods is based on, indexed as they are. Default: as in
        `eyelog.rhythm.most_active`.

    Returns
    -------
    TwoPeriods
        In the unit of the series: ``difference`` (Hodges-Lehmann: the median of all differences
        after less before) with its 95 % interval of this wearer ``low`` and ``high``: these days
        are a sample of the wearer's days. Then ``p`` of no difference, which is below 5 % if, and
        only if, the interval excludes 0; ``phi``, how alike neighbouring days are (0 to 0.9), and
        ``n_effective``, how many independent days would be as informative; ``n_before``,
        ``n_after`` (values), ``days_before``, ``days_after``, ``exposure_h`` and ``coverage`` (of
        both periods together; for daily tables the hours worn and the mean of the days' coverage,
        for Series by day missing and the share of days with a value) and ``reason`` if something is
        missing: everything if a period has fewer than three days, all but the difference if no
        difference of so few days can reach the level (fewer than 4 and 4, or 3 and 5).

    Raises
    ------
    ConfigurationError
        If there are too many days, the stamps are not in order, the values hold the invalid value
        of a field, or an argument cannot be used.
    MixedLogsError
        If the two are of different logs.

    Notes
    -----
    Hodges & Lehmann (1963, Annals of Mathematical Statistics 34:598). For independent days the
    interval inverts the Mann-Whitney test (Hollander & Wolfe 1973): exactly if both periods have
    fewer than 50 days, by the normal approximation otherwise. Equal values are treated like others,
    so that another zero of the scale only shifts the interval.

    Real days are alike, so the interval is widened about the difference by the ratio of two
    Student intervals of the difference of the means: with the lag-1 autocorrelation ``phi`` of the
    days' residuals and ``n_effective`` days, and with independent days. ``phi`` is corrected for
    bias and shrunk towards .3, as if seven days of a usual wearer stood beside; the residual
    variance is corrected for what the two means take away. If each period has two days at weekends
    and two others, weekends are levelled first. How often two periods of the same process differ is
    in the table of the definitions. A difference between two periods of one person is not
    necessarily the effect of what happened between them: season, work and wear change too.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-19", periods=10, freq="D", name="day")
    >>> steps = pd.Series([4, 5, 6, 5, 4, 8, 9, 7, 8, 9.0], index=days)
    >>> result = el.compare.two_periods(steps[:5], steps[5:])
    >>> result.difference, result.low > 0
    (3.0, True)
    """
    one_log(before, after, what="two_periods")
    if exposure is not None and not isinstance(exposure, pd.Series):
        raise ConfigurationError("two_periods: exposure must be a Series of hours for both periods")
    first, second = (
        observed(
            period,
            column,
            what="two_periods",
            limits=limits,
            interval=interval,
            exposure=exposure,
            call="{what}(before, after, column={column})",
        )
        for period in (before, after)
    )
    one, other = by_day(first), by_day(second)
    n, m = len(one.values), len(other.values)
    if n * m > MOST_PAIRS:
        raise ConfigurationError(
            f"two_periods takes at most {MOST_PAIRS} pairs of days, not {n} by {m}: summarise per"
            " week first (eyelog.weekly)"
        )
    nothing = all_missing(
        TwoPeriods,
        n_before=first.n,
        n_after=second.n,
        days_before=n,
        days_after=m,
        exposure_h=first.exposure_h + second.exposure_h,
        coverage=_coverage(first, second),
    )
    if min(n, m) < LEAST_VALUES:
        fewer = "before" if n < m else "after"
        return nothing._replace(reason=f"fewer than {LEAST_VALUES} days {fewer}")
    levelled, of_second, means = levels(one, other)
    pairs = (levelled[of_second == 1][None, :] - levelled[of_second == 0][:, None]).ravel()
    law = two_samples_law(n, m)
    if law.rank() < 1:
        return nothing._replace(
            difference=float(np.median(pairs)),
            reason=f"{n} and {m} days cannot reach the level: no interval and no p of this wearer",
        )
    found = rank_interval(pairs, law, float(means.factor[0]))
    return nothing._replace(
        difference=found.value,
        low=found.low,
        high=found.high,
        p=found.p,
        phi=float(means.phi[0]),
        n_effective=float(means.n_effective[0]),
    )


def levels(one: Days, other: Days) -> tuple[Floats, Floats, Effect]:
    """Return all days with weekends levelled, which are of the second period, how means differ."""
    numbers = np.concatenate([one.numbers, other.numbers])
    order = np.argsort(numbers, kind="stable")
    second = np.repeat([0.0, 1.0], [len(one.values), len(other.values)])[order]
    values = np.concatenate([one.values, other.values])[order]
    design = np.column_stack([1.0 - second, second])
    if one.daily and other.daily:
        dates = np.concatenate([one.dates, other.dates])[order]
        design = with_weekend(design, dates, second)
    means = effect(numbers[order], values[None, :], design, np.array([-1.0, 1.0]), second)
    return values - design[:, 2:] @ means.fit[0, 2:], second, means


def _coverage(first: Rows, second: Rows) -> float:
    """Return the share of the time of both periods that has values."""
    whole = first.span + second.span
    covered = first.coverage * first.span + second.coverage * second.span
    return covered / whole if whole else 0.0
