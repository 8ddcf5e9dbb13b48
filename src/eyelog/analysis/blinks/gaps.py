"""Gaps between blinks: their fields, how they are pooled, and how often noise breaks them."""

from typing import Literal

import numpy as np

from eyelog.analysis.grouped.reductions import count_rows, garwood, ratio, root_mean_square, total
from eyelog.analysis.grouped.summary import Prepared
from eyelog.analysis.series.arrays import Floats
from eyelog.analysis.series.runs import follows
from eyelog.catalogue import COMPUTED_DATA, INTERVAL_SECONDS, role, role_field
from eyelog.errors import ConfigurationError

__all__ = [
    "CLEANSINGS",
    "Cleansing",
    "Gaps",
    "burst_fields",
    "check_gaps",
    "gap_fields",
    "gap_totals",
    "noise_onsets",
    "rate_columns",
    "shape_fields",
]

Cleansing = Literal["strong", "weak"]

Gaps = Literal["rms", "mean", "exponential"]

CLEANSINGS: tuple[Cleansing, ...] = ("strong", "weak")

# Root mean square / mean: at least 1, and the square root of 2 for an exponential distribution.
GAP_SHAPE = {"rms": 1.0, "exponential": 2.0**0.5}


def gap_fields(log: str, cleansing: str) -> tuple[str, str]:
    """Return the fields of the number of gaps and of their sum (15 s) or average (60 s)."""
    length = "gap_total" if log == COMPUTED_DATA else "gap_mean"
    return (
        _field(log, cleansing, "gap_count"),
        _field(log, cleansing, length),
    )


def shape_fields(log: str, cleansing: str) -> dict[str, str]:
    """Return the fields of the blink count, and of strength and duration with their spreads.

    The 15-second log has no spread of durations: ``duration_sd`` is then left out.
    """
    parts = {
        "count": "blink_count",
        "strength": "blink_strength",
        "strength_sd": "blink_strength_sd",
        "duration": "blink_duration",
        "duration_sd": "blink_duration_sd",
    }
    return {noun: _field(log, cleansing, part) for noun, part in parts.items() if role(log, part)}


def burst_fields(log: str, cleansing: str) -> tuple[str, str]:
    """Return the fields of the blink count and the burst count of the 60-second log."""
    return _field(log, cleansing, "blink_count"), _field(log, cleansing, "burst_count")


def _field(log: str, cleansing: str, part: str) -> str:
    if cleansing not in CLEANSINGS:
        raise ConfigurationError(f"cleansing must be 'strong' or 'weak', not {cleansing!r}")
    return role_field(log, part, cleansing=cleansing)


def gap_totals(prepared: Prepared, cleansing: str, gaps: str) -> tuple[Floats, Floats, Floats]:
    """Return for each group the number of gaps, their seconds, and the coverage."""
    number_name, length_name = gap_fields(prepared.log, cleansing)
    n, length = prepared.values(number_name), prepared.values(length_name)
    # Without gaps their length is 0, whatever is left in the buffer.
    counted = ~np.isnan(n) & (~np.isnan(length) | (n == 0))
    used = np.where(counted, n, np.nan)
    if prepared.log == COMPUTED_DATA:
        seconds = total(np.where(n == 0, 0.0, np.where(counted, length, np.nan)), prepared.groups)
    else:
        seconds = total(np.where(n == 0, 0.0, used * length), prepared.groups)
        if gaps != "mean":
            typical = root_mean_square(length, used, prepared.groups) / GAP_SHAPE[gaps]
            gaps_used = total(used, prepared.groups)
            seconds = np.where(gaps_used > 0, gaps_used * typical, seconds)
    number = np.nan_to_num(total(used, prepared.groups))
    return number, np.nan_to_num(seconds), prepared.coverage(counted)


def rate_columns(
    number: Floats, seconds: Floats, *, min_valid_s: float, noise_per_min: Floats | float = 0.0
) -> dict[str, Floats]:
    """Return rate, low and high per minute; missing where the gaps add up to too little time."""
    minutes = seconds / 60.0
    enough = (seconds >= min_valid_s) & (seconds > 0)
    low, high = garwood(number, minutes)
    columns = {"rate_per_min": ratio(number, minutes), "low": low, "high": high}
    return {
        name: np.where(enough, np.maximum(values - noise_per_min, 0.0), np.nan)
        for name, values in columns.items()
    }


def check_gaps(gaps: str | None) -> None:
    """Raise `ConfigurationError` unless `gaps` is None or one of its values."""
    if gaps not in (None, "mean", *GAP_SHAPE):
        raise ConfigurationError(f"gaps must be 'rms', 'exponential' or 'mean', not {gaps!r}")


def noise_onsets(prepared: Prepared, cleansing: str) -> Floats:
    """Return the onsets of noise per noise-free minute; missing where they cannot be counted."""
    noise = prepared.values(role_field(prepared.log, "noise_s"))
    n = prepared.values(gap_fields(prepared.log, cleansing)[0])
    length = float(INTERVAL_SECONDS[prepared.log])
    stamps = prepared.index.asi8
    after_quiet = np.zeros(len(noise), dtype=bool)
    after_quiet[1:] = follows(stamps, length * 1e6) & (noise[:-1] == 0)
    judged = after_quiet & ~np.isnan(noise) & ~np.isnan(n)
    noisy = count_rows(judged & (noise > 0), prepared.groups)
    share = ratio(noisy, count_rows(judged, prepared.groups))
    with np.errstate(divide="ignore"):
        return np.where(share < 1, -np.log1p(-share) * 60.0 / length, np.nan)
