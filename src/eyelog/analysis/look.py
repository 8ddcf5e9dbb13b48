"""The first look at a frame: what it is, how much of it there is, what is missing, what to try."""

import warnings
from typing import Final

import numpy as np
import pandas as pd

from eyelog.analysis.coverage import coverage, gaps
from eyelog.analysis.limits import Limits, chosen_limits
from eyelog.analysis.readable import duration_text
from eyelog.analysis.series.arrays import Floats, numbers
from eyelog.analysis.sheet import NOTHING, Heading, Sheet
from eyelog.catalogue import columns, log_named, needed, role
from eyelog.clock import local_days
from eyelog.errors import EyelogWarning, listed
from eyelog.frame import OFFSET, clock_of, is_resampled, log_of, require_one_frame, stamps
from eyelog.provenance import KEY

__all__ = ["look"]

MOST_FIELDS: Final = 8


def look(frame: pd.DataFrame, *, limits: Limits | None = None) -> Sheet:
    """Return what a frame is, on one screen: log, zone, range, wear, what is missing, what to try.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log, or one that `eyelog.resample` has made.
    limits : Limits, optional
        What counts as worn, usable and a day that counts, see `eyelog.Limits`.

    Returns
    -------
    Sheet
        Prints as text and shows as a table in a notebook; ``.table`` has the same cells as a
        DataFrame. Rows: ``Log``, ``Wearer`` (if the frame says), ``Zone``, ``Range`` (local days),
        ``Rows``, ``Recorded``, ``Worn`` and ``Usable`` (hours, percent, days that count), ``Gaps``
        and ``Not in the frame`` (fields that `eyelog.daily` would use).

    Raises
    ------
    ConfigurationError
        If this is not a frame of one log and one source.

    Examples
    --------
    >>> import eyelog as el
    >>> seen = el.look(el.sample("standard_mode_logs")).table["Value"]
    >>> seen["Log"], seen["Range"]
    ('60-second log (standard_mode_logs)', '7 days: Mon 19 Oct 2026 to Sun 25 Oct 2026')
    """
    require_one_frame(frame, what="look")
    log, limits = log_of(frame), chosen_limits(limits, frame)
    index = stamps(frame, what="look")
    rows = [["Log", f"{log_named(log).words} ({log})"]]
    account = frame.attrs.get(KEY, {}).get("account")
    if account:
        rows.append(["Wearer", str(account)])
    varies = OFFSET in frame.columns
    rows.append(["Zone", "the wearer's, which varies" if varies else str(index.tz)])
    absent = [name for name in needed("daily", log=log) if name not in frame.columns]
    if frame.empty:
        rows.append(["Range", "no rows"])
    else:
        with warnings.catch_warnings():  # what is not checked has a row of its own
            warnings.simplefilter("ignore", EyelogWarning)
            rows += _amount(frame, index, limits)
            rows.append(["Gaps", _gaps(frame)])
    rows.append(["Not in the frame", _fields(absent, len(columns(log)))])
    headings = [Heading("First look", is_text=True), Heading("Value", is_text=True)]
    return Sheet(headings, rows, notes=_to_try(frame, index, absent))


def _amount(frame: pd.DataFrame, index: pd.DatetimeIndex, limits: Limits) -> list[list[str]]:
    """Return the range, and how much was recorded, worn and usable."""
    days = local_days(index, clock=clock_of(frame))
    first, last, n = days.min(), days.max(), (days.max() - days.min()).days + 1
    words = "1 day" if n == 1 else f"{n:,} days"
    until = "" if n == 1 else f" to {last:%a} {last.day} {last:%b %Y}"
    kind = "bin" if is_resampled(frame) else "record"
    hours = coverage(frame, by="1D", limits=limits)
    recorded, expected, worn, usable = (
        numbers(hours[name]) for name in ("recorded_h", "expected_h", "worn_h", "valid_h")
    )
    least = pd.Timedelta(limits.min_day) / pd.Timedelta("1h")
    counted = int((worn >= least).sum())
    return [
        ["Range", f"{words}: {first:%a} {first.day} {first:%b %Y}{until}"],
        ["Rows", f"{len(frame):,} {kind}{'' if len(frame) == 1 else 's'}"],
        ["Recorded", _share(recorded, expected, "of the time")],
        [
            "Worn",
            _share(worn, recorded, "of this")
            + (f"; {least:g} h or more on {counted} of {words}" if np.isfinite(worn).any() else ""),
        ],
        ["Usable", _share(usable, worn, "of the time worn")],
    ]


def _share(hours: Floats, of: Floats, words: str) -> str:
    """Return hours, and their share of others in percent; a sign if none are known."""
    if not np.isfinite(hours).any():
        return f"{NOTHING} (the frame does not show it)"
    total, whole = float(np.nansum(hours)), float(np.nansum(of))
    percent = f" ({100 * total / whole:.0f} % {words})" if whole else ""
    return f"{total:,.1f} h{percent}"


def _gaps(frame: pd.DataFrame) -> str:
    if is_resampled(frame):
        return f"{NOTHING} (look at the records themselves)"
    table = gaps(frame)
    table = table[table["kind"] != "irregular"]
    if table.empty:
        return "none"
    start, length = table.sort_values("duration", kind="stable")[["start", "duration"]].iloc[-1]
    return (
        f"{len(table):,}; the longest lasts {duration_text(length)} from {start:%a} {start.day}"
        f" {start:%b %H:%M}"
    )


def _fields(absent: list[str], n: int) -> str:
    if not absent:
        return f"nothing that eyelog.daily needs (the log has {n} fields)"
    return f"{listed(absent, MOST_FIELDS)}, which eyelog.daily would use"


def _to_try(frame: pd.DataFrame, index: pd.DatetimeIndex, absent: list[str]) -> list[str]:
    """Return what to type next."""
    if frame.empty:
        return ["Try a longer range: there is nothing to look at."]
    # Without the field that shows wear there are no states to draw.
    shows_wear = set(role(log_of(frame), "worn")) <= set(frame.columns)
    first = "el.plot_overview(frame)" if shows_wear else "el.plot_timeline(frame)"
    hints = [f"Try {first}, el.daily(frame), el.explain(el.flag(frame))."]
    if is_resampled(frame):
        hints = ["Try el.plot_timeline(frame), el.daily(frame)."]
    if str(index.tz) == "UTC" and OFFSET not in frame.columns:
        hints.append(
            "Days are those of UTC: if the wearer was elsewhere, give the zone, such as"
            ' tz="Asia/Tokyo", where the frame is read.'
        )
    if absent and not is_resampled(frame):
        hints.append('Read the frame with fields="daily" for all that a summary of days needs.')
    return hints
