"""Whole days: from the cache if fresh there, otherwise from the service, and then stored."""

import math
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

import requests

from eyelog.access.auth.credentials import Credentials
from eyelog.access.cache.backend import DayCache, cached_session
from eyelog.access.cache.day_file import day_file
from eyelog.access.cache.lifetime import day_key
from eyelog.access.http.forks import PerProcess
from eyelog.access.http.session import attach, fetch
from eyelog.access.walk import Stopped, side_by_side, walk_window
from eyelog.answers.arrow import ARROW
from eyelog.answers.page import Page
from eyelog.clock import Window, Zones, whole_days, zone_at
from eyelog.errors import AnswerError, NotCached, RequestError, listed
from eyelog.progress import progress_line

__all__ = ["Day", "DayFetcher", "plan"]

DATA_PATH: Final = "/v2/users/me/official/"


@dataclass(frozen=True, slots=True)
class Day:
    """The request for one local day, and its key in the cache."""

    log: str
    day: date
    tz: str
    windows: tuple[Window, ...]
    fields: tuple[str, ...] | None
    key: str


def plan(
    account: str,
    base_url: str,
    log: str,
    ranges: Sequence[Window],
    tz: str | Zones,
    fields: tuple[str, ...] | None,
) -> list[Day]:
    """Return the days of some windows, in order, without those that lie wholly in the future."""
    now = datetime.now(UTC)
    return [
        Day(
            log,
            day,
            _zone_of(windows, tz),
            windows,
            fields,
            day_key(account, base_url, log, windows, fields),
        )
        for day, windows in whole_days(ranges).items()
        if windows[0].start <= now
    ]


def _zone_of(windows: Sequence[Window], tz: str | Zones) -> str:
    """Return the zone in which a day ends."""
    return tz if isinstance(tz, str) else zone_at(tz, windows[-1].start)


class _Offered(Exception):
    """The service offers columns too: a day begun in JSON starts again, so as not to mix."""


class DayFetcher:
    """Fetches the days of one account, from its cache or from the service.

    Parameters
    ----------
    home : Path
        The folder of the cache.
    account : str
        The account's name.
    credentials : Credentials
        They hold the token and the service's address.
    workers : int
        The most threads at once.
    """

    def __init__(self, home: Path, account: str, credentials: Credentials, *, workers: int) -> None:
        self.account = account
        self.credentials = credentials
        self.workers = workers
        self.file = day_file(home, account, credentials.base_url)
        self.cache = DayCache(self.file)
        self._session = PerProcess(self._open)
        self._columns_offered = False  # until the service says so: the contract has only JSON

    def _open(self) -> requests.Session:
        session: requests.Session = cached_session(self.cache)
        attach(session, self.credentials.base_url, self.credentials, workers=self.workers)
        return session

    def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        session = self._session.drop()
        if session is not None:
            session.close()

    def take_notes(self) -> list[str]:
        """Return the faults of the cache since the last call."""
        notes, self.file.notes = self.file.notes, {}
        return list(notes.values())

    def fetch(
        self, days: Sequence[Day], *, offline: bool, refresh: bool, progress: bool | None
    ) -> list[Page]:
        """Return the pages of all `days`, in order.

        Raises
        ------
        NotCached
            If `offline` and days are missing or unreadable; the error names them all.
        RequestError, AnswerError
            If a day cannot be fetched. The days fetched before it are stored.
        """
        now = None if offline else datetime.now(UTC).timestamp()
        stored = set() if refresh else self.file.stored([day.key for day in days], at=now)
        if offline:
            self._require([day for day in days if day.key not in stored])

        def work(day: Day, stop: threading.Event) -> list[Page] | None:
            pages = self._stored(day, stop) if day.key in stored else None
            return pages if pages is not None or offline else self._ask(day, stop)

        label = f"{days[0].log} of {self.account}" if days else ""
        with progress_line(len(days), label, choice=progress) as done:
            results = side_by_side(days, work, workers=self.workers, done=done)
        self._require([day for day, pages in zip(days, results, strict=True) if pages is None])
        return [page for pages in results for page in pages or ()]

    def fetch_unstored(self, day: Day, stop: threading.Event) -> tuple[list[Page], bool]:
        """Return the pages of one day for a caller that stores them; say if the service was asked.

        Nothing is stored here. A day whose stored answer never expires is taken from the cache; any
        other is requested from the service, however fresh its stored answer is.
        """
        settled = bool(self.file.stored([day.key], at=math.inf))
        pages = self._stored(day, stop) if settled else None
        if pages is not None:
            return pages, False
        return self._walk(day, stop, force_refresh=True), True

    def _stored(self, day: Day, stop: threading.Event) -> list[Page] | None:
        """Return the pages of a stored day; None if one is missing, damaged or out of place."""
        with self.cache.answering(day.key) as stored, suppress(RequestError, AnswerError):
            pages = self._walk(day, stop, only_if_cached=True)
            return pages if len(pages) == stored else None
        return None

    def _ask(self, day: Day, stop: threading.Event) -> list[Page]:
        """Ask the service for all windows of a day, store the day, and return its pages."""
        with self.cache.collecting(day.key, day.log, day.day, day.tz) as pending:
            # Each answer is decoded when it arrives, so everything stored has been read to its end
            # once.
            pages = self._walk(day, stop, force_refresh=True)
            pending.commit(empty=not any(page.n for page in pages))
        return pages

    def _walk(self, day: Day, stop: threading.Event, **caching: bool) -> list[Page]:
        """Return the pages of all windows of a day, in the order of the walk and in one form."""
        with suppress(_Offered):
            return self._pages(day, stop, may_begin_again=True, **caching)
        return self._pages(day, stop, may_begin_again=False, **caching)

    def _pages(
        self, day: Day, stop: threading.Event, *, may_begin_again: bool, **caching: bool
    ) -> list[Page]:
        """Walk a day; raise `_Offered` if more pages follow and the service offers columns."""
        session = self._session.get()
        url = self.credentials.base_url + DATA_PATH + day.log
        asks_columns = self._columns_offered
        headers = {"Accept": f"{ARROW}, application/json;q=0.5"} if asks_columns else None
        offered = False

        def answer(params: Mapping[str, str], where: str) -> bytes:
            nonlocal offered
            if stop.is_set():
                raise Stopped
            response = fetch(session, url, params, where=where, headers=headers, **caching)
            if response.links.get("alternate", {}).get("type") == ARROW:
                # The service says that it answers in columns too, which is faster for both.
                self._columns_offered = offered = True
            return response.content

        where = f"{day.log} of account {self.account!r}"
        pages: list[Page] = []
        for window in day.windows:
            for page in walk_window(answer, day.log, window, fields=day.fields, where=where):
                pages.append(page)
                is_last = page.cursor is None and window is day.windows[-1]
                if offered and may_begin_again and not is_last:
                    raise _Offered
        return pages

    def _require(self, missing: Sequence[Day]) -> None:
        """Raise `NotCached` if an offline fetch lacks a day."""
        if not missing:
            return
        names = [day.day.isoformat() for day in missing]
        fields = "" if missing[0].fields is None else " with these fields"
        notes = "".join(f" ({note})" for note in self.take_notes())
        raise NotCached(
            f"{missing[0].log} of account {self.account!r}: {len(names)} day(s) are not in the"
            f" cache{fields} ({listed(names)}): fetch them once"
            f" while online{notes}",
            missing=names,
        )
