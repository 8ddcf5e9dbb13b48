"""The cache between the service and a walk: requests-cache, with whole days as its unit.

::

    CachedSession ── DayCache (BaseCache) ── PageStorage (BaseStorage) ── DayFile (SQLite)

A request is made inside a day. In `DayCache.answering` the pages of one stored day answer it, read
from the file all at once; a page that is not there, or is damaged, is a miss. In
`DayCache.collecting` the answers of the service are kept aside, and `PendingDay.commit` stores
them together. So a day never mixes the pages of two walks, and an answer that turns out not to be
valid is never stored. Outside both blocks, the cache is empty and stores nothing.

requests-cache decides what is answered from the cache; its own storage is not used. Its SQLite
backend stores page by page, so a killed refresh left days of two walks, and a page with an expired
cursor stayed for ever; it waits indefinitely for a lock, writes files that others can read, and
unpickles what it finds. `DayFile` stores whole days, privately, as msgpack, and waits for a lock
for five seconds.

No token can reach the cache: it is put on a copy of the request below the session.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any

import requests
from requests import PreparedRequest
from requests.structures import CaseInsensitiveDict
from requests_cache import DEFAULT_IGNORED_PARAMS, CachedSession
from requests_cache.backends.base import BaseCache, BaseStorage
from requests_cache.models.response import CachedResponse

from eyelog.access.cache.day_file import Answer, DayFile, Entry, pack, unpack
from eyelog.access.cache.lifetime import lifetime
from eyelog.access.http.redact import SECRET_NAMES

__all__ = ["DayCache", "PendingDay", "cached_session"]


class PageStorage(BaseStorage[str, CachedResponse]):
    """The pages of the day that a thread works on, as requests-cache sees them."""

    def __init__(self) -> None:
        super().__init__(serializer=None)
        self._thread = threading.local()

    @contextmanager
    def day(self, pages: dict[str, bytes]) -> Iterator[None]:
        """Hold `pages` (packed, by key), and no others, while this thread is in the block."""
        self._thread.pages = pages
        try:
            yield
        finally:
            del self._thread.pages

    @property
    def pages(self) -> dict[str, bytes]:
        """The pages of this thread's day; outside a day an empty dict that is not kept."""
        return getattr(self._thread, "pages", {})

    @property
    def in_day(self) -> bool:
        """Whether this thread is working on a day."""
        return hasattr(self._thread, "pages")

    def __getitem__(self, key: str) -> CachedResponse:
        answer = unpack(self.pages[key])
        if answer is None:
            raise KeyError(key)
        headers = CaseInsensitiveDict({"Content-Type": answer.content_type})
        return CachedResponse(status_code=answer.status, content=answer.body, headers=headers)

    def __setitem__(self, key: str, response: CachedResponse) -> None:
        kind = str(response.headers.get("Content-Type", ""))
        self.pages[key] = pack(Answer(response.status_code, kind, response.content))

    def __delitem__(self, key: str) -> None:
        del self.pages[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.pages)

    def __len__(self) -> int:
        return len(self.pages)


class DayCache(BaseCache):
    """The cache of one account at one service, for a `CachedSession`."""

    def __init__(self, file: DayFile) -> None:
        super().__init__(cache_name=file.path.name)
        self.file = file
        self._storage = PageStorage()
        self.responses = self._storage

    def save_response(
        self,
        response: requests.Response,
        cache_key: str | None = None,
        expires: datetime | None = None,
    ) -> None:
        """Save an answer inside a day. Outside, nothing is kept, so no copy of it is made."""
        if self._storage.in_day:
            super().save_response(response, cache_key, expires)

    @contextmanager
    def answering(self, key: str) -> Iterator[int]:
        """Answer this thread's requests in the block only from one stored day.

        Yields the number of pages of the day, 0 if the day is not complete.
        """
        pages = self.file.pages(key) or {}
        with self._storage.day(pages):
            yield len(pages)

    @contextmanager
    def collecting(self, key: str, log: str, day: date, tz: str) -> Iterator["PendingDay"]:
        """Collect the answers that this thread gets in the block; commit stores them."""
        pending = PendingDay(self.file, key, log, day, tz)
        with self._storage.day(pending.pages):
            yield pending


@dataclass
class PendingDay:
    """The answers of one walk over the windows of one day, not yet stored."""

    file: DayFile
    key: str
    log: str
    day: date
    tz: str
    begun: datetime = field(default_factory=lambda: datetime.now(UTC))
    pages: dict[str, bytes] = field(default_factory=dict)

    def commit(self, *, empty: bool) -> bool:
        """Replace the stored day with this one as a whole; return whether it is stored."""
        age = lifetime(self.day, self.tz, begun=self.begun, empty=empty)
        expires = None if age is None else (self.begun + age).timestamp()
        entry = Entry(self.key, self.log, self.day.isoformat(), self.begun.timestamp(), expires)
        return self.file.write(entry, self.pages)


def cached_session(cache: DayCache) -> CachedSession:
    """Return a session over `cache`; the service's own cache headers are ignored.

    Freshness is judged by day, not by page, and an old page never replaces an error:
    `stale_if_error` would turn a 401 or a 500 into a 200.
    """
    return CachedSession(
        backend=cache,
        key_fn=_page_key,
        allowable_codes=range(200, 300),
        allowable_methods=("GET",),
        ignored_parameters=sorted({*DEFAULT_IGNORED_PARAMS, *SECRET_NAMES}),
        cache_control=False,
        stale_if_error=False,
    )


def _page_key(request: PreparedRequest, **_: Any) -> str:
    """Return the key of a page within its day.

    The library's own key normalises the address, which could merge two cursors.
    """
    return sha256(f"{request.method} {request.url}".encode()).hexdigest()
