"""Gait: pace, step time, peak cadence, speed classes, walking bouts, symmetry.

Steps are divided by the time walked, not by clock time: steps per clock minute are not a cadence
(Dall et al. 2013).
"""

from collections.abc import Iterable
from numbers import Real
from typing import Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.catalogue import STANDARD_MODE_LOGS, log_named, role
from eyelog.checks import duration_us, number, one_of, whole_number
from eyelog.clock import stamps_at
from eyelog.errors import ConfigurationError, FieldError
from eyelog.frame import OFFSET, require, takes_tables
from eyelog.judge.arrays import Floats, runs
from eyelog.judge.intervals import Groups, enter, sums
from eyelog.judge.limits import Limits
from eyelog.judge.reasons import Reason
from eyelog.judge.records import Judged, Records
from eyelog.judge.terms import CLASSES, Counted, ratio
from eyelog.measure.events20 import steps
from eyelog.measure.groups import FORMS, GROUP_S, STATISTICS, By, evaluate, group, result, summed
from eyelog.measure.sheet import shown
from eyelog.measure.wearer import OF, Of, of_wearer

__all__ = [
    "Symmetry",
    "bouts",
    "pace",
    "peak_cadence",
    "speed_classes",
    "step_time",
    "steps",
    "symmetry",
]


def __dir__() -> list[str]:
    return __all__


PACE: Final = next(each for each in STATISTICS["gait.pace"] if each.name == "pace_spm")
# What a bout has of each foot, by the role of its field without the side.
FEET: Final = {
    "sway_sideways_cm": "sway_sideways",
    "sway_fore_aft_cm": "sway_fore_aft",
    "sway_vertical_cm": "sway_vertical",
    "landing_g": "landing",
}


@takes_tables
def pace(
    frame: pd.DataFrame,
    *,
    by: By = None,
    of: Of = "minutes",
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return the pace: steps per minute of walking.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log: ``stp`` and ``cad`` of the 15-second log; ``stp_fst``, ``stp_mid``,
        ``stp_slw``, ``stp_vsl`` and ``stp_s`` of the 60-second log; ``walking`` of the 20 Hz log.
    by, of
        As in `eyelog.blinks.rate`.
    limits : Limits, optional
        What counts as worn and in pose, and how much of a minute must be walked so that the walking
        is steady (60-second log: ``min_walked_for_pace``, the vendor's 50 s), see `eyelog.Limits`.
        Intervals keep the pace of the limits that they were made with.
    log, day_starts
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the hours, days or labels of `by`. Float64
        ``pace_spm`` (steps per minute; missing without walking), int64 ``n`` (intervals it is
        based on), float64 ``exposure_min`` (minutes walked in them) and ``coverage`` (share of
        the expected records in which steps could be counted; for labels, of their records).

        With ``of="wearer"`` also float64 ``low`` and ``high`` (95 %
        interval of the wearer's, with local days as the units, see `eyelog.blinks.rate`), int64
        ``days``, and strings ``of`` and ``reason`` (why there is no interval: fewer than five days,
        or a count of 0).

    Raises
    ------
    FieldError
        If the frame lacks a field it needs.
    MixedLogsError
        If the frame has fields of both logs.
    ConfigurationError
        If an argument is not valid.

    Notes
    -----
    60-second log: 60 * sum(steps) / sum(``stp_s``), the vendor's formula pooled over minutes.
    15-second log: sum(``stp``) / sum(``stp`` / ``cad``), which is the same ratio of steps to the
    time they took; a mean of cadences would give quick intervals too much weight. In both logs an
    interval gives a pace only if its fore-aft tilt (``tl_yav``) is below 45 degrees (vendor
    documentation, analysis_sample): a wearer who looks down sways differently. A missing tilt does
    not exclude it. 20 Hz log: steps over the sum of their step times (`eyelog.gait.steps`),
    whatever the tilt.

    Examples
    --------
    >>> import eyelog as el
    >>> el.gait.pace(el.sample("standard_mode_logs"), by="1D").columns.tolist()
    ['pace_spm', 'n', 'exposure_min', 'coverage']
    """
    one_of(of, "of", OF)
    rows = enter(frame, "gait.pace", ["gait"], limits=limits, log=log, day_starts=day_starts)
    groups, total = summed(rows, by, ["gait"], ["pace_s"], ["steps", "pace"])
    data = evaluate(STATISTICS["gait.pace"], total)
    if of == "wearer":
        wearer = of_wearer(rows, groups, ["gait"], data["pace_spm"], PACE)
        data |= {name: wearer[name] for name in ("low", "high", "days", "of", "reason")}
    return result(rows, groups, data, of=of)


@takes_tables
def step_time(
    frame: pd.DataFrame,
    *,
    by: By = None,
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return the mean time of a step while walking, and how much it varies between records.

    Parameters
    ----------
    frame : DataFrame
        As for `eyelog.gait.pace`.
    by, limits, log, day_starts
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the hours, days or labels of `by`. Float64 ``step_time_ms``,
        ``step_time_sd_between_ms`` (SD of the mean step times of records, each weighted by its
        steps; missing with fewer than two records), ``step_time_cv_between`` (that SD / mean),
        int64 ``n`` (steps), float64 ``exposure_min`` (minutes walked) and ``coverage`` (share of
        the expected records in which steps could be counted; for labels, of their records).

    Raises
    ------
    FieldError
        If the frame lacks a field it needs.
    MixedLogsError
        If the frame has fields of both logs.
    ConfigurationError
        If an argument is not valid.

    Notes
    -----
    The step time of a record is the time walked in it divided by its steps, as `eyelog.gait.pace`
    counts them, so ``step_time_ms`` is 60,000 / pace except for minutes of walking without a step.
    The 15- and 60-second logs do not contain single steps: the variation is that between records,
    each a mean over 15 or 60 seconds, and is smaller than that from step to step, which gait
    laboratories report (Hausdorff 2005, Journal of NeuroEngineering and Rehabilitation 2:19). It
    shows whether a wearer walks more unevenly than on other days, not how unevenly. Bins have one
    mean each and vary less. In the 20 Hz log each step is a record: the variation is that from step
    to step (`eyelog.gait.steps`), to which packets of 0.05 s and the uneven lag of the flags add
    some 40 ms.

    Examples
    --------
    >>> import eyelog as el
    >>> walked = el.gait.step_time(el.sample("standard_mode_logs")).loc["all"]
    >>> bool(400 < walked["step_time_ms"] < 700), bool(walked["step_time_cv_between"] < 0.2)
    (True, True)
    """
    rows = enter(frame, "gait.step_time", ["gait"], limits=limits, log=log, day_starts=day_starts)
    groups, total = summed(rows, by, ["gait"], ["step_s2"], ["steps", "pace"])
    return result(rows, groups, evaluate(STATISTICS["gait.step_time"], total))


@takes_tables
def speed_classes(
    frame: pd.DataFrame,
    *,
    by: By = None,
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return how many steps fall into each class of speed.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 60-second log with ``stp_fst``, ``stp_mid``, ``stp_slw`` and ``stp_vsl``.
    by, limits, log, day_starts
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the hours, days or labels of `by`. Float64 ``steps``,
        ``share_fastest`` (280 to 370 ms per step), ``share_medium`` (380 to 440), ``share_slow``
        (450 to 590) and ``share_slowest`` (600 to 1000), which add up to 1 (missing without steps),
        int64 ``n`` (records with steps counted), float64 ``exposure_min`` (their minutes) and
        ``coverage`` (share of the expected records).

    Raises
    ------
    FieldError
        If the frame lacks a field; the 15-second log has no classes.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.gait.speed_classes(el.sample("standard_mode_logs"))
    >>> round(float(table.filter(like="share_").sum(axis=1).iloc[0]), 9)
    1.0
    """
    subjects = ["gait", "speed_classes"]
    rows = enter(
        frame, "gait.speed_classes", subjects, limits=limits, log=log, day_starts=day_starts
    )
    if rows.log and len(role(rows.log, "steps")) < len(CLASSES):
        raise FieldError(
            f"gait.speed_classes needs the {log_named(STANDARD_MODE_LOGS).words}: the"
            f" {log_named(rows.log).words} has no step classes"
        )
    rows.log = rows.log or STANDARD_MODE_LOGS  # Intervals that do not show it: it alone has classes
    terms = ["steps_s", f"steps_{CLASSES[0]}"]
    groups, total = summed(rows, by, subjects, terms, ["steps"])
    total["counted_n"] = total["steps_s"] / log_named(STANDARD_MODE_LOGS).interval_s
    return result(rows, groups, evaluate(STATISTICS["gait.speed_classes"], total))


@takes_tables
def peak_cadence(
    frame: pd.DataFrame,
    *,
    minutes: int = 30,
    min_coverage: float = 0.75,
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return the mean steps of each local day's busiest minutes.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log with its steps.
    minutes : int
        How many of the busiest minutes, not necessarily in a row; usually 1, 30 or 60.
    min_coverage : float
        Smallest share of its records that a minute needs to be counted.
    limits, log, day_starts
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Index ``day``, days with records. Float64 ``peak_spm`` (steps per clock minute; missing if
        fewer minutes were observed than are averaged), int64 ``n`` (observed minutes), int64
        ``complete`` (how many of the averaged minutes have all of their records; the others are
        lower bounds), float64 ``exposure_min`` (observed minutes) and ``coverage`` (share of the
        day).

    Raises
    ------
    ConfigurationError
        If Intervals are wider than a minute, or an argument cannot be used.

    Notes
    -----
    Peak 1-, 30- and 60-minute cadence after Tudor-Locke et al. (2018, Br J Sports Med 52:776).
    These are steps per clock minute: an indicator of natural effort, not a pace.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample("standard_mode_logs")
    >>> one, thirty = (el.gait.peak_cadence(frame, minutes=m)["peak_spm"] for m in (1, 30))
    >>> bool((one.dropna() >= thirty.dropna()).all())
    True
    """
    options = {"limits": limits, "log": log, "day_starts": day_starts}
    return peak_cadences(frame, [minutes], min_coverage=min_coverage, **options)[0]


def peak_cadences(
    frame: pd.DataFrame, minutes: Iterable[int], *, min_coverage: float = 0.75, **options: Any
) -> list[pd.DataFrame]:
    """Return `peak_cadence` for several numbers of minutes, from one reading of the records."""
    rows = enter(frame, "gait.peak_cadence", ["gait"], **options)
    averaged = [whole_number(one, "minutes", 1) for one in minutes]
    if not 0 < number(min_coverage, "min_coverage") <= 1:
        raise ConfigurationError(f"min_coverage must lie in (0, 1], not {min_coverage!r}")
    if rows.size and (rows.closes_us - rows.opens_us).max() > 60_000_000:
        raise ConfigurationError(
            "gait.peak_cadence needs rows of a minute or less: pass the records, or"
            " eyelog.intervals(frame, '1min')"
        )
    clock, total = summed(rows, "1min", ["gait"], ["steps_s"], ["steps"])
    days = group(rows, "day")
    counted_s = np.nan_to_num(total["steps_s"])
    # Each minute belongs to the day of its rows; minutes of a day that is left out do not count.
    day = np.full(len(clock.labels), -1, dtype=np.int64)
    day[clock.codes] = days.codes
    seen = (counted_s >= min_coverage * 60.0) & (day >= 0)
    day, made, whole = day[seen], total["steps"][seen], counted_s[seen] >= 60.0
    # Among minutes with equal steps, the complete ones come first.
    order = np.lexsort((~whole, -made, day))
    day, made, whole = day[order], made[order], whole[order]
    n = np.bincount(day, minlength=len(days.labels))
    rank = np.arange(len(day)) - np.repeat(np.cumsum(n) - n, n)
    seen_s: Floats = n.astype(np.float64) * 60.0
    tables = []
    for most in averaged:
        best = rank < most
        top = np.bincount(day[best], made[best], len(n))
        complete = np.bincount(day[best & whole], minlength=len(n))
        data = {
            "peak_spm": np.where(n >= most, top / most, np.nan),
            "n": n.astype(np.int64),
            "complete": np.where(n >= most, complete, 0).astype(np.int64),
            "exposure_min": n.astype(np.float64),
            "coverage": FORMS["share"](seen_s, days.seconds),
        }
        tables.append(result(rows, days, data, minutes=most))
    return tables


@takes_tables
def bouts(
    frame: pd.DataFrame,
    *,
    max_pause: str = "1min",
    min_length: str = "1min",
    limits: Limits | None = None,
    log: str | None = None,
) -> pd.DataFrame:
    """Return the walking bouts: runs of walking, with the gait in each.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log with its steps (``stp``; ``stp_fst``, ``stp_mid``, ``stp_slw``,
        ``stp_vsl`` and ``stp_s``). Pace and, in the 15-second log, ``exposure_min`` need ``cad``;
        sway and landing need ``sa_*`` and ``st_*``: without them, and in the 20 Hz log
        (``walking``), these columns are missing.
    max_pause : str
        Longest time of recorded standing within a bout.
    min_length : str
        Shortest duration of a bout, from its first walked interval to its last.
    limits, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Index ``bout``, from 0 in order of time. Columns ``start`` and ``end`` (stamps; edges of
        intervals), float64 ``duration_min``, ``steps``, ``pace_spm``; means weighted by steps of
        right and left together: ``sway_sideways_cm``, ``sway_fore_aft_cm``, ``sway_vertical_cm``
        (head vibration) and ``landing_g`` (landing strength); ``landing_right_g``,
        ``landing_left_g``, ``landing_symmetry`` (unsigned symmetry index, percent); int64 ``n``
        (walked intervals), float64 ``exposure_min`` (minutes walked: 15-second log, the time that
        the steps took, 60 ``stp`` / ``cad``, at most the interval) and ``coverage`` (recorded
        share of the bout). Of a frame with ``utc_offset_min`` also that column: the wearer's clock
        where the bout begins, in minutes east of UTC.

    Raises
    ------
    ConfigurationError
        If Intervals are given, or a duration is not valid.

    Notes
    -----
    A gap in the data ends a bout: a record that comes more than one and a half intervals after
    the one before, or one whose steps are missing (eyewear off or stored). Time without data counts
    neither as walking nor as a pause. In the 20 Hz log a bout goes from its first step to its last,
    and lost packets of less than a second do not end it.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.gait.bouts(el.sample(), max_pause="30s", min_length="2min")
    >>> bool((table["duration_min"] >= 2).all())
    True
    """
    rows = enter(frame, "gait.bouts", ["gait"], limits=limits, log=log, wide=False)
    pause = duration_us(max_pause, "max_pause", example="1min") / 1e6
    least = duration_us(min_length, "min_length", example="1min") / 1e6
    require(rows.frame, role(rows.log, "steps", "walking_s"), purpose=rows.what)
    length, records = float(log_named(rows.log).interval_s), rows.warn().records
    counted, taken = cast(Judged, records.part("steps"))
    # Steps below the limit for walking are steps, but not walking. A bout of single steps goes
    # from the first to the last.
    walked = counted & (taken > 0 if rows.single else records.context[Reason.MOVING])
    # Only walking begins and ends a bout, and a gap in the data ends it.
    us, at = rows.closes_us, np.flatnonzero(walked)
    stretches, _ = runs(counted, us, length * 1e6)
    stretch = np.searchsorted(stretches, at, side="right")
    still_s = np.diff(us[at]) / 1e6 - length
    new = np.append(True, (np.diff(stretch) > 0) | (still_s > pause))[: len(at)]
    first, last = at[new], at[np.append(new[1:], True)[: len(at)]]
    long = (us[last] - us[first]) / 1e6 + length >= least
    first, last = first[long], last[long]
    span_s = (us[last] - rows.opens_us[first]) / 1e6
    # The bouts lie apart: a record is in the latest that has begun, unless it has ended.
    row = np.arange(rows.size)
    codes = np.searchsorted(first, row, side="right") - 1
    codes[row > np.append(last, -1)[codes]] = -1
    groups = Groups(pd.RangeIndex(len(first), name="bout"), codes, span_s)
    total = sums(rows, groups, ["gait", _feet]) | {GROUP_S: span_s}
    unknown = np.full(len(first), np.nan)
    data: dict[str, Any] = {
        "start": stamps_at(rows.opens_us[first], rows.tz),
        "end": stamps_at(us[last], rows.tz),
        "duration_min": span_s / 60.0,
        "steps": total["steps"],
        "pace_spm": evaluate([PACE], total).get("pace_spm", unknown),
    }
    feet = {
        (noun, side): ratio(
            total.get(f"{noun}_{side}", unknown), total.get(f"{noun}_{side}_n", unknown)
        )
        for noun in FEET
        for side in ("right", "left")
    }
    data |= {noun: (feet[noun, "right"] + feet[noun, "left"]) / 2.0 for noun in FEET}
    right, left = feet["landing_g", "right"], feet["landing_g", "left"]
    alike = symmetry(pd.Series(right), pd.Series(left)).index
    data |= {"landing_right_g": right, "landing_left_g": left}
    data["landing_symmetry"] = np.asarray(alike, dtype=np.float64)
    data["n"] = np.bincount(codes[walked & (codes >= 0)], minlength=len(first)).astype(np.int64)
    data["exposure_min"] = total.get("walking_s", unknown) / 60.0
    data["coverage"] = FORMS["share"](total["steps_s"], span_s)
    if OFFSET in rows.given.columns:
        data[OFFSET] = rows.clock.offset_min(rows.opens_us[first])
    return result(rows, groups, data, max_pause_s=pause, min_length_s=least)


def _feet(records: Records) -> Counted:
    """Return sway and landing of each foot, times the steps, and the steps that have them."""
    counted, taken = cast(Judged, records.part("steps"))
    made: Counted = {}
    for noun, part in FEET.items():
        for side in ("right", "left"):
            known = role(records.log, f"{part}_{side}")
            values = records.part(f"{part}_{side}") if known else None
            if values is not None:
                used = counted & values.used
                made[f"{noun}_{side}"] = (used, taken, values.values)
                made[f"{noun}_{side}_n"] = (used, taken)
    return made


@shown("Symmetry of right and left")
class Symmetry(NamedTuple):
    """Symmetry of two sides: numbers, or Series if the sides were Series."""

    index: float | pd.Series  # type: ignore[assignment]  # the plain name hides tuple.index
    ratio: float | pd.Series
    angle: float | pd.Series


@takes_tables
def symmetry(
    right: float | pd.Series, left: float | pd.Series, *, signed: bool = False
) -> Symmetry:
    """Return symmetry index, ratio and angle of right against left.

    Parameters
    ----------
    right, left : float or Series
        The same positive quantity of both sides, such as the landing strength of a walking bout.
        Two Series are compared label by label, whatever their order; labels found in only one of
        them are left out.
    signed : bool
        Keep the sign (positive if the right is larger). By default sizes only: the eyewear
        distinguishes the feet poorly, so do not rely on which side is larger.

    Returns
    -------
    Symmetry
        Named tuple of ``index`` (percent; 0 is symmetric), ``ratio`` (larger over smaller, or
        right over left if `signed`; 1 is symmetric) and ``angle`` (percent; 0 is symmetric).
        Missing if a side is missing or negative, or both are 0. For Series: Series in the order of
        the first.

    Raises
    ------
    ConfigurationError
        If a side is neither a number nor a Series of numbers, or two Series have no label in
        common, or their labels differ and one occurs twice.

    Notes
    -----
    Index 200 (R - L) / (R + L) (Robinson et al. 1987). Angle (45 deg - atan(L / R)) / 90 deg in
    percent (Zifchock et al. 2008), which needs no reference side.

    Examples
    --------
    >>> import eyelog as el
    >>> round(el.gait.symmetry(5.2, 4.6).index, 7)
    12.244898
    """
    what = "gait.symmetry"
    for side in (right, left):
        kind = side.dtype if isinstance(side, pd.Series) else type(side)
        if not (isinstance(side, Real) or pd.api.types.is_numeric_dtype(kind)):
            name = kind.__name__ if isinstance(kind, type) else kind
            raise ConfigurationError(
                f"{what} takes two numbers, or two Series of numbers, not {name}"
            )
    if (
        isinstance(right, pd.Series)
        and isinstance(left, pd.Series)
        and not right.index.equals(left.index)
    ):
        shared = right.index[right.index.isin(left.index)]
        hint = "they share none: give both the same index" if shared.empty else ""
        if right.index.has_duplicates or left.index.has_duplicates:
            hint = "a label comes twice: use groupby(level=0).mean()"
        if hint:
            raise ConfigurationError(f"{what} pairs right and left by their labels, and {hint}")
        right, left = right.loc[shared], left.reindex(shared)
    r, l_ = np.broadcast_arrays(*(np.asarray(side, dtype=np.float64) for side in (right, left)))
    good = (r >= 0) & (l_ >= 0) & (r + l_ > 0)
    r, l_ = np.where(good, r, np.nan), np.where(good, l_, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        index = 200.0 * (r - l_) / (r + l_)
        quotient = r / l_ if signed else np.maximum(r, l_) / np.minimum(r, l_)
    angle = (45.0 - np.rad2deg(np.arctan2(l_, r))) / 90.0 * 100.0
    if not signed:
        index, angle = np.abs(index), np.abs(angle)
    like = next((side for side in (right, left) if isinstance(side, pd.Series)), None)

    def shaped(values: npt.NDArray[np.float64]) -> float | pd.Series:
        return float(values) if like is None else pd.Series(values, index=like.index)

    return Symmetry(shaped(index), shaped(quotient), shaped(angle))
