"""Do the two logs say the same? Bias and limits of agreement over shared minutes; never a merge."""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from eyelog.analysis.compare.shared_minutes import Minutes, shared_minutes
from eyelog.analysis.grouped.summary import needed, sorted_frame
from eyelog.analysis.quality.evidence import seconds
from eyelog.analysis.quality.flags import judged
from eyelog.analysis.series.angles import wrapped_mean
from eyelog.analysis.series.arrays import Floats, numbers
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS, catalogue
from eyelog.errors import ConfigurationError, MixedLogsError
from eyelog.frame import is_resampled, log_of
from eyelog.provenance import record

__all__ = ["Limits", "agreement", "limits_of_agreement"]


MISSING: Final = float("nan")
REACH: Final = 1.96  # SDs either way that hold 95 % of normal differences
LEAST_MINUTES: Final = 3
_EVIDENCE: Final = {"15": "isl", "60": "wea_s"}  # of `worn_s`, which is no field
STEPS: Final = ("stp_fst", "stp_mid", "stp_slw", "stp_vsl")


@dataclass(frozen=True, slots=True)
class Pair:
    """One quantity that both logs carry: the fields whose sum it is, and how it fills a minute.

    ``sum`` adds up, ``wmean`` is averaged by the catalogue's weight, ``circ_mean`` on the circle.
    """

    quantity: str
    unit: str
    rule: str
    fifteen: tuple[str, ...]
    sixty: tuple[str, ...]


# The one place that says what is compared with what. Blink gaps are left out: the 60-second log
# holds their root mean square, the 15-second log their mean. NPT is, too: the logs cap it
# differently. The 15-second log has one cleansing, so its blinks meet both of the other.
PAIRS: Final = (
    Pair("worn", "s/min", "sum", ("worn_s",), ("worn_s",)),
    Pair("noise", "s/min", "sum", ("nis_time",), ("nis_s",)),
    Pair("steps", "count/min", "sum", ("stp",), STEPS),
    Pair("head_moves_pitch", "count/min", "sum", ("hm_po",), ("hm_po",)),
    Pair("head_moves_yaw", "count/min", "sum", ("hm_yo",), ("hm_yo",)),
    Pair("eye_moves_horizontal", "count/min", "sum", ("re_r", "re_l"), ("ems_rl", "eml_rl")),
    Pair("eye_moves_vertical", "count/min", "sum", ("re_u", "re_d"), ("ems_ud", "eml_ud")),
    Pair("tilt_forward", "deg", "circ_mean", ("tl_yav",), ("tl_yav",)),
    Pair("tilt_sideways", "deg", "circ_mean", ("tl_xav",), ("tl_xav",)),
    Pair("blinks_strong", "count/min", "sum", ("bk_n",), ("sc_bk_n",)),
    Pair("blinks_weak", "count/min", "sum", ("bk_n",), ("lc_bk_n",)),
    Pair("blink_strength_strong", "uV-equiv", "wmean", ("bkh_av",), ("sc_bkh_av",)),
    Pair("blink_strength_weak", "uV-equiv", "wmean", ("bkh_av",), ("lc_bkh_av",)),
    Pair("blink_duration_strong", "ms", "wmean", ("bkw_av",), ("sc_bkw_av",)),
    Pair("blink_duration_weak", "ms", "wmean", ("bkw_av",), ("lc_bkw_av",)),
    Pair("landing_right", "G", "wmean", ("st_r",), ("st_r",)),
    Pair("landing_left", "G", "wmean", ("st_l",), ("st_l",)),
    *(
        Pair(f"sway_{word}_{side}", "cm", "wmean", (f"sa_{axis}{foot}",), (f"sa_{axis}{foot}",))
        for axis, word in (("x", "sideways"), ("y", "fore_aft"), ("z", "vertical"))
        for foot, side in (("r", "right"), ("l", "left"))
    ),
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
        The same things measured in two ways, pair by pair. Pairs with a missing value are left
        out.

    Returns
    -------
    Limits
        ``bias`` (mean of `one` less `other`), ``sd`` of the differences, the limits ``low`` and
        ``high``, each of the three with its 95 % interval (``bias_low`` and ``bias_high``,
        ``low_low`` and ``low_high``, ``high_low`` and ``high_high``), all in the unit of the
        measurements; ``n`` pairs, and ``reason`` where
        missing (fewer than three pairs).

    Raises
    ------
    ConfigurationError
        If the two are not of the same length, or no numbers.

    Notes
    -----
    Limits are bias +- 1.96 SD (Bland & Altman 1999, Stat Methods Med Res 8:135; Bland & Altman
    1986, Lancet i:307, rounds to 2). Their variance is s^2 (1/n + 1.96^2 / (2 (n - 1))), that of
    the bias s^2/n, with t quantiles. Pairs are taken for independent.

    Examples
    --------
    >>> import eyelog as el
    >>> found = el.compare.limits_of_agreement([10, 12, 14, 16], [9, 12, 12, 15])
    >>> found.bias, round(found.low, 3), round(found.high, 3)
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
    gone = dict.fromkeys(Limits._fields[:-2], MISSING)
    return Limits(**gone, n=n, reason=reason)


def _limits(differences: Floats, *, circular: bool) -> Limits:
    known = differences[np.isfinite(differences)]
    n = len(known)
    if n < LEAST_MINUTES:
        return _refused(n, f"fewer than {LEAST_MINUTES} pairs were observed")
    if circular:
        bias = wrapped_mean(known)
        around = (known - bias + 180.0) % 360.0 - 180.0
        sd = float(np.sqrt((around**2).sum() / (n - 1)))
    else:
        bias, sd = float(known.mean()), float(known.std(ddof=1))
    if np.isnan(bias):
        return _refused(n, "the differences point nowhere on the circle")
    t = float(stats.t.ppf(0.975, n - 1))
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


def agreement(fifteen: pd.DataFrame, sixty: pd.DataFrame, *, judge: bool = True) -> pd.DataFrame:
    """Report how far the two logs agree, minute by minute, on what both of them carry.

    The logs are computed by different processors in different ways. This says by how much they
    differ; it does not merge them, and nothing else in eyelog does.

    Parameters
    ----------
    fifteen : DataFrame
        A frame of the 15-second log, not resampled.
    sixty : DataFrame
        A frame of the 60-second log of the same person and time, not resampled.
    judge : bool
        Take out first what `eyelog.flag` speaks against.

    Returns
    -------
    DataFrame
        One row a quantity, always the same rows. Index ``quantity``; ``unit`` (of all that
        follows), int64 ``n`` (minutes compared), float64 ``mean_fifteen`` and ``mean_sixty``,
        ``bias`` (15-second log less 60-second log) with ``bias_low`` and ``bias_high``, ``sd`` of
        the differences, the limits of agreement ``low`` (with ``low_low``, ``low_high``) and
        ``high`` (with ``high_low``, ``high_high``), ``exposure_h`` (hours compared), ``coverage``
        (minutes compared / records of the 60-second log within the time that both logs span) and
        ``reason`` where missing.

    Raises
    ------
    MixedLogsError
        If a frame is not the log it is given for, or holds fields of both.
    ConfigurationError
        If the index cannot be used, or a frame is resampled.

    Notes
    -----
    Limits as in `limits_of_agreement` (Bland & Altman 1999), each with a 95 % interval that takes
    minutes for independent: neighbouring ones are not quite, so the intervals are a little narrow.

    The 15-second log starts its own grid when the phone connects, so a minute of the 60-second
    log is met by four or five of its records. A record counts for a minute by the share of its 15
    seconds that lie in it: counts are split in that share, averages weigh by it. A minute is
    compared only where records that hold the value cover it (all but at most 1 second, since
    stamps are whole seconds). Averages over blinks or steps ask this of the count, and leave out
    records without any.

    Quantities: seconds worn (15-second log: whole intervals) and noisy, steps (all classes of the
    60-second log, which leave out steps outside 280 to 1000 ms), movements of head and eyes, tilt
    (directions: differences on the circle, Fisher 1993), blinks with their strength and duration
    (strong and weak cleansing of the 60-second log), landing strength and sway by foot.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.compare.agreement(el.sample(), el.sample("standard_mode_logs"))
    >>> bool(table.loc["tilt_forward", "low"] < table.loc["tilt_forward", "high"])
    True
    """
    fifteen = _opened(fifteen, COMPUTED_DATA, judge=judge)
    sixty = _opened(sixty, STANDARD_MODE_LOGS, judge=judge)
    minutes = shared_minutes(fifteen.index, sixty.index)
    rows = [_row(pair, fifteen, sixty, minutes) for pair in PAIRS]
    table = pd.DataFrame(rows, index=pd.Index([p.quantity for p in PAIRS], name="quantity"))
    table = table.astype({"unit": "string", "reason": "string", "n": "int64"})
    return record(table, "compare.agreement", judged=judge, difference="computed_data less sixty")


def _opened(frame: pd.DataFrame, log: str, *, judge: bool) -> pd.DataFrame:
    """Return the frame sorted and judged, with its worn seconds."""
    which = "15" if log == COMPUTED_DATA else "60"
    if not isinstance(frame, pd.DataFrame):
        raise ConfigurationError("agreement takes two frames: the 15-second and the 60-second log")
    found = log_of(frame)
    if found != log:
        raise MixedLogsError(
            f"agreement(fifteen, sixty) needs {log!r} as its {which}-second log, not {found!r}"
        )
    if is_resampled(frame):
        raise ConfigurationError(
            f"agreement needs single intervals and the {which}-second frame is resampled:"
            " ask it before resample"
        )
    frame, _ = sorted_frame(frame)
    names = {name for pair in PAIRS for name in (pair.fifteen if which == "15" else pair.sixty)}
    frame = frame[needed(frame, log, names)]
    if judge:
        frame = judged(frame, log=log)
    if _EVIDENCE[which] in frame.columns:
        frame = frame.assign(worn_s=seconds(frame, log=log)["worn_s"])
    return frame


def _row(
    pair: Pair, fifteen: pd.DataFrame, sixty: pd.DataFrame, minutes: Minutes
) -> dict[str, Any]:
    """Return one row of the report."""
    weights = [
        catalogue(log)[names[0]].weight if pair.rule == "wmean" else ()
        for log, names in ((COMPUTED_DATA, pair.fifteen), (STANDARD_MODE_LOGS, pair.sixty))
    ]
    absent = [
        f"the {which}-second frame lacks {', '.join(lacking)}"
        for which, frame, names in (
            ("15", fifteen, (*pair.fifteen, *weights[0])),
            ("60", sixty, (*pair.sixty, *weights[1])),
        )
        if (lacking := [_EVIDENCE[which] if n == "worn_s" else n for n in names if n not in frame])
    ]
    if absent:
        first = second = np.full(minutes.n, np.nan)
    else:
        first = minutes.fill(
            _sum(fifteen, pair.fifteen),
            pair.rule,
            _sum(fifteen, weights[0]) if weights[0] else None,
        )
        second = _sum(sixty, pair.sixty)
        if weights[1]:
            second = np.where(_sum(sixty, weights[1]) > 0, second, np.nan)
        second = second[minutes.rows]
    circular = pair.rule == "circ_mean"
    differences = first - second
    if circular:
        differences = (differences + 180.0) % 360.0 - 180.0
    both = np.isfinite(differences)
    limits = _limits(differences, circular=circular)
    middle = wrapped_mean if circular else _mean
    found = limits._asdict()
    n, reason = found.pop("n"), found.pop("reason")
    return (
        {"unit": pair.unit, "n": n}
        | {"mean_fifteen": middle(first[both]), "mean_sixty": middle(second[both])}
        | found
        | {
            "exposure_h": n / 60.0,
            "coverage": n / minutes.n if minutes.n else MISSING,
            "reason": "; ".join(absent) or reason.replace("pairs", "shared minutes"),
        }
    )


def _sum(frame: pd.DataFrame, names: tuple[str, ...]) -> Floats:
    first, *rest = names
    found = numbers(frame[first])
    for name in rest:
        found = found + numbers(frame[name])
    return found


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else MISSING
