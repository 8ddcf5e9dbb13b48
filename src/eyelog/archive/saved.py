"""Saved answers of the service: one, a list of them, or one a line."""

from typing import Final

import msgspec

from eyelog.access.columns import Page
from eyelog.access.decode import decode_page
from eyelog.access.explain import fault
from eyelog.catalogue import LOGS
from eyelog.errors import AnswerError, MixedLogsError

__all__ = ["answer_pages"]

_BOM: Final = b"\xef\xbb\xbf"
_Keys = dict[str, msgspec.Raw]


def answer_pages(content: bytes, *, where: str) -> list[Page]:
    """Return the pages of a file of answers, all of one log, in the order of the file.

    Raises
    ------
    AnswerError
        If it is not JSON, or an answer is not of the documented shape.
    MixedLogsError
        If answers of both logs are in it.
    """
    bodies = _bodies(content.removeprefix(_BOM), where)
    pages: list[Page] = []
    for number, body in enumerate(bodies, 1):
        place = where if len(bodies) == 1 else f"{where}, answer {number} of {len(bodies)}"
        log = _log_of(body, place)
        if pages and log != pages[0].log:
            raise MixedLogsError(
                f"{place}: an answer of {log!r} after answers of {pages[0].log!r}: keep the logs"
                " in separate files"
            )
        pages.append(decode_page(body, log, where=place))
    return pages


def _bodies(content: bytes, where: str) -> list[bytes]:
    try:
        if content.lstrip().startswith(b"["):
            return list(map(bytes, msgspec.json.decode(content, type=list[msgspec.Raw])))
        try:
            return [bytes(msgspec.json.decode(content, type=msgspec.Raw))]
        except msgspec.DecodeError:
            lines = msgspec.json.Decoder(msgspec.Raw).decode_lines(content)
            return list(map(bytes, lines))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _damaged(where, error) from None


def _damaged(where: str, reason: Exception) -> AnswerError:
    return fault(where, f"it is no saved answer, or damaged ({reason})")


def _log_of(body: bytes, where: str) -> str:
    try:
        keys = msgspec.json.decode(body, type=_Keys)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _damaged(where, error) from None
    for log in LOGS:
        if log in keys:
            return log
    raise fault(where, f"an object without {LOGS[0]!r} or {LOGS[1]!r}, so no answer of the service")
