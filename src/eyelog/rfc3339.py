"""RFC 3339 stamps: text to instants, one or many at once, and back."""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

import numpy as np

from eyelog.errors import ConfigurationError

__all__ = ["fixed_stamps", "format_rfc3339", "parse_rfc3339", "parse_stamps"]

RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)", re.ASCII
)


def parse_rfc3339(text: str) -> datetime:
    """Return the aware datetime of a stamp with ``Z``, ``+09:00`` or ``+0900``.

    Raises
    ------
    ConfigurationError
        If the text is not a date and time with an offset.
    """
    # fromisoformat alone accepts too much: week dates, text after a NUL, odd offsets.
    if isinstance(text, str) and RFC3339.fullmatch(text):
        with suppress(ValueError):
            return datetime.fromisoformat(text.upper())
    raise ConfigurationError(
        f"{text!r} is not an RFC 3339 date and time with an offset"
        " (such as 2026-10-24T09:00:00+09:00)"
    )


def parse_stamps(texts: Sequence[str]) -> np.ndarray:
    """Return the UTC instants (datetime64[us]) of many RFC 3339 stamps at once.

    Stamps of whole seconds in one spelling (``Z``, ``+09:00`` or ``+0900``) are read as a column;
    all others one by one through `parse_rfc3339`, with the same result.

    Raises
    ------
    ConfigurationError
        If a text is not a date and time with an offset.
    """
    widths = set(map(len, texts))
    if len(widths) == 1 and (width := widths.pop()) in (20, 24, 25):
        joined = "".join(texts)
        if joined.isascii():
            chars = np.frombuffer(joined.encode("ascii"), np.uint8).reshape(-1, width)
            instants = fixed_stamps(chars)
            if instants is not None:
                return instants
    epoch, tick = datetime(1970, 1, 1), timedelta(microseconds=1)  # noqa: DTZ001 - UTC by subtraction
    whole = np.empty(len(texts), np.int64)
    for i, text in enumerate(texts):
        parsed = parse_rfc3339(text)
        # Not astimezone: a stamp of year 1 or 9999 may leave the range of a datetime.
        offset = parsed.utcoffset() or timedelta()
        whole[i] = (parsed.replace(tzinfo=None) - epoch - offset) // tick
    return whole.view("datetime64[us]")


def fixed_stamps(chars: np.ndarray) -> np.ndarray | None:
    """Return the instants of ``YYYY-MM-DDThh:mm:ss`` plus offset; None if one does not fit.

    `chars` has a row of 20, 24 or 25 characters (uint8) per stamp.
    """
    width = chars.shape[1]
    signs = {4: "-", 7: "-", 10: "T", 13: ":", 16: ":"} | ({22: ":"} if width == 25 else {})
    tail = [] if width == 20 else [20, 21, width - 2, width - 1]
    digits = chars[:, [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, *tail]].astype(np.int64) - 48
    east = chars[:, 19] == ord("+")
    ends = chars[:, 19] == ord("Z") if width == 20 else east | (chars[:, 19] == ord("-"))
    marks = all((chars[:, at] == ord(sign)).all() for at, sign in signs.items())
    if not (marks and ends.all() and ((digits >= 0) & (digits <= 9)).all()):
        return None
    pairs = digits[:, ::2] * 10 + digits[:, 1::2]
    year = pairs[:, 0] * 100 + pairs[:, 1]
    month, day, hour, minute, second = pairs[:, 2:7].T
    first = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    opens = first.astype("datetime64[D]").astype(np.int64)
    length = (first + 1).astype("datetime64[D]").astype(np.int64) - opens
    good = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= length)
    good &= (hour < 24) & (minute < 60) & (second < 60)
    total = (((opens + day - 1) * 24 + hour) * 60 + minute) * 60 + second
    if width > 20:
        good &= (pairs[:, 7] < 24) & (pairs[:, 8] < 60)
        total -= np.where(east, 60, -60) * (pairs[:, 7] * 60 + pairs[:, 8])
    return (total * 1_000_000).view("datetime64[us]") if good.all() else None


def format_rfc3339(stamp: datetime) -> str:
    """Return ``YYYY-MM-DDThh:mm:ss±hh:mm``, with a fraction only if there is one."""
    if stamp.tzinfo is None:
        raise ConfigurationError(f"{stamp} has no time zone: give an aware datetime")
    return datetime.isoformat(stamp)
