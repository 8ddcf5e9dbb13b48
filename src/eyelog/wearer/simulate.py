"""A simulated wearer: realistic days in either log, with the truth behind them.

The seed determines the wearer: traits, habits and mishaps. A calendar day of a seed is always the
same, so a short simulation is the beginning of a longer one.
"""

import operator
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, Final, cast

import numpy as np
import pandas as pd

from eyelog import frame as frames
from eyelog.catalogue import (
    COMPUTED_DATA,
    CURRENT_DATA,
    LOGS,
    STANDARD_MODE_LOGS,
    catalogue,
    check_log,
    columns,
    log_named,
)
from eyelog.checks import whole_number
from eyelog.clock import Zone, Zones, as_tzinfo, as_zones, parse_day
from eyelog.errors import ConfigurationError
from eyelog.frame import record
from eyelog.home import in_terminal, progress_line
from eyelog.wearer import packets
from eyelog.wearer.day import SLOTS_PER_MINUTE, Life, Traits, live, traits
from eyelog.wearer.draws import Array, Bools, Draws, Floats, Ints, covered, onsets, sums
from eyelog.wearer.logs import fifteen_seconds, intervals, sixty_seconds

SAMPLE_START, SAMPLE_DAYS, SAMPLE_SEED, SAMPLE_TZ = "2026-10-19", 7, 14, "Asia/Tokyo"

_Values = Callable[[int, Life, Traits], tuple[Ints, dict[str, Array]]]
_VALUES: Final[dict[str, _Values]] = {
    COMPUTED_DATA: fifteen_seconds,
    STANDARD_MODE_LOGS: sixty_seconds,
    CURRENT_DATA: packets.values,
}
# Stamps of the logs by intervals are whole seconds; a packet of the 20 Hz log has milliseconds.
_PER_SECOND: Final = {COMPUTED_DATA: 1, STANDARD_MODE_LOGS: 1, CURRENT_DATA: 1000}
_PLANTED: Final = {CURRENT_DATA: packets.planted}
TRUE_COLUMNS: Final = (
    "recorded_min", "worn_min", "carried_min", "walking_min", "steps", "pace_spm",
    "blink_rate_per_min", "blink_min", "noise_bouts", "head_moves_pitch", "head_moves_yaw",
    "judged_worn_min", "judged_blink_rate_per_min", "judged_blink_min",
    "total_worn_min", "total_steps",
)  # fmt: skip
_FIRST, _LAST = date(1970, 1, 2), date(2099, 12, 30)


def _days(
    start: str | date, days: int, log: str, seed: int, tz: Zones, blink: float = 1.0
) -> tuple[Traits, Iterator[Life]]:
    """Check the arguments; return the wearer and the days, which are simulated one by one.

    The wearer blinks `blink` times as often as the seed alone decides.
    """
    check_log(log)
    place, first = as_tzinfo(tz), parse_day(start)
    count, number = whole_number(days, "days", 1), whole_number(seed, "seed", 0)
    check_days(first, count)
    who = traits(number)
    who = replace(who, blink=who.blink * blink)
    lived = (live(number, first + timedelta(days=n), who, place) for n in range(count))
    return who, (day for day in lived if day is not None)


def check_days(first: date, count: int) -> None:
    """Raise `ConfigurationError` unless the logs can have stamps of these days."""
    if first < _FIRST or (_LAST - first).days < count - 1:
        raise ConfigurationError(
            f"{count} days from {first} leave the years 1970 to 2099, the range of the logs' stamps"
        )


def simulate(
    start: str | date, days: int, *, log: str = COMPUTED_DATA, seed: int = 0, tz: Zone = "UTC"
) -> pd.DataFrame:
    """Simulate realistic days of one log.

    The person works at a desk, commutes, walks, eats, takes breaks and puts the eyewear down at
    night. Weekends differ. Now and then the battery is flat, the phone stays at home (the 15-second
    log then has a gap, and the 60-second log does not), or the eyewear travels in a bag or lies
    upside down and sleeps.

    Parameters
    ----------
    start : str or date
        First local day, such as ``"2026-10-24"``.
    days : int
        How many local days, 1 or more.
    log : {"computed_data", "standard_mode_logs", "current_data"}
        The 15-second, the 60-second or the 20 Hz log. All see the same days and events.
    seed : int
        Which wearer, 0 or more: it determines traits, habits and mishaps.
    tz : str, Zones, or a table or .csv file of zones
        The wearer's zone; with `eyelog.Zones`, a wearer who travels.

    Returns
    -------
    DataFrame
        Index ``date``: aware stamps in `tz`, sorted and unique. Right-closed: a record stamped
        10:00:00 covers the interval before it, so the last stamp may be the midnight that ends
        the last day. Columns: every field of `log` in catalogue order, with the catalogue's
        dtypes and units; then, if the wearer travels, ``utc_offset_min`` (float64), minutes east
        of UTC of the wearer's clock.

    Raises
    ------
    ConfigurationError
        If `start` is not a day, `days` or `seed` not such a number, `log` or `tz` unknown, or
        the days leave the years 1970 to 2099.

    See Also
    --------
    simulate_truth : What the wearer really did.

    Notes
    -----
    The same arguments give the same values on every machine. A calendar day of a seed is always the
    same, so ``simulate(start, 14)`` begins with ``simulate(start, 3)``.

    Known weaknesses of the devices are planted on purpose, following the vendor's documentation:

    - While a desk worker sits still, the eyewear is judged off about 30 % of the time. Leaving
      that time out raises the blink rate by some 5 %, since it is when the person blinks least.
    - Unworn eyewear in a bag is judged worn while its owner walks.
    - Blink statistics come from a buffer about one interval long, so neighbouring records of the
      15-second log may share a blink or miss one; they keep their old values while nothing is
      counted. Blinks during noise are lost, and with them the gaps that they end.
    - Scores are -1 if they cannot be computed. Normalised values and the sub-indices are missing
      until the day has had 20 minutes of usable data.
    - The 60-second log gives root-mean-square blink gaps (firmware 2.2.0).
    - The fields of the retired sub-apps are filled in two sessions per week and missing
      otherwise; undocumented fields hold neutral values.

    The 20 Hz log has a row per packet while the eyewear is worn and the phone is connected, and for
    a minute after it is taken off: up to 1.2 million rows per day, about 170 MB. Its stamps jitter
    by up to 10 ms, about one packet in 300 is lost, a blink is reported 0.5 s and a step 0.2 s
    after it happened, ``yaw`` drifts, and all angles have humps. `simulate_truth` lists each of
    these.

    Blinks are a Poisson process on tenths of a second, so that rates and their intervals can be
    compared with theory.

    Examples
    --------
    >>> import eyelog as el
    >>> week = el.simulate("2026-10-19", 7, log="standard_mode_logs", tz="Asia/Tokyo")
    >>> str(week.index[0]), week.shape[1]
    ('2026-10-19 00:01:00+09:00', 45)
    >>> el.simulate("2026-10-19", 1, seed=1).equals(el.simulate("2026-10-19", 1, seed=1))
    True
    """
    return simulate_blinking(start, days, log=log, seed=seed, tz=tz, blink=1.0)


def simulate_blinking(
    start: str | date, days: int, *, log: str, seed: int, tz: Zone, blink: float
) -> pd.DataFrame:
    """Simulate a wearer who blinks `blink` times as often as the seed alone decides."""
    zones = as_zones(tz, what="a simulated wearer")
    who, lived = _days(start, days, log, seed, zones, blink)
    stamps: list[Ints] = []
    parts: dict[str, list[Any]] = {name: [] for name in columns(log)}
    # A notebook would store the line with its results.
    shown = None if in_terminal() else False
    with progress_line(operator.index(days), f"simulate {log}", choice=shown) as done:
        for day in lived:
            at, values = _VALUES[log](operator.index(seed), day, who)
            stamps.append(day.begin * _PER_SECOND[log] + at)
            for name, part in parts.items():
                part.append(values[name])
            done()
    if not stamps:
        return _recorded(frames.empty(log), start, days, log, seed, zones)
    index = _index(np.concatenate(stamps), _PER_SECOND[log])
    data: dict[str, Any] = {}
    for name in columns(log):
        # The parts of a column are dropped once they are joined, so a year is in memory only once.
        joined = np.concatenate(parts.pop(name))
        data[name] = pd.array(joined, dtype=cast(Any, catalogue(log)[name].dtype))
    table = pd.DataFrame(data, index=index, columns=pd.Index(list(data), dtype="str"), copy=False)
    return _recorded(table, start, days, log, seed, zones)


def _index(stamps: Ints, per_second: int = 1) -> pd.DatetimeIndex:
    instants = (stamps * (1_000_000 // per_second)).astype("datetime64[us]")
    return pd.DatetimeIndex(instants, tz="UTC", name="date")


def _recorded(
    table: pd.DataFrame, start: str | date, days: int, log: str, seed: int, zones: Zones
) -> pd.DataFrame:
    table, tz = frames.in_zones(table, zones), str(zones)
    return record(
        table, "simulate", log=log, start=str(start), days=int(days), seed=int(seed), tz=tz
    )


def simulate_truth(
    start: str | date, days: int, *, log: str = COMPUTED_DATA, seed: int = 0, tz: Zone = "UTC"
) -> pd.DataFrame:
    """Return what the simulated wearer really did, hour by hour; event by event for the 20 Hz log.

    Parameters
    ----------
    start, days, log, seed, tz
        As for `simulate`; the result is the truth behind that frame.

    Returns
    -------
    DataFrame
        Index ``date``: aware stamps in `tz` at which each hour opens; hours count from the
        local midnight, so a day has 23, 24 or 25 of them. All columns are float64.

        For the time that the log recorded:

        ``recorded_min``
            Minutes covered by records.
        ``worn_min``, ``walking_min``
            Minutes on the nose, and minutes of these spent walking.
        ``carried_min``
            Minutes in a bag while its owner walked.
        ``steps``, ``pace_spm``
            Steps with the eyewear on the nose, and steps per minute of walking (missing without
            walking).
        ``blink_rate_per_min``, ``blink_min``
            Planted blinks per minute, and the minutes that they are averaged over: the time
            worn and free of noise, in intervals without a step and with noise in less than a
            fifth of them (what the vendor calls valid). The rate is missing without any.
        ``noise_bouts``
            Onsets of electrode noise while worn, in the same intervals.
        ``head_moves_pitch``, ``head_moves_yaw``
            Head movements up or down and to a side, while worn.

        ``judged_worn_min``, ``judged_blink_rate_per_min``, ``judged_blink_min``
            The same for the time that is also judged worn (``isl`` false; at least 20 s of
            ``wea_s``), which is what an estimate from that time alone can recover.

        Whether or not the log recorded:

        ``total_worn_min``, ``total_steps``
            Minutes on the nose and steps with the eyewear on the nose.

        For the 20 Hz log, one row per planted event of the recorded time instead. Index ``date``:
        when it happened, sorted; several events may share a time.

        ``kind`` (string)
            ``blink``, ``eye_up``, ``eye_down``, ``eye_left``, ``eye_right``, ``step``, ``nod``,
            ``turn``, ``noise``, ``loss``, ``hump_roll``, ``hump_pitch``, ``hump_yaw``, or ``drift``
            (one per connection).
        ``value`` (float64)
            Strength of a blink (uV-equiv), level of an eye movement (1 to 7), size of a nod, turn
            or hump (deg), packets of a noise bout or loss, drift of ``yaw`` (deg/s); missing for
            a step.
        ``duration_ms`` (float64)
            How long it took (for a drift, its connection); missing for what takes no time.
        ``row`` (datetime, zone as the index)
            Stamp of the row that reports it or begins it; missing where that row was lost or the
            connection had ended.

    Raises
    ------
    ConfigurationError
        As for `simulate`.

    Notes
    -----
    A record of 15 seconds that spans the end of an hour is split there, while summaries put all of
    it into the hour in which it opens.

    Gaps between blinks that stay free of noise are shorter than gaps in general: with noise onsets
    at rate l, the rate from gaps tends to r + l, where r is the planted rate. ``noise_bouts`` over
    ``blink_min`` is that l.

    Examples
    --------
    >>> import eyelog as el
    >>> truth = el.simulate_truth("2026-10-19", 2, tz="Asia/Tokyo")
    >>> len(truth), bool((truth["worn_min"] <= truth["recorded_min"]).all())
    (48, True)
    """
    zones = as_zones(tz, what="a simulated wearer")
    _, lived = _days(start, days, log, seed, zones)
    if log in _PLANTED:
        events = pd.concat([_PLANTED[log](operator.index(seed), day) for day in lived])
        row = _index(events["row_at"].to_numpy(), _PER_SECOND[log])
        table = pd.DataFrame(
            {
                "kind": pd.array(events["kind"].to_numpy(), dtype="string"),
                "value": events["value"].to_numpy(),
                "duration_ms": events["duration_ms"].to_numpy(),
                "row": row.where(events["row_at"].to_numpy() >= 0),
            },
            index=_index(events["at"].to_numpy(), _PER_SECOND[log]),
        )
        table = _recorded(table.sort_index(kind="stable"), start, days, log, seed, zones)
        return table.assign(row=table["row"].dt.tz_convert(pd.DatetimeIndex(table.index).tz))
    tables = [_hours(day, log) for day in lived]
    stamps = np.concatenate([np.empty(0, dtype=np.int64), *(at for at, _ in tables)])
    data = {
        name: np.concatenate([np.empty(0), *(table[name] for _, table in tables)])
        for name in TRUE_COLUMNS
    }
    return _recorded(pd.DataFrame(data, index=_index(stamps)), start, days, log, seed, zones)


def _intervals(day: Life, log: str) -> tuple[Ints, Ints]:
    """Return the beginnings and the stamps of the records of `log`, in seconds since midnight."""
    if not log_named(log).states_seconds:  # its records follow the connections of the phone
        at, lo = intervals(day)
        return lo, at
    lo = np.arange(day.seconds // 60, dtype=np.int64) * 60
    return lo, lo + 60


def _quiet(day: Life, lo: Ints, hi: Ints) -> Bools:
    """Return the seconds in intervals without a step and with noise in less than a fifth."""
    calm = (sums(day.walking, lo, hi) == 0) & (5 * sums(day.noise, lo, hi) < hi - lo)
    return covered(lo[calm], hi[calm], day.seconds)


def _judged(day: Life, log: str, lo: Ints, hi: Ints) -> Bools:
    """Return the seconds in intervals that count as worn by the records alone."""
    judged_s = sums(day.judged & day.on, lo, hi)
    # isl is false from half of the 15 s on; the vendor requires 20 s of wea_s per minute.
    enough = judged_s >= 20 if log_named(log).states_seconds else 2 * judged_s >= hi - lo
    return covered(lo[enough], hi[enough], day.seconds)


def _hours(day: Life, log: str) -> tuple[Ints, dict[str, Floats]]:
    """Return the UTC seconds at which the hours of a day open, and the truth of each hour."""
    hi = np.minimum(np.arange(-(-day.seconds // 3600)) * 3600 + 3600, day.seconds)
    lo = np.arange(len(hi)) * 3600
    begin, end = _intervals(day, log)
    recorded = day.on & covered(begin, end, day.seconds)
    worn = day.worn & recorded
    walking = worn & day.walking
    quiet = worn & _quiet(day, begin, end)
    still = quiet & ~day.noise
    judged = worn & _judged(day, log, begin, end)

    def total(values: Array) -> Floats:
        return sums(values, lo, hi).astype(np.float64)

    def minutes_of(condition: Bools) -> Floats:
        return total(condition) / 60

    def per(amount: Floats, exposure: Floats) -> Floats:
        return np.where(exposure > 0, amount / np.maximum(exposure, 1e-9), np.nan)

    def rate(within: Bools) -> Floats:
        cells = sums(np.where(within, day.blink_cells, 0), lo, hi)
        return per(Draws.per_minute(cells, SLOTS_PER_MINUTE), total(within))

    return day.begin + lo, {
        "recorded_min": minutes_of(recorded),
        "worn_min": minutes_of(worn),
        "carried_min": minutes_of(recorded & ~day.worn & day.walking),
        "walking_min": minutes_of(walking),
        "steps": total(np.where(worn, day.steps, 0)),
        "pace_spm": per(total(np.where(walking, day.cadence, 0)), total(walking)),
        "blink_rate_per_min": rate(still),
        "blink_min": minutes_of(still),
        "noise_bouts": total(onsets(day.noise) & quiet),
        "head_moves_pitch": total(day.nod & worn),
        "head_moves_yaw": total(day.turn & worn),
        "judged_worn_min": minutes_of(judged),
        "judged_blink_rate_per_min": rate(still & judged),
        "judged_blink_min": minutes_of(still & judged),
        "total_worn_min": minutes_of(day.worn),
        "total_steps": total(np.where(day.worn, day.steps, 0)),
    }


@lru_cache(maxsize=2)
def _sample(log: str) -> pd.DataFrame:
    return simulate(SAMPLE_START, SAMPLE_DAYS, log=log, seed=SAMPLE_SEED, tz=SAMPLE_TZ)


def sample(log: str = COMPUTED_DATA) -> pd.DataFrame:
    """Return the sample data: one week of one simulated wearer in Tokyo.

    Monday 2026-10-19 to Sunday 2026-10-25. On Tuesday the phone stays at home, on Thursday the
    battery goes flat, on Friday the eyewear comes home in a bag, and on Sunday it lies upside down
    for a while and sleeps.

    Parameters
    ----------
    log : {"computed_data", "standard_mode_logs"}
        The 15-second or the 60-second log.

    Returns
    -------
    DataFrame
        As from `simulate`: index ``date`` in Asia/Tokyo, every field of `log`. Each call returns
        a new copy.

    Raises
    ------
    ConfigurationError
        If the log is unknown, or is the 20 Hz log, of which a week is too large: simulate a day.

    Examples
    --------
    >>> import eyelog as el
    >>> bool(el.sample()["stp"].sum() > 10_000)
    True
    """
    if check_log(log) not in LOGS:
        raise ConfigurationError(
            f"the sample week has no {log}: use eyelog.simulate({SAMPLE_START!r}, 1, log={log!r})"
        )
    return _sample(log).copy()
