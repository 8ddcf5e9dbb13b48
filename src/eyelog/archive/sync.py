"""From a service into an archive: the one place where both meet.

Days go in chunks: a chunk is asked for side by side, written in one go, and only then noted in
the `ledger`. So memory holds a chunk whatever the length of the range, and whoever is killed asks
for that chunk again. Nothing is stored in the cache, which would keep every record twice.
"""

import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa

from eyelog.access.cache.lifetime import lifetime
from eyelog.access.client import Client
from eyelog.access.days import Day, DayFetcher, plan
from eyelog.access.progress import progress_line
from eyelog.access.walk import side_by_side
from eyelog.answers.page import Page, join_pages
from eyelog.archive.ledger import Days, Noted, note_days, noted_days
from eyelog.archive.parquet.layout import STAMP, Place, archive_errors, month_path, months
from eyelog.archive.parquet.reading import Instant, Wanted, instant_us, overlap, read_table
from eyelog.archive.parquet.rows import merge, open_file, read_rows, stamps_of, table_of
from eyelog.archive.parquet.writing import told, write
from eyelog.catalogue import INTERVAL_SECONDS, check_log
from eyelog.clock import DAY, day_range, day_start, windows, zone
from eyelog.errors import (
    AnswerError,
    AuthorizationError,
    ConfigurationError,
    EyelogError,
    EyelogWarning,
    RequestError,
)

__all__ = ["STATES", "sync"]

STATES: Final = ("fetched", "unchanged", "empty", "failed")
CHUNK_RECORDS: Final = 34_560  # 6 days of the 15-second log, 24 of the 60-second log
GIVE_UP_AFTER: Final = 8

# What one day's trouble is, and what is everybody's.
_FOR_EACH: Final = (RequestError, AnswerError)
_FOR_ALL: Final = (AuthorizationError, ConfigurationError)
_DTYPES: Final = {
    "day": "string",
    "state": "string",
    "asked": "bool",
    "records": "Int64",
    "removed": "int64",
    "reason": "string",
}
_STAMPS: Final = pa.schema([("date", STAMP)])


@dataclass(frozen=True, slots=True)
class _Found:
    """What was learnt of one day: a row of the report."""

    state: str
    asked: bool = False
    records: int | None = None
    removed: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the service said of one day, and when it was asked."""

    asked: datetime
    pages: list[Page]


def sync(place: Place, client: Client, log: str, start: Instant, end: Instant) -> pd.DataFrame:
    """Bring the days of a range up to date; see `eyelog.Archive.sync`."""
    check_log(log)
    if client.offline:
        raise ConfigurationError(
            "sync asks the service, which an offline client does not: make one without offline"
        )
    wanted = day_range(start, end, client.tz)
    if not wanted:  # the zone skipped the only day of the range
        return _report({})
    days = plan(
        client.account,
        client.base_url,
        log,
        windows(wanted[0], wanted[-1], client.tz),
        client.tz,
        None,
    )
    run = _Run(place, client, log)
    try:
        due = run.look(wanted, {day.day for day in days})
        run.bring([day for day in days if day.day in due])
    finally:
        run.close()
    return _report({day: run.found[day] for day in wanted})


def _report(found: Mapping[date, _Found]) -> pd.DataFrame:
    rows = [
        (day.isoformat(), each.state, each.asked, each.records, each.removed, each.reason)
        for day, each in found.items()
    ]
    return pd.DataFrame(rows, columns=list(_DTYPES)).astype(_DTYPES)


class _Run:
    """One sync of one log of one account: what is known, what was answered, what was found."""

    def __init__(self, place: Place, client: Client, log: str) -> None:
        self.place = place
        self.client = client
        self.log = log
        self.account = client.account
        self.fetcher = DayFetcher(
            client.home, self.account, client.credentials, workers=client.workers
        )
        self.noted: Days = {}
        self.held: dict[date, int] = {}
        self.found: dict[date, _Found] = {}
        self.answers: dict[date, _Answer] = {}
        self.outside = 0
        self.fatal: EyelogError | None = None
        self._guard = threading.Lock()
        self._in_a_row = 0
        self._said: dict[str, warnings.WarningMessage] = {}

    def close(self) -> None:
        """Close the connections, and say once what every chunk would have said again."""
        self.fetcher.close()
        for each in self._said.values():
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
        notes = self.fetcher.take_notes()
        if self.outside:
            notes.append(
                f"the service sent {self.outside} record(s) with a stamp outside the asked days;"
                " they are kept"
            )
        for note in notes:
            warnings.warn(note, EyelogWarning, stacklevel=4)

    @contextmanager
    def _at_the_archive(self) -> Iterator[None]:
        """Give errors of the disk their one line, and keep warnings for the end."""
        doing = f"sync {self.log!r} of {self.account!r} into {self.place.name}"
        with warnings.catch_warnings(record=True) as caught, archive_errors(doing):
            warnings.simplefilter("always", EyelogWarning)
            yield
        for each in caught:
            self._said.setdefault(str(each.message), each)

    def look(self, wanted: Sequence[date], there: set[date]) -> set[date]:
        """Return the days to ask for, and write down what is known of the others."""
        now, tz = datetime.now(UTC), self.client.tz
        with self._at_the_archive():
            self.noted = noted_days(self.place, self.log, self.account, self.client.base_url, tz)
            self.held = _held(self.place, self.log, self.account, wanted, tz)
        due = set()
        for day in wanted:
            noted = self.noted.get(day)
            if day not in there:
                first, after = _span(day, tz)
                reason = "the zone skipped this day" if first == after else "it has not begun"
                self.found[day] = _Found("empty", records=0, reason=reason)
            elif noted is None or self.held[day] < noted.records or _due(day, tz, noted, now):
                due.add(day)
            elif noted.records:
                self.found[day] = _Found("unchanged", records=noted.records, reason="settled")
            else:
                reason = f"held nothing at {noted.asked:%Y-%m-%d %H:%M} UTC"
                self.found[day] = _Found("empty", records=0, reason=reason)
        return due

    def bring(self, days: Sequence[Day]) -> None:
        """Ask for days, chunk by chunk, and keep what comes.

        Raises
        ------
        AuthorizationError, ConfigurationError
            If a day met one: all others would. What came before is kept.
        """
        size = max(1, CHUNK_RECORDS * INTERVAL_SECONDS[self.log] // 86_400)
        label = f"sync {self.log} of {self.account}"
        with progress_line(len(days), label, choice=self.client.progress) as done:
            for first in range(0, len(days), size):
                chunk = days[first : first + size]
                try:
                    side_by_side(chunk, self._ask, workers=self.client.workers, done=done)
                except KeyboardInterrupt:
                    self.fetcher.close()  # ends the waits of requests under way
                    raise
                finally:
                    self._keep()  # also what came before an interrupt
                if self.fatal is not None:
                    raise self.fatal

    def _ask(self, day: Day, stop: threading.Event) -> None:
        """Ask for one day; its answer, or what went wrong, is kept for when the chunk is done."""
        if self.fatal is not None:
            return
        if self._in_a_row >= GIVE_UP_AFTER:
            reason = f"not asked: the service failed for {GIVE_UP_AFTER} days in a row"
            self.found[day.day] = _Found("failed", reason=reason)
            return
        asked = datetime.now(UTC)
        try:
            pages = self.fetcher.fetch_unstored(day, stop)
        except _FOR_ALL as error:
            self.fatal = error
        except _FOR_EACH as error:
            self.found[day.day] = _Found("failed", asked=True, reason=" ".join(str(error).split()))
            with self._guard:
                self._in_a_row = self._in_a_row + 1 if _of_the_service(error) else 0
        else:
            self.answers[day.day] = _Answer(asked, pages)
            with self._guard:
                self._in_a_row = 0

    def _keep(self) -> None:
        """Write the answers that have come, then note them."""
        answers, self.answers = self.answers, {}  # an interrupted worker may still add one
        if answers:
            with self._at_the_archive():
                self._write(dict(sorted(answers.items())))

    def _write(self, answers: Mapping[date, _Answer]) -> None:
        pages = [page for answer in answers.values() for page in answer.pages]
        frame = join_pages(pages, self.log, tz=self.client.tz)
        for answer in answers.values():
            answer.pages.clear()
        del pages
        table = table_of(frame, self.log)
        stamps = stamps_of(table)
        inside = 0
        replaced = []
        for day in answers:
            low, high = np.searchsorted(stamps, _span(day, self.client.tz)).tolist()
            inside += high - low
            self.found[day] = self._compare(day, table.slice(low, high - low))
            # What an earlier sync brought is replaced whole. What came from elsewhere stays, and
            # a service that knows nothing of a day takes nothing away.
            if day in self.noted and high > low:
                replaced.append(day)
        self.outside += len(frame) - inside
        del table
        if len(frame) > inside or any(self.found[day].state == "fetched" for day in answers):
            said = told(frame, self.log, replaced)
            del frame  # it was copied: one copy of a chunk is enough while it is written
            write(self.place, self.account, said)
        noted = {
            day: Noted(each.asked, self.found[day].records or 0) for day, each in answers.items()
        }
        note_days(self.place, self.log, self.account, self.client.base_url, self.client.tz, noted)
        self.noted.update(noted)

    def _compare(self, day: date, new: pa.Table) -> _Found:
        """Return what an answer means to the archive: what is new in it, what goes."""
        held = self.held[day]
        if not new.num_rows:
            reason = f"{held} record(s) that the archive holds are kept" if held else ""
            return _Found("empty", asked=True, records=0, reason=reason)
        if not held:
            return _Found("fetched", asked=True, records=new.num_rows)
        span = _span(day, self.client.tz)
        old = read_table(Wanted(self.place, self.log, self.account, span, None))
        spans = [span] if day in self.noted else []
        removed = len(np.setdiff1d(stamps_of(old), stamps_of(new))) if spans else 0
        own = {field.name: field.type for field in old.schema}
        fits = all(own.get(field.name) == field.type for field in new.schema)
        same = fits and old.equals(merge(old, new, spans))
        return _Found("unchanged" if same else "fetched", True, new.num_rows, removed)


def _of_the_service(error: EyelogError) -> bool:
    """Return whether the service is in trouble, rather than its records of one day."""
    return isinstance(error, RequestError) and error.status != 500


def _due(day: date, tz: str, noted: Noted, now: datetime) -> bool:
    """Return whether a day is to be asked for again.

    One that may still grow always is: who syncs wants what the phone has brought since. One that
    held nothing never settles, so it is asked for again when the answer of then is no longer fresh.
    """
    if noted.asked > now:  # judged by a wrong clock
        return True
    if lifetime(day, tz, asked=noted.asked, empty=False) is not None:
        return True
    age = lifetime(day, tz, asked=noted.asked, empty=not noted.records)
    return age is not None and now >= noted.asked + age


def _span(day: date, tz: str) -> tuple[int, int]:
    """Return the microseconds of a local day, from one midnight to before the next."""
    place = zone(tz)
    return instant_us(day_start(day, place)), instant_us(day_start(day + DAY, place))


def _held(place: Place, log: str, account: str, days: Sequence[date], tz: str) -> dict[date, int]:
    """Count the records that the archive holds of each day; only stamps are read."""
    edges = np.array([*(_span(day, tz)[0] for day in days), _span(days[-1], tz)[1]])
    counts = np.zeros(len(days), np.int64)
    whole = int(edges[0]), int(edges[-1])
    for month in months(place, log, account):
        if overlap(month, whole):
            with open_file(place, month_path(place, log, account, month)) as file:
                stamps = stamps_of(read_rows(file, _STAMPS, *whole))
            counts += np.diff(np.searchsorted(stamps, edges))
    return dict(zip(days, counts.tolist(), strict=True))
