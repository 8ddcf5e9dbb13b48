"""Finding and spoiling the files of an archive, and making what an older eyelog wrote."""

import json
import shutil
import zlib
from pathlib import Path

import pyarrow.parquet as pq

MARK = b"\x89eyelog\xf0seal\r\n\x1a\n"


def month_file(archive: str | Path, month: str, *, log: str = "*", account: str = "*") -> Path:
    """Return the one file of a month."""
    (path,) = Path(archive).glob(f"log={log}/account={account}/month={month}/*.parquet")
    return path


def flip_byte(path: Path, column: str = "date") -> None:
    """Change one byte in the middle of the first chunk of a column."""
    meta = pq.read_metadata(path)
    at = meta.schema.names.index(column)
    chunk = meta.row_group(0).column(at)
    data = bytearray(path.read_bytes())
    data[chunk.data_page_offset + chunk.total_compressed_size // 4] ^= 0x40
    path.write_bytes(data)


def of_third_release(archive: str | Path, *, sealed: bool = True) -> list[Path]:
    """Make all months of an archive what eyelog 0.3 wrote: sealed files, and no list of them.

    Without `sealed`, what the first releases wrote. Return the files.
    """
    made = []
    for path in sorted(Path(archive).glob("log=*/account=*/month=*/*.parquet")):
        table = pq.read_table(path, partitioning=None)
        about = {
            key: value
            for key, value in table.schema.metadata.items()
            if key.startswith(b"eyelog.") and key != b"eyelog.slot"
        }
        target = path.with_name("data.parquet")
        with pq.ParquetWriter(
            target,
            table.schema.with_metadata(about),
            compression="zstd",
            write_statistics=["date"],
            write_page_checksum=True,
        ) as writer:
            writer.write_table(table, row_group_size=5000)
            if sealed:
                writer.add_key_value_metadata({b"eyelog.seal": b"1"})
        if sealed:
            seal(target)
        path.unlink()
        target.chmod(0o600)
        made.append(target)
    shutil.rmtree(Path(archive, ".months"))
    return made


def seal(path: Path, version: int = 1) -> None:
    """Put the checksums of a finished file in front of its footer, as eyelog 0.3 did."""
    body = path.read_bytes()
    start = len(body) - 8 - int.from_bytes(body[-8:-4], "little")
    file = pq.ParquetFile(path)
    groups = []
    for number in range(file.num_row_groups):
        group, chunks = file.metadata.row_group(number), []
        for at in range(group.num_columns):
            chunk = group.column(at)
            first = chunk.data_page_offset
            if chunk.has_dictionary_page:
                first = min(first, chunk.dictionary_page_offset)
            size = chunk.total_compressed_size
            chunks.append([first, size, zlib.crc32(body[first : first + size])])
        groups.append({"rows": group.num_rows, "first": None, "last": None, "chunks": chunks})
    summary = json.dumps(
        {
            "version": version,
            "columns": [[field.name, str(field.type)] for field in file.schema_arrow],
            "groups": groups,
            "footer_crc32": zlib.crc32(body[start:]),
        }
    ).encode()
    frame = zlib.crc32(summary).to_bytes(4, "little") + len(summary).to_bytes(4, "little") + MARK
    path.write_bytes(body[:start] + summary + frame + body[start:])
