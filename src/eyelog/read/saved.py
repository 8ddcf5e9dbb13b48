"""What programs have saved: messages of the app's WebSocket, answers in JSON, frames in Parquet.

A receiver writes one JSON object per line. Such a file may have messages of several kinds: packets
of the 20 Hz log, records of the others, and events. Their numbers may be text. The app's own
messages have no date: the receiver's stamp stands under the key ``received``.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from eyelog.arrow_tables import STAMP, plain_array
from eyelog.catalogue import LOGS, catalogue, fold, known_logs, log_named
from eyelog.clock import FILE_ZONE, Zones, parse_stamps
from eyelog.decode import ADVICE, MOST_UNKNOWN, TOO_MANY, UNFIT, Page, decode_page, fault
from eyelog.errors import AnswerError, ArchiveError, MixedLogsError
from eyelog.frame import KEY, OFFSET
from eyelog.read.files import NotALog, Source
from eyelog.read.format import (
    UNIX_TIME,
    Column,
    LogFile,
    OtherKind,
    counted_kinds,
    fields_of,
    log_of_names,
    other_kind,
    own_fields,
    spellings,
    utf8,
)
from eyelog.read.stamps import NEVER, minutes_of

# The key of the stamp that a receiver gives a message
RECEIVED: Final = "received"

# The key of a message without data
HEARTBEAT: Final = "heartbeat"

# How many keys a message may have, and how many different sets of keys a file may have
MOST_KEYS: Final = 1_000

TWICE: Final = "it has a key twice"
NO_KIND: Final = "keys of no kind or of several"
_STAMP: Final = f"its stamp ('date' or {RECEIVED!r})"
_KEY: Final = re.compile(rb'"([^"\\]{1,48})"\s*:')
_AT_ONCE: Final = 100_000

Message = dict[str, Any]


class SocketLog(LogFile):
    """A file of messages, of which those of one log are read.

    The log is that of the source, if the file has it, otherwise the first in the catalogue; `also`
    names the others.
    """

    marks: ClassVar[tuple[bytes, ...]] = (b"{",)
    pandas: ClassVar[str] = "read_json"

    @classmethod
    def recognises(cls, start: bytes) -> bool:
        """Return whether the first line of a file is an object that has a key of a message."""
        if not super().recognises(start):
            return False
        keys = [key.decode("utf-8", "replace") for key in _KEY.findall(start.partition(b"\n")[0])]
        known = {RECEIVED, HEARTBEAT, "index", "type", "subtype"}.union(
            *map(spellings, known_logs())
        )
        return not known.isdisjoint(map(fold, keys)) and not any(log in keys for log in LOGS)

    def __init__(self, source: Source) -> None:
        messages, wrong = messages_by_kind(source.text())
        logs = [log for log in known_logs() if log in messages]
        others = [kind for kind, held in messages.items() if kind not in logs for _ in held]
        if not logs:
            for kind in others:
                if (beside := OtherKind(kind)).has_events:
                    raise beside
            found = counted_kinds(others, "message") if others else "nothing but heartbeats"
            if wrong and not others:
                found = "line {}: {}".format(*next(iter(wrong.items())))
            raise NotALog(f"it has messages of the app's WebSocket, and none of a log ({found})")
        super().__init__(source.log if source.log in logs else logs[0], source, _STAMP)
        self.also = tuple(log for log in logs if log != self.log)
        self._messages, self._wrong = messages[self.log], wrong
        if others:
            self.notes.append(counted_kinds(others, "message"))
        if self.also:
            words = " and the ".join(log_named(log).words for log in self.also)
            self.notes.append(f"it has messages of the {words} too")
        by_spelling = spellings(self.log)
        self._fields: dict[str, list[str]] = {}
        for key in dict.fromkeys(key for _, message in self._messages for key in message):
            self._fields.setdefault(by_spelling.get(fold(key), key), []).append(key)
        self.names = frozenset(self._fields)

    def tables(self) -> Iterator[pa.Table]:
        """Yield the records of the log, in the order of the file."""
        for first in range(0, len(self._messages), _AT_ONCE):
            numbers, messages = zip(*self._messages[first : first + _AT_ONCE], strict=True)
            columns: dict[str, Column] = {
                name: _column([_first(message, keys) for message in messages])
                for name, keys in self._fields.items()
                if name not in (RECEIVED, UNIX_TIME, OFFSET)
            }
            dates = (*self._fields.get("date", ()), RECEIVED)
            columns["date"] = _texts([_first(message, dates) for message in messages])
            wrong = {} if first else self._wrong
            yield self.records(columns, np.array(numbers, np.int64), wrong)


def messages_by_kind(
    text: bytes,
) -> tuple[dict[str, list[tuple[int, Message]]], dict[int, str]]:
    """Return the messages of each kind with their lines, and what is wrong with other lines."""
    by_kind: dict[str, list[tuple[int, Message]]] = {}
    wrong: dict[int, str] = {}
    kinds: dict[tuple[str, ...], str] = {}
    decode = msgspec.json.Decoder(Message).decode
    for number, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            message = decode(line)
        except UNFIT:
            wrong[number] = "it is not a JSON object"
            continue
        keys = tuple(message)
        if keys not in kinds:
            if len(kinds) > MOST_KEYS or len(keys) > MOST_KEYS:
                raise NotALog("its lines have too many different keys for messages of one app")
            kinds[keys] = kind_of_keys(keys)
        if _has_a_key_twice(line, message):
            wrong[number] = TWICE
        elif kinds[keys]:  # not of a heartbeat
            by_kind.setdefault(kinds[keys], []).append((number, message))
    return by_kind, wrong


def _has_a_key_twice(line: bytes, message: Message) -> bool:
    """Return whether a message says two things: decoders keep the last of two equal keys."""
    if line.count(b'":') == len(message) and b'" ' not in line and b'"\t' not in line:
        return False  # as many keys as there are colons behind one
    twice: list[bool] = []
    json.loads(line, object_pairs_hook=lambda pairs: twice.append(len(dict(pairs)) < len(pairs)))
    return any(twice)


def kind_of_keys(keys: Iterable[str]) -> str:
    """Return the log of a message with these keys, otherwise the name of its kind.

    A heartbeat has none.
    """
    names = {fold(key) for key in keys}
    if HEARTBEAT in names:
        return ""
    own = [log for log in known_logs() if names & own_fields(log)]
    return other_kind(names) or (own[0] if len(own) == 1 else NO_KIND)


def _first(message: Message, keys: Sequence[str]) -> Any:
    """Return the first value that a message has under some keys."""
    return next((message[key] for key in keys if message.get(key) is not None), None)


def _column(values: Sequence[Any]) -> Column:
    """Return the values of a field as they are if they are numbers, otherwise as texts."""
    try:
        return pa.array(values, pa.float64())
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return _texts(values)  # of a sender that writes all values so


def _texts(values: Sequence[Any]) -> pa.ChunkedArray:
    """Return values as a CSV file would write them."""
    texts = [
        value if value is None else utf8(value if isinstance(value, str) else json.dumps(value))
        for value in values
    ]
    return pa.chunked_array([pa.array(texts, pa.string())])


# Answers

_UNFINISHED: Final = "its last answer has a cursor: the pages that follow are not in the file"


class SavedLog(LogFile):
    """A file of answers: JSON, or JSON lines. An answer says when, but neither where nor whose."""

    marks: ClassVar[tuple[bytes, ...]] = (b"{", b"[")
    pandas: ClassVar[str] = "read_json"
    row: ClassVar[str] = "record"
    is_text: ClassVar[bool] = False

    def __init__(self, source: Source) -> None:
        content = source.text()
        self._pages = answer_pages(content, where=source.name)
        super().__init__(self._pages[0].log, source)
        # A page has every field of the catalogue; only its text shows which of them were sent.
        sent = {name for page in self._pages for name in page.unknown}
        sent |= {name for name in catalogue(self.log) if f'"{name}"'.encode() in content}
        self.names = frozenset(sent)
        if self._pages[-1].cursor is not None:
            self.notes.append(_UNFINISHED)
        # The sorted stamps, and the offset that each is written in
        written = _DATE.findall(content) if self._with_offsets else []
        texts = [msgspec.json.decode(text) for text in written]
        stamps = np.append(NEVER, parse_stamps(texts).view(np.int64))
        order = np.argsort(stamps, kind="stable")
        self._offsets = stamps[order], minutes_of(pa.array([None, *texts], pa.string()))[order]

    def tables(self) -> Iterator[pa.Table]:
        """Yield the records answer by answer."""
        fields = catalogue(self.log)
        for page in self._pages:
            columns: dict[str, Column] = {
                name: pa.array(values, from_pandas=True) if name in fields else plain_array(values)
                for name, values in page.columns.items()
                if name in self.names
            }
            columns["date"] = pa.array(page.stamps.view(np.int64)).cast(STAMP)
            if self._with_offsets:
                at = np.searchsorted(self._offsets[0], page.stamps.view(np.int64), side="right")
                columns[OFFSET] = pa.array(self._offsets[1][at - 1], from_pandas=True)
            yield self.records(columns, np.arange(page.n) + self.rows + 1)


_DATE: Final = re.compile(rb'"date"\s*:\s*("(?:[^"\\]|\\.)+")')


def answer_pages(content: bytes, *, where: str) -> list[Page]:
    """Return the pages of a file of answers, all of one log, in the order of the file.

    Raises
    ------
    AnswerError
        If it is not JSON, has no answer, or an answer is not of the documented shape.
    MixedLogsError
        If it has answers of both logs.
    """
    try:
        if content.lstrip().startswith(b"["):
            bodies = msgspec.json.decode(content, type=list[msgspec.Raw])
        else:
            try:
                bodies = [msgspec.json.decode(content, type=msgspec.Raw)]
            except msgspec.DecodeError:
                bodies = msgspec.json.Decoder(msgspec.Raw).decode_lines(content)
    except UNFIT as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise AnswerError(
            f"{where}: not a saved answer, or a damaged one ({reason}): nothing of it was read"
        ) from None
    pages: list[Page] = []
    unknown: set[str] = set()
    for number, body in enumerate(map(bytes, bodies), 1):
        place = where if len(bodies) == 1 else f"{where}, answer {number} of {len(bodies)}"
        try:
            log = _log_of(body, place)
            if pages and log != pages[0].log:
                raise MixedLogsError(f"{place}: an answer of {log!r} after one of {pages[0].log!r}")
            pages.append(decode_page(body, log, where=place))
            unknown.update(pages[-1].unknown)
            if len(unknown) > MOST_UNKNOWN:
                raise fault(where, TOO_MANY)
        except AnswerError as error:
            raise AnswerError(str(error).replace(ADVICE, "nothing of the file was read")) from None
    if not pages:
        raise AnswerError(f"{where}: the list has no answer, so its log cannot be identified")
    return pages


def _log_of(body: bytes, where: str) -> str:
    try:
        keys = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except UNFIT:
        keys = {}
    logs = [log for log in LOGS if log in keys]
    if logs or "error" in keys or not keys:
        return (logs or LOGS)[0]  # of what is no answer, decoding says what it is
    if (kind := kind_of_keys(keys)) != NO_KIND:
        raise NotALog(
            f"it has messages of the app's WebSocket ({kind}), not answers of the service: write"
            " each message into a line, or import the CSV files that the app saved"
        )
    raise AnswerError(
        f"{where}: an object without {LOGS[0]!r} or {LOGS[1]!r} is not an answer of the service"
    )


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

    marks: ClassVar[tuple[bytes, ...]] = (b"PAR1",)
    pandas: ClassVar[str] = "read_parquet"
    row: ClassVar[str] = "row"
    is_text: ClassVar[bool] = False

    def __init__(self, source: Source) -> None:
        content = pa.BufferReader(source.whole())
        self._file = pq.ParquetFile(content, page_checksum_verification=True)
        schema = self._file.schema_arrow
        about = schema.metadata or {}
        try:
            history = dict(json.loads(about.get(b"PANDAS_ATTRS", b"{}")).get(KEY, {}))
        except (ValueError, AttributeError, TypeError):
            history = {}
        steps = history.get("history", [])
        last = steps[-1].get("step") if steps else ""
        if last in ("flag", "intervals") or any("interval_s" in step for step in steps):
            raise NotALog(
                f"it holds a table of eyelog.{last}, not records: pandas.read_parquet reads it"
            )
        # The stamps are the column ``date``, or else the one index of a pandas frame.
        index = json.loads(about.get(b"pandas", b"{}")).get("index_columns", [])
        dates = [
            name
            for name in ["date", *index]
            if name in schema.names and pa.types.is_timestamp(schema.field(name).type)
        ]
        if not dates:
            raise NotALog("it is a Parquet file without a column 'date' of stamps: not of a log")
        place = schema.field(dates[0]).type.tz
        if place is None:
            raise NotALog(
                "it is a Parquet file whose stamps have no zone: save the frame with an aware index"
                " (frame.tz_localize('Asia/Tokyo').to_parquet(...))"
            )
        cells = tuple("date" if name == dates[0] else name for name in schema.names)
        own = about.get(b"eyelog.log", b"").decode()
        stated = own or history.get("log")
        # An export states its log, and writes unknown fields by the names that they have.
        logs = known_logs()
        kind = own if own in logs else log_of_names(cells, stated if stated in logs else source.log)
        if kind is None:
            raise NotALog(f"it is a Parquet file without fields of a log ({', '.join(cells[:4])})")
        if stated in logs and kind != stated:
            raise MixedLogsError(f"it is said to be of {stated!r} and has fields of {kind!r} alone")
        super().__init__(kind, source)
        self.history = history
        self.owner = about.get(b"eyelog.account", b"").decode() or str(history.get("account", ""))
        self.zones = {place}
        names = cells if own in logs else fields_of(cells, kind)
        self.names = frozenset(filter(None, names))
        self._offsets = Zones(place) if source.tz == FILE_ZONE and OFFSET not in names else None
        self._names = dict(zip(schema.names, names, strict=True))

    def tables(self) -> Iterator[pa.Table]:
        """Yield the records.

        Raises
        ------
        ArchiveError
            If it is damaged, or a column is not of the kind of its field.
        """
        # No threads: one that holds Python's memory when the program ends aborts the process.
        rows = self._file.read(use_threads=False)
        fields = catalogue(self.log)
        columns: dict[str, Column] = {}
        for (written, name), column in zip(self._names.items(), rows.columns, strict=True):
            kind = fields[name].value_type if name in fields else ""
            if pa.types.is_dictionary(column.type):
                column = column.cast(column.type.value_type)
            if not kind and name != OFFSET:
                column = plain_array(column.to_pylist())
            elif kind not in ("str", "datetime"):
                try:
                    column = pc.cast(column, pa.float64(), safe=False)
                except pa.ArrowException:
                    raise ArchiveError(
                        f"its column {written!r} is {column.type}, and must be numbers"
                    ) from None
            columns[name] = column
        if self._offsets is not None:  # those of the zone of the stamps
            stamps = columns["date"].cast(STAMP, safe=False).fill_null(0).to_pandas()
            columns[OFFSET] = pa.array(self._offsets.offset_min(pd.DatetimeIndex(stamps)))
        yield self.records(columns, np.arange(1, rows.num_rows + 1))
