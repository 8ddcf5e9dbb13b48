"""Head and posture: angles on the circle, time in postures, head movements per worn hour.

The vendor does not document which sign of a tilt is forward or right, so no result names a side.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

import numpy as np
import pandas as pd

from eyelog.catalogue import log_named, role_field
from eyelog.checks import one_of
from eyelog.errors import ConfigurationError
from eyelog.frame import derived, require, takes_tables
from eyelog.judge.arrays import Floats, difference, mean_direction, near, wrap
from eyelog.judge.intervals import enter
from eyelog.judge.limits import Limits, limit
from eyelog.judge.packets import GRAVITY
from eyelog.judge.reasons import Reason
from eyelog.judge.terms import AXES, filled, ratio
from eyelog.measure.events20 import angles, packets_of, turns
from eyelog.measure.groups import STATISTICS, By, evaluate, result, summed
from eyelog.measure.wearer import OF, Of, of_wearer

__all__ = ["angles", "head_movements", "relative_tilt", "spread", "tilt", "turns", "zones"]


def __dir__() -> list[str]:
    return __all__


WAYS: Final = ("fore_aft", "sideways")
MOVES: Final = dict(zip(AXES, STATISTICS["posture.head_movements"], strict=True))
# The limits with the edges of the zones, by the reference of the tilt.
EDGES: Final = {"gravity": "tilt_zones", "median": "own_tilt_zones"}


@takes_tables
def head_movements(
    frame: pd.DataFrame,
    *,
    by: By = None,
    of: Of = "minutes",
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return head movements per worn hour, with typical values of single intervals.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log with ``hm_po``, ``hm_yo`` and the evidence of wear (``isl`` of the
        15-second log, ``wea_s`` of the 60-second log).
    by, of, limits, log, day_starts
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the hours, days or labels of `by`. Float64
        ``pitch_per_h`` and ``yaw_per_h`` (nods and turns of the head per worn hour),
        ``pitch_p90``, ``pitch_p99``, ``yaw_p90`` and ``yaw_p99`` (percentiles of the counts of
        single intervals), int64 ``n`` (intervals), float64 ``exposure_min`` (minutes worn in
        them) and ``coverage`` (share of the expected records that were counted; for labels, of
        their records). Missing without worn time.

        With ``of="wearer"`` also float64 ``pitch_low``, ``pitch_high``, ``yaw_low`` and
        ``yaw_high`` (95 % intervals of the wearer's, with local days as the units, see
        `eyelog.blinks.rate`), int64 ``days``, and strings ``of`` and ``reason`` (why there is no
        interval: fewer than five days, or a count of 0).

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
    Counts of head movements are approximately exponentially distributed, so the vendor takes the
    90th or 99th percentile of single intervals as the typical value, not the mean. Percentiles are
    interpolated linearly. They are exact to the width of the rows: of Intervals they
    are those of its rows.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.posture.head_movements(el.sample(), by="1D")
    >>> bool((table["yaw_p99"] >= table["yaw_p90"]).all())
    True
    """
    one_of(of, "of", OF)
    what, subjects = "posture.head_movements", ["head_moves"]
    rows = enter(frame, what, subjects, limits=limits, log=log, day_starts=day_starts)
    names = ["head_both_pitch", "head_both_yaw", "head_both_s"]
    parts: tuple[str, ...] = ("head_moves_pitch", "head_moves_yaw", "worn")
    if rows.log and log_named(rows.log).numbers_packets:
        parts = (*GRAVITY, "worn")
    groups, total = summed(rows, by, subjects, names, parts)
    data = evaluate(MOVES.values(), total)
    blocks = [
        pd.DataFrame({name: filled(columns[name]) for name in names})
        for columns in (rows.columns(part, [rows.time, *subjects]) for part in rows.parts)
    ]
    single = pd.concat(blocks, ignore_index=True)
    inside, every = groups.codes >= 0, range(len(groups.labels))
    of_groups = single[inside].groupby(groups.codes[inside])
    for axis, moves in MOVES.items():
        for percent in (90, 99):
            found = of_groups[moves.sums[0]].quantile(percent / 100).reindex(every)
            data[f"{axis}_p{percent}"] = found.to_numpy(np.float64)
    counted = of_groups["head_both_s"].count().reindex(every)
    total["counted_n"] = np.asarray(counted, dtype=np.float64)
    data |= evaluate(STATISTICS["posture.head_counted"], total)
    if of == "wearer":
        for axis, moves in MOVES.items():
            wearer = of_wearer(rows, groups, subjects, data[moves.name], moves)
            data |= {f"{axis}_{end}": wearer[end] for end in ("low", "high")}
        data |= {name: wearer[name] for name in ("days", "of", "reason")}  # the same for both
    return result(rows, groups, data, of=of)


@takes_tables
def spread(
    frame: pd.DataFrame,
    *,
    by: By = None,
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return how much the head's tilt varies within intervals and between them.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log with ``tl_yav``, ``tl_ysd``, ``tl_xav`` and ``tl_xsd``.
    by, limits, log, day_starts
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the hours, days or labels of `by`. Float64 degrees
        ``fore_aft_within``, ``fore_aft_between``, ``fore_aft_total``, ``sideways_within``,
        ``sideways_between``, ``sideways_total``, int64 ``n`` (intervals), float64
        ``exposure_min`` (their minutes) and ``coverage`` (share of the expected records).

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
    Within: fidgeting, sqrt(mean(s^2)) over the SDs s of the intervals. Between: changes of
    posture, the root mean square of the angles between the intervals' means and their circular
    mean. The squares of the two add up to the square of the total.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.posture.spread(el.sample())
    >>> bool((table["fore_aft_total"] >= table["fore_aft_within"]).all())
    True
    """
    subjects = ["tilt_spread"]
    rows = enter(frame, "posture.spread", subjects, limits=limits, log=log, day_starts=day_starts)
    parts = [f"tilt_{way}{end}" for way in WAYS for end in ("", "_sd")]
    groups, total = summed(rows, by, subjects, ["spread_s"], parts)
    return result(rows, groups, evaluate(STATISTICS["posture.spread"], total))


@takes_tables
def tilt(
    frame: pd.DataFrame,
    *,
    by: By = None,
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return the tilt of the head from gravity, and how much it varies.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 20 Hz log (``current_data``) with ``accX``, ``accY`` and ``accZ``.
    by, limits, log, day_starts
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the bins, hours, days or labels of `by`. Float64 degrees
        ``fore_aft_deg``, ``fore_aft_sd_deg``, ``sideways_deg`` and ``sideways_sd_deg`` (circular
        means and SDs of the rows), int64 ``n`` (rows), float64 ``exposure_min`` (their minutes) and
        ``coverage`` (share of the expected rows). ``by="1s"`` gives a course.

    Raises
    ------
    ConfigurationError
        If the log has no accelerations, or an argument is not valid.

    Notes
    -----
    The accelerations are averaged over the 0.5 s around each row, so that only gravity remains
    (vendor documentation, feature). Fore-aft is atan2(``accY``, abs(``accZ``)), sideways is
    atan2(``accX``, hypot(``accY``, ``accZ``)), both from -90 to 90. Upright eyewear reports about
    -16 in ``accZ`` in the vendor's samples (websocket-samples), so gravity is positive along the
    axis that it pulls to; with the vendor's figure of the axes, forward and right are positive. One
    unit of acceleration is 1/16 G, so a single row is accurate to 2 or 3 degrees, and a mean of
    many rows is much more accurate.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.simulate("2026-10-20", 1, log="current_data").iloc[:12_000]
    >>> el.posture.tilt(frame, by="1min").columns.tolist()[:2]
    ['fore_aft_deg', 'fore_aft_sd_deg']
    """
    instead = "holds averages of the tilt, so pass it to posture.spread"
    options = {"limits": limits, "log": log, "day_starts": day_starts}
    rows, _ = packets_of(frame, "posture.tilt", GRAVITY, instead, (Reason.UNWORN,), **options)
    groups, total = summed(rows, by, ["tilt"], (), ())
    total["tilt_s"] = total["tilt_fore_aft_n"] * log_named(rows.log).interval_s
    return result(rows, groups, evaluate(STATISTICS["posture.tilt"], total))


@takes_tables
def relative_tilt(
    frame: pd.DataFrame, *, limits: Limits | None = None, log: str | None = None
) -> pd.DataFrame:
    """Return the tilt of each interval relative to the wearer's own median.

    Eyewear sits differently on every head, so a tilt means more relative to the wearer's own usual
    tilt than relative to gravity.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log with ``tl_yav`` and ``tl_xav``.
    limits, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Same index; float64 ``tl_yav`` and ``tl_xav`` in degrees, -180 to 180, 0 at the circular
        median of the frame.

    Raises
    ------
    FieldError
        If the frame lacks the tilt.
    MixedLogsError
        If the frame has fields of both logs.

    Examples
    --------
    >>> import eyelog as el
    >>> abs(float(el.posture.relative_tilt(el.sample())["tl_yav"].median())) < 1e-9
    True
    """
    rows = enter(frame, "posture.relative_tilt", ["tilt"], limits=limits, log=log, wide=False)
    names = [role_field(rows.log, f"tilt_{way}") for way in WAYS]
    require(rows.frame, names, purpose=rows.what)
    rows.warn()
    tilts = {name: rows.records.value(name) for name in names}
    medians = {name: circular_median(tilts[name]) for name in names}
    data = {name: difference(tilts[name], medians[name]) for name in names}
    table = pd.DataFrame(data, index=rows.frame.index)
    stated = {name: None if np.isnan(value) else value for name, value in medians.items()}
    return derived(table, rows.frame, rows.what, log=rows.log, medians=stated)


def circular_median(degrees: Floats) -> float:
    """Return the median direction of angles that lie within a half circle.

    The ordinary median of the angles measured from their mean direction. If all lie within 90
    degrees of that direction, it is the circular median (Fisher 1993, section 2.3.2).
    """
    centre = mean_direction(degrees)
    if np.isnan(centre):
        return centre
    # Rounded, so that subtracting and adding the centre leaves whole degrees whole.
    turned = np.array([np.median(near(degrees[np.isfinite(degrees)], centre))])
    return float(np.round(wrap(turned), 9)[0])


@takes_tables
def zones(
    frame: pd.DataFrame,
    *,
    field: str | None = None,
    reference: Literal["gravity", "median"] = "gravity",
    edges: Sequence[float] | None = None,
    limits: Limits | None = None,
    log: str | None = None,
) -> pd.DataFrame:
    """Return the time spent in zones of tilt.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log with the tilt.
    field : {"tl_yav", "tl_xav"}, optional
        Tilt fore-aft (the default) or sideways.
    reference : {"gravity", "median"}
        Tilt as recorded, or relative to the wearer's own median (`eyelog.posture.relative_tilt`).
    edges : sequence of float, optional
        Rising edges of the zones in degrees, within -180 to 180. Default: -45 to 45 in steps of
        15; relative to the median -30, -15, -5, 5, 15, 30. There are two more zones beyond the
        outer edges.
    limits, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Index ``zone``, such as ``-15 to 0`` (lower edge included), in rising order. Float64
        ``share`` (of the intervals with a tilt; the shares add up to 1), int64 ``n`` (intervals),
        float64 ``exposure_min`` (their minutes) and ``coverage`` (share of the records of the
        frame's span that have a tilt; the same in every row).

    Raises
    ------
    FieldError
        If the frame lacks the tilt.
    MixedLogsError, ConfigurationError
        As from `eyelog.gait.pace`.

    Notes
    -----
    The vendor does not say which sign is forward or right, so zones are named by their degrees.

    Examples
    --------
    >>> import eyelog as el
    >>> round(float(el.posture.zones(el.sample())["share"].sum()), 9)
    1.0
    """
    rows = enter(frame, "posture.zones", ["tilt"], limits=limits, log=log, wide=False)
    names = [role_field(rows.log, f"tilt_{way}") for way in WAYS]
    field = names[0] if field is None else field
    if field not in names or reference not in EDGES:
        raise ConfigurationError(
            f"field must be {names[0]!r} or {names[1]!r} and reference 'gravity' or 'median',"
            f" not {field!r} and {reference!r}"
        )
    given = limit(rows.log, EDGES[reference]).values if edges is None else edges
    try:
        cuts = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        cuts = np.empty(0)
    rising = cuts.ndim == 1 and cuts.size and (np.diff(cuts) > 0).all()
    if not rising or not (np.abs(cuts) <= 180).all():
        raise ConfigurationError(f"edges must be rising degrees within -180 to 180, not {edges!r}")
    require(rows.frame, [field], purpose=rows.what)
    values = rows.warn().records.value(field)
    if reference == "median":
        values = difference(values, circular_median(values))
    measured = ~np.isnan(values)
    zone = np.searchsorted(cuts, values[measured], side="right")
    n = np.bincount(zone, minlength=len(cuts) + 1)
    labels = [f"below {cuts[0]:g}"]
    labels += [f"{low:g} to {high:g}" for low, high in pairwise(cuts)]
    labels.append(f"{cuts[-1]:g} and above")
    number, length = n.astype(np.float64), log_named(rows.log).interval_s
    span_s = (rows.closes_us[-1] - rows.opens_us[0]) / 1e6 if rows.size else 0.0
    covered = min(number.sum() * length / span_s, 1.0) if span_s else np.nan
    data = {
        "share": ratio(number, np.full(len(n), number.sum())),
        "n": n.astype(np.int64),
        "exposure_min": number * length / 60.0,
        "coverage": np.full(len(n), covered),
    }
    table = pd.DataFrame(data, index=pd.Index(labels, name="zone"))
    return derived(table, rows.frame, rows.what, log=rows.log, field=field, reference=reference)
