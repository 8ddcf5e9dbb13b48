"""The blink fields of each log, and how often noise interrupts the gaps between blinks."""

from typing import Literal, NamedTuple

import numpy as np
import scipy

from eyelog.analysis.grouped.reductions import count_rows, ratio
from eyelog.analysis.grouped.summary import Prepared
from eyelog.analysis.series.arrays import Floats
from eyelog.analysis.series.runs import follows
from eyelog.catalogue import log_named, role, role_field
from eyelog.errors import ConfigurationError

__all__ = [
    "CLEANSINGS",
    "Cleansing",
    "Onsets",
    "burst_fields",
    "count_field",
    "gap_fields",
    "noise_onsets",
    "shape_fields",
]

Cleansing = Literal["strong", "weak"]

CLEANSINGS: tuple[Cleansing, ...] = ("strong", "weak")


def gap_fields(log: str, cleansing: str) -> tuple[str, str]:
    """Return the fields of the number of gaps and of their sum (15 s) or average (60 s)."""
    length = log_named(log).gap_length
    return (
        _field(log, cleansing, "gap_count"),
        _field(log, cleansing, length),
    )


def count_field(log: str, cleansing: str) -> str:
    """Return the field of the number of blinks."""
    return _field(log, cleansing, "blink_count")


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


class Onsets(NamedTuple):
    """Onsets of noise per noise-free minute, with a 95 % interval; missing if not countable."""

    per_min: Floats
    low: Floats
    high: Floats


def noise_onsets(prepared: Prepared, cleansing: str) -> Onsets:
    """Return how often noise sets in.

    The frame must include the gaps of noisy intervals: if they are masked, the very intervals in
    which noise sets in are left out.
    """
    noise = prepared.values(role_field(prepared.log, "noise_s"))
    n = prepared.values(gap_fields(prepared.log, cleansing)[0])
    length = float(log_named(prepared.log).interval_s)
    stamps = prepared.index.asi8
    after_quiet = np.zeros(len(noise), dtype=bool)
    after_quiet[1:] = follows(stamps, length * 1e6) & (noise[:-1] == 0)
    used = after_quiet & ~np.isnan(noise) & ~np.isnan(n)
    noisy, all_of_them = (
        count_rows(chosen, prepared.groups) for chosen in (used & (noise > 0), used)
    )
    share = ratio(noisy, all_of_them)
    quiet = all_of_them - noisy
    # Clopper & Pearson 1934; beta has no parameter 0, where the limit is 0 or 1.
    low = np.where(noisy > 0, scipy.special.betaincinv(noisy, quiet + 1.0, 0.025), 0.0)
    high = np.where(quiet > 0, scipy.special.betaincinv(noisy + 1.0, quiet, 0.975), 1.0)

    def per_min(shares: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.where(share < 1, -np.log1p(-shares) * 60.0 / length, np.nan)

    return Onsets(per_min(share), per_min(low), per_min(high))
