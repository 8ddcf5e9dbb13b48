"""Diaries: CSV files of intervals or moments noted by people, as a table of events."""

import csv
import io
import os
import re
from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import Final, NoReturn

import pandas as pd

from eyelog.clock import Zone, as_tzinfo, as_zones, zone
from eyelog.disk.files import path_of
from eyelog.errors import ConfigurationError
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
_ISO: Final = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,6}))?)?"
    r"\s*([Zz]|[+-]\d{2}:?\d{2})?",
    re.ASCII,
)
_DAY_FIRST: Final = re.compile(r"\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}\b.*", re.ASCII)
_DAY_ALONE: Final = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}", re.ASCII)


def read_events(path: str | os.PathLike[str], *, tz: Zone) -> pd.DataFrame:
    r"""Read a diary: a CSV file of intervals or moments, with a label each.

    Parameters
    ----------
    path : str or path
        A CSV file with a header, separated by commas, semicolons or tabs, in UTF-8, UTF-16 or (as
        Excel saves it in Japan) cp932. It needs a column of starts (``start``, ``from``, ``begin``,
        ``onset``, ``time``, ``date``, ``timestamp``) and one of labels (``label``, ``event``,
        ``activity``, ``type``, ``note``); one of ends (``end``, ``to``, ``until``, ``stop``) is
        optional. Other columns are left out.
    tz : str
        IANA zone of the times that have no offset, and of the result.

    Returns
    -------
    DataFrame
        One row per event, in order of time; columns ``start`` and ``end`` (stamps in `tz`,
        microseconds; ``end`` is missing for a moment) and ``label`` (string).

    Raises
    ------
    ConfigurationError
        If the file cannot be read, a column is missing, or a time is not a time, is ambiguous, or
        lies before its start: the message names the line.

    See Also
    --------
    label : The event in which each row of a frame lies.
    compare.events : The course of fields around the start of the events.

    Notes
    -----
    Times are a date with the year first and a clock time: ``2026-10-24 09:00``,
    ``2026/10/24 9:00:30``, ``2026-10-24T09:00:00+09:00``. ``10/11/2026`` is refused, because it is
    the 10th of November in one country and the 11th of October in another. A clock time that comes
    twice or never, when the clocks change, is refused too: write its offset.

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
    rows = _rows(_decoded(content, file.name), file.name)
    (_, header), *lines = rows
    columns = _columns(header, file.name)
    starts, ends, labels = [], [], []
    for number, cells in lines:
        where = f"{file.name}, line {number}"
        if len(cells) > len(header) and any(cells[len(header) :]):
            raise ConfigurationError(
                f"{where}: it has {len(cells)} columns, the header {len(header)}: put a text with"
                " a separator in it into quotation marks"
            )
        cells = [*cells, *[""] * (len(header) - len(cells))]
        start = _time(cells[columns["start"]], place, where)
        end = cells[columns["end"]] if "end" in columns else ""
        label = cells[columns["label"]]
        if start is None:
            raise ConfigurationError(f"{where}: the event has no start")
        if not label:
            raise ConfigurationError(f"{where}: the event has no label")
        starts.append(start)
        ends.append(_time(end, place, where))
        labels.append(label)
        if ends[-1] is not None and ends[-1] < start:
            raise ConfigurationError(
                f"{where}: the event ends before it starts ({cells[columns['start']]} to {end})"
            )
    table = pd.DataFrame(
        {
            "start": _stamps(starts, zones.home),
            "end": _stamps(ends, zones.home),
            "label": pd.array(labels, "string"),
        }
    )
    return table.sort_values("start", kind="stable", ignore_index=True)


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


def _columns(header: list[str], name: str) -> dict[str, int]:
    """Return the place of each column of the diary that the header names."""
    folded = [re.sub(r"[^\w]|_", "", cell.casefold()) for cell in header]
    found: dict[str, int] = {}
    for column, spellings in _NAMES.items():
        # Of several, the most explicit one: "start" before "date".
        places = [folded.index(spelling) for spelling in spellings if spelling in folded]
        if places:
            found[column] = places[0]
    for column in ("start", "label"):
        if column not in found:
            shown = ", ".join(repr(cell[:30]) for cell in header[:6])
            raise ConfigurationError(
                f"{name} has no column {column!r} (its header is {shown}): the first line must name"
                " start, label and, for intervals, end"
            )
    return found


def _time(text: str, place: tzinfo, where: str) -> datetime | None:
    """Return the instant of a cell, None for an empty one."""
    if not text:
        return None
    match = _ISO.fullmatch(text)
    if match is None:
        _refuse(text, where)
    year, month, day, hour, minute, second, fraction, offset = match.groups()
    clock = (
        f"{year}-{int(month):02d}-{int(day):02d}T{int(hour):02d}:{minute}:{second or '00'}"
        f".{(fraction or '0').ljust(6, '0')}"
    )
    try:
        if offset:
            return parse_rfc3339(clock + offset)
        naive = datetime.fromisoformat(clock)
    except ValueError:
        raise ConfigurationError(f"{where}: there is no such time as {text!r}") from None
    first, second_reading = (naive.replace(tzinfo=place, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second_reading.utcoffset():
        return first
    offsets = f"{naive:%H:%M}{_offset(first)} or {naive:%H:%M}{_offset(second_reading)}"
    if first.astimezone(zone("UTC")).astimezone(place).replace(tzinfo=None) != naive:
        raise ConfigurationError(
            f"{where}: {text!r} does not exist in {place}, where the clocks jumped over it"
        )
    raise ConfigurationError(
        f"{where}: {text!r} comes twice in {place}, where the clocks went back: write its offset"
        f" ({offsets})"
    )


def _offset(time: datetime) -> str:
    return f"{time:%z}"[:3] + ":" + f"{time:%z}"[3:5]


def _refuse(text: str, where: str) -> NoReturn:
    if _DAY_FIRST.fullmatch(text):
        reason = "may have the day or the month first"
    elif _DAY_ALONE.fullmatch(text):
        reason = "is a day without a clock time"
    else:
        reason = "is not a date and a clock time"
    raise ConfigurationError(f"{where}: {text!r} {reason}: write it as 2026-10-24 09:00")
