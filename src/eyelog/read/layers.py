"""Records of several files laid over one another: which value counts, what each file added, whose.

Of several records on one stamp the last one is kept, value by value: a value that is missing in a
file never replaces an existing one. So laying the same files over the result changes nothing.
Records of two wearers or devices, or of one log twice and shifted, would count the same hours
twice, so they are refused.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from eyelog.archive.arrow_tables import Stamps, extras_of, fit, schema_of, stamps_of, widest
from eyelog.catalogue import log_named
from eyelog.errors import ConfigurationError, listed
from eyelog.frame import OFFSET
from eyelog.overlap import duration_text, mostly_differ, overlaps, span_text, utc

HELD: Final = -1  # instead of the number of a file: what is below the files
_SHOWN: Final = 3


def stacked(tables: Sequence[pa.Table], log: str, names: Set[str] = frozenset()) -> pa.Table:
    """Return tables one after the other, in the order of the catalogue, unknown columns last.

    It has the columns of `names`, and those that any of the tables has; an unknown column without
    a value is left out.
    """
    names = {"date"}.union(names, *(table.column_names for table in tables))
    extras = [
        field
        for table in tables
        for field in extras_of(table.schema, log)
        if field.name == OFFSET or table.column(field.name).null_count < table.num_rows
    ]
    documented = [field for field in schema_of(log) if field.name in names]
    schema = pa.schema([*documented, *widest(extras)])
    return pa.concat_tables([schema.empty_table(), *(fit(table, schema) for table in tables)])


def in_order(table: pa.Table) -> pa.Table:
    """Return records sorted by their stamps."""
    stamps = stamps_of(table)
    if (stamps[1:] >= stamps[:-1]).all():
        return table
    return table.take(pa.array(np.argsort(stamps, kind="stable")))


@dataclass(frozen=True, slots=True)
class Overlay:
    """The result of laying files over the rows of a table.

    `changes` has the records that are new or changed, with every column that a file has. `kept`,
    `conflicts` and `replaced` are counts per file: of its rows that are new or add something, of
    its rows that have another value than one before them of the same stamp, and how many of these
    replace it. `meetings` has a row for each pair of sources that share stamps: the numbers of the
    `file` and of the `earlier` one, how many stamps are `shared`, at how many the values are
    `conflicts`, and the `first` of them.
    """

    changes: pa.Table
    kept: list[int]
    conflicts: list[int]
    replaced: list[int]
    meetings: pd.DataFrame


def overlay(before: pa.Table, files: Sequence[pa.Table], beneath: Sequence[Stamps] = ()) -> Overlay:
    """Lay files over the rows of a table, the later over the earlier.

    Parameters
    ----------
    before : Table
        Sorted; its schema has every column of the files.
    files : sequence of Table
        The records of each file, the later over the earlier.
    beneath : sequence of array
        The stamps at which each file has lost values to those of `before`, which count as its
        conflicts.
    """
    names = {"date"}.union(*(table.column_names for table in files))
    schema = pa.schema([field for field in before.schema if field.name in names])
    of_files = [stamps_of(table) for table in files]
    before = before.filter(pa.array(np.isin(stamps_of(before), np.concatenate(of_files))))
    whole = pa.concat_tables([fit(table, schema) for table in (before, *files)])
    sizes = [before.num_rows, *map(len, of_files)]
    order = np.argsort(stamps_of(whole), kind="stable")  # of one stamp, in the order of the files
    stamps = stamps_of(whole)[order]
    source = np.repeat(np.arange(len(sizes)), sizes)[order] + HELD
    opens = np.append(True, stamps[1:] != stamps[:-1])[: len(stamps)]
    first = np.flatnonzero(opens)  # where the records of each stamp begin
    last = np.append(first[1:], len(stamps))[: len(first)] - 1
    differs = np.zeros(len(stamps), bool)
    lost = [np.isin(*pair) for pair in zip(of_files, beneath, strict=False)]
    overrules = np.concatenate([np.zeros(before.num_rows, bool), *lost])
    overrules = overrules[order] if beneath else differs.copy()
    moved = source[first] != HELD
    settled: dict[str, npt.NDArray[np.int64]] = {}  # whose values count, where not the last row's
    for field in schema if not opens.all() else ():
        if field.name == "date":
            continue
        column = whole.column(field.name)
        if pa.types.is_string(field.type):
            values: npt.NDArray[Any] = np.array(column.to_pylist(), object)[order]
        else:
            values = column.cast(pa.float64()).to_numpy()[order]
        present = np.asarray(pd.notna(values))
        if not present.any():
            continue
        if not present.all():
            at = np.maximum.accumulate(np.where(present | opens, np.arange(len(values)), 0))
            values, present = values[at], present[at]
            settled[field.name] = at
        other = np.append(False, present[1:] & ~opens[1:] & (values[1:] != values[:-1]))
        differs |= other
        overrules[1:] |= other[1:] & present[:-1]
        moved |= present[last] & (values[first] != values[last])
    rows = last[moved]
    columns = [
        whole.column(name).take(pa.array(order[settled[name][rows] if name in settled else rows]))
        for name in schema.names
    ]
    # Files that replace each other's values may end where they began: then none adds anything.
    adds = (opens | differs) & (source != HELD) & np.repeat(moved, last - first + 1)
    kept, conflicts, replaced = (
        np.bincount(source[which] - HELD, minlength=len(sizes))[1:].tolist()
        for which in (adds & ~overrules, overrules, adds & overrules)
    )
    again = np.flatnonzero(~opens)
    meetings = pd.DataFrame(
        {
            "file": source[again],
            "earlier": source[again - 1],
            "shared": 1,
            "conflicts": overrules[again].astype(np.int64),
            "first": stamps[again],
        }
    )
    changes = pa.Table.from_arrays(columns, schema=schema)
    return Overlay(changes, kept, conflicts, replaced, _by_pair(meetings))


def _by_pair(meetings: pd.DataFrame) -> pd.DataFrame:
    pairs = meetings.groupby(["file", "earlier"], as_index=False)
    totals = pairs.agg({"shared": "sum", "conflicts": "sum", "first": "min"})
    return totals.sort_values("conflicts", ascending=False, kind="stable", ignore_index=True)


def without_conflicts(before: pa.Table, file: pa.Table) -> tuple[pa.Table, dict[str, Stamps]]:
    """Return records without the values that differ from those of a table, and their stamps.

    Laid over the table, the rest replaces no value of it. The stamps are given by field.
    """
    own, conflicts = stamps_of(file), {}
    _, stored, met = np.intersect1d(stamps_of(before), own, return_indices=True)
    for at, name in enumerate(file.column_names):
        if name == "date" or name not in before.column_names or not len(met):
            continue
        old, new = before.column(name).take(pa.array(stored)), file.column(name)
        unequal = pc.not_equal(old, new.take(pa.array(met)).cast(old.type))
        differing = met[pc.fill_null(unequal, False).to_numpy()]
        if len(differing):
            conflicts[name] = own[differing]
            lost = pa.array(np.isin(np.arange(len(own)), differing))
            file = file.set_column(at, name, pc.if_else(lost, pa.scalar(None, new.type), new))
    return file, conflicts


def refuse_other_wearers(
    meetings: Sequence[pd.DataFrame],
    names: Sequence[str],
    log: str,
    *,
    advice: str,
    to_replace: str | None = None,
    account: str = "",
) -> None:
    """Raise if files have different values at most of the stamps that they share.

    `meetings` are those of `Overlay`. `advice` is for files among themselves, `to_replace` for
    those that meet what the account holds (`HELD`); None allows these.
    """
    interval = log_named(log).interval_us
    if not any(map(len, meetings)):
        return
    every = _by_pair(pd.concat(meetings))
    held = every["earlier"] == HELD
    for pairs, what_to_do in ((every[~held], advice), (every[held], to_replace)):
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
            who, again = f"{_names([file])} has", f"{account!r} holds"
        elif names[earlier] == file:
            who, again = f"{_names([file])} has", "come again in it"
        else:
            who, again = f"{_names([names[earlier], file])} have", "they share"
        raise ConfigurationError(
            f"{who} other values on {conflicts:,} of the {shared:,} stamps that {again} (the first"
            f" {utc(int(worst['first'])):%Y-%m-%d %H:%M} UTC), as if they were of two wearers:"
            f" {what_to_do}"
        )


def refuse_overlaps(
    names: Sequence[str],
    stamps: Sequence[Stamps],
    log: str,
    *,
    tz: tzinfo | None = None,
    devices: Sequence[str] = (),
    advice: str,
) -> None:
    """Raise if files cover the same time with different stamps.

    The stamps of each file are in microseconds, and its device may be known; the message has
    instants in `tz`, by default UTC, and says what to do.
    """
    source = np.repeat(np.arange(len(stamps)), [len(each) for each in stamps])
    every = np.concatenate([np.empty(0, np.int64), *stamps])
    overlap = overlaps(every, source, log_named(log).interval_us)
    if not overlap.too_much:
        return
    first, last = (utc(edge).astimezone(tz or UTC) for edge in (overlap.first, overlap.last))
    of = sorted({devices[at] for at in overlap.sources if at < len(devices)} - {""})
    owners = f" (devices {' and '.join(of[:_SHOWN])})" if len(of) > 1 else ""
    files = _names([names[at] for at in overlap.sources])
    when = f"{duration_text(overlap.doubled_us)} {span_text(first, last)}{'' if tz else ' UTC'}"
    raise ConfigurationError(
        f"{files}{owners} cover the same time twice, {when}, as two devices do: {advice}"
    )


def _names(names: Sequence[str]) -> str:
    """Return the first names, without their folders if that keeps them apart, and how many more."""
    short = [Path(name).name for name in names]
    names = short if len(set(short)) == len(short) else names
    if len(names) > _SHOWN:
        return listed(names, _SHOWN)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
