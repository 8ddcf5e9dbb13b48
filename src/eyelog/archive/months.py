"""One month's file, written so that it is always the old one or the new one.

The new file is made under a name that begins with a dot, flushed to the disk, and renamed over
the old one. Rows are merged group by group (four days each), so memory stays small. A file whose
records would not change is not touched.
"""

import os
import secrets
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from eyelog.archive.layout import (
    FILE,
    Place,
    file_metadata,
    folder,
    group_edges,
    month_path,
    schema_of,
)
from eyelog.archive.rows import extras_of, merge, open_file, read_rows, stamps_of, widest
from eyelog.errors import ArchiveError

__all__ = ["locked", "make_folders", "parquet_writer", "write_months"]

GROUP_DAYS: Final = 4
WAIT_S: Final = 300
_LEFTOVER: Final = f".{FILE}.*.tmp"


@dataclass(frozen=True, slots=True)
class Change:
    """What a write says: rows (sorted, unique), and spans in which only they remain."""

    rows: pa.Table
    spans: Sequence[tuple[int, int]] = ()


@contextmanager
def locked(place: Place, log: str, account: str) -> Iterator[None]:
    """Let one process at a time write one log of one account; sweep what a killed one left.

    Only a local disk can lock. On an object store each month is still old or new, but of two
    processes that write the same month at the same moment the later one wins.
    """
    if not place.local:
        yield
        return
    home = Path(folder(place, log, account))
    make_folders(home)
    try:
        with FileLock(home / ".lock", timeout=WAIT_S, mode=0o600):
            for leftover in home.glob(f"month=*/{_LEFTOVER}"):
                leftover.unlink(missing_ok=True)
            yield
    except Timeout:
        raise ArchiveError(
            f"another process has been writing {log!r} of {account!r} for {WAIT_S} s:"
            " try again when it is done"
        ) from None


def make_folders(path: Path) -> None:
    """Make a folder and its parents, open to nobody else, and safe on the disk."""
    if path.is_dir():
        return
    make_folders(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    _sync_folder(path.parent)


def _sync_folder(path: Path) -> None:
    if os.name == "nt":  # there a folder cannot be opened, nor need it be
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_months(
    place: Place, log: str, account: str, change: Change, months: Sequence[str]
) -> list[str]:
    """Merge a change into the months named; return those whose records changed.

    Every new file is complete on the disk before the first is put in place, so a full disk
    changes nothing.
    """
    done = []
    with ExitStack() as cleanup:
        staged = []
        for month in months:
            target = month_path(place, log, account, month)
            merging = _Merging(place, log, account, month, change)
            if merging.alters():
                staged.append((merging.stage(cleanup), target))
                done.append(month)
        for made, target in staged:
            _commit(place, made, target)
    return done


def _commit(place: Place, made: Path | None, target: str) -> None:
    """Put one finished file in its place, or take the month away where no row is left."""
    if not place.local:
        if made is None:
            place.fs.rm_file(target)
        else:
            place.fs.makedirs(target.rsplit("/", 1)[0], exist_ok=True)
            place.fs.put_file(str(made), target)
        return
    if made is None:
        Path(target).unlink()
    else:
        made.replace(target)
    _sync_folder(Path(target).parent)


@dataclass(frozen=True, slots=True)
class _Merging:
    """One month of an archive under one change, four days at a time."""

    place: Place
    log: str
    account: str
    month: str
    change: Change

    def alters(self) -> bool:
        """Whether any record would change."""
        return not all(old.equals(new) for old, new in self._groups(touched=True))

    def stage(self, cleanup: ExitStack) -> Path | None:
        """Write the merged month to a file of its own; None where no row is left.

        The file is gone when `cleanup` closes, unless it was put in place before.
        """
        made, handle = self._temporary()
        cleanup.callback(made.unlink, missing_ok=True)
        rows = 0
        with os.fdopen(handle, "wb") as sink:
            schema = self._schema()
            with parquet_writer(sink, schema, self.log, self.account) as writer:
                for _, group in self._groups(touched=False):
                    if group.num_rows:
                        writer.write_table(group.combine_chunks(), row_group_size=group.num_rows)
                        rows += group.num_rows
            sink.flush()
            os.fsync(sink.fileno())
        return made if rows else None

    def _temporary(self) -> tuple[Path, int]:
        if not self.place.local:
            handle, name = tempfile.mkstemp(suffix=".parquet")
            return Path(name), handle
        home = Path(self._target()).parent
        make_folders(home)
        made = home / _LEFTOVER.replace("*", secrets.token_hex(8))
        return made, os.open(made, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)

    def _target(self) -> str:
        return month_path(self.place, self.log, self.account, self.month)

    @contextmanager
    def _old(self) -> Iterator[pq.ParquetFile | None]:
        if not self.place.fs.exists(self._target()):
            yield None
            return
        with open_file(self.place, self._target()) as file:
            yield file

    def _schema(self) -> pa.Schema:
        extras = extras_of(self.change.rows.schema, self.log)
        with self._old() as old:
            if old is not None:
                extras += extras_of(old.schema_arrow, self.log)
        return pa.schema([*schema_of(self.log), *widest(extras)])

    def _groups(self, *, touched: bool) -> Iterator[tuple[pa.Table, pa.Table]]:
        """Give (old rows, merged rows) of each group; with `touched` only where they can differ."""
        schema, rows, spans = self._schema(), self.change.rows, self.change.spans
        stamps = stamps_of(rows)
        with self._old() as old:
            for first, after in pairwise(group_edges(self.month, GROUP_DAYS)):
                low, high = np.searchsorted(stamps, [first, after]).tolist()
                inside = [(a, b) for a, b in spans if a < after and b > first]
                if low == high and not inside and touched:
                    continue
                before = (
                    schema.empty_table() if old is None else read_rows(old, schema, first, after)
                )
                if low == high and not inside:
                    yield before, before
                else:
                    yield before, merge(before, rows.slice(low, high - low), inside)


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
