"""From a service into an archive: the only module that uses both.

Days are requested in parallel and written a month at a time: a month file is rewritten each time,
so writing it every few days would cost several times as much. Only then are they noted in the
`ledger`. So memory holds one month, whatever the length of the range. The loss if a sync is killed
is bounded in time: the days of a slow service are written every ten seconds. The first four days of
a sync are written at once, so that an archive that cannot be written is noticed before many
requests. Nothing is stored in the cache, which would keep every record twice.
"""

import math
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import groupby
from typing import Final

import numpy as np
import pandas as pd

from eyelog.archive.account import Days, Noted, note_days, read_ledger, source_of
from eyelog.archive.arrow_tables import stamps_of, table_of_pages
from eyelog.archive.month_writer import write
from eyelog.archive.months import months, opened
from eyelog.archive.place import Place, archive_errors
from eyelog.archive.utc_stamps import (
    Instant,
    Span,
    Stamps,
    instant_us,
    month_edges,
    months_of,
    overlap,
)
from eyelog.catalogue import check_served
from eyelog.clock import DAY, as_zones, day_range, day_start, instant_range, zone
from eyelog.decode import Page
from eyelog.errors import (
    AnswerError,
    ArchiveError,
    AuthorizationError,
    ConfigurationError,
    EyelogError,
    EyelogWarning,
    RequestError,
)
from eyelog.fetch.cache import Day, lifetime
from eyelog.fetch.client import Client, days_of, side_by_side
from eyelog.home import progress_line

STATES: Final = ("fetched", "cached", "unchanged", "empty", "failed")
FIRST_DAYS: Final = 4
# Seconds after which days that have arrived are written, even if their month is incomplete
WRITE_AFTER_S: Final = 10.0

GIVE_UP_AFTER: Final = 8

# Errors of one day, and errors that would affect every other day too.
_OF_ONE_DAY: Final = (RequestError, AnswerError)
_OF_EVERY_DAY: Final = (AuthorizationError, ConfigurationError)
_DTYPES: Final = {
    "day": "string",
    "state": "string",
    "asked": "bool",
    "records": "Int64",
    "removed": "int64",
    "reason": "string",
}


@dataclass(frozen=True, slots=True)
class _Row:
    """One day of the report."""

    state: str
    asked: bool = False
    records: int | None = None
    removed: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Answer:
    """The records of one day, the time of the request, and whether the service was asked."""

    wanted: datetime
    pages: list[Page]
    asked: bool


def sync(place: Place, client: Client, log: str, start: Instant, end: Instant) -> pd.DataFrame:
    """Bring the days of a range up to date; see `eyelog.Archive.sync`."""
    check_served(log)
    if client.offline:
        raise ConfigurationError(
            "sync needs the service, which an offline client does not ask: give a client without"
            " offline=True"
        )
    # Which day a traveller's record is fetched with does not matter to the archive.
    tz = as_zones(client.tz).home
    edges = (start, end) if isinstance(client.tz, str) else instant_range(start, end, client.tz)
    wanted = day_range(*edges, tz)
    run = _Run(place, client, log, tz)
    if wanted:  # unless the zone skipped the only day of the range
        days = days_of(log, wanted[0], wanted[-1], as_zones(tz), None)
        try:
            due = run.look(wanted, {day.day for day in days})
            run.bring([day for day in days if day.day in due])
        finally:
            run.close()
    values = [
        (day.isoformat(), row.state, row.asked, row.records, row.removed, row.reason)
        for day, row in ((day, run.rows[day]) for day in wanted)
    ]
    return pd.DataFrame(values, columns=list(_DTYPES)).astype(_DTYPES)


class _Run:
    """One sync of one log of one account: the days before it, the answers, and the report."""

    def __init__(self, place: Place, client: Client, log: str, tz: str) -> None:
        self.place = place
        self.client = client
        self.log = log
        self.tz = tz
        self.account = client.account
        self.source = source_of(client.base_url, tz)
        self.noted: Days = {}
        self.present: dict[date, int] = {}  # records of the archive before the sync
        self.rows: dict[date, _Row] = {}
        self.answers: dict[date, _Answer] = {}
        self.outside = 0
        self.fatal: EyelogError | None = None
        self._guard = threading.Lock()
        self._in_a_row = 0
        self._written_at = time.monotonic()
        self._warnings: dict[str, warnings.WarningMessage] = {}

    def close(self) -> None:
        """Close the connections, and issue once the warnings that every chunk would repeat."""
        self.client.close()
        for warning in self._warnings.values():
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
        notes = self.client.walker.take_notes()
        if self.outside:
            notes.append(
                f"the service sent {self.outside} record(s) with a stamp outside the requested"
                " days; they are kept"
            )
        for note in notes:
            warnings.warn(note, EyelogWarning, stacklevel=4)

    @contextmanager
    def _at_the_archive(self) -> Iterator[None]:
        """Turn errors of the disk into one line, and keep warnings for the end."""
        doing = f"sync {self.log!r} of {self.account!r} into {self.place.name}"
        with warnings.catch_warnings(record=True) as caught, archive_errors(doing):
            warnings.simplefilter("always", EyelogWarning)
            yield
        for warning in caught:
            self._warnings.setdefault(str(warning.message), warning)

    def look(self, wanted: Sequence[date], existing: set[date]) -> set[date]:
        """Return the days to request, and report the others."""
        now, due = datetime.now(UTC), set()
        with self._at_the_archive():
            ledger = read_ledger(self.place, self.log, self.account)
            self.noted = ledger.get(self.source, {})
            damaged = self._count(wanted)
        for day in wanted:
            noted, span = self.noted.get(day), self._span(day)
            if day not in existing:
                reason = "the zone skipped this day" if span[0] == span[1] else "it has not begun"
                self.rows[day] = _Row("empty", records=0, reason=reason)
            elif (
                noted is None or self.present[day] < noted.records or self._is_due(day, noted, now)
            ):
                month = next((month for month in damaged if overlap(month, span)), None)
                if month is None:
                    due.add(day)
                else:
                    reason = f"{month} of the archive is damaged: `eyelog archive repair` sets it"
                    self.rows[day] = _Row("failed", reason=f"{reason} aside")
            elif noted.records:
                self.rows[day] = _Row("unchanged", records=noted.records, reason="settled")
            else:
                reason = f"it had no record at {noted.asked:%Y-%m-%d %H:%M} UTC"
                self.rows[day] = _Row("empty", records=0, reason=reason)
        return due

    def _count(self, days: Sequence[date]) -> list[str]:
        """Count the records of the archive per day by their stamps; return the damaged months."""
        edges = np.array([*(self._span(day)[0] for day in days), self._span(days[-1])[1]])
        whole, damaged = (int(edges[0]), int(edges[-1])), []
        counts = np.zeros(len(days), np.int64)
        for month in months(self.place, self.log, self.account):
            if overlap(month, whole):
                try:
                    with opened(self.place, self.log, self.account, month_edges(month)) as files:
                        stamps = files[0].stamps(*month_edges(month))
                    counts += np.diff(np.searchsorted(stamps, edges))
                except ArchiveError:
                    damaged.append(month)
        self.present = dict(zip(days, counts.tolist(), strict=True))
        return damaged

    def _span(self, day: date) -> Span:
        """Return the microseconds of a local day, from its midnight up to the next, half open."""
        clock = zone(self.tz)
        return instant_us(day_start(day, clock)), instant_us(day_start(day + DAY, clock))

    def _is_due(self, day: date, noted: Noted, now: datetime) -> bool:
        """Return whether a noted day is to be requested again.

        A day that may still grow always is: a sync fetches what the phone has delivered since. A
        day without records never becomes final, so it is requested again once its answer is no
        longer fresh.
        """
        if noted.asked > now:  # noted by a wrong clock
            return True
        if lifetime(day, self.tz, begun=noted.asked, empty=False) is not None:
            return True
        age = lifetime(day, self.tz, begun=noted.asked, empty=not noted.records)
        return age is not None and now >= noted.asked + age

    def bring(self, days: Sequence[Day]) -> None:
        """Request days, month by month, and keep the answers.

        Raises
        ------
        AuthorizationError, ConfigurationError
            If a day met one, because all others would. The days before it are kept.
        """
        label = f"sync {self.log} of {self.account}"
        with progress_line(len(days), label, choice=self.client.progress) as done:

            def day_done(_: None) -> None:
                done()
                if time.monotonic() - self._written_at > WRITE_AFTER_S:
                    self._keep()

            def month_of(day: Day) -> str:
                return months_of(np.array(self._span(day.day)[:1]))[0]

            by_month = (list(month) for _, month in groupby(days[FIRST_DAYS:], month_of))
            for part in (days[:FIRST_DAYS], *by_month):
                try:
                    side_by_side(part, self._ask, workers=self.client.workers, done=day_done)
                except KeyboardInterrupt:
                    self.client.close()  # ends the waits of open requests
                    raise
                finally:
                    self._keep()  # including what arrived before an interrupt
                if self.fatal is not None:
                    raise self.fatal

    def _ask(self, day: Day, stop: threading.Event) -> None:
        """Request one day; its answer is kept until it is written."""
        if self.fatal is not None:
            return
        if self._in_a_row >= GIVE_UP_AFTER:
            reason = f"not requested: the service failed for {GIVE_UP_AFTER} days in a row"
            self.rows[day.day] = _Row("failed", reason=reason)
            return
        wanted = datetime.now(UTC)
        try:
            # A stored day answers if it is settled, however fresh the others are.
            pages = self.client.walker.stored(day, stop, at=math.inf)
            was_asked = pages is None
            if pages is None:
                pages = self.client.walker.fresh(day, stop, store=False)
        except _OF_EVERY_DAY as error:
            self.fatal = error
        except _OF_ONE_DAY as error:
            self.rows[day.day] = _Row("failed", asked=True, reason=" ".join(str(error).split()))
            # A fault of 500 is of the records of one day, not of the service.
            of_service = isinstance(error, RequestError) and error.status != 500
            with self._guard:
                self._in_a_row = self._in_a_row + 1 if of_service else 0
        else:
            self.answers[day.day] = _Answer(wanted, pages, was_asked)
            with self._guard:
                self._in_a_row = 0

    def _keep(self) -> None:
        """Write the answers that have arrived, then note them."""
        answers, self.answers = self.answers, {}  # an interrupted worker may still add one
        if answers:
            with self._at_the_archive():
                self._write(dict(sorted(answers.items())))
            self._written_at = time.monotonic()

    def _write(self, answers: Mapping[date, _Answer]) -> None:
        pages = [page for answer in answers.values() for page in answer.pages]
        table = table_of_pages(pages, self.log)
        for answer in answers.values():
            answer.pages.clear()
        del pages
        spans = {day: self._span(day) for day in answers}

        def inside(stamps: Stamps, day: date) -> int:
            return int(np.diff(np.searchsorted(stamps, spans[day]))[0])

        counts = {day: inside(stamps_of(table), day) for day in answers}
        self.outside += len(table) - sum(counts.values())
        # A day from an earlier sync is replaced as a whole. Records from elsewhere stay, and an
        # answer without records removes nothing.
        again = [spans[day] for day, count in counts.items() if count and day in self.noted]
        outcome = write(self.place, self.log, self.account, table, spans=again)
        for day, answer in answers.items():
            asked, present = answer.asked, self.present[day]
            if not counts[day]:
                reason = f"the {present} record(s) of the archive are kept" if present else ""
                self.rows[day] = _Row("empty", asked=asked, records=0, reason=reason)
                continue
            removed = inside(outcome.removed, day)
            differs = inside(outcome.added, day) or inside(outcome.changed, day) or removed
            state = ("fetched" if asked else "cached") if differs else "unchanged"
            self.rows[day] = _Row(state, asked=asked, records=counts[day], removed=removed)
        noted = {day: Noted(answer.wanted, counts[day]) for day, answer in answers.items()}
        note_days(self.place, self.log, self.account, self.source, noted)
        self.noted = {**self.noted, **noted}
