"""Records in longer intervals, each field by its rule."""

import math
from typing import Any

import pandas as pd

from reference.flags import judged
from reference.rows import Row, measured, rows_of, rules, share_the_time
from reference.times import bin_of, opening, recorded_s, span_s

WIDTHS = {"1min": 60, "5min": 300, "10min": 600, "1h": 3600, "2h": 7200, "1D": 86_400}


def weight_of(row: Row, name: str, log: str) -> float | None:
    """Return the weight of a value; with a part of it missing it is not known."""
    parts = [row.get(part) for part in rules(log)[name].weight]
    return None if any(part is None for part in parts) else float(sum(parts))


def direction(degrees: list[float]) -> float | None:
    """Return the direction of the mean unit vector, or None where it points nowhere."""
    if not degrees:
        return None
    east = sum(math.cos(math.radians(angle)) for angle in degrees) / len(degrees)
    north = sum(math.sin(math.radians(angle)) for angle in degrees) / len(degrees)
    return math.degrees(math.atan2(north, east)) if math.hypot(east, north) > 1e-9 else None


def reduced(rows: list[Row], name: str, log: str) -> float | None:
    """Return one value for several records, by the rule of the field."""
    rule = rules(log)[name]
    values = [row[name] for row in rows if row[name] is not None]
    if rule.agg in ("wmean", "pooled_sd", "rms") and rule.weight:
        pairs = [
            (weight_of(row, name, log), row[name])
            for row in rows
            if row[name] is not None and weight_of(row, name, log) is not None
        ]
        n = sum(weight for weight, _ in pairs)
        if n == 0:
            return None
        if rule.agg == "wmean":
            return sum(weight * value for weight, value in pairs) / n
        return math.sqrt(sum(weight * value**2 for weight, value in pairs) / n)
    if not values:
        return None
    if rule.agg == "sum":
        return float(sum(values))
    if rule.agg == "max":
        return float(max(values))
    if rule.agg == "last":
        return float(values[-1])
    if rule.agg == "mean":
        return sum(float(value) for value in values) / len(values)
    if rule.agg == "pooled_sd":
        return math.sqrt(sum(value**2 for value in values) / len(values))
    if rule.agg == "circ_mean":
        return direction(values)
    raise AssertionError(rule.agg)


def resampled(
    frame: pd.DataFrame, log: str, every: str, *, min_coverage: float = 0.0
) -> dict[pd.Timestamp, dict[str, Any]]:
    """Return the columns of each bin that holds rows, by when the bin opens."""
    raw = share_the_time(rows_of(frame), log)
    clean = judged(raw, log)
    names = [name for name in frame.columns if rules(log)[name].agg != "none"]
    members: dict[tuple[pd.Timestamp, pd.Timestamp], list[int]] = {}
    for number, row in enumerate(raw):
        members.setdefault(bin_of(opening(row, log), WIDTHS[every]), []).append(number)
    table = {}
    for (opens, closes), numbers in members.items():
        before, after = [raw[i] for i in numbers], [clean[i] for i in numbers]
        covered = sum(recorded_s(row, log) for row in before) / span_s(opens, closes)
        cells: dict[str, Any] = {
            "n": sum(measured(row) for row in before),
            "coverage": min(1.0, covered),
        }
        for name in names:
            cells[name] = reduced(after, name, log) if covered >= min_coverage else None
        table[opens] = cells
    return table
