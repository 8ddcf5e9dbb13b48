"""Diaries: CSV files and workbooks of what people noted, as a table of events."""

import csv
import io
import os
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from difflib import get_close_matches
from pathlib import Path
from typing import Final, NoReturn

import numpy as np
import pandas as pd

from eyelog.archive.account_events import DIARY
from eyelog.archive.importing.app_events import events_of
from eyelog.archive.importing.workbook import missing_reader, sheets_as_csv
from eyelog.catalogue import near
from eyelog.clock import DAY, Zone, Zones, as_tzinfo, as_zones, day_start, zone
from eyelog.disk.files import path_of
from eyelog.errors import ArchiveError, ConfigurationError, EyelogWarning, argument
from eyelog.rfc3339 import parse_rfc3339

__all__ = ["read_events"]

# Names of columns, folded and without spaces, signs and units.
_NAMES: Final = {
    "start": ("start", "starttime", "startedat", "from", "begin", "began", "onset", "time", "date",
              "datetime", "timestamp", "when", "at", "開始", "開始時刻", "開始日時", "日時"),
    "end": ("end", "endtime", "endedat", "to", "until", "finish", "stop", "offset", "終了",
            "終了時刻", "終了日時"),
    "label": ("label", "event", "activity", "what", "name", "type", "note", "category", "condition",
              "description", "ラベル", "活動", "内容", "イベント"),
}  # fmt: skip
_LARGEST: Final = 64 << 20
_DELIMITERS: Final = (",", ";", "\t")
_WORKBOOK: Final = b"PK\x03\x04"
# A date, with the year first or last, and perhaps a clock time.
_WHEN: Final = re.compile(
    r"(\d{1,4})([-/.])\s?(\d{1,2})\2\s?(\d{1,4})"
    r"(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,6}))?)?\s*([Zz]|[+-]\d{2}:?\d{2})?)?",
    re.ASCII,
)


def read_events(
    path: str | os.PathLike[str], *, tz: Zone, dayfirst: bool | None = None
) -> pd.DataFrame:
    r"""Read a diary, or events of the app: intervals, whole days or moments, with a label each.

    Parameters
    ----------
    path : str or path
        A CSV file with a header, separated by commas, semicolons or tabs, in UTF-8, UTF-16 or (as
        Excel saves it in Japan) cp932; or an Excel workbook (``pip install 'eyelog[excel]'``), of
        which the first sheet with such a header is read. It needs a column of starts (``start``,
        ``from``, ``begin``, ``onset``, ``time``, ``date``, ``timestamp``) and one of labels
        (``label``, ``event``, ``activity``, ``type``, ``note``); one of ends (``end``, ``to``,
        ``until``, ``stop``) is optional. Other columns are left out. Or a file of events that the
        app writes beside a recording (``_fastHeadMotion``, ``_slowHeadMotion``,
        ``_motionActivity``).
    tz : str
        IANA zone of the times that have no offset, and of the result.
    dayfirst : bool, optional
        Whether dates that end with the year begin with the day (``24.10.2026``) or the month
        (``10/24/2026``). By default a number above 12 anywhere in the diary shows it.

    Returns
    -------
    DataFrame
        One row per event, in order of time; columns ``start`` and ``end`` (stamps in `tz`,
        microseconds; ``end`` is missing for a moment), ``label`` and ``kind`` (string: ``diary``,
        ``head motion`` or ``phone activity``) and ``value`` (float64: the one-way moves of a head
        motion, the confidence of an activity; missing in a diary). A day without a clock time is
        the whole local day: it starts with its first instant, and ends with that of the next day.
        An activity lasts until the next one.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, a column is missing, or a time is not a time, is ambiguous, or
        is before its start: the message names the line.

    Warns
    -----
    EyelogWarning
        If there is no column of ends, and a column nearly has its name.

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
    place = as_tzinfo(zones)
    file = path_of(path, what="read_events")
    try:
        with file.open("rb") as source:
            content = source.read(_LARGEST + 1)
    except OSError as error:
        raise ConfigurationError(f"cannot read {file}: {error.strerror or error}") from error
    if len(content) > _LARGEST:
        raise ConfigurationError(f"{file.name} is larger than {_LARGEST >> 20} MB: not a diary")
    if (made := _of_the_app(content, file.name, zones)) is not None:
        return made
    rows = _rows_of(content, file)
    (_, header), *lines = rows
    columns = _columns(header, file.name)
    cells = [_cells(row, len(header), f"{file.name}, line {number}") for number, row in lines]
    wheres = [f"{file.name}, line {number}" for number, _ in lines]
    texts = [[row[columns[name]] for row in cells] for name in ("start", "end") if name in columns]
    order = _order(zip(wheres, *texts, strict=True), dayfirst)
    starts, ends, labels = [], [], []
    for where, row in zip(wheres, cells, strict=True):
        began = _when(row[columns["start"]], order, where)
        ended = _when(row[columns["end"]] if "end" in columns else "", order, where)
        label = row[columns["label"]]
        if began is None:
            raise ConfigurationError(f"{where}: the event has no start")
        if not label:
            raise ConfigurationError(f"{where}: the event has no label")
        start = began.start(place, where)
        if ended is None:
            end = began.after(place) if began.whole else None
        else:
            end = ended.after(place) if ended.whole else ended.start(place, where)
        if end is not None and (end < start or (ended and ended.whole and end == start)):
            raise ConfigurationError(
                f"{where}: the event ends before it starts ({began.text} to"
                f" {began.text if ended is None else ended.text})"
            )
        starts.append(start)
        ends.append(end)
        labels.append(label)
    table = pd.DataFrame(
        {
            "start": _stamps(starts, zones.home),
            "end": _stamps(ends, zones.home),
            "label": pd.array(labels, "string"),
            "kind": pd.array([DIARY] * len(labels), "string"),
            "value": np.full(len(labels), np.nan),
        }
    )
    return table.sort_values("start", kind="stable", ignore_index=True)


def _of_the_app(content: bytes, name: str, zones: Zones) -> pd.DataFrame | None:
    """Return the events of a file of the app; None if it is of another kind."""
    if content.startswith(_WORKBOOK):
        return None
    try:
        made = events_of(_decoded(content, name), zones)
    except ArchiveError as error:
        raise ConfigurationError(f"{name}, {error}") from None
    if made is None:
        return None
    times = {part: made[part].dt.tz_convert(zones.home) for part in ("start", "end")}
    return made.assign(**times)


def _rows_of(content: bytes, file: Path) -> list[tuple[int, list[str]]]:
    """Return the lines of a CSV file, or of the first sheet of a workbook that has a diary."""
    if not content.startswith(_WORKBOOK):
        return _rows(_decoded(content, file.name), file.name)
    if trouble := missing_reader():
        raise ConfigurationError(f"{file.name} is {trouble}")
    try:
        sheets = sheets_as_csv(file, days=True)
    except ArchiveError as error:
        raise ConfigurationError(f"{file.name}: {error}") from error
    every = [_rows(sheet.decode(), file.name) for sheet in sheets.values()] or [[]]
    for rows in every:
        if rows and {"start", "label"} <= _found(rows[0][1]).keys():
            return rows
    return every[0] or _rows("", file.name)


def _cells(row: list[str], width: int, where: str) -> list[str]:
    """Return a row with as many cells as the header."""
    if len(row) > width and any(row[width:]):
        raise ConfigurationError(
            f"{where}: it has {len(row)} columns, the header {width}: put a text with a separator"
            " in it into quotation marks"
        )
    return [*row, *[""] * (width - len(row))]


def _stamps(times: Sequence[datetime | None], tz: str) -> pd.DatetimeIndex:
    naive = [None if time is None else time.astimezone(zone("UTC")) for time in times]
    return pd.DatetimeIndex(naive, dtype="datetime64[us, UTC]").tz_convert(zone(tz))


def _decoded(content: bytes, name: str) -> str:
    wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    for encoding in ("utf-16",) if wide else ("utf-8-sig", "cp932"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise ConfigurationError(f"{name} is not text in UTF-8, UTF-16 or cp932: save it as CSV UTF-8")


def _rows(text: str, name: str) -> list[tuple[int, list[str]]]:
    """Return the number and the cells of each line that is not blank, the header first."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows: list[tuple[int, list[str]]] = []
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if any(stripped):
                rows.append((reader.line_num, stripped))
    except csv.Error as error:
        raise ConfigurationError(f"{name}, line {reader.line_num}: not CSV ({error})") from None
    if not rows:
        raise ConfigurationError(f"{name} is empty: its first line must name start, end and label")
    return rows


def _found(header: list[str]) -> dict[str, int]:
    """Return the place of each column of a diary that a header names."""
    folded = [re.sub(r"[^\w]|_", "", cell.casefold()) for cell in header]
    columns: dict[str, int] = {}
    for column, spellings in _NAMES.items():
        # Of several, the most explicit one: "start" before "date".
        places = [folded.index(spelling) for spelling in spellings if spelling in folded]
        if places:
            columns[column] = places[0]
    return columns


def _columns(header: list[str], name: str) -> dict[str, int]:
    """Return the place of each column, or raise and name the one that may be misspelt."""
    columns = _found(header)
    others = [cell for at, cell in enumerate(header) if at not in columns.values()]
    for column in ("start", "label"):
        if column not in columns:
            hints = ((cell, near(cell.casefold(), _NAMES[column])) for cell in others)
            misspelt = "".join(f": {cell[:30]!r}{hint}" for cell, hint in hints if hint)
            shown = ", ".join(repr(cell[:30]) for cell in header[:6])
            raise ConfigurationError(
                f"{name} has no column {column!r} (its header is {shown}){misspelt}: the first line"
                " must name start, label and, for intervals, end"
            )
    if "end" not in columns:  # it need not be there, so only a very similar name is a mistake
        for cell in others:
            if get_close_matches(cell.casefold(), _NAMES["end"], n=1, cutoff=0.8):
                warnings.warn(
                    f"{name} has no column 'end': if {cell[:30]!r} is one, name it end",
                    EyelogWarning,
                    stacklevel=3,
                )
    return columns


@dataclass(frozen=True, slots=True)
class _When:
    """A local day or time as it was written."""

    text: str
    day: date
    clock: str  # nothing for a whole day
    offset: str

    @property
    def whole(self) -> bool:
        """Whether it is a day without a clock time."""
        return not self.clock

    def start(self, place: tzinfo, where: str) -> datetime:
        """Return the instant at which it begins."""
        if self.whole:
            return day_start(self.day, place)
        return _instant(self, place, where)

    def after(self, place: tzinfo) -> datetime:
        """Return the instant at which its day is over."""
        return day_start(self.day + DAY, place)


def _order(rows: Iterable[tuple[str, ...]], dayfirst: bool | None) -> bool | None:
    """Return whether dates that end with the year begin with the day; None if nothing shows it."""
    shown: dict[bool, tuple[str, str]] = {}
    for where, *texts in rows:
        for text in texts:
            match = _WHEN.fullmatch(text)
            if match is None or len(match[4]) != 4:
                continue
            one, two = int(match[1]), int(match[3])
            if one > 12 >= two or two > 12 >= one:
                shown.setdefault(one > 12, (where, text))
    if dayfirst is not None:
        if (not dayfirst) in shown:
            where, text = shown[not dayfirst]
            raise ConfigurationError(
                f"{where}: {text!r} has no such month: leave out {argument('dayfirst', dayfirst)}"
            )
        return dayfirst
    if len(shown) == 2:
        (where, day), (other, month) = shown[True], shown[False]
        raise ConfigurationError(
            f"{where}: {day!r} begins with the day, and {month!r} ({other.rpartition(', ')[2]})"
            " with the month: write all dates as 2026-10-24"
        )
    return next(iter(shown), None)


def _when(text: str, dayfirst: bool | None, where: str) -> _When | None:
    """Return what a cell says, None for an empty one."""
    if not text:
        return None
    match = _WHEN.fullmatch(text)
    if match is None:
        _refuse(text, where)
    first, _, second, third, hour, minute, rest, fraction, offset = match.groups()
    if len(first) == 4 and len(third) <= 2:
        year, month, day = int(first), int(second), int(third)
    elif len(third) == 4 and len(first) <= 2:
        if dayfirst is None and int(first) != int(second) and int(first) <= 12:
            raise ConfigurationError(
                f"{where}: {text!r} may have the day or the month first: pass"
                f" {argument('dayfirst', True)} or"
                f" {argument('dayfirst', False)}, or write it as 2026-10-24"
            )
        month, day = (int(second), int(first)) if dayfirst else (int(first), int(second))
        year = int(third)
    else:
        _refuse(text, where)
    try:
        on = date(year, month, day)
        clock = ""
        if hour is not None:
            clock = f"{int(hour):02d}:{minute}:{rest or '00'}.{(fraction or '0').ljust(6, '0')}"
            datetime.fromisoformat(f"{on.isoformat()}T{clock}")
        return _When(text, on, clock, offset or "")
    except ValueError:
        raise ConfigurationError(f"{where}: there is no such time as {text!r}") from None


def _instant(when: _When, place: tzinfo, where: str) -> datetime:
    """Return the instant of a clock time."""
    clock = f"{when.day.isoformat()}T{when.clock}"
    try:
        if when.offset:
            return parse_rfc3339(clock + when.offset)
    except ValueError:
        raise ConfigurationError(f"{where}: there is no such time as {when.text!r}") from None
    naive = datetime.fromisoformat(clock)
    first, second_reading = (naive.replace(tzinfo=place, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second_reading.utcoffset():
        return first
    offsets = f"{naive:%H:%M}{_offset(first)} or {naive:%H:%M}{_offset(second_reading)}"
    if first.astimezone(UTC).astimezone(place).replace(tzinfo=None) != naive:
        raise ConfigurationError(
            f"{where}: {when.text!r} does not exist in {place}, where the clocks jumped over it"
        )
    raise ConfigurationError(
        f"{where}: {when.text!r} comes twice in {place}, where the clocks went back: write its"
        f" offset ({offsets})"
    )


def _offset(time: datetime) -> str:
    return f"{time:%z}"[:3] + ":" + f"{time:%z}"[3:5]


def _refuse(text: str, where: str) -> NoReturn:
    raise ConfigurationError(
        f"{where}: {text!r} is not a date and a clock time: write it as 2026-10-24 09:00, or"
        " 2026-10-24 for a whole day"
    )
