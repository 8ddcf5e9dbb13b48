"""One Parquet file of a log, as pandas, `eyelog fetch` or `eyelog archive export` write it."""

import json
from collections.abc import Iterator
from typing import Any, ClassVar, Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from eyelog.answers.page import Page
from eyelog.archive.importing.csv_log import Values
from eyelog.archive.importing.field_names import WEARER, fields_of
from eyelog.archive.importing.kinds import NotALog, log_of_names
from eyelog.archive.importing.log_file import LogFile, Source, whole_of
from eyelog.catalogue import catalogue, fold, known_logs
from eyelog.clock import FILE_ZONE, Zones
from eyelog.errors import ArchiveError, MixedLogsError
from eyelog.frame import OFFSET
from eyelog.provenance import KEY

__all__ = ["ParquetLog"]

# Records that are converted at a time.
_ROWS: Final = 60_000


class ParquetLog(LogFile):
    """A Parquet file that is being read.

    Its log is the one that it states, otherwise the one that its columns show. With ``tz="file"``
    the pages have the offset of the wearer's clock even if it follows from the zone of the stamps
    alone.

    Raises
    ------
    ArchiveError
        If the file is damaged or not of a log; the message says what it is.
    MixedLogsError
        If it has fields of both logs.
    """

    what: ClassVar[str] = "a Parquet file"
    reader: ClassVar[str] = "eyelog.read"
    pandas: ClassVar[str] = "read_parquet"

    @staticmethod
    def recognises(start: bytes) -> bool:
        """Return whether a file begins with the mark of the format."""
        return start.startswith(b"PAR1")

    def __init__(self, source: Source) -> None:
        content = pa.BufferReader(whole_of(source.stream))
        try:
            self._file = pq.ParquetFile(content, page_checksum_verification=True)
            schema = self._file.schema_arrow
        except (pa.ArrowException, OSError) as error:
            raise ArchiveError(f"it is a damaged Parquet file: {_line(error)}") from error
        history = _history(schema.metadata or {})
        steps = history.get("history", [])
        if steps and (steps[-1].get("step") == "flag" or any("interval_s" in s for s in steps)):
            raise NotALog(
                f"it holds a table of eyelog.{steps[-1].get('step')}, not records:"
                " pandas.read_parquet reads it"
            )
        self._date = _column_of_stamps(schema)
        cells = ["date" if name == self._date else name for name in schema.names]
        own = (schema.metadata or {}).get(b"eyelog.log", b"").decode()
        stated = own or history.get("log")
        # An export states its log, and writes unknown fields by the names that they have.
        logs = known_logs()
        kind = own if own in logs else log_of_names(cells, stated if stated in logs else source.log)
        if kind is None:
            raise NotALog(f"it is a Parquet file without fields of a log ({', '.join(cells[:4])})")
        if stated in logs and kind != stated:
            raise MixedLogsError(f"it is said to be of {stated!r} and has fields of {kind!r} alone")
        super().__init__(kind)
        self.history = history
        stated_account = (schema.metadata or {}).get(b"eyelog.account", b"").decode()
        self._account = stated_account or str(history.get("account", ""))
        self.names_wearers = bool(self._account)
        place = str(schema.field(self._date).type.tz)
        self.zones = {place}
        names = cells if own in logs else fields_of(cells, kind)
        self.names = frozenset(filter(None, names))
        self.rows = int(self._file.metadata.num_rows)
        self._offsets = Zones(place) if source.tz == FILE_ZONE and OFFSET not in names else None
        self._seen: set[object] = set()
        self._names = dict(zip(schema.names, names, strict=True))

    def owner(self) -> str:
        """Return the account that the file states."""
        return self._account

    def pages(self) -> Iterator[Page]:
        """Yield the records page by page, in the order of the file.

        Raises
        ------
        ArchiveError
            If a page is damaged, a stamp is missing, or a column is not of the kind of its field.
        """
        try:
            # No threads: one that holds Python's memory when the program ends aborts the process.
            for batch in self._file.iter_batches(_ROWS, use_threads=False):
                yield self._page(batch)
        except (pa.ArrowException, OSError) as error:
            raise ArchiveError(f"it is a damaged Parquet file: {_line(error)}") from error

    def pages_by_wearer(self) -> Iterator[tuple[str, Page]]:
        """Yield the records with the account that the file states."""
        if not self._account:
            yield from super().pages_by_wearer()
        for page in self.pages():
            yield self._account, page

    def _page(self, batch: pa.RecordBatch) -> Page:
        self._refuse_several_wearers(batch)
        stamps = batch.column(self._date)
        if stamps.null_count:
            raise ArchiveError(f"{stamps.null_count} of its rows have no stamp")
        fields = catalogue(self.log)
        columns: dict[str, Values] = {}
        for written, name in self._names.items():
            if written != self._date:
                kind = fields[name].value_type if name in fields else ""
                columns[name] = _values(batch.column(written), written, kind)
        if self._offsets is not None:  # those of the zone of the stamps
            index = pd.DatetimeIndex(stamps.cast(pa.timestamp("us", "UTC"), safe=False).to_pandas())
            columns[OFFSET] = self._offsets.offset_min(index)
        unknown = tuple(name for name in columns if name not in fields)
        at = stamps.cast(pa.timestamp("us", stamps.type.tz), safe=False).cast(pa.int64())
        return Page(self.log, None, at.to_numpy().view("M8[us]"), columns, unknown)

    def _refuse_several_wearers(self, batch: pa.RecordBatch) -> None:
        for written, name in self._names.items():
            if fold(name) in WEARER:
                self._seen |= set(batch.column(written).drop_null().unique().to_pylist())
        if len(self._seen) > 1:
            raise ArchiveError(
                f"it has the rows of several wearers ({', '.join(map(str, list(self._seen)[:4]))}):"
                " save those of each wearer in a separate file"
            )


def _values(column: pa.Array, written: str, kind: str) -> Values:
    """Return a column as in a page: numbers and booleans as floats, all others as objects."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if kind in ("", "str"):
        if kind and not (pa.types.is_null(column.type) or _is_text(column.type)):
            raise ArchiveError(f"its column {written!r} is {column.type}, and must be text")
        values = np.empty(len(column), object)
        values[:] = column.to_pylist()
        return values
    try:
        numbers = pc.cast(column, pa.float64())
    except pa.ArrowException:
        raise ArchiveError(
            f"its column {written!r} is {column.type}, and must be numbers"
        ) from None
    return np.asarray(numbers.to_numpy(zero_copy_only=False), np.float64)


def _is_text(kind: pa.DataType) -> bool:
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def _column_of_stamps(schema: pa.Schema) -> str:
    """Return the column of stamps: ``date``, or else the one index of a pandas frame."""
    names = ["date"]
    described: dict[str, Any] = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
    names += [each for each in described.get("index_columns", []) if isinstance(each, str)]
    for name in names:
        if name in schema.names and pa.types.is_timestamp(schema.field(name).type):
            if schema.field(name).type.tz is None:
                raise NotALog(
                    "it is a Parquet file whose stamps have no zone: save the frame with an aware"
                    " index (frame.tz_localize('Asia/Tokyo').to_parquet(...))"
                )
            return name
    raise NotALog("it is a Parquet file without a column 'date' of stamps, so it is not of a log")


def _history(metadata: dict[bytes, bytes]) -> dict[str, Any]:
    """Return the provenance that pandas saves with a frame."""
    try:
        saved = json.loads(metadata.get(b"PANDAS_ATTRS", b"{}")).get(KEY, {})
    except (ValueError, AttributeError):
        return {}
    return saved if isinstance(saved, dict) else {}


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
