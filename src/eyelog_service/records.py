"""The data endpoints: the query, the window of the archive that it asks for, the page, its cursor.

A cursor is signed and bound to its query. Its position is the stamp of the last record sent, not
a number of records: a late record does not shift the pages, so no record is sent twice and no
existing record is left out.

An archive's file can only be read by whole row groups of four days each. A day of the 15-second log
is a dozen pages, and clients request one day after the other: so what was read is kept, until its
month is written. A page never shows an older state of the archive than the disk has.
"""

import hashlib
import math
import os
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from threading import Lock
from typing import Final, cast
from urllib.parse import parse_qsl

import msgspec
import numpy as np
import pyarrow as pa
from anyio import to_thread
from itsdangerous import BadSignature, URLSafeSerializer
from starlette.requests import Request
from starlette.responses import Response

from eyelog.archive.export import encode_table
from eyelog.archive.store import Archive
from eyelog.arrow_tables import group_edges, months_of, schema_of, span_of, stamps_of
from eyelog.catalogue import catalogue, columns, log_named, near
from eyelog.checks import whole_number
from eyelog.errors import ArchiveError
from eyelog_service.grants import SCOPE
from eyelog_service.oauth import allowed
from eyelog_service.state import State, run
from eyelog_service.web import Problem, bad_request, by_name, packed, parts_of

PER_HOUR = 10_000
"""As the public service documented."""
UPLOADS_PER_HOUR = 60
_HOUR_S = 3600
_SHARES = 200  # a share is at most this part of the limit,
_LEFT = 8  # and at most this part of the remainder


class ShareUsedUp(Exception):
    """An account's share of its hour in this process is used up, and another has to be taken."""


class HourlyLimits:
    """Counts the requests for data, or the uploads, of accounts over all processes.

    The count is in the service's state, but a write for each request would cost more than the
    request. So a process takes a share of the remaining requests and counts it down in memory:
    together, the processes never allow more than the limit. Shares get smaller towards the end,
    down to single requests; the unused part of a share lapses when the hour ends or the process
    stops.

    Parameters
    ----------
    state : State
        The service's state.
    what : {"request", "upload"}
        Which requests.
    per_hour : int
        How many requests an account may make from one full hour to the next; 0 for no limit.

    Raises
    ------
    ConfigurationError
        If `per_hour` is not a whole number from 0.
    """

    def __init__(self, state: State, what: str, per_hour: int) -> None:
        self._per_hour = whole_number(per_hour, f"{what}s_per_hour", 0)
        self._what, self._table = what, f"{what}_count"
        self._taken = f"SELECT n FROM {what}_count WHERE account = :account AND hour = :hour"  # noqa: S608 (a name from here)
        self._state = state
        self._hour = -1
        # Of each account: how many are left of this process's share, and in the state.
        self._shares: dict[str, tuple[int, int]] = {}
        self._lock = Lock()

    def count(self, account: str, *, waits: bool = True) -> dict[str, str]:
        """Count one request of an account; return the headers of its answer.

        Raises
        ------
        Problem
            429, if none is left.
        StateBusy
            If another process locks the state file for long.
        ShareUsedUp
            If it must not wait for the state, and `take_share` has to be called first.
        """
        if not self._per_hour:
            return {}
        while (counted := self._count_down(account)) is None:
            if not waits:
                raise ShareUsedUp(account)
            self.take_share(account)
        remaining, hour = counted
        reset = (hour + 1) * _HOUR_S
        headers = {
            "X-RateLimit-Limit": str(self._per_hour),
            "X-RateLimit-Remaining": str(max(0, remaining)),
            "X-RateLimit-Reset": str(reset),
        }
        if remaining < 0:
            wait_s = max(1, math.ceil(reset - time.time()))
            raise Problem(
                429,
                "rate_limit_exceeded",
                f"more than {self._per_hour} {self._what}s in this hour: try again in {wait_s} s",
                headers={"Retry-After": str(wait_s), **headers},
            )
        return headers

    def _count_down(self, account: str) -> tuple[int, int] | None:
        """Return how many more are allowed in which hour; None if the share is used up.

        They are -1 if this request is not allowed.
        """
        with self._lock:
            hour = int(time.time() // _HOUR_S)
            if hour != self._hour:
                self._hour, self._shares = hour, {}
            left, in_state = self._shares.get(account, (0, 1))
            if left:
                self._shares[account] = left - 1, in_state
                return left - 1 + in_state, hour
        # An account that was removed, and its count with it, begins anew.
        is_over = not in_state and self._state.rows(self._taken, account=account, hour=hour)
        return (-1, hour) if is_over else None

    def take_share(self, account: str) -> None:
        """Take a share of an account's remaining requests; the state may be waited for."""
        hour, table = int(time.time() // _HOUR_S), self._table
        with self._state.write() as db:
            # The hour before stays: the clock of another host may be a little behind.
            run(db, f"DELETE FROM {table} WHERE hour < :before", before=hour - 1)  # noqa: S608 (a name from here)
            taken = run(db, self._taken, account=account, hour=hour).scalar() or 0
            free = max(0, self._per_hour - taken)
            size = min(free, max(1, min(self._per_hour // _SHARES, free // _LEFT)))
            count = (
                f"INSERT INTO {table} VALUES (:account, :hour, :size)"  # noqa: S608 (as above)
                f" ON CONFLICT (account, hour) DO UPDATE SET n = {table}.n + excluded.n"
            )
            run(db, count, account=account, hour=hour, size=size)
        with self._lock:
            if hour == self._hour:  # otherwise it has lapsed
                left, _ = self._shares.get(account, (0, 0))
                self._shares[account] = left + size, free - size


_PARAMETERS = ("date_from", "date_to", "fields", "cursor")
DATE_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:?[0-9]{2})$"
_DATE = re.compile(DATE_PATTERN)
_LONGEST = timedelta(hours=23, minutes=59, seconds=59)
_YEARS = (2, 9998)  # a day from either end of the calendar, so that every offset is possible


@dataclass(frozen=True, slots=True)
class Query:
    """One range of one log, in the offset of its start.

    ``names`` are the fields of each record in catalogue order, ``date`` among them only if
    requested; ``bound`` is the part of the request that a cursor is bound to.
    """

    log: str
    start: datetime
    end: datetime
    names: tuple[str, ...]
    cursor: str | None
    bound: tuple[str | None, ...]


def parse_query(log: str, pairs: Iterable[tuple[str, str]]) -> Query:
    """Return the query of a data request.

    Raises
    ------
    Problem
        400, if a parameter is unknown, repeated or missing, or a date, the range or a field name
        breaks its rule.
    """
    given = by_name(pairs)
    for name in given:
        if name not in _PARAMETERS:
            raise bad_request(
                f"unknown parameter {name[:64]!r}{near(name[:64], _PARAMETERS)}: use"
                f" {', '.join(_PARAMETERS)}"
            )
    for name in ("date_from", "date_to"):
        if name not in given:
            raise bad_request(f"parameter {name!r} is missing")
    start, end = (_date(name, given[name]) for name in ("date_from", "date_to"))
    # On a day on which the clock changes, the two offsets differ.
    if start.date() != end.date() or end - start > _LONGEST:
        raise bad_request(
            "the range spans days: date_from and date_to must lie on the same local date, at most"
            " 23:59:59 apart"
        )
    if start > end:
        raise bad_request("date_from is later than date_to")
    names = tuple(catalogue(log))
    requested = set(given["fields"].split(",")) if "fields" in given else set(names)
    for name in sorted(requested.difference(names)):
        raise bad_request(
            f"unknown field {name[:64]!r} in fields{near(name[:64], names)}: use names of the"
            f" {log} record, joined by commas without spaces"
        )
    return Query(
        log=log,
        start=start,
        end=end,
        names=tuple(name for name in names if name in requested),
        cursor=given.get("cursor"),
        bound=(log, given["date_from"], given["date_to"], given.get("fields")),
    )


def _date(name: str, text: str) -> datetime:
    date = None
    if _DATE.match(text) and not text.endswith("\n"):
        with suppress(ValueError):
            date = datetime.fromisoformat(text)
    if date is None:
        # Unencoded, the + of an offset reaches the service as a space.
        hint = ": in an address, write the + of its offset as %2B" if " " in text else ""
        raise bad_request(
            f"{name} {text[:64]!r} is not a date and time YYYY-MM-DDThh:mm:ss with an offset"
            f" (Z or +hh:mm){hint}"
        )
    if not _YEARS[0] <= date.year <= _YEARS[1]:
        raise bad_request(f"{name} lies outside the years {_YEARS[0]} to {_YEARS[1]}")
    return date


_KEPT_BYTES: Final = 256 << 20
"""Pieces of every field: of a hundred clients of the 60-second log (2 MB each), or of seventy of
the 15-second log (at most 3.5 MB each)."""

_PIECE_RECORDS: Final = 5_760
"""A row group (four days) of the 60-second log, or a day of the 15-second log."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Windows:
    """Reads the window of a query from the archive, pieces of which it keeps for a while.

    Parameters
    ----------
    archive_path : path
        The archive's folder.
    processes : int
        How many processes keep pieces, each with its share of the memory.
    """

    def __init__(self, archive_path: str | os.PathLike[str], *, processes: int = 1) -> None:
        self._archive = Archive(archive_path)
        self._most_bytes = _KEPT_BYTES // processes
        self._kept: OrderedDict[Hashable, pa.Table] = OrderedDict()  # the last used at the end
        self._bytes = 0
        self._lock = Lock()

    def read(self, query: Query, account: str) -> pa.Table:
        """Return the records of a query's window: ``date`` in UTC, and the requested fields.

        Raises
        ------
        ArchiveError
            If the archive is damaged. Nothing recorded yet is an empty table.
        """
        state = self._archive.fingerprint(query.log, query.start, query.end, account=account)
        # The archive cannot read stamps alone: any column comes with them.
        fields = [name for name in query.names if name != "date"] or [columns(query.log)[0]]
        first, after = span_of(query.start, query.end, "UTC")
        parts = []
        for edges in _pieces_of(query.log, first, after):
            key = query.log, account, query.names, edges, state
            table = self._kept_piece(key, partial(self._read, query.log, account, fields, edges))
            low, high = np.searchsorted(stamps_of(table), [first, after]).tolist()
            parts.append(table.slice(low, high - low))
        return parts[0] if len(parts) == 1 else pa.concat_tables(parts)

    def _kept_piece(self, key: Hashable, read: Callable[[], pa.Table]) -> pa.Table:
        """Return a piece; requests that come while it is read for the first time read it, too."""
        with self._lock:
            if (kept := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return kept
        table = read()
        with self._lock:
            if key not in self._kept:
                self._kept[key] = table
                self._bytes += table.nbytes
            while self._bytes > self._most_bytes:
                self._bytes -= self._kept.popitem(last=False)[1].nbytes
        return table

    def _read(
        self, log: str, account: str, fields: Sequence[str], edges: tuple[int, int]
    ) -> pa.Table:
        begin, end = (_EPOCH + timedelta(microseconds=edge) for edge in edges)
        try:
            table = self._archive.read_arrow(
                log, begin, end - timedelta(seconds=1), account=account, fields=fields
            )
        except ArchiveError:
            if account in self._archive.accounts(log):
                raise
            schema = schema_of(log)
            return pa.schema([schema.field(name) for name in ("date", *fields)]).empty_table()
        return _in_one_piece(table)


def _pieces_of(log: str, first: int, after: int) -> list[tuple[int, int]]:
    """Return the edges of the pieces that contain a window, which is at most a day.

    A piece is a row group of the 60-second log, and a day of the 15-second log: four days of it
    would leave room for a quarter of the clients.
    """
    length = _PIECE_RECORDS * log_named(log).interval_us
    return [
        (begins, ends)
        for month in months_of(np.array([first, after - 1]))
        for opens, closes in pairwise(group_edges(month))
        for begins, ends in pairwise([*range(opens, closes, length), closes])
        if begins < after and ends > first
    ]


def _in_one_piece(table: pa.Table) -> pa.Table:
    """Return a copy of a table to keep, in its own block of memory.

    A slice would keep the table that it was cut from, and a hundred pieces of columns would keep
    the memory around each. The block comes from the system's pool, which releases it as soon as it
    is free.
    """
    if not table.num_rows:
        return table
    (batch,) = table.combine_chunks().to_batches()
    piece = batch.serialize(memory_pool=pa.system_memory_pool())
    return pa.Table.from_batches([pa.ipc.read_record_batch(piece, table.schema)])


def answer(windows: Windows, account: str, query: Query, *, key: bytes, page_size: int) -> bytes:
    """Return the body of one page, with its records in the offset of the query.

    Raises
    ------
    Problem
        400, if the cursor (signed with `key`) belongs to another query.
    ArchiveError
        If the archive is damaged.
    """
    signer = URLSafeSerializer(key, "cursor", signer_kwargs={"digest_method": hashlib.sha256})
    bound_to = msgspec.json.encode([account, page_size, *query.bound])
    mark = hashlib.sha256(bound_to).hexdigest()[:24]
    after_us = None
    if query.cursor is not None:
        try:
            after_us, of_query = signer.loads(query.cursor)
        except (BadSignature, ValueError, TypeError):
            raise Problem(400, "invalid_cursor", "this service did not issue the cursor") from None
        if of_query != mark:
            raise Problem(
                400,
                "invalid_cursor",
                "the cursor belongs to another request: account, log, date_from, date_to and"
                " fields must equal those of the request that returned it",
            )
    table = windows.read(query, account)
    stamps = table.column("date").cast(pa.int64()).to_numpy()
    first = 0 if after_us is None else int(stamps.searchsorted(after_us, side="right"))
    last = first + page_size
    cursor = None
    if last < len(stamps):
        cursor = signer.dumps([int(stamps[last - 1]), mark])
    page = table.slice(first, page_size)
    offset_us = round(cast(timedelta, query.start.utcoffset()).total_seconds() * 1e6)
    return encode_table(page, query.log, offset_us=offset_us, names=query.names, cursor=cursor)


def data_of(log: str) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of a log."""

    def page(request: Request) -> Response:
        bearer, shared = allowed(request, SCOPE), parts_of(request)
        headers = shared.page_limits.count(bearer.account, waits=False)
        pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
        try:
            body = answer(
                shared.windows,
                bearer.account,
                parse_query(log, pairs),
                key=shared.registry.signing_key(),
                page_size=shared.page_size,
            )
        except Problem as problem:
            problem.headers |= headers
            raise
        return packed(request, body, headers={"Cache-Control": "private, no-cache", **headers})

    async def data(request: Request) -> Response:
        shared, in_thread = parts_of(request), partial(to_thread.run_sync, abandon_on_cancel=True)
        while True:
            try:
                return await in_thread(page, request, limiter=shared.pages_at_once)
            except ShareUsedUp as used_up:
                # The state may be locked: the pages of those who have a share go on meanwhile.
                await in_thread(shared.page_limits.take_share, *used_up.args)

    return data
