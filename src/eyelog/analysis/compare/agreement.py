"""How well the two logs agree: bias and limits of agreement over shared minutes."""

from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from eyelog.analysis.compare.shared_minutes import Minutes, shared_minutes
from eyelog.analysis.grouped.reductions import sum_fields
from eyelog.analysis.grouped.summary import needed, sorted_frame
from eyelog.analysis.limits import Limits as Judging
from eyelog.analysis.limits import chosen_limits
from eyelog.analysis.quality.evidence import seconds
from eyelog.analysis.quality.flags import judged
from eyelog.analysis.quality.unjudged import one_warning
from eyelog.analysis.results import shown
from eyelog.analysis.series.angles import difference, mean_direction
from eyelog.analysis.series.arrays import Floats, numbers
from eyelog.catalogue import (
    COMPUTED_DATA,
    INTERVAL_SECONDS,
    STANDARD_MODE_LOGS,
    Field,
    catalogue,
    near,
    role,
    role_field,
)
from eyelog.errors import ConfigurationError, FieldError, MixedLogsError
from eyelog.frame import log_of, require_single_intervals
from eyelog.provenance import KEY, record

__all__ = ["Limits", "agreement", "limits_of_agreement", "minute_pairs", "quantity_words"]


MISSING: Final = float("nan")
REACH: Final = 1.96  # SDs either way that contain 95 % of normal differences
LEAST_MINUTES: Final = 3
WORN_S: Final = "worn_s"  # the column of worn seconds, which `_opened` adds


class Pair(NamedTuple):
    """One quantity of both logs, and the role of its fields in the catalogue."""

    quantity: str
    part: str
    cleansing: str | None = None

    def fields(self, log: str) -> tuple[str, ...]:
        """Return the columns whose sum is the quantity."""
        return (WORN_S,) if self.part == "worn" else role(log, self.part, cleansing=self.cleansing)

    def weight(self, log: str) -> tuple[str, ...]:
        """Return the columns whose sum weighs an average; none for totals."""
        return () if self.part == "worn" else catalogue(log)[self.fields(log)[0]].weight

    @property
    def rule(self) -> str:
        """How records fill a minute: ``sum``, ``wmean`` or, on the circle, ``circ_mean``."""
        return "sum" if self.part == "worn" else self._field.agg

    @property
    def unit(self) -> str:
        """The unit of the quantity; totals are per minute."""
        unit = "s" if self.part == "worn" else self._field.unit
        return f"{unit}/min" if self.rule == "sum" else unit

    @property
    def label(self) -> str:
        """The name of the quantity on an axis."""
        words = "Worn time" if self.part == "worn" else self._field.label
        return f"{words}, {self.cleansing} cleansing" if self.cleansing else words

    @property
    def _field(self) -> Field:
        return catalogue(COMPUTED_DATA)[self.fields(COMPUTED_DATA)[0]]


# The pairs to compare. Blink gaps are left out, because the 60-second log has their root mean
# square and the 15-second log their mean; so is NPT, because the logs cap it differently. The
# 15-second log has one cleansing, so its blinks are compared with both of the 60-second log.
PAIRS: Final = (
    Pair("worn", "worn"),
    Pair("noise", "noise_s"),
    Pair("steps", "steps"),
    Pair("head_moves_pitch", "head_moves_pitch"),
    Pair("head_moves_yaw", "head_moves_yaw"),
    Pair("eye_moves_horizontal", "eye_moves_horizontal"),
    Pair("eye_moves_vertical", "eye_moves_vertical"),
    Pair("tilt_fore_aft", "tilt_fore_aft"),
    Pair("tilt_sideways", "tilt_sideways"),
    Pair("blinks_strong", "blink_count", "strong"),
    Pair("blinks_weak", "blink_count", "weak"),
    Pair("blink_strength_strong", "blink_strength", "strong"),
    Pair("blink_strength_weak", "blink_strength", "weak"),
    Pair("blink_duration_strong", "blink_duration", "strong"),
    Pair("blink_duration_weak", "blink_duration", "weak"),
    Pair("landing_right", "landing_right"),
    Pair("landing_left", "landing_left"),
    *(
        Pair(quantity, quantity)
        for axis in ("sideways", "fore_aft", "vertical")
        for quantity in (f"sway_{axis}_right", f"sway_{axis}_left")
    ),
)


@shown(
    "Limits of agreement (Bland & Altman)",
    bias=("bias_low", "bias_high"),
    low=("low_low", "low_high"),
    high=("high_low", "high_high"),
)
class Limits(NamedTuple):
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
    reason: str


def limits_of_agreement(one: object, other: object) -> Limits:
    """Return bias and 95 % limits of agreement of paired measurements.

    Parameters
    ----------
    one, other : array-like
        The same quantity measured in two ways, pair by pair. Pairs with a missing value are left
        out.

    Returns
    -------
    Limits
        ``bias`` (mean of `one` minus `other`), ``sd`` of the differences, the limits ``low`` and
        ``high``, each of the three with its 95 % interval (``bias_low`` and ``bias_high``,
        ``low_low`` and ``low_high``, ``high_low`` and ``high_high``), all in the unit of the
        measurements; ``n`` (pairs) and ``reason``
        (why the others are missing: fewer than three pairs; else empty).

    Raises
    ------
    ConfigurationError
        If the two differ in length, or hold values that are not numbers.

    Notes
    -----
    Limits are bias +- 1.96 SD (Bland & Altman 1999, Stat Methods Med Res 8:135; Bland & Altman
    1986, Lancet i:307, rounds to 2). Their variance is s^2 (1/n + 1.96^2 / (2 (n - 1))), that of
    the bias s^2/n, with t quantiles. Pairs are assumed to be independent and their differences
    normal. Then the interval of the bias contains it in 95 of 100 cases, whatever their number;
    those of the limits, an approximation for large samples, contain them in 92 (3 to 8 pairs), 94
    (12) and 95 (20 and more).

    Examples
    --------
    >>> import eyelog as el
    >>> limits = el.compare.limits_of_agreement([10, 12, 14, 16], [9, 12, 12, 15])
    >>> limits.bias, round(limits.low, 3), round(limits.high, 3)
    (1.0, -0.6, 2.6)
    """
    try:
        first, second = (numbers(pd.Series(side, dtype="float64")) for side in (one, other))
    except (TypeError, ValueError):
        raise ConfigurationError("limits_of_agreement takes numbers, pair by pair") from None
    if len(first) != len(second):
        raise ConfigurationError(
            f"limits_of_agreement takes pairs, not {len(first)} and {len(second)} values"
        )
    return _limits(first - second, circular=False)


def _refused(n: int, reason: str) -> Limits:
    return Limits(
        bias=MISSING,
        bias_low=MISSING,
        bias_high=MISSING,
        sd=MISSING,
        low=MISSING,
        low_low=MISSING,
        low_high=MISSING,
        high=MISSING,
        high_low=MISSING,
        high_high=MISSING,
        n=n,
        reason=reason,
    )


def _limits(differences: Floats, *, circular: bool) -> Limits:
    finite = differences[np.isfinite(differences)]
    n = len(finite)
    if n < LEAST_MINUTES:
        return _refused(n, f"fewer than {LEAST_MINUTES} pairs were observed")
    if circular:
        bias = mean_direction(finite)
        around = difference(finite, bias)
        sd = float(np.sqrt((around**2).sum() / (n - 1)))
    else:
        bias, sd = float(finite.mean()), float(finite.std(ddof=1))
    if np.isnan(bias):
        return _refused(n, "the differences cancel out on the circle")
    t = float(scipy.stats.t.ppf(0.975, n - 1))
    of_bias = t * sd / np.sqrt(n)
    of_limit = t * sd * np.sqrt(1.0 / n + REACH**2 / (2.0 * (n - 1)))
    low, high = bias - REACH * sd, bias + REACH * sd
    return Limits(
        bias,
        float(bias - of_bias),
        float(bias + of_bias),
        sd,
        low,
        float(low - of_limit),
        float(low + of_limit),
        high,
        float(high - of_limit),
        float(high + of_limit),
        n,
        "",
    )


@one_warning()
def agreement(
    fifteen: pd.DataFrame,
    sixty: pd.DataFrame,
    *,
    judge: bool = True,
    limits: Judging | None = None,
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
    judge : bool
        First mask the values that `eyelog.flag` flags.
    limits : eyelog.Limits, optional
        What counts as worn, noisy and walking, in both logs.

    Returns
    -------
    DataFrame
        One row per quantity, always the same rows. Index ``quantity``; ``unit`` (of the columns
        that follow), int64 ``n`` (minutes compared), float64 ``mean_fifteen`` and ``mean_sixty``,
        ``bias`` (15-second log minus 60-second log) with ``bias_low`` and ``bias_high``, ``sd`` of
        the differences, the limits of agreement ``low`` (with ``low_low``, ``low_high``) and
        ``high`` (with ``high_low``, ``high_high``), ``exposure_h`` (hours compared), ``coverage``
        (minutes compared / records of the 60-second log within the time that both logs span) and
        ``reason`` if missing.

    Raises
    ------
    MixedLogsError
        If a frame is of the other log, or has fields of both.
    ConfigurationError
        If the index does not hold aware stamps, or a frame is resampled.

    Notes
    -----
    Limits as in `limits_of_agreement` (Bland & Altman 1999), each with a 95 % interval that assumes
    independent minutes. Neighbouring minutes are not quite independent, so the intervals are a
    little too narrow.

    The 15-second log starts its own grid when the phone connects, so four or five of its records
    overlap a minute of the 60-second log. A record counts for a minute by the share of its 15
    seconds that lie in it: counts are split by that share, and averages are weighted by it. A
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
    fifteen = _opened(fifteen, COMPUTED_DATA, judge=judge, limits=limits, what="agreement")
    sixty = _opened(sixty, STANDARD_MODE_LOGS, judge=judge, limits=limits, what="agreement")
    minutes = shared_minutes(fifteen.index, sixty.index)
    rows = [_row(pair, fifteen, sixty, minutes) for pair in PAIRS]
    table = pd.DataFrame(rows, index=pd.Index([p.quantity for p in PAIRS], name="quantity"))
    table = table.astype({"unit": "string", "reason": "string", "n": "int64"})
    return record(
        table,
        "compare.agreement",
        judged=judge,
        limits=chosen_limits(limits).details(),
        difference="computed_data minus standard_mode_logs",
    )


@one_warning()
def minute_pairs(
    fifteen: pd.DataFrame,
    sixty: pd.DataFrame,
    *,
    quantity: str,
    judge: bool = True,
    limits: Judging | None = None,
) -> pd.DataFrame:
    """Return one quantity of both logs, pair by pair, for the minutes that both cover.

    Parameters
    ----------
    fifteen : DataFrame
        A frame of the 15-second log, not resampled.
    sixty : DataFrame
        A frame of the 60-second log of the same person and time, not resampled.
    quantity : str
        A quantity of `eyelog.compare.agreement`, such as ``"steps"``.
    judge : bool
        First mask the values that `eyelog.flag` flags.
    limits : eyelog.Limits, optional
        What counts as worn, noisy and walking, in both logs.

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
    names = [pair.quantity for pair in PAIRS]
    if quantity not in names:
        raise ConfigurationError(
            f"minute_pairs: both logs have no quantity {quantity!r}{near(str(quantity), names)}:"
            f" use one of {', '.join(names)}"
        )
    fifteen = _opened(fifteen, COMPUTED_DATA, judge=judge, limits=limits, what="minute_pairs")
    sixty = _opened(sixty, STANDARD_MODE_LOGS, judge=judge, limits=limits, what="minute_pairs")
    pair = PAIRS[names.index(quantity)]
    if absent := _absent(pair, fifteen, sixty):
        raise FieldError(f"minute_pairs of {quantity!r}: {'; '.join(absent)}")
    minutes = shared_minutes(fifteen.index, sixty.index)
    first, second = _filled(pair, fifteen, sixty, minutes)
    apart = _difference(pair, first, second)
    both = np.isfinite(apart)
    table = pd.DataFrame(
        {
            "fifteen": first[both],
            "sixty": second[both],
            # The middle of two directions is half-way along the shorter arc between them.
            "mean": second[both] + apart[both] / 2.0,
            "difference": apart[both],
        },
        index=sixty.index[minutes.rows][both],
    )
    account = sixty.attrs.get(KEY, {}).get("account")
    return record(
        table,
        "compare.minute_pairs",
        account=account,
        interval_s=None,
        quantity=quantity,
        judged=judge,
        limits=chosen_limits(limits).details(),
    )


def quantity_words(quantity: object) -> tuple[str, str] | None:
    """Return the label of a quantity of `agreement` and its unit; None if there is none."""
    found = [pair for pair in PAIRS if pair.quantity == quantity]
    return (found[0].label, found[0].unit) if found else None


def _opened(
    frame: pd.DataFrame, log: str, *, judge: bool, limits: Judging | None, what: str
) -> pd.DataFrame:
    """Return the frame sorted and judged, with its worn seconds."""
    length = INTERVAL_SECONDS[log]
    if not isinstance(frame, pd.DataFrame):
        raise ConfigurationError(f"{what} takes two frames: the 15-second and the 60-second log")
    actual = log_of(frame)
    if actual != log:
        raise MixedLogsError(
            f"{what}(fifteen, sixty) needs {log!r} as its {length}-second log, not {actual!r}"
        )
    require_single_intervals(frame, f"{what} with the {length}-second log")
    chosen = chosen_limits(limits, frame)
    attrs = dict(frame.attrs)
    frame, _ = sorted_frame(frame)
    frame = frame[needed(frame, log, {name for pair in PAIRS for name in pair.fields(log)})]
    if judge:
        frame = judged(frame, log=log, limits=chosen)
    if role_field(log, "worn") in frame.columns:
        frame = frame.assign(**{WORN_S: seconds(frame, log=log, limits=chosen)["worn_s"]})
    frame.attrs = {**attrs, **frame.attrs}
    return frame


def _row(
    pair: Pair, fifteen: pd.DataFrame, sixty: pd.DataFrame, minutes: Minutes
) -> dict[str, Any]:
    """Return one row of the report."""
    absent = _absent(pair, fifteen, sixty)
    first = second = np.full(minutes.n, np.nan)
    if not absent:
        first, second = _filled(pair, fifteen, sixty, minutes)
    differences = _difference(pair, first, second)
    both = np.isfinite(differences)
    circular = pair.rule == "circ_mean"
    limits = _limits(differences, circular=circular)
    middle = mean_direction if circular else _mean
    columns = limits._asdict()
    n, reason = columns.pop("n"), columns.pop("reason")
    return (
        {"unit": pair.unit, "n": n}
        | {"mean_fifteen": middle(first[both]), "mean_sixty": middle(second[both])}
        | columns
        | {
            "exposure_h": n / 60.0,
            "coverage": n / minutes.n if minutes.n else MISSING,
            "reason": "; ".join(absent) or reason.replace("pairs", "shared minutes"),
        }
    )


def _filled(
    pair: Pair, fifteen: pd.DataFrame, sixty: pd.DataFrame, minutes: Minutes
) -> tuple[Floats, Floats]:
    """Return the quantity of both logs for each minute, missing if records do not cover it."""
    weights = [pair.weight(log) for log in (COMPUTED_DATA, STANDARD_MODE_LOGS)]
    first = minutes.fill(
        sum_fields(fifteen, pair.fields(COMPUTED_DATA)),
        pair.rule,
        sum_fields(fifteen, weights[0]) if weights[0] else None,
    )
    second = sum_fields(sixty, pair.fields(STANDARD_MODE_LOGS))
    if weights[1]:
        second = np.where(sum_fields(sixty, weights[1]) > 0, second, np.nan)
    return first, second[minutes.rows]


def _difference(pair: Pair, first: Floats, second: Floats) -> Floats:
    """Return by how much the 15-second log exceeds the other; on the circle for directions."""
    return difference(first, second) if pair.rule == "circ_mean" else first - second


def _absent(pair: Pair, fifteen: pd.DataFrame, sixty: pd.DataFrame) -> list[str]:
    """Return in words which fields of a quantity the frames lack."""
    return [
        f"the {INTERVAL_SECONDS[log]}-second frame lacks {', '.join(lacking)}"
        for log, frame in ((COMPUTED_DATA, fifteen), (STANDARD_MODE_LOGS, sixty))
        if (lacking := _lacking(pair, frame, log))
    ]


def _lacking(pair: Pair, frame: pd.DataFrame, log: str) -> list[str]:
    """Return the fields that a quantity needs and the frame does not have."""
    names = [name for name in (*pair.fields(log), *pair.weight(log)) if name not in frame.columns]
    return [role_field(log, "worn") if name == WORN_S else name for name in names]


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else MISSING
