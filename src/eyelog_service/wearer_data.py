"""What wearers get of their own records: all of them as a zip file, their last days, a report.

The zip file is made while it is sent, so that memory does not grow with the range: it holds a few
days of records and their packed bytes. Days and report are made in a process apart.
"""

import io
import os
import zipfile
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

import msgspec
import pandas as pd
from anyio import CapacityLimiter, to_thread
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from eyelog.archive.export import csv_pieces
from eyelog.archive.lists import months
from eyelog.archive.months import opened
from eyelog.archive.place import archive_errors
from eyelog.archive.store import Archive, place_of
from eyelog.arrow_tables import month_edges
from eyelog.catalogue import INTERVAL_SECONDS, LOGS
from eyelog.clock import Zones, known_zones
from eyelog.errors import EyelogError
from eyelog.measure.daily import daily
from eyelog_service.browser import page_headers

_MOST = 8
"""Downloads under way at the same time, for all wearers: each takes up to 100 MB."""


class TooMany(Exception):
    """A download cannot begin now; the text says why."""


def stored_months(folder: Path | str, account: str) -> dict[str, list[str]]:
    """Return the months (``2026-10``) of which an account has records, by log."""
    place = place_of(Archive(folder))
    with archive_errors("list the months of an account"):
        by_log = {log: months(place, log, account) for log in LOGS}
    return {log: present for log, present in by_log.items() if present}


def clock_sentence(folder: Path | str, account: str) -> str:
    """Return in words which clock the times of a download follow; nothing if it is unreadable."""
    try:
        zones = _known_zones(folder, account)
    except EyelogError:  # the download says what is wrong; the page is useful without it
        return ""
    if zones is None:
        return "Times are in UTC, because no time zone is known for you."
    return f"Times follow your clock ({zones})."


class Downloads:
    """The downloads under way: one per wearer, and few at the same time.

    Parameters
    ----------
    folder : Path or str
        The archive's folder, or its URL in an object store.
    """

    def __init__(self, folder: Path | str) -> None:
        self._folder = folder
        self._under_way: set[str] = set()
        self._at_once = CapacityLimiter(1)  # packing takes a whole core

    async def begin(self, account: str) -> StreamingResponse:
        """Return the zip file of all records of an account, as a response.

        Raises
        ------
        TooMany
            If a download of the account, or too many of others, are under way.
        ArchiveError
            If the first records cannot be read. A later fault aborts the response, so that a
            browser does not mistake a part of the file for the whole.
        """
        if account in self._under_way:
            raise TooMany("A download of your data is under way already.")
        if len(self._under_way) >= _MOST:
            raise TooMany("Many others are downloading: try again in a few minutes.")
        self._under_way.add(account)
        try:
            parts = _zipped(self._folder, account)
            first = await to_thread.run_sync(next, parts, b"", limiter=self._at_once)
        except BaseException:
            self._under_way.discard(account)
            raise
        name = f"eyelog-{datetime.now(UTC):%Y-%m-%d}.zip"
        headers = page_headers() | {"Content-Disposition": f'attachment; filename="{name}"'}
        return _Download(self, account, first, parts, headers)

    async def rest(self, first: bytes, parts: Iterator[bytes]) -> AsyncIterator[bytes]:
        """Yield the parts of a zip file as they are made."""
        yield first
        while part := await to_thread.run_sync(next, parts, b"", limiter=self._at_once):
            yield part

    def end(self, account: str) -> None:
        """Note that a download has ended."""
        self._under_way.discard(account)


class _Download(StreamingResponse):
    """A response that reports when it has ended, even if the browser has gone."""

    def __init__(
        self,
        downloads: Downloads,
        account: str,
        first: bytes,
        parts: Iterator[bytes],
        headers: dict[str, str],
    ) -> None:
        super().__init__(
            downloads.rest(first, parts), headers=headers, media_type="application/zip"
        )
        self._downloads, self._account = downloads, account

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._downloads.end(self._account)


class _Packed:
    """The sink of a zip file: it holds the bytes written since the last read."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes, /) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: what is written is read from here."""

    def take(self) -> bytes:
        """Return the bytes written, and forget them."""
        whole = b"".join(self._parts)
        self._parts.clear()
        return whole


def _known_zones(folder: Path | str, account: str) -> Zones | None:
    """Return the zones of an account, or of the setting EYELOG_TZ, or None."""
    stored = Archive(folder).zones(account)
    if stored is None and not os.environ.get("EYELOG_TZ", "").strip():
        return None
    return known_zones(None, whose=f"account {account!r}", stored=stored)


def _zipped(folder: Path | str, account: str) -> Iterator[bytes]:
    """Yield a zip file in parts, none of them empty."""
    place = place_of(Archive(folder))
    stored = stored_months(folder, account)
    for log, present in stored.items():  # refuse unreadable files before sending
        span = month_edges(present[0])[0], month_edges(present[-1])[1]
        with opened(place, log, account, span) as files:
            list(files.schemas())
    zones = _known_zones(folder, account) or Zones("UTC")  # the page says so
    packed = _Packed()
    # For a year, level 6 would give 91 MB instead of 117, in 32 s of CPU instead of 14.
    with zipfile.ZipFile(cast(Any, packed), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as box:
        for log, present in stored.items():
            for month in present:
                with (
                    box.open(f"{log}-{month}.csv", "w") as file,
                    closing(csv_pieces(place, log, account, month, zones)) as pieces,
                ):
                    for piece in pieces:
                        file.write(piece)
                        if part := packed.take():
                            yield part
    yield packed.take()


DAYS: Final = 28
_DPI: Final = 160


class OwnDay(msgspec.Struct):
    """One day of one log: its date, how many records came in, and for how long it was worn."""

    date: str
    records: int
    worn_h: float | None


class OwnDays(msgspec.Struct):
    """The last days of a wearer: a picture (PNG in base64), and the days, the latest first."""

    interval_s: int
    picture: str
    days: list[OwnDay]


def own_days(archive: str, account: str) -> bytes:
    """Return the last `DAYS` days of each log of an account, as JSON of a list of `OwnDays`."""
    shown = []
    for log, frame in last_days(archive, account).items():
        latest_first = daily(frame).iloc[::-1]
        days = [
            OwnDay(f"{day:%Y-%m-%d}", int(n), None if pd.isna(worn) else float(worn))
            for day, n, worn in latest_first[["n", "worn_h"]].itertuples()
        ]
        shown.append(OwnDays(INTERVAL_SECONDS[log], _picture(frame), days))
    return msgspec.json.encode(shown)


def _picture(frame: pd.DataFrame) -> str:
    """Return the overview of a frame as a picture for a page: PNG in base64."""
    from eyelog.figures.overview import plot_overview

    sink = io.BytesIO()
    cast(Any, plot_overview(frame).figure).canvas.print_figure(sink, format="png", dpi=_DPI)
    return b64encode(sink.getvalue()).decode()


def own_report(archive: str, account: str) -> bytes:
    """Return the report of the last `DAYS` days of an account, as HTML."""
    from eyelog.reports.report import report

    frames = last_days(archive, account)
    with TemporaryDirectory() as folder:
        return report(frames, Path(folder) / "report.html").read_bytes()


def last_days(archive: str, account: str, days: int = DAYS) -> dict[str, pd.DataFrame]:
    """Return the last days of each log that have records, up to the latest day of both."""
    store = Archive(archive)
    place = place_of(store)
    by_log = {}
    for log in LOGS:
        present = months(place, log, account)
        if present:
            since = pd.Timestamp(present[-2:][0], tz="UTC")
            by_log[log] = store.read(log, since.to_pydatetime(), account=account)
    if not by_log:
        return {}
    # A record stamped at midnight belongs to the day that ended.
    latest = max(frame.index[-1] for frame in by_log.values()) - pd.Timedelta("1us")
    first = latest.normalize() - pd.Timedelta(days=days - 1)
    kept = {log: frame[frame.index > first] for log, frame in by_log.items()}
    return {log: frame for log, frame in kept.items() if len(frame)}
