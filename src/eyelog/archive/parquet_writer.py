"""How records become a Parquet file, in an archive and in an export: its settings and metadata."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version

import pyarrow as pa
import pyarrow.parquet as pq

from eyelog.catalogue import catalogue_version

__all__ = ["file_metadata", "parquet_writer"]


@contextmanager
def parquet_writer(
    sink: object, schema: pa.Schema, log: str, account: str
) -> Iterator[pq.ParquetWriter]:
    """Open a Parquet writer with the settings of the archive.

    Values with few decimals suit dictionaries; stamps, all different, suit differences.
    """
    with pq.ParquetWriter(
        sink,
        schema.with_metadata({**(schema.metadata or {}), **file_metadata(log, account)}),
        compression="zstd",
        compression_level=3,
        use_dictionary=[name for name in schema.names if name != "date"],
        column_encoding={"date": "DELTA_BINARY_PACKED"},
        write_statistics=["date"],
        write_page_checksum=True,
        sorting_columns=[pq.SortingColumn(schema.names.index("date"))],
    ) as writer:
        yield writer


def file_metadata(log: str, account: str) -> dict[str, str]:
    """Return the metadata of a file. No clock time is in it: same records, same bytes."""
    return {
        "eyelog.log": log,
        "eyelog.account": account,
        "eyelog.catalogue": catalogue_version(),
        "eyelog.version": version("eyelog"),
    }
