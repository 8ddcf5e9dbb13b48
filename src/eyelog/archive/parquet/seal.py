"""The seal of a month file: a summary of its content under a checksum, beside its footer.

::

    PAR1 | column chunks | summary | its checksum, its length, MARK | footer | length | PAR1

Parquet checks the pages that it reads, but neither their headers nor the footer, and a wrong bit
there can make records disappear without an error. The summary (JSON) has the columns with their
types; for each row group its records, its first and last stamp, and the place, size and CRC-32 of
each column chunk; and the CRC-32 of everything behind the seal, which is the footer. So the footer
is checked before it is parsed, and each chunk before it is decoded.

The seal cannot be in the footer, which it covers. It is in a place to which no offset of the footer
points, so other Parquet tools do not see it, and a file that they write has none.

A file whose mark is damaged must not pass for one that was never sealed. So the footer says that
the file is sealed (the key `SEALED` of its metadata, which other tools do not copy); what resembles
the mark, or the end of a summary, is a damaged seal even if the footer does not say so: files of
eyelog 0.2.0 have no such key.
"""

import mmap
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Protocol

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from eyelog.archive.damage import damage
from eyelog.errors import ArchiveError

__all__ = [
    "Content",
    "Group",
    "ReadableFile",
    "Seal",
    "add_seal",
    "checked_chunks",
    "footer_groups",
    "note_seal",
    "read_seal",
    "refuse_lost_seal",
    "sealed",
]

MARK: Final = b"\x89eyelog\xf0seal\r\n\x1a\n"
SEALED: Final = b"eyelog.seal"
"""The key of a footer's metadata whose value is the version of the seal."""
_VERSION: Final = 1
_ENDS: Final = b'}],"footer_crc32":'  # a summary, but for a number of
_ENDING: Final = len(_ENDS) + 11  # characters


# Bits of the mark that may differ: at its place, and (where the length of the footer is wrong too)
# elsewhere, where there are also texts such as "eyelog.log". Other bytes differ in 64 of 128 bits,
# and in fewer than 33 once in a hundred million files.
_NEAR: Final = 32
_NEAR_ELSEWHERE: Final = 12
_NEAR_BYTES: Final = 7  # equal ones at its place
_MAGIC: Final = b"PAR1"
Chunk = tuple[int, int, int]
_Bytes = npt.NDArray[np.uint8]

_END: Final = 8  # bytes of the length of a footer and of PAR1
_FRAME: Final = 8 + len(MARK)  # bytes between the summary and the footer
_TAIL: Final = 64 * 1024  # usually contains the footer and the seal of a month of the 15-second log
_HOLE: Final = 8 * 1024  # one more request costs more than this many unneeded bytes


class ReadableFile(Protocol):
    """A file that is read: open on a disk or in any store of fsspec."""

    def seek(self, offset: int, whence: int = ..., /) -> int:
        """Go to a place in the file."""

    def readinto(self, buffer: memoryview, /) -> int | None:
        """Read into a buffer; return how many bytes were read."""


class Group(msgspec.Struct, frozen=True):
    """One row group; stamps are microseconds of UTC, None if a footer does not state them."""

    rows: int
    first: int | None
    last: int | None
    # Start, size and CRC-32 of the chunk of each column; decoded when the group is read.
    chunks: msgspec.Raw


class Seal(msgspec.Struct, frozen=True):
    """The description that a file gives of itself."""

    version: int
    columns: list[tuple[str, str]]  # name and type
    groups: list[Group]
    footer_crc32: int


def footer_groups(meta: pq.FileMetaData) -> list[Group]:
    """Return the row groups as a footer states them, without checksums."""
    at = meta.schema.names.index("date")
    return [_footer_group(meta.row_group(number), at) for number in range(meta.num_row_groups)]


def _footer_group(group: pq.RowGroupMetaData, at: int) -> Group:
    limits = group.column(at).statistics
    stated = limits is not None and limits.has_min_max
    first, last = (limits.min_raw, limits.max_raw) if stated else (None, None)
    return Group(group.num_rows, first, last, msgspec.Raw(b"[]"))


@contextmanager
def sealed(sink: BinaryIO, path: Path) -> Iterator[None]:
    """Seal the Parquet file that is written to `sink`, whose path is `path`, inside the context."""
    yield
    add_seal(sink, path)


def add_seal(sink: BinaryIO, path: Path) -> None:
    """Seal a finished Parquet file, given as an open sink and its path; its chunks do not move."""
    sink.flush()
    with path.open("rb") as source:
        file = pq.ParquetFile(source)
        size = source.seek(0, os.SEEK_END)
        source.seek(size - _END)
        start = size - _END - int.from_bytes(source.read(4), "little")
        source.seek(start)
        footer = source.read()
        columns = [(field.name, str(field.type)) for field in file.schema_arrow]
        groups = [
            _with_chunks(stated, file.metadata.row_group(number), source)
            for number, stated in enumerate(footer_groups(file.metadata))
        ]
    seal = Seal(_VERSION, columns, groups, zlib.crc32(footer))
    body = msgspec.json.encode(seal)
    sink.seek(start)
    sink.write(body)
    sink.write(zlib.crc32(body).to_bytes(4, "little") + len(body).to_bytes(4, "little") + MARK)
    sink.write(footer)


def note_seal(writer: pq.ParquetWriter) -> None:
    """Write into the footer of an open file that the file is sealed."""
    # Not in the schema, whose metadata other tools copy into the files that they write.
    writer.add_key_value_metadata({SEALED: str(_VERSION).encode()})


def _with_chunks(stated: Group, group: pq.RowGroupMetaData, source: BinaryIO) -> Group:
    chunks: list[Chunk] = []
    for at in range(group.num_columns):
        chunk = group.column(at)
        start = _start(chunk)
        source.seek(start)
        content = source.read(chunk.total_compressed_size)
        chunks.append((start, len(content), zlib.crc32(content)))
    return msgspec.structs.replace(stated, chunks=msgspec.Raw(msgspec.json.encode(chunks)))


def _start(chunk: pq.ColumnChunkMetaData) -> int:
    if chunk.has_dictionary_page:
        return int(min(chunk.data_page_offset, chunk.dictionary_page_offset))
    return int(chunk.data_page_offset)


@dataclass(frozen=True, slots=True)
class Content:
    """A sealed file in memory: its checked footer, and the requested chunks.

    The rest is not read and takes no memory: untouched pages are not allocated.
    """

    path: str
    source: ReadableFile
    seal: Seal
    space: mmap.mmap


def read_seal(source: ReadableFile, path: str) -> Content | None:
    """Return an open file with its checked footer in memory.

    Returns None for a file without a seal: written by an older eyelog, or by another program.

    Raises
    ------
    ArchiveError
        If the seal is damaged, or the footer is not the one that was sealed.
    """
    size = source.seek(0, os.SEEK_END)
    if size < _END + _FRAME:
        return None
    space = mmap.mmap(-1, size)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):  # a huge page would fill the space between two chunks
        space.madvise(mmap.MADV_NOHUGEPAGE)
    view = memoryview(space)
    reach = _reach(source, path, view, size, max(0, size - _TAIL))
    if bytes(view[-4:]) != _MAGIC:
        return None  # not Parquet, as its reader will say
    footer = size - _END - int.from_bytes(view[-_END:-4], "little")
    frame = footer - _FRAME
    reach = _reach(source, path, view, reach, max(0, frame))
    if frame < 0 or bytes(view[footer - len(MARK) : footer]) != MARK:
        if space.find(MARK, reach) >= 0:
            raise damage(path, "the length of its footer is not the one that was sealed")
        if _resembles_mark(view, reach, footer):
            raise damage(path, "the mark of its seal is damaged")
        if _ends_like_summary(view, footer):
            raise damage(path, "it has the rest of a damaged seal")
        return None
    checksum, length = (int.from_bytes(view[at : at + 4], "little") for at in (frame, frame + 4))
    start = max(0, frame - length)
    _reach(source, path, view, reach, start)
    if zlib.crc32(view[start:frame]) != checksum:
        raise damage(path, "the seal that covers its footer is damaged")
    seal = _decoded(view[start:frame], path)
    if zlib.crc32(view[footer:]) != seal.footer_crc32:
        raise damage(path, "its footer is not the one that was sealed")
    return Content(path, source, seal, space)


def refuse_lost_seal(meta: pq.FileMetaData, path: str) -> None:
    """Raise `ArchiveError` if a file without a seal has a footer that says that it is sealed."""
    if SEALED in (meta.metadata or {}):
        raise damage(path, "its metadata says that it is sealed, but it has no seal")


def _ends_like_summary(view: memoryview, footer: int) -> bool:
    """Return whether the bytes in the place of the mark follow the end of a summary."""
    data = np.frombuffer(
        view[max(0, footer - _FRAME - _ENDING) : max(0, footer - _FRAME)], np.uint8
    )
    equal = _agreement(data, _ENDS)[1]
    return bool((equal > len(_ENDS) * 2 // 3).any())


def _resembles_mark(view: memoryview, offset: int, footer: int) -> bool:
    """Return whether a damaged mark is before the footer or, from `offset` on, elsewhere."""
    different, equal = _agreement(np.frombuffer(view[offset:], np.uint8), MARK)
    own = footer - len(MARK) - offset
    if 0 <= own < len(equal) and (different[own] <= _NEAR or equal[own] >= _NEAR_BYTES):
        return True
    return bool((different <= _NEAR_ELSEWHERE).any())


def _agreement(data: _Bytes, text: bytes) -> tuple[_Bytes, _Bytes]:
    """Return for each place in `data` by how many bits a text differs, and its equal bytes."""
    places = max(0, len(data) - len(text) + 1)
    different, equal = np.zeros(places, np.uint8), np.zeros(places, np.uint8)
    for at, byte in enumerate(text):
        part = data[at : at + places]
        different += np.bitwise_count(part ^ np.uint8(byte))
        equal += part == byte
    return different, equal


def _decoded(body: memoryview, path: str) -> Seal:
    try:
        seal = msgspec.json.decode(body, type=Seal)
    except msgspec.ValidationError:
        seal = None
    if seal is None or seal.version != _VERSION:
        raise ArchiveError(f"cannot read {path}: written by a newer version of eyelog: update it")
    return seal


def _reach(source: ReadableFile, path: str, view: memoryview, offset: int, start: int) -> int:
    """Read a file from `start` on of which only a later part is in memory."""
    if start < offset:
        _fill(source, path, view[start:offset], start)
    return min(start, offset)


def _fill(source: ReadableFile, path: str, view: memoryview, start: int) -> None:
    """Fill a view with the bytes of a file from `start` on."""
    source.seek(start)
    while len(view):
        count = source.readinto(view)
        if not count:
            raise damage(path, "it ends too early")
        view = view[count:]


@contextmanager
def checked_chunks(content: Content, groups: Iterable[int], names: Iterable[str]) -> Iterator[None]:
    """Keep the chunks of some row groups and columns in memory while the context lasts.

    Raises
    ------
    ArchiveError
        If a chunk is not as it was sealed.
    """
    wanted = _positions(content.seal, set(names))
    chunks = sorted(
        (*each[at], number, at)
        for number in groups
        for each in [msgspec.json.decode(content.seal.groups[number].chunks, type=list[Chunk])]
        for at in wanted
    )
    view = memoryview(content.space)
    spans = list(_joined((start, start + size) for start, size, *_ in chunks))
    for start, end in spans:
        _fill(content.source, content.path, view[start:end], start)
    for start, size, checksum, number, at in chunks:
        if zlib.crc32(view[start : start + size]) != checksum:
            raise damage(
                content.path,
                f"{content.seal.columns[at][0]!r} is damaged in row group {number}"
                " (CRC checksum verification failed)",
            )
    yield
    for start, end in spans:
        _release(content.space, start, end)


def _release(space: mmap.mmap, start: int, end: int) -> None:
    """Free memory that is no longer needed: a year of files may be open."""
    first, after = -(-start // mmap.PAGESIZE), end // mmap.PAGESIZE
    if hasattr(mmap, "MADV_DONTNEED") and first < after:
        space.madvise(mmap.MADV_DONTNEED, first * mmap.PAGESIZE, (after - first) * mmap.PAGESIZE)


def _positions(seal: Seal, names: set[str]) -> list[int]:
    """Return which columns pyarrow reads for some names: with ``a`` also one named ``a.b``."""
    return [
        at
        for at, (name, _) in enumerate(seal.columns)
        if name in names or ("." in name and any(name.startswith(f"{each}.") for each in names))
    ]


def _joined(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join sorted spans that touch, or nearly."""
    start = end = -1
    for first, after in spans:
        if end >= 0 and first - end <= _HOLE:
            end = max(end, after)
            continue
        if end >= 0:
            yield start, end
        start, end = first, after
    if end >= 0:
        yield start, end
