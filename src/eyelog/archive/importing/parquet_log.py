"""One Parquet file of a log, as an export writes it: from bytes to pages of typed columns."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from eyelog.answers.page import Page
from eyelog.archive.importing.csv_log import Faults
from eyelog.archive.importing.stamps import Stamps, clock_stamps
from eyelog.archive.parquet.layout import archive_errors
from eyelog.catalogue import LOGS, catalogue
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.frame import log_of

__all__ = ["ParquetLog"]

LARGEST: Final = 8 << 30  # bytes of all columns, unpacked
_GROUP_ROWS: Final = 60_000
_NUMBERS: Final = (pa.types.is_floating, pa.types.is_integer, pa.types.is_decimal)


class ParquetLog:
    """A Parquet file that is being read; it has the same members as `CsvLog`.

    Parameters
    ----------
    content : bytes
        The file.
    tz : str, optional
        Zone of stamps that have none.

    Attributes
    ----------
    log : str
        The log, as the file states, else according to its columns.
    rows : int
        Rows read so far.
    faults : Faults
        None: a file is read whole, or refused.

    Raises
    ------
    ArchiveError
        If the file is damaged, or not of a log.
    MixedLogsError
        If it has fields of both logs.
    """

    def __init__(self, content: bytes, *, tz: str | None = None) -> None:
        with archive_errors("be read: it is not Parquet, or damaged"):
            self._file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True)
            meta = self._file.metadata
            groups = (meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
            if sum(groups) > LARGEST:
                raise ArchiveError("it unpacks to more than a log can have: nothing of it was read")
            schema = self._file.schema_arrow
        self._tz = tz
        if "date" not in schema.names or not pa.types.is_timestamp(schema.field("date").type):
            raise ArchiveError("it has no column 'date' of stamps, hence it is not a log")
        stated = (schema.metadata or {}).get(b"eyelog.log", b"").decode()
        names = [name for name in schema.names if name != "date"]
        self.log = stated if stated in LOGS else log_of(pd.DataFrame(columns=names))
        log_of(pd.DataFrame(columns=names), self.log)
        self.rows = 0
        self.faults = Faults()

    def pages(self) -> Iterator[Page]:
        """Give the records group by group, in the order of the file.

        Raises
        ------
        ConfigurationError
            If the stamps have no zone and there is no `tz`.
        ArchiveError
            If a page of the file is damaged, or a value is of the wrong kind.
        """
        batches = self._file.iter_batches(batch_size=_GROUP_ROWS)
        while True:
            with archive_errors("be read: it is damaged"):
                batch = next(batches, None)
            if batch is None:
                return
            self.rows += batch.num_rows
            stamps = self._stamps(batch.column("date"))
            columns = {
                name: self._values(name, batch.column(name))
                for name in batch.schema.names
                if name != "date"
            }
            unknown = tuple(name for name in columns if name not in catalogue(self.log))
            yield Page(self.log, None, stamps.view("M8[us]"), columns, unknown)

    def _stamps(self, column: pa.Array) -> Stamps:
        if column.null_count:
            raise ArchiveError("a stamp in it is missing")
        stamps = column.cast(pa.timestamp("us")).cast(pa.int64()).to_numpy()
        if column.type.tz is not None:
            return np.asarray(stamps)
        if self._tz is None:
            raise ConfigurationError(
                "its stamps have no zone: give the zone in which they were written, such as"
                " tz='Asia/Tokyo' (--tz Asia/Tokyo on the command line)"
            )
        return clock_stamps(np.array(stamps), self._tz)

    def _values(self, name: str, column: pa.Array) -> npt.NDArray[Any]:
        """Return numbers with NaN, truths as 1, 0 and NaN, and the rest as objects with None."""
        field = catalogue(self.log).get(name)
        kind = field.value_type if field else ""
        number = any(is_number(column.type) for is_number in _NUMBERS)
        truth, nothing = pa.types.is_boolean(column.type), pa.types.is_null(column.type)
        if kind == "bool" or (not kind and nothing) or (number and kind != "str"):
            fits = number or truth or nothing
        elif kind in ("int", "float"):
            fits = nothing
        else:
            values = np.empty(len(column), object)
            values[:] = column.to_pylist()
            return values
        if not fits:
            raise ArchiveError(f"its column {name!r} is {column.type}, not {kind or 'a number'}")
        return np.array(column.cast(pa.float64()).to_numpy(zero_copy_only=False))
