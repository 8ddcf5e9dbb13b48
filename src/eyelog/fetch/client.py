"""The client: a range of days of one log, from the service or the cache, as one table.

To add an endpoint, add a function like `Client.computed_data` and the log to the catalogue: days,
cursors, cache and errors are the same for all.
"""

import os
import queue
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypeVar

import pandas as pd
import requests

from eyelog import errors
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS, check_fields
from eyelog.checks import whole_number
from eyelog.clock import (
    DAY_US,
    EPOCH,
    MICROSECOND,
    SECOND,
    LocalClock,
    Zone,
    Zones,
    instant_range,
    known_zones,
    zone,
    zone_at,
)
from eyelog.decode import Page, decode_page, joined_pages, refuse_conflicts
from eyelog.errors import ConfigurationError, listed, warn
from eyelog.fetch.cache import Day, DayCache
from eyelog.fetch.oauth import Application, Credentials, Token, TokenFile
from eyelog.fetch.session import base_url_from_environment, check_base_url, fetch, service_session
from eyelog.frame import in_zones, record
from eyelog.home import home_dir, progress_line

When = str | date | datetime
Fields = Sequence[str] | str | None

DATA_PATH: Final = "/v2/users/me/official/"
MOST_WORKERS: Final = 64

MOST_PAGES: Final = 500
"""Pages of one window. The service returns a full day of 5,760 records as 12 pages."""

MOST_EMPTY: Final = 3
"""Consecutive empty pages, each with a new cursor: nothing more will come."""

Task = TypeVar("Task")
Result = TypeVar("Result")


class Client:
    """One wearer's logs at one service.

    Parameters
    ----------
    base_url : str
        The service's address.
    application : Application or None
        The application registered with the service; None if the token need not be renewed.
    token : Token, optional
        Takes precedence over the token file.
    account : str
        Your name for the wearer. The token and the cached answers are kept under it, so give each
        wearer a different name: the addresses of the service do not distinguish them.
    tz : str, Zones, or a table or .csv file of zones, optional
        The wearer's zone or zones (`eyelog.Zones`), for the days and the index. By default that of
        the setting EYELOG_TZ, otherwise UTC, with a warning when records are fetched.
    home : path, optional
        Folder of tokens and cache; by default EYELOG_HOME, else the platform's data folder.
    workers : int
        How many days are fetched at once; the pages of a day are fetched one after another.
    offline : bool
        Never ask the service: answer from the cache, whatever its age.
    progress : bool, optional
        Whether to show a progress line on stderr; by default in a terminal or notebook.

    Raises
    ------
    ConfigurationError
        If a setting is not valid.

    Notes
    -----
    Cached answers count as fresh for 5 minutes (today), for 6 hours (the last 7 days, because the
    60-second log arrives when the phone syncs), for an hour (days without records), or for ever
    (older days). ``refresh=True`` always asks the service. If the cache cannot be written, a fetch
    still returns its table, with an `EyelogWarning`.

    Everything about a request ends within two minutes, whatever the service does; the first minute
    allows for tries after faults that pass.

    Examples
    --------
    >>> import eyelog as el
    >>> from tempfile import mkdtemp
    >>> application = el.Application("id", "secret", "http://127.0.0.1:8000/callback")
    >>> el.Client("https://service.example", application=application, home=mkdtemp())
    <Client 'https://service.example', account 'me', days of UTC: not logged in, 0 days cached>
    """

    def __init__(
        self,
        base_url: str,
        *,
        application: Application | None,
        token: Token | None = None,
        account: str = "me",
        tz: Zone | None = None,
        home: str | os.PathLike[str] | None = None,
        workers: int = 4,
        offline: bool = False,
        progress: bool | None = None,
    ) -> None:
        self.base_url = check_base_url(base_url)
        if not isinstance(account, str) or not account.strip() or not account.isprintable():
            raise ConfigurationError(
                f"account {account!r} is not a name: give some text, such as 'anna'"
            )
        self.account = account
        with warnings.catch_warnings():  # a fetch reports it
            warnings.simplefilter("ignore", errors.EyelogWarning)
            zones = known_zones(tz, whose="a service")
        self.tz: str | Zones = zones if zones.vary else zones.home
        self._zones = None if tz is None else zones
        self.workers = whole_number(workers, "workers", 1, MOST_WORKERS)
        self.offline = bool(offline)
        self.progress = progress
        self.home: Path = home_dir(home)
        store = TokenFile(self.home, self.account, self.base_url)
        self.credentials = Credentials(store, application, token)
        cache = DayCache(self.home, self.account, self.base_url)
        self.walker = Walker(self.credentials, cache, workers=self.workers)

    def __repr__(self) -> str:
        days = self.walker.cache.count()
        cached = f"{days:,} {'day' if days == 1 else 'days'} cached"
        mode = "offline"
        if not self.offline:
            try:
                mode = "logged in" if self.credentials.token else "not logged in"
            except errors.EyelogError:  # a repr never fails; the next request says what is wrong
                mode = "its token file cannot be read"
        return (
            f"<Client {self.base_url!r}, account {self.account!r}, days of {self.tz}:"
            f" {mode}, {cached}>"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections. The client remains usable: it opens new ones."""
        self.walker.close()

    def exchange(self, code: str) -> Token:
        """Exchange a grant code for a token, and save it in the account's token file.

        Parameters
        ----------
        code : str
            The code in the callback URL. It can be used once.

        Returns
        -------
        Token
            The token, which the client uses from now on.

        Raises
        ------
        AuthorizationError
            If the service refuses the code or the application.
        """
        return self.credentials.exchange(code)

    def refresh(self) -> Token:
        """Get a new access token now. An expired one is also renewed without this call.

        Returns
        -------
        Token
            As from `exchange`.

        Raises
        ------
        AuthorizationError
            If there is no refresh token, or the service refuses it.
        """
        return self.credentials.refresh()

    def revoke(self) -> None:
        """Revoke the tokens of the login at the service and delete them here; cached answers stay.

        Raises
        ------
        AuthorizationError
            If there is no token.
        RequestError
            If the request fails; the token is then kept.
        """
        self.credentials.revoke()

    def computed_data(
        self,
        start: When,
        end: When,
        *,
        fields: Sequence[str] | str | None = None,
        tz: Zone | None = None,
        refresh: bool = False,
    ) -> pd.DataFrame:
        """Fetch the 15-second log, recorded while the phone is connected.

        Parameters
        ----------
        start, end : str, date or aware datetime
            Local days of the zone (``"2026-10-24"``), both included, or instants. The range may
            have any length; days wholly in the future are not requested.
        fields : sequence of str or str, optional
            The columns to return; by default all. A fetch of few columns is faster. The name of a
            summary (``"daily"``, ``"steps"``) stands for all fields that it needs, see
            `eyelog.fields`.
        tz : str, optional
            IANA zone of the days and the index; by default the client's.
        refresh : bool
            Ask the service even if the cache has a fresh answer.

        Returns
        -------
        DataFrame
            Index ``date``: aware stamps in the zone, sorted, unique, right-closed (a record
            stamped 10:00:00 covers the interval before it). Columns: those of `fields`, in
            catalogue order, with the dtypes and units of ``eyelog.fields("computed_data")``;
            numbers are float64, booleans "boolean", texts "string". Without data the table is
            empty and has the same columns.

        Raises
        ------
        ConfigurationError
            If the range, the zone or a datetime is not valid.
        FieldError
            If the log does not have a field.
        RequestError
            If a request fails or is refused. The days fetched before stay in the cache.
        AnswerError
            If an answer does not have the documented shape, or says two things.
        NotCached
            If the client is offline and days are missing; the error lists them all.
        """
        return self._fetch(COMPUTED_DATA, start, end, fields, tz, refresh)

    def standard_mode_logs(
        self,
        start: When,
        end: When,
        *,
        fields: Sequence[str] | str | None = None,
        tz: Zone | None = None,
        refresh: bool = False,
    ) -> pd.DataFrame:
        """Fetch the 60-second log, recorded with and without the phone.

        Parameters
        ----------
        start, end : str, date or aware datetime
            Local days of the zone, both included, or instants, as for `computed_data`.
        fields, tz, refresh
            As for `computed_data`.

        Returns
        -------
        DataFrame
            Index ``date``: aware stamps in the zone, sorted, unique, right-closed. Columns: those
            of `fields`, in catalogue order, with the dtypes and units of
            ``eyelog.fields("standard_mode_logs")``; all are float64. Without data the table is
            empty and has the same columns.

        Raises
        ------
        ConfigurationError, FieldError, RequestError, AnswerError, NotCached
            As for `computed_data`.
        """
        return self._fetch(STANDARD_MODE_LOGS, start, end, fields, tz, refresh)

    def _fetch(
        self, log: str, start: When, end: When, fields: Fields, tz: Zone | None, refresh: bool
    ) -> pd.DataFrame:
        names = None if fields is None else check_fields(log, fields)
        zones = self._zones
        if zones is None or tz is not None:
            zones = known_zones(tz, whose=f"account {self.account!r}")
        if refresh and self.offline:
            raise ConfigurationError(
                "refresh=True asks the service, which an offline"
                " client never does: leave out one of the two"
            )
        first, last = instant_range(start, end, zones)
        days = days_of(log, start, end, zones, names)
        walker, at = self.walker, None if self.offline else datetime.now(UTC).timestamp()
        held: list[list[Page] | None] = [None] * len(days)
        with progress_line(len(days), f"{log} of {self.account}", choice=self.progress) as done:
            try:
                if not refresh:
                    held = side_by_side(
                        days,
                        partial(walker.stored, at=at),
                        workers=self.workers,
                        done=lambda pages: done(int(pages is not None)),
                    )
                missing = [day for day, found in zip(days, held, strict=True) if found is None]
                if missing and self.offline:
                    raise walker.not_cached(missing)
                asked = iter(
                    side_by_side(missing, walker.fresh, workers=self.workers, done=lambda _: done())
                )
            except KeyboardInterrupt:
                self.close()  # ends the waits of the requests under way
                raise
        pages = [page for found in held for page in (next(asked) if found is None else found)]
        frame = joined_pages(pages, log, tz=zones.home, fields=names)
        if zones.vary:
            frame = in_zones(frame, zones)
        notes, walker.cache.notes = list(walker.cache.notes.values()), {}
        if outside := int(((frame.index < first) | (frame.index >= last + SECOND)).sum()):
            notes.append(
                f"the service sent {outside} record(s) with a stamp outside the range of the"
                " request; they are kept"
            )
        for note in notes:
            warn(note)
        return record(
            frame,
            "fetch",
            log=log,
            account=self.account,
            start=str(start),
            end=str(end),
            tz=str(zones) if zones.vary else zones.home,
            fields=None if names is None else list(names),
        )


def connect(account: str = "me", **overrides: Any) -> Client:
    """Return a client set up from the environment and the token file.

    Parameters
    ----------
    account : str
        Your name for the wearer, as given to ``eyelog login``.
    **overrides
        Any parameter of `Client`, instead of the setting in the environment.

    Returns
    -------
    Client
        Set up from ``EYELOG_BASE_URL``, ``EYELOG_CLIENT_ID``, ``EYELOG_CLIENT_SECRET`` and
        ``EYELOG_REDIRECT_URI``; if set, ``EYELOG_ACCESS_TOKEN`` and ``EYELOG_REFRESH_TOKEN`` are
        used instead of the token file.

    Raises
    ------
    ConfigurationError
        If a setting is missing or not valid.

    Examples
    --------
    >>> import eyelog as el
    >>> from tempfile import mkdtemp
    >>> el.connect("anna", base_url="https://service.example", home=mkdtemp(), offline=True)
    <Client 'https://service.example', account 'anna', days of UTC: offline, 0 days cached>
    """
    base_url = overrides.pop("base_url", None) or base_url_from_environment()
    if "application" not in overrides:
        overrides["application"] = application_from_environment()
    if "token" not in overrides:
        overrides["token"] = token_from_environment()
    return Client(base_url, account=account, **overrides)


def application_from_environment() -> Application | None:
    """Return the application of the environment; None if none of its settings is set.

    EYELOG_CLIENT_ID, EYELOG_CLIENT_SECRET and EYELOG_REDIRECT_URI.

    Raises
    ------
    ConfigurationError
        If some of the three are set and others are not.
    """
    names = ("EYELOG_CLIENT_ID", "EYELOG_CLIENT_SECRET", "EYELOG_REDIRECT_URI")
    values = {name: os.environ.get(name, "").strip() for name in names}
    missing = [name for name, value in values.items() if not value]
    if missing and len(missing) < len(names):
        raise ConfigurationError(
            f"{' and '.join(missing)} not set: an application needs all of {', '.join(names)}"
        )
    return None if missing else Application(*values.values())


def token_from_environment() -> Token | None:
    """Return the token of EYELOG_ACCESS_TOKEN and EYELOG_REFRESH_TOKEN; None if neither is set.

    It is used for every account. A refreshed token is kept in memory only.
    """
    access = os.environ.get("EYELOG_ACCESS_TOKEN", "").strip()
    refresh = os.environ.get("EYELOG_REFRESH_TOKEN", "").strip()
    return Token(access, refresh or None) if access or refresh else None


def days_of(
    log: str, start: When, end: When, zones: Zones, fields: tuple[str, ...] | None
) -> list[Day]:
    """Return the requests for the days of a range, without those that lie wholly in the future."""
    now = datetime.now(UTC)
    days: dict[date, Day] = {}
    for day, tz, begins, ends in windows(start, end, zones):
        before = days[day].asked if day in days else ()
        if before or begins <= now:
            asked = (*before, (begins.isoformat(), ends.isoformat()))
            days[day] = Day(log, day, tz, asked, fields)  # it ends where its last window does
    return list(days.values())


class Window(NamedTuple):
    """A range that the service accepts: one date, zone and offset, ends included.

    It is at most 23:59:59 long. A local day of 23 or 25 hours has two offsets, so it needs two.
    """

    day: date
    tz: str
    start: datetime
    end: datetime


def windows(
    start: str | date | datetime, end: str | date | datetime, tz: "str | Zones" = "UTC"
) -> list[Window]:
    """Cut a range into windows that the service accepts.

    Every whole second of the range is in exactly one window; each window is within one local date
    and one offset and is at most 23:59:59 long.

    Parameters
    ----------
    start, end : str, date or aware datetime
        Inclusive local days of `tz` (``"2026-10-24"``), or instants.
    tz : str or Zones
        IANA zone of the days, or the zones of the wearer.

    Returns
    -------
    list of Window
        In order of time.

    Raises
    ------
    ConfigurationError
        If a datetime is naive, a text is not a day, the zone is unknown, or the start is after the
        end.

    Examples
    --------
    >>> for window in windows("2026-10-25", "2026-10-25", "Europe/Berlin"):
    ...     print(window.start.isoformat(), window.end.isoformat())
    2026-10-25T00:00:00+02:00 2026-10-25T02:59:59+02:00
    2026-10-25T02:00:00+01:00 2026-10-25T23:59:59+01:00
    """
    first, last = instant_range(start, end, tz)
    zones = tz if isinstance(tz, Zones) else Zones(tz)
    changes = zones.changes()[1:] if zones.vary else []
    edges = [first, *(at for at in changes if first < at <= last), last + SECOND]
    found = []
    for low, high in pairwise(edges):
        tz = zone_at(zones, low) if zones.vary else zones.home
        low_us, high_us = ((edge - EPOCH) // MICROSECOND for edge in (low, high))
        opens, closes, _ = LocalClock(zone(tz)).cells(low_us, high_us, DAY_US)
        for begins, ends in zip(opens.tolist(), closes.tolist(), strict=True):
            begin = (EPOCH + begins * MICROSECOND).astimezone(zone(tz))
            fixed = timezone(begin.utcoffset() or timedelta())
            end_of = (EPOCH + ends * MICROSECOND - SECOND).astimezone(fixed)
            found.append(Window(begin.date(), tz, begin.astimezone(fixed), end_of))
    return found


class Walker:
    """Whole days of one account, from its cache or from the service.

    Parameters
    ----------
    credentials : Credentials
        They hold the token, the account and the service's address.
    cache : DayCache
        The cache of the account.
    workers : int
        How many threads may walk at once.
    """

    def __init__(self, credentials: Credentials, cache: DayCache, *, workers: int) -> None:
        self.credentials = credentials
        self.cache = cache
        self.workers = workers
        self._sessions: dict[int, requests.Session] = {}

    def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        session = self._sessions.pop(os.getpid(), None)
        if session is not None:
            session.close()

    def take_notes(self) -> list[str]:
        """Return the faults of the cache since the last call."""
        notes, self.cache.notes = self.cache.notes, {}
        return list(notes.values())

    def not_cached(self, missing: Sequence[Day]) -> errors.NotCached:
        """Return the error for days that an offline fetch lacks."""
        names = [day.day.isoformat() for day in missing]
        fields = "" if missing[0].fields is None else " with these fields"
        notes = "".join(f" ({note})" for note in self.take_notes())
        if self.cache.earlier.exists():
            notes += " (an earlier version of eyelog stored days that this one does not read)"
        return errors.NotCached(
            f"{missing[0].log} of account {self.cache.account!r}: {len(names)} day(s) are not in"
            f" the cache{fields} ({listed(names)}): fetch them once while online{notes}",
            missing=tuple(names),
        )

    def stored(self, day: Day, stop: threading.Event, *, at: float | None) -> list[Page] | None:
        """Return the pages of a stored day that is fresh at `at`; None if it is not whole there."""
        cached = self.cache.stored(day, at=at)
        if cached is not None:
            with suppress(errors.RequestError, errors.AnswerError):
                pages = self._walk(cached, day, stop, only_if_cached=True)
                if len(pages) == len(cached.cache.responses):
                    return pages
        return None

    def fresh(self, day: Day, stop: threading.Event, *, store: bool = True) -> list[Page]:
        """Return the pages of a day from the service, and cache them if `store`."""
        begun = datetime.now(UTC)
        # A session for each process: a forked child must not read its parent's answers.
        session = self._sessions.get(os.getpid())
        if session is None:  # threads that arrive together share one session
            who = self.credentials
            made = service_session(who.base_url, who, workers=self.workers)
            session = self._sessions.setdefault(os.getpid(), made)
        asking = self.cache.asking(session)
        # Each answer is decoded when it arrives, so everything stored was read to its end once.
        pages = self._walk(asking, day, stop, force_refresh=True)
        if store:
            empty = not any(len(page.stamps) for page in pages)
            self.cache.store(day, asking, begun=begun, empty=empty)
        return pages

    def _walk(
        self, session: requests.Session, day: Day, stop: threading.Event, **caching: bool
    ) -> list[Page]:
        """Follow the cursors of all windows of a day, each until it is null, missing or empty.

        The walk completes or raises.
        """
        url = self.credentials.base_url + DATA_PATH + day.log
        where = f"{day.log} of account {self.cache.account!r}"
        pages: list[Page] = []
        for date_from, date_to in day.asked:
            # During a walk only the cursor may change: the service requires it.
            params = {"date_from": date_from, "date_to": date_to}
            if day.fields is not None:
                params["fields"] = ",".join(("date", *day.fields))
            named = f"{where}, {date_from} to {date_to}"
            seen: set[str] = set()
            empty = 0
            while True:
                if stop.is_set():
                    raise Stopped
                place = named if not seen else f"{named}, page {len(seen) + 1}"
                answer = fetch(session, url, params, where=place, **caching)
                page = decode_page(answer.content, day.log, fields=day.fields, where=place)
                pages.append(page)
                if page.cursor is None:
                    break
                empty = 0 if len(page.stamps) else empty + 1
                problem = ""
                if page.cursor in seen:
                    problem = "the service repeats a cursor, so the walk would never end"
                elif empty == MOST_EMPTY:
                    problem = f"{MOST_EMPTY} empty pages in a row, each with a cursor"
                elif len(seen) + 1 == MOST_PAGES:
                    problem = f"no end after {MOST_PAGES} pages"
                if problem:
                    raise errors.AnswerError(
                        f"{place}: {problem}: report it to the operator of the service"
                    )
                seen.add(page.cursor)
                params["cursor"] = page.cursor
        refuse_conflicts(pages, f"{where}, {day.day}")
        return pages


class Stopped(Exception):
    """The walk was stopped because another one failed or the user interrupted."""


def side_by_side(
    tasks: Sequence[Task],
    work: Callable[[Task, threading.Event], Result],
    *,
    workers: int,
    done: Callable[[Result], object] = lambda _: None,
) -> list[Result]:
    """Return ``work(task, stop)`` for each task, in the order of the tasks.

    The first error, or an interrupt, ends everything at once: no further task begins, and those
    under way see `stop` set and should raise `Stopped`. The threads are daemons, so that a request
    under way delays neither Ctrl-C nor the end of the program. One worker, or one task, needs no
    thread.

    Parameters
    ----------
    tasks : sequence
        The things to do.
    work : callable
        Does one task, in a thread.
    workers : int
        The most threads.
    done : callable
        Called in the caller's thread with each result.
    """
    stop = threading.Event()
    results: list[Any] = [None] * len(tasks)
    if min(workers, len(tasks)) < 2:
        # A new thread starts with cold memory, which makes decoding one day a tenth slower.
        for number, task in enumerate(tasks):
            results[number] = work(task, stop)
            done(results[number])
        return results
    finished: queue.SimpleQueue[tuple[int, Result] | BaseException] = queue.SimpleQueue()
    numbered = enumerate(tasks)  # shared by the threads

    def run() -> None:
        for number, task in numbered:
            if stop.is_set():
                return
            try:
                finished.put((number, work(task, stop)))
            except BaseException as error:  # noqa: BLE001 # it is raised in the caller's thread
                finished.put(error)
                return

    for _ in range(min(workers, len(tasks))):
        threading.Thread(target=run, name="eyelog-fetch", daemon=True).start()
    try:
        for _ in tasks:
            outcome = finished.get()
            if isinstance(outcome, BaseException):
                raise outcome
            results[outcome[0]] = outcome[1]
            done(outcome[1])
    finally:
        stop.set()
    return results
