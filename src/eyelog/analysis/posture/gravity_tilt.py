"""Tilt of the head from gravity: what the acceleration of the 20 Hz log points to when smoothed."""

from collections.abc import Iterable
from typing import Any, Final, Unpack

import numpy as np
import pandas as pd

from eyelog.analysis.grouped.groups import By, Groups
from eyelog.analysis.grouped.opening import FrameOptions, open_frame, with_frame_options
from eyelog.analysis.grouped.reductions import circular_mean, count_rows, root_mean_square
from eyelog.analysis.grouped.single_rows import has_single_rows
from eyelog.analysis.grouped.summary import Prepared, as_counts, prepare, summary_table
from eyelog.analysis.posture.tilt import from_centre
from eyelog.analysis.series.arrays import Floats
from eyelog.catalogue import CURRENT_DATA, log_named, role_field
from eyelog.errors import ConfigurationError
from eyelog.frame import require_single_intervals

__all__ = ["GRAVITY", "SMOOTHED_MS", "angle_sd", "tilt", "tilt_from_gravity", "tilt_of_rows"]

GRAVITY: Final = ("acc_sideways", "acc_fore_aft", "acc_vertical")  # the roles of the catalogue
SMOOTHED_MS: Final = 500  # vendor documentation, feature


def _smoothed(values: Floats, index: pd.DatetimeIndex) -> Floats:
    """Return the mean of the values around each row; missing where its own is."""
    mean = pd.Series(values, index).rolling(f"{SMOOTHED_MS}ms", center=True, closed="both").mean()
    return np.where(np.isnan(values), np.nan, mean.to_numpy())


def tilt_from_gravity(
    accelerations: Iterable[Floats], index: pd.DatetimeIndex
) -> tuple[Floats, Floats]:
    """Return the tilt fore-aft and sideways of each row in degrees, from three accelerations.

    Those are in the order of `GRAVITY`. Missing where they cancel out: nothing then shows which way
    is down. Eyewear that is worn upright reports about -16 on the vertical axis in the public
    samples, and +16 is an equally common convention, so the angles are measured to the axis,
    whatever its sign.
    """
    x, y, z = (_smoothed(values, index) for values in accelerations)
    # In place, since a day of the log has a million rows.
    forward = np.arctan2(y, np.abs(z, out=z))
    level = np.hypot(y, z, out=z)
    aside = np.arctan2(x, level, out=y)
    nowhere = ~(np.hypot(x, level, out=x) > 0)
    for angle in (forward, aside):
        np.degrees(angle, out=angle)
        angle[nowhere] = np.nan
    return forward, aside


def angle_sd(angles: Floats, groups: Groups) -> Floats:
    """Return the SD of the angles of each group about their mean direction."""
    return root_mean_square(from_centre(angles, groups), None, groups)


def tilt_of_rows(prepared: Prepared) -> dict[str, Floats]:
    """Return the tilt of each judged row in degrees, fore-aft and sideways."""
    accelerations = (prepared.values(role_field(prepared.log, part)) for part in GRAVITY)
    fore_aft, sideways = tilt_from_gravity(accelerations, prepared.index)
    return {"fore_aft": fore_aft, "sideways": sideways}


@with_frame_options
def tilt(frame: pd.DataFrame, *, by: By = None, **options: Unpack[FrameOptions]) -> pd.DataFrame:
    """Return the tilt of the head from gravity, and how much it varies.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 20 Hz log (``current_data``) with ``accX``, ``accY`` and ``accZ``.
    by, limits, judge, stamp, log
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
    opened = open_frame(frame, "posture.tilt", **options)
    which = opened.log
    if not has_single_rows(which):
        raise ConfigurationError(
            f"posture.tilt needs the {log_named(CURRENT_DATA).words}: the {log_named(which).words}"
            " holds averages of the tilt, so pass it to posture.spread"
        )
    require_single_intervals(frame, opened.purpose)
    prepared = prepare(opened, [role_field(which, part) for part in GRAVITY], by)
    tilts = tilt_of_rows(prepared)
    data: dict[str, Any] = {}
    for noun, angles in tilts.items():
        data[f"{noun}_deg"] = circular_mean(angles, None, prepared.groups)
        data[f"{noun}_sd_deg"] = angle_sd(angles, prepared.groups)
    measured = ~np.isnan(tilts["fore_aft"])
    data["n"] = as_counts(count_rows(measured, prepared.groups))
    data["exposure_min"] = prepared.minutes(measured)
    data["coverage"] = prepared.coverage(measured)
    return summary_table(data, prepared)
