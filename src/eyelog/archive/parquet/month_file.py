"""One Parquet file of the archive, opened and read as Arrow tables; ranges are half open."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from eyelog.archive.arrow_tables import STAMP, stamps_of
from eyelog.archive.damage import damage
from eyelog.archive.parquet.seal import (
    Content,
    Group,
    checked_chunks,
    footer_groups,
    read_seal,
    refuse_lost_seal,
)
from eyelog.archive.place import Place, archive_errors
from eyelog.archive.utc_stamps import Stamps
from eyelog.errors import ArchiveError, EyelogError

__all__ = ["MonthFile", "damage_errors", "open_file", "read_groups"]

_STAMPS: Final = pa.schema([("date", STAMP)])
# Above this number of values, columns are read one at a time: that takes a third of the time of
# reading them at once, since the system allocates the memory for one and not for all.
_MANY_VALUES: Final = 8_000_000


@dataclass(frozen=True, slots=True)
class MonthFile:
    """An open file, its path, its columns as they were written, and its row groups.

    Of a sealed file, `parquet` reads from memory, where `content` puts only checked bytes.
    """

    path: str
    schema: pa.Schema
    groups: Sequence[Group]
    parquet: pq.ParquetFile
    content: Content | None

    def rows(self, schema: pa.Schema, first: int, after: int) -> pa.Table:
        """Return the rows of [first, after), in exactly the columns of `schema`.

        Only the row groups and columns that are needed are read. A column that the file lacks
        (because an older catalogue did) is missing in every row.

        Raises
        ------
        ArchiveError
            If the rows that are read are damaged.
        """
        names = [name for name in schema.names if name in self.schema.names]
        groups = self._groups_within(first, after)
        table = read_groups(self, groups, names) if groups else self.schema.empty_table()
        with damage_errors(self.path):
            stamps = stamps_of(table)
            if not bool(np.all(stamps[1:] > stamps[:-1])):
                raise damage(self.path, "its stamps are not in order")
            low, high = np.searchsorted(stamps, [first, after]).tolist()
            return _fit(table.slice(low, high - low), schema)

    def stamps(self, first: int, after: int) -> Stamps:
        """Return the stamps of [first, after); no other column is read."""
        return stamps_of(self.rows(_STAMPS, first, after))

    def edges(self) -> tuple[int, int]:
        """Return the first and the last stamp, as the file states them."""
        firsts = [group.first for group in self.groups if group.first is not None]
        lasts = [group.last for group in self.groups if group.last is not None]
        return min(firsts), max(lasts)

    def most_rows(self, first: int, after: int) -> int:
        """Return how many rows there can be within [first, after), as the file states them."""
        return sum(self.groups[number].rows for number in self._groups_within(first, after))

    def _groups_within(self, first: int, after: int) -> list[int]:
        """Return the row groups that can have stamps of [first, after), as the file states them."""
        return [
            number
            for number, group in enumerate(self.groups)
            if group.first is None
            or group.last is None
            or (group.first < after and group.last >= first)
        ]


@contextmanager
def open_file(place: Place, path: str) -> Iterator[MonthFile]:
    """Open one file; its footer is checked here, its rows when they are read.

    Raises
    ------
    ArchiveError
        If the file is damaged, or not a file of an archive.
    """
    with ExitStack() as stack:
        with damage_errors(path):
            source = stack.enter_context(_open_source(place, path))
            content = read_seal(source, path)
            if content is not None:  # its checksums cover more than those of the pages
                file = pq.ParquetFile(pa.BufferReader(pa.py_buffer(content.space)))
            elif place.local:
                file = pq.ParquetFile(path, page_checksum_verification=True, pre_buffer=False)
            else:
                file = pq.ParquetFile(source, page_checksum_verification=True, pre_buffer=True)
            stack.enter_context(file)
            if content is None:
                refuse_lost_seal(file.metadata, path)
            own = file.schema_arrow
            if "date" not in own.names or own.field("date").type != STAMP:
                raise ArchiveError(
                    f"cannot read {path}: not a file of an archive (its 'date' is not"
                    f" {STAMP}): move it elsewhere"
                )
            groups = footer_groups(file.metadata) if content is None else content.seal.groups
        yield MonthFile(path, own, groups, file, content)


def _open_source(place: Place, path: str) -> Any:
    if place.local:
        return Path(path).open("rb", buffering=0)
    # No read-ahead: over a network, only what is requested is fetched.
    return place.fs.open(path, "rb", cache_type="none")


def read_groups(file: MonthFile, groups: Sequence[int], names: Sequence[str]) -> pa.Table:
    """Return the rows of at least one row group, in some of the columns.

    Raises
    ------
    ArchiveError
        If what is read is damaged.
    """
    # A thread of pyarrow can still hold the memory that Python owns when the program ends, and to
    # give it back then aborts the process. Threads read a month no faster.
    read = partial(file.parquet.read_row_groups, groups, use_threads=False)
    if sum(file.groups[group].rows for group in groups) * len(names) > _MANY_VALUES:
        parts = [_read_checked(file, read, groups, [name]) for name in names]
        return pa.table({part.column_names[0]: part.column(0) for part in parts})
    return _read_checked(file, read, groups, names)


def _read_checked(
    file: MonthFile, read: Callable[..., pa.Table], groups: Sequence[int], names: Sequence[str]
) -> pa.Table:
    if file.content is None:
        with damage_errors(file.path):
            return read(columns=names)
    with archive_errors(f"read {file.path}"), checked_chunks(file.content, groups, names):
        return read(columns=names)


def _fit(table: pa.Table, schema: pa.Schema) -> pa.Table:
    if table.schema.equals(schema):
        return table
    arrays = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.chunked_array([pa.nulls(table.num_rows, field.type)])
        for field in schema
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


@contextmanager
def damage_errors(path: str) -> Iterator[None]:
    """Turn whatever a Parquet reader raises on unchecked bytes into `damage`.

    Errors of the disk or of the store are left as they are.
    """
    with archive_errors(f"read {path}"):
        try:
            yield
        except (EyelogError, Warning):
            raise
        except Exception as error:  # a wrong bit can affect anything: text, sizes, types, names
            module = type(error).__module__.partition(".")[0]
            of_the_disk = isinstance(error, ConnectionError | TimeoutError) or (
                isinstance(error, OSError) and error.errno is not None
            )
            if of_the_disk or module not in ("builtins", "pyarrow"):
                raise
            raise damage(path, " ".join(str(error).split()) or type(error).__name__) from error
