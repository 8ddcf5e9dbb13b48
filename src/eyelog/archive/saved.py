"""Saved answers of the service: one, a list of them, or one a line."""

from typing import Final

import msgspec

from eyelog.access.columns import Page
from eyelog.access.decode import decode_page
from eyelog.access.explain import ADVICE, careful_records
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
        If it is not JSON, holds no answer, or an answer is not of the documented shape.
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
                f"{place}: an answer of {log!r} after one of {pages[0].log!r}: keep the two logs"
                " in separate files"
            )
        try:
            pages.append(decode_page(body, log, where=place))
        except AnswerError as error:
            raise AnswerError(_of_file(error)) from None
    if not pages:
        raise AnswerError(f"{where}: a list without any answer: which log it is of is not known")
    return pages


def _bodies(content: bytes, where: str) -> list[bytes]:
    """Return the answers of a file, each as it stands there."""
    try:
        if content.lstrip().startswith(b"["):
            return [bytes(each) for each in msgspec.json.decode(content, type=list[msgspec.Raw])]
        try:
            return [bytes(msgspec.json.decode(content, type=msgspec.Raw))]
        except msgspec.DecodeError:
            lines = msgspec.json.Decoder(msgspec.Raw).decode_lines(content)
            return [bytes(each) for each in lines]
    except ValueError as error:
        raise AnswerError(
            f"{where}: no saved answer, or a damaged one ({error}): nothing of it was read"
        ) from None


def _log_of(body: bytes, where: str) -> str:
    try:
        keys = msgspec.json.decode(body, type=_Keys)
    except ValueError:
        keys = {}
    for log in LOGS:
        if log in keys:
            return log
    if "error" in keys or not keys:
        try:
            careful_records(body, LOGS[0], None, where)  # says what it is instead
        except AnswerError as error:
            raise AnswerError(_of_file(error)) from None
    raise AnswerError(
        f"{where}: an object without {LOGS[0]!r} or {LOGS[1]!r}, so no answer of the service"
    )


def _of_file(error: AnswerError) -> str:
    """Return what is wrong with an answer, with advice for a file instead of for a request."""
    return str(error).replace(ADVICE, "nothing of the file was read")
