"""The data endpoints: one page of records from the archive, and the cursor of the next one.

A cursor is signed and bound to its query. Its position is the stamp of the last record sent, not
a number of records: a late record does not shift the pages, so no record is sent twice and no
existing record is left out.
"""

import hashlib
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, Final, cast

import msgspec
import pyarrow as pa
from itsdangerous import BadSignature, URLSafeSerializer

from eyelog.answers.arrow import encode_stream
from eyelog.answers.encode import encode_table
from eyelog.service.records.query import Query
from eyelog.service.records.windows import Windows
from eyelog.service.responses import Problem

__all__ = ["ARROW_PAGES", "Cursors", "answer"]

ARROW_PAGES: Final = 20


class Cursors:
    """Make and read the cursors of one service."""

    def __init__(self, key: Callable[[], bytes]) -> None:
        self._key = key  # requested each time: the operator may replace it

    @property
    def _signer(self) -> URLSafeSerializer:
        return URLSafeSerializer(
            self._key(), salt="cursor", signer_kwargs={"digest_method": hashlib.sha256}
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
    windows: Windows,
    account: str,
    query: Query,
    *,
    cursors: Cursors,
    page_size: int,
    arrow: bool = False,
) -> bytes:
    """Return the body of one page, with its records in the offset of the query.

    A page of JSON has `page_size` records. A record of an Arrow stream takes a twentieth of the
    bytes and the work, so its pages have `ARROW_PAGES` times as many. Their cursors are the same.

    Raises
    ------
    Problem
        400, if the cursor belongs to another query.
    ArchiveError
        If the archive is damaged.
    """
    bound_to = (account, page_size, *query.bound)
    after_us = None if query.cursor is None else cursors.read(query.cursor, bound_to)
    most = page_size * (ARROW_PAGES if arrow else 1)
    table = windows.read(query, account)
    stamps = table.column("date").cast(pa.int64()).to_numpy()
    first = 0 if after_us is None else int(stamps.searchsorted(after_us, side="right"))
    last = first + most
    cursor = cursors.make(bound_to, int(stamps[last - 1])) if last < len(stamps) else None
    page = table.slice(first, most)
    if arrow:
        return encode_stream(page, query.log, names=query.names, cursor=cursor)
    offset_us = round(cast(timedelta, query.start.utcoffset()).total_seconds() * 1e6)
    return encode_table(page, query.log, offset_us=offset_us, names=query.names, cursor=cursor)
