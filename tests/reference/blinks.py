"""Blink rate of both logs, with the interval of Garwood, and blink strength."""

import math
from typing import NamedTuple

from scipy.stats import chi2

from reference.rows import EYES, Row
from reference.times import usable_s

LEAST_MIN = 3.0
MUTE_MIN = 10.0
LEAST_SPAN_H = 2.0
PREFIX = {"weak": "lc_", "strong": "sc_"}


class Rate(NamedTuple):
    """A rate per minute, what it rests on, and why it is missing."""

    rate: float | None
    low: float | None
    high: float | None
    n: int
    exposure_min: float
    reason: str


def garwood(n: float, minutes: float) -> tuple[float, float]:
    """Return the exact 95 % interval of a Poisson rate."""
    low = chi2.ppf(0.025, 2 * n) / 2 if n > 0 else 0.0
    return float(low / minutes), float(chi2.ppf(0.975, 2 * n + 2) / 2 / minutes)


def rate_of(rows: list[Row], log: str, method: str | None = None, cleansing: str = "") -> Rate:
    """Return the rate of judged rows."""
    if log == EYES:
        return _gaps_of_fifteen(rows)
    method = method or "counts"
    prefix = PREFIX[cleansing or ("weak" if method == "counts" else "strong")]
    return _counts(rows, prefix) if method == "counts" else _gaps_of_sixty(rows, prefix, method)


def _gaps_of_fifteen(rows: list[Row]) -> Rate:
    used = [r for r in rows if r.get("bki_n") is not None and r.get("bki_sum") is not None]
    n, minutes = sum(r["bki_n"] for r in used), sum(r["bki_sum"] for r in used) / 60
    return _answer(n, minutes, 60 * n / (60 * minutes) if minutes else None)


def _counts(rows: list[Row], prefix: str) -> Rate:
    name = f"{prefix}bk_n"
    used = [r for r in rows if r.get(name) is not None and usable_s(r) is not None]
    n, minutes = sum(r[name] for r in used), sum(usable_s(r) or 0 for r in used) / 60
    if n == 0 and minutes >= MUTE_MIN:
        return Rate(None, None, None, 0, minutes, "no blink")
    return _answer(n, minutes, n / minutes if minutes else None)


def _gaps_of_sixty(rows: list[Row], prefix: str, method: str) -> Rate:
    count, mean = f"{prefix}bki_n", f"{prefix}bki_av"
    timed = [r for r in rows if r.get(count) is not None and usable_s(r) is not None]
    minutes = sum(usable_s(r) or 0 for r in timed) / 60
    used = [r for r in rows if r.get(count) is not None and r.get(mean) is not None]
    n = sum(r[count] for r in used)
    if n == 0 or not any(r[count] * r[mean] for r in used):
        reason = "too little usable time" if minutes < LEAST_MIN else "no gap was measured"
        return Rate(None, None, None, int(n), minutes, reason)
    if method == "mean":
        gap = sum(r[count] * r[mean] for r in used) / n
    else:
        gap = math.sqrt(sum(r[count] * r[mean] ** 2 for r in used) / n)
        gap /= math.sqrt(2) if method == "exponential" else 1.0
    return _answer(n, minutes, 60 / gap)


def _answer(n: float, minutes: float, rate: float | None) -> Rate:
    if minutes < LEAST_MIN or rate is None:
        return Rate(None, None, None, int(n), minutes, "too little usable time")
    low, high = garwood(n, n / rate if n else minutes)
    return Rate(rate, low, high, int(n), minutes, "")


def slope(rows: list[Row], log: str) -> float | None:
    """Return the change of the rate per hour: least squares, each row weighted by its minutes."""
    if rate_of(rows, log).rate is None:
        return None
    parts = []
    for row in rows:
        if log == EYES:
            n, seconds = row.get("bki_n"), row.get("bki_sum")
            seconds = 0 if n == 0 else seconds
        else:
            n, seconds = row.get("lc_bk_n"), usable_s(row)
        if n is not None and seconds:
            parts.append((row["at"].timestamp() / 3600, n / (seconds / 60), seconds / 60))
    if not parts or parts[-1][0] - parts[0][0] < LEAST_SPAN_H:
        return None
    weight = math.fsum(w for _, _, w in parts)
    hour = math.fsum(h * w for h, _, w in parts) / weight
    rate = math.fsum(r * w for _, r, w in parts) / weight
    spread = math.fsum(w * (h - hour) ** 2 for h, _, w in parts)
    return math.fsum(w * (h - hour) * (r - rate) for h, r, w in parts) / spread


def strength(rows: list[Row], log: str) -> tuple[float | None, float | None]:
    """Return the mean strength of judged rows and its typical SD, both weighted by blinks."""
    prefix = "" if log == EYES else PREFIX["strong"]
    mean = _weighted(rows, f"{prefix}bkh_av", f"{prefix}bk_n", 1)
    return mean, _weighted(rows, f"{prefix}bkh_sd", f"{prefix}bk_n", 2)


def duration(rows: list[Row], log: str) -> float | None:
    """Return the mean blink duration of judged rows, weighted by blinks."""
    prefix = "" if log == EYES else PREFIX["strong"]
    return _weighted(rows, f"{prefix}bkw_av", f"{prefix}bk_n", 1)


def _weighted(rows: list[Row], name: str, weight: str, power: int) -> float | None:
    used = [r for r in rows if r.get(name) is not None and r.get(weight) is not None]
    n = sum(r[weight] for r in used)
    return (sum(r[weight] * r[name] ** power for r in used) / n) ** (1 / power) if n else None
