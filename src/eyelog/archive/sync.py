"""From a service into an archive: the only module that uses both.

Days are requested in parallel and written a month at a time: a month file is rewritten each time,
so writing it every few days would cost several times as much. Only then are they noted in the
`ledger`. So memory holds one month, whatever the length of the range. The loss if a sync is killed
is bounded in time: the days of a slow service are written every ten seconds. The first four days of
a sync are written before others are requested, so that an archive that cannot be written is noticed
soon. Nothing is stored in the cache, which would keep every record twice.
"""

import math
import threading
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime
from itertools import groupby, pairwise
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from eyelog.archive.account import Days, Noted, note_days, read_ledger
from eyelog.archive.months import readable_stamps, write
from eyelog.archive.place import Place, archive_errors
from eyelog.arrow_tables import (
    Instant,
    Span,
    Stamps,
    instant_us,
    months_of,
    overlap,
    stamps_of,
    table_of_pages,
)
from eyelog.catalogue import check_served
from eyelog.clock import DAY, as_zones, day_range, day_start, instant_range, zone
from eyelog.decode import Page
from eyelog.errors import (
    AnswerError,
    AuthorizationError,
    ConfigurationError,
    EyelogError,
    RequestError,
    warn,
)
from eyelog.fetch.cache import EMPTY, Day, lifetime
from eyelog.fetch.client import Client, days_of, side_by_side
from eyelog.frame import warn_unknown
from eyelog.home import progress_line

FIRST_DAYS: Final = 4
# Seconds after which days that have arrived are written, even if their month is incomplete
WRITE_AFTER_S: Final = 10.0
GIVE_UP_AFTER: Final = 8
_DTYPES: Final = {
    "day": "string",
    "state": "string",
    "asked": "bool",
    "records": "Int64",
    "removed": "int64",
    "reason": "string",
}


class _Row(NamedTuple):
    """One day of the report, without its name."""

    state: str
    asked: bool = False
    records: int | None = None
    removed: int = 0
    reason: str = ""


class _Answer(NamedTuple):
    """What came for one day, when it was wanted, and whether the service was asked."""

    day: date
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
            client.close()
            run.warn()
    rows = [(day.isoformat(), *run.rows[day]) for day in wanted]
    return pd.DataFrame(rows, columns=list(_DTYPES)).astype(_DTYPES)


class _Run:
    """One sync of one log of one account: the days before it, the answers, and the report."""

    def __init__(self, place: Place, client: Client, log: str, tz: str) -> None:
        self.place = place
        self.client = client
        self.log = log
        self.tz = tz
        self.account = client.account
        self.source = f"{client.base_url} {tz}"  # a day is another span of time in each zone
        self.doing = f"sync {log!r} of {client.account!r} into {place.name}"
        self.noted: Days = {}
        self.spans: dict[date, Span] = {}
        self.present: dict[date, int] = {}  # records of the archive before the sync
        self.rows: dict[date, _Row] = {}
        self.answers: list[_Answer] = []
        self.unknown: set[str] = set()  # fields that the catalogue does not have
        self.outside = 0
        self.in_a_row = 0  # days on which the service failed
        self.fatal: EyelogError | None = None  # which every further day would meet too
        self.written_at = time.monotonic()

    def warn(self) -> None:
        """Say once, of all answers, what a user should know."""
        warn_unknown(self.log, sorted(self.unknown))
        for note in self.client.walker.take_notes():
            warn(note)
        if self.outside:
            warn(
                f"the service sent {self.outside} record(s) with a stamp outside the requested"
                " days; they are kept"
            )

    def look(self, wanted: Sequence[date], existing: set[date]) -> set[date]:
        """Return the days to request, and report the others."""
        due, clock = set(), zone(self.tz)
        midnights = [instant_us(day_start(day, clock)) for day in (*wanted, wanted[-1] + DAY)]
        self.spans = dict(zip(wanted, pairwise(midnights), strict=True))
        with archive_errors(self.doing):
            self.noted = read_ledger(self.place, self.log, self.account).get(self.source, {})
            edges = midnights[0], midnights[-1]
            stamps, damaged = readable_stamps(self.place, self.log, self.account, edges)
        counts = np.diff(np.searchsorted(stamps, midnights)).tolist()
        self.present = dict(zip(wanted, counts, strict=True))
        for day, span in self.spans.items():
            noted = self.noted.get(day)
            if day not in existing:
                reason = "the zone skipped this day" if span[0] == span[1] else "it has not begun"
                self.rows[day] = _Row("empty", records=0, reason=reason)
            elif noted is None or self.present[day] < noted.records or self._is_due(day, noted):
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

    def _is_due(self, day: date, noted: Noted) -> bool:
        """Return whether a noted day is to be requested again.

        A day that may still grow always is: a sync fetches what the phone has delivered since. A
        day without records never becomes final, so it is requested again once its answer is no
        longer fresh.
        """
        now = datetime.now(UTC)
        by_a_wrong_clock = noted.asked > now
        may_grow = lifetime(day, self.tz, begun=noted.asked, empty=False) is not None
        return by_a_wrong_clock or may_grow or (not noted.records and now >= noted.asked + EMPTY)

    def bring(self, days: Sequence[Day]) -> None:
        """Request days, month by month, and keep the answers.

        Raises
        ------
        AuthorizationError, ConfigurationError
            If a day met one, because all others would. The days before it are kept.
        """
        label = f"sync {self.log} of {self.account}"
        with progress_line(len(days), label, choice=self.client.progress) as done:

            def arrived(answer: _Answer | None) -> None:
                done()
                if answer is not None:
                    self.answers.append(answer)
                if time.monotonic() - self.written_at > WRITE_AFTER_S:
                    self._keep()

            def month_of(day: Day) -> str:
                return months_of(np.array(self.spans[day.day][:1]))[0]

            by_month = ([*month] for _, month in groupby(days[FIRST_DAYS:], month_of))
            for part in (days[:FIRST_DAYS], *by_month):
                try:
                    side_by_side(part, self._ask, workers=self.client.workers, done=arrived)
                except KeyboardInterrupt:
                    self.client.close()  # ends the waits of open requests
                    raise
                finally:
                    self._keep()  # including what arrived before an interrupt
                if self.fatal is not None:
                    raise self.fatal

    def _ask(self, day: Day, stop: threading.Event) -> _Answer | None:
        """Request one day, in a thread; None if it failed, or every further one would."""
        if self.fatal is not None:
            return None
        if self.in_a_row >= GIVE_UP_AFTER:
            reason = f"not requested: the service failed for {GIVE_UP_AFTER} days in a row"
            self.rows[day.day] = _Row("failed", reason=reason)
            return None
        wanted = datetime.now(UTC)
        try:
            # A stored day answers if it is settled, however fresh the others are.
            stored = self.client.walker.stored(day, stop, at=math.inf)
            pages = self.client.walker.fresh(day, stop, store=False) if stored is None else stored
        except (AuthorizationError, ConfigurationError) as error:
            self.fatal = error
            return None
        except (RequestError, AnswerError) as error:
            self.rows[day.day] = _Row("failed", asked=True, reason=" ".join(str(error).split()))
            # A fault of 500 is of the records of one day, not of the service. Threads that count
            # at once can miss a day, which costs one more request.
            of_service = isinstance(error, RequestError) and error.status != 500
            self.in_a_row = self.in_a_row + 1 if of_service else 0
            return None
        self.in_a_row = 0
        return _Answer(day.day, wanted, pages, asked=stored is None)

    def _keep(self) -> None:
        """Write the answers that have arrived, then note them."""
        answers, self.answers = sorted(self.answers), []  # what failed is not written twice
        if not answers:
            return
        pages = [page for answer in answers for page in answer.pages]
        self.unknown.update(name for page in pages for name in page.unknown)
        table = table_of_pages(pages, self.log)
        pages.clear()
        for answer in answers:
            answer.pages.clear()  # a month is in memory once

        def inside(stamps: Stamps, day: date) -> int:
            return int(np.diff(np.searchsorted(stamps, self.spans[day]))[0])

        counts = {answer.day: inside(stamps_of(table), answer.day) for answer in answers}
        self.outside += len(table) - sum(counts.values())
        # A day from an earlier sync is replaced as a whole. Records from elsewhere stay, and an
        # answer without records removes nothing.
        again = [self.spans[day] for day, count in counts.items() if count and day in self.noted]
        with archive_errors(self.doing):
            outcome = write(self.place, self.log, self.account, table, spans=again)
        for day, _, _, asked in answers:
            present = self.present[day]
            added, changed, removed = (inside(stamps, day) for stamps in outcome)
            if not counts[day]:
                reason = f"the {present} record(s) of the archive are kept" if present else ""
                self.rows[day] = _Row("empty", asked=asked, records=0, reason=reason)
                continue
            state = "fetched" if asked else "cached"
            state = state if added or changed or removed else "unchanged"
            self.rows[day] = _Row(state, asked=asked, records=counts[day], removed=removed)
        noted = {answer.day: Noted(answer.wanted, counts[answer.day]) for answer in answers}
        with archive_errors(self.doing):
            note_days(self.place, self.log, self.account, self.source, noted)
        self.noted = {**self.noted, **noted}
        self.written_at = time.monotonic()
