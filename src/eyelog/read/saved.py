"""What eyelog and the service have saved: answers in JSON, and frames in Parquet."""

import json
import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final

import msgspec
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from eyelog.arrow_tables import STAMP, Stamps, plain_array, schema_of
from eyelog.catalogue import LOGS, catalogue, fold, known_logs
from eyelog.clock import FILE_ZONE, Zones, parse_stamps
from eyelog.decode import ADVICE, UNFIT, Page, check_unknown, decode_page, what_is_wrong
from eyelog.errors import AnswerError, ArchiveError, MixedLogsError, listed
from eyelog.frame import KEY, OFFSET
from eyelog.read.csv_log import Column, numbers_of
from eyelog.read.format import (
    WEARER,
    LogFile,
    NotALog,
    Source,
    fields_of,
    log_of_names,
    other_kind,
    own_fields,
    whole_of,
)
from eyelog.read.stamps import minutes_of

_UNFINISHED: Final = "its last answer has a cursor: the pages that follow are not in the file"


class SavedLog(LogFile):
    """A file of answers: JSON, or JSON lines. An answer says when, but neither where nor whose."""

    pandas: ClassVar[str] = "read_json"
    row: ClassVar[str] = "record"

    @staticmethod
    def recognises(start: bytes) -> bool:
        """Return whether a file begins as JSON does."""
        return start.removeprefix(_BOM).lstrip().startswith((b"{", b"["))

    def __init__(self, source: Source) -> None:
        content = whole_of(source.stream)
        self._pages = answer_pages(content, where=source.name)
        super().__init__(self._pages[0].log)
        # A page has every field of the catalogue; only its text shows which of them were sent.
        sent = {name for page in self._pages for name in page.unknown}
        sent |= {name for name in catalogue(self.log) if f'"{name}"'.encode() in content}
        self.names = frozenset(sent)
        self.rows = sum(page.n for page in self._pages)
        if self._pages[-1].cursor is not None:
            self.notes.append(_UNFINISHED)
        self._offsets = _offsets_of(content) if source.tz == FILE_ZONE else None

    def tables(self, *, named: bool) -> Iterator[tuple[str, pa.Table]]:  # noqa: ARG002 - of nobody
        """Yield the records answer by answer."""
        before = 0
        for page in self._pages:
            columns = {
                name: _arrow(values, self.log, name)
                for name, values in page.columns.items()
                if name in self.names
            }
            if self._offsets:
                at = np.searchsorted(self._offsets[0], page.stamps.view(np.int64), side="right")
                minutes = self._offsets[1][np.maximum(at - 1, 0)]
                columns[OFFSET] = pa.array(minutes, from_pandas=True)
            cells: list[tuple[int, str]] = []
            if OFFSET in columns and pa.types.is_string(columns[OFFSET].type):
                texts = columns[OFFSET]
                columns[OFFSET], bad = numbers_of(texts)
                cells = [(row, f"{OFFSET!r} is {texts[row]}, not a number") for row in bad]
            records = np.arange(before, before + page.n) + 1
            before += page.n
            yield "", self.table(page.stamps.view(np.int64), columns, records, {}, cells)


def _arrow(values: Any, log: str, name: str) -> pa.Array:
    """Return the values of a field of an answer, in its type in the catalogue."""
    fields = catalogue(log)
    if name not in fields:
        return plain_array(values)
    if fields[name].dtype == "boolean":
        return pa.array(values == 1, mask=np.isnan(values))
    return pa.array(values, schema_of(log).field(name).type, from_pandas=True)


def _offsets_of(content: bytes) -> tuple[Stamps, npt.NDArray[np.float64]] | None:
    """Return the sorted stamps of answers, and the offset that each is written in."""
    texts = [text.decode() for text in _DATE.findall(content)]
    if not texts:
        return None
    stamps = parse_stamps(texts).view(np.int64)
    order = np.argsort(stamps, kind="stable")
    return stamps[order], minutes_of(pa.array(texts))[order]


_BOM: Final = b"\xef\xbb\xbf"

_DATE: Final = re.compile(rb'"date"\s*:\s*"([^"\\]+)"')


def answer_pages(content: bytes, *, where: str) -> list[Page]:
    """Return the pages of a file of answers, all of one log, in the order of the file.

    Raises
    ------
    AnswerError
        If it is not JSON, has no answer, or an answer is not of the documented shape.
    MixedLogsError
        If it has answers of both logs.
    """
    bodies = _bodies(content.removeprefix(_BOM), where)
    pages: list[Page] = []
    unknown: set[str] = set()
    for number, body in enumerate(bodies, 1):
        place = where if len(bodies) == 1 else f"{where}, answer {number} of {len(bodies)}"
        try:
            log = _log_of(body, place)
            if pages and log != pages[0].log:
                raise MixedLogsError(
                    f"{place}: an answer of {log!r} after one of {pages[0].log!r}: keep the two"
                    " logs in separate files"
                )
            pages.append(decode_page(body, log, where=place))
            unknown.update(pages[-1].unknown)
            check_unknown(len(unknown), where)
        except AnswerError as error:
            raise AnswerError(str(error).replace(ADVICE, "nothing of the file was read")) from None
    if not pages:
        raise AnswerError(f"{where}: the list has no answer, so its log cannot be identified")
    return pages


def _bodies(content: bytes, where: str) -> list[bytes]:
    """Return the answers of a file, each as its own bytes."""
    try:
        if content.lstrip().startswith(b"["):
            return [bytes(body) for body in msgspec.json.decode(content, type=list[msgspec.Raw])]
        try:
            return [bytes(msgspec.json.decode(content, type=msgspec.Raw))]
        except msgspec.DecodeError:
            lines = msgspec.json.Decoder(msgspec.Raw).decode_lines(content)
            return [bytes(line) for line in lines]
    except UNFIT as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise AnswerError(
            f"{where}: not a saved answer, or a damaged one ({reason}): nothing of it was read"
        ) from None


def _log_of(body: bytes, where: str) -> str:
    try:
        keys = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except UNFIT:
        keys = {}
    names = {fold(name) for name in keys}
    for log in LOGS:
        if log in keys:
            return log
        if names & own_fields(log):
            raise NotALog(
                f"it has single records of {log!r}, as the app's WebSocket sends them, and not"
                " answers of the service: import the CSV files that the app saved"
            )
    if other := other_kind(names):
        raise NotALog(f"it has messages of the app's WebSocket: {other}")
    if "error" in keys or not keys:
        what_is_wrong(body, LOGS[0], None, where)  # says what it is instead
    raise AnswerError(
        f"{where}: an object without {LOGS[0]!r} or {LOGS[1]!r} is not an answer of the service"
    )


_TEXTS: Final = (pa.string(), pa.large_string(), pa.string_view(), pa.null())


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

    pandas: ClassVar[str] = "read_parquet"
    row: ClassVar[str] = "row"

    @staticmethod
    def recognises(start: bytes) -> bool:
        """Return whether a file begins with the mark of the format."""
        return start.startswith(b"PAR1")

    def __init__(self, source: Source) -> None:
        content = pa.BufferReader(whole_of(source.stream))
        self._file = pq.ParquetFile(content, page_checksum_verification=True)
        schema = self._file.schema_arrow
        history = _history(schema.metadata or {})
        steps = history.get("history", [])
        last = steps[-1].get("step") if steps else ""
        if last in ("flag", "intervals") or any("interval_s" in step for step in steps):
            raise NotALog(
                f"it holds a table of eyelog.{last}, not records: pandas.read_parquet reads it"
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
        account = (schema.metadata or {}).get(b"eyelog.account", b"").decode()
        self.owner = account or str(history.get("account", ""))
        self.names_wearers = bool(self.owner)
        place = str(schema.field(self._date).type.tz)
        self.zones = {place}
        names = cells if own in logs else fields_of(cells, kind)
        self.names = frozenset(filter(None, names))
        self.rows = int(self._file.metadata.num_rows)
        self._offsets = Zones(place) if source.tz == FILE_ZONE and OFFSET not in names else None
        self._names = dict(zip(schema.names, names, strict=True))

    def tables(self, *, named: bool) -> Iterator[tuple[str, pa.Table]]:
        """Yield the records with the account that the file states.

        Raises
        ------
        ArchiveError
            If it is damaged, a stamp is missing, a column is not of the kind of its field, or there
            are several wearers.
        """
        # No threads: one that holds Python's memory when the program ends aborts the process.
        rows = self._file.read(use_threads=False)
        stamps = rows.column(self._date)
        if stamps.null_count:
            raise ArchiveError(f"{stamps.null_count} of its rows have no stamp")
        fields = catalogue(self.log)
        columns: dict[str, Column] = {}
        cells: list[tuple[int, str]] = []
        for written, name in self._names.items():
            if written == self._date:
                continue
            if fold(name) in WEARER and len(whose := rows.column(written).unique().drop_null()) > 1:
                raise ArchiveError(
                    f"it has the rows of several wearers ({listed(whose.to_pylist(), 4)}): save"
                    " those of each wearer in a separate file"
                )
            kind = fields[name].value_type if name in fields else "float" * (name == OFFSET)
            column = rows.column(written)
            columns[name], bad = _values(column, written, kind)
            cells += [(row, f"{name!r} is {column[row]}, not a number") for row in bad]
        if self._offsets is not None:  # those of the zone of the stamps
            index = pd.DatetimeIndex(stamps.cast(STAMP, safe=False).to_pandas())
            columns[OFFSET] = pa.array(self._offsets.offset_min(index))
        at = stamps.cast(pa.timestamp("us", stamps.type.tz), safe=False).cast(pa.int64())
        numbers = np.arange(1, rows.num_rows + 1)
        table = self.table(at.to_numpy(), columns, numbers, {}, cells)
        yield self.owner if named else "", table


def _values(column: pa.ChunkedArray, written: str, kind: str) -> tuple[Column, list[int]]:
    """Return a column in the type of its field, and the rows whose number is not finite."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not kind:
        return plain_array(column.to_pylist()), []
    if kind == "str":
        if column.type not in _TEXTS:
            raise ArchiveError(f"its column {written!r} is {column.type}, and must be text")
        return pa.array(column.to_pylist(), pa.string()), []
    try:
        numbers, bad = numbers_of(pc.cast(column, pa.float64()))
    except pa.ArrowException:
        raise ArchiveError(
            f"its column {written!r} is {column.type}, and must be numbers"
        ) from None
    return (pc.equal(numbers, 1) if kind == "bool" else numbers), bad


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
