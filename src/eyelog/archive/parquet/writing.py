"""One month's file, written so that it is always the old one or the new one.

The new file is made under a name that begins with a dot, flushed to the disk, and renamed over
the old one. Rows are merged group by group (four days each), so memory stays small. A file whose
records would not change is not touched.
"""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date, tzinfo
from itertools import pairwise
from pathlib import Path
from typing import Final, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from eyelog.archive.parquet.layout import (
    FILE,
    Place,
    file_metadata,
    folder,
    group_edges,
    month_edges,
    month_path,
    months,
    months_of,
    schema_of,
)
from eyelog.archive.parquet.reading import instant_us, overlap
from eyelog.archive.parquet.rows import (
    MonthFile,
    extras_of,
    merge,
    open_file,
    read_rows,
    stamps_of,
    table_of,
    widest,
)
from eyelog.catalogue import check_log
from eyelog.clock import DAY, day_start, parse_day
from eyelog.disk.files import make_folders, new_file, put_in_place, sync_folder, temporary_name
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.frame import conform, log_of

__all__ = [
    "Change",
    "Told",
    "locked",
    "parquet_writer",
    "told",
    "write",
    "write_months",
]

GROUP_DAYS: Final = 4

WAIT_S: Final = 300


@dataclass(frozen=True, slots=True)
class Change:
    """What is said of one month: its rows, and the spans in which only they remain."""

    month: str
    rows: pa.Table  # sorted, unique
    spans: Sequence[tuple[int, int]] = ()


@contextmanager
def locked(place: Place, log: str, account: str) -> Iterator[None]:
    """Let one process at a time write one log of one account; sweep what a killed one left.

    Only a local disk can lock. On an object store each month is still old or new, but of two
    processes that write the same month at the same moment the later one wins.
    """
    if not place.local:
        bucket = place.root.partition("/")[0]
        if bucket and not place.fs.exists(bucket):  # fsspec would make it, misspelt as it may be
            raise ArchiveError(
                f"cannot write to {place.name}: there is no {bucket!r}, make it first"
            )
        yield
        return
    home = Path(folder(place, log, account))
    make_folders(home)
    try:
        with FileLock(home / ".lock", timeout=WAIT_S, mode=0o600):
            for leftover in home.glob(f"month=*/.{FILE}.*.tmp"):
                leftover.unlink(missing_ok=True)
            yield
    except Timeout:
        raise ArchiveError(
            f"another process has been writing {log!r} of {account!r} for {WAIT_S} s:"
            " try again when it is done"
        ) from None


def write_months(place: Place, log: str, account: str, changes: Iterable[Change]) -> list[str]:
    """Merge changes into their months; return the months whose records changed.

    Every new file is complete on the disk before the first is put in place, so a full disk
    changes nothing.
    """
    staged: dict[str, Path | None] = {}
    with ExitStack() as cleanup:
        for change in changes:
            target = month_path(place, log, account, change.month)
            with _old(place, target) as old:
                schema = _schema(old, change, log)
                if all(before.equals(after) for before, after in _groups(old, change, schema)):
                    continue
                made = _temporary(place, target)
                cleanup.callback(made.unlink, missing_ok=True)
                groups = _groups(old, change, schema, every=True)
                rows = _write(made, schema, log, account, (after for _, after in groups))
            staged[change.month] = made if rows else None
        for month, made_whole in staged.items():
            _commit(place, made_whole, month_path(place, log, account, month))
    return list(staged)


@contextmanager
def _old(place: Place, target: str) -> Iterator[MonthFile | None]:
    if not place.fs.exists(target):
        yield None
        return
    with open_file(place, target) as file:
        yield file


def _schema(old: MonthFile | None, change: Change, log: str) -> pa.Schema:
    extras = extras_of(change.rows.schema, log)
    if old is not None:
        extras += extras_of(old.schema, log)
    return pa.schema([*schema_of(log), *widest(extras)])


def _groups(
    old: MonthFile | None, change: Change, schema: pa.Schema, *, every: bool = False
) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Give the rows before and after of each group; unless `every`, only where they can differ."""
    stamps = stamps_of(change.rows)
    for first, after in pairwise(group_edges(change.month, GROUP_DAYS)):
        low, high = np.searchsorted(stamps, [first, after]).tolist()
        spans = [(a, b) for a, b in change.spans if a < after and b > first]
        spoken_of = low < high or bool(spans)
        if not spoken_of and not every:
            continue
        before = schema.empty_table() if old is None else read_rows(old, schema, first, after)
        new = change.rows.slice(low, high - low)
        yield before, merge(before, new, spans) if spoken_of else before


def _temporary(place: Place, target: str) -> Path:
    if not place.local:  # what is sent there is first made here
        return temporary_name(Path(tempfile.gettempdir()) / FILE)
    make_folders(Path(target).parent)
    return temporary_name(Path(target))


def _write(
    made: Path, schema: pa.Schema, log: str, account: str, groups: Iterable[pa.Table]
) -> int:
    rows = 0
    with new_file(made) as sink, parquet_writer(sink, schema, log, account) as writer:
        for group in groups:
            if group.num_rows:
                # One chunk, one group: the same records make the same bytes.
                writer.write_table(group.combine_chunks(), row_group_size=group.num_rows)
                rows += group.num_rows
    return rows


def _commit(place: Place, made: Path | None, target: str) -> None:
    """Put one finished file in its place, or take the month away where no row is left."""
    if place.local:
        if made is not None:
            put_in_place(made, Path(target))
        else:
            Path(target).unlink()
            sync_folder(Path(target).parent)
    elif made is not None:
        place.fs.makedirs(target.rsplit("/", 1)[0], exist_ok=True)
        place.fs.put_file(str(made), target)
    else:
        place.fs.rm_file(target)


@contextmanager
def parquet_writer(
    sink: object, schema: pa.Schema, log: str, account: str
) -> Iterator[pq.ParquetWriter]:
    """Open a Parquet writer with the settings of the archive.

    Values with few decimals take dictionaries well; stamps, all different, take differences.
    """
    with pq.ParquetWriter(
        sink,
        schema.with_metadata(file_metadata(log, account)),
        compression="zstd",
        compression_level=3,
        use_dictionary=[name for name in schema.names if name != "date"],
        column_encoding={"date": "DELTA_BINARY_PACKED"},
        write_statistics=["date"],
        write_page_checksum=True,
        sorting_columns=[pq.SortingColumn(schema.names.index("date"))],
    ) as writer:
        yield writer


_FIRST: Final = int(np.datetime64("0001-01-01", "us").astype(np.int64))

_LAST: Final = int(np.datetime64("9999-12-01", "us").astype(np.int64))


@dataclass(frozen=True, slots=True)
class Told:
    """A frame that can be written, and the spans (microseconds) that it holds whole."""

    log: str
    frame: pd.DataFrame
    stamps: npt.NDArray[np.int64]
    spans: tuple[tuple[int, int], ...]


def told(frame: pd.DataFrame, log: str, days: Iterable[str | date] | None) -> Told:
    """Check a frame and say what it tells; `days` are local days of its own zone.

    Raises
    ------
    MixedLogsError
        If `frame` is of the other log.
    ConfigurationError
        If the index is naive, a stamp is missing or of no year that a folder can be named after.
    """
    log_of(frame, check_log(log))
    shaped = conform(frame, log, tz="UTC")
    tz = cast(tzinfo, cast(pd.DatetimeIndex, frame.index).tz)
    named = [days] if isinstance(days, str | date) else days or ()
    firsts = [parse_day(day) for day in named]
    spans = ((instant_us(day_start(d, tz)), instant_us(day_start(d + DAY, tz))) for d in firsts)
    return Told(log, shaped, _stamps(shaped), tuple(sorted(spans)))


def _stamps(frame: pd.DataFrame) -> npt.NDArray[np.int64]:
    index = cast(pd.DatetimeIndex, frame.index)
    if index.hasnans:
        raise ConfigurationError(
            "a stamp of the frame is missing (NaT): drop those rows (frame[frame.index.notna()])"
        )
    stamps = index.asi8
    if len(stamps) and not (stamps[0] >= _FIRST and stamps[-1] < _LAST):
        raise ConfigurationError(
            f"a stamp lies outside the years 1 to 9999: {index[0]} to {index[-1]}"
        )
    return stamps


def write(place: Place, account: str, said: Told) -> list[str]:
    """Merge what a frame tells; return the months that changed."""
    if not len(said.stamps) and not said.spans:
        return []
    with locked(place, said.log, account):
        held = months(place, said.log, account)
        emptied = {m for m in held if any(overlap(m, span) for span in said.spans)}
        names = sorted(emptied | set(months_of(said.stamps)))
        # One month at a time becomes a table, so that a year needs no second copy of itself.
        changes = (_change(said, month) for month in names)
        return write_months(place, said.log, account, changes)


def _change(said: Told, month: str) -> Change:
    low, high = np.searchsorted(said.stamps, month_edges(month)).tolist()
    return Change(month, table_of(said.frame.iloc[low:high], said.log), said.spans)
