"""The first look at a frame: what it is, how much of it there is, what is missing, what to try."""

import warnings
from typing import Final

import numpy as np
import pandas as pd

from eyelog.analysis.series.arrays import Floats, numbers
from eyelog.catalogue import columns, log_named, needed, role
from eyelog.clock import local_days
from eyelog.errors import EyelogWarning, listed
from eyelog.frame import (
    OFFSET,
    clock_of,
    log_of,
    refuse_results,
    require_one_frame,
    stamps,
    takes_tables,
)
from eyelog.judge.limits import Limits, chosen_limits
from eyelog.measure.coverage import coverage, gaps
from eyelog.measure.readable import duration_text
from eyelog.measure.sheet import NOTHING, Heading, Sheet
from eyelog.provenance import KEY

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
    refuse_results(frame, "describe")
    log, limits = log_of(frame), chosen_limits(limits, frame)
    index, n_fields = stamps(frame, what="describe"), len(columns(log))
    absent = [name for name in needed("daily", log=log) if name not in frame.columns]
    varies = OFFSET in frame.columns
    rows = {"Log": f"{log_named(log).words} ({log})"}
    account = frame.attrs.get(KEY, {}).get("account")
    if account:
        rows["Wearer"] = str(account)
    rows["Zone"] = "the wearer's, which varies" if varies else str(index.tz)
    if frame.empty:
        rows["Range"] = "no rows"
        hints = ["Try a longer range: there is nothing to look at."]
    else:
        with warnings.catch_warnings():  # what is not checked has a row of its own
            warnings.simplefilter("ignore", EyelogWarning)
            rows |= _amount(frame, index, limits)
        # Without the field that shows wear there are no states to draw.
        shows_wear = set(role(log, "worn")) <= set(frame.columns)
        first = "el.plot_overview(frame)" if shows_wear else "el.plot_timeline(frame)"
        hints = [f"Try {first}, el.daily(frame), el.explain(el.flag(frame))."]
        if str(index.tz) == "UTC" and not varies:
            hints.append(
                "Days are those of UTC: if the wearer was elsewhere, give the zone, such as"
                ' tz="Asia/Tokyo", where the frame is read.'
            )
        if absent:
            hints.append('Read the frame with fields="daily" for all that a summary of days needs.')
    rows["Not in the frame"] = (
        f"{listed(absent, MOST_FIELDS)}, which eyelog.daily would use"
        if absent
        else f"nothing that eyelog.daily needs (the log has {n_fields} fields)"
    )
    headings = [Heading("First look", is_text=True), Heading("Value", is_text=True)]
    return Sheet(headings, [list(row) for row in rows.items()], notes=hints)


def _amount(frame: pd.DataFrame, index: pd.DatetimeIndex, limits: Limits) -> dict[str, str]:
    """Return the range, how much was recorded, worn and usable, and what is missing."""
    days = local_days(index, clock=clock_of(frame))
    first, last, n = days.min(), days.max(), (days.max() - days.min()).days + 1
    words = "1 day" if n == 1 else f"{n:,} days"
    until = "" if n == 1 else f" to {last:%a} {last.day} {last:%b %Y}"
    hours = coverage(frame, limits=limits)
    recorded, expected, worn, usable = (
        numbers(hours[name]) for name in ("recorded_h", "expected_h", "worn_h", "valid_h")
    )
    least = pd.Timedelta(limits.min_day) / pd.Timedelta("1h")
    counted = f"; {least:g} h or more on {int((worn >= least).sum())} of {words}"
    rows = {
        "Range": f"{words}: {first:%a} {first.day} {first:%b %Y}{until}",
        "Rows": f"{len(frame):,} record{'' if len(frame) == 1 else 's'}",
        "Recorded": _share(recorded, expected, "of the time"),
        "Worn": _share(worn, recorded, "of this") + (counted if np.isfinite(worn).any() else ""),
        "Usable": _share(usable, worn, "of the time worn"),
        "Gaps": "none",
    }
    missing = gaps(frame)
    missing = missing[missing["kind"] != "irregular"]
    if len(missing):
        longest = missing.sort_values("duration", kind="stable")
        start, length = longest[["start", "duration"]].iloc[-1]
        rows["Gaps"] = (
            f"{len(missing):,}; the longest lasts {duration_text(length)} from"
            f" {start:%a} {start.day} {start:%b %H:%M}"
        )
    counters = [
        name for of in COUNTERS for name in role(log_of(frame), of) if name in frame.columns
    ]
    silent = [name for name in counters if frame[name].max() == 0]
    if silent and float(np.nansum(recorded)) >= LEAST_COUNTED_H:
        rows["Never counted"] = (
            f"{listed(silent, MOST_FIELDS)}: 0 in every record, which passes for usable; the"
            " eyewear or its phone may not have counted"
        )
    return rows


def _share(hours: Floats, of: Floats, words: str) -> str:
    """Return hours, and their share of others in percent; a sign if none are known."""
    if not np.isfinite(hours).any():
        return f"{NOTHING} (the frame does not show it)"
    total, whole = float(np.nansum(hours)), float(np.nansum(of))
    percent = f" ({100 * total / whole:.0f} % {words})" if whole else ""
    return f"{total:,.1f} h{percent}"
