"""From a service into an archive: the only module that uses both.

Days are requested in parallel and written a month at a time: a month file is rewritten each time,
so writing it every few days would cost several times as much. Only then are they noted in the
`ledger`. So memory holds one month, whatever the length of the range. The loss if a sync is killed
is bounded in time: the days of a slow service are written every ten seconds. The first four days of
a sync are written at once, so that an archive that cannot be written is noticed before many
requests. Nothing is stored in the cache, which would keep every record twice.
"""

import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import groupby
from typing import Final

import numpy as np
import pandas as pd

from eyelog.access.cache.lifetime import lifetime
from eyelog.access.client import Client
from eyelog.access.day_fetcher import Day, DayFetcher, plan
from eyelog.access.walk import side_by_side
from eyelog.answers.page import Page
from eyelog.archive.answer_pages import table_of_pages
from eyelog.archive.arrow_tables import stamps_of
from eyelog.archive.ledger import Days, Noted, note_days, noted_days
from eyelog.archive.month_writer import Outcome, prepare_table, write
from eyelog.archive.months import damaged_months, months, open_month
from eyelog.archive.place import Place, archive_errors
from eyelog.archive.utc_stamps import Instant, Stamps, instant_us, months_of, overlap
from eyelog.catalogue import check_served
from eyelog.clock import DAY, as_zones, day_range, day_start, instant_range, windows, zone
from eyelog.errors import (
    AnswerError,
    ArchiveError,
    AuthorizationError,
    ConfigurationError,
    EyelogError,
    EyelogWarning,
    RequestError,
    argument,
)
from eyelog.progress import progress_line

__all__ = ["STATES", "sync"]

STATES: Final = ("fetched", "cached", "unchanged", "empty", "failed")
FIRST_DAYS: Final = 4
WRITE_AFTER_S: Final = 10.0
"""Seconds after which days that have arrived are written, even if their month is incomplete."""

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


def _zone_of(client: Client) -> str:
    """Return the zone of the days of a sync: the home of a wearer who travels.

    Which day a record is fetched with does not matter to the archive.
    """
    return as_zones(client.tz).home


def sync(place: Place, client: Client, log: str, start: Instant, end: Instant) -> pd.DataFrame:
    """Bring the days of a range up to date; see `eyelog.Archive.sync`."""
    check_served(log)
    if client.offline:
        raise ConfigurationError(
            "sync needs the service, which an offline client does not ask: give a client without"
            f" {argument('offline', True)}"
        )
    tz = _zone_of(client)
    edges = (start, end) if isinstance(client.tz, str) else instant_range(start, end, client.tz)
    wanted = day_range(*edges, tz)
    if not wanted:  # the zone skipped the only day of the range
        return _report({})
    days = plan(
        client.account,
        client.base_url,
        log,
        windows(wanted[0], wanted[-1], tz),
        tz,
        None,
    )
    run = _Run(place, client, log)
    try:
        due = run.look(wanted, {day.day for day in days})
        run.bring([day for day in days if day.day in due])
    finally:
        run.close()
    return _report({day: run.rows[day] for day in wanted})


def _report(rows: Mapping[date, _Row]) -> pd.DataFrame:
    values = [
        (day.isoformat(), row.state, row.asked, row.records, row.removed, row.reason)
        for day, row in rows.items()
    ]
    return pd.DataFrame(values, columns=list(_DTYPES)).astype(_DTYPES)


class _Run:
    """One sync of one log of one account: the days before it, the answers, and the report."""

    def __init__(self, place: Place, client: Client, log: str) -> None:
        self.place = place
        self.client = client
        self.log = log
        self.account = client.account
        self.fetcher = DayFetcher(
            client.home, self.account, client.credentials, workers=client.workers
        )
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
        self.fetcher.close()
        for warning in self._warnings.values():
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
        notes = self.fetcher.take_notes()
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
        now, tz = datetime.now(UTC), _zone_of(self.client)
        with self._at_the_archive():
            self.noted = noted_days(self.place, self.log, self.account, self.client.base_url, tz)
            self.present = _count_days(self.place, self.log, self.account, wanted, tz)
        due = set()
        for day in wanted:
            noted = self.noted.get(day)
            if day not in existing:
                first, after = _span(day, tz)
                reason = "the zone skipped this day" if first == after else "it has not begun"
                self.rows[day] = _Row("empty", records=0, reason=reason)
            elif noted is None or self.present[day] < noted.records or _due(day, tz, noted, now):
                due.add(day)
            elif noted.records:
                self.rows[day] = _Row("unchanged", records=noted.records, reason="settled")
            else:
                reason = f"it had no record at {noted.asked:%Y-%m-%d %H:%M} UTC"
                self.rows[day] = _Row("empty", records=0, reason=reason)
        with self._at_the_archive():
            return self._sound(due)

    def _sound(self, due: set[date]) -> set[date]:
        """Return the days that can be written, and report those of damaged months as failed."""
        spans = {day: _span(day, _zone_of(self.client)) for day in due}
        concerned = [
            month
            for month in months(self.place, self.log, self.account)
            if any(overlap(month, span) for span in spans.values())
        ]
        damaged = damaged_months(self.place, self.log, self.account, concerned)
        for month in damaged:
            reason = f"{month} of the archive is damaged: `eyelog archive repair` sets it aside"
            for day in [day for day, span in spans.items() if overlap(month, span)]:
                self.rows[day] = _Row("failed", reason=reason)
                del spans[day]
        return set(spans)

    def bring(self, days: Sequence[Day]) -> None:
        """Request days, month by month, and keep the answers.

        Raises
        ------
        AuthorizationError, ConfigurationError
            If a day met one, because all others would. The days before it are kept.
        """
        label = f"sync {self.log} of {self.account}"
        with progress_line(len(days), label, choice=self.client.progress) as done:

            def day_done() -> None:
                done()
                if time.monotonic() - self._written_at > WRITE_AFTER_S:
                    self._keep()

            first, rest = days[:FIRST_DAYS], days[FIRST_DAYS:]
            by_month = groupby(rest, lambda day: _month_of(day.day, _zone_of(self.client)))
            for part in [first, *(list(month) for _, month in by_month)]:
                try:
                    side_by_side(part, self._ask, workers=self.client.workers, done=day_done)
                except KeyboardInterrupt:
                    self.fetcher.close()  # ends the waits of open requests
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
            pages, was_asked = self.fetcher.fetch_unstored(day, stop)
        except _OF_EVERY_DAY as error:
            self.fatal = error
        except _OF_ONE_DAY as error:
            self.rows[day.day] = _Row("failed", asked=True, reason=" ".join(str(error).split()))
            with self._guard:
                self._in_a_row = self._in_a_row + 1 if _of_the_service(error) else 0
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
        stamps = stamps_of(table)
        counts = {day: _count_inside(stamps, day, _zone_of(self.client)) for day in answers}
        self.outside += len(stamps) - sum(counts.values())
        # A day from an earlier sync is replaced as a whole. Records from elsewhere stay, and an
        # answer without records removes nothing.
        replaced = [day for day, count in counts.items() if count and day in self.noted]
        spans = [_span(day, _zone_of(self.client)) for day in replaced]
        outcome = write(self.place, self.account, prepare_table(table, self.log, spans))
        for day, count in counts.items():
            self.rows[day] = self._row(day, count, outcome, fetched=answers[day].asked)
        noted = {day: Noted(answer.wanted, counts[day]) for day, answer in answers.items()}
        note_days(
            self.place, self.log, self.account, self.client.base_url, _zone_of(self.client), noted
        )
        self.noted.update(noted)

    def _row(self, day: date, records: int, outcome: Outcome, *, fetched: bool) -> _Row:
        """Return the report of a day that was answered and written."""
        if not records:
            present = self.present[day]
            reason = f"the {present} record(s) of the archive are kept" if present else ""
            return _Row("empty", asked=fetched, records=0, reason=reason)
        added, changed, removed = (
            _count_inside(stamps, day, _zone_of(self.client))
            for stamps in (outcome.added, outcome.changed, outcome.removed)
        )
        new = "fetched" if fetched else "cached"
        state = new if added or changed or removed else "unchanged"
        return _Row(state, asked=fetched, records=records, removed=removed)


def _count_inside(stamps: Stamps, day: date, tz: str) -> int:
    low, high = np.searchsorted(stamps, _span(day, tz)).tolist()
    return int(high - low)


def _of_the_service(error: EyelogError) -> bool:
    """Return whether the service itself failed, rather than its records of one day."""
    return isinstance(error, RequestError) and error.status != 500


def _due(day: date, tz: str, noted: Noted, now: datetime) -> bool:
    """Return whether a noted day is to be requested again.

    A day that may still grow always is: a sync fetches what the phone has delivered since. A day
    without records never becomes final, so it is requested again once its answer is no longer
    fresh.
    """
    if noted.asked > now:  # noted by a wrong clock
        return True
    if lifetime(day, tz, begun=noted.asked, empty=False) is not None:
        return True
    age = lifetime(day, tz, begun=noted.asked, empty=not noted.records)
    return age is not None and now >= noted.asked + age


def _span(day: date, tz: str) -> tuple[int, int]:
    """Return the microseconds of a local day, from its midnight up to the next, half open."""
    place = zone(tz)
    return instant_us(day_start(day, place)), instant_us(day_start(day + DAY, place))


def _month_of(day: date, tz: str) -> str:
    """Return the month of UTC in which a day begins."""
    (month,) = months_of(np.array([_span(day, tz)[0]]))
    return month


def _count_days(
    place: Place, log: str, account: str, days: Sequence[date], tz: str
) -> dict[date, int]:
    """Count the readable records of the archive per day; only stamps are read."""
    edges = np.array([*(_span(day, tz)[0] for day in days), _span(days[-1], tz)[1]])
    counts = np.zeros(len(days), np.int64)
    whole = int(edges[0]), int(edges[-1])
    for month in months(place, log, account):
        if overlap(month, whole):
            with (
                suppress(ArchiveError),
                open_month(place, log, account, month) as file,
            ):
                counts += np.diff(np.searchsorted(file.stamps(*whole), edges))
    return dict(zip(days, counts.tolist(), strict=True))
