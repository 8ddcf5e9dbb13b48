"""Month files of eyelog 0.3 and before: their checksums are in them, beside the footer.

::

    PAR1 | column chunks | summary | its CRC-32, its length, MARK | footer | length | PAR1

The summary (JSON) has the place, size and CRC-32 of every column chunk, and the CRC-32 of what
comes behind the mark. The first releases wrote files without it, which have checksums of their
pages alone. Such a file is read until its month changes, and is then written as today's are.
"""

import io
import json
import zlib
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from eyelog.archive.place import damage
from eyelog.errors import ArchiveError

MARK: Final = b"\x89eyelog\xf0seal\r\n\x1a\n"
SEALED: Final = b"eyelog.seal"  # in the metadata of a file that has a seal


def open_sealed(body: bytes, path: str) -> pq.ParquetFile:
    """Return a file of an older eyelog, once all of it has passed its own checks.

    Raises
    ------
    ArchiveError
        If it is damaged.
    """
    footer = len(body) - 8 - int.from_bytes(body[-8:-4], "little")
    mark = footer - len(MARK)
    if mark < 8 or body[mark:footer] != MARK:
        if MARK in body:
            raise damage(path, "the length of its footer is not the one that was sealed")
        file = pq.ParquetFile(io.BytesIO(body), page_checksum_verification=True)
        if SEALED in (file.metadata.metadata or {}):
            raise damage(path, "its metadata says that it is sealed, but it has no seal")
        for number in range(file.num_row_groups):
            file.read_row_group(number, use_threads=False)
        return file
    checksum, length = (int.from_bytes(body[at : at + 4], "little") for at in (mark - 8, mark - 4))
    summary = body[max(0, mark - 8 - length) : mark - 8]
    if zlib.crc32(summary) != checksum:
        raise damage(path, "the seal that covers its footer is damaged")
    seal = json.loads(summary)
    if seal["version"] != 1:
        raise ArchiveError(f"cannot read {path}: written by a newer version of eyelog: update it")
    if zlib.crc32(body[footer:]) != seal["footer_crc32"]:
        raise damage(path, "its footer is not the one that was sealed")
    for number, group in enumerate(seal["groups"]):
        for (name, _), (start, size, known) in zip(seal["columns"], group["chunks"], strict=True):
            if zlib.crc32(body[start : start + size]) != known:
                raise damage(path, f"{name!r} is damaged in row group {number}")
    return pq.ParquetFile(pa.BufferReader(body))
