"""Saved answers of the service, as pages of records of one log."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import ClassVar, Final

import msgspec
import numpy as np
import pyarrow as pa

from eyelog.answers.careful import ADVICE, careful_records, check_unknown
from eyelog.answers.decode import decode_page
from eyelog.answers.page import Page
from eyelog.archive.importing.field_names import own_fields
from eyelog.archive.importing.kinds import NotALog, other_kind
from eyelog.archive.importing.log_file import LogFile, Source, whole_of
from eyelog.archive.importing.stamps import minutes_of
from eyelog.catalogue import LOGS, catalogue, fold
from eyelog.clock import FILE_ZONE
from eyelog.errors import AnswerError, MixedLogsError
from eyelog.frame import OFFSET
from eyelog.rfc3339 import parse_stamps

__all__ = ["SavedLog", "answer_pages"]

_UNFINISHED: Final = "its last answer has a cursor: the pages that follow are not in the file"


class SavedLog(LogFile):
    """A file of answers: JSON, or JSON lines. An answer says when, but neither where nor whose."""

    what: ClassVar[str] = "a saved answer"
    reader: ClassVar[str] = "read_answer"
    pandas: ClassVar[str] = "read_json"

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
        if source.tz == FILE_ZONE:
            self._pages = _with_offsets(self._pages, content)

    def pages(self) -> Iterator[Page]:
        """Yield the records answer by answer."""
        yield from self._pages


def _with_offsets(pages: list[Page], content: bytes) -> list[Page]:
    """Return pages with the offset that each date is written in."""
    texts = [text.decode() for text in _DATE.findall(content)]
    if not texts:
        return pages
    stamps = parse_stamps(texts).view(np.int64)
    minutes = minutes_of(pa.array(texts))
    order = np.argsort(stamps, kind="stable")
    stamps, minutes = stamps[order], minutes[order]
    with_offsets = []
    for page in pages:
        at = np.searchsorted(stamps, page.stamps.view(np.int64), side="right") - 1
        columns = {**page.columns, OFFSET: minutes[np.maximum(at, 0)]}
        with_offsets.append(replace(page, columns=columns, unknown=(*page.unknown, OFFSET)))
    return with_offsets


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
        raise NotALog(f"it has messages of the app's WebSocket: {other}")
    for log in LOGS:
        if names & own_fields(log):
            raise NotALog(
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
