"""Looking at, and spoiling, the bytes of Parquet files."""

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq


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
    """Make a file what an older eyelog wrote: the same chunks and footer, and no seal."""
    content = path.read_bytes()
    length = int.from_bytes(content[-8:-4], "little") + 8
    meta = pq.read_metadata(path)
    last = meta.row_group(meta.num_row_groups - 1).column(meta.num_columns - 1)
    start = last.dictionary_page_offset if last.has_dictionary_page else last.data_page_offset
    path.write_bytes(content[: start + last.total_compressed_size] + content[-length:])
