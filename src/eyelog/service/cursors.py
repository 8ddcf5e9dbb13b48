"""Cursors: where the next page of one query begins, signed and bound to that query.

The position is the stamp of the last record that was given, not a count of records: a record
that arrives late moves no page, so none is given twice and none that was there is left out.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from eyelog.service.answers import Problem
from eyelog.service.web import BadSignature, URLSafeSerializer

__all__ = ["Cursors"]


class Cursors:
    """Makes and reads the cursors of one service."""

    def __init__(self, key: bytes) -> None:
        self._signer = URLSafeSerializer(
            key, salt="cursor", signer_kwargs={"digest_method": hashlib.sha256}
        )

    def make(self, bound_to: Sequence[Any], after_us: int) -> str:
        """Return the cursor of the page after the stamp `after_us` (microseconds, UTC)."""
        return self._signer.dumps([after_us, _mark(bound_to)])

    def read(self, cursor: str, bound_to: Sequence[Any]) -> int:
        """Return the stamp after which to go on, or refuse a cursor that is not this query's."""
        try:
            after_us, mark = self._signer.loads(cursor)
        except (BadSignature, ValueError, TypeError):
            raise Problem(
                400, "invalid_cursor", "the cursor is not one that this service gave"
            ) from None
        if mark != _mark(bound_to):
            raise Problem(
                400,
                "invalid_cursor",
                "the cursor belongs to another request: account, log, date_from, date_to and"
                " fields must be those of the request that gave it",
            )
        return int(after_us)


def _mark(bound_to: Sequence[Any]) -> str:
    return hashlib.sha256(msgspec.json.encode(list(bound_to))).hexdigest()[:24]
