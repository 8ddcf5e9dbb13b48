"""One answer of the service as an Arrow stream: columns on the wire instead of JSON records.

The stream has one schema, with the log and the cursor in its metadata, and the records in its
batches: ``date`` in UTC microseconds, numbers as float64, booleans, texts. Its batches are not
compressed, the transfer is: one limit then bounds the size of an answer.
"""

import struct
from collections.abc import Sequence
from typing import Final, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from eyelog.answers.careful import check_unknown, fault
from eyelog.answers.page import Page
from eyelog.catalogue import catalogue, known_logs

__all__ = ["ARROW", "MOST_RECORDS", "decode_stream", "encode_stream", "is_stream"]

ARROW: Final = "application/vnd.apache.arrow.stream"

MOST_RECORDS: Final = 100_000
"""A day has 86,400 seconds."""

_FIRST, _AFTER = np.datetime64("0001-01-01", "us"), np.datetime64("10000-01-01", "us")

STAMP: Final = pa.timestamp("us", tz="UTC")
# Every message of a stream begins with it (format V5); no JSON does.
_CONTINUATION: Final = b"\xff\xff\xff\xff"
_LOG_KEY, _CURSOR_KEY = b"eyelog.log", b"eyelog.cursor"
_TYPES: Final = {
    "int": pa.float64(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "str": pa.string(),
}
_UNKNOWN: Final = (pa.float64(), pa.bool_(), pa.string())


def is_stream(body: bytes) -> bool:
    """Return whether an answer is an Arrow stream rather than JSON."""
    return body.startswith(_CONTINUATION)


def encode_stream(
    table: pa.Table, log: str, *, names: Sequence[str], cursor: str | None = None
) -> bytes:
    """Return rows of the archive as the body of one answer.

    Parameters
    ----------
    table : pyarrow.Table
        Records: ``date`` in UTC, and other columns.
    log : {"computed_data", "standard_mode_logs"}
        The log of `table`.
    names, cursor
        As for `eyelog.answers.encode.encode_answer`.

    Returns
    -------
    bytes
        An Arrow IPC stream of one batch.
    """
    metadata = {_LOG_KEY: log.encode()} | ({} if cursor is None else {_CURSOR_KEY: cursor.encode()})
    page = table.select(list(names)).replace_schema_metadata(metadata).combine_chunks()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, page.schema) as writer:
        writer.write_table(page)
    return cast(bytes, sink.getvalue().to_pybytes())


def decode_stream(body: bytes, log: str, names: Sequence[str], *, whole: bool, where: str) -> Page:
    """Decode an Arrow stream into typed columns, with the checks that JSON gets.

    Parameters
    ----------
    body : bytes
        The answer.
    log : {"computed_data", "standard_mode_logs"}
        The log of the request.
    names : sequence of str
        The fields to return, in catalogue order.
    whole : bool
        Whether the fields that are not in the catalogue are returned too.
    where : str
        The request, for messages.

    Raises
    ------
    AnswerError
        If it is not a whole stream, or not one of the documented shape.
    """
    try:
        table = _read(body)
    except (pa.ArrowException, struct.error, ValueError, IndexError, MemoryError, OSError) as error:
        # Arrow's own texts may be long, and quote what they read.
        kind = type(error).__name__
        raise fault(where, f"the Arrow stream is damaged or breaks off ({kind})") from None
    metadata = table.schema.metadata or {}
    stated = metadata.get(_LOG_KEY, b"").decode("utf-8", "replace")
    if stated != log:
        what = repr(stated) if stated in known_logs() else "no known log"
        raise fault(where, f"the Arrow stream has {what}, but {log!r} was requested")
    if table.num_rows > MOST_RECORDS:
        raise fault(where, f"the answer has more than {MOST_RECORDS:,} records")
    _check_columns(table, log, where)
    specs = catalogue(log)
    sent = dict(zip(table.column_names, table.columns, strict=True))
    unknown = tuple(name for name in sent if name not in specs) if whole else ()
    check_unknown(len(unknown), where)
    columns: dict[str, pa.Array] = {}
    with np.errstate(over="ignore", invalid="ignore"):
        for name in (*names, *unknown):
            if name in sent:
                columns[name] = _checked(_one_array(sent[name]), name, where)
            else:
                columns[name] = pa.nulls(table.num_rows, _TYPES[specs[name].value_type])
    stamps = table.column("date").cast(pa.int64()).to_numpy().view("M8[us]")
    if len(stamps) and not (stamps.min() >= _FIRST and stamps.max() < _AFTER):
        raise fault(where, "field 'date': a stamp outside the years 1 to 9999")
    return Page(log, _cursor(metadata, where), stamps, columns, unknown)


def _read(body: bytes) -> pa.Table:
    _refuse_compression(body)
    with pa.ipc.open_stream(pa.py_buffer(body)) as reader:
        table = reader.read_all()
    # The reader trusts the offsets in the stream: this follows each of them.
    table.validate(full=True)
    return table


def _refuse_compression(body: bytes) -> None:
    """Raise ValueError if a message of the stream has a compressed body.

    A batch states the size of its decompressed buffers, and Arrow allocates that size before it
    checks, so a few bytes could request any amount of memory.
    """
    at = 0
    while at + 8 <= len(body):
        mark, size = struct.unpack_from("<4si", body, at)
        if mark != _CONTINUATION:
            raise ValueError
        if size == 0:
            return  # the end of the stream
        if size < 0:
            raise ValueError
        begin = at + 8
        message = _Flat(body, begin + struct.unpack_from("<I", body, begin)[0])
        header = message.table(2)
        if message.scalar(1, "<B") == 3 and header is not None and header.table(3) is not None:
            raise ValueError
        if message.scalar(1, "<B") == 2:  # dictionaries are not part of the documented shape
            raise ValueError
        length = message.scalar(3, "<q")
        if length < 0:
            raise ValueError
        at = begin + size + length
    # A stream without its end mark was cut short, even if the cut is between two messages.
    raise ValueError


class _Flat:
    """The part of a FlatBuffers table that the head of an Arrow message needs (Message.fbs)."""

    def __init__(self, body: bytes, at: int) -> None:
        self._body = body
        self._at = at
        self._fields = at - struct.unpack_from("<i", body, at)[0]
        if self._fields < 0:
            raise ValueError

    def _place(self, number: int) -> int | None:
        entry = 4 + 2 * number
        if entry >= struct.unpack_from("<H", self._body, self._fields)[0]:
            return None
        offset = int(struct.unpack_from("<H", self._body, self._fields + entry)[0])
        return self._at + offset if offset else None

    def scalar(self, number: int, form: str) -> int:
        """Return a number; 0 if the table leaves it out."""
        place = self._place(number)
        return 0 if place is None else int(struct.unpack_from(form, self._body, place)[0])

    def table(self, number: int) -> "_Flat | None":
        """Return a table within this one; None if there is none."""
        place = self._place(number)
        if place is None:
            return None
        return _Flat(self._body, place + struct.unpack_from("<I", self._body, place)[0])


def _check_columns(table: pa.Table, log: str, where: str) -> None:
    specs = catalogue(log)
    names = set(table.column_names)
    if len(names) < table.num_columns:
        raise fault(where, "the Arrow stream has two columns of one name")
    if "date" not in names or table.schema.field("date").type != STAMP:
        raise fault(where, f"the Arrow stream has no column 'date' of type {STAMP}")
    if table.column("date").null_count:
        raise fault(where, "field 'date': it is missing in a record")
    for field in table.schema:
        if field.name == "date":
            continue
        spec = specs.get(field.name)
        allowed = _UNKNOWN if spec is None else (_TYPES[spec.value_type],)
        if field.type not in allowed:
            expected = " or ".join(map(str, allowed))
            raise fault(where, f"field {field.name[:64]!r}: {field.type} instead of {expected}")


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _checked(column: pa.Array, name: str, where: str) -> pa.Array:
    """Return a column without infinite numbers, NaN replaced by missing values."""
    if not pa.types.is_floating(column.type) or not len(column):
        return column
    # A finite sum has finite terms. It includes the values under the nulls, which are arbitrary.
    values = np.frombuffer(column.buffers()[1], np.float64, len(column), 8 * column.offset)
    if np.isfinite(values.sum()):
        return column
    if pc.any(pc.is_inf(column)).as_py():
        raise fault(where, f"field {name!r}: a number that is infinite")
    return pc.if_else(pc.is_nan(column), pa.scalar(None, pa.float64()), column)


def _cursor(metadata: dict[bytes, bytes], where: str) -> str | None:
    try:
        return metadata.get(_CURSOR_KEY, b"").decode("utf-8") or None
    except UnicodeDecodeError:
        raise fault(where, "the cursor is not UTF-8") from None
