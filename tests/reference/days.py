"""One row per local day, and the hours of days and bins."""

from typing import Any

import pandas as pd

from reference import blinks, gait
from reference.bins import WIDTHS, direction
from reference.flags import judged
from reference.rows import EYES, Row, measured, rows_of, rules, share_the_time
from reference.times import (
    bin_of,
    date_of,
    midnight,
    opening,
    recorded_s,
    runs_of_wear,
    span_s,
    total,
    valid_s,
    walking_s,
    worn_s,
)

Table = dict[pd.Timestamp, dict[str, Any]]

HORIZONTAL = {EYES: ("re_r", "re_l"), "standard_mode_logs": ("ems_rl", "eml_rl")}
VERTICAL = {EYES: ("re_u", "re_d"), "standard_mode_logs": ("ems_ud", "eml_ud")}
HIGH = 60


def hours(frame: pd.DataFrame, log: str, *, every: str = "1D", wear: str = "device") -> Table:
    """Return what `coverage` says, for the days or bins in which records open."""
    rows = share_the_time(rows_of(frame), log)
    members: dict[tuple[pd.Timestamp, pd.Timestamp], list[Row]] = {}
    for row in rows:
        members.setdefault(bin_of(opening(row, log), WIDTHS[every]), []).append(row)
    if every == "1D":  # a fetch selects by stamp: its first record may close the day before
        for at in (0, -1):
            while members and all(
                row["at"] >= sorted(members)[at][1] for row in members[sorted(members)[at]]
            ):
                del members[sorted(members)[at]]
    table = {}
    for (opens, closes), group in members.items():
        cells = {"n": sum(measured(row) for row in group)}
        recorded = sum(recorded_s(row, log) for row in group)
        cells |= {
            "recorded_h": recorded / 3600,
            "expected_h": span_s(opens, closes) / 3600,
            "coverage": min(1.0, recorded / span_s(opens, closes)),
        }
        for name, seconds in (("worn_h", worn_s), ("valid_h", valid_s), ("walking_h", walking_s)):
            whole = total(seconds(row, log, wear) for row in group)
            cells[name] = None if whole is None else whole / 3600
        table[date_of(opens) if every == "1D" else opens] = cells
    return table


def per_hour(pairs: list[tuple[Row, Row]], names: tuple[str, ...], log: str) -> float | None:
    """Return counts per worn hour of the intervals in which all of them could be counted."""
    count, seconds = 0.0, 0.0
    for raw, clean in pairs:
        counts = [clean.get(name) for name in names]
        on_head = worn_s(raw, log)
        if on_head is not None and all(value is not None for value in counts):
            count += sum(counts)
            seconds += on_head
    return 3600 * count / seconds if seconds else None


def daily(frame: pd.DataFrame, log: str, *, least_wear_s: float = 300.0) -> Table:
    """Return what `daily` says, by the date of the day in which each interval opens."""
    raw = share_the_time(rows_of(frame), log)
    clean = judged(raw, log)
    lasting = runs_of_wear(raw, log, least_s=least_wear_s)
    members: dict[pd.Timestamp, list[int]] = {}
    for number, row in enumerate(raw):
        members.setdefault(midnight(opening(row, log)), []).append(number)
    table = {}
    for opens, numbers in members.items():
        closes = midnight(opens, days=1)
        if all(raw[i]["at"] >= closes for i in numbers):  # the first record of a fetch
            continue
        pairs = [(raw[i], clean[i]) for i in numbers]
        cells = _hours_of_day(pairs, log, span_s(opens, closes))
        cells |= _wear_of_day([raw[i] for i in numbers if i in lasting], closes, log)
        cells |= _values_of_day(pairs, log)
        table[date_of(opens)] = cells
    return table


def _hours_of_day(pairs: list[tuple[Row, Row]], log: str, day_s: float) -> dict[str, Any]:
    recorded = sum(recorded_s(raw, log) for raw, _ in pairs)
    cells: dict[str, Any] = {
        "n": sum(measured(raw) for raw, _ in pairs),
        "coverage": min(1.0, recorded / day_s),
        "recorded_h": recorded / 3600,
    }
    for name, seconds in (("worn_h", worn_s), ("valid_h", valid_s), ("walking_h", walking_s)):
        whole = total(seconds(raw, log) for raw, _ in pairs)
        cells[name] = None if whole is None else whole / 3600
    return cells


def _wear_of_day(lasting: list[Row], closes: pd.Timestamp, log: str) -> dict[str, Any]:
    if not lasting:
        return {"first_worn": None, "last_worn": None}
    return {
        "first_worn": opening(lasting[0], log),
        "last_worn": min(closes, lasting[-1]["at"]),
    }


def _values_of_day(pairs: list[tuple[Row, Row]], log: str) -> dict[str, Any]:
    clean = [row for _, row in pairs]
    rate = blinks.rate_of(clean, log)
    pace_spm, pace_min = gait.pace(clean, log)
    strength, strength_sd = blinks.strength(clean, log)
    sideways = per_hour(pairs, HORIZONTAL[log], log)
    upright = per_hour(pairs, VERTICAL[log], log)
    cells: dict[str, Any] = {
        "steps": gait.steps_total(clean, log),
        "pace_spm": pace_spm,
        "pace_exposure_min": pace_min,
        "step_time_cv_between": gait.step_time_cv(clean, log),
        "blink_rate_per_min": rate.rate,
        "blink_rate_low": rate.low,
        "blink_rate_high": rate.high,
        "blink_rate_slope_per_h": blinks.slope(clean, log),
        "blink_n": rate.n,
        "blink_exposure_min": rate.exposure_min,
        "blink_strength_uv": strength,
        "blink_strength_sd_uv": strength_sd,
        "blink_duration_ms": blinks.duration(clean, log),
        "eye_moves_per_h": None if sideways is None or upright is None else sideways + upright,
        "eye_moves_horizontal_per_h": sideways,
        "eye_moves_vertical_per_h": upright,
        "head_moves_pitch_per_h": per_hour(pairs, ("hm_po",), log),
        "head_moves_yaw_per_h": per_hour(pairs, ("hm_yo",), log),
        "tilt_fore_aft_deg": direction([r["tl_yav"] for r in clean if r["tl_yav"] is not None]),
        "tilt_sideways_deg": direction([r["tl_xav"] for r in clean if r["tl_xav"] is not None]),
    }
    for name, rule in rules(log).items():
        if rule.sentinel == -1 and clean and name in clean[0]:
            values = [row[name] for row in clean if row[name] is not None]
            cells[f"{name}_n"] = len(values)
            cells[f"{name}_mean"] = sum(values) / len(values) if values else None
            high = sum(value >= HIGH for value in values)
            cells[f"{name}_high_share"] = high / len(values) if values else None
    return cells
