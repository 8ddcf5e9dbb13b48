"""Events: diaries of what people noted, and the event files of the app."""

import csv
import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from difflib import get_close_matches
from functools import partial
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from eyelog.arrow_tables import instant_us
from eyelog.catalogue import fold, near
from eyelog.clock import DAY, FILE_ZONE, Zone, Zones, as_tzinfo, as_zones, day_start
from eyelog.errors import ArchiveError, ConfigurationError, counted, warn
from eyelog.home import path_of
from eyelog.read.files import MIDNIGHT, InputFile, check_encoding, input_files, opened
from eyelog.read.format import ACTIVITY, DELIMITERS, EVENTS, OtherKind, other_kind
from eyelog.read.saved import RECEIVED, TWICE, messages_by_kind
from eyelog.read.stamps import NEVER, StampReader, possible_events

# Names of columns, folded and without spaces, signs and units.
_NAMES: Final = {
    "start": ("start", "starttime", "startedat", "from", "begin", "began", "onset", "time", "date",
              "datetime", "timestamp", "when", "at", "開始", "開始時刻", "開始日時", "日時"),
    "end": ("end", "endtime", "endedat", "to", "until", "finish", "stop", "offset", "終了",
            "終了時刻", "終了日時"),
    "label": ("label", "event", "activity", "what", "name", "type", "note", "category", "condition",
              "description", "ラベル", "活動", "内容", "イベント"),
}  # fmt: skip
DIARY: Final = "diary"
_KINDS: Final = {EVENTS: "head motion", ACTIVITY: "phone activity"}
_HEADER_LINES: Final = 50  # in which the header of the app's events is looked for
_CLASSES: Final = ("stationary", "walking", "running", "automotive", "cycling", "unknown")
_WORD: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TRUE: Final = ("1", "true", "yes")

Row = tuple[int, list[str]]  # the number of its line, and its cells
Event = tuple[int, Mapping[str, str]]


def read_events(
    path: str | os.PathLike[str],
    *,
    tz: Zone,
    dayfirst: bool | None = None,
    encoding: str | None = None,
) -> pd.DataFrame:
    r"""Read a diary, or events of the app: intervals, whole days or moments, with a label each.

    Parameters
    ----------
    path : str or path
        A CSV file with a header, separated by commas, semicolons or tabs; or an Excel workbook
        (``pip install 'eyelog[excel]'``), of which the first sheet with such a header is read.
        It needs a column of starts (``start``, ``from``, ``begin``, ``onset``, ``time``,
        ``date``, ``timestamp``) and one of labels (``label``, ``event``, ``activity``, ``type``,
        ``note``); one of ends (``end``, ``to``,
        ``until``, ``stop``) is optional. Other columns are left out. Or a file of events that the
        app writes beside a recording (``_fastHeadMotion``, ``_slowHeadMotion``,
        ``_motionActivity``). A text file may be packed by gzip, or be the only one in a zip file.
    tz : str
        IANA zone of the times that have no offset, and of the result.
    dayfirst : bool, optional
        Whether dates that end with the year begin with the day (``24.10.2026``) or the month
        (``10/24/2026``). By default a number above 12 anywhere in the diary shows it.
    encoding : str, optional
        That of a CSV file, such as ``"cp932"`` or ``"cp1252"``. By default UTF-8 or UTF-16; of text
        that is neither the encoding is guessed, with a warning.

    Returns
    -------
    DataFrame
        One row per event, in order of time; columns ``start`` and ``end`` (stamps in `tz`,
        microseconds; ``end`` is missing for a moment), ``label`` and ``kind`` (string: ``diary``,
        ``head motion`` or ``phone activity``) and ``value`` (float64: the one-way moves of a head
        motion, the confidence of an activity; missing in a diary). A day without a clock time is
        the whole local day: it starts with its first instant, and ends with that of the next day.
        In a workbook midnight is such a day too, but as the end of an event whose start has a clock
        time it is that instant.
        An activity lasts until the next one.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, a column is missing, or a time is not a time, is ambiguous, or
        is before its start: the message names the line.

    Warns
    -----
    EyelogWarning
        If there is no column of ends, and a column nearly has its name; if an encoding was guessed;
        if a gzip file breaks off; if events are before 2015 or begin more than a day from now, and
        are set aside.

    See Also
    --------
    label : The event in which each row of a frame lies.
    compare.events : The course of fields around the start of the events.

    Notes
    -----
    Times are a date and perhaps a clock time: ``2026-10-24 09:00``, ``2026/10/24 9:00:30``,
    ``2026-10-24T09:00:00+09:00``, ``24.10.2026 09:00``, ``10/24/2026``. All dates of a diary have
    one order. Where no number above 12 shows which, ``03.04.2026`` is refused until `dayfirst` says
    whether it is in April or in March. A clock time that occurs twice or never, when the clocks
    change, is refused too: write its offset.

    Examples
    --------
    >>> import eyelog as el, pathlib, tempfile
    >>> lines = ["start,end,label", "2026-10-19 09:00,2026-10-19 12:00,work", "2026-10-19 15:30,,a"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "diary.csv"
    ...     _ = path.write_text("\n".join(lines))
    ...     events = el.read_events(path, tz="Asia/Tokyo")
    >>> events["label"].tolist(), str(events["start"][0]), int(events["end"].isna().sum())
    (['work', 'a'], '2026-10-19 09:00:00+09:00', 1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "diary.csv"
    ...     _ = path.write_text("date;label\n24.10.2026;holiday\n")
    ...     holiday = el.read_events(path, tz="Asia/Tokyo")
    >>> str(holiday["start"][0]), str(holiday["end"][0])
    ('2026-10-24 00:00:00+09:00', '2026-10-25 00:00:00+09:00')
    """
    zones = as_zones(tz, what="a diary")
    file = path_of(path, what="read_events")
    if encoding is not None:
        check_encoding(encoding)
    real = file.resolve()
    name = file.name if real.is_file() else f"{file}"
    pipe = InputFile(name, partial(file.open, "rb", buffering=0))
    tables: list[tuple[str, bool, list[Row]]] = []
    try:
        for at, each in enumerate(input_files([real]) if real.is_file() else [pipe]):
            if at and not each.is_sheet:
                raise ConfigurationError(
                    f"{name}: it has several files: unpack it, and read each on its own"
                )
            text = _text(each, name, encoding)
            if rows := [row for row in _rows(text) if any(row[1])]:
                tables.append((text, each.is_sheet, rows))
        if not tables:
            raise ConfigurationError(
                f"{name}: it is empty: its first line must name start, end and label"
            )
        named = [{"start", "label"} <= _found(rows[0][1]).keys() for *_, rows in tables]
        text, is_sheet, rows = tables[named.index(True) if any(named) else 0]
        events = events_of(text, zones)
        if events is None:
            events = _events_of_rows(rows, zones, dayfirst, is_sheet=is_sheet)
    except ArchiveError as error:
        between = ", " if str(error).startswith("line") else ": "
        raise ConfigurationError(f"{name}{between}{error}") from error
    times = {part: events[part].dt.tz_convert(zones.home) for part in ("start", "end")}
    return possible_events(events.assign(**times), name)


def _text(file: InputFile, name: str, encoding: str | None = None) -> str:
    """Return the text of a file, and warn of what a user should know about it."""
    with opened(file, encoding=encoding) as source:
        content = source.text()
    for note in source.notes:
        warn(f"{name}: {note}")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ArchiveError(
            "it is not text in UTF-8, UTF-16, cp932, EUC-JP or cp1252: name its encoding with"
            " encoding= (--encoding), or save it as CSV UTF-8"
        ) from None


def _rows(text: str) -> Iterator[Row]:
    """Yield the lines of a CSV file; most separators in the first one are delimiters."""
    start = next((line for line in text.splitlines() if line.strip()), "")
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=max(DELIMITERS, key=start.count),
        skipinitialspace=True,
    )
    try:
        for cells in reader:
            yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        raise ArchiveError(f"line {reader.line_num}: not CSV ({error})") from None


def _events_of_rows(
    rows: Sequence[Row], zones: Zones, dayfirst: bool | None, *, is_sheet: bool
) -> pd.DataFrame:
    """Return the events of a diary, of which the first row is the header."""
    (_, header), *lines = rows
    columns, place = _columns(header), as_tzinfo(zones)
    reader = StampReader(zones, dayfirst, "its time", in_order=False)
    written: dict[str, list[str | None]] = {"start": [], "end": [], "label": []}
    for number, cells in lines:
        if any(cells[len(header) :]):
            raise ArchiveError(
                f"line {number}: it has {len(cells)} columns, the header {len(header)}: put a text"
                " with a separator in it into quotation marks"
            )
        for part, texts in written.items():
            at = columns.get(part, len(cells))
            text = cells[at] if at < len(cells) else ""
            if not text and part != "end":
                raise ArchiveError(f"line {number}: the event has no {part}")
            texts.append((text.removesuffix(MIDNIGHT) if is_sheet else text) or None)
    # All dates of a diary have one order.
    texts = pa.array([*written["start"], *written["end"]], pa.string())
    stamps, faults = reader.read(pa.chunked_array([texts]))
    for row in sorted(faults.keys() - reader.days.keys(), key=lambda row: row % len(lines)):
        if texts[row].is_valid:
            raise ArchiveError(f"line {lines[row % len(lines)][0]}: {faults[row]}")
    starts, ends = np.split(stamps, 2)
    for row, (number, _) in enumerate(lines):
        first, last = (reader.days.get(at) for at in (row, row + len(lines)))
        if last is None and texts[row + len(lines)].as_py() is None:
            last = first
        if first is not None:
            starts[row] = instant_us(day_start(first, place).astimezone(UTC))
        if last is not None:
            # A workbook does not tell a day from its midnight, in which an evening ends.
            after = last if is_sheet and first is None else last + DAY
            ends[row] = instant_us(day_start(after, place).astimezone(UTC))
        if NEVER < ends[row] < starts[row] + (last is not None):
            start, end = written["start"][row], written["end"][row]
            raise ArchiveError(
                f"line {number}: the event ends before it starts ({start} to {end or start})"
            )
    labels = [text or "" for text in written["label"]]
    return events_table(starts, ends, labels, DIARY, np.full(len(labels), np.nan))


def _found(header: list[str]) -> dict[str, int]:
    """Return the place of each column of a diary that a header names."""
    folded = [re.sub(r"[^\w]|_", "", cell.casefold()) for cell in header]
    columns: dict[str, int] = {}
    for column, spellings in _NAMES.items():
        # Of several, the most explicit one: "start" before "date".
        if places := [folded.index(spelling) for spelling in spellings if spelling in folded]:
            columns[column] = places[0]
    return columns


def _columns(header: list[str]) -> dict[str, int]:
    """Return the place of each column, or raise and name the one that may be misspelt."""
    columns = _found(header)
    others = [cell for at, cell in enumerate(header) if at not in columns.values()]
    for column in ("start", "label"):
        if column not in columns:
            shown = ", ".join(
                f"{cell[:30]!r}{near(cell.casefold(), [column])}" for cell in header[:6]
            )
            raise ArchiveError(
                f"it has no column {column!r} (its header is {shown}): the first line"
                " must name start, label and, for intervals, end"
            )
    if "end" not in columns:  # it need not be there, so only a very similar name is a mistake
        for cell in others:
            if get_close_matches(cell.casefold(), _NAMES["end"], n=1, cutoff=0.8):
                warn(f"the diary has no column 'end': if {cell[:30]!r} is one, name it end")
    return columns


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
    events = events_of(_text(file, file.name), tz)
    if events is None:
        raise OtherKind("events of another form")
    return possible_events(events, file.name)


def events_of(text: str, tz: str | Zones | None) -> pd.DataFrame | None:
    """Return the events of a file of the app, in UTC; None if it is of another kind."""
    events_by_kind = _messages(text) if text.lstrip().startswith("{") else _table(text)
    if not events_by_kind:
        return None
    tables = []
    for kind, events in events_by_kind.items():
        dates = [row.get("date", "") for _, row in events]
        reader = StampReader(None if tz == FILE_ZONE else tz)
        stamps, faults = reader.read(pa.chunked_array([pa.array(dates, pa.string())]))
        labels, values = list[str](), list[float]()
        for at, (number, row) in enumerate(events):
            if at in faults:
                raise ArchiveError(f"line {number}: {faults[at]}")
            if kind == EVENTS and not row.get("type"):
                raise ArchiveError(f"line {number}: the event has no type")
            if kind == EVENTS:  # slowHeadTilting is slow head tilting
                words = _WORD.sub(" ", row["type"]).lower()
                label, value = f"{words} {row.get('subtype', '')}".strip(), row.get("value")
            else:
                classes = [name for name in _CLASSES if row.get(name, "").casefold() in _TRUE]
                label, value = " and ".join(classes) or "unknown", row.get("confidence")
            try:
                values.append(float(value or "nan"))
            except ValueError:
                raise ArchiveError(f"line {number}: {str(value)[:40]!r} is not a number") from None
            labels.append(label)
        ends = np.full(len(stamps), NEVER)
        if kind == ACTIVITY:  # each lasts until the next one
            order = np.argsort(stamps, kind="stable")
            ends[order[:-1]] = stamps[order[1:]]
        tables.append(events_table(stamps, ends, labels, _KINDS[kind], values))
    return pd.concat(tables).sort_values("start", kind="stable", ignore_index=True)


def _table(text: str) -> dict[str, list[Event]]:
    """Return the rows of a CSV file, by the kind of its events; nothing for another file."""
    rows = _rows(text)
    for _, header in islice(rows, _HEADER_LINES):
        names = [name for name in map(fold, header) if name]
        kind = other_kind(set(names)) if "date" in names else ""
        if kind not in _KINDS:
            continue
        events = [row for row in rows if any(row[1])]
        short = [at for at, cells in events if len(cells) < len(names)]
        if short and short[0] == events[-1][0] and not text.endswith(("\n", "\r")):
            warn(f"line {short.pop()} breaks off, so it is left out: the file was cut short")
            events.pop()
        if short:
            raise ArchiveError(
                f"line {short[0]}: it has fewer columns than the header ({len(names)})"
            )
        return {kind: [(at, dict(zip(names, cells, strict=False))) for at, cells in events]}
    return {}


def _messages(text: str) -> dict[str, list[Event]]:
    """Return the events among the messages of the app's WebSocket; the others are left out.

    A message without a date has the time that its receiver states.
    """
    by_kind: dict[str, list[Event]] = {}
    every, wrong = messages_by_kind(text.encode())
    for kind, messages in every.items():
        for number, message in messages if kind in _KINDS else ():
            row = {fold(key): str(value) for key, value in message.items() if value is not None}
            row["date"] = row.get("date") or row.get(RECEIVED, "")
            by_kind.setdefault(kind, []).append((number, row))
    if twice := [number for number, fault in wrong.items() if fault == TWICE]:
        if not by_kind:
            raise ArchiveError(f"line {twice[0]}: {TWICE}")
        warn(f"left out {counted(len(twice), 'line')} with a key twice (first: line {twice[0]})")
    return by_kind


def events_table(
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    labels: Sequence[str],
    kind: str | Sequence[str],
    values: Sequence[float] | npt.NDArray[np.float64],
) -> pd.DataFrame:
    """Return a table of events in order of time, in UTC.

    Parameters
    ----------
    starts, ends : array of int64
        Microseconds of UTC; the smallest integer (NaT) for the end of a moment.
    labels : sequence of str
        What each is called.
    kind : str or sequence of str
        Where they come from.
    values : sequence of float
        The number that goes with each; NaN without one.
    """
    times = {"start": starts, "end": ends}
    columns = {name: pd.DatetimeIndex(us.view("M8[us]"), tz="UTC") for name, us in times.items()}
    table = pd.DataFrame({**columns, "label": labels, "kind": kind, "value": values})
    table = table.astype({"label": "string", "kind": "string", "value": "float64"})
    return table.sort_values("start", kind="stable", ignore_index=True)
