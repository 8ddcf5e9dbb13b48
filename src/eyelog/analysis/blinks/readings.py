"""How a blink rate is computed from records: from gaps between blinks, or from blinks counted.

The 15-second log is read in one way, the 60-second log in several. A reading pools sums over
records, and takes the rate from those sums.
"""

from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.analysis.blinks.each_blink import counted_blinks, event_fields, has_single_blinks
from eyelog.analysis.blinks.gaps import CLEANSINGS, Cleansing, Onsets, count_field, gap_fields
from eyelog.analysis.grouped.groups import Groups
from eyelog.analysis.grouped.reductions import (
    garwood,
    largest,
    ratio,
    total,
    weighted_mean,
)
from eyelog.analysis.grouped.summary import weight_values
from eyelog.analysis.limits import limit
from eyelog.analysis.quality.values import evidence
from eyelog.analysis.series.arrays import Bools, Floats, Ints, Table, numbers
from eyelog.analysis.series.observed import HOUR_US
from eyelog.catalogue import (
    COMPUTED_DATA,
    STANDARD_MODE_LOGS,
    known_logs,
    log_named,
    role_field,
)
from eyelog.errors import ConfigurationError
from eyelog.frame import is_resampled

__all__ = [
    "MIN_VALID_S",
    "Method",
    "Reading",
    "Sums",
    "Terms",
    "blink_totals",
    "has_fields",
    "rate_columns",
    "rate_fields",
    "rate_slope",
    "reading_of",
    "readings",
    "sums_of",
    "terms_of",
]

Method = Literal["gaps", "counts", "exponential", "rms", "mean", "blinks"]

# Root mean square / mean: at least 1, and the square root of 2 for an exponential distribution.
GAP_SHAPE = {"rms": 1.0, "exponential": 2.0**0.5}

MIN_VALID_S = limit(COMPUTED_DATA, "blink_exposure").value
NO_BLINK = limit(STANDARD_MODE_LOGS, "no_blink")
LONG_ENOUGH = limit(COMPUTED_DATA, "time_on_task")
NO_QUIET = "no quiet interval follows another: the onsets of noise cannot be counted"


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a blink rate off a log.

    Attributes
    ----------
    log, method, cleansing : str
        The log, the method, and which cleansing of the 60-second log.
    """

    log: str
    method: Method
    cleansing: Cleansing

    @property
    def details(self) -> dict[str, str]:
        """Its entries in the provenance; the 15-second log has one cleansing."""
        own = {"cleansing": self.cleansing} if log_named(self.log).has_cleansings else {}
        return {"method": self.method, **own}


@dataclass(frozen=True, slots=True)
class Terms:
    """What each row adds to a rate.

    Attributes
    ----------
    number : array of float64
        Blinks or gaps; missing if the row adds none.
    size : array of float64
        Their total: seconds, or seconds squared if their length is a root mean square.
    usable_s : array of float64
        Seconds in which they could be counted.
    present : array of bool
        Whether the row counts as covered.
    """

    number: Floats
    size: Floats
    usable_s: Floats
    present: Bools


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums of the terms over each group; 0 if nothing was added."""

    number: Floats
    size: Floats
    usable_s: Floats

    def seconds(self, reading: Reading) -> Floats:
        """Return the time that the number is divided by for a rate."""
        return seconds_of(reading, self.number, self.size)


def reading_of(log: str, method: str | None = None, cleansing: str | None = None) -> Reading:
    """Return a reading, by default the log's: counts with weak cleansing for the 60-second log.

    Raises
    ------
    ConfigurationError
        If the log has no such method, or there is no such cleansing.
    """
    methods = log_named(log).rate_methods
    if not methods:
        having = " or ".join(repr(each) for each in known_logs() if log_named(each).rate_methods)
        raise ConfigurationError(f"{log!r} gives no blink rate: pass a frame of {having}")
    if method is None:
        method = methods[0]
    if method not in methods:
        ways = " or ".join(repr(way) for way in methods)
        raise ConfigurationError(f"method must be {ways} for {log!r}, not {method!r}")
    if cleansing not in (None, *CLEANSINGS):
        raise ConfigurationError(f"cleansing must be 'strong' or 'weak', not {cleansing!r}")
    if cleansing is None or not log_named(log).has_cleansings:  # this log has one
        cleansing = "weak" if method == "counts" else "strong"
    return Reading(log, cast(Method, method), cast(Cleansing, cleansing))


def readings(log: str) -> list[Reading]:
    """Return all readings of the 60-second log, in order of their names."""
    return [
        reading_of(log, method, side)
        for method in log_named(log).rate_methods
        for side in CLEANSINGS
    ]


def rate_fields(reading: Reading, *, resampled: bool = False) -> list[str]:
    """Return the columns that a reading needs.

    The usable time of bins is that of the default reading, so bins need what that is made from.
    """
    log = reading.log
    if has_single_blinks(log):
        return ["blink_n", "blink_min"] if resampled else [*event_fields(log)]
    if not log_named(log).states_seconds:
        names = [*gap_fields(log, reading.cleansing)]
    else:
        names = [role_field(log, "measured_s"), role_field(log, "noise_s")]
        if reading.method == "counts":
            names.append(count_field(log, reading.cleansing))
        else:
            names += gap_fields(log, reading.cleansing)
    if resampled:
        names += [name for name in rate_fields(reading_of(log)) if name not in names]
        names += ["blink_n", "blink_min"]
    return names


def has_fields(frame: Table, reading: Reading) -> bool:
    """Return whether a frame has the columns that a reading needs."""
    return set(rate_fields(reading, resampled=is_resampled(frame))) <= set(frame.columns)


def terms_of(frame: Table, reading: Reading) -> Terms:
    """Return what each row of a judged frame adds to the rate.

    A bin of a resampled frame carries both sums of the default reading, so that the rate of bins is
    that of their intervals.
    """
    if is_resampled(frame):
        return _terms_of_bins(frame, reading)
    if has_single_blinks(reading.log):
        seen = [~np.isnan(numbers(frame[name])) for name in event_fields(reading.log)]
        present = seen[0] & seen[1]
        seconds = np.where(present, log_named(reading.log).interval_s, np.nan)
        n = np.where(present, counted_blinks(frame, reading.log), np.nan)
        return Terms(n, seconds, seconds, present)
    if not log_named(reading.log).states_seconds:
        n, length = (numbers(frame[name]) for name in gap_fields(reading.log, reading.cleansing))
        # Without gaps their length is 0, whatever remains in the buffer.
        present = ~np.isnan(n) & (~np.isnan(length) | (n == 0))
        seconds = np.where(present, np.where(n == 0, 0.0, length), np.nan)
        return Terms(np.where(present, n, np.nan), seconds, seconds, present)
    return _terms_of_minutes(frame, reading, _usable_s(frame, reading.log))


def _terms_of_minutes(frame: Table, reading: Reading, usable: Floats) -> Terms:
    if reading.method == "counts":
        n = numbers(frame[count_field(reading.log, reading.cleansing)])
        present = ~np.isnan(n) & ~np.isnan(usable)
        usable = np.where(present, usable, np.nan)
        return Terms(np.where(present, n, np.nan), usable, usable, present)
    count, mean = gap_fields(reading.log, reading.cleansing)
    n, length = numbers(frame[count]), numbers(frame[mean])
    usable = np.where(np.isnan(n), np.nan, usable)
    gaps = weight_values(frame, mean, [count])  # for bins, the minutes with an average
    used = ~np.isnan(gaps) & ~np.isnan(length)
    size = gaps * length if reading.method == "mean" else gaps * length**2
    # Without gaps no average is expected.
    present = used | (n == 0)
    return Terms(np.where(used, gaps, np.nan), np.where(used, size, np.nan), usable, present)


def _terms_of_bins(frame: Table, reading: Reading) -> Terms:
    n, usable = numbers(frame["blink_n"]), numbers(frame["blink_min"]) * 60.0
    if reading == reading_of(reading.log):
        return Terms(n, usable, usable, ~np.isnan(n))
    if reading.method == "mean":
        raise ConfigurationError(
            "method='mean' needs single minutes, and this frame is resampled: its bins hold root"
            " mean squares of the gaps, so pass the frame from before resample"
        )
    return _terms_of_minutes(frame, reading, usable)


def _usable_s(frame: Table, log: str) -> Floats:
    """Return the seconds of each minute that were measured and free of noise."""
    measured, noise = (
        evidence(frame, role_field(log, part), log) for part in ("measured_s", "noise_s")
    )
    if measured is None or noise is None:
        return np.full(len(frame), np.nan)
    return np.maximum(measured - noise, 0.0)


def sums_of(terms: Terms, groups: Groups) -> Sums:
    """Return the sums of the terms over each group."""
    parts = (terms.number, terms.size, terms.usable_s)
    return Sums(*(np.nan_to_num(total(part, groups)) for part in parts))


def seconds_of(reading: Reading, number: Floats, size: Floats) -> Floats:
    """Return the time that a number of blinks or gaps is divided by for a rate."""
    if reading.method not in GAP_SHAPE:
        return size
    # n times the typical gap, which is the root of size / n.
    with np.errstate(invalid="ignore"):  # unjudged negative counts have no root
        return np.asarray(np.sqrt(number * size) / GAP_SHAPE[reading.method], dtype=np.float64)


def rate_slope(terms: Terms, at_us: Ints, opens_us: Ints, groups: Groups) -> Floats:
    """Return by how much the rate of a default reading changes per hour within each group.

    The least-squares slope of counts over minutes, each row weighted by its minutes, in blinks per
    minute per hour; missing unless the usable time reaches over `time_on_task`.

    Parameters
    ----------
    terms : Terms
        What each row adds to the rate.
    at_us, opens_us : array of int64
        When each row was and when each group opens, in microseconds.
    groups : Groups
        The groups of the rows.
    """
    rows, counted = groups.packed(terms.size > 0)  # counts of no time have no weight
    # From the opening of its own group: the same digits, whatever else is in the table.
    hours = (at_us[rows] - opens_us[counted.codes]) / HOUR_US
    minutes = terms.size[rows] / 60.0
    around = hours - weighted_mean(hours, minutes, counted)[counted.codes]
    above, below = total(around * terms.number[rows], counted), total(around**2 * minutes, counted)
    reach_s = 3600.0 * (largest(hours, counted) + largest(-hours, counted))
    return np.where(LONG_ENOUGH.keeps(reach_s), ratio(above, below), np.nan)


def blink_totals(frame: Table, log: str, groups: Groups) -> tuple[Floats, Floats]:
    """Return, for each group, the number and the seconds behind its default rate."""
    if not log_named(log).rate_methods or not has_fields(frame, reading := reading_of(log)):
        nothing = np.full(len(groups), np.nan)
        return nothing, nothing
    terms = terms_of(frame, reading)
    return total(terms.number, groups), total(terms.usable_s, groups)


def rate_columns(
    reading: Reading,
    sums: Sums,
    *,
    min_valid_s: float = MIN_VALID_S,
    noise: Onsets | None = None,
) -> dict[str, Any]:
    """Return rate, low and high per minute, and the reason if they are missing.

    The part of the rate due to `noise` is subtracted; the interval of the difference combines both
    intervals (Zou & Donner 2008, Statistics in Medicine 27:1693).
    """
    minutes = sums.seconds(reading) / 60.0
    usable = sums.usable_s
    enough = (usable >= min_valid_s) & (usable > 0)
    mute = np.zeros(len(usable), dtype=bool)
    if reading.method == "counts":
        mute = (sums.number == 0) & NO_BLINK.keeps(usable)
    good = enough & ~mute & (minutes > 0)
    rate, (low, high) = ratio(sums.number, minutes), garwood(sums.number, minutes)
    if noise is not None:
        fair = rate - noise.per_min
        low = fair - np.hypot(rate - low, noise.high - noise.per_min)
        high = fair + np.hypot(high - rate, noise.per_min - noise.low)
        rate = fair
    columns: dict[str, Any] = {
        name: np.where(good, np.maximum(values, 0.0), np.nan)
        for name, values in (("rate_per_min", rate), ("low", low), ("high", high))
    }
    reason = _reasons(usable, good, mute, enough, min_valid_s)
    if noise is not None:
        reason[good & np.isnan(noise.per_min)] = NO_QUIET
    return columns | {"reason": pd.array(reason, dtype="string")}


def _reasons(
    usable_s: Floats, good: Bools, mute: Bools, enough: Bools, min_valid_s: float
) -> npt.NDArray[np.object_]:
    reasons: npt.NDArray[np.object_] = np.full(len(good), "", dtype=object)
    for i in np.flatnonzero(~good):
        minutes = np.floor(usable_s[i] / 6.0) / 10.0  # rounded down: 2.96 is not 3
        if mute[i]:
            reasons[i] = f"no blink in {minutes:g} usable minutes: no measurement"
        elif enough[i]:
            reasons[i] = f"no gap was measured in {minutes:g} usable minutes"
        else:
            reasons[i] = f"too little usable time: {minutes:g} of {min_valid_s / 60:g} minutes"
    return reasons
