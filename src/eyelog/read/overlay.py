"""Records laid over one another, the later over the earlier: which value counts, and whose it is.

Of several records on one stamp the last one is kept, value by value: a value that is missing in a
file never replaces an existing one. So laying the same files over the result changes nothing.
Records of two wearers or devices, or of one log twice and shifted, would count the same hours
twice, so they are refused.
"""

from collections.abc import Sequence, Set
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from eyelog.arrow_tables import NO_STAMPS, Stamps, among, fit, schema_of, stamps_of, widest
from eyelog.catalogue import catalogue, log_named
from eyelog.errors import ConfigurationError, counted, listed
from eyelog.frame import OFFSET
from eyelog.overlap import duration_text, mostly_differ, overlaps, span_text, utc
from eyelog.read.format import LINE

HELD: Final = -1  # instead of the number of a file: what is below the files
_SHOWN: Final = 3


def stacked(tables: Sequence[pa.Table], log: str, names: Set[str] = frozenset()) -> pa.Table:
    """Return tables one after the other, in the order of the catalogue, unknown columns last.

    It has the columns of `names`, and those that any of the tables has; an unknown column without
    a value is left out.
    """
    names = {"date"}.union(names, *(table.column_names for table in tables))
    order = [name for name in catalogue(log) if name in names]
    unknown = names.difference(order)
    if len(tables) == 1 and unknown <= {LINE}:
        return tables[0].select([*order, *unknown])
    extras = widest(
        table.schema.field(name)
        for table in tables
        for name in unknown.intersection(table.column_names)
        if name == OFFSET or table.column(name).null_count < table.num_rows
    )
    schema = pa.schema([*(schema_of(log).field(name) for name in order), *extras])
    if unknown - {LINE}:
        tables = [fit(table, schema) for table in tables]
    whole = pa.concat_tables([schema.empty_table(), *tables], promote_options="default")
    return whole.select(schema.names)


def in_order(table: pa.Table) -> tuple[pa.Table, bool]:
    """Return records sorted by their stamps, and whether each stamp is there once."""
    stamps = stamps_of(table)
    if (stamps[1:] > stamps[:-1]).all():
        return table, True
    order = np.argsort(stamps, kind="stable")
    return table.take(pa.array(order)), bool((np.diff(stamps[order]) > 0).all())


class Overlay(NamedTuple):
    """The result of laying files over the rows of a table.

    `changes` has the records that are new or changed, with every column that a file has. `kept`,
    `conflicts` and `replaced` are counts per file: of its rows that are new or add something (one
    of each stamp), of its rows that have another value than one before them of the same stamp, and
    of the stamps at which such rows replace what is not of the same file. `meetings` has a row for
    each pair of sources that share stamps: the numbers of the `file` and of the `earlier` one, how
    many stamps are `shared`, at how many the values are `conflicts`, and the `first` of them.
    `differing` has the number of a file, a field, and the stamps at which a stored value was kept.
    """

    changes: pa.Table
    kept: npt.NDArray[np.int64]
    conflicts: npt.NDArray[np.int64]
    replaced: npt.NDArray[np.int64]
    meetings: pd.DataFrame
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
    shared = among(stamps_of(before), np.sort(np.concatenate([NO_STAMPS, *of_files])))
    before = before.filter(pa.array(shared))
    whole = pa.concat_tables([fit(table, schema) for table in (before, *files)])
    sizes = [before.num_rows, *map(len, of_files)]
    order = np.argsort(stamps_of(whole), kind="stable")  # of one stamp, in the order of the files
    stamps = stamps_of(whole)[order]
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
    meetings = pd.DataFrame(
        {
            "file": source[again],
            "earlier": source[again - 1],
            "shared": 1,
            "conflicts": overrules[again].astype(np.int64),
            "first": stamps[again],
        }
    )
    return Overlay(changes, kept, conflicts, replaced, by_pair([meetings]), differing)


def by_pair(meetings: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return one row per pair of sources that share stamps, those with most conflicts first."""
    every = [each for each in meetings if len(each)]
    if not every:
        return pd.DataFrame(columns=["file", "earlier", "shared", "conflicts", "first"], dtype=int)
    pairs = pd.concat(every).groupby(["file", "earlier"], as_index=False)
    totals = pairs.agg({"shared": "sum", "conflicts": "sum", "first": "min"})
    return totals.sort_values("conflicts", ascending=False, kind="stable", ignore_index=True)


def repeats(meetings: pd.DataFrame, names: Sequence[str]) -> dict[int, str]:
    """Return what to say of files that have other values on a stamp that comes again in them.

    By the number of the file.
    """
    own = meetings[(meetings["file"] == meetings["earlier"]) & (meetings["conflicts"] > 0)]
    numbers = own.sort_values("file")[["file", "conflicts", "first"]].to_numpy().tolist()
    return {
        at: f"{names[at]}: {counted(conflicts, 'record')} with other values than a later one of the"
        f" same stamp (the first {utc(first):%Y-%m-%d %H:%M:%S} UTC), which was taken"
        for at, conflicts, first in numbers
    }


def refuse_others(
    names: Sequence[str],
    stamps: Sequence[Stamps],
    log: str,
    meetings: pd.DataFrame,
    *,
    advice: str,
    devices: Sequence[str] = (),
    tz: tzinfo | None = None,
    account: str = "",
    held: Stamps | None = None,
    other: str = "",
    to_replace: str | None = None,
) -> None:
    """Raise if files are of several wearers or devices at the same time.

    That is, if they have different values at most of the stamps that they share, or cover the same
    time with different stamps.

    Parameters
    ----------
    names, stamps : sequence
        What messages call each file, and its stamps.
    log : str
        Their log.
    meetings : DataFrame
        Those of `Overlay`.
    advice : str
        What to do about files among themselves.
    devices : sequence of str
        Those of the files, as far as they are known.
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
    interval = log_named(log).interval_us
    below = meetings["earlier"] == HELD
    for pairs, what_to_do in ((meetings[~below], advice), (meetings[below], to_replace)):
        if what_to_do is None or not len(pairs):
            continue
        counts = pairs[["shared", "conflicts"]]
        differ = [mostly_differ(int(n), int(m), interval) for n, m in counts.to_numpy()]
        worst = pairs.iloc[differ.index(True) if any(differ) else 0]
        # Files autosaved every 5 minutes are too short to decide one by one.
        shared, conflicts = (worst if any(differ) else counts.sum())[["shared", "conflicts"]]
        if not mostly_differ(shared, conflicts, interval):
            continue
        file, earlier = names[worst["file"]], worst["earlier"]
        if earlier == HELD:
            who, again = f"{_joined([file])} has", f"{account!r} holds"
        elif names[earlier] == file:
            who, again = f"{_joined([file])} has", "come again in it"
        else:
            who, again = f"{_joined([names[earlier], file])} have", "they share"
        raise ConfigurationError(
            f"{who} other values on {conflicts:,} of the {shared:,} stamps that {again} (the first"
            f" {utc(int(worst['first'])):%Y-%m-%d %H:%M} UTC), as if they were of two wearers:"
            f" {what_to_do}"
        )
    _refuse_overlaps(names, stamps, interval, advice, devices, tz)
    if held is not None and len(held):
        both = [f"what {account!r} holds", names[0] if len(names) == 1 else "the files"]
        _refuse_overlaps(both, [held, np.concatenate(stamps)], interval, other, (), tz)


def _refuse_overlaps(
    names: Sequence[str],
    stamps: Sequence[Stamps],
    interval: int,
    advice: str,
    devices: Sequence[str],
    tz: tzinfo | None,
) -> None:
    source = np.repeat(np.arange(len(stamps)), [len(each) for each in stamps])
    overlap = overlaps(np.concatenate([NO_STAMPS, *stamps]), source, interval)
    if not overlap.too_much:
        return
    first, last = (utc(edge).astimezone(tz or UTC) for edge in (overlap.first, overlap.last))
    of = sorted({devices[at] for at in overlap.sources if at < len(devices)} - {""})
    owners = f" (devices {' and '.join(of[:_SHOWN])})" if len(of) > 1 else ""
    when = f"{duration_text(overlap.doubled_us)} {span_text(first, last)}{'' if tz else ' UTC'}"
    raise ConfigurationError(
        f"{_joined([names[at] for at in overlap.sources])}{owners} cover the same time twice,"
        f" {when}, as two devices do: {advice}"
    )


def _joined(names: Sequence[str]) -> str:
    """Return the first names, without their folders if that keeps them apart, and how many more."""
    short = [Path(name).name for name in names]
    names = short if len(set(short)) == len(short) else names
    if len(names) > _SHOWN:
        return listed(names, _SHOWN)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
