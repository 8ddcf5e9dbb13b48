"""Tilt: time in zones, tilt relative to the wearer's own median, spread within and between."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd

from eyelog.analysis.grouped.groups import By, Groups
from eyelog.analysis.grouped.opening import FrameOptions, open_frame, with_frame_options
from eyelog.analysis.grouped.reductions import (
    circular_mean,
    count_rows,
    ratio,
    root_mean_square,
)
from eyelog.analysis.grouped.summary import as_counts, prepare, summary_table
from eyelog.analysis.limits import Limits, limit
from eyelog.analysis.posture.circular import circular_median
from eyelog.analysis.series.angles import difference
from eyelog.analysis.series.arrays import Floats
from eyelog.analysis.shared_parameters import shared_parameters
from eyelog.catalogue import log_named, role_field
from eyelog.errors import ConfigurationError
from eyelog.provenance import derived

__all__ = [
    "relative_tilt",
    "spread",
    "zones",
]

TILT = {"fore_aft": "tilt_fore_aft", "sideways": "tilt_sideways"}  # the roles of the catalogue

# The limits with the edges of the zones, by the reference of the tilt.
EDGES = {"gravity": "tilt_zones", "median": "own_tilt_zones"}


@shared_parameters
def relative_tilt(
    frame: pd.DataFrame,
    *,
    limits: Limits | None = None,
    judge: bool = True,
    log: str | None = None,
) -> pd.DataFrame:
    """Return the tilt of each interval relative to the wearer's own median.

    Eyewear sits differently on every head, so a tilt means more relative to the wearer's own usual
    tilt than relative to gravity.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log with ``tl_yav`` and ``tl_xav``.
    limits, judge, log
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
    opened = open_frame(frame, "posture.relative_tilt", log=log, limits=limits, judge=judge)
    names = [role_field(opened.log, part) for part in TILT.values()]
    prepared = prepare(opened, names)
    medians = {name: circular_median(prepared.values(name)) for name in names}
    data = {name: difference(prepared.values(name), medians[name]) for name in names}
    table = pd.DataFrame(data, index=prepared.frame.index)
    stated = {name: None if np.isnan(value) else value for name, value in medians.items()}
    return derived(table, prepared.frame, opened.purpose, log=opened.log, medians=stated)


@shared_parameters
def zones(
    frame: pd.DataFrame,
    *,
    field: str | None = None,
    reference: Literal["gravity", "median"] = "gravity",
    edges: Sequence[float] | None = None,
    limits: Limits | None = None,
    judge: bool = True,
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
    limits, judge, log
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
        As in `eyelog.gait.pace`.

    Notes
    -----
    The vendor does not say which sign is forward or right, so zones are named by their degrees.

    Examples
    --------
    >>> import eyelog as el
    >>> round(float(el.posture.zones(el.sample())["share"].sum()), 9)
    1.0
    """
    opened = open_frame(frame, "posture.zones", log=log, limits=limits, judge=judge)
    which = opened.log
    names = [role_field(which, part) for part in TILT.values()]
    field = names[0] if field is None else field
    if field not in names or reference not in EDGES:
        raise ConfigurationError(
            f"field must be {names[0]!r} or {names[1]!r} and reference 'gravity' or 'median',"
            f" not {field!r} and {reference!r}"
        )
    if edges is None:
        edges = limit(which, EDGES[reference]).values
    cuts = np.asarray(edges, dtype=np.float64)
    good = (
        cuts.ndim == 1 and cuts.size and (np.abs(cuts) <= 180).all() and (np.diff(cuts) > 0).all()
    )
    if not good:
        raise ConfigurationError(f"edges must be rising degrees within -180 to 180, not {edges!r}")
    prepared = prepare(opened, [field])
    tilt = prepared.values(field)
    if reference == "median":
        tilt = difference(tilt, circular_median(tilt))
    measured = ~np.isnan(tilt)
    zone = np.searchsorted(cuts, tilt[measured], side="right")
    rows = np.bincount(zone, minlength=len(cuts) + 1)
    records: Floats = np.zeros(len(cuts) + 1)
    np.add.at(records, zone, prepared.records[measured])
    names = [f"below {cuts[0]:g}"]
    names += [f"{low:g} to {high:g}" for low, high in pairwise(cuts)]
    names.append(f"{cuts[-1]:g} and above")
    data = {
        "share": ratio(records, np.full(len(records), records.sum())),
        "n": rows.astype(np.int64),
        "exposure_min": records * log_named(which).interval_s / 60.0,
        "coverage": np.repeat(prepared.coverage(measured), len(records)),
    }
    table = pd.DataFrame(data, index=pd.Index(names, name="zone"))
    return derived(
        table, prepared.frame, opened.purpose, log=which, field=field, reference=reference
    )


@with_frame_options
def spread(frame: pd.DataFrame, *, by: By = None, **options: Unpack[FrameOptions]) -> pd.DataFrame:
    """Return how much the head's tilt varies within intervals and between them.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log with ``tl_yav``, ``tl_ysd``, ``tl_xav`` and ``tl_xsd``.
    by, limits, judge, stamp, log
        As in `eyelog.blinks.rate`.

    Returns
    -------
    DataFrame
        Index: ``group`` (``all``), or the hours, days or labels of `by`. Float64 degrees
        ``fore_aft_within``, ``fore_aft_between``, ``fore_aft_total``, ``sideways_within``,
        ``sideways_between``, ``sideways_total``, int64 ``n`` (intervals), float64
        ``exposure_min`` (their minutes) and ``coverage`` (share of the expected records).

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
    opened = open_frame(frame, "posture.spread", **options)
    which = opened.log
    # For each direction the fields of the mean tilt and of its SD.
    pairs = {
        noun: (role_field(which, part), role_field(which, f"{part}_sd"))
        for noun, part in TILT.items()
    }
    names = [name for pair in pairs.values() for name in pair]
    prepared = prepare(opened, names, by)
    groups = prepared.groups
    measured = ~np.isnan(sum(prepared.values(name) for name in names))
    data: dict[str, Any] = {}
    for noun, (average, sd) in pairs.items():
        angles = np.where(measured, prepared.values(average), np.nan)
        inner = np.where(measured, prepared.values(sd), np.nan)
        away = from_centre(angles, groups)
        within, between = (root_mean_square(part, None, groups) for part in (inner, away))
        data |= {
            f"{noun}_within": within,
            f"{noun}_between": between,
            f"{noun}_total": np.hypot(within, between),
        }
    data["n"] = as_counts(count_rows(measured, groups))
    data["exposure_min"] = prepared.minutes(measured)
    data["coverage"] = prepared.coverage(measured)
    return summary_table(data, prepared)


def from_centre(angles: Floats, groups: Groups) -> Floats:
    """Return the angle from the circular mean of its group to each row."""
    centre = circular_mean(angles, None, groups)[groups.codes]
    away = np.full(len(angles), np.nan)
    rows = slice(None) if groups.order is None else groups.order
    away[rows] = difference(angles[rows], centre)
    return away
