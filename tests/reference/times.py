"""How many seconds of a record were recorded, worn, walked and usable; days and runs of wear."""

from datetime import timedelta
from typing import Any

import pandas as pd

from reference.flags import MAX_NOISE_S, blinked, off_pose
from reference.rows import EYES, NOISE, STEP_S, Row, evidence, measured

LEAST_WORN_S = 20.0
LEAST_WORN_FOR_STEPS_S = 30.0


def recorded_s(row: Row, log: str) -> float:
    """Return the seconds that a record covers: none where every value in it is missing."""
    return STEP_S[log] * row.share if measured(row) else 0.0


def worn_s(row: Row, log: str, wear: str = "device") -> float | None:
    """Return the seconds of wear that no earlier record has covered."""
    seconds = on_head_s(row, log, wear)
    return None if seconds is None else seconds * row.share


def on_head_s(row: Row, log: str, wear: str = "device") -> float | None:
    """Return the seconds of wear: none where stored, None where the evidence is not there."""
    if off_pose(row, log):
        return 0.0 if (("isl" if log == EYES else "wea_s") in row) else None
    if wear == "blinks" and blinked(row, log):
        whole = 15.0 if log == EYES else evidence(row, "val_s", log)
        if whole is not None:
            return float(whole)
    if log == EYES:
        still = row.get("isl")
        return None if still is None else (0.0 if still else 15.0)
    return evidence(row, "wea_s", log)


def interval_is_worn(row: Row, log: str, wear: str = "device") -> bool | None:
    """Return whether the interval as a whole counts as worn."""
    seconds = on_head_s(row, log, wear)
    return None if seconds is None else seconds >= (15.0 if log == EYES else LEAST_WORN_S)


def walking_s(row: Row, log: str, wear: str = "device") -> float | None:
    """Return the seconds walked: the steps over the cadence, counted where worn and in pose."""
    wear_is_known = ("isl" if log == EYES else "wea_s") in row
    if off_pose(row, log) or (wear_is_known and not interval_is_worn(row, log, wear)):
        return None
    if log != EYES:
        walked, on_head = evidence(row, "stp_s", log), on_head_s(row, log, wear)
        if on_head is None or walked is None:
            return None if walked is None or wear_is_known else walked * row.share
        return min(walked, on_head) * row.share if on_head >= LEAST_WORN_FOR_STEPS_S else None
    if "cad" not in row:
        return None
    steps, cadence = evidence(row, "stp", log), evidence(row, "cad", log)
    if steps is None:
        return None
    if steps == 0:
        return 0.0
    return min(15.0, 60 * steps / cadence) * row.share if cadence else None


def valid_s(row: Row, log: str, wear: str = "device") -> float | None:
    """Return the usable seconds: worn, in pose, at rest, with little noise."""
    seconds = worn_s(row, log, wear)
    answers: list[bool | None] = [interval_is_worn(row, log, wear)]
    walk = "stp" if log == EYES else "stp_s"
    if walk in row:
        steps = evidence(row, walk, log)
        answers.append(None if steps is None else steps == 0)
    if NOISE[log] in row:
        noise = evidence(row, NOISE[log], log)
        answers.append(None if noise is None else noise <= MAX_NOISE_S[log])
    if log == EYES and "vld" in row:
        answers.append(row["vld"])
    if ("isl" if log == EYES else "wea_s") not in row:
        return None
    if any(answer is False for answer in answers):
        return 0.0
    return None if any(answer is None for answer in answers) else seconds


def usable_s(row: Row) -> float | None:
    """Return the measured seconds without noise, of the 60-second log."""
    whole = evidence(row, "val_s", "standard_mode_logs")
    noise = evidence(row, "nis_s", "standard_mode_logs")
    return None if whole is None or noise is None else max(0.0, whole - noise)


def total(values: Any) -> float | None:
    """Return the sum of what is there, or None where nothing is."""
    present = [value for value in values if value is not None]
    return float(sum(present)) if present else None


def opening(row: Row, log: str) -> pd.Timestamp:
    """Return when the interval of a record opens: its stamp closes it."""
    at = row["at"]
    return (at.tz_convert("UTC") - timedelta(seconds=STEP_S[log])).tz_convert(at.tz)


def midnight(moment: pd.Timestamp, *, days: int = 0) -> pd.Timestamp:
    """Return the local midnight that opens the day of a moment, or of a day after it."""
    date = moment.date() + timedelta(days=days)
    return pd.Timestamp(date).tz_localize(moment.tz)


def date_of(opens: pd.Timestamp) -> pd.Timestamp:
    """Return the calendar date that a local midnight opens, as tables of days name it."""
    return pd.Timestamp(opens.date())


def span_s(start: pd.Timestamp, end: pd.Timestamp) -> float:
    """Return the seconds that passed, whatever the clocks did."""
    return (end.tz_convert("UTC") - start.tz_convert("UTC")).total_seconds()


def bin_of(opens: pd.Timestamp, width_s: float) -> tuple[pd.Timestamp, pd.Timestamp]:
    """Return the edges of the bin in which a record opens: counted from midnight, cut there."""
    day, next_day = midnight(opens), midnight(opens, days=1)
    if width_s >= 86_400:
        return day, next_day
    number = int(span_s(day, opens) // width_s)
    first = (day.tz_convert("UTC") + timedelta(seconds=number * width_s)).tz_convert(opens.tz)
    last = (first.tz_convert("UTC") + timedelta(seconds=width_s)).tz_convert(opens.tz)
    return first, min(last, next_day)


def runs_of_wear(
    rows: list[Row], log: str, *, least_s: float = 300.0, wear: str = "device"
) -> set[int]:
    """Return the rows that belong to wear of at least `least_s` without a break."""
    step = STEP_S[log]
    runs: list[list[int]] = []
    for number, row in enumerate(rows):
        if interval_is_worn(row, log, wear) is not True:
            continue
        last = runs[-1][-1] if runs else None
        if last == number - 1 and span_s(rows[last]["at"], row["at"]) <= 1.5 * step:
            runs[-1].append(number)
        else:
            runs.append([number])
    long = set()
    for run in runs:
        if span_s(rows[run[0]]["at"], rows[run[-1]]["at"]) + step >= least_s:
            long |= set(run)
    return long
