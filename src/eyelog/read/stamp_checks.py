"""What the stamps of a file show: impossible ones, a lost resolution, a clock that was set back."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.archive.utc_stamps import Stamps
from eyelog.catalogue import log_named
from eyelog.decode import Page, joined_column
from eyelog.errors import ArchiveError, ConfigurationError, warn
from eyelog.overlap import mostly_differ, overlaps, span_text, utc
from eyelog.read.format import LogFile

CLOCKS: Final = ("first", "last")

_DAY: Final = 86_400_000_000
# The eyewear exists since 2015; a phone's clock, or a zone that was meant, is off by less than a
# day.
_FIRST: Final = int(np.datetime64("2015-01-01", "us").astype(np.int64))
# A clock is set back by less; records of two devices lie over one another for longer.
_FARTHEST_BACK: Final = 3 * 3_600_000_000
_MOST_PASSES: Final = 100
_MANY: Final = 3
_UNITS: Final = {_DAY: "day", 3_600_000_000: "hour", 60_000_000: "minute", 1_000_000: "second"}


def is_possible(stamps: Stamps) -> npt.NDArray[np.bool_]:
    """Return which stamps a record of the eyewear can have: of 2015 and later, and not to come."""
    now = int(datetime.now(UTC).timestamp() * 1_000_000)
    return (stamps >= _FIRST) & (stamps <= now + _DAY)


def possible_events(events: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the events of a file that may be of a wearer, and warn of the others."""
    good = is_possible(np.asarray(pd.DatetimeIndex(events["start"]).as_unit("us").asi8))
    if good.all():
        return events
    first = events["start"][~good].iloc[0]
    warn(
        f"{name}: set aside {int((~good).sum()):,} of {len(good):,} events, which begin before"
        f" 2015, when the eyewear did not exist, or more than a day from now (the first: {first})"
    )
    return events[good].reset_index(drop=True)


def checked(pages: Sequence[Page], log: LogFile, clock: str | None) -> list[Page]:
    """Return the pages of one wearer without the records that cannot be, or count twice.

    Parameters
    ----------
    pages : sequence of Page
        All of a file, in its order.
    log : LogFile
        The file, which counts what is left out.
    clock : {"first", "last"}, optional
        Which records to take of a time that comes twice because a clock was set back.

    Raises
    ------
    ArchiveError
        If all stamps are impossible, or many records have one stamp.
    ConfigurationError
        If a clock was set back, and `clock` is not given; if records of one file cover the same
        time twice for hours, as those of two devices do.
    """
    before = 0
    possible = []
    for page in pages:
        possible.append(_possible(page, log, before))
        before += page.n
    pages = possible
    if before and not any(page.n for page in pages):
        raise ArchiveError(
            f"all of its stamps are before 2015, when the eyewear did not exist, or more than a day"
            f" from now ({log.aside.shown()}): set the clock that wrote them right"
        )
    stamps = np.concatenate(
        [np.empty(0, np.int64), *(page.stamps.view(np.int64) for page in pages)]
    )
    if (stamps[1:] > stamps[:-1]).all():
        return pages
    _refuse_lost_resolution(pages, stamps, log)
    return _on_one_clock(pages, stamps, log, clock)


def _possible(page: Page, log: LogFile, before: int) -> Page:
    """Return a page without the records of impossible stamps, which are set aside."""
    good = is_possible(page.stamps.view(np.int64))
    if good.all():
        return page
    for row in np.flatnonzero(~good).tolist():
        when = str(page.stamps[row].astype("M8[s]")).replace("T", " ")
        line = int(page.lines[row]) if page.lines is not None else before + row + 1
        log.aside.add(line, f"{when} UTC", "before" if when < "2015" else "after")
    return _chosen(page, good)


def _lines(pages: Sequence[Page]) -> Stamps:
    """Return the number of each record's line, or of the record where a file has no lines."""
    if all(page.lines is not None for page in pages):
        return np.concatenate([np.asarray(page.lines) for page in pages])
    return np.arange(1, sum(page.n for page in pages) + 1)


def _chosen(page: Page, rows: npt.NDArray[np.bool_]) -> Page:
    columns = {name: values[rows] for name, values in page.columns.items()}
    lines = None if page.lines is None else page.lines[rows]
    return replace(page, stamps=page.stamps[rows], columns=columns, lines=lines)


def _differ(pages: Sequence[Page], left: Stamps, right: Stamps) -> npt.NDArray[np.bool_]:
    """Return which pairs of records, by their numbers in the file, have different values."""
    differ = np.zeros(len(left), bool)
    for name in dict.fromkeys(name for page in pages for name in page.columns):
        kind = {page.columns[name].dtype.kind for page in pages if name in page.columns}
        numbers = kind == {"f"}
        values: npt.NDArray[Any] = joined_column(pages, name, "float64" if numbers else "")
        one, other = values[left], values[right]
        differ |= (one != other) & (~(np.isnan(one) & np.isnan(other)) if numbers else True)
    return differ


def _refuse_lost_resolution(pages: Sequence[Page], stamps: Stamps, log: LogFile) -> None:
    """Raise if many records share a stamp with the one before, and have other values.

    Their order may be known, but not their time, and only the last of each stamp would remain.
    """
    again = np.flatnonzero(stamps[1:] == stamps[:-1])
    if len(again) < _MANY or len(again) * 10 < len(stamps):
        return
    again = again[_differ(pages, again, again + 1)]
    if len(again) < _MANY or len(again) * 10 < len(stamps):
        return
    each = np.unique(stamps)
    resolution = int(np.gcd.reduce(np.diff(each))) if len(each) > 1 else _DAY
    about = log_named(log.log)
    if resolution <= about.interval_us:
        return  # these are the records of two wearers
    unit = f"the {_UNITS[resolution]}" if resolution in _UNITS else f"{resolution / 1e6:g} s"
    lines = _lines(pages)
    seen = f"as if they were rounded to {unit}" if len(each) > 1 else "as if only the day were left"
    raise ArchiveError(
        f"{len(stamps):,} records of its {about.words} have only {len(each):,} different stamps,"
        f" {seen} ({log.row} {lines[again[0] + 1]} has that of {log.row} {lines[again[0]]}, and"
        f" other values), and one is due every {about.interval_s:g} s: a spreadsheet program may"
        " have cut the dates. Import the file as the app saved it, or save it again with dates in"
        " the format"
        " yyyy-mm-dd hh:mm:ss"
    )


def _on_one_clock(pages: list[Page], stamps: Stamps, log: LogFile, clock: str | None) -> list[Page]:
    """Return pages without one of the two passes through a time that comes twice."""
    opens = np.append(0, np.flatnonzero(stamps[1:] < stamps[:-1]) + 1)
    if not 1 < len(opens) <= _MOST_PASSES:
        return pages
    lines = _lines(pages)
    edges = np.append(opens, len(stamps))
    passes = [
        f"{log.row}s {lines[first]} to {lines[after - 1]}" for first, after in pairwise(edges)
    ]
    chosen = _chosen_passes(
        stamps,
        opens,
        lambda left, right: _differ(pages, left, right),
        log_named(log.log).interval_us,
        clock,
        whose="its device",
        passes=passes,
        otherwise="split the file there",
    )
    if chosen is None:
        return pages
    if isinstance(chosen, str):
        raise ConfigurationError(
            f"its records cover the same time twice, {chosen} UTC, as those of two devices do (from"
            f" {log.row} {lines[opens[1]]} on the dates begin again): split the file there"
        )
    kept, note = chosen
    log.twice.count += int((~kept).sum())
    log.notes.append(f"{note} (the first is in {log.row} {lines[np.flatnonzero(~kept)[0]]})")
    parts = np.split(kept, np.cumsum([page.n for page in pages])[:-1])
    return [_chosen(page, part) for page, part in zip(pages, parts, strict=True)]


def passes_of_files(
    names: Sequence[str],
    devices: Sequence[str],
    stamps: Sequence[Stamps],
    frame_of_file: Callable[[int], pd.DataFrame],
    log: str,
    clock: str | None,
) -> tuple[dict[int, npt.NDArray[np.bool_]], list[str]]:
    """Return which records of files to keep where a device's clock was set back between two files.

    Parameters
    ----------
    names, devices, stamps : sequence
        Of each file, in the order in which they were recorded; a device may not be known.
    frame_of_file : callable
        Returns the records of a file by its number, whose stamps are those given.
    log : str
        Their log.
    clock : {"first", "last"}, optional
        Which records to take.

    Returns
    -------
    kept, notes
        The records to keep, of the files that lose any; and what to say.

    Raises
    ------
    ConfigurationError
        If a clock was set back, and `clock` is not given.
    """
    kept_of: dict[int, npt.NDArray[np.bool_]] = {}
    notes = []
    for device in sorted(set(devices) - {""}):
        files = [at for at, of in enumerate(devices) if of == device and len(stamps[at])]
        if all(stamps[b].min() > stamps[a].max() for a, b in pairwise(files)):
            continue
        every = np.concatenate([stamps[at] for at in files])
        edges = np.cumsum([0, *(len(stamps[at]) for at in files)])

        def differ(left: Stamps, right: Stamps, files: list[int] = files) -> npt.NDArray[np.bool_]:
            whole = pd.concat([frame_of_file(at) for at in files])
            one, other = whole.iloc[left].reset_index(), whole.iloc[right].reset_index()
            unlike = (one != other).fillna(False) & ~(one.isna() & other.isna())
            return unlike.any(axis=1).to_numpy(bool)

        chosen = _chosen_passes(
            every,
            edges[:-1],
            differ,
            log_named(log).interval_us,
            clock,
            whose=f"the device {device}",
            passes=[Path(names[at]).name for at in files],
            otherwise="pass only the files of one",
        )
        if chosen is None or isinstance(chosen, str):
            continue
        kept, note = chosen
        notes.append(note)
        parts = zip(files, np.split(kept, edges[1:-1]), strict=True)
        kept_of |= {at: part for at, part in parts if not part.all()}
    return kept_of, notes


def _chosen_passes(
    stamps: Stamps,
    opens: Stamps,
    differ: Callable[[Stamps, Stamps], npt.NDArray[np.bool_]],
    interval: int,
    clock: str | None,
    *,
    whose: str,
    passes: Sequence[str],
    otherwise: str,
) -> tuple[npt.NDArray[np.bool_], str] | str | None:
    """Return which records to keep where a clock was set back, and the note about it.

    None if no time comes twice, and the time alone if it does and no clock was set back. `opens`
    are the rows with which passes begin, `differ` says which pairs of rows have different values.
    """
    edges = np.append(opens, len(stamps))
    of_pass = np.repeat(np.arange(len(opens)), np.diff(edges))
    overlap = overlaps(stamps, of_pass, interval)
    order = np.argsort(stamps, kind="stable")
    pairs = np.flatnonzero(stamps[order][1:] == stamps[order][:-1])
    left, right = order[pairs], order[pairs + 1]
    unlike = differ(left, right) if len(pairs) else np.zeros(0, bool)
    if not (overlap.too_much or mostly_differ(len(pairs), int(unlike.sum()), interval)):
        return None
    starts, ends = np.minimum.reduceat(stamps, opens), np.maximum.reduceat(stamps, opens)
    back = (ends[:-1] - starts[1:]).tolist()
    clashing = set(
        zip(of_pass[left[unlike]].tolist(), of_pass[right[unlike]].tolist(), strict=True)
    )
    stepped = []
    for number, step in enumerate(back, 1):
        both = slice(edges[number - 1], edges[number + 1])
        doubled = overlaps(stamps[both], of_pass[both], interval).records
        if 0 <= step <= _FARTHEST_BACK and (doubled or (number - 1, number) in clashing):
            stepped.append(number)
    if not stepped:
        twice = span_text(utc(int(starts[1:].min())), utc(int(ends[:-1].max())))
        return twice if overlap.too_much else None
    number = stepped[0]
    end, start = utc(int(ends[number - 1])), utc(int(starts[number]))
    minutes, seconds = divmod(round((back[number - 1] + interval) / 1e6), 60)
    by = " ".join(f"{n} {of}" for n, of in ((minutes, "min"), (seconds, "s")) if n)
    happened = f"the clock of {whose} was set back by {by} after {end:%Y-%m-%d %H:%M:%S} UTC"
    happened += f" (and {len(stepped) - 1:,} more times)" if len(stepped) > 1 else ""
    if clock is None:
        raise ConfigurationError(
            f"{happened}, so the time {span_text(start, end)} comes twice (the first pass is"
            f" in {passes[number - 1]}, the second in {passes[number]}): choose whose records of"
            " this time to take with clock='first' or clock='last' (--clock first, --clock last);"
            f" if these are two wearers, {otherwise}"
        )
    kept = np.ones(len(stamps), bool)
    for number in stepped:
        one, other = (slice(edges[at], edges[at + 1]) for at in (number - 1, number))
        # Of the other pass what lies beside this one stays; a stamp closes its interval.
        taken, rest = (one, other) if clock == "first" else (other, one)
        low, high = stamps[taken].min(), stamps[taken].max()
        kept[rest] &= (stamps[rest] <= low - interval) | (stamps[rest] >= high + interval)
    left_out = int((~kept).sum())
    return kept, (
        f"{happened}: of the time that comes twice the {clock} pass was taken, and {left_out:,}"
        f" {'record' if left_out == 1 else 'records'} of the other left out"
    )
