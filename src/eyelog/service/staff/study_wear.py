"""When each wearer of a study wore the eyewear, who has stopped, how much is usable; made apart."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import pandas as pd

from eyelog.analysis.daily import daily
from eyelog.analysis.quality.states import states
from eyelog.archive.inventory import last_stamp
from eyelog.archive.months import month_path, months
from eyelog.archive.place import Place
from eyelog.archive.store import Archive, place_of
from eyelog.catalogue import LOGS
from eyelog.clock import LocalClock
from eyelog.errors import ArchiveError
from eyelog.frame import clock_of
from eyelog.service.account.own_days import as_png

__all__ = ["DAYS", "STOPPED_DAYS", "StudyWear", "Wear", "study_wear"]

DAYS: Final = 14
STOPPED_DAYS: Final = 3
_LOGS: Final = (LOGS[1], LOGS[0])  # the 60-second log first: it exists without the phone too


class Wear(msgspec.Struct):
    """What came in of one wearer: stamps in seconds since 1970, hours and shares of `DAYS` days."""

    account: str
    came_in: float | None = None
    last_record: float | None = None
    days_worn: int | None = None
    worn_h: float | None = None  # per day worn
    usable: float | None = None  # share of the time worn
    fault: bool = False


class StudyWear(msgspec.Struct):
    """The wearers that are shown, with a picture; and of the whole study, who sends nothing."""

    wearers: list[Wear]
    stopped: list[str]
    nothing: list[str]
    picture: str = ""
    not_drawn: int = 0


def study_wear(
    archive: str, accounts: Sequence[str], shown: Sequence[str], now: float
) -> Iterator[bytes]:
    """Yield what came in of a study, as JSON of a `StudyWear`.

    Parameters
    ----------
    archive : str
        The archive's folder.
    accounts : sequence of str
        All wearers of the study.
    shown : sequence of str
        Those to describe and to draw.
    now : float
        The time, in seconds since 1970.
    """
    store = Archive(archive)
    place = place_of(store)
    latest = {name: _last(place, name) for name in accounts}
    until = max((one.last_record or 0.0 for one in latest.values()), default=0.0)
    drawn: dict[str, dict[str, pd.Series[Any]]] = {log: {} for log in LOGS}
    for name in shown:
        if latest[name].last_record is not None:
            _describe(store, latest[name], until, drawn)
    log = next((log for log in _LOGS if drawn[log]), _LOGS[0])
    before = now - STOPPED_DAYS * 86400
    study = StudyWear(
        wearers=[latest[name] for name in shown],
        stopped=[n for n, one in latest.items() if one.last_record and one.last_record < before],
        nothing=[name for name, one in latest.items() if one.last_record is None and not one.fault],
        picture=_picture(drawn[log]),
        not_drawn=len(shown) - len(drawn[log]),
    )
    yield msgspec.json.encode(study)


def _last(place: Place, account: str) -> Wear:
    """Return when records of an account last came in, and the stamp of the last one."""
    wear = Wear(account)
    for log in _LOGS:
        present = months(place, log, account)
        if not present:
            continue
        path = month_path(place, log, account, present[-1])
        wear.came_in = max(wear.came_in or 0.0, Path(path).stat().st_mtime)
        try:
            wear.last_record = max(
                wear.last_record or 0.0, last_stamp(place, log, account, present[-1]) / 1e6
            )
        except ArchiveError:
            wear.fault = True
    return wear


def _describe(
    store: Archive, wear: Wear, until: float, drawn: dict[str, dict[str, "pd.Series[Any]"]]
) -> None:
    """Add the wear of the study's last days."""
    since = datetime.fromtimestamp(until - (DAYS + 1) * 86400, UTC)
    for log in _LOGS:
        if not months(place_of(store), log, wear.account):
            continue
        try:
            frame = store.read(log, since, account=wear.account, fields="daily")
        except ArchiveError:
            wear.fault = True
            continue
        if not len(frame):
            continue
        first = _first_day(clock_of(frame), until)
        table = daily(frame)
        table = table[table.index >= first]
        if not len(table):
            continue
        hours = table["worn_h"].dropna()
        worn = hours[hours > 0]
        wear.days_worn = len(worn)
        wear.worn_h = float(worn.mean()) if len(worn) else 0.0
        if worn.sum() > 0:
            wear.usable = float(table["valid_h"].sum() / worn.sum())
        by_clock = _by_own_clock(frame)
        drawn[log][wear.account] = by_clock[by_clock.index > first.tz_localize("UTC")]
        return
    wear.days_worn = wear.days_worn or 0


def _first_day(clock: LocalClock, until: float) -> pd.Timestamp:
    """Return the first of the last days; a record stamped at midnight is of the day that ended."""
    last_us = clock.wall_us(np.array([int(until * 1e6) - 1]))[0]
    return pd.Timestamp(last_us, unit="us").normalize() - pd.Timedelta(days=DAYS - 1)


def _by_own_clock(frame: pd.DataFrame) -> "pd.Series[Any]":
    """Return the states of a wearer by what the wearer's clock showed, as if it were in UTC."""
    state = states(frame)
    wall = clock_of(frame).wall_us(frame.index.as_unit("us").asi8)  # type: ignore[attr-defined]
    state.index = pd.DatetimeIndex(pd.to_datetime(wall, unit="us", utc=True), name="date")
    return state[~state.index.duplicated(keep="last")].sort_index()


def _picture(drawn: dict[str, "pd.Series[Any]"]) -> str:
    from eyelog.figures.overview import plot_overview

    if not drawn:
        return ""
    ax = plot_overview(pd.concat(drawn, names=["account"]))
    ax.set_xlabel("Time of day (each wearer's clock)")
    return as_png(ax)
