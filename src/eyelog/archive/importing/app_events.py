"""The event files of the app: head movements, and the activities that the phone has recognised."""

import csv
import io
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from eyelog.archive.account_events import events_table
from eyelog.archive.importing.kinds import OtherKind, event_kind
from eyelog.archive.importing.socket_log import RECEIVED
from eyelog.archive.importing.sources import InputFile, opened
from eyelog.archive.importing.stamps import NEVER, read_stamps
from eyelog.catalogue import fold
from eyelog.clock import FILE_ZONE, Zones
from eyelog.errors import ArchiveError, EyelogWarning

__all__ = ["app_events", "events_of"]

HEAD: Final = "head motion"
ACTIVITY: Final = "phone activity"
_LARGEST: Final = 256 << 20
_LINES: Final = 50  # in which the header is looked for
_DELIMITERS: Final = (",", ";", "\t")  # the app writes commas, spreadsheets also use the others
_CLASSES: Final = ("stationary", "walking", "running", "automotive", "cycling", "unknown")
_WORD: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TRUE: Final = ("1", "true", "yes")


def app_events(file: InputFile, tz: str | Zones | None) -> pd.DataFrame:
    """Return the events of a file of the app, in UTC, as `events_table` does.

    Raises
    ------
    OtherKind
        If no line of it is the header of events.
    ArchiveError
        If it cannot be read, or a line of it is not an event; the message names the line.
    ConfigurationError
        If a date has no offset and `tz` is None.
    """
    with opened(file) as (kind, stream):
        content = stream.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise ArchiveError(f"it is larger than {_LARGEST >> 20} MB, which no file of events is")
    encoding = kind if kind.startswith("utf-16") else "utf-8"
    events = events_of(content.decode(encoding, "replace").removeprefix("\ufeff"), tz)
    if events is None:
        raise OtherKind("events of another form")
    return events


def events_of(text: str, tz: str | Zones | None) -> pd.DataFrame | None:
    """Return the events of a file of the app, in UTC; None if it is of another kind."""
    rows_by_name = _messages(text) if text.lstrip().startswith("{") else _table(text)
    if not rows_by_name:
        return None
    made = [
        (_head if kind == HEAD else _activity)(rows, _stamps(rows, tz))
        for kind, rows in rows_by_name.items()
    ]
    return pd.concat(made).sort_values("start", kind="stable", ignore_index=True)


Rows = list[tuple[int, dict[str, str]]]


def _table(text: str) -> dict[str, Rows]:
    """Return the rows of a CSV file, by the kind of its events; nothing for another file."""
    for delimiter in _DELIMITERS:
        lines = _lines(text, delimiter)
        for number, header in lines:
            names = [fold(cell) for cell in header]
            if kind := event_kind(set(names)):
                rows = [(at, cells) for at, cells in lines if any(cells)]
                return {kind: _whole(rows, [name for name in names if name], text)}
            if number >= _LINES:
                break
    return {}


def _whole(rows: Sequence[tuple[int, list[str]]], names: list[str], text: str) -> Rows:
    """Return rows by the names of their columns; a truncated last line is left out."""
    short = [at for at, cells in rows if len(cells) < len(names)]
    if short and short[0] == rows[-1][0] and not text.endswith(("\n", "\r")):
        warnings.warn(
            f"line {short[0]} breaks off, so it is left out: the file was cut short",
            EyelogWarning,
            stacklevel=5,
        )
        rows, short = rows[:-1], []
    if short:
        raise ArchiveError(f"line {short[0]}: it has fewer columns than the header ({len(names)})")
    return [(at, dict(zip(names, cells, strict=False))) for at, cells in rows]


def _messages(text: str) -> dict[str, Rows]:
    """Return the events among the messages of the app's WebSocket; the others are left out.

    A message without a date has the time that its receiver states.
    """
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    by_name: dict[str, Rows] = {}
    for number, line in enumerate(text.split("\n"), 1):
        try:
            message = decode(line) if line.strip() else {}
        except (ValueError, RecursionError):
            continue  # a truncated line, or one about something else
        row = {fold(key): _cell(value) for key, value in message.items()}
        row["date"] = row.get("date") or row.get(RECEIVED, "")
        if kind := event_kind(row.keys()):
            by_name.setdefault(kind, []).append((number, row))
    return by_name


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _lines(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        for cells in reader:
            yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        raise ArchiveError(f"line {reader.line_num}: not CSV ({error})") from None


def _stamps(rows: Rows, tz: str | Zones | None) -> npt.NDArray[np.int64]:
    dates = [row.get("date", "") for _, row in rows]
    zone = None if tz == FILE_ZONE else tz
    stamps, _ = read_stamps(pa.chunked_array([pa.array(dates, pa.string())]), zone)
    wrong = np.flatnonzero(stamps == NEVER)
    if len(wrong):
        first = int(wrong[0])
        raise ArchiveError(f"line {rows[first][0]}: {dates[first][:40]!r} is not a date and time")
    return stamps


def _head(rows: Rows, stamps: npt.NDArray[np.int64]) -> pd.DataFrame:
    """Return head movements, which are moments."""
    labels, values = [], []
    for number, row in rows:
        kind, way = row.get("type", ""), row.get("subtype", "")
        if not kind:
            raise ArchiveError(f"line {number}: the event has no type")
        labels.append(f"{_words(kind)} {way}".strip())
        values.append(_number(row.get("value", ""), number))
    return events_table(stamps, np.full(len(stamps), NEVER), labels, HEAD, values)


def _activity(rows: Rows, stamps: npt.NDArray[np.int64]) -> pd.DataFrame:
    """Return activities, each of which lasts until the next line; the last one has no end."""
    labels, values = [], []
    for number, row in rows:
        classes = [name for name in _CLASSES if row.get(name, "").casefold() in _TRUE]
        labels.append(" and ".join(classes) or "unknown")
        values.append(_number(row.get("confidence", ""), number))
    order = np.argsort(stamps, kind="stable")
    ends = np.full(len(stamps), NEVER)
    ends[order[:-1]] = stamps[order[1:]]
    return events_table(stamps, ends, labels, ACTIVITY, values)


def _words(name: str) -> str:
    """Return a name of the app in words: ``slowHeadTilting`` is ``slow head tilting``."""
    return _WORD.sub(" ", name).lower()


def _number(text: str, line: int) -> float:
    if not text:
        return float("nan")
    try:
        return float(text)
    except ValueError:
        raise ArchiveError(f"line {line}: {text[:40]!r} is not a number") from None
