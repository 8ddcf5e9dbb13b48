"""The 15-second log, recomputed from the rows of the 20 Hz log, without the app's buffers."""

from typing import Any, Final, Unpack

import numpy as np
import pandas as pd

from eyelog.analysis.blinks.each_blink import counted_blinks, single_blinks
from eyelog.analysis.eyes.eye_moves import DIRECTIONS
from eyelog.analysis.gait.each_step import single_steps
from eyelog.analysis.grouped import reductions
from eyelog.analysis.grouped.groups import Groups
from eyelog.analysis.grouped.single_rows import RowOptions, SingleRows, single_rows
from eyelog.analysis.limits import Limits, limit
from eyelog.analysis.posture.gravity_tilt import GRAVITY, angle_sd, tilt_from_gravity
from eyelog.analysis.posture.turns import AXES, head_peaks
from eyelog.analysis.quality.reasons import Reason
from eyelog.analysis.series.arrays import Arrays, Bools, Floats, Ints
from eyelog.analysis.series.observed import stamps_at
from eyelog.analysis.series.packets import PACKET_US
from eyelog.catalogue import COMPUTED_DATA, log_named, role, role_field
from eyelog.errors import ConfigurationError
from eyelog.frame import OFFSET, conform
from eyelog.provenance import derived

__all__ = ["intervals", "measured_intervals", "windows"]

WIDTH: Final = "15s"
WIDTH_US: Final = log_named(COMPUTED_DATA).interval_us
# The same roles in both logs: single movements here, their number there.
_EYES: Final = tuple(f"eye_{way}" for way in DIRECTIONS)
# The roles in the 15-second log of what is counted or summarised.
_COUNTED: Final = (
    "steps", "blinks_all", "blink_count", "gap_count", "gap_total", "blink_strength_total",
    "noise_s", "head_moves_pitch", "head_moves_yaw", *_EYES,
)  # fmt: skip


def intervals(
    frame: pd.DataFrame,
    width: str = WIDTH,
    *,
    limits: Limits | None = None,
    log: str | None = None,
) -> pd.DataFrame:
    """Return the 15-second log, recomputed from the rows of the 20 Hz log.

    The app takes statistics of blinks from a buffer of the latest events, so they repeat and lag
    behind. Here each record describes its own 15 seconds.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 20 Hz log (``current_data``), as it was read: what `eyelog.mask` removed
        cannot be counted.
    width : {"15s"}
        The length of a record.
    limits : Limits, optional
        What counts as worn, for the intervals between blinks, see `eyelog.Limits`.
    log : str, optional
        The log, if neither provenance nor columns show it.

    Returns
    -------
    DataFrame
        A frame of the 15-second log (``computed_data``), which every function takes: index
        ``date``, the stamp that closes each record, and those of these columns for which `frame`
        has the fields: ``stp``, ``cad``, ``rbk_n``, ``bk_n``, ``bki_n``, ``bki_sum``, ``bki_av``,
        ``bkh_sum``, ``bkh_max``, ``bkh_av``, ``bkh_sd``, ``bkw_av``, ``re_u``, ``re_d``, ``re_r``,
        ``re_l``, ``tl_yav``, ``tl_ysd``, ``tl_xav``, ``tl_xsd``, ``hm_po``, ``hm_yo``, ``isl``,
        ``vld`` and ``nis_time``. `eyelog.fields` says what each is.

    Raises
    ------
    ConfigurationError
        If `width` is a different one, the log has no single events, or the frame holds the records
        of several devices.

    Notes
    -----
    The 15 seconds are counted from the start of each connection, one packet (50 ms) before its
    first row; what is left at its end is left out. Counts and sums are missing where more than a
    tenth of the packets of a record were lost.

    ``rbk_n`` counts every blink, ``bk_n`` those within the vendor's limits (strength 35 to 250,
    closed for 90 to 250 ms); strengths and durations are those of the latter, with the SD of all
    of them (divided by n, so that records combine to the SD of all their blinks). The intervals are
    those of `eyelog.blinks.blinks`, in the record in which each ends. ``cad`` is 60 / the mean
    step time; ``tl_*`` are mean and SD of the tilt from gravity (`eyelog.posture.tilt`), ``hm_*``
    the peaks of acceleration (`eyelog.posture.turns`), steps included. ``nis_time`` counts the
    rows with ``noiseStatus``; ``vld`` is true with at most 3 s of noise and at most 5 steps (vendor
    documentation, data_es); ``isl`` where more than half of the rows have ``fitError``.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.simulate("2026-10-20", 1, log="current_data").iloc[:24_000]
    >>> made = el.intervals(frame)
    >>> made.attrs["eyelog"]["log"], bool((made["rbk_n"] >= made["bk_n"]).all())
    ('computed_data', True)
    """
    if width != WIDTH:
        raise ConfigurationError(f"width must be {WIDTH!r}, as in the app's log, not {width!r}")
    rows = all_rows(frame, "intervals", log=log, limits=limits)
    sent = rows.packets()
    first = np.flatnonzero(np.append(True, sent.opens[1:]))[: len(rows.us)]
    last = np.append(first[1:], len(rows.us)) - 1 if len(first) else first
    opens_us = rows.us[first] - PACKET_US
    # The last stamp may be a packet early.
    whole = (rows.us[last] + PACKET_US - opens_us) // WIDTH_US
    nth = np.arange(whole.sum()) - np.repeat(np.cumsum(whole) - whole, whole)
    closes_us = np.repeat(opens_us, whole) + (nth + 1) * WIDTH_US
    table = measured_intervals(rows, windows(rows, closes_us))
    details: dict[str, Any] = {"width": width, "limits": rows.known.limits.details()}
    table = conform(table, COMPUTED_DATA)
    return derived(table, rows.opened.frame, "intervals", log=COMPUTED_DATA, **details)


def all_rows(frame: pd.DataFrame, purpose: str, **options: Unpack[RowOptions]) -> SingleRows:
    """Return the rows of a frame of the 20 Hz log."""
    return single_rows(
        frame,
        purpose,
        (),
        instead="holds intervals, not single rows",
        wanted=Reason.UNWORN | Reason.NOISY | Reason.MOVING,
        **options,
    )


def windows(rows: SingleRows, closes_us: Ints) -> Groups:
    """Return the rows of the 15 seconds up to each of these rising stamps.

    Windows may be apart, and may overlap by less than a packet: a row belongs to the first window
    that it fits into.
    """
    at = np.searchsorted(closes_us, rows.us)
    inside = at < len(closes_us)
    inside[inside] &= rows.us[inside] > closes_us[at[inside]] - WIDTH_US
    order = np.flatnonzero(inside)
    sizes = np.bincount(at[order], minlength=len(closes_us))
    bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    labels = stamps_at(closes_us, rows.index.tz).rename("date")
    return Groups(labels, bounds, order, np.full(len(closes_us), WIDTH_US / 1e6))


def measured_intervals(rows: SingleRows, groups: Groups) -> pd.DataFrame:
    """Return what the 15-second log would hold about each window of rows.

    Its fields are named by their roles until the end.
    """
    data = {**_trust(rows, groups), **_blinks(rows, groups), **_walking(rows, groups)}
    for part in _EYES:
        if _has(rows, part):
            moved = rows.part(part)
            data[part] = _counts(moved > 0, groups, missing=np.isnan(moved))
    data |= _head(rows, groups)
    room = WIDTH_US / PACKET_US
    few = groups.sizes < limit(rows.known.log, "packets_of_interval").value * room
    for part in data.keys() & set(_COUNTED):
        data[part] = np.where(few, np.nan, data[part])
    named = {role_field(COMPUTED_DATA, part): values for part, values in data.items()}
    table = pd.DataFrame(named, index=groups.labels)
    if OFFSET in rows.opened.frame.columns:
        table[OFFSET] = reductions.last(rows.opened.frame[OFFSET].to_numpy("float64"), groups)
    return table


def _has(rows: SingleRows, *parts: str) -> bool:
    names = {name for part in parts for name in role(rows.known.log, part)}
    return names <= set(rows.opened.frame.columns)


def _counts(chosen: Bools, groups: Groups, *, missing: Bools) -> Floats:
    """Return how many rows are chosen; missing where none of the rows has a value."""
    counted = reductions.count_rows(chosen, groups)
    return np.where(reductions.count_rows(~missing, groups) > 0, counted, np.nan)


def _trust(rows: SingleRows, groups: Groups) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if _has(rows, "worn"):
        off = reductions.mean(rows.part("worn"), groups)
        data["worn"] = pd.array(off > 0.5, dtype="boolean")
        data["worn"][np.isnan(off)] = pd.NA
    if _has(rows, "noise_flag"):
        flag = rows.part("noise_flag")
        noisy = _counts(flag > 0, groups, missing=np.isnan(flag))
        # Stamps are uneven, so one more packet may fit into a window.
        data["noise_s"] = np.minimum(noisy * PACKET_US, WIDTH_US) / 1e6
        if _has(rows, "step_event"):
            steps = rows.part("step_event")
            taken = _counts(steps > 0, groups, missing=np.isnan(steps))
            calm = limit(COMPUTED_DATA, "noise").keeps(data["noise_s"])
            calm &= limit(rows.known.log, "steps_of_valid").keeps(taken)
            data["valid"] = pd.array(calm, dtype="boolean")
            data["valid"][np.isnan(noisy + taken)] = pd.NA
    return data


def _blinks(rows: SingleRows, groups: Groups) -> dict[str, Floats]:
    if not _has(rows, "blink_event_strength", "blink_event_speed"):
        return {}
    strength, closed_ms = rows.part("blink_event_strength"), rows.part("blink_event_speed")
    missing = np.isnan(strength) | np.isnan(closed_ms)
    kept = counted_blinks(Arrays.of(rows.opened.frame), rows.known.log) & ~missing
    height, width = (np.where(kept, values, np.nan) for values in (strength, closed_ms))
    events = single_blinks(rows.known, rows.us)
    interval_s = np.full(len(rows.us), np.nan)
    interval_s[events.rows] = events.interval_s
    mean = reductions.mean(height, groups)
    square = reductions.mean(height * height, groups)
    counted = _counts(kept, groups, missing=missing)
    number = _counts(~np.isnan(interval_s), groups, missing=missing)
    total_s = reductions.total(interval_s, groups)
    return {
        "blinks_all": _counts((strength > 0) | (closed_ms > 0), groups, missing=missing),
        "blink_count": counted,
        "gap_count": number,
        "gap_total": np.where(number == 0, 0.0, total_s),
        "gap_mean": reductions.ratio(total_s, number),
        "blink_strength_total": np.where(counted == 0, 0.0, reductions.total(height, groups)),
        "blink_strength_max": reductions.largest(height, groups),
        "blink_strength": mean,
        "blink_strength_sd": np.sqrt(np.maximum(square - mean * mean, 0.0)),
        "blink_duration": reductions.mean(width, groups),
    }


def _walking(rows: SingleRows, groups: Groups) -> dict[str, Floats]:
    if not _has(rows, "step_event"):
        return {}
    flags = rows.part("step_event")
    events = single_steps(rows.known, rows.us)
    time_s = np.full(len(rows.us), np.nan)
    time_s[events.rows] = events.step_time_s
    steps = _counts(flags > 0, groups, missing=np.isnan(flags))
    pace = 60.0 / reductions.mean(time_s, groups)
    return {"steps": steps, "pace": np.where(np.isnan(pace) & (steps == 0), 0.0, pace)}


def _head(rows: SingleRows, groups: Groups) -> dict[str, Floats]:
    if not _has(rows, *GRAVITY):
        return {}
    x, y, z = (rows.part(part) for part in GRAVITY)
    fore_aft, sideways = tilt_from_gravity((x, y, z), rows.index)
    missing = np.isnan(x) | np.isnan(z)
    data: dict[str, Floats] = {}
    for noun, angles in (("fore_aft", fore_aft), ("sideways", sideways)):
        data[f"tilt_{noun}"] = reductions.circular_mean(angles, None, groups)
        data[f"tilt_{noun}_sd"] = angle_sd(angles, groups)
    for axis in AXES:
        moved = head_peaks(rows.known, rows.index, axis)
        data[f"head_moves_{axis}"] = _counts(moved, groups, missing=missing)
    return data
