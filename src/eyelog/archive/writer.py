"""What a frame says to an archive, month by month, and how it gets there."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, tzinfo
from typing import Final, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.archive.layout import Place, month_edges, months, months_of
from eyelog.archive.months import Change, locked, write_months
from eyelog.archive.reader import instant_us, overlap
from eyelog.archive.rows import table_of
from eyelog.catalogue import check_log
from eyelog.clock import DAY, day_start, parse_day
from eyelog.errors import ConfigurationError
from eyelog.frame import conform, log_of

__all__ = ["Told", "told", "write"]

_FIRST: Final = int(np.datetime64("0001-01-01", "us").astype(np.int64))
_LAST: Final = int(np.datetime64("9999-12-01", "us").astype(np.int64))


@dataclass(frozen=True, slots=True)
class Told:
    """A frame that can be written, and the spans (microseconds) that it holds whole."""

    log: str
    frame: pd.DataFrame
    stamps: npt.NDArray[np.int64]
    spans: tuple[tuple[int, int], ...]


def told(frame: pd.DataFrame, log: str, days: Iterable[str | date] | None) -> Told:
    """Check a frame and say what it tells; `days` are local days of its own zone.

    Raises
    ------
    MixedLogsError
        If `frame` is of the other log.
    ConfigurationError
        If the index is naive, a stamp is missing or of no year that a folder can be named after.
    """
    log_of(frame, check_log(log))
    shaped = conform(frame, log, tz="UTC")
    tz = cast(tzinfo, cast(pd.DatetimeIndex, frame.index).tz)
    named = [days] if isinstance(days, str | date) else days or ()
    firsts = [parse_day(day) for day in named]
    spans = ((instant_us(day_start(d, tz)), instant_us(day_start(d + DAY, tz))) for d in firsts)
    return Told(log, shaped, _stamps(shaped), tuple(sorted(spans)))


def _stamps(frame: pd.DataFrame) -> npt.NDArray[np.int64]:
    index = cast(pd.DatetimeIndex, frame.index)
    if index.hasnans:
        raise ConfigurationError(
            "a stamp of the frame is missing (NaT): drop those rows (frame[frame.index.notna()])"
        )
    stamps = index.asi8
    if len(stamps) and not (stamps[0] >= _FIRST and stamps[-1] < _LAST):
        raise ConfigurationError(
            f"a stamp lies outside the years 1 to 9999: {index[0]} to {index[-1]}"
        )
    return stamps


def write(place: Place, account: str, said: Told) -> list[str]:
    """Merge what a frame tells; return the months that changed."""
    if not len(said.stamps) and not said.spans:
        return []
    with locked(place, said.log, account):
        held = months(place, said.log, account)
        emptied = {m for m in held if any(overlap(m, span) for span in said.spans)}
        names = sorted(emptied | set(months_of(said.stamps)))
        # One month at a time becomes a table, so that a year needs no second copy of itself.
        changes = (_change(said, month) for month in names)
        return write_months(place, said.log, account, changes)


def _change(said: Told, month: str) -> Change:
    low, high = np.searchsorted(said.stamps, month_edges(month)).tolist()
    return Change(month, table_of(said.frame.iloc[low:high], said.log), said.spans)
