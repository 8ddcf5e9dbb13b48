"""Which reasons speak against a value, and the values that are left."""

from typing import Any

from reference.rows import (
    EYES,
    NOISE,
    STEPS,
    WALK,
    Row,
    evidence,
    measured,
    rules,
    within_limits,
)

MISSING, SENTINEL, RANGE, INVALID, MOVING, STILL = 1, 2, 4, 8, 16, 32
UNWORN, NOISY, OFF_POSE, STALE, SATURATED = 64, 128, 256, 512, 1024

MAX_NOISE_S = {"computed_data": 3.0, "standard_mode_logs": 10.0}
SIDEWAYS = (-45.0, 45.0)
FORE_AFT = (-45.0, 90.0)


def off_pose(row: Row, log: str) -> bool:
    """Return whether a tilt was seen that worn eyewear does not have."""
    for name, (low, high) in (("tl_xav", SIDEWAYS), ("tl_yav", FORE_AFT)):
        tilt = evidence(row, name, log)
        if tilt is not None and not low <= tilt <= high:
            return True
    return False


def stored_of(rows: list[Row], log: str) -> dict[Any, bool | None]:
    """Return by stamp whether the eyewear was stored; None where a row holds nothing at all."""
    return {row["at"]: off_pose(row, log) if measured(row) else None for row in rows}


def blinked(row: Row, log: str) -> bool:
    """Return whether blinks were counted in the interval."""
    count = evidence(row, "bk_n" if log == EYES else "sc_bk_n", log)
    return count is not None and count > 0


def worn(row: Row, log: str, least_s: float, wear: str) -> bool | None:
    """Return whether the eyewear was worn, as far as wear alone says; None where it does not."""
    if wear == "blinks" and blinked(row, log) and not off_pose(row, log):
        if log == EYES:
            return True
        whole = evidence(row, "val_s", log)
        if whole is not None:
            return whole >= least_s
    if log == EYES:
        still = row.get("isl")
        return None if still is None else not still
    seconds = evidence(row, "wea_s", log)
    return None if seconds is None else seconds >= least_s


def walked(row: Row, log: str) -> bool | None:
    """Return whether somebody walked in the interval."""
    walk = evidence(row, WALK[log], log)
    return None if walk is None else walk > 0


def noisy(row: Row, log: str) -> bool | None:
    """Return whether there was more noise than eye movements bear."""
    noise = evidence(row, NOISE[log], log)
    return None if noise is None else noise > MAX_NOISE_S[log]


def counter(name: str, log: str) -> str | None:
    """Return the count that a blink statistic belongs to."""
    prefix = ""
    if log != EYES:
        prefix, name = name[:3], name[3:]
        if prefix not in ("lc_", "sc_"):
            return None
    if name in ("bk_n", "bki_n", "bkg_n"):
        return None
    for start, count in (("bki_", "bki_n"), ("bk", "bk_n"), ("npt_", "bk_n")):
        if name.startswith(start):
            return prefix + count
    return None


def stale(rows: list[Row], at: int, name: str, log: str) -> bool:
    """Return whether a blink statistic is what an older record left in the buffer."""
    count = counter(name, log)
    value = rows[at].get(name)
    if count is None or value is None or evidence(rows[at], count, log) != 0:
        return False
    if rules(log)[name].agg == "sum" and value == 0:
        return False  # a total of nothing is a measurement
    if at > 0 and rows[at - 1].get(name) == value:
        return True
    following = rows[at + 1] if at + 1 < len(rows) else {}
    return following.get(name) == value and evidence(following, count, log) == 0


def reasons_of(
    rows: list[Row],
    log: str,
    *,
    least_worn_s: float = 20.0,
    least_worn_steps_s: float = 30.0,
    wear: str = "device",
) -> list[dict[str, int]]:
    """Return for each row the reasons against each of its values."""
    table = []
    for at, row in enumerate(rows):
        against = {}
        for name in row:
            if name != "at":
                least_s = least_worn_steps_s if name in STEPS[log] else least_worn_s
                against[name] = _reasons(rows, at, name, log, least_s, wear)
        table.append(against)
    return table


def _reasons(rows: list[Row], at: int, name: str, log: str, least_s: float, wear: str) -> int:
    row, rule = rows[at], rules(log)[name]
    value = row[name]
    bits = 0
    if value is None:
        bits |= MISSING
    elif rule.number:
        if rule.sentinel is not None and value == rule.sentinel:
            bits |= SENTINEL
        elif not within_limits(rule, value):
            bits |= RANGE
        elif rule.counts and rule.whole and value == rule.high:
            bits |= SATURATED
        if stale(rows, at, name, log):
            bits |= STALE
    about_the_wearer = rule.kind in ("static", "motion", "gait") and name != "stp_s"
    if not (about_the_wearer and rule.documented):
        return bits
    if worn(row, log, least_s, wear) is False:
        bits |= UNWORN
    if off_pose(row, log):
        bits |= OFF_POSE
    if rule.kind == "static":
        if row.get("vld") is False and log == EYES:
            bits |= INVALID
        if walked(row, log):
            bits |= MOVING
        if noisy(row, log):
            bits |= NOISY
    if rule.kind == "gait" and rule.agg != "sum" and walked(row, log) is False:
        bits |= STILL
    return bits


def masked(
    rows: list[Row], reasons: list[dict[str, int]], log: str, *, allow: int = SATURATED
) -> list[Row]:
    """Return the rows with None wherever a reason that is not allowed speaks against a value."""
    table = []
    for row, against in zip(rows, reasons, strict=True):
        kept: dict[str, Any] = {"at": row["at"]}
        for name, value in row.items():
            if name != "at":
                text = rules(log)[name].agg == "none"
                kept[name] = value if text or not against[name] & ~allow else None
        table.append(kept)
    return table


def judged(rows: list[Row], log: str, **limits: Any) -> list[Row]:
    """Return the rows with what speaks against itself taken out."""
    return masked(rows, reasons_of(rows, log, **limits), log)
