"""A new month file, written group by group and sealed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from eyelog.archive.parquet.seal import note_seal, sealed
from eyelog.archive.parquet_writer import parquet_writer
from eyelog.disk.files import make_folders, new_file

__all__ = ["new_month"]


@contextmanager
def new_month(
    path: Path, schema: pa.Schema, log: str, account: str
) -> Iterator[Callable[[pa.Table], int]]:
    """Write a new file of a month; it is complete on the disk when the context ends.

    Yields a function that takes the rows of one group of days, in the columns of `schema`, and
    returns how many they are.
    """
    make_folders(path.parent)
    with (
        new_file(path) as sink,
        sealed(sink, path),
        parquet_writer(sink, schema, log, account) as writer,
    ):
        note_seal(writer)

        def write_group(rows: pa.Table) -> int:
            if rows.num_rows:
                # One chunk, one group: the same records make the same bytes.
                writer.write_table(rows.combine_chunks(), row_group_size=rows.num_rows)
            return int(rows.num_rows)

        yield write_group
