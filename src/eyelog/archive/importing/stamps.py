"""The stamps of a file's rows: text with an offset, text without one, or UNIX seconds."""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from eyelog.archive.importing.csv_cells import Mask, texts_of
from eyelog.archive.utc_stamps import instant_us
from eyelog.clock import FILE_ZONE, Zones, zone
from eyelog.errors import ConfigurationError, argument
from eyelog.rfc3339 import fixed_stamps, parse_stamps

__all__ = [
    "NEVER",
    "Stamps",
    "minutes_of",
    "naive",
    "offsets_of",
    "possible",
    "read_stamps",
    "unclear",
    "unix_stamps",
]

Stamps = npt.NDArray[np.int64]

# For a text that is not a stamp; the same value as numpy's NaT.
NEVER: Final = np.iinfo(np.int64).min
_SECOND: Final = 1_000_000
# The range that an archive can hold and a datetime of any zone can represent.
_FIRST: Final = np.datetime64("0001-01-02", "us").astype(np.int64)
_AFTER: Final = np.datetime64("9999-12-01", "us").astype(np.int64)
# A 32-bit clock, according to the vendor's table of ``ut``; milliseconds are far larger.
_LAST_SECOND: Final = 2.0**32

# The year comes first, so that month and day cannot be mistaken for one another. Spreadsheet
# programs write slashes, and leave out leading zeros and seconds.
_FORM: Final = re.compile(
    r"(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?:[Tt]| +)(\d{1,2}):(\d\d)(?::(\d\d)(\.\d+)?)?"
    r" *([Zz]|[+-]\d\d:?\d\d)?",
    re.ASCII,
)
_OFFSET: Final = re.compile(r"([+-]\d\d):?(\d\d)$", re.ASCII)
_YEAR_LAST: Final = re.compile(r"\d{1,2}([-/. ])\d{1,2}\1\d{2,4}\b.*", re.ASCII)


def offsets_of(texts: pa.ChunkedArray) -> set[str]:
    """Return the offsets that dates are written in (``+09:00``).

    ``Z`` is not included: it gives the instant, but not the local clock time.
    """
    ends = pc.unique(pc.utf8_slice_codeunits(texts, -6)).to_pylist()
    matches = (_OFFSET.search(end) for end in ends if end)
    return {f"{match[1]}:{match[2]}" for match in matches if match}


def minutes_of(texts: pa.ChunkedArray | pa.Array) -> npt.NDArray[np.float64]:
    """Return the offset of each date in minutes, NaN for ``Z`` and for a date without one."""
    ends = pc.dictionary_encode(pc.utf8_slice_codeunits(texts, -6))
    ends = ends.combine_chunks() if isinstance(ends, pa.ChunkedArray) else ends
    matches = [_OFFSET.search(end or "") for end in ends.dictionary.to_pylist()]
    minutes = [float("nan") if m is None else _minutes(m[1], m[2]) for m in matches]
    at = ends.indices.to_numpy(zero_copy_only=False)
    at = np.where(np.isnan(at), len(minutes), at).astype(np.int64)
    minutes_of_rows: npt.NDArray[np.float64] = np.array([*minutes, np.nan])[at]
    return minutes_of_rows


def _minutes(hours: str, minutes: str) -> float:
    total = int(hours[1:]) * 60.0 + int(minutes)
    return -total if hours[0] == "-" else total


def possible(stamps: Stamps) -> Mask:
    """Return which stamps are in the years 1 to 9999, which an archive can hold."""
    return (stamps >= _FIRST) & (stamps < _AFTER)


def naive(text: str) -> bool:
    """Return whether a text is a date and time without an offset."""
    match = _FORM.fullmatch(text)
    return match is not None and match[9] is None


def unclear(text: str | None) -> bool:
    """Return whether a text is a date whose day and month can be mistaken for one another."""
    return text is not None and _YEAR_LAST.fullmatch(text.strip()) is not None


def unix_stamps(seconds: npt.NDArray[np.float64]) -> Stamps:
    """Return UNIX seconds as instants (microseconds, UTC), `NEVER` if they are not valid."""
    good = (seconds >= 0) & (seconds <= _LAST_SECOND)
    whole = np.where(good, np.round(seconds * _SECOND), 0.0).astype(np.int64)
    return np.where(good, whole, NEVER)


def read_stamps(column: pa.ChunkedArray, tz: str | Zones | None) -> tuple[Stamps, Mask]:
    """Return dates as instants (microseconds, UTC), `NEVER` if a text is not a date.

    A date without an offset is a clock time of `tz`. When clocks go back and an hour occurs twice,
    the order of the rows distinguishes the two; a time that remains ambiguous, and one that the
    clocks skip, is not an instant.

    Returns
    -------
    stamps, minutes
        The instants, and which of the dates have no seconds.

    Raises
    ------
    ConfigurationError
        If a date has no offset and `tz` is None.
    """
    read = _by_columns(column, tz)
    stamps, minutes = _one_by_one(texts_of(column).tolist(), tz) if read is None else read
    return np.where(possible(stamps), stamps, NEVER), minutes


def _by_columns(column: pa.ChunkedArray, tz: str | Zones | None) -> tuple[Stamps, Mask] | None:
    """Read dates that are all written in the same way; None if they are not."""
    chars = _characters(column)
    if chars is None:
        return None
    count, width = chars.shape
    if width < 16:
        return None
    if (chars[:, [4, 7]] == ord("/")).all() or (chars[:, 10] == ord(" ")).all():
        chars = chars.copy()
        slashes = chars[:, [4, 7]] == ord("/")
        if slashes.all():
            chars[:, [4, 7]] = ord("-")
        if (chars[:, 10] == ord(" ")).all():
            chars[:, 10] = ord("T")
    local = width in (16, 19)
    if local:
        tail = np.frombuffer(b":00Z" if width == 16 else b"Z", np.uint8)
        chars = np.concatenate([chars, np.broadcast_to(tail, (count, len(tail)))], axis=1)
    elif width in (25, 26) and (chars[:, 19] == ord(" ")).all():  # "... 09:00:00 +0000"
        chars = np.delete(chars, 19, axis=1)
    if chars.shape[1] not in (20, 24, 25):
        return None
    read = fixed_stamps(chars)
    if read is None:
        return None
    stamps = read.view(np.int64)
    if local:
        stamps = _of_clock(stamps, _known(tz, column[0].as_py()))
    return stamps, np.full(count, width == 16)


def _characters(column: pa.ChunkedArray) -> npt.NDArray[np.uint8] | None:
    """Return texts of one length as rows of ASCII characters, without copying; None for others."""
    texts = column.combine_chunks()
    if isinstance(texts, pa.ChunkedArray):  # of no or several chunks, in some versions
        texts = pa.concat_arrays(texts.chunks) if texts.num_chunks else pa.array([], pa.string())
    if not len(texts) or texts.null_count:
        return None
    limits = pc.min_max(pc.binary_length(texts)).as_py()
    width = limits["min"]
    if not width or limits["max"] != width:
        return None
    first = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset]
    size = len(texts) * width
    data = np.frombuffer(texts.buffers()[2], np.uint8)[first : first + size]
    return data.reshape(-1, width) if data.max() < 128 else None


def _one_by_one(texts: Sequence[str | None], tz: str | Zones | None) -> tuple[Stamps, Mask]:
    """Read dates however each of them is written."""
    stamps = np.full(len(texts), NEVER)
    minutes = np.zeros(len(texts), bool)
    plain: dict[int, str] = {}
    local: list[int] = []
    for i, text in enumerate(texts):
        match = None if text is None else _FORM.fullmatch(text)
        if match is None:
            continue
        year, _, month, day, hour, minute, second, fraction, offset = match.groups()
        minutes[i] = second is None
        if offset is None:
            local.append(i)
        plain[i] = (
            f"{year}-{month:0>2}-{day:0>2}T{hour:0>2}:{minute}:{second or '00'}{fraction or ''}"
            f"{offset or 'Z'}"
        )
    if plain:
        stamps[list(plain)] = _instants(list(plain.values()))
    if local:
        place = _known(tz, texts[local[0]])
        stamps[local] = _of_clock(stamps[local], place)
    return stamps, minutes


def _known(tz: str | Zones | None, text: str | None) -> str | Zones:
    """Return the zone of a date without an offset, or say that it is needed."""
    if tz is None or tz == FILE_ZONE:
        raise ConfigurationError(
            f"the date {text!r} has no zone: give the zone in which it was written, such as"
            f" {argument('tz', 'Asia/Tokyo')}"
        )
    return tz


def _instants(texts: Sequence[str]) -> Stamps:
    try:
        return parse_stamps(texts).view(np.int64)
    except ConfigurationError:  # one of them is not a date: halve until it is isolated
        half = len(texts) // 2
        if not half:
            return np.array([NEVER])
        return np.concatenate([_instants(texts[:half]), _instants(texts[half:])])


def _of_clock(clock: Stamps, tz: str | Zones) -> Stamps:
    """Return clock times of a zone, or of zones, as instants; `NEVER` is left unchanged."""
    if isinstance(tz, Zones):
        return _of_clock(clock, tz.home) if not tz.vary else _of_clocks(clock, tz)
    times = pd.DatetimeIndex(clock.view("M8[us]"))
    try:
        index = times.tz_localize(zone(tz), ambiguous="infer", nonexistent="NaT")
    except ValueError:
        index = times.tz_localize(zone(tz), ambiguous="NaT", nonexistent="NaT")
    return index.as_unit("us").asi8


def _of_clocks(clock: Stamps, zones: Zones) -> Stamps:
    """Return clock times as instants, where the zone of the clock changes.

    If the clock shows a time in two zones, the first instant after the row before is used, as where
    a clock goes back.
    """
    edges = [instant_us(change) for change in zones.changes()[1:]]
    spans = zip([NEVER, *edges], [*edges, np.iinfo(np.int64).max], zones.rows, strict=True)
    read = []
    for opens, closes, (_, name) in spans:
        stamps = _of_clock(clock, name)
        # A stamp closes its interval: that of the change is still of the zone before.
        read.append(np.where((stamps > opens) & (stamps <= closes), stamps, NEVER))
    every = np.array(read)
    fits = every != NEVER
    instants: Stamps = every[fits.argmax(axis=0), np.arange(len(clock))]
    for row in np.flatnonzero(fits.sum(axis=0) > 1).tolist():
        both = np.sort(every[fits[:, row], row])
        later = both[both > instants[row - 1]] if row else both
        instants[row] = later[0] if len(later) else both[-1]
    return instants
