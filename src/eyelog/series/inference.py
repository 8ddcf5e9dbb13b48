"""What a wearer's days tell: intervals and p where neighbouring days are alike, and many looks.

Days follow each other as phi^k over k days (AR(1)). Every interval and p about a wearer comes from
`effect`, a contrast of a least-squares fit whose error allows for phi, with weekends levelled by a
column of the fit. Robust estimates keep their value, and their interval for independent days is
widened by the same allowance (`rank_interval`). What a page names out of many is compared with
simulated pages (`null_p`), since the far tail of Student's t is too thin for estimated errors.

statsmodels' robust covariance (HAC) was considered: in few days it finds trends that are not there
too often, because it neither corrects the bias of phi nor counts effective days.
"""

import csv
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from eyelog.checks import whole_number
from eyelog.clock import DAY_US, THURSDAY
from eyelog.errors import ConfigurationError
from eyelog.judge.arrays import Floats, Ints, numbers
from eyelog.series.observed import Rows

# With fewer days, nothing is said of the wearer: only of these minutes
LEAST_DAYS: Final = 5
LEAST_FOR_MEDIAN: Final = 7  # fewer days that are alike lie on one side of it too often

# What a usual wearer's days are like: seven days of that wearer stand beside those of the table.
USUAL_PHI: Final = 0.3
USUAL_DAYS: Final = 7
# Beyond this, a few weeks are one observation, and no estimate of phi is reliable.
LARGEST_PHI: Final = 0.9
GRID: Final = np.linspace(0.0, LARGEST_PHI, 46)

MIDDLE: Final = 0.975
MOST_EXACT: Final = 50
SATURDAY: Final = 5
EACH_KIND: Final = 2  # days at weekends, and on weekdays, that tell how they differ
ALONE = 1e-9  # a direction that one cluster alone determines has no error
LEAST_DRAWS = 100
MOST_CELLS = 4_000_000
MOST_DRAWN: Final = 50_000_000  # counts of 8 bytes


class Days(NamedTuple):
    """One value for each local day, or for each row that is longer than a day.

    Attributes
    ----------
    dates : array of int64
        The local dates, as the days since 1970.
    numbers : array of int64
        The number of each row: 1 apart for neighbours, whatever the length of a row.
    values : array of float64
        The values.
    daily : bool
        Whether a row is a day, so that weekends can be told from weekdays.
    """

    dates: Ints
    numbers: Ints
    values: Floats
    daily: bool


def by_day(seen: Rows, *, what: str = "", most: float = np.inf, step_us: int | None = None) -> Days:
    """Return one value for each local day: the mean of its values; longer rows as they are.

    Neighbours are a row apart, or `step_us`, which several series have in common.

    Raises
    ------
    ConfigurationError
        If there are more days than `what` can take.
    """
    step = max(1, round((seen.step_us if step_us is None else step_us) / DAY_US))
    dates, owner, count = np.unique(seen.dates, return_inverse=True, return_counts=True)
    if len(dates) > most:
        raise ConfigurationError(
            f"{what} takes at most {most} days, not {len(dates)}: summarise per week first"
            " (eyelog.weekly)"
        )
    values = seen.values
    if len(dates) < len(values):
        values = np.bincount(owner, weights=values) / count
    # Halves are rounded up: to even, every other day could be without neighbours.
    return Days(dates, (2 * dates + step) // (2 * step), values, step == 1)


def means_of(values: Floats, unit: Ints) -> Floats:
    """Return the mean of values, or of each column of them, in each unit (a day, a wearer)."""
    if values.ndim == 2:
        return np.column_stack([means_of(column, unit) for column in values.T])
    return np.asarray(np.bincount(unit, values) / np.bincount(unit), dtype=np.float64)


def at_weekend(dates: Ints) -> Floats:
    """Return 1 for Saturdays and Sundays among the days since 1970, 0 for others."""
    return np.asarray((dates + THURSDAY) % 7 >= SATURDAY, dtype=np.float64)


def with_weekend(design: Floats, dates: Ints, sets: Floats | None = None) -> Floats:
    """Return a design with a column for weekends, if each set has two days of either kind."""
    weekend = at_weekend(dates)
    parts = [weekend] if sets is None else [weekend[sets == part] for part in np.unique(sets)]
    if all(EACH_KIND <= part.sum() <= len(part) - EACH_KIND for part in parts):
        return np.column_stack([design, weekend])
    return design


class Effect(NamedTuple):
    """A contrast of fits to several series of days, with its error where days are alike.

    Attributes
    ----------
    estimate, se : array of float64
        The contrast and its standard error, one for each series.
    freedom : array of float64
        Degrees of freedom: effective days less the columns of the design, at least 1.
    phi, n_effective : array of float64
        How alike neighbouring days are (0 to 0.9), and how many independent days would be as
        informative about a level.
    factor : array of float64
        How much wider the 95 % interval is than that of independent days.
    sd : array of float64
        The standard deviation of single days.
    fit : array of float64
        The coefficients, one row for each series.
    """

    estimate: Floats
    se: Floats
    freedom: Floats
    phi: Floats
    n_effective: Floats
    factor: Floats
    sd: Floats
    fit: Floats

    @property
    def alike(self) -> dict[str, Any]:
        """How alike the days of the first series are, as results state it."""
        return {"phi": float(self.phi[0]), "n_effective": float(self.n_effective[0])}

    @property
    def reach(self) -> Floats:
        """Half the width of the 95 % interval."""
        return np.asarray(scipy.special.stdtrit(self.freedom, MIDDLE) * self.se)

    @property
    def p(self) -> Floats:
        """P of no effect."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(self.estimate == 0, 0.0, np.abs(self.estimate) / self.se)
        return np.asarray(2.0 * scipy.special.stdtr(self.freedom, -t))


def effect(
    days: Ints, values: Floats, design: Floats, contrast: Floats, sets: Floats | None = None
) -> Effect:
    """Return a contrast of the least-squares fit to each row of values.

    With residuals e of the fit and phi their autocorrelation (`shrunk_phi`), the variance of a day
    is e'e / trace((I - H) V), where H is the hat matrix and V holds phi^|i - j|; that of the
    contrast a'y is a'V a times it. Days of different sets count as independent, which errs towards
    a larger error. A level of n days without a gap has n / (1 + 2 sum (1 - k/n) phi^k) effective
    days.

    Parameters
    ----------
    days : array of int64
        The number of each day, in order, 1 apart for neighbours.
    values : array of float64
        One series in each row.
    design : array of float64
        A column for each fitted parameter: ones for a level, an indicator for each of several, ones
        and the day for a line, and that of weekends.
    contrast : array of float64
        The weight of each coefficient; 0 for those that are not given.
    sets : array of float64, optional
        The set that each day belongs to.
    """
    n, terms = design.shape
    contrast = np.append(contrast, np.zeros(terms - len(contrast)))
    q, r = np.linalg.qr(design)
    inverse = np.linalg.inv(r)
    weights = q @ inverse.T @ contrast
    fit = values @ q @ inverse.T
    residuals = values - (values @ q) @ q.T
    squares = np.einsum("ij,ij->i", residuals, residuals)
    phi = shrunk_phi(days, residuals, max(terms, 2))
    at = phi if len(phi) == 1 else GRID
    groups = np.zeros(n) if sets is None else sets
    together = groups[:, None] == groups[None, :]
    spare, spread, effective = np.empty((3, len(at)))
    for i, alike in enumerate(at):
        v = correlations(days, float(alike))
        spare[i] = n - np.sum(q * (v @ q))
        apart = v * together
        spread[i] = weights @ apart @ weights
        each = [(groups == part).astype(np.float64) for part in np.unique(groups)]
        effective[i] = sum(part.sum() ** 2 / (part @ apart @ part) for part in each)
    n_effective = np.interp(phi, at, effective)
    freedom = np.maximum(n_effective - terms, 1.0)
    sd = np.sqrt(squares / np.interp(phi, at, spare))
    se = sd * np.sqrt(np.interp(phi, at, spread))
    reach = scipy.special.stdtrit(freedom, MIDDLE) * np.sqrt(
        np.interp(phi, at, spread) / np.interp(phi, at, spare)
    )
    independent = t_quantile(n - terms) * np.sqrt(weights @ weights / max(n - terms, 1))
    return Effect(fit @ contrast, se, freedom, phi, n_effective, reach / independent, sd, fit)


def shrunk_phi(days: Ints, residuals: Floats, terms: int = 2, n: int | None = None) -> Floats:
    """Return phi of each row of residuals: their lag-1 autocorrelation, corrected and shrunk.

    The estimate r over neighbouring days gets its bias of (terms + 4 r) / n added, is held between
    0 and 0.9, and is shrunk to (n phi + 7 * 0.3) / (n + 7): as if seven days of a usual wearer
    stood beside.

    Parameters
    ----------
    days : array of int64
        The number of each day, in order, 1 apart for neighbours.
    residuals : array of float64
        One series in each row, less what was fitted.
    terms : int
        The number of fitted parameters.
    n : int, optional
        How many days one fit is made to. Default: all.
    """
    total = residuals.shape[1]
    n = total if n is None else n
    beside = np.flatnonzero(np.diff(days) == 1)
    squares = np.einsum("ij,ij->i", residuals, residuals)
    phi = np.zeros(len(residuals))
    if len(beside):
        # The sum over n, not over the neighbours, where days are without a gap: the bias is known
        # for that estimate, and it varies less.
        near = (residuals[:, beside] * residuals[:, beside + 1]).mean(axis=1) * (total - 1)
        lag = np.divide(near, squares, out=np.full(len(squares), -1.0), where=squares > 0)
        phi = np.clip(lag + (terms + 4.0 * lag) / n, 0.0, LARGEST_PHI)
    return np.asarray((total * phi + USUAL_DAYS * USUAL_PHI) / (total + USUAL_DAYS))


def correlations(days: Ints, phi: float) -> Floats:
    """Return phi^|i - j| for each two days."""
    apart = np.abs(days[:, None] - days[None, :])
    return np.asarray(phi**apart, dtype=np.float64)


def effective_n(days: Ints, phi: float) -> float:
    """Return how many independent days would be as informative about a level."""
    n = len(days)
    return n**2 / float(correlations(days, phi).sum()) if n else 0.0


def t_quantile(freedom: float, share: float = MIDDLE) -> float:
    """Return a quantile of Student's t, by default 97.5 %, with at least one degree of freedom."""
    # scipy.stats has it too, but takes most of a second to import.
    return float(scipy.special.stdtrit(max(freedom, 1.0), share))


def level_interval(days: Ints, values: Floats) -> tuple[float, float]:
    """Return the 95 % interval of the mean of one wearer's days, missing below five days."""
    if len(values) < LEAST_DAYS or np.ptp(values) == 0:
        return float("nan"), float("nan")
    level = effect(days, values[None, :], np.ones((len(values), 1)), np.ones(1))
    middle, reach = float(level.estimate[0]), float(level.reach[0])
    return middle - reach, middle + reach


class Median(NamedTuple):
    """The median of a wearer's days with its 95 % interval, and how alike they are."""

    value: float
    low: float
    high: float
    phi: float
    n_effective: float
    n: int


def median(of_days: "pd.Series[Any]") -> Median:
    """Return the median of a wearer's days, with its 95 % interval of this wearer.

    The ends of the interval are two of the values themselves: the k-th smallest and the k-th
    largest, where k is the largest number for which the binomial chance that the true median lies
    between them is 95 % (Thompson 1936, Annals of Mathematical Statistics 7:122), for as many days
    as are effective, at least three. It needs seven days.

    Parameters
    ----------
    of_days : Series
        A value for each date, in order; missing ones are left out.
    """
    values = numbers(of_days)
    seen = np.isfinite(values)
    days, x = of_days.index.to_numpy().astype("M8[D]").astype(np.int64)[seen], values[seen]
    n, nan = len(x), float("nan")
    middle = float(np.median(x)) if n else nan
    if n < LEAST_FOR_MEDIAN:
        return Median(middle, nan, nan, nan, nan, n)
    phi = float(shrunk_phi(days, (x - x.mean())[None, :])[0])
    n_effective = effective_n(days, phi)
    size = max(n_effective, 3.0)
    # The chance that at most k - 1 of `size` days lie below the median; k need not be whole.
    k = np.arange(1, n // 2 + 1) * (size + 1) / (n + 1)
    chance = scipy.special.betainc(size - k + 1, k, 0.5)
    rank = max(int(np.count_nonzero(chance <= 1 - MIDDLE)), 1)
    x = np.sort(x)
    return Median(middle, float(x[rank - 1]), float(x[n - rank]), phi, n_effective, n)


# --------------------------------------------------------------------------- ranks


class PairLaw(NamedTuple):
    """How many of all pairs lie below the true value: exactly, or as a normal distribution."""

    pairs: int
    cumulated: Floats | None
    sd: float

    def tail(self, count: int) -> float:
        """Return the probability of at most `count` pairs."""
        if self.cumulated is not None:
            return float(self.cumulated[min(count, self.pairs)]) if count >= 0 else 0.0
        # The step of a whole pair makes the approximation err on the side of caution.
        return float(scipy.special.ndtr((count + 1 - self.pairs / 2.0) / self.sd))

    def rank(self) -> int:
        """Return the least count whose tail is 2.5 % or more."""
        if self.cumulated is not None:
            return int(np.searchsorted(self.cumulated, (1 - MIDDLE) * (1 - 1e-12)))
        far = self.pairs / 2.0 + float(scipy.special.ndtri(1 - MIDDLE)) * self.sd - 1.0
        return max(int(np.ceil(far)), 0)


@lru_cache(maxsize=64)
def two_samples_law(n: int, m: int) -> PairLaw:
    """Return the law of the n times m differences of two samples (Mann & Whitney 1947)."""
    pairs = n * m
    if max(n, m) >= MOST_EXACT:
        return PairLaw(pairs, None, float(np.sqrt(pairs * (n + m + 1) / 12.0)))
    # p(n, m)(u) = n / (n + m) p(n - 1, m)(u - m) + m / (n + m) p(n, m - 1)(u), row by row.
    row = [np.ones(1)] * (m + 1)  # no value before: U is 0
    for i in range(1, n + 1):
        new = [np.ones(1)]
        for j in range(1, m + 1):
            chance = np.zeros(i * j + 1)
            chance[j:] += i / (i + j) * row[j]
            chance[: i * (j - 1) + 1] += j / (i + j) * new[j - 1]
            new.append(chance)
        row = new
    return PairLaw(pairs, np.cumsum(row[m]), float("nan"))


@lru_cache(maxsize=64)
def slopes_law(n: int) -> PairLaw:
    """Return the law of the n (n - 1) / 2 slopes between n values (Kendall 1938)."""
    pairs = n * (n - 1) // 2
    if n >= MOST_EXACT:
        return PairLaw(pairs, None, float(np.sqrt(n * (n - 1) * (2 * n + 5) / 72.0)))
    chance = np.ones(1)
    for i in range(2, n + 1):  # the i-th value is below 0 to i - 1 of the earlier ones
        chance = np.convolve(chance, np.full(i, 1.0 / i))
    return PairLaw(pairs, np.cumsum(chance), float("nan"))


class RankInterval(NamedTuple):
    """The median of all pairwise differences or slopes, its 95 % interval, and p of 0."""

    value: float
    low: float
    high: float
    p: float


def rank_interval(pairs: Floats, law: PairLaw, factor: float) -> RankInterval:
    """Return the median of all pairs, with the interval and p of days that are alike.

    The interval of independent days inverts a rank test (Mann & Whitney; Kendall); it is widened
    about the median by `factor`. p is that of the very same test at the value that the widening
    moves to 0, so it is below 5 % if, and only if, the interval excludes 0; pairs equal to it count
    on either side. scipy.stats has both tests and both estimates, but its p and its interval come
    from different approximations, so one can say no where the other says yes.
    """
    ordered = np.sort(pairs)
    middle = float(np.median(ordered))
    rank = min(max(law.rank(), 1), law.pairs // 2 + 1)
    low, high = float(ordered[rank - 1]), float(ordered[law.pairs - rank])
    moved = middle * (1.0 - 1.0 / factor)
    below = int(np.searchsorted(ordered, moved, side="right"))
    above = law.pairs - int(np.searchsorted(ordered, moved, side="left"))
    p = min(1.0, 2.0 * law.tail(min(below, above)))
    return RankInterval(
        middle, middle - factor * (middle - low), middle + factor * (high - middle), p
    )


# --------------------------------------------------------------------------- rates


def log_rate_values(rate: float, without: Floats) -> Floats:
    """Return a value for each unit (day, wearer), about the logarithm of a pooled rate.

    They are the jackknife's pseudo-values to the first order: the variance of their mean is that of
    log R, R = sum c / sum m, by residuals c - R m divided by 1 - m / M (M = sum m).

    Parameters
    ----------
    rate : float
        The pooled rate.
    without : array of float64
        The rate of all other units, for each unit.
    """
    return np.asarray(np.log(rate) + (len(without) - 1) * (rate - without) / rate)


def rate_of_days(days: Ints, rate: float, without: Floats) -> Effect:
    """Return the logarithm of a rate over days with its error: see `log_rate_values`."""
    values = log_rate_values(rate, without)[None, :]
    return effect(days, values, np.ones((len(days), 1)), np.ones(1))


# --------------------------------------------------------------------------- hours


def shifted_days(values: Floats, day: Ints, times: int, seed: int) -> Iterator[Floats]:
    """Yield blocks of series (rows) in which each day is shifted around its own values.

    Each day by its own random number of places. This keeps the pattern of wear and how alike
    neighbouring values are, and removes what days have in common.

    Parameters
    ----------
    values : array of float64
        The values of the days, one after the other.
    day : array of int64
        The day of each value.
    times, seed : int
        How many series, and the seed of the random generator.
    """
    _, first, owner, size = np.unique(
        day, return_index=True, return_inverse=True, return_counts=True
    )
    place, generator = np.arange(len(day)) - first[owner], np.random.default_rng(seed)
    at_once = max(1, MOST_CELLS // max(len(day), 1))
    for start in range(0, times, at_once):
        by = generator.integers(size, size=(min(at_once, times - start), len(size)))
        yield values[first[owner] + (place + by[:, owner]) % size[owner]]


# --------------------------------------------------------------------------- many looks


def holm(p: Floats) -> Floats:
    """Return p values corrected for their number (Holm 1979); missing ones do not count."""
    out = np.full(len(p), np.nan)
    given = np.flatnonzero(np.isfinite(p))
    order = given[np.argsort(p[given], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    out[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return out


@cache
def _null(kind: str) -> tuple[Floats, Floats, Floats]:
    """Return the numbers of days, the shares of noise, and what each share reaches of that kind."""
    text = files("eyelog").joinpath("series", "null.csv").read_text("utf-8")
    header, *rows = csv.reader(text.splitlines())
    mine = [row for row in rows if row[0] == kind]
    known = min(sum(cell != "" for cell in row) for row in mine)
    table = np.array([row[1:known] for row in mine], dtype=np.float64)
    return table[:, 0], np.array(header[2:known], dtype=np.float64), table[:, 1:]


@lru_cache(maxsize=1024)
def _reached(kind: str, n: float) -> tuple[Floats, Floats]:
    days, shares, table = _null(kind)
    of_n = [np.interp(np.log(n), np.log(days), column) for column in table.T]
    return shares, np.array(of_n)


def null_quantile(kind: str, n: float, share: float) -> float:
    """Return the statistic that `share` of simulated series of n days without anything reach.

    Parameters
    ----------
    kind : str
        ``split`` and ``bump`` (phi .3), and for pages (phi .5) ``line``, ``level``, ``day`` and
        ``period``: see `benchmarks/null_tables.py`, which makes the packaged table.
    n : float
        The number of days; of two periods, that of their harmonic mean.
    share : float
        The share.
    """
    shares, reached = _reached(kind, n)
    return float(np.interp(np.log(share), np.log(shares[::-1]), reached[::-1]))


def null_p(kind: str, n: float, statistic: float) -> float:
    """Return the share of simulated series of n days that reach a statistic."""
    if not (n > 0 and np.isfinite(statistic)):
        return float("nan")
    shares, reached = _reached(kind, n)
    if statistic < reached[0]:
        return 1.0
    return float(np.exp(np.interp(statistic, reached, np.log(shares))))


# --------------------------------------------------------------------------- clusters


class ClusterRobust(NamedTuple):
    """The covariance of the coefficients, and the degrees of freedom of each (NaN: no error)."""

    covariance: Floats
    freedom: Floats


def cluster_robust(x: Floats, residuals: Floats, clusters: Ints) -> ClusterRobust:
    """Return the errors of ordinary least squares of columns `x` whose rows are alike in a cluster.

    Bias-reduced linearisation (CR2: Bell & McCaffrey 2002; Pustejovsky & Tipton 2018, Journal of
    Business & Economic Statistics 36:672) with Satterthwaite's degrees of freedom. statsmodels has
    only the older CR1 with the normal distribution or the number of clusters, which is too narrow
    for a few clusters.

    For generalised least squares, `x` and `residuals` are those divided by the root of the working
    covariance, which must not reach across clusters.

    Parameters
    ----------
    x : array of float64
        One row per observation, one column per coefficient, of full rank.
    residuals : array of float64
        The residuals of the rows.
    clusters : array of int64
        The number of each row's cluster, from 0 on, none left out.
    """
    count, terms = int(clusters.max()) + 1, x.shape[1]
    # In the basis in which x'x is 1, so that the units of the columns do not matter.
    q, r = np.linalg.qr(x)
    inside = np.zeros((count, terms, terms))
    np.add.at(inside, clusters, q[:, :, None] * q[:, None, :])
    scores = np.zeros((count, terms))
    np.add.at(scores, clusters, q * residuals[:, None])
    shares, turns = np.linalg.eigh(inside)
    kept = 1.0 - shares
    by = np.where(kept > ALONE, 1.0 / np.sqrt(np.maximum(kept, ALONE)), 0.0)
    adjust = np.einsum("gij,gj,gkj->gik", turns, by, turns)
    adjusted = np.einsum("gij,gj->gi", adjust, scores)
    back = np.linalg.inv(r)
    # A variance is the sum over clusters of (p'e)^2: its expectation and its own variance for
    # independent residuals give the degrees of freedom.
    weights = np.einsum("gij,kj->gki", adjust, back)  # of q, for each coefficient
    reach = np.einsum("gij,gkj->gki", inside, weights)  # q'p
    size = np.einsum("gki,gki->gk", weights, reach)  # p'p
    cross = np.einsum("gki,gkj->kij", reach, reach)
    trace = size.sum(axis=0) - np.einsum("kii->k", cross)
    squares = (
        (size**2).sum(axis=0)
        - 2.0 * np.einsum("gk,gki,gki->k", size, reach, reach)
        + np.einsum("kij,kji->k", cross, cross)
    )
    # What one cluster alone determines does not vary between clusters: its error is unknown.
    loads = np.einsum("kj,gji->gki", back, turns) ** 2
    alone = np.where((kept <= ALONE)[:, None, :], loads, 0.0).sum(axis=(0, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        estimable = (squares > 0) & (alone <= ALONE * (back**2).sum(axis=1))
        freedom = np.where(estimable, trace**2 / squares, np.nan)
    return ClusterRobust(back @ (adjusted.T @ adjusted) @ back.T, freedom)


# --------------------------------------------------------------------------- draws


def check_draws(draws: int, seed: int) -> None:
    """Raise `ConfigurationError` unless both are whole numbers that can be used."""
    whole_number(draws, "draws", LEAST_DRAWS)
    whole_number(seed, "seed", 0)


def multiplicities(units: int, draws: int, seed: int) -> Floats:
    """Return draws with replacement (rows): how often each of `units` occurs, as float64.

    Sums over units (days, events) are then one matrix product, and all columns of a table share the
    draws; `scipy.stats.bootstrap` evaluates a statistic on a copy of the data for each draw.

    Raises
    ------
    ConfigurationError
        If there are more draws of so many units than fit into memory.
    """
    if units * draws > MOST_DRAWN:
        raise ConfigurationError(
            f"{draws:,} draws of {units:,} days or events do not fit into memory: take at most"
            f" draws={MOST_DRAWN // units:,}"
        )
    shares = np.full(units, 1.0 / max(units, 1))
    return np.random.default_rng(seed).multinomial(units, shares, size=draws).astype(np.float64)


def interval(samples: Floats, units: Ints) -> tuple[Floats, Floats]:
    """Return the 95 % interval of each column from its draws (rows), missing ones left out.

    Its ends are percentiles as far apart as those of Student's t, for as many units as each column
    was drawn from (Hesterberg 2015, The American Statistician 69:371): the 2.5 and 97.5 percentiles
    are too narrow if there are few units.
    """
    finite = pd.DataFrame(np.where(np.isfinite(samples), samples, np.nan))
    low, high = np.full((2, samples.shape[1]), np.nan)
    for n in np.unique(units[units > 1]).tolist():
        tail = float(scipy.stats.norm.cdf(scipy.stats.t.ppf(0.025, n - 1) * np.sqrt(n / (n - 1))))
        of_n = finite.loc[:, units == n].quantile([tail, 1.0 - tail]).to_numpy(dtype=np.float64)
        low[units == n], high[units == n] = of_n
    return low, high
