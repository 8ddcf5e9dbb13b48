"""Steps, pace and step time."""

import math

from reference.rows import EYES, STEPS, Row, evidence
from reference.times import total

LEAST_WALKED_S = 50
BELOW_DEG = 45


def steps_of(row: Row, log: str) -> float | None:
    """Return the steps of one judged record; with a class of them missing they are not known."""
    classes = [row.get(name) for name in STEPS[log]]
    return None if any(count is None for count in classes) else float(sum(classes))


def pace_interval(row: Row, log: str) -> tuple[float, float] | None:
    """Return steps and minutes of a judged record that tells a pace, else None."""
    tilt = row.get("tl_yav")
    if tilt is not None and tilt >= BELOW_DEG:
        return None
    steps = steps_of(row, log)
    if steps is None:
        return None
    if log == EYES:
        cadence = row.get("cad")
        return (steps, steps / cadence) if steps > 0 and cadence else None
    seconds = evidence(row, "stp_s", log)
    if seconds is None or seconds < LEAST_WALKED_S:
        return None
    return steps, seconds / 60


def pace(rows: list[Row], log: str) -> tuple[float | None, float]:
    """Return steps per minute of walking, and the minutes."""
    walks = [walk for walk in (pace_interval(row, log) for row in rows) if walk]
    minutes = sum(walk[1] for walk in walks)
    return (sum(walk[0] for walk in walks) / minutes if minutes else None), minutes


def step_time_cv(rows: list[Row], log: str) -> float | None:
    """Return SD / mean of the step times of records, each weighted by its steps."""
    walks = [walk for walk in (pace_interval(row, log) for row in rows) if walk and walk[0] > 0]
    if len(walks) < 2:
        return None
    number = sum(steps for steps, _ in walks)
    mean = sum(minutes for _, minutes in walks) / number
    spread = sum(steps * (minutes / steps - mean) ** 2 for steps, minutes in walks) / number
    return math.sqrt(spread) / mean


def steps_total(rows: list[Row], log: str) -> float | None:
    """Return all steps that were counted, whatever else is missing."""
    return total(row.get(name) for row in rows for name in STEPS[log])
