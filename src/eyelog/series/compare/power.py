"""What a study could see: the power for a change, from a pilot."""

from collections.abc import Iterable
from typing import Final

import numpy as np
import pandas as pd
import scipy

from eyelog.checks import names_of, number, whole_number
from eyelog.errors import ConfigurationError
from eyelog.frame import takes_tables
from eyelog.series.bootstrap import check_draws
from eyelog.series.compare.reliability import reliability
from eyelog.series.compare.two_periods import two_periods
from eyelog.series.compare.wearer_of_row import days_of_wearers
from eyelog.series.inference import LEAST_DAYS, at_weekend, effect, with_weekend

DAYS: Final = (7, 14, 21, 28, 42, 56)
WEARERS: Final = (5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100)
MOST_DAYS: Final = 500  # per period: their pairs are compared
WARM_UP: Final = 100  # days before the first, so that it is like any other
MONDAY: Final = np.datetime64("2026-03-02", "D")


@takes_tables
def power(
    table: pd.DataFrame,
    column: str,
    *,
    change: float,
    days: int | Iterable[int] | None = None,
    draws: int = 400,
    seed: int = 0,
) -> pd.DataFrame:
    """Return how likely a change is found, for several sizes of a study, from a pilot.

    Parameters
    ----------
    table : DataFrame
        The pilot, one row per day: of one wearer, as from `eyelog.daily`, for a comparison of two
        periods of a wearer; or of several, as from `eyelog.cohort.daily`, for one of two groups.
    column : str
        The column that would be compared.
    change : float
        The true difference to find, in the unit of the column.
    days : int or iterable of int, optional
        One wearer: the numbers of days of each period, by default 7 to 56. Several: how many days
        each wearer would be measured, 14 by default.
    draws : int
        One wearer: how many studies of each size are simulated, at least 100.
    seed : int
        Seed of the random generator: the same seed gives the same answer.

    Returns
    -------
    DataFrame
        Index: ``days`` of each period (one wearer) or ``wearers`` of each group (several). float64
        columns ``power``, the share of studies that find the change (p < .05), with ``low`` and
        ``high``, the 95 % interval of the simulation (Wilson); for groups, whose power is computed,
        they equal it.

    Raises
    ------
    FieldError
        If the table lacks the column.
    ConfigurationError
        If the pilot has too few days or wearers to tell how they vary, or an argument cannot be
        used.

    Notes
    -----
    One wearer: days with the pilot's spread, autocorrelation and difference of weekends are
    simulated, and `eyelog.compare.two_periods` judges them, as it would judge the study. Groups:
    Welch's test of the wearers' means by the noncentral t distribution, with the pilot's variance
    between wearers and within them (`eyelog.compare.reliability`). A pilot of few days or wearers
    knows its spread badly, and so the power: plan for more than it says.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eyelog as el
    >>> days = pd.date_range("2026-10-19", periods=28, freq="D", name="day")
    >>> pilot = pd.DataFrame({"rate": np.random.default_rng(1).normal(15, 2, 28)}, index=days)
    >>> table = el.compare.power(pilot, "rate", change=2.0, days=[7, 14, 28])
    >>> table.index.tolist(), bool(table["power"].is_monotonic_increasing)
    ([7, 14, 28], True)
    """
    check_draws(draws, seed)
    if not np.isfinite(number(change, "change")) or change == 0:
        raise ConfigurationError("power: change must be a number other than 0: what is to be found")
    rows = days_of_wearers(table, column, what="power")
    wearers = rows["account"].nunique()
    if wearers > 1:
        if isinstance(days, Iterable):
            raise ConfigurationError("power: for several wearers, days is one number of days")
        return _of_groups(table, column, change, 14 if days is None else days)
    if len(rows) < 2 * LEAST_DAYS:
        raise ConfigurationError(
            f"power: the pilot has {len(rows)} of at least {2 * LEAST_DAYS} days with {column!r}"
        )
    given = [days] if isinstance(days, int | np.integer) else DAYS if days is None else days
    sizes = [whole_number(size, "days", LEAST_DAYS, MOST_DAYS) for size in names_of(given, "days")]
    dates, values = rows["day"].to_numpy(), rows[column].to_numpy()
    design = with_weekend(np.ones((len(values), 1)), dates)
    level = effect(dates, values[None, :], design, np.ones(1))
    phi, sd = float(level.phi[0]), float(level.sd[0])
    higher = float(level.fit[0, 1]) if design.shape[1] > 1 else 0.0
    generator = np.random.default_rng(seed)
    found = []
    for size in sizes:
        noise = generator.normal(0.0, (1 - phi**2) ** 0.5, (draws, WARM_UP + 2 * size))
        alike = scipy.signal.lfilter([1.0], [1.0, -phi], noise)[:, WARM_UP:] * sd
        opens = MONDAY + generator.integers(0, 7, draws)
        hits = 0
        for opening, noise_of_days in zip(opens, alike, strict=True):
            index = pd.DatetimeIndex(opening + np.arange(2 * size), name="day")
            study = pd.Series(noise_of_days, index=index)
            study += higher * at_weekend(index.to_numpy().astype("M8[D]").astype(np.int64))
            study.iloc[size:] += change
            hits += two_periods(study.iloc[:size], study.iloc[size:]).p < 0.05
        inside = scipy.stats.binomtest(hits, draws).proportion_ci(method="wilson")
        found.append((hits / draws, inside.low, inside.high))
    periods = pd.Index(sizes, name="days")
    return pd.DataFrame(found, index=periods, columns=["power", "low", "high"], dtype=np.float64)


def _of_groups(table: pd.DataFrame, column: str, change: float, days: int) -> pd.DataFrame:
    """Return the power of Welch's test for groups of equal size."""
    pilot = reliability(table, column, days=days)
    if not np.isfinite(pilot.sd_between):
        raise ConfigurationError(f"power: {pilot.reason}, so the pilot cannot tell how they vary")
    sd = (pilot.sd_between**2 + pilot.sem_mean**2) ** 0.5
    wearers = np.array(WEARERS)
    freedom, shift = 2 * (wearers - 1), change / (sd * np.sqrt(2 / wearers))
    limit = scipy.stats.t.ppf(0.975, freedom)
    found = scipy.stats.nct.sf(limit, freedom, shift) + scipy.stats.nct.cdf(-limit, freedom, shift)
    share = np.where(np.isnan(found), 1.0, found)  # so far from 0 that it cannot be computed
    columns = {"power": share, "low": share, "high": share}
    return pd.DataFrame(columns, index=pd.Index(wearers, name="wearers"))
