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
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from json import dumps
from os import PathLike
from typing import Any, Final

import pandas as pd
from requests.structures import CaseInsensitiveDict
from requests_cache import DEFAULT_IGNORED_PARAMS, CachedSession, create_key
from requests_cache.backends.base import BaseCache, BaseStorage
from requests_cache.models.response import CachedResponse

from eyelog.access.dayfile import Answer, DayFile, Entry, owner_digest, pack, stored_files, unpack
from eyelog.access.redact import SECRET_NAMES
from eyelog.access.tokens import home_dir
from eyelog.clock import DAY, Window, day_start, zone
from eyelog.errors import ConfigurationError

__all__ = [
    "DayCache",
    "PageStorage",
    "Walk",
    "cache_info",
    "cached_session",
    "clear_cache",
    "day_key",
    "lifetime",
]

TODAY: Final = timedelta(minutes=5)
RECENT: Final = timedelta(hours=6)
EMPTY: Final = timedelta(hours=1)
SETTLED_AFTER: Final = timedelta(days=7)


def day_key(
    account: str, base_url: str, log: str, found: tuple[Window, ...], fields: tuple[str, ...] | None
) -> str:
    """Return the key of one day: whose, which log, which windows, which fields."""
    parts = [
        owner_digest(account, base_url),
        log,
        None if fields is None else list(fields),
        [[window.date_from, window.date_to] for window in found],
    ]
    return sha256(dumps(parts).encode()).hexdigest()[:32]


def lifetime(day: date, tz: str, *, asked: datetime, empty: bool) -> timedelta | None:
    """Return how long the answers of a local day stay fresh; None: for ever.

    The 60-second log is written without the phone and arrives when it syncs, so a past day may
    still grow. It counts as settled a week after its end; a day that holds nothing never does.

    Parameters
    ----------
    day : date
        Local day of `tz`.
    tz : str
        The zone that was asked.
    asked : aware datetime
        When the walk of the day began.
    empty : bool
        Whether the day holds no record.
    """
    end = day_start(day + DAY, zone(tz))
    if asked < end:
        return TODAY
    if empty:
        return EMPTY
    return RECENT if asked < end + SETTLED_AFTER else None


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


def cache_info(home: str | PathLike[str] | None = None) -> pd.DataFrame:
    """Return what the cache holds, one row per account and service.

    Parameters
    ----------
    home : path, optional
        The folder of eyelog; by default EYELOG_HOME, else the platform's data folder.

    Returns
    -------
    DataFrame
        ``account``, ``base_url``, ``days`` (a day of each log counts), ``pages``, ``bytes`` (of
        the file), ``oldest`` and ``newest`` (when the days were fetched, UTC, microseconds).
        A file that cannot be read has its name for an account and 0 days.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from eyelog.access.cache import cache_info
    >>> with TemporaryDirectory() as home:
    ...     cache_info(home).columns.tolist()
    ['account', 'base_url', 'days', 'pages', 'bytes', 'oldest', 'newest']
    """
    names = ["account", "base_url", "days", "pages", "bytes", "oldest", "newest"]
    rows = []
    for file in stored_files(home_dir(home)):
        held = file.summary() or {"account": file.path.name, "base_url": "", "days": 0}
        rows.append({**held, "bytes": file.size()})
    table = pd.DataFrame(rows, columns=names)
    whole = ["days", "pages", "bytes"]
    table[whole] = table[whole].fillna(0).astype("int64")
    for name in ("oldest", "newest"):
        stamps = pd.to_datetime(table[name].astype("float64"), unit="s", utc=True)
        table[name] = stamps.dt.as_unit("us")
    return table.sort_values(["account", "base_url"], ignore_index=True)


def clear_cache(home: str | PathLike[str] | None = None, account: str | None = None) -> int:
    """Delete cached answers, also those of files that were set aside as damaged.

    Parameters
    ----------
    home : path, optional
        The folder of eyelog; by default EYELOG_HOME, else the platform's data folder.
    account : str, optional
        Only this account's, at every service. By default all.

    Returns
    -------
    int
        The bytes that were freed.

    Raises
    ------
    ConfigurationError
        If a file cannot be deleted.
    """
    try:
        return sum(file.remove() for file in stored_files(home_dir(home), account))
    except OSError as error:
        raise ConfigurationError(
            f"cannot delete the cache file {error.filename}: {error.strerror}; check the folder's"
            " permissions"
        ) from error
