"""Messages of the app's WebSocket, one JSON object per line, as a receiver has written them.

One file may have messages of several kinds: packets of the 20 Hz log, records of the others, and
events. Their numbers may be text. The app's own messages have no date: the receiver's stamp stands
under the key ``received``.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final

import msgspec
import numpy as np
import pyarrow as pa

from eyelog.arrow_tables import Stamps
from eyelog.catalogue import LOGS, catalogue, fold, known_logs, log_named
from eyelog.clock import FILE_ZONE
from eyelog.decode import UNFIT
from eyelog.errors import ArchiveError
from eyelog.frame import OFFSET
from eyelog.read.csv_log import Column, utf8, values_of
from eyelog.read.format import (
    UNIX_TIME,
    LogFile,
    NotALog,
    OtherKind,
    Source,
    counted_kinds,
    kind_of_message,
    own_fields,
    spellings,
    whole_of,
)
from eyelog.read.stamps import NEVER, StampReader, minutes_of

# The key of the stamp that a receiver gives a message
RECEIVED: Final = "received"

# The key of a message without data
HEARTBEAT: Final = "heartbeat"

# How many keys a message may have, and how many different sets of keys a file may have
MOST_KEYS: Final = 1_000

_STAMP: Final = f"its stamp ('date' or {RECEIVED!r})"
_NO_OBJECT: Final = "it is not a JSON object"
_CUT: Final = "its last line breaks off, and was left out"
_FIRST_KEY: Final = re.compile(rb'^{\s*"([^"\\]{1,48})"\s*:')
_AT_ONCE: Final = 100_000

Message = dict[str, Any]


class SocketLog(LogFile):
    """A file of messages, of which those of one log are read.

    The log is that of the source, if the file has it, otherwise the first in the catalogue; `also`
    names the others.
    """

    pandas: ClassVar[str] = "read_json"

    @staticmethod
    def recognises(start: bytes) -> bool:
        """Return whether the first line of a file is an object that has a key of a message."""
        first = start.removeprefix(b"\xef\xbb\xbf").lstrip()
        try:
            keys = list(msgspec.json.decode(first.partition(b"\n")[0], type=dict[str, msgspec.Raw]))
        except UNFIT:  # it goes on after these lines
            keys = [key.decode("utf-8", "replace") for key in _FIRST_KEY.findall(first)]
        known = {RECEIVED, HEARTBEAT, "index", "type", "subtype"}.union(
            *map(spellings, known_logs())
        )
        return not (known.isdisjoint(map(fold, keys)) or any(log in keys for log in LOGS))

    def __init__(self, source: Source) -> None:
        lines = whole_of(source.stream).removeprefix(b"\xef\xbb\xbf").split(b"\n")
        self._kinds: dict[tuple[str, ...], str] = {}
        messages: dict[str, list[tuple[int, Message]]] = {}  # by kind, with their lines
        wrong: dict[int, str] = {}
        decode = msgspec.json.Decoder(Message).decode
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                message = decode(line)
            except UNFIT:
                wrong[number] = _NO_OBJECT
                continue
            if _has_a_key_twice(line, message):
                wrong[number] = "it has a key twice"
            elif kind := self._kind(message):
                messages.setdefault(kind, []).append((number, message))
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
        super().__init__(source.log if source.log in logs else logs[0])
        self.also = tuple(log for log in logs if log != self.log)
        self._tz, self._messages = source.tz, messages[self.log]
        self._stamps = StampReader(source.tz, source.dayfirst, _STAMP)
        self.zones = self._stamps.offsets
        if wrong.get(len(lines)) == _NO_OBJECT:
            del wrong[len(lines)]
            self.notes.append(_CUT)
        self.rows = len(self._messages) + len(wrong)
        for number, fault in wrong.items():
            self.faults.add(number, fault)
        if others:
            self.notes.append(counted_kinds(others, "message"))
        by_spelling = spellings(self.log)
        self._fields: dict[str, list[str]] = {}
        for key in dict.fromkeys(key for _, message in self._messages for key in message):
            self._fields.setdefault(by_spelling.get(fold(key), key), []).append(key)
        self.names = frozenset(self._fields)

    def _kind(self, message: Message) -> str:
        """Return the log of a message, otherwise the name of its kind; nothing for a heartbeat."""
        keys = tuple(message)
        if keys not in self._kinds:
            if len(self._kinds) > MOST_KEYS or len(keys) > MOST_KEYS:
                raise NotALog("its lines have too many different keys for messages of one app")
            self._kinds[keys] = kind_of_keys(keys)
        return self._kinds[keys]

    def tables(self, *, named: bool) -> Iterator[tuple[str, pa.Table]]:  # noqa: ARG002 - of nobody
        """Yield the records of the log, in the order of the file."""
        records = 0
        for first in range(0, len(self._messages), _AT_ONCE):
            numbers, messages = zip(*self._messages[first : first + _AT_ONCE], strict=True)
            table = self._table(messages, np.array(numbers, np.int64))
            records += table.num_rows
            yield "", table
        if not records:
            raise ArchiveError(
                f"none of its {self.rows:,} messages is a record ({self.faults.shown()}): a"
                f" receiver writes its own stamp under the key {RECEIVED!r}"
            )

    def _table(self, messages: Sequence[Message], lines: Stamps) -> pa.Table:
        dates = _texts(
            [_first(message, (*self._fields.get("date", ()), RECEIVED)) for message in messages]
        )
        stamps, faults = self._stamps.read(dates)
        wrong = {int(lines[row]): faults[row] for row in np.flatnonzero(stamps == NEVER).tolist()}
        cells: list[tuple[int, str]] = []
        fields = catalogue(self.log)
        columns: dict[str, Column] = {}
        for name, keys in self._fields.items():
            if name in ("date", RECEIVED, UNIX_TIME, OFFSET):
                continue
            kind = fields[name].value_type if name in fields else ""
            values = [_first(message, keys) for message in messages]
            columns[name], bad = values_of(_column(values, kind), kind)
            what = "neither true nor false" if kind == "bool" else "not a number"
            cells += [(row, f"{name!r} is {what}") for row in bad]
        if self._tz == FILE_ZONE:
            columns[OFFSET] = pa.array(minutes_of(dates), from_pandas=True)
        return self.table(stamps, columns, lines, wrong, cells)

    def report(self) -> list[str]:
        """Return what a user should know, also about the logs beside this one."""
        left = [log_named(log).words for log in self.also]
        notes = [f"it has messages of the {' and the '.join(left)} too"] if left else []
        return [*super().report(), *notes]


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
    return kind_of_message(names) or (own[0] if len(own) == 1 else "keys of no kind or of several")


def _first(message: Message, keys: Sequence[str]) -> Any:
    """Return the first value that a message has under some keys."""
    return next((message[key] for key in keys if message.get(key) is not None), None)


def _column(values: Sequence[Any], kind: str) -> Column:
    """Return the values of a field as they are if they are numbers, otherwise as texts."""
    if kind in ("int", "float"):
        try:
            return pa.array(values, pa.float64())
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            pass  # some are text, as senders write them
    return _texts(values)


def _texts(values: Sequence[Any]) -> pa.ChunkedArray:
    """Return values as a CSV file would write them."""
    return pa.chunked_array([pa.array([_text(value) for value in values], pa.string())])


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value if value is None else utf8(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)
