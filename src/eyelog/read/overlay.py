"""Records over one another, the later over the earlier: which value counts, and whose it is.

Of several records on one stamp the last one is kept, value by value: a value that is missing in a
file never replaces an existing one. So laying the same files over the result changes nothing.
Records of two wearers or devices, or of one log twice and shifted, would count the same hours
twice, so they are refused. Of one device that may be a clock that was set back: then its passes
through that time can be chosen from.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, tzinfo
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from eyelog.arrow_tables import NO_STAMPS, Stamps, among, fit, in_order, stamps_of
from eyelog.catalogue import log_named
from eyelog.errors import ArchiveError, ConfigurationError, counted, listed
from eyelog.overlap import duration_text, mostly_differ, overlaps, span_text, utc
from eyelog.read.format import LINE, LogFile
from eyelog.read.stamps import IMPOSSIBLE, is_possible

if TYPE_CHECKING:
    from eyelog.read.head import FileRecords

HELD: Final = -1  # instead of the number of a file: what is below the files
_SHOWN: Final = 3


class Meeting(NamedTuple):
    """Two sources that share stamps, by the number of their files.

    `shared` is how many stamps, `conflicts` at how many the values differ, `first` the first stamp.
    """

    file: int
    earlier: int
    shared: int
    conflicts: int
    first: int


class Overlay(NamedTuple):
    """The result of laying files over the rows of a table.

    `changes` has the records that are new or changed, with every column that a file has. `kept`,
    `conflicts` and `replaced` are counts per file: of its rows that are new or add something (one
    of each stamp), of its rows that have another value than one before them of the same stamp, and
    of the stamps at which such rows replace what is not of the same file. `meetings` has each pair
    of sources once. `differing` has the number of a file, a field, and the stamps at which a stored
    value was kept.
    """

    changes: pa.Table
    kept: npt.NDArray[np.int64]
    conflicts: npt.NDArray[np.int64]
    replaced: npt.NDArray[np.int64]
    meetings: list[Meeting]
    differing: list[tuple[int, str, Stamps]]


def overlay(
    before: pa.Table,
    files: Sequence[pa.Table],
    *,
    missing_counts: bool = False,
    keep_stored: bool = False,
) -> Overlay:
    """Lay files over the rows of a table, the later over the earlier.

    Parameters
    ----------
    before : Table
        Sorted; its schema has every column of the files.
    files : sequence of Table
        The records of each file, the later over the earlier.
    missing_counts : bool
        Whether a missing value replaces a value too.
    keep_stored : bool
        Whether a value of `before` stays where a file has a different one.
    """
    names = {"date"}.union(*(table.column_names for table in files))
    schema = pa.schema([field for field in before.schema if field.name in names])
    of_files = [stamps_of(table) for table in files]
    every = np.sort(np.concatenate([NO_STAMPS, *of_files]), kind="stable")
    before = before.filter(pa.array(among(stamps_of(before), every)))
    whole = pa.concat_tables([fit(table, schema) for table in (before, *files)])
    sizes = np.array([before.num_rows, *map(len, of_files)])
    if not sizes[0] and (every[1:] > every[:-1]).all():  # no two records meet
        none = np.zeros(len(files), np.int64)
        return Overlay(in_order(whole), sizes[1:], none, none, [], [])
    stamps = stamps_of(whole)
    order = np.argsort(stamps, kind="stable")  # of one stamp, in the order of the files
    stamps = stamps[order]
    source = np.repeat(np.arange(len(sizes)), sizes)[order] + HELD
    opens = np.append(True, stamps[1:] != stamps[:-1])[: len(stamps)]
    first = np.flatnonzero(opens)  # where the records of each stamp begin
    of_stamp = np.diff(np.append(first, len(stamps)))
    last, opening = first + of_stamp - 1, np.repeat(first, of_stamp)
    # Where the records of each file on each stamp begin
    of_file = np.flatnonzero(opens | (np.diff(source, prepend=HELD) != 0))
    again = np.flatnonzero(~opens)
    below = ~opens & (source[opening] == HELD)  # rows that lie over a stored one
    differs, overrules = np.zeros(len(stamps), bool), np.zeros(len(stamps), bool)
    moved = source[first] != HELD
    settled: dict[str, npt.NDArray[np.int64]] = {}  # whose values count, where not the last row's
    differing: list[tuple[int, str, Stamps]] = []
    for name, kind in zip(schema.names, schema.types, strict=True) if len(again) else ():
        if name == "date":
            continue
        column = whole.column(name)
        if pa.types.is_string(kind):
            values: npt.NDArray[Any] = np.array(column.to_pylist(), object)[order]
        else:
            values = column.cast(pa.float64()).to_numpy()[order]
        present = np.asarray(pd.notna(values))
        if not present.any():
            continue
        if (
            keep_stored
            and (lost := below & present & present[opening] & (values != values[opening])).any()
        ):
            overrules |= lost
            # Only the last value of a file counts.
            latest = np.maximum.reduceat(np.where(present, np.arange(len(present)), 0), of_file)
            present, stays = present & ~lost, np.zeros(len(present), bool)
            stays[latest] = lost[latest]
            differing += [
                (int(at), name, stamps[stays & (source == at)]) for at in np.unique(source[stays])
            ]
        if not (present.all() or missing_counts):
            at = np.maximum.accumulate(np.where(present | opens, np.arange(len(values)), 0))
            values, present = values[at], present[at]
            settled[name] = at
        unlike = ~opens
        unlike[1:] &= (values[1:] != values[:-1]) & (present[1:] | present[:-1])
        if unlike.any():
            differs |= unlike
            overrules[1:] |= unlike[1:] & present[1:] & present[:-1]
            moved |= (values[first] != values[last]) & (present[first] | present[last])
    rows = last[moved]
    as_it_is = len(rows) == len(order) and bool((order[1:] > order[:-1]).all())
    changes = whole if as_it_is else whole.take(pa.array(order[rows]))
    for name, at in settled.items():
        column = whole.column(name).take(pa.array(order[at[rows]]))
        changes = changes.set_column(schema.names.index(name), schema.field(name), column)
    # Files that replace each other's values may end where they began: then none adds anything.
    adds = (opens | differs) & (source != HELD) & np.repeat(moved, of_stamp)
    new, over = (
        np.logical_or.reduceat(rows, of_file) for rows in (adds & ~overrules, adds & overrules)
    )
    # A new record may differ within its file.
    kept, conflicts, replaced = (
        np.bincount(numbers - HELD, minlength=len(sizes))[1:]
        for numbers in (source[of_file[new]], source[overrules], source[of_file[over & ~new]])
    )
    pairs = source[again] * len(sizes) + source[again - 1]
    _, at, of_pair, shared = np.unique(
        pairs, return_index=True, return_inverse=True, return_counts=True
    )
    rows = again[at]  # the first of each pair
    lost = np.bincount(of_pair, overrules[again]).astype(np.int64)
    columns = (source[rows], source[rows - 1], shared, lost, stamps[rows])
    meetings = [Meeting(*row) for row in np.stack(columns, axis=1).tolist()]
    return Overlay(changes, kept, conflicts, replaced, _by_pair(meetings), differing)


def _by_pair(meetings: Iterable[Meeting]) -> list[Meeting]:
    """Return each pair of sources once, those with most conflicts first."""
    pairs: dict[tuple[int, int], Meeting] = {}
    for file, earlier, shared, conflicts, first in meetings:
        _, _, more, most, before = pairs.get((file, earlier), (0, 0, 0, 0, first))
        pairs[file, earlier] = Meeting(
            file, earlier, shared + more, conflicts + most, min(first, before)
        )
    return sorted(pairs.values(), key=lambda each: (-each.conflicts, each))


def repeats(meetings: Iterable[Meeting], names: Sequence[str]) -> dict[int, str]:
    """Return what to say of files that have other values on a stamp that comes again in them.

    By the number of the file.
    """
    return {
        at: f"{names[at]}: {counted(conflicts, 'record')} with other values than a later one of the"
        f" same stamp (the first {utc(first):%Y-%m-%d %H:%M:%S} UTC), which was taken"
        for at, earlier, _, conflicts, first in sorted(_by_pair(meetings))
        if at == earlier and conflicts
    }


def refuse_others(
    files: Sequence["FileRecords"],
    log: str,
    meetings: Sequence[Meeting],
    *,
    advice: str,
    tz: tzinfo | None = None,
    account: str = "",
    held: Stamps = NO_STAMPS,
    other: str = "",
    to_replace: str | None = None,
) -> None:
    """Raise if files are of several wearers or devices at the same time.

    That is, if they have different values at most of the stamps that they share, or cover the same
    time with different stamps.

    Parameters
    ----------
    files : sequence of FileRecords
        Their records.
    log : str
        Their log.
    meetings : sequence of Meeting
        Those of `Overlay`.
    advice : str
        What to do about files among themselves.
    tz : tzinfo, optional
        The zone of the times in a message, by default UTC.
    account : str
        Whose records lie below the files.
    held : array, optional
        Their stamps.
    other, to_replace : str, optional
        What to do about files that overlap with these, and about those that have other values;
        None allows the latter.
    """
    names, interval = [file.report.file for file in files], log_named(log).interval_us
    meetings = _by_pair(meetings)
    for below, what_to_do in ((False, advice), (True, to_replace)):
        pairs = [each for each in meetings if (each.earlier == HELD) is below]
        if what_to_do is None or not pairs:
            continue
        differ = [each for each in pairs if mostly_differ(each.shared, each.conflicts, interval)]
        worst = (differ or pairs)[0]
        # Files autosaved every 5 minutes are too short to decide one by one.
        counting = [worst] if differ else pairs
        shared, conflicts = (sum(n) for n in zip(*(each[2:4] for each in counting), strict=True))
        if not mostly_differ(shared, conflicts, interval):
            continue
        who, again = f"{_joined([names[worst.file]])} has", f"{account!r} holds"
        if worst.earlier == worst.file:
            again = "come again in it"
        elif worst.earlier != HELD:
            who, again = f"{_joined([names[worst.earlier], names[worst.file]])} have", "they share"
        raise ConfigurationError(
            f"{who} other values on {conflicts:,} of the {shared:,} stamps that {again} (the first"
            f" {utc(worst.first):%Y-%m-%d %H:%M} UTC), as if they were of two wearers:"
            f" {what_to_do}"
        )
    stamps, devices = [file.stamps for file in files], [file.device for file in files]
    groups = [(names, stamps, devices, advice)]
    if len(held):
        both = [f"what {account!r} holds", names[0] if len(names) == 1 else "the files"]
        groups.append((both, [held, np.concatenate(stamps)], ["", ""], other))
    for every, each, of_devices, what_to_do in groups:
        source = np.repeat(np.arange(len(each)), [len(own) for own in each])
        overlap = overlaps(np.concatenate([NO_STAMPS, *each]), source, interval)
        if not overlap.too_much:
            continue
        first, last = (utc(edge).astimezone(tz or UTC) for edge in (overlap.first, overlap.last))
        of = sorted({of_devices[at] for at in overlap.sources} - {""})
        owners = f" (devices {' and '.join(of[:_SHOWN])})" if len(of) > 1 else ""
        when = f"{duration_text(overlap.doubled_us)} {span_text(first, last)}{'' if tz else ' UTC'}"
        raise ConfigurationError(
            f"{_joined([every[at] for at in overlap.sources])}{owners} cover the same time twice,"
            f" {when}, as two devices do: {what_to_do}"
        )


def _joined(names: Sequence[str]) -> str:
    """Return the first names, without their folders if that keeps them apart, and how many more."""
    short = [Path(name).name for name in names]
    names = short if len(set(short)) == len(short) else names
    return listed(names, _SHOWN, between=" and ")


# The clock that wrote the stamps

CLOCKS: Final = ("first", "last")

# A clock is set back by less; records of two devices lie over one another for longer.
_FARTHEST_BACK: Final = 3 * 3_600_000_000

Mask = npt.NDArray[np.bool_]


def possible(table: pa.Table, log: LogFile) -> pa.Table:
    """Return the records of one wearer in a file, in its order, whose stamps can be.

    Parameters
    ----------
    table : Table
        All of them, with their lines.
    log : LogFile
        The file, which counts what is set aside.

    Raises
    ------
    ArchiveError
        If all stamps are impossible, or many records have the stamp of the one before and other
        values: their order may be known, but not their time, and only the last would remain.
    """
    stamps, lines = stamps_of(table), table.column(LINE).to_numpy()
    good = is_possible(stamps)
    if not good.all():
        for stamp, line in zip(stamps[~good].tolist(), lines[~good].tolist(), strict=True):
            when = str(np.datetime64(stamp, "us").astype("M8[s]")).replace("T", " ")
            log.aside.add(line, f"{when} UTC", "before" if when < "2015" else "after")
        if not good.any():
            raise ArchiveError(
                f"all of its stamps are {IMPOSSIBLE} ({log.aside.shown()}): set the clock that"
                " wrote them right"
            )
        table, stamps, lines = table.filter(pa.array(good)), stamps[good], lines[good]
    again = np.flatnonzero(stamps[1:] == stamps[:-1])
    many = max(3, len(stamps) / 10)
    if len(again) >= many:
        one, other = (table.take(pa.array(rows)) for rows in (again, again + 1))
        again = again[_differ(one, other)]
    if len(again) < many:
        return table
    each, about = np.unique(stamps), log_named(log.log)
    resolution = int(np.gcd.reduce(np.diff(each))) if len(each) > 1 else 0
    if 0 < resolution <= about.interval_us:
        return table  # these are the records of two wearers
    apart = f", {resolution / 1e6:,g} s apart at least" if resolution else ""
    raise ArchiveError(
        f"{len(stamps):,} records of its {about.words} have only {len(each):,} different stamps"
        f"{apart} ({log.row} {lines[again[0] + 1]} has that of {log.row} {lines[again[0]]}, and"
        f" other values), and one is due every {about.interval_s:g} s: a spreadsheet program may"
        " have cut the dates. Import the file as the app saved it, or save it again with dates in"
        " the format yyyy-mm-dd hh:mm:ss"
    )


def _differ(one: pa.Table, other: pa.Table) -> Mask:
    """Return which records of a table have other values in another, in the columns of both."""
    differ = np.zeros(one.num_rows, bool)
    for name in {*one.column_names} & {*other.column_names} - {"date", LINE}:
        left, right = one.column(name), other.column(name)
        unequal = pc.fill_null(pc.not_equal(left, right), False)
        differ |= pc.or_(unequal, pc.xor(left.is_null(), right.is_null())).to_numpy()
    return differ


def one_clock(
    passes: Sequence["FileRecords"],
    log: str,
    clock: str | None,
    *,
    whose: str = "its device",
    otherwise: str = "split the file there",
) -> str:
    """Leave out one of two passes through a time that comes twice because a clock was set back.

    Parameters
    ----------
    passes : sequence of FileRecords
        Each recorded after the one before, by one device.
    log : str
        Their log.
    clock : {"first", "last"}, optional
        Which records to take.
    whose, otherwise : str
        Whose clock it is, and what to do if these are two wearers.

    Returns
    -------
    str
        What to say about it, if a clock was set back.

    Raises
    ------
    ConfigurationError
        If a clock was set back, and `clock` is not given; if passes cover the same time for hours,
        as those of two devices do.
    """
    interval, sizes = log_named(log).interval_us, [len(each.stamps) for each in passes]
    names = [Path(each.report.file).name for each in passes]
    stamps, edges = np.concatenate([each.stamps for each in passes]), np.cumsum([0, *sizes])
    of_pass = np.repeat(np.arange(len(passes)), sizes)
    overlap = overlaps(stamps, of_pass, interval)
    shared, unlike, stepped = 0, 0, []
    for number, (one, other) in enumerate(pairwise(passes), 1):
        if one.stamps[-1] < other.stamps[0]:
            continue
        same, at, beside = np.intersect1d(one.stamps, other.stamps, return_indices=True)
        differ = int(_differ(one.take(at), other.take(beside)).sum()) if len(same) else 0
        shared, unlike = shared + len(same), unlike + differ
        both = slice(edges[number - 1], edges[number + 1])
        doubled = overlaps(stamps[both], of_pass[both], interval).records
        if one.stamps[-1] - other.stamps[0] <= _FARTHEST_BACK and (doubled or differ):
            stepped.append(number)
    if not stepped and overlap.too_much:
        twice = span_text(utc(overlap.first), utc(overlap.last))
        raise ConfigurationError(
            f"{_joined([names[at] for at in overlap.sources])} cover the same time twice, {twice}"
            f" UTC, as two devices do: {otherwise}"
        )
    if not (stepped and (overlap.too_much or mostly_differ(shared, unlike, interval))):
        return ""
    number = stepped[0]
    end, start = int(passes[number - 1].stamps[-1]), int(passes[number].stamps[0])
    minutes, seconds = divmod(round((end - start + interval) / 1e6), 60)
    by = " ".join(f"{n} {of}" for n, of in ((minutes, "min"), (seconds, "s")) if n)
    happened = f"the clock of {whose} was set back by {by} after {utc(end):%Y-%m-%d %H:%M:%S} UTC"
    happened += f" (and {len(stepped) - 1:,} more times)" if len(stepped) > 1 else ""
    if clock is None:
        raise ConfigurationError(
            f"{happened}, so the time {span_text(utc(start), utc(end))} comes twice (the first pass"
            f" is in {names[number - 1]}, the second in {names[number]}): choose whose records of"
            " this time to take with clock='first' or clock='last' (--clock first, --clock last);"
            f" if these are two wearers, {otherwise}"
        )
    kept = np.ones(len(stamps), bool)
    for number in stepped:
        sides = [slice(edges[at], edges[at + 1]) for at in (number - 1, number)]
        # Of the other pass what lies beside this one stays; a stamp closes its interval.
        taken, rest = sides if clock == "first" else reversed(sides)
        low, high = stamps[taken].min(), stamps[taken].max()
        kept[rest] &= (stamps[rest] <= low - interval) | (stamps[rest] >= high + interval)
    said = (
        f"{happened}: of the time that comes twice the {clock} pass was taken, and"
        f" {counted(int((~kept).sum()), 'record')} of the other left out (in"
        f" {listed([names[at] for at in np.unique(of_pass[~kept])], _SHOWN)})"
    )
    for each, rows in zip(passes, np.split(kept, edges[1:-1]), strict=True):
        if not rows.all():
            each.keep(rows)
            each.report.notes.append(said)
    return said
