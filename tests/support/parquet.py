"""Looking at, and spoiling, the bytes of Parquet files."""

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq

from eyelog.archive.arrow_tables import plain_schema
from eyelog.archive.parquet.seal import add_seal
from eyelog.archive.parquet_writer import parquet_writer


def spoil_chunks(path: Path, chosen: Callable[[int, str], bool]) -> int:
    """Overwrite the column chunks for which ``chosen(row group, column)`` holds; count them."""
    meta = pq.read_metadata(path)
    data = bytearray(path.read_bytes())
    spoiled = 0
    for group in range(meta.num_row_groups):
        for at in range(meta.num_columns):
            chunk = meta.row_group(group).column(at)
            if chosen(group, chunk.path_in_schema):
                starts = [chunk.data_page_offset]
                if chunk.has_dictionary_page:
                    starts.append(chunk.dictionary_page_offset)
                size = chunk.total_compressed_size
                data[min(starts) : min(starts) + size] = b"\xff" * size
                spoiled += 1
    path.write_bytes(data)
    return spoiled


def flip_byte(path: Path, column: str) -> None:
    """Change one byte in the middle of the first chunk of a column."""
    meta = pq.read_metadata(path)
    at = meta.schema.names.index(column)
    chunk = meta.row_group(0).column(at)
    data = bytearray(path.read_bytes())
    data[chunk.data_page_offset + chunk.total_compressed_size // 4] ^= 0x40
    path.write_bytes(data)


def without_seal(path: Path) -> None:
    """Make a file what an older eyelog wrote: the same records, with neither seal nor its key."""
    with pq.ParquetFile(path) as file:
        names = {name.decode(): text.decode() for name, text in file.schema_arrow.metadata.items()}
        schema = plain_schema(file.schema_arrow)
        groups = [file.read_row_group(number).cast(schema) for number in range(file.num_row_groups)]
    with parquet_writer(path, schema, names["eyelog.log"], names["eyelog.account"]) as writer:
        for group in groups:
            writer.write_table(group.combine_chunks(), row_group_size=group.num_rows)


def sealed_by_0_2_0(path: Path) -> None:
    """Make a file what eyelog 0.2.0 wrote: sealed, without a key that says so."""
    without_seal(path)
    with path.open("r+b") as sink:
        add_seal(sink, path)
