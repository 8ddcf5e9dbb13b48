"""How much of the time was recorded, where records are missing, and the first look at a frame.

These tables describe the data and change nothing in it. There are three kinds of gaps (after
LightLogR): *implicit*, no row; *explicit*, a row in which every value is missing; *irregular*,
stamps off the grid.
"""

import warnings
from typing import Final

import numpy as np
import pandas as pd

from eyelog.catalogue import columns, log_named, needed, role
from eyelog.clock import DAY_US, dates_at, stamps_at
from eyelog.errors import EyelogWarning, listed
from eyelog.frame import OFFSET, RECORDED, derived, require_one_frame, stated_account, takes_tables
from eyelog.judge.arrays import Floats, numbers, runs
from eyelog.judge.intervals import enter, sums
from eyelog.judge.limits import Limits, limits_of
from eyelog.judge.packets import PACKET_US, packets
from eyelog.measure.groups import GROUP_S, STATISTICS, By, evaluate, group, result
from eyelog.measure.readable import duration_text
from eyelog.measure.sheet import NOTHING, Heading, Sheet


@takes_tables
def coverage(
    frame: pd.DataFrame,
    *,
    by: By = "day",
    limits: Limits | None = None,
    log: str | None = None,
    day_starts: str | None = None,
) -> pd.DataFrame:
    """Return how much of each day, or other group, was recorded, worn, valid, walked and counted.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, or Intervals (`eyelog.intervals`).
    by : str, Series, array or list, optional
        ``"day"``, ``"week"``, ``"hour"``, ``"weekday"`` (0 is Monday) or ``"weekend"``; a width
        (``"10min"``, ``"1h"``, ``"7D"``); the name of a column, a Series by stamp or an array: a
        label for each row; or several of these in a list. None: all rows, as one group.
    limits : Limits, optional
        What counts as worn, noisy, walking and in pose, see `eyelog.Limits`.
    log : str, optional
        The log, if neither the provenance nor the columns show it.
    day_starts : str, optional
        When a day starts, such as ``"18:00"`` for people who work at night. Default: midnight.

    Returns
    -------
    DataFrame
        Days, weeks and bins: each from the first with records to the last, also those without any.
        Other groups: those with records. Days and weeks are named by the date of their first day,
        without a zone; shorter bins by when they open. Columns: int64 ``n`` (records), then float64
        ``recorded_h``, ``expected_h`` (of a day 24, or 23 or 25 where the clocks change, or other
        hours on a day of travel; of hours of day, weekdays and all rows those between the first row
        and the last; of labels those of their rows), ``coverage`` (recorded / expected, at most 1),
        ``worn_h``, ``valid_h`` (worn, and resting eye data usable) and ``walking_h``. Then the time
        that a total of steps misses: ``unworn_h`` (recorded, not worn), ``uncounted_h`` (recorded,
        without a step count: the eyewear was off or stored) and ``capped`` (intervals with a step
        count at its cap, which is a lower bound). The hours from ``worn_h`` on are missing if
        nothing was recorded, or the evidence was not.

    Raises
    ------
    ConfigurationError
        If `by`, `day_starts` or the index cannot be used, nothing shows which log it is, the
        records overlap (two sources), the frame was masked with other limits, or the bins between
        the first record and the last are very many and hardly any hold records.
    MixedLogsError
        If the frame has fields of both logs.

    Notes
    -----
    A first day that has only the record that closes the day before is left out: a fetch selects by
    stamp. A record in which every value is missing is not recorded time. A masked frame, and
    Intervals, have the same hours as the frame that they were made from; only where the whole of
    them is one group (``by=None``, and hours and weekdays) do Intervals reach from the opening of
    the first to the closing of the last, whether or not records fill these two. The steps of a day
    are a lower bound: steps taken without the eyewear are not recorded.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.coverage(el.sample("standard_mode_logs"))
    >>> bool((table["worn_h"] <= table["recorded_h"]).all())
    True
    >>> el.coverage(el.sample(), by="weekend").index.tolist()
    ['weekday', 'weekend']
    """
    rows = enter(
        frame, "coverage", ["gait"], limits=limits, log=log, day_starts=day_starts, time=True
    )
    groups = group(rows, by, empty=True)
    total = sums(rows, groups, ["gait"]) | {GROUP_S: groups.seconds}
    unknown = np.full(len(groups.labels), np.nan)
    data = {each.name: unknown for each in STATISTICS["coverage"]}
    data |= evaluate(STATISTICS["coverage"], total)
    return result(rows, groups, data, day_starts=day_starts)


@takes_tables
def gaps(frame: pd.DataFrame, *, log: str | None = None) -> pd.DataFrame:
    """Return where records are missing, empty, or off the grid.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, or Intervals (`eyelog.intervals`).
    log : str, optional
        The log, if neither the provenance nor the columns show it.

    Returns
    -------
    DataFrame
        One row per gap, in order of time. Columns: ``start``, ``end`` (stamps in the frame's zone:
        the time that no value covers), ``duration`` (timedelta), int64 ``n_expected`` (whole
        intervals that fit in), and ``kind``:

        - ``implicit``: there are no rows;
        - ``explicit``: there are rows, and every value in them is missing (with the short
          remainders between such rows, where their grid of stamps restarts);
        - ``irregular``: less than one interval between two records, or records that overlap
          (then ``duration`` is 0): the grid of stamps restarts.

        In the 20 Hz log, whose stamps are uneven, there are two other kinds:

        - ``lost``: packets of a connection that did not arrive, by their numbers (without numbers,
          a pause of more than 1 s); ``n_expected`` counts them;
        - ``asleep``: from the end of a connection to the next one: the eyewear was held upside
          down or put away, or the phone was out of reach.

    Raises
    ------
    ConfigurationError
        If the index cannot be used, nothing shows which log it is, or the records overlap (two
        sources).
    MixedLogsError
        If the frame has fields of both logs.

    Notes
    -----
    A record covers the interval before its stamp. The 15-second log starts a new grid each
    time the phone connects, so most of its gaps have an ``implicit`` part of whole intervals and an
    ``irregular`` remainder; the durations add up to all the time without a value between the first
    record and the last. Time before the first record and after the last is not a gap: the range
    that was meant is unknown here. Gaps between Intervals are whole rows that have no records.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.gaps(el.sample())
    >>> bool((table["end"] >= table["start"]).all())
    True
    """
    # By which limits the rows were judged makes no difference to gaps.
    made = RECORDED in getattr(frame, "columns", ())
    rows = enter(frame, "gaps", (), limits=limits_of(frame), log=log, wide=made)
    opens, closes = rows.opens_us, rows.closes_us
    if rows.single:
        here = rows.records.context["recorded"]
        us, sequence = closes[here], rows.records.evidence("sequence")
        anew, missing = packets(us, None if sequence is None else sequence[here])
        after = np.flatnonzero((missing > 0) | anew)
        # A connection opens one packet before its first stamp; lost packets end at the latest where
        # the next packet arrives.
        ends = np.where(anew, us - PACKET_US, np.minimum(us, np.roll(us, 1) + missing * PACKET_US))
        start_us = us[after - 1]
        end_us = np.maximum(ends[after], start_us)
        expected = np.where(anew[after], (end_us - start_us) // PACKET_US, missing[after])
        kinds = np.where(anew[after], "asleep", "lost")
    elif made:
        after = np.flatnonzero(opens[1:] > closes[:-1])
        start_us, end_us = closes[after], opens[after + 1]
        # Midnight and the clock may have cut the rows that are missing.
        longest = (closes - opens).max(initial=1)
        expected = np.maximum(np.rint((end_us - start_us) / longest), 1)
        kinds = np.repeat(["implicit"], len(after))
    else:
        # Runs of empty records, and the time between all others that no record covers.
        length = log_named(rows.log).interval_us
        first, last = runs(~rows.records.context["recorded"], closes, float(length))
        within = np.zeros(rows.size + 1, dtype=np.int64)  # the space between two rows of a run
        within[first] += 1
        within[last] -= 1
        space = opens[1:] - closes[:-1]
        after = np.flatnonzero((space != 0) & (np.cumsum(within)[: len(space)] == 0))
        start, end = closes[after], closes[after] + np.maximum(space[after], 0)
        whole = (end - start) // length
        turn = start + whole * length  # where whole intervals end, and a remainder begins
        some, rest = whole > 0, (whole == 0) | (turn < end)
        start_us = np.concatenate([opens[first], start[some], turn[rest]])
        end_us = np.concatenate([closes[last], turn[some], end[rest]])
        empty = (closes[last] - opens[first]) // length
        expected = np.concatenate([empty, whole[some], 0 * whole[rest]])
        numbers_of = [len(first), some.sum(), rest.sum()]
        kinds = np.repeat(["explicit", "implicit", "irregular"], numbers_of)
    order = np.argsort(start_us, kind="stable")
    begins, ends_at = (pd.Series(stamps_at(us[order], rows.tz)) for us in (start_us, end_us))
    table = pd.DataFrame(
        {
            "start": begins,
            "end": ends_at,
            "duration": ends_at - begins,
            "n_expected": expected[order].astype(np.int64),
            "kind": pd.Series(kinds[order], dtype="string"),
        }
    )
    return derived(table, frame, "gaps", log=rows.log or None)


MOST_FIELDS: Final = 8
COUNTERS: Final = ("eye_moves_vertical", "eye_moves_horizontal", "blinks_all", "blink_count")
LEAST_COUNTED_H: Final = 1.0  # of records in which nothing was counted


@takes_tables
def describe(frame: pd.DataFrame, *, limits: Limits | None = None) -> Sheet:
    """Return what a frame is, on one screen: log, zone, range, wear, what is missing, what to try.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log.
    limits : Limits, optional
        What counts as worn, usable and a day that counts, see `eyelog.Limits`.

    Returns
    -------
    Sheet
        Prints as text and shows as a table in a notebook; ``.table`` has the same cells as a
        DataFrame. Rows: ``Log``, ``Wearer`` (if the frame says), ``Zone``, ``Range`` (local days),
        ``Rows``, ``Recorded``, ``Worn`` and ``Usable`` (hours, percent, days that count), ``Gaps``,
        ``Never counted`` (counters of eye movements and blinks that are 0 in an hour of records or
        more, if there are any) and ``Not in the frame`` (fields that `eyelog.daily` would use).

    Raises
    ------
    ConfigurationError
        If this is not a frame of one log and one source.

    Examples
    --------
    >>> import eyelog as el
    >>> seen = el.describe(el.sample("standard_mode_logs")).table["Value"]
    >>> seen["Log"], seen["Range"]
    ('60-second log (standard_mode_logs)', '7 days: Mon 19 Oct 2026 to Sun 25 Oct 2026')
    """
    require_one_frame(frame, what="describe")
    rows = enter(frame, "describe", (), limits=limits, wide=False)
    log, columns_of_it = rows.log, {*frame.columns}
    absent = [name for name in needed("daily", log=log) if name not in columns_of_it]
    varies = OFFSET in columns_of_it
    said = {"Log": f"{log_named(log).words} ({log})"}
    account = stated_account(frame)
    if account:
        said["Wearer"] = str(account)
    said["Zone"] = "the wearer's, which varies" if varies else str(rows.tz)
    if frame.empty:
        said["Range"] = "no rows"
        hints = ["Try a longer range: there is nothing to look at."]
    else:
        dates = rows.clock.wall_us(rows.closes_us - 1) // DAY_US
        first, last = dates_at(np.array([dates.min(), dates.max()]))
        n = (last - first).days + 1
        words = "1 day" if n == 1 else f"{n:,} days"
        until = "" if n == 1 else f" to {last:%a} {last.day} {last:%b %Y}"
        with warnings.catch_warnings():  # what is not checked has a row of its own
            warnings.simplefilter("ignore", EyelogWarning)
            hours, missing = coverage(frame, limits=limits), gaps(frame)
        recorded, expected, worn, usable = (
            numbers(hours[name]) for name in ("recorded_h", "expected_h", "worn_h", "valid_h")
        )
        least = rows.limits.seconds("min_day") / 3600.0
        counted = f"; {least:g} h or more on {int((worn >= least).sum())} of {words}"
        said |= {
            "Range": f"{words}: {first:%a} {first.day} {first:%b %Y}{until}",
            "Rows": f"{len(frame):,} record{'' if len(frame) == 1 else 's'}",
            "Recorded": _share(recorded, expected, "of the time"),
            "Worn": _share(worn, recorded, "of this") + counted * bool(np.isfinite(worn).any()),
            "Usable": _share(usable, worn, "of the time worn"),
            "Gaps": "none",
        }
        missing = missing[missing["kind"] != "irregular"]
        if len(missing):
            longest = missing.sort_values("duration", kind="stable")
            start, length = longest[["start", "duration"]].iloc[-1]
            said["Gaps"] = (
                f"{len(missing):,}; the longest lasts {duration_text(length)} from"
                f" {start:%a} {start.day} {start:%b %H:%M}"
            )
        counters = [name for of in COUNTERS for name in role(log, of) if name in columns_of_it]
        silent = [name for name in counters if frame[name].max() == 0]
        could_count = usable if np.isfinite(usable).any() else recorded
        if silent and float(np.nansum(could_count)) >= LEAST_COUNTED_H:
            said["Never counted"] = (
                f"{listed(silent, MOST_FIELDS)}: 0 in every record, which passes for usable; the"
                " eyewear or its phone may not have counted"
            )
        # Without the field that shows wear there are no states to draw.
        shows_wear = set(role(log, "worn")) <= columns_of_it
        draw = "el.plot_overview(frame)" if shows_wear else "el.plot_timeline(frame)"
        hints = [f"Try {draw}, el.daily(frame), el.explain(el.flag(frame))."]
        if str(rows.tz) == "UTC" and not varies:
            hints.append(
                "Days are those of UTC: if the wearer was elsewhere, give the zone, such as"
                ' tz="Asia/Tokyo", where the frame is read.'
            )
        if absent:
            hints.append('Read the frame with fields="daily" for all that a summary of days needs.')
    said["Not in the frame"] = (
        f"{listed(absent, MOST_FIELDS)}, which eyelog.daily would use"
        if absent
        else f"nothing that eyelog.daily needs (the log has {len(columns(log))} fields)"
    )
    headings = [Heading("First look", is_text=True), Heading("Value", is_text=True)]
    return Sheet(headings, [list(row) for row in said.items()], notes=hints)


def _share(hours: Floats, of: Floats, words: str) -> str:
    """Return hours, and their share of others in percent; a sign if none are known."""
    if not np.isfinite(hours).any():
        return f"{NOTHING} (the frame does not show it)"
    total, whole = float(np.nansum(hours)), float(np.nansum(of))
    percent = f" ({100 * total / whole:.0f} % {words})" if whole else ""
    return f"{total:,.1f} h{percent}"
