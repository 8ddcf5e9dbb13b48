"""The days that an archive has from each service, with times: a small file beside the months.

::

    ROOT/log=computed_data/account=me/.synced.v1.json

A day without records leaves no trace in the Parquet files, so it is noted here. A day is noted
only once its records are on the disk: a sync that is killed in between requests it again.
"""

import warnings
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from eyelog.archive.account_folders import folder, locked
from eyelog.archive.damage import NOT_PROTECTED
from eyelog.archive.months import month_problems, open_month
from eyelog.archive.place import Place, archive_errors
from eyelog.archive.utc_stamps import instant_us, month_edges
from eyelog.clock import DAY, day_start, zone
from eyelog.disk.files import replace_file
from eyelog.errors import EyelogWarning

__all__ = ["Days", "Noted", "note_days", "noted_days", "problems_of_month", "synced_days"]

NAME: Final = ".synced.v1.json"  # hidden: Parquet tools skip it


class Noted(msgspec.Struct, array_like=True, frozen=True):
    """When a day was requested, and how many records the service had."""

    asked: datetime
    records: int


Days = dict[date, Noted]
_Sources = dict[str, Days]


def noted_days(place: Place, log: str, account: str, base_url: str, tz: str) -> Days:
    """Return the days of a zone that an earlier sync brought from a service."""
    return _read(place, log, account).get(_source(base_url, tz), {})


def synced_days(place: Place, log: str, account: str, month: str) -> set[date]:
    """Return the days with records that any service brought and that overlap a month."""
    first, after = month_edges(month)
    return {
        day
        for day, noted, (opens, closes) in _spans(_read(place, log, account))
        if noted.records and opens < after and closes > first
    }


def problems_of_month(place: Place, log: str, account: str, month: str) -> list[str]:
    """Return what is wrong with a month, even if only the ledger of syncs shows it.

    A file without a seal has nothing else that states how many records it had.
    """
    problems = month_problems(place, log, account, month)
    if problems != [NOT_PROTECTED]:
        return problems
    return _missing(place, log, account, month) or problems


def _missing(place: Place, log: str, account: str, month: str) -> list[str]:
    """Return which days of a month have fewer records than their last sync brought."""
    edges = month_edges(month)
    last: dict[tuple[int, int], tuple[date, Noted]] = {}
    noted_spans = list(_spans(_read(place, log, account)))
    for day, noted, span in noted_spans:
        # A later sync in another zone may have removed records of a part of the day.
        is_last = not any(
            other.asked > noted.asked and opens < span[1] and closes > span[0]
            for _, other, (opens, closes) in noted_spans
        )
        if is_last and noted.records and span[0] >= edges[0] and span[1] <= edges[1]:
            last[span] = day, noted
    if not last:
        return []
    with open_month(place, log, account, month) as file:
        stamps = file.stamps(*edges)
    counts = {span: int(np.diff(np.searchsorted(stamps, span))[0]) for span in last}
    return [
        f"it has {counts[span]} records of {day}, and a sync brought {noted.records}"
        for span, (day, noted) in sorted(last.items())
        if counts[span] < noted.records
    ]


def _spans(sources: _Sources) -> Iterator[tuple[date, Noted, tuple[int, int]]]:
    """Yield each noted day with its edges (microseconds)."""
    for source, days in sources.items():
        tz = zone(source.rpartition(" ")[2])
        for day, noted in days.items():
            opens, closes = (instant_us(day_start(edge, tz)) for edge in (day, day + DAY))
            yield day, noted, (opens, closes)


def note_days(
    place: Place, log: str, account: str, base_url: str, tz: str, days: Mapping[date, Noted]
) -> None:
    """Note days whose records are on the disk; all others stay noted as they were."""
    if not days:
        return
    with locked(place, log, account):
        sources = _read(place, log, account)
        own = sources.get(_source(base_url, tz), {}) | dict(days)
        sources[_source(base_url, tz)] = dict(sorted(own.items()))
        body = msgspec.json.encode(sources)
        path = _path(place, log, account)
        if place.local:
            replace_file(Path(path), body)
        else:
            place.fs.pipe_file(path, body)


def _source(base_url: str, tz: str) -> str:
    """Return the key of a service and a zone: a day is a different span of time in each zone."""
    return f"{base_url} {tz}"  # neither contains a blank


def _path(place: Place, log: str, account: str) -> str:
    return f"{folder(place, log, account)}/{NAME}"


def _read(place: Place, log: str, account: str) -> _Sources:
    path = _path(place, log, account)
    with archive_errors(f"read {path}"):
        try:
            body = place.fs.cat_file(path)
        except FileNotFoundError:
            return {}
    try:
        return msgspec.json.decode(body, type=_Sources)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        warnings.warn(
            f"{path} is damaged, so the days noted in it are requested from the service again",
            EyelogWarning,
            stacklevel=2,
        )
        return {}
