"""The cache between a service and a walk: requests-cache over whole days.

A day is every page of every window of one local date. It is one file, put in place whole, so a day
never mixes the pages of two walks, even if the process is killed; a file that was damaged, or
copied from another account, costs the requests of its day and nothing else. In between, the
library's own memory backend answers or collects the pages of one day::

    days = DayCache(home, account, base_url)
    stored = days.stored(day, at=now)           # a session that knows the pages, or None
    asking = days.asking(session)               # a session that collects them ...
    days.store(day, asking, begun=now, empty=False)  # ... for one commit

No token can reach the cache: it is put on a copy of the request below the session.
"""

import json
import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, Final

import msgspec
import pandas as pd
import requests
import zstandard
from requests_cache import CachedSession, CacheMixin
from requests_cache.backends.base import BaseCache
from requests_cache.models.response import CachedResponse

from eyelog.clock import DAY, day_start, zone
from eyelog.errors import ConfigurationError
from eyelog.home import home_dir, whole_file

FOLDER: Final = "cache"
SUFFIX: Final = ".v2.day"  # a new layout gets a new suffix, so layouts never mix
EARLIER: Final = ".v1.sqlite"

TODAY: Final = timedelta(minutes=5)
RECENT: Final = timedelta(hours=6)
EMPTY: Final = timedelta(hours=1)
SETTLED_AFTER: Final = timedelta(days=7)


def lifetime(day: date, tz: str, *, begun: datetime, empty: bool) -> timedelta | None:
    """Return how long the answers of a local day stay fresh; None means for ever.

    The 60-second log is written without the phone and arrives when the phone syncs, so a past day
    may still grow. It counts as settled a week after its end; a day without records never does.

    Parameters
    ----------
    day : date
        Local day of `tz`.
    tz : str
        The zone of the request.
    begun : aware datetime
        When the walk of the day began.
    empty : bool
        Whether the day has no record.
    """
    end = day_start(day + DAY, zone(tz))
    if begun < end:
        return TODAY
    if empty:
        return EMPTY
    return RECENT if begun < end + SETTLED_AFTER else None


@dataclass(frozen=True, slots=True)
class Day:
    """The request for one local day of `tz`, from when to when; None asks for all fields."""

    log: str
    day: date
    tz: str
    asked: tuple[tuple[str, str], ...]
    fields: tuple[str, ...] | None


class Head(msgspec.Struct, frozen=True):
    """The first line of a file: whose day of which log it is, from when, and fresh until when."""

    account: str
    base_url: str
    log: str
    day: str
    asked: tuple[tuple[str, str], ...]
    fields: tuple[str, ...] | None
    pages: int
    fetched: float
    expires: float | None


class DayCache:
    """The cached days of one account at one service.

    Parameters
    ----------
    home : Path
        The folder of eyelog. Nothing is created before a day is stored.
    account, base_url : str
        The account and the service.

    Attributes
    ----------
    notes : dict
        Faults, with one sentence per kind. They never raise: the service has what a cache lacks.
    """

    def __init__(self, home: Path, account: str, base_url: str) -> None:
        self.account = account
        self.base_url = base_url
        plain = unicodedata.normalize("NFKD", account).encode("ascii", "ignore").decode().lower()
        readable = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:24] or "account"
        # The digests keep accounts apart, even if the file system ignores case.
        name = f"{readable}-{_digest(account, 20)}-{_digest(base_url, 12)}"
        self.folder = home / FOLDER / name
        self.earlier = self.folder.with_name(name + EARLIER)
        self.notes: dict[str, str] = {}

    def count(self) -> int:
        """Return the number of stored days, each counted once per log."""
        return len({path.name.rsplit("-", 1)[0] for path in self.folder.glob(f"*{SUFFIX}")})

    def path_of(self, day: Day) -> Path:
        """Return the file of a day: its log and date, and a digest of all that is asked for."""
        digest = _digest(json.dumps([day.asked, day.fields]), 16)
        return self.folder / f"{day.log}-{day.day.isoformat()}-{digest}{SUFFIX}"

    def stored(self, day: Day, *, at: float | None) -> CacheMixin | None:
        """Return a session that knows the pages of a day; None if there is no such day.

        It must be fresh at the time `at`; None takes one of any age. The session sends nothing.
        """
        path = self.path_of(day)
        try:
            line, _, packed = path.read_bytes().partition(b"\n")
            plain = zstandard.ZstdDecompressor().decompress(packed)
            sealed, pages = msgspec.msgpack.decode(plain, type=tuple[bytes, dict[str, bytes]])
            head = msgspec.json.decode(sealed, type=Head)
            if line != sealed or head != self._head(day, len(pages), head.fetched, head.expires):
                raise ValueError("it is of another day")
        except FileNotFoundError:
            return None
        except OSError as error:
            self._note("read", path, error)
            return None
        except (zstandard.ZstdError, msgspec.MsgspecError, ValueError, MemoryError):
            self.notes["damaged"] = (
                f"the cache file {path.name} is damaged: its day is requested again"
            )
            return None
        # A day fetched "later than now" was dated with a wrong clock.
        over = head.expires is not None and at is not None and at >= head.expires
        if over or (at is not None and head.fetched > at + 60):
            return None
        silent = requests.Session()
        silent.trust_env = False  # looking for a proxy takes a third of an answer's time
        cached = self.asking(silent)
        for key, body in pages.items():
            cached.cache.responses[key] = CachedResponse(status_code=200, content=body)
        return cached

    def asking(self, session: requests.Session) -> CacheMixin:
        """Return a session over `session` that collects the answers of one day in memory.

        The service's own cache headers are ignored: freshness is judged by day, not by page. And
        an old page never replaces an error: `stale_if_error` would turn a 401 or a 500 into a 200.
        """
        return CachedSession.wrap(
            session,
            backend=BaseCache(),
            # The service's addresses are the same for all accounts; and the library's own key
            # normalises the address, which could merge two cursors.
            key_fn=lambda request, **_: _digest(f"{self.account}\nGET {request.url}", 32),
            cache_control=False,
            stale_if_error=False,
        )

    def store(self, day: Day, asked: CacheMixin, *, begun: datetime, empty: bool) -> None:
        """Replace the stored day by the pages that its session has collected, as a whole."""
        pages = {key: page.content for key, page in asked.cache.responses.items()}
        age = lifetime(day.day, day.tz, begun=begun, empty=empty)
        expires = None if age is None else (begun + age).timestamp()
        line = msgspec.json.encode(self._head(day, len(pages), begun.timestamp(), expires))
        plain = msgspec.msgpack.encode((line, pages))
        packed = zstandard.ZstdCompressor(level=3, write_checksum=True).compress(plain)
        path = self.path_of(day)
        try:
            with whole_file(path) as file:
                file.write(line + b"\n" + packed)
            if self.earlier.exists():
                self.earlier.unlink()
                self.notes["earlier"] = (
                    f"the cache of account {self.account!r} was of an earlier version: it was"
                    " emptied, and its days are requested again"
                )
        except OSError as error:
            self._note("written", path, error)

    def _head(self, day: Day, pages: int, fetched: float, expires: float | None) -> Head:
        whose = (self.account, self.base_url, day.log, day.day.isoformat())
        return Head(*whose, day.asked, day.fields, pages, fetched, expires)

    def _note(self, verb: str, path: Path, error: OSError) -> None:
        self.notes.setdefault(
            verb,
            f"the cache file {path} cannot be {verb}: {error.strerror or error}; check the folder's"
            " permissions and free space",
        )


def _digest(text: str, length: int) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


# The contents of the cache


def stored_files(home: Path, account: str | None = None) -> list[Path]:
    """Return the files of the cache, of all accounts or of one, sorted; unfinished ones too."""
    own = "*" if account is None else f"*-{_digest(account, 20)}-*"
    found = (home / FOLDER).glob(own)
    return sorted(file for path in found for file in (path.iterdir() if path.is_dir() else [path]))


def cache_info(home: str | PathLike[str] | None = None) -> pd.DataFrame:
    """Return the contents of the cache, one row per account and service.

    Parameters
    ----------
    home : path, optional
        The folder of eyelog; by default EYELOG_HOME, else the platform's data folder.

    Returns
    -------
    DataFrame
        ``account``, ``base_url``, ``days`` (counted per log), ``pages``, ``bytes``, ``oldest`` and
        ``newest`` (when the days were fetched, UTC, microseconds). For files that cannot be read,
        ``account`` is the name of their folder and ``days`` is 0.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from eyelog.fetch.cache import cache_info
    >>> with TemporaryDirectory() as home:
    ...     cache_info(home).columns.tolist()
    ['account', 'base_url', 'days', 'pages', 'bytes', 'oldest', 'newest']
    """
    folder = home_dir(home) / FOLDER
    rows: list[tuple[Any, ...]] = []
    for path in stored_files(folder.parent):
        place = path if path.parent == folder else path.parent
        try:
            with path.open("rb") as file:
                head = msgspec.json.decode(file.readline(100_000), type=Head)
            whose: tuple[Any, ...] = (head.account, head.base_url, f"{head.log} {head.day}")
            rows.append((*whose, head.pages, path.lstat().st_size, head.fetched))
        except (OSError, msgspec.MsgspecError, ValueError):
            rows.append((place.name, "", None, 0, path.lstat().st_size, None))
    table = pd.DataFrame(rows, columns=["account", "base_url", "day", "pages", "bytes", "fetched"])
    table["fetched"] = pd.to_datetime(table["fetched"].astype("float64"), unit="s", utc=True)
    table["fetched"] = table["fetched"].dt.as_unit("us")
    table[["pages", "bytes"]] = table[["pages", "bytes"]].astype("int64")
    return table.groupby(["account", "base_url"], as_index=False).agg(
        days=("day", "nunique"),
        pages=("pages", "sum"),
        bytes=("bytes", "sum"),
        oldest=("fetched", "min"),
        newest=("fetched", "max"),
    )


def clear_cache(home: str | PathLike[str] | None = None, account: str | None = None) -> int:
    """Delete cached answers.

    Parameters
    ----------
    home : path, optional
        The folder of eyelog; by default EYELOG_HOME, else the platform's data folder.
    account : str, optional
        Delete only this account's, at every service. By default all.

    Returns
    -------
    int
        The bytes freed.

    Raises
    ------
    ConfigurationError
        If a file cannot be deleted.
    """
    freed = 0
    try:
        for path in stored_files(home_dir(home), account):
            freed += path.lstat().st_size
            path.unlink(missing_ok=True)
            if path.parent.name != FOLDER and not any(path.parent.iterdir()):
                path.parent.rmdir()
    except OSError as error:
        raise ConfigurationError(
            f"cannot delete the cache file {error.filename}: {error.strerror}; check the folder's"
            " permissions"
        ) from error
    return freed
