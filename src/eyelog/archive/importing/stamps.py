"""The stamps of a file's rows: text with an offset, text without one, or UNIX seconds."""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from eyelog.clock import zone
from eyelog.errors import ConfigurationError
from eyelog.rfc3339 import parse_stamps

__all__ = ["NEVER", "naive", "offsets_of", "possible", "read_stamps", "unix_stamps"]

Stamps = npt.NDArray[np.int64]

# For a text that is not a stamp; the same value as numpy's NaT.
NEVER: Final = np.iinfo(np.int64).min
_SECOND: Final = 1_000_000
# The range that an archive can hold and a datetime of any zone can represent.
_FIRST: Final = np.datetime64("0001-01-02", "us").astype(np.int64)
_AFTER: Final = np.datetime64("9999-12-01", "us").astype(np.int64)
# A 32-bit clock, according to the vendor's table of ``ut``; milliseconds are far larger.
_LAST_SECOND: Final = 2.0**32

_NAIVE: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?", re.ASCII)
_OFFSET: Final = re.compile(r"([+-]\d\d):?(\d\d)$", re.ASCII)
_SPACED: Final = re.compile(r"(?<=\d) +(?=[Zz+-])")  # "2026-10-24 09:00:00 +0000"


def offsets_of(texts: pa.ChunkedArray) -> set[str]:
    """Return the offsets that dates are written in (``+09:00``).

    ``Z`` is none of them: it says when, but not what the clock on the wall showed.
    """
    ends = pc.unique(pc.utf8_slice_codeunits(texts, -6)).to_pylist()
    matches = (_OFFSET.search(end) for end in ends if end)
    return {f"{match[1]}:{match[2]}" for match in matches if match}


def possible(stamps: Stamps) -> npt.NDArray[np.bool_]:
    """Return which stamps are in the years 1 to 9999, which an archive can hold."""
    return (stamps >= _FIRST) & (stamps < _AFTER)


def naive(text: str) -> bool:
    """Return whether a text is a date and time without an offset."""
    return _NAIVE.fullmatch(text) is not None


def unix_stamps(seconds: npt.NDArray[np.float64]) -> Stamps:
    """Return UNIX seconds as instants (microseconds, UTC), `NEVER` where they are not valid."""
    good = (seconds >= 0) & (seconds <= _LAST_SECOND)
    whole = np.where(good, np.round(seconds * _SECOND), 0.0).astype(np.int64)
    return np.where(good, whole, NEVER)


def read_stamps(texts: Sequence[str | None], tz: str | None) -> Stamps:
    """Return dates as instants (microseconds, UTC), `NEVER` where a text is not a date.

    A date without an offset is a clock time of `tz`. When clocks go back and an hour comes twice,
    the order of the rows distinguishes the two; a time that remains ambiguous, and one that the
    clocks skip, is not an instant.

    Raises
    ------
    ConfigurationError
        If a date has no offset and `tz` is None.
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
                f"the date {text!r} has no zone: give the zone in which it was written, such as"
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
    except ConfigurationError:  # one of them is not a date: halve until it is alone
        half = len(texts) // 2
        if not half:
            return np.array([NEVER])
        return np.concatenate([_instants(texts[:half]), _instants(texts[half:])])


def _of_clock(clock: Stamps, tz: str) -> Stamps:
    """Return clock times of a zone as instants."""
    times = pd.DatetimeIndex(clock.view("M8[us]"))
    try:
        index = times.tz_localize(zone(tz), ambiguous="infer", nonexistent="NaT")
    except ValueError:
        index = times.tz_localize(zone(tz), ambiguous="NaT", nonexistent="NaT")
    return index.as_unit("us").asi8
