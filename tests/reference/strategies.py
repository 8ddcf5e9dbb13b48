"""Frames of both logs, damaged at random, over midnights and clock changes in five zones."""

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import Phase, settings
from hypothesis import strategies as st

from reference.flags import counter, stale
from reference.rows import EYES, MINUTES, NOISE, STEP_S, STEPS, Rule, rules
from support.frames import shaped
from support.laws import examples as tried

# Moments (UTC) at which something happens in each zone: its clock changes, and a midnight.
MOMENTS = {
    "UTC": ["2026-03-29T00:00:00Z", "2026-12-31T00:00:00Z"],
    "Asia/Tokyo": ["2026-10-19T15:00:00Z"],
    "Europe/Berlin": ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z", "2026-10-24T22:00:00Z"],
    "America/St_Johns": ["2026-03-08T05:30:00Z", "2026-11-01T04:30:00Z", "2026-03-08T03:30:00Z"],
    "Australia/Lord_Howe": ["2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z", "2026-10-03T13:30:00Z"],
}
ZONES = sorted(MOMENTS)
EVIDENCE = {
    EYES: ("stp", "isl", "vld", "nis_time", "tl_xav", "tl_yav", "cad"),
    MINUTES: ("val_s", "nis_s", "wea_s", "stp_s", "tl_xav", "tl_yav"),
}
# Whole intervals between two stretches of records: none is a reconnect alone (a new phase).
GAPS = [0, 0, 1, 2, 20, 59, 240, 24 * 60]
PHASES = [0, 0, 1, 3, 7]


def examples(n: int) -> settings:
    """Try `n` frames. They come from seeds, so shrinking one that fails would say no more."""
    return settings(tried(n), phases=(Phase.explicit, Phase.reuse, Phase.generate))


both_logs = st.sampled_from([EYES, MINUTES])


@st.composite
def stamps(draw: st.DrawFn, log: str, *, tz: str | None = None) -> pd.DatetimeIndex:
    """Draw stamps on a grid with jitter, gaps and reconnects, around a moment of the zone."""
    tz = tz or draw(st.sampled_from(ZONES))
    moment = pd.Timestamp(draw(st.sampled_from(MOMENTS[tz])))
    step = STEP_S[log]
    at = -step * draw(st.sampled_from([0, 1, 5, 40, 245]))
    seconds: list[int] = []
    for _ in range(draw(st.integers(1, 4))):
        length = draw(st.integers(1, 30))
        jitter = draw(st.sampled_from([0, 0, 0, 1, 2]))
        for i in range(length):
            seconds.append(at + jitter * (i % 3 == 1))
            at += step
        at += step * draw(st.sampled_from(GAPS)) - draw(st.sampled_from(PHASES))
    index = moment + pd.to_timedelta(sorted(set(seconds)), unit="s")
    return pd.DatetimeIndex(index, name="date").as_unit("us").tz_convert(tz)


def _usual(rule: Rule, log: str, draw: np.random.Generator, n: int) -> np.ndarray:
    """Return values as a wearer has them, who sits, walks now and then, and is seldom off."""
    name = rule.name
    walks = np.repeat(draw.random(n) < 0.3, 4)[:n]
    if name in ("isl", "vld"):
        return (np.repeat(draw.random(n) < 0.15, 5)[:n]) ^ (name == "vld")
    if name == "tl_xav":
        return draw.normal(0, 10, n).round(1)
    if name == "tl_yav":
        return draw.choice([10.0, 20.5, 44.9, 45.0, 45.1, -3.0], n, p=[0.4, 0.4, *[0.05] * 4])
    if name == "wea_s":
        return draw.choice([60, 60, 60, 20, 19, 29, 30, 0], n)
    if name == "val_s":
        return draw.choice([60, 60, 60, 59, 31], n)
    if name == NOISE[log]:
        limit = 3 if log == EYES else 10
        return draw.choice([0, 0, 0, limit, limit + 1, 1], n)
    if name == "stp_s":
        return walks * draw.choice([60, 50, 49, 51, 5], n)
    if name in STEPS[log]:
        return walks * draw.integers(0, 31, n)
    if name == "cad":
        return draw.choice([0, 60, 90, 112, 121.5, 255], n)
    low = 0.0 if rule.low is None else rule.low
    high = 100.0 if rule.high is None else rule.high
    values = low + (min(high, low + 60.0) - low) * draw.random(n)
    if rule.high == 100.0:  # of a score: the least that is high, and what is just too low
        values[draw.random(n) < 0.2] = draw.choice([60.0, 59.9])
    return np.floor(values) if rule.whole else values.round(3)


def _edges(rule: Rule) -> list[float]:
    """Return the values on the limits of a field and one step beside them."""
    step = 1.0 if rule.whole else 0.001
    edges = [0.0]
    if rule.low is not None:
        edges += [rule.low, rule.low - step, rule.low + step]
    if rule.high is not None:
        edges += [rule.high, rule.high - step, rule.high + step]
    if rule.sentinel is not None:
        edges += [rule.sentinel] * 3
    return edges + [2.5] * rule.whole


TILTS = [-45.0, 45.0, -45.1, 45.1, 90.0, 90.1, -180.0, 180.0, 180.1]


def _column(rule: Rule, log: str, draw: np.random.Generator, n: int, damage: float) -> list[Any]:
    values: list[Any] = list(_usual(rule, log, draw, n))
    for i in np.flatnonzero(draw.random(n) < damage):
        edges = TILTS if rule.name in ("tl_xav", "tl_yav") else _edges(rule)
        values[i] = edges[draw.integers(len(edges))] if rule.number else values[i]
    for i in np.flatnonzero(draw.random(n) < damage):
        values[i] = None
    return values


def _leave_stale(data: dict[str, list[Any]], log: str, draw: np.random.Generator, n: int) -> None:
    """Let blink statistics stand still over stretches in which no blink was counted."""
    for name in data:
        count = counter(name, log)
        if count in data and n > 1:
            first = int(draw.integers(n))
            for i in range(first, min(n, first + int(draw.integers(1, 6)))):
                data[count][i] = 0 if draw.random() < 0.9 else data[count][i]
                data[name][i] = data[name][i - 1] if i > first else data[name][i]


@st.composite
def damaged(
    draw: st.DrawFn,
    log: str,
    *,
    fields: str = "all",
    tz: str | None = None,
    damages: tuple[float, ...] = (0.0, 0.02, 0.2),
) -> pd.DataFrame:
    """Draw a frame of one log.

    ``fields``: ``"all"`` of the catalogue; ``"some"``, any of them; ``"weighted"``, some with
    their weights and all the evidence.
    """
    index = draw(stamps(log, tz=tz))
    every = rules(log)
    names = list(every)
    if fields != "all":
        names = draw(st.lists(st.sampled_from(names), min_size=1, max_size=9, unique=True))
    if fields == "weighted":
        names = [*names, *(part for name in names for part in every[name].weight)]
        names = [*names, *EVIDENCE[log], *STEPS[log]]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    damage = draw(st.sampled_from(damages))
    n = len(index)
    data = {
        name: _text(rng, n)
        if every[name].agg == "none"
        else _column(every[name], log, rng, n, damage)
        for name in every
        if name in set(names)
    }
    if draw(st.booleans()):
        _leave_stale(data, log, rng, n)
    _lose_steps_together(data, log)
    for i in np.flatnonzero(rng.random(n) < damage / 2):
        for values in data.values():
            values[i] = None
    _leave_no_time_without_gaps(data, log)
    return shaped(data, log, index=index)


def _text(rng: np.random.Generator, n: int) -> list[Any]:
    return [[None, "", "x"][i] for i in rng.integers(0, 3, n)]


def _lose_steps_together(data: dict[str, list[Any]], log: str) -> None:
    """Lose all classes of steps of a record where one is lost: a part of a count is none."""
    classes = [data[name] for name in STEPS[log] if name in data]
    for i in range(len(classes[0]) if classes else 0):
        wrong = any(
            values[i] is None or values[i] != values[i] // 1 or not 0 <= values[i] <= 255
            for values in classes
        )
        if wrong and len(classes) > 1:
            for values in classes:
                values[i] = None


def _leave_no_time_without_gaps(data: dict[str, list[Any]], log: str) -> None:
    """Let gaps last no time where none was counted, but for what the buffer has left."""
    if log == EYES and {"bki_n", "bki_sum"} <= set(data):
        pairs = zip(data["bki_n"], data["bki_sum"], strict=True)
        rows = [{"bki_n": n, "bki_sum": seconds} for n, seconds in pairs]
        for i, row in enumerate(rows):
            if row["bki_n"] == 0 and row["bki_sum"] and not stale(rows, i, "bki_sum", log):
                data["bki_sum"][i] = 0.0


def in_five_zones(log: str, **options: Any) -> st.SearchStrategy[pd.DataFrame]:
    """Return frames of any of the five zones."""
    return st.sampled_from(ZONES).flatmap(lambda tz: damaged(log, tz=tz, **options))
