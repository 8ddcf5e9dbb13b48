"""The cache between the service and the walk: requests-cache, with whole days as its unit.

::

    CachedSession ── DayCache (BaseCache) ── PageStorage (BaseStorage) ── DayFile (SQLite)

A request made inside `DayCache.walk` always goes to the service, and its answer is kept aside;
only `Walk.commit` stores them, all at once. So a day never mixes the pages of two walks, and what
turned out to be no proper answer is never stored.

Reading a stored day goes to the file, past the session: a pass through `CachedSession` costs
0.7 to 1.1 ms a page, as much as decoding a page of the 60-second log.

No token is in reach of any of this: it is put on a copy of the request below the session.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import Any

from requests.structures import CaseInsensitiveDict
from requests_cache import DEFAULT_IGNORED_PARAMS, CachedSession, create_key
from requests_cache.backends.base import BaseCache, BaseStorage
from requests_cache.models.response import CachedResponse

from eyelog.access.cache.day_file import (
    Answer,
    DayFile,
    Entry,
    owner_digest,
    pack,
    unpack,
)
from eyelog.access.cache.lifetime import lifetime
from eyelog.access.http.redact import SECRET_NAMES

__all__ = [
    "DayCache",
    "PageStorage",
    "Walk",
    "cached_session",
]


class PageStorage(BaseStorage[str, CachedResponse]):
    """The stored pages as requests-cache sees them: a mapping from key to response.

    A page can be stored only as a part of its day, so outside a walk setting one does nothing.
    """

    def __init__(self, file: DayFile) -> None:
        super().__init__(serializer=None)
        self.file = file
        self.walks = threading.local()

    @property
    def walk(self) -> "Walk | None":
        """The walk that this thread is on."""
        return getattr(self.walks, "current", None)

    def __setitem__(self, key: str, response: CachedResponse) -> None:
        if self.walk is not None:
            kind = str(response.headers.get("Content-Type", ""))
            self.walk.pages[key] = pack(Answer(response.status_code, kind, response.content))

    def __getitem__(self, key: str) -> CachedResponse:
        # On a walk nothing is answered from the store: a day comes from one walk.
        found = None if self.walk is not None else self.file.page(key)
        answer = unpack(found[0]) if found else None
        if found is None or answer is None:
            raise KeyError(key)
        response = CachedResponse(
            status_code=answer.status,
            content=answer.body,
            headers=CaseInsensitiveDict({"Content-Type": answer.content_type}),
            expires=None if found[1] is None else datetime.fromtimestamp(found[1], UTC),
        )
        response.cache_key = key
        return response

    def __delitem__(self, key: str) -> None:
        if not self.file.drop_page(key):
            raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.file.page_keys())

    def __len__(self) -> int:
        return len(self.file.page_keys())

    def clear(self) -> None:
        """Delete the file."""
        self.file.remove()


class DayCache(BaseCache):
    """The cache of one account at one service, for a `CachedSession`."""

    def __init__(self, file: DayFile) -> None:
        super().__init__(cache_name=file.path.name)
        self.file = file
        self.pages = PageStorage(file)
        self.responses = self.pages

    @contextmanager
    def walk(self, key: str, log: str, day: date, tz: str) -> Iterator["Walk"]:
        """Collect the answers that this thread gets in the block; commit them, or lose them."""
        walk = Walk(self.file, key, log, day, tz)
        self.pages.walks.current = walk
        try:
            yield walk
        finally:
            self.pages.walks.current = None


class Walk:
    """The answers of one walk over the windows of one day, not yet stored."""

    def __init__(self, file: DayFile, key: str, log: str, day: date, tz: str) -> None:
        self.file = file
        self.key = key
        self.log = log
        self.day = day
        self.tz = tz
        self.begun = datetime.now(UTC)
        self.pages: dict[str, bytes] = {}

    def commit(self, *, empty: bool) -> bool:
        """Store the day whole, in place of what it was; return whether it is stored."""
        age = lifetime(self.day, self.tz, asked=self.begun, empty=empty)
        expires = None if age is None else (self.begun + age).timestamp()
        entry = Entry(self.key, self.log, self.day.isoformat(), self.begun.timestamp(), expires)
        return self.file.write(entry, self.pages)


def cached_session(cache: DayCache) -> CachedSession:
    """Return a session over `cache`; the service's own cache headers do not count.

    What is fresh is the day's matter, not the page's, and an error is never answered by an old
    page: `stale_if_error` would turn a 401 or a 500 into a 200.
    """
    owner = owner_digest(cache.file.account, cache.file.base_url)

    def key_of(request: Any, **settings: Any) -> str:
        return f"{owner}-{create_key(request, **settings)}"

    return CachedSession(
        backend=cache,
        key_fn=key_of,
        allowable_codes=range(200, 300),
        allowable_methods=("GET",),
        ignored_parameters=sorted({*DEFAULT_IGNORED_PARAMS, *SECRET_NAMES}),
        cache_control=False,
        stale_if_error=False,
    )
