"""One file, CSV, Parquet or saved answers, as pages of records of one log."""

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Final, cast

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa

from eyelog.answers.careful import ADVICE, careful_records, check_unknown
from eyelog.answers.decode import decode_page
from eyelog.answers.page import Page
from eyelog.archive.importing.csv_log import CsvLog, Faults
from eyelog.archive.importing.encodings import recoded
from eyelog.archive.importing.field_names import own_fields
from eyelog.archive.importing.kinds import Refused, kind_of_bytes, other_kind
from eyelog.archive.importing.parquet_log import ParquetLog
from eyelog.archive.importing.sources import InputFile, opened
from eyelog.archive.importing.stamps import minutes_of
from eyelog.archive.parquet.rows import frame_of, table_of
from eyelog.catalogue import LOGS, catalogue, columns, fold
from eyelog.clock import FILE_ZONE, Zones
from eyelog.errors import AnswerError, ArchiveError, MixedLogsError
from eyelog.frame import BIN_WIDTH, OFFSET, STORED
from eyelog.rfc3339 import parse_stamps

__all__ = [
    "UNFINISHED",
    "SavedLog",
    "own_columns",
    "reading",
]

UNFINISHED: Final = "its last answer has a cursor: the pages that follow are not in the file"

LARGEST_ANSWER: Final = 512 << 20
_UTF_16: Final = "it is not UTF-8 but UTF-16, and was read as that"


@dataclass
class SavedLog:
    """A file of answers; it has the same members as `CsvLog`."""

    _pages: list[Page]
    names: frozenset[str]
    faults: Faults = field(default_factory=Faults)
    zones: set[str] = field(default_factory=set)  # an answer says when, not where
    notes: list[str] = field(default_factory=list)
    wearer_column: None = None  # an answer is of one account

    @property
    def log(self) -> str:
        """The log of the records."""
        return self._pages[0].log

    @property
    def rows(self) -> int:
        """The number of records."""
        return sum(page.n for page in self._pages)

    @property
    def unfinished(self) -> bool:
        """Whether the last page says that more pages follow."""
        return self._pages[-1].cursor is not None

    def pages(self) -> Iterator[Page]:
        """Yield the records page by page."""
        yield from self._pages


@contextmanager
def reading(
    file: InputFile, *, tz: str | Zones | None, log: str | None = None
) -> Iterator[CsvLog | ParquetLog | SavedLog | None]:
    """Open a file for reading; return None if it is empty.

    `log` is the log of a file whose fields are in both.

    Raises
    ------
    EyelogError
        If it is not a log, or cannot be read.
    """
    with opened(file) as (kind, stream):
        wide = kind.startswith("utf-16")
        if wide:
            stream = recoded(stream, kind)
            kind = kind_of_bytes(stream.peek(64)[:64])
        if kind == "empty":
            yield None
            return
        if kind == "json":
            content = _whole(stream)
            saved = _saved(content, file.name)
            found: CsvLog | ParquetLog | SavedLog = (
                _with_offsets(saved, content) if tz == FILE_ZONE else saved
            )
        elif kind == "parquet":
            found = ParquetLog(_whole(stream), log=log, offsets=tz == FILE_ZONE)
        else:
            found = CsvLog(stream, tz=tz, log=log)
        _refuse_made(found.names, kind)
        if wide:
            found.notes.append(_UTF_16)
        yield found


def _refuse_made(names: Collection[str], kind: str) -> None:
    """Raise if a file holds a table that was made from records, not the records themselves."""
    made = {BIN_WIDTH: "a table of eyelog.resample", STORED: "a masked frame"}
    for name, what in made.items():
        if name in names:
            reader = "read_parquet" if kind == "parquet" else "read_csv"
            raise Refused(
                f"it holds {what}, not records (column {name!r}): pandas.{reader} reads it"
            )


def _saved(content: bytes, where: str) -> SavedLog:
    """Return a file of answers, with the fields that they have."""
    pages = answer_pages(content, where=where)
    # A page has every field of the catalogue; only its text shows which of them were sent.
    sent = {name for page in pages for name in page.unknown}
    sent |= {name for name in catalogue(pages[0].log) if f'"{name}"'.encode() in content}
    return SavedLog(pages, frozenset(sent))


def _with_offsets(saved: SavedLog, content: bytes) -> SavedLog:
    """Return a file of answers whose pages have the offset that each date is written in."""
    texts = [text.decode() for text in _DATE.findall(content)]
    if not texts:
        return saved
    stamps = parse_stamps(texts).view(np.int64)
    minutes = minutes_of(pa.array(texts))
    order = np.argsort(stamps, kind="stable")
    stamps, minutes = stamps[order], minutes[order]
    pages = []
    for page in saved.pages():
        at = np.searchsorted(stamps, page.stamps.view(np.int64), side="right") - 1
        columns = {**page.columns, OFFSET: minutes[np.maximum(at, 0)]}
        pages.append(replace(page, columns=columns, unknown=(*page.unknown, OFFSET)))
    return replace(saved, _pages=pages)


def _whole(stream: BinaryIO) -> bytes:
    content = stream.read(LARGEST_ANSWER + 1)
    if len(content) > LARGEST_ANSWER:
        raise ArchiveError(f"it is larger than {LARGEST_ANSWER >> 20} MB: split it")
    return content


def own_columns(frame: pd.DataFrame, log: CsvLog | ParquetLog | SavedLog) -> pd.DataFrame:
    """Return the columns of a frame that its file has, unknown ones as an archive keeps them.

    A column with only missing values would look like evidence, such as that the eyewear was never
    worn.
    """
    # Also the offset of each date, if that was asked for.
    chosen = frame[[name for name in frame.columns if name in log.names or name == OFFSET]]
    if set(chosen.columns) <= {*columns(log.log), OFFSET}:
        return chosen
    index = cast(pd.DatetimeIndex, frame.index)
    kept = frame_of(table_of(chosen, log.log), "UTC").set_axis(index)
    kept = kept[[name for name in chosen.columns if name in kept.columns]]
    kept.attrs = frame.attrs
    return kept


_BOM: Final = b"\xef\xbb\xbf"

_LOG: Final = "|".join(LOGS)
_ANSWER: Final = re.compile(rf'\s*{{\s*"({_LOG})"\s*:'.encode())
_ANOTHER: Final = re.compile(rf'\n\s*{{\s*"({_LOG})"\s*:'.encode())

_DATE: Final = re.compile(rb'"date"\s*:\s*"([^"\\]+)"')

_Keys = dict[str, msgspec.Raw]


def answer_pages(content: bytes, *, where: str) -> list[Page]:
    """Return the pages of a file of answers, all of one log, in the order of the file.

    Raises
    ------
    AnswerError
        If it is not JSON, has no answer, or an answer is not of the documented shape.
    MixedLogsError
        If it has answers of both logs.
    """
    content = content.removeprefix(_BOM)
    begins = _ANSWER.match(content)
    if begins and (content.find(b"\n") < 0 or not _ANOTHER.search(content)):
        # One answer as the service writes it: recognised without parsing all of it.
        with suppress(AnswerError):  # the code below says what is wrong with a file
            return [decode_page(content, begins[1].decode(), where=where)]
    bodies = _bodies(content, where)
    pages: list[Page] = []
    unknown: set[str] = set()
    for number, body in enumerate(bodies, 1):
        place = where if len(bodies) == 1 else f"{where}, answer {number} of {len(bodies)}"
        log = _log_of(body, place)
        if pages and log != pages[0].log:
            raise MixedLogsError(
                f"{place}: an answer of {log!r} after one of {pages[0].log!r}: keep the two logs"
                " in separate files"
            )
        try:
            pages.append(decode_page(body, log, where=place))
            unknown.update(pages[-1].unknown)
            check_unknown(len(unknown), where)
        except AnswerError as error:
            raise AnswerError(_of_file(error)) from None
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
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise AnswerError(
            f"{where}: not a saved answer, or a damaged one ({reason}): nothing of it was read"
        ) from None


def _log_of(body: bytes, where: str) -> str:
    try:
        keys = msgspec.json.decode(body, type=_Keys)
    except (ValueError, RecursionError):
        keys = {}
    for log in LOGS:
        if log in keys:
            return log
    names = {fold(name) for name in keys}
    other = other_kind(names)
    if other:
        raise Refused(f"it has messages of the app's WebSocket: {other}")
    for log in LOGS:
        if names & own_fields(log):
            raise Refused(
                f"it has single records of {log!r}, as the app's WebSocket sends them, and not"
                " answers of the service: import the CSV files that the app saved"
            )
    if "error" in keys or not keys:
        try:
            careful_records(body, LOGS[0], None, where)  # says what it is instead
        except AnswerError as error:
            raise AnswerError(_of_file(error)) from None
    raise AnswerError(
        f"{where}: an object without {LOGS[0]!r} or {LOGS[1]!r} is not an answer of the service"
    )


def _of_file(error: AnswerError) -> str:
    """Return the message of an error, with advice for a file instead of a request."""
    return str(error).replace(ADVICE, "nothing of the file was read")
