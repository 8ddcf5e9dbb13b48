"""The 15-second log, recomputed from the rows of the 20 Hz log, without the app's buffers."""

from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.analysis.series.angles import direction, unit_vectors
from eyelog.analysis.series.arrays import Floats
from eyelog.analysis.series.packets import PACKET_US
from eyelog.catalogue import COMPUTED_DATA, log_named, role_field
from eyelog.clock import stamps_at
from eyelog.frame import OFFSET, conform, takes_tables
from eyelog.judge.intervals import LONGEST, sums
from eyelog.judge.limits import Limits, limit
from eyelog.judge.packets import (
    AXES,
    DIRECTIONS,
    GRAVITY,
    UNUSABLE,
    counts_as_blink,
    head_peaks,
    sent,
    single_blinks,
    single_steps,
    tilt_from_gravity,
)
from eyelog.judge.records import Records
from eyelog.judge.terms import Counted, ratio
from eyelog.measure.events20 import packets_of
from eyelog.measure.groups import spread
from eyelog.measure.statistics import Statistic, amount, evaluate, sd_about_direction
from eyelog.provenance import derived

WIDTH_US: Final = log_named(COMPUTED_DATA).interval_us


def _pace(number: Floats, time_s: Floats, steps: Floats) -> Floats:
    """Return steps per minute; 0 without a step."""
    pace = 60.0 * ratio(number, time_s)
    return np.where(np.isnan(pace) & (steps == 0), 0.0, pace)


# Fields of the 15-second log, by their roles.
COUNTS: Final = tuple(
    Statistic(name, amount, (name,))
    for name in (
        "steps",
        "blinks_all",
        "blink_count",
        "gap_count",
        "gap_total",
        "blink_strength_total",
        "noise_s",
        *(f"head_moves_{axis}" for axis in AXES),
        *(f"eye_{way}" for way in DIRECTIONS),
    )
)
BLINKS: Final = ("blink_strength_total", "strength_sum2", "blink_count")
VALUES: Final = (
    Statistic("pace", _pace, ("step_n", "step_s", "steps")),
    Statistic("gap_mean", ratio, ("gap_total", "gap_count")),
    Statistic("blink_strength_max", amount, (f"{LONGEST}strength",)),
    Statistic("blink_strength", ratio, ("blink_strength_total", "blink_count")),
    Statistic("blink_strength_sd", spread, BLINKS),
    Statistic("blink_duration", ratio, ("closed_ms", "blink_count")),
    *(
        Statistic(f"tilt_{way}{after}", form, tuple(f"tilt_{way}_{part}" for part in parts))
        for way in ("fore_aft", "sideways")
        for after, form, parts in (
            ("", direction, ("cos", "sin", "n")),
            ("_sd", sd_about_direction, ("cos", "sin", "n", "sum", "sum2")),
        )
    ),
)


@takes_tables
def recompute(
    frame: pd.DataFrame,
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
        If the log has no single events, or the frame holds the records of several devices.

    Notes
    -----
    The 15 seconds are counted from the start of each connection, one packet (50 ms) before its
    first row; what is left at its end is left out. Counts and sums are missing where more than a
    tenth of the packets of a record were lost.

    ``rbk_n`` counts every blink, ``bk_n`` those within the vendor's limits (strength 35 to 250,
    closed for 90 to 250 ms); strengths and durations are those of the latter, with the SD of all
    of them (divided by n, so that records combine to the SD of all their blinks). The intervals are
    those of `eyelog.blinks.events`, in the record in which each ends. ``cad`` is 60 / the mean
    step time; ``tl_*`` are mean and SD of the tilt from gravity (`eyelog.posture.tilt`), ``hm_*``
    the peaks of acceleration (`eyelog.posture.turns`), steps included. ``nis_time`` counts the
    rows with ``noiseStatus``; ``vld`` is true with at most 3 s of noise and at most 5 steps (vendor
    documentation, data_es); ``isl`` where more than half of the rows have ``fitError``.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.simulate("2026-10-20", 1, log="current_data").iloc[:24_000]
    >>> made = el.recompute(frame)
    >>> made.attrs["eyelog"]["log"], bool((made["rbk_n"] >= made["bk_n"]).all())
    ('computed_data', True)
    """
    instead = "holds intervals, not single rows"
    rows, records = packets_of(frame, "recompute", (), instead, UNUSABLE, limits=limits, log=log)
    # The 15 seconds are counted from the start of each connection, one packet before its first row;
    # what is left at its end is in none.
    us, opens = rows.closes_us, sent(records).opens
    first = np.flatnonzero(np.append(True, opens[1:]))[: len(us)]
    last = np.append(first[1:], len(us)) - 1 if len(first) else first
    opens_us = us[first] - PACKET_US
    # The last stamp may be a packet early.
    whole = (us[last] + PACKET_US - opens_us) // WIDTH_US
    nth = np.arange(whole.sum()) - np.repeat(np.cumsum(whole) - whole, whole)
    closes_us = np.repeat(opens_us, whole) + (nth + 1) * WIDTH_US
    # Windows may be apart, and may overlap by less than a packet: a packet belongs to the first.
    codes = np.searchsorted(closes_us, us)
    inside = codes < len(closes_us)
    inside[inside] &= us[inside] > closes_us[codes[inside]] - WIDTH_US
    codes = np.where(inside, codes, -1)
    total = sums(rows, codes, len(closes_us), [_wear, _walking, _blinks, _head, _eyes])
    if "noise_s" in total:  # stamps are uneven, so one more packet may fit into a window
        total["noise_s"] = np.minimum(total["noise_s"], WIDTH_US / 1e6)
    counts: dict[str, Any] = evaluate(COUNTS, total)
    data = counts | evaluate(VALUES, total)
    if "off" in total:
        off = ratio(total["off"], total["off_n"])
        data["worn"] = pd.array(off > 0.5, dtype="boolean")
        data["worn"][np.isnan(off)] = pd.NA
    if {"noise_s", "steps"} <= total.keys():
        calm = limit(COMPUTED_DATA, "noise").keeps(total["noise_s"])
        calm &= limit(records.log, "steps_of_valid").keeps(total["steps"])
        data["valid"] = pd.array(calm, dtype="boolean")
        data["valid"][np.isnan(total["noise_s"] + total["steps"])] = pd.NA
    received = np.bincount(codes[inside], minlength=len(closes_us)) * (PACKET_US / WIDTH_US)
    lost = received < limit(records.log, "packets_of_interval").value
    data |= {part: np.where(lost, np.nan, values) for part, values in counts.items()}
    named = {role_field(COMPUTED_DATA, part): values for part, values in data.items()}
    table = pd.DataFrame(named, index=stamps_at(closes_us, rows.tz).rename("date"))
    if OFFSET in rows.frame.columns:
        table[OFFSET] = rows.clock.offset_min(closes_us - 1)
    table = conform(table, COMPUTED_DATA)
    used = rows.limits.details()
    return derived(table, rows.frame, "recompute", log=COMPUTED_DATA, limits=used)


# What each packet adds to the sums of its 15 seconds.


def _wear(records: Records) -> Counted:
    made: Counted = {}
    off, noisy = records.evidence("worn"), records.evidence("noise_flag")
    if off is not None:
        made |= {"off": off, "off_n": ~np.isnan(off)}
    if noisy is not None:
        made["noise_s"] = ((noisy > 0) * records.length_s, ~np.isnan(noisy))
    return made


def _walking(records: Records) -> Counted:
    flags = records.evidence("step_event")
    if flags is None:
        return {}
    events, time_s = single_steps(records), np.full(len(records), np.nan)
    time_s[events.rows] = events.since_s
    steps = (flags > 0, ~np.isnan(flags))
    return {"steps": steps, "step_s": time_s, "step_n": ~np.isnan(time_s)}


def _blinks(records: Records) -> Counted:
    strength = records.evidence("blink_event_strength")
    closed_ms = records.evidence("blink_event_speed")
    if strength is None or closed_ms is None:
        return {}
    known, events = ~np.isnan(strength + closed_ms), single_blinks(records)
    kept = counts_as_blink(strength, closed_ms) & known
    interval_s = np.full(len(records), np.nan)
    interval_s[events.rows] = events.since_s
    return {
        "blinks_all": ((strength > 0) | (closed_ms > 0), known),
        "blink_count": (kept, known),
        "gap_count": (~np.isnan(interval_s), known),
        "gap_total": (np.nan_to_num(interval_s), known),
        "blink_strength_total": (np.where(kept, strength, 0.0), known),
        "strength_sum2": (strength * strength, kept),
        f"{LONGEST}strength": (strength, kept),
        "closed_ms": (closed_ms, kept),
    }


def _head(records: Records) -> Counted:
    aside, ahead, down = map(records.evidence, GRAVITY)
    if aside is None or ahead is None or down is None:
        return {}
    made: Counted = {}
    tilts = tilt_from_gravity((aside, ahead, down), records.us)
    for way, angles in zip(("fore_aft", "sideways"), tilts, strict=True):
        east, north = unit_vectors(angles)
        made |= {f"tilt_{way}_cos": east, f"tilt_{way}_sin": north}
        made |= {f"tilt_{way}_sum": angles, f"tilt_{way}_sum2": angles * angles}
        made[f"tilt_{way}_n"] = ~np.isnan(angles)
    for axis in AXES:
        moved = np.zeros(len(records), dtype=bool)
        moved[head_peaks(records, axis)[0]] = True
        made[f"head_moves_{axis}"] = (moved, ~np.isnan(aside + down))
    return made


def _eyes(records: Records) -> Counted:
    sizes = {f"eye_{way}": records.evidence(f"eye_{way}") for way in DIRECTIONS}
    return {n: (size > 0, ~np.isnan(size)) for n, size in sizes.items() if size is not None}
