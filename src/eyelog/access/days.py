"""Whole days: read from the cache where they are fresh, else walked at the service and stored."""

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

import requests

from eyelog.access.auth.credentials import Credentials
from eyelog.access.cache.backend import DayCache, cached_session
from eyelog.access.cache.day_file import day_file, unpack
from eyelog.access.cache.lifetime import day_key
from eyelog.access.http.forks import PerProcess
from eyelog.access.http.session import attach, fetch
from eyelog.access.progress import progress_line
from eyelog.access.walk import Stopped, side_by_side, walk_window
from eyelog.answers.decode import decode_page
from eyelog.answers.page import Page
from eyelog.clock import Window, whole_days
from eyelog.errors import AnswerError, NotCached

__all__ = ["Day", "DayFetcher", "plan"]

DATA_PATH: Final = "/v2/users/me/official/"
SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Day:
    """What is asked of one local day, and its key in the cache."""

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
    found: Sequence[Window],
    tz: str,
    fields: tuple[str, ...] | None,
) -> list[Day]:
    """Return the days of some windows, in order, without those that lie wholly in the future."""
    now = datetime.now(UTC)
    return [
        Day(log, day, tz, own, fields, day_key(account, base_url, log, own, fields))
        for day, own in ((day, tuple(group)) for day, group in whole_days(found).items())
        if own[0].start <= now
    ]


class DayFetcher:
    """Where the days of one account come from.

    Parameters
    ----------
    home : Path
        The folder of the cache.
    account : str
        The account's name.
    credentials : Credentials
        Whoever knows the token, and the service's address.
    workers : int
        The most threads at once.
    """

    def __init__(self, home: Path, account: str, credentials: Credentials, *, workers: int) -> None:
        self.account = account
        self.credentials = credentials
        self.workers = workers
        self.file = day_file(home, account, credentials.base_url)
        self.cache = DayCache(self.file)
        self._session = PerProcess(lambda: self._attached(cached_session(self.cache)))
        self._plain = PerProcess(lambda: self._attached(requests.Session()))

    def _attached(self, session: requests.Session) -> requests.Session:
        attach(session, self.credentials.base_url, self.credentials, workers=self.workers)
        return session

    def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        for each in (self._session, self._plain):
            session = each.drop()
            if session is not None:
                session.close()

    def take_notes(self) -> list[str]:
        """Return what went wrong with the cache since this was last asked."""
        notes, self.file.notes = self.file.notes, {}
        return list(notes.values())

    def fetch(
        self, days: Sequence[Day], *, offline: bool, refresh: bool, progress: bool | None
    ) -> list[Page]:
        """Return the pages of all `days`, in order.

        Raises
        ------
        NotCached
            If `offline` and days are missing or unreadable; all of them are named.
        RequestError, AnswerError
            If a day could not be had. Those had before are stored.
        """
        now = None if offline else datetime.now(UTC).timestamp()
        stored = set() if refresh else self.file.stored([day.key for day in days], at=now)
        if offline:
            self._require([day for day in days if day.key not in stored])

        def work(day: Day, stop: threading.Event) -> list[Page] | None:
            pages = self.read(day) if day.key in stored else None
            return pages if pages is not None or offline else self.ask(day, stop)

        label = f"{days[0].log} of {self.account}" if days else ""
        with progress_line(len(days), label, asked=progress) as done:
            found = side_by_side(days, work, workers=self.workers, done=done)
        self._require([day for day, pages in zip(days, found, strict=True) if pages is None])
        return [page for pages in found for page in pages or ()]

    def read(self, day: Day) -> list[Page] | None:
        """Return the pages of a stored day, None unless its chains are whole and readable."""
        pages = []
        for blob in self.file.chain(day.key) or ():
            answer = unpack(blob)
            if answer is None:
                return None
            try:
                pages.append(decode_page(answer.body, day.log, fields=day.fields))
            except AnswerError:
                return None
        ends = [page.cursor is None for page in pages]
        whole = bool(ends) and ends[-1] and sum(ends) == len(day.windows)
        return pages if whole else None

    def ask(self, day: Day, stop: threading.Event) -> list[Page]:
        """Walk all windows of a day at the service, store it, and return its pages."""
        with self.cache.walk(day.key, day.log, day.day, day.tz) as walk:
            # Each answer is decoded as it comes: what is stored has been read to its end once.
            pages = self._walk(self._session.get(), day, stop)
            walk.commit(empty=not any(found.n for found in pages))
        return pages

    def bring(self, day: Day, stop: threading.Event) -> list[Page]:
        """Return the pages of a day for whoever keeps them: nothing is stored here.

        A day that is stored for ever is read; any other is walked at the service, however fresh
        its stored answer is.
        """
        if self.file.stored([day.key], at=math.inf):
            pages = self.read(day)
            if pages is not None:
                return pages
        return self._walk(self._plain.get(), day, stop)

    def _walk(self, session: requests.Session, day: Day, stop: threading.Event) -> list[Page]:
        url = self.credentials.base_url + DATA_PATH + day.log
        where = f"{day.log} of account {self.account!r}"

        def page(params: Mapping[str, str], here: str) -> bytes:
            if stop.is_set():
                raise Stopped
            return fetch(session, url, params, where=here).content

        return [
            found
            for window in day.windows
            for found in walk_window(page, day.log, window, fields=day.fields, where=where)
        ]

    def _require(self, missing: Sequence[Day]) -> None:
        """Raise `NotCached` if an offline fetch lacks a day."""
        if not missing:
            return
        names = [day.day.isoformat() for day in missing]
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        asked = "" if missing[0].fields is None else " with these fields"
        notes = "".join(f" ({note})" for note in self.take_notes())
        raise NotCached(
            f"{missing[0].log} of account {self.account!r}: {len(names)} day(s) are not in the"
            f" cache{asked} ({', '.join(names[:SHOWN])}{more}): fetch them once"
            f" while online{notes}",
            missing=names,
        )
