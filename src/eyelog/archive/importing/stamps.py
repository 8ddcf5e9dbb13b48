"""The stamps of a file's rows: text with an offset, text without one, or UNIX seconds."""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.clock import zone
from eyelog.errors import ConfigurationError
from eyelog.rfc3339 import parse_stamps

__all__ = ["NEVER", "naive", "possible", "read_stamps", "unix_stamps"]

Stamps = npt.NDArray[np.int64]

# Stands where no stamp could be read; the same value as numpy's NaT.
NEVER: Final = np.iinfo(np.int64).min
_SECOND: Final = 1_000_000
# What an archive can hold, and a datetime of any zone can show.
_FIRST: Final = np.datetime64("0001-01-02", "us").astype(np.int64)
_AFTER: Final = np.datetime64("9999-12-01", "us").astype(np.int64)
# Clocks of the 32-bit kind, as the vendor's table of ``ut`` says; milliseconds lie far above.
_LAST_SECOND: Final = 2.0**32

_NAIVE: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?", re.ASCII)
_SPACED: Final = re.compile(r"(?<=\d) +(?=[Zz+-])")  # "2026-10-24 09:00:00 +0000"


def possible(stamps: Stamps) -> npt.NDArray[np.bool_]:
    """Return which stamps lie in the years 1 to 9999, so that an archive can hold them."""
    return (stamps >= _FIRST) & (stamps < _AFTER)


def naive(text: str) -> bool:
    """Whether a text is a date and time without a zone."""
    return _NAIVE.fullmatch(text) is not None


def unix_stamps(seconds: npt.NDArray[np.float64]) -> Stamps:
    """Return instants (microseconds, UTC) of UNIX seconds, `NEVER` where they are none."""
    good = (seconds >= 0) & (seconds <= _LAST_SECOND)
    whole = np.where(good, np.round(seconds * _SECOND), 0.0).astype(np.int64)
    return np.where(good, whole, NEVER)


def read_stamps(texts: Sequence[str | None], tz: str | None) -> Stamps:
    """Return the instants (microseconds, UTC) of dates, `NEVER` where a text is none.

    A date without an offset is a clock time of `tz`. Where clocks go back and an hour comes
    twice, the order of the rows tells the two apart; where it does not, and where clocks skip an
    hour, there is no such instant.

    Raises
    ------
    ConfigurationError
        If a date has no offset and no zone is given.
    """
    stamps = np.full(len(texts), NEVER)
    local = np.zeros(len(texts), bool)
    aware = np.zeros(len(texts), bool)
    for i, text in enumerate(texts):
        if text is not None:
            local[i] = naive(text)
            aware[i] = not local[i]
    if local.any():
        if tz is None:
            text = texts[int(np.argmax(local))]
            raise ConfigurationError(
                f"the date {text!r} has no zone: say in which zone it was written, such as"
                " tz='Asia/Tokyo' (--tz Asia/Tokyo on the command line)"
            )
        at = np.flatnonzero(local)
        stamps[at] = _of_clock(_instants([f"{texts[i]}Z" for i in at.tolist()]), tz)
    at = np.flatnonzero(aware)
    stamps[at] = _instants([_SPACED.sub("", texts[i] or "") for i in at.tolist()])
    return np.where(possible(stamps), stamps, NEVER)


def _instants(texts: Sequence[str]) -> Stamps:
    try:
        return parse_stamps(texts).view(np.int64)
    except ConfigurationError:  # one of them is none: halve until it is found
        half = len(texts) // 2
        if not half:
            return np.array([NEVER])
        return np.concatenate([_instants(texts[:half]), _instants(texts[half:])])


def _of_clock(clock: Stamps, tz: str) -> Stamps:
    """Return the instants of clock times of a zone."""
    times = pd.DatetimeIndex(clock.view("M8[us]"))
    try:
        index = times.tz_localize(zone(tz), ambiguous="infer", nonexistent="NaT")
    except ValueError:
        index = times.tz_localize(zone(tz), ambiguous="NaT", nonexistent="NaT")
    return index.as_unit("us").asi8
