"""The data endpoints: one page of records from the archive, and the cursor of the next one.

A cursor is signed and bound to its query. Its position is the stamp of the last record sent, not
a number of records: a record that arrives late does not shift the pages, so no record is sent
twice and none that was there is left out.
"""

import hashlib
from collections.abc import Sequence
from typing import Any, cast

import msgspec
import pandas as pd
from itsdangerous import BadSignature, URLSafeSerializer

from eyelog.answers.encode import encode_answer
from eyelog.service.records.query import Query
from eyelog.service.records.window_cache import Windows
from eyelog.service.responses import Problem

__all__ = ["Cursors", "answer"]


class Cursors:
    """Make and read the cursors of one service."""

    def __init__(self, key: bytes) -> None:
        self._signer = URLSafeSerializer(
            key, salt="cursor", signer_kwargs={"digest_method": hashlib.sha256}
        )

    def make(self, bound_to: Sequence[Any], after_us: int) -> str:
        """Return the cursor of the page after the stamp `after_us` (microseconds, UTC)."""
        return self._signer.dumps([after_us, _mark(bound_to)])

    def read(self, cursor: str, bound_to: Sequence[Any]) -> int:
        """Return the stamp after which to continue; refuse a cursor of another query."""
        try:
            after_us, mark = self._signer.loads(cursor)
        except (BadSignature, ValueError, TypeError):
            raise Problem(400, "invalid_cursor", "this service did not issue the cursor") from None
        if mark != _mark(bound_to):
            raise Problem(
                400,
                "invalid_cursor",
                "the cursor belongs to another request: account, log, date_from, date_to and"
                " fields must equal those of the request that returned it",
            )
        return int(after_us)


def _mark(bound_to: Sequence[Any]) -> str:
    return hashlib.sha256(msgspec.json.encode(list(bound_to))).hexdigest()[:24]


def answer(
    windows: Windows, account: str, query: Query, *, cursors: Cursors, page_size: int
) -> bytes:
    """Return the body of one page, with its records in the offset of the query.

    Raises
    ------
    Problem
        400, if the cursor belongs to another query.
    ArchiveError
        If the archive is damaged.
    """
    bound_to = (account, page_size, *query.bound)
    after_us = None if query.cursor is None else cursors.read(query.cursor, bound_to)
    frame = windows.read(query, account, keep_above=page_size)
    stamps = cast(pd.DatetimeIndex, frame.index).as_unit("us").asi8
    first = 0 if after_us is None else int(stamps.searchsorted(after_us, side="right"))
    last = first + page_size
    cursor = cursors.make(bound_to, int(stamps[last - 1])) if last < len(frame) else None
    page = frame.iloc[first:last].tz_convert(query.start.tzinfo)
    return encode_answer(page, query.log, names=query.names, cursor=cursor)
