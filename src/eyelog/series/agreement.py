"""How well two measurements agree: bias and limits of agreement, for pairs that may be alike."""

from collections.abc import Sequence
from functools import reduce
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from eyelog.catalogue import (
    COMPUTED_DATA,
    STANDARD_MODE_LOGS,
    Field,
    catalogue,
    log_named,
    near,
    role,
    role_field,
)
from eyelog.checks import duration_us
from eyelog.clock import DAY_US, microseconds
from eyelog.errors import ConfigurationError, FieldError, MixedLogsError
from eyelog.frame import ACCOUNT, log_of, record, stated_account, takes_tables
from eyelog.judge.arrays import (
    MISSING,
    Bools,
    Floats,
    Ints,
    difference,
    direction,
    mean_direction,
    numbers,
    unit_vectors,
)
from eyelog.judge.intervals import enter
from eyelog.judge.limits import Limits
from eyelog.judge.records import Records
from eyelog.judge.terms import Counted, ratio
from eyelog.measure.sheet import all_missing, shown
from eyelog.series.inference import cluster_robust, means_of

REACH: Final = 1.96  # SDs either way that contain 95 % of normal differences
LEAST_MINUTES: Final = 3
BLOCK: Final = "1h"
LEAST_UNITS: Final = 3  # with two wearers or blocks, intervals are of no use
LEAST_DAYS: Final = 6  # from then on days are the units of one wearer, not blocks
WORN_S: Final = "worn_s"  # the column of worn seconds, which `_opened` adds


SHORT_US: Final = log_named(COMPUTED_DATA).interval_us

MINUTE_US: Final = log_named(STANDARD_MODE_LOGS).interval_us

SLACK_US: Final = 1_000_000  # stamps are whole seconds, so a second can seem to lie between records


class Minutes(NamedTuple):
    """Minutes of the 60-second log, and the records of the 15-second log that lie in them.

    Attributes
    ----------
    rows : array of int64
        Rows of the 60-second log within the time that both logs span.
    shares : sparse array of float64
        Which share of each record (columns) lies in each minute (rows).
    lasting_us : array of float64
        How long each record lasts.
    """

    rows: Ints
    shares: Any
    lasting_us: Floats

    def fill(self, values: Floats, rule: str, weights: Floats | None = None) -> Floats:
        """Return the value of each minute; missing if records with a value do not cover it.

        Parameters
        ----------
        values : array of float64
            The value of each record.
        rule : str
            ``sum``, ``wmean`` or, on the circle, ``circ_mean``.
        weights : array of float64, optional
            The counts behind averages.
        """
        used = np.isfinite(values)
        present: Bools = used
        counts: Floats | float = 1.0
        if weights is not None:
            # A count of 0 leaves nothing to average, so a missing average is not a gap there.
            counted = np.isfinite(weights)
            present, used = counted & (used | (weights == 0)), counted & used
            counts = weights
        covered = self.shares @ (present * self.lasting_us)
        whole = covered >= MINUTE_US - SLACK_US
        weigh = np.where(used, counts, 0.0)
        inside = np.where(used, values, 0.0)
        if rule == "circ_mean":
            parts = (*unit_vectors(inside), np.ones(len(inside)))
            filled = direction(*(self.shares @ (part * weigh * self.lasting_us) for part in parts))
        elif rule == "sum":
            # A second without a record is assumed to be like the rest of the minute.
            filled = self.shares @ inside * (MINUTE_US / np.where(whole, covered, 1.0))
        else:
            filled = ratio(self.shares @ (inside * weigh), self.shares @ weigh)
        return np.where(whole, filled, np.nan)


def shared_minutes(fifteen: pd.Index, sixty: pd.Index) -> Minutes:
    """Match the sorted stamps of both logs; every stamp closes its interval.

    Minutes that begin before the previous one has ended (the clock was set) are left out.
    """
    short, long = (microseconds(pd.DatetimeIndex(index)) for index in (fifteen, sixty))
    # An early record, as after the phone reconnects, covers the time since the last one.
    opens = np.maximum(short - SHORT_US, np.append(short[:1] - SHORT_US, short[:-1]))
    shared = np.diff(long, prepend=long[:1] - MINUTE_US) >= MINUTE_US
    shared &= len(short) > 0
    if len(short):
        shared &= (long > opens[0]) & (long - MINUTE_US < short[-1])
    ends = long[shared]
    first, last = np.searchsorted(short, [ends - MINUTE_US, ends])
    number = np.minimum(last + 1, len(short)) - first
    bounds = np.append(0, np.cumsum(number))
    records = np.arange(bounds[-1]) + np.repeat(first - bounds[:-1], number)
    close = np.repeat(ends, number)
    inside_us = np.minimum(short[records], close) - np.maximum(opens[records], close - MINUTE_US)
    lasting_us = (short - opens).astype(np.float64)
    shares = np.maximum(inside_us, 0) / lasting_us[records]
    table = scipy.sparse.csr_array((shares, records, bounds), shape=(len(ends), len(short)))
    return Minutes(np.flatnonzero(shared), table, lasting_us)


class Pair(NamedTuple):
    """A quantity of both logs: the role of its fields in the catalogue."""

    part: str
    cleansing: str | None = None

    def fields(self, log: str) -> tuple[str, ...]:
        """Return the columns whose sum is the quantity."""
        return (WORN_S,) if self.part == "worn" else role(log, self.part, cleansing=self.cleansing)

    def weight(self, log: str) -> tuple[str, ...]:
        """Return the columns whose sum weighs an average; none for totals."""
        return () if self.part == "worn" else catalogue(log)[self.fields(log)[0]].weight

    @property
    def field(self) -> Field | None:
        """The first field of the quantity in the 15-second log; None of worn time."""
        fields = catalogue(COMPUTED_DATA)
        return None if self.part == "worn" else fields[self.fields(COMPUTED_DATA)[0]]

    @property
    def rule(self) -> str:
        """How records fill a minute: ``sum``, ``wmean`` or, on the circle, ``circ_mean``."""
        return "sum" if self.field is None else self.field.agg

    @property
    def unit(self) -> str:
        """The unit of the quantity; totals are per minute."""
        unit = "s" if self.field is None else self.field.unit
        return f"{unit}/min" if self.rule == "sum" else unit

    @property
    def label(self) -> str:
        """The name of the quantity on an axis."""
        words = "Worn time" if self.field is None else self.field.label
        return f"{words}, {self.cleansing} cleansing" if self.cleansing else words


# The pairs to compare. Blink gaps are left out, because the 60-second log has their root mean
# square and the 15-second log their mean; so is NPT, because the logs cap it differently. The
# 15-second log has one cleansing, so its blinks are compared with both of the 60-second log.
PAIRS: Final = {
    "worn": Pair("worn"),
    "noise": Pair("noise_s"),
    "steps": Pair("steps"),
    **{f"head_moves_{axis}": Pair(f"head_moves_{axis}") for axis in ("pitch", "yaw")},
    **{f"eye_moves_{axis}": Pair(f"eye_moves_{axis}") for axis in ("horizontal", "vertical")},
    **{f"tilt_{axis}": Pair(f"tilt_{axis}") for axis in ("fore_aft", "sideways")},
    **{
        f"{quantity}_{cleansing}": Pair(part, cleansing)
        for quantity, part in (
            ("blinks", "blink_count"),
            ("blink_strength", "blink_strength"),
            ("blink_duration", "blink_duration"),
        )
        for cleansing in ("strong", "weak")
    },
    **{
        f"{part}_{side}": Pair(f"{part}_{side}")
        for part in ("landing", "sway_sideways", "sway_fore_aft", "sway_vertical")
        for side in ("right", "left")
    },
}


@shown(
    "Limits of agreement (Bland & Altman)",
    bias=("bias_low", "bias_high"),
    low=("low_low", "low_high"),
    high=("high_low", "high_high"),
)
class AgreementLimits(NamedTuple):
    """Bias and 95 % limits of agreement of two methods, each with its own 95 % interval."""

    bias: float
    bias_low: float
    bias_high: float
    sd: float
    low: float
    low_low: float
    low_high: float
    high: float
    high_low: float
    high_high: float
    n: int
    units: str
    n_units: int
    reason: str


@takes_tables
def limits_of_agreement(
    pairs: object, other: object = None, *, block: str | None = "1h"
) -> AgreementLimits:
    """Return bias and 95 % limits of agreement of paired measurements.

    Parameters
    ----------
    pairs : DataFrame or array-like
        Pairs as from `minute_pairs`, with their ``difference`` in a column. Several wearers have
        the index level ``account``: ``pd.concat({"P01": ..., "P02": ...}, names=["account"])``. Or
        one of the two measurements, pair by pair.
    other : array-like, optional
        The other measurement, if `pairs` is only one. Pairs with a missing value are left out.
    block : str or None
        For one wearer, pairs with stamps within one block of this length are assumed to be alike,
        or those of one local day if there are at least 6 days. None: all pairs are independent.

    Returns
    -------
    AgreementLimits
        ``bias`` (mean of one minus `other`), ``sd`` of the differences, the limits ``low`` and
        ``high``, each of the three with its 95 % interval (``bias_low`` and ``bias_high``,
        ``low_low`` and ``low_high``, ``high_low`` and ``high_high``), all in the unit of the
        measurements; ``n`` (pairs); ``units``, what the intervals assume to be independent
        (``"wearers"``, ``"days"``, ``"blocks of 1h"`` or ``"pairs"``) and ``n_units``, how many
        there are; ``reason`` (why something is missing: fewer than three pairs, or for intervals
        fewer than three units; otherwise empty).

    Raises
    ------
    ConfigurationError
        If the two differ in length, hold values that are not numbers, or are Series with different
        indices; if `block` is not a duration.
    FieldError
        If a table has no column ``difference``.

    Notes
    -----
    Limits are bias +- 1.96 SD (Bland & Altman 1999, Stat Methods Med Res 8:135; Bland & Altman
    1986, Lancet i:307, rounds to 2). Differences are assumed to be normal.

    Several wearers: each counts once in the bias, and the variance of a single difference is that
    between wearers plus that within them (Bland & Altman 2007, Journal of Biopharmaceutical
    Statistics 17:571, where the true value varies). Intervals of the limits are by MOVER (Zou
    2013, Stat Methods Med Res 22:630). With ten wearers of 60 pairs, intervals contain bias and
    limits in 94 to 97 of 100 cases (`benchmarks/levels.py`). Intervals for independent
    pairs would be too narrow. Pairs that are missing because they differ a lot are not seen: with
    half of the differences above the bias left out, the intervals contain bias and limits in 43 and
    61 of 100 cases (`benchmarks/levels.py`).

    One wearer: bias and SD are those of all pairs. The interval of the bias is clustered by blocks
    or days (CR2, Bell & McCaffrey 2002), that of the SD is Zou's, with blocks instead of wearers.
    It is about this wearer, not about others. Blocks of fewer than six days cannot show how days
    differ: if the SD of days, and that of hours, is half of that of single pairs, the interval of
    the bias contains it in only 57 to 59 of 100 cases (3 to 5 days of ten hours;
    `benchmarks/levels.py`).

    Independent pairs: the variance of a limit is s^2 (1/n + 1.96^2 / (2 (n - 1))), that of the bias
    s^2/n, with t quantiles. The interval of the bias contains it in 95 of 100 cases, those of the
    limits, an approximation for large samples, in 92 (3 to 8 pairs), 94 (12) and 95 (20 and more).

    Examples
    --------
    >>> import eyelog as el
    >>> limits = el.compare.limits_of_agreement([10, 12, 14, 16], [9, 12, 12, 15])
    >>> limits.bias, round(limits.low, 3), round(limits.high, 3)
    (1.0, -0.6, 2.6)
    >>> pairs = el.compare.minute_pairs(
    ...     el.sample(), el.sample("standard_mode_logs"), quantity="tilt_fore_aft"
    ... )
    >>> el.compare.limits_of_agreement(pairs).units
    'days'
    """
    if isinstance(pairs, pd.DataFrame) and other is None:
        if "difference" not in pairs.columns:
            raise FieldError(
                "limits_of_agreement: the table has no column 'difference': pass pairs of"
                " eyelog.compare.minute_pairs, or both measurements"
            )
        return _limits(_numbers(pairs["difference"]), pairs.index, block)
    if other is None:
        raise ConfigurationError(
            "limits_of_agreement takes pairs of eyelog.compare.minute_pairs, or both measurements"
        )
    one, index = pairs, None
    if isinstance(one, pd.Series) and isinstance(other, pd.Series):
        one, other = _aligned(one, other)
        index = one.index
    first, second = _numbers(one), _numbers(other)
    if len(first) != len(second):
        raise ConfigurationError(
            f"limits_of_agreement takes pairs, not {len(first)} and {len(second)} values"
        )
    return _limits(first - second, index, block)


def _numbers(side: object) -> Floats:
    try:
        return numbers(pd.Series(side, dtype="float64"))
    except (TypeError, ValueError):
        raise ConfigurationError("limits_of_agreement takes numbers, pair by pair") from None


def _units(index: pd.Index | None, block: str | None) -> tuple[Ints | None, str]:
    """Return the unit of each pair (None: each pair is its own unit), and what the units are."""
    width = None if block is None else duration_us(block, "block", sign="positive", example="1h")
    if index is not None and ACCOUNT in index.names:
        codes, accounts = pd.factorize(index.get_level_values(ACCOUNT).astype("str"))
        if len(accounts) > 1:
            return np.asarray(codes, dtype=np.int64), "wearers"
        if index.nlevels == 2:
            index = index.get_level_values(1 - index.names.index(ACCOUNT))
    if width is None or not isinstance(index, pd.DatetimeIndex) or index.tz is None:
        return None, "pairs"
    inside = index - pd.Timedelta(1, "us")  # stamps close their minutes
    days = np.asarray(microseconds(inside.tz_localize(None)) // DAY_US, dtype=np.int64)
    if len(np.unique(days)) >= LEAST_DAYS:
        return days, "days"
    return np.asarray(microseconds(inside) // width, dtype=np.int64), f"blocks of {block}"


def _aligned(one: pd.Series, other: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Return both sides in the order of the first; values with the same index are one pair."""
    if one.index.equals(other.index):
        return one, other
    alike = len(one) == len(other) and one.index.is_unique and one.index.isin(other.index).all()
    if not (alike and other.index.is_unique):
        raise ConfigurationError(
            "limits_of_agreement takes pairs, and the two Series have different indices: bring them"
            " onto one, one.align(other, join='inner'), or pass their values, one.to_numpy()"
        )
    return one, other.reindex(one.index)


def _limits(
    differences: Floats, index: pd.Index | None, block: str | None, *, circular: bool = False
) -> AgreementLimits:
    """Return the limits of the pairs that are there; their units are of these alone."""
    present = np.isfinite(differences)
    finite = differences[present]
    unit, units = _units(None if index is None else index[present], block)
    n = len(finite)
    refused = all_missing(AgreementLimits, n=n, units=units, n_units=0)
    if n < LEAST_MINUTES:
        return refused._replace(reason=f"fewer than {LEAST_MINUTES} pairs were observed")
    if circular:
        around = mean_direction(finite)
        if np.isnan(around):
            return refused._replace(reason="the differences cancel out on the circle")
        finite = around + difference(finite, around)
    if unit is None:
        of, n_units = _independent(finite), n
    else:
        codes = np.unique(unit, return_inverse=True)[1].astype(np.int64)
        n_units = int(codes.max()) + 1
        of = _repeated(finite, codes, once=units == "wearers")
    bias, sd = around if circular else of.bias, of.sd
    # Of a limit, the distances to both ends combine those of bias and SD (MOVER).
    near, far = (float(np.hypot(of.of_bias, REACH * reach)) for reach in (of.sd_below, of.sd_above))
    low, high = bias - REACH * sd, bias + REACH * sd
    return AgreementLimits(
        bias=bias,
        bias_low=bias - of.of_bias,
        bias_high=bias + of.of_bias,
        sd=sd,
        low=low,
        low_low=low - far,
        low_high=low + near,
        high=high,
        high_low=high - near,
        high_high=high + far,
        n=n,
        units=units,
        n_units=n_units,
        reason="" if n_units >= LEAST_UNITS else f"fewer than {LEAST_UNITS} {units}: no interval",
    )


class _Spread(NamedTuple):
    """Bias and SD of differences, and how far their intervals reach."""

    bias: float
    sd: float
    of_bias: float
    sd_below: float
    sd_above: float


def _independent(differences: Floats) -> _Spread:
    """Return bias and SD of independent pairs (Bland & Altman 1999)."""
    n = len(differences)
    sd = float(differences.std(ddof=1))
    t = float(scipy.special.stdtrit(n - 1, 0.975))
    of_sd = t * sd / np.sqrt(2.0 * (n - 1))
    return _Spread(float(differences.mean()), sd, float(t * sd / np.sqrt(n)), of_sd, of_sd)


def _repeated(differences: Floats, codes: Ints, *, once: bool) -> _Spread:
    """Return bias and SD of repeated pairs; with `once`, each unit counts once in the bias."""
    pairs = np.bincount(codes)
    count, n = len(pairs), len(differences)
    means = means_of(differences, codes)
    freedom = np.array([count - 1.0, n - count])
    share = 1.0 - (1.0 / pairs).mean()  # 1 less 1 / the harmonic mean of pairs per unit
    within = float(((differences - means[codes]) ** 2).sum())
    between = float(means.var(ddof=1)) if count > 1 else 0.0
    parts = np.array([between, share * within / (n - count) if n > count else 0.0])
    total = float(parts.sum())
    bias, sd, of_bias = float(means.mean()), float(np.sqrt(total)), MISSING
    if not once:
        bias, sd = float(differences.mean()), float(differences.std(ddof=1))
    if count < LEAST_UNITS:
        return _Spread(bias, sd, MISSING, MISSING, MISSING)
    if once:
        of_bias = float(scipy.special.stdtrit(count - 1, 0.975) * np.sqrt(between / count))
    else:
        made = cluster_robust(np.ones((n, 1)), differences - bias, codes)
        reach = scipy.special.stdtrit(made.freedom[0], 0.975)
        of_bias = float(reach * np.sqrt(made.covariance[0, 0]))
    positive = parts > 0
    fewest, most = (scipy.special.chdtri(freedom[positive], tail) for tail in (0.975, 0.025))
    below = float(np.sqrt(((parts[positive] * (1 - freedom[positive] / most)) ** 2).sum()))
    above = float(np.sqrt(((parts[positive] * (freedom[positive] / fewest - 1)) ** 2).sum()))
    scale = sd / np.sqrt(total) if total > 0 else 0.0
    return _Spread(
        bias,
        sd,
        of_bias,
        float(scale * (np.sqrt(total) - np.sqrt(max(total - below, 0.0)))),
        float(scale * (np.sqrt(total + above) - np.sqrt(total))),
    )


@takes_tables
def agreement(
    fifteen: pd.DataFrame,
    sixty: pd.DataFrame,
    *,
    limits: Limits | None = None,
) -> pd.DataFrame:
    """Report how well the two logs agree, minute by minute, on the quantities that both contain.

    The logs are computed by different processors in different ways. The report shows by how much
    they differ; eyelog never merges them.

    Parameters
    ----------
    fifteen : DataFrame
        A frame of the 15-second log, not resampled.
    sixty : DataFrame
        A frame of the 60-second log of the same person and time, not resampled.
    limits : Limits, optional
        What counts as worn, noisy, walking and in pose, see `eyelog.Limits`.

    Returns
    -------
    DataFrame
        One row per quantity, always the same rows. Index ``quantity``; ``unit`` (of the columns
        that follow), int64 ``n`` (minutes compared), float64 ``mean_fifteen`` and ``mean_sixty``,
        ``bias`` (15-second log minus 60-second log) with ``bias_low`` and ``bias_high``, ``sd`` of
        the differences, the limits of agreement ``low`` (with ``low_low``, ``low_high``) and
        ``high`` (with ``high_low``, ``high_high``), ``exposure_h`` (hours compared), ``coverage``
        (minutes compared / records of the 60-second log within the time that both logs span), text
        ``units``, what the intervals assume to be independent (``"days"``, or ``"blocks of 1h"``
        where there are fewer than six), int64 ``n_units``, and ``reason`` if something is missing.

    Raises
    ------
    MixedLogsError
        If a frame is of the other log, or has fields of both.
    ConfigurationError
        If the index does not hold aware stamps, or a frame is resampled.

    Notes
    -----
    Limits and intervals as in `limits_of_agreement` for one wearer: neighbouring minutes are alike,
    so days are the units, or blocks of an hour where there are fewer than six days. For several
    wearers, put their `minute_pairs` into one table with the index level ``account``.

    The 15-second log starts its own grid when the phone connects, so four or five of its records
    overlap a minute of the 60-second log. A record counts for a minute by the share of its 15
    seconds that are in it: counts are split by that share, and averages are weighted by it. A
    minute is compared only if records with a value cover it except for at most 1 second (stamps are
    whole seconds). For averages over blinks or steps the count must cover the minute, and records
    with a count of 0 are left out.

    Quantities: seconds worn (15-second log: whole intervals) and noisy, steps (all classes of the
    60-second log, which has none for steps outside 280 to 1000 ms), movements of head and eyes,
    tilt (directions: differences on the circle, Fisher 1993), blinks with their strength and
    duration (strong and weak cleansing of the 60-second log), landing impact and sway by foot.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.compare.agreement(el.sample(), el.sample("standard_mode_logs"))
    >>> bool(table.loc["tilt_fore_aft", "low"] < table.loc["tilt_fore_aft", "high"])
    True
    """
    both = _both(fifteen, sixty, list(PAIRS.values()), limits, "agreement")
    rows = {}
    for quantity, pair in PAIRS.items():
        table, absent = both.pairs(pair), both.lacking(pair)
        circular = pair.rule == "circ_mean"
        differences = numbers(table["difference"])
        made = _limits(differences, both.stamps, BLOCK, circular=circular)._asdict()
        n, n_units, units, reason = (made.pop(k) for k in ("n", "n_units", "units", "reason"))
        middle = mean_direction if circular else np.mean
        whole = table.dropna()
        first, second = (
            float(middle(numbers(whole[log]))) if n else MISSING for log in ("fifteen", "sixty")
        )
        rows[quantity] = {
            "unit": pair.unit,
            "n": n,
            "mean_fifteen": first,
            "mean_sixty": second,
            **made,
            "exposure_h": n / 60.0,
            "coverage": n / len(table) if len(table) else MISSING,
            "units": units,
            "n_units": n_units,
            "reason": absent or reason.replace("pairs", "shared minutes"),
        }
    found = pd.DataFrame.from_dict(rows, orient="index").rename_axis("quantity")
    kinds = dict.fromkeys(("unit", "units", "reason"), "string")
    found = found.astype(kinds | {"n": "int64", "n_units": "int64"})
    return record(
        found,
        "compare.agreement",
        difference="computed_data minus standard_mode_logs",
    )


@takes_tables
def minute_pairs(
    fifteen: pd.DataFrame,
    sixty: pd.DataFrame,
    *,
    quantity: str,
    limits: Limits | None = None,
) -> pd.DataFrame:
    """Return one quantity of both logs, pair by pair, for the minutes that both cover.

    Parameters
    ----------
    fifteen, sixty : DataFrame
        The frames of both logs, as for `eyelog.compare.agreement`.
    quantity : str
        A quantity of `eyelog.compare.agreement`, such as ``"steps"``.
    limits : Limits, optional
        What counts as worn, noisy, walking and in pose, see `eyelog.Limits`.

    Returns
    -------
    DataFrame
        Index ``date``: the stamps of the 60-second log, which close their minutes. Float64 columns
        ``fifteen`` and ``sixty``, their ``mean`` and their ``difference`` (15-second log minus
        60-second log; of directions both are taken on the circle), in the unit that
        `eyelog.compare.agreement` states for the quantity. Minutes without a value in one of the
        logs are left out.

    Raises
    ------
    MixedLogsError
        If a frame is of the other log, or has fields of both.
    FieldError
        If a frame lacks the fields of the quantity.
    ConfigurationError
        If there is no such quantity, the index does not hold aware stamps, or a frame is
        resampled.

    Notes
    -----
    The minutes are those of `eyelog.compare.agreement`, and so are its ``n``, ``bias`` and limits.

    Examples
    --------
    >>> import eyelog as el
    >>> fifteen, sixty = el.sample(), el.sample("standard_mode_logs")
    >>> pairs = el.compare.minute_pairs(fifteen, sixty, quantity="tilt_fore_aft")
    >>> list(pairs.columns)
    ['fifteen', 'sixty', 'mean', 'difference']
    """
    if quantity not in PAIRS:
        raise ConfigurationError(
            f"minute_pairs: both logs have no quantity {quantity!r}{near(str(quantity), PAIRS)}:"
            f" use one of {', '.join(PAIRS)}"
        )
    pair = PAIRS[quantity]
    both = _both(fifteen, sixty, [pair], limits, "minute_pairs")
    if absent := both.lacking(pair):
        raise FieldError(f"minute_pairs of {quantity!r}: {absent}")
    return record(
        both.pairs(pair).dropna(),
        "compare.minute_pairs",
        account=stated_account(sixty),
        interval_s=None,
        quantity=quantity,
    )


class _Both(NamedTuple):
    """The judged columns of both logs, the minutes that they share, and the stamps of these."""

    fifteen: Counted
    sixty: Counted
    minutes: Minutes
    stamps: pd.DatetimeIndex

    def lacking(self, pair: Pair) -> str:
        """Return in words which fields of a quantity the frames lack."""
        parts = []
        for log, columns in ((COMPUTED_DATA, self.fifteen), (STANDARD_MODE_LOGS, self.sixty)):
            needed = (*pair.fields(log), *pair.weight(log))
            absent = [name for name in needed if name not in columns]
            named = [role_field(log, "worn") if name == WORN_S else name for name in absent]
            if named:
                seconds = log_named(log).interval_s
                parts.append(f"the {seconds}-second frame lacks {', '.join(named)}")
        return "; ".join(parts)

    def pairs(self, pair: Pair) -> pd.DataFrame:
        """Return a quantity of both logs for each minute, missing if records do not cover it."""
        first = second = np.full(len(self.minutes.rows), np.nan)
        if not self.lacking(pair):
            values, weights = _sums(self.fifteen, pair, COMPUTED_DATA)
            first = self.minutes.fill(values, pair.rule, weights)
            second, weights = _sums(self.sixty, pair, STANDARD_MODE_LOGS)
            if weights is not None:
                second = np.where(weights > 0, second, np.nan)
            second = second[self.minutes.rows]
        apart = difference(first, second) if pair.rule == "circ_mean" else first - second
        # The middle of two directions is half-way along the shorter arc between them.
        columns = {"fifteen": first, "sixty": second, "mean": second + apart / 2.0}
        return pd.DataFrame(columns | {"difference": apart}, index=self.stamps)


def _both(
    fifteen: Any, sixty: Any, pairs: Sequence[Pair], limits: Limits | None, what: str
) -> _Both:
    """Return both logs with the fields of some pairs."""
    first, short = _opened(fifteen, COMPUTED_DATA, pairs, limits, what)
    second, long = _opened(sixty, STANDARD_MODE_LOGS, pairs, limits, what)
    minutes = shared_minutes(short, long)
    return _Both(first, second, minutes, pd.DatetimeIndex(long[minutes.rows], name="date"))


def _opened(
    frame: Any, log: str, pairs: Sequence[Pair], limits: Limits | None, what: str
) -> tuple[Counted, pd.Index]:
    """Return the judged columns of a frame, with its worn seconds, and its sorted stamps."""
    if not isinstance(frame, pd.DataFrame):
        raise ConfigurationError(f"{what} takes two frames: the 15-second and the 60-second log")
    actual = log_of(frame)
    if actual != log:
        raise MixedLogsError(
            f"{what}(fifteen, sixty) needs {log!r} as its {log_named(log).interval_s}-second log,"
            f" not {actual!r}"
        )
    names = {name for pair in pairs for name in (*pair.fields(log), *pair.weight(log))}

    def judged(records: Records) -> Counted:
        made = {name: records.value(name) for name in names if name in records.columns}
        worn = records.context.get(WORN_S)
        return made if worn is None else made | {WORN_S: worn}

    rows = enter(frame, what, [judged], limits=limits, wide=False).warn()
    return judged(rows.records), rows.frame.index


def _sums(columns: Counted, pair: Pair, log: str) -> tuple[Floats, Floats | None]:
    """Return the sum of a quantity's fields in each row, missing if one is, and its weight."""
    values = reduce(np.add, [columns[name] for name in pair.fields(log)])
    weights = [columns[name] for name in pair.weight(log)]
    return values, reduce(np.add, weights) if weights else None
