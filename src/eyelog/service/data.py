"""The data endpoints: one page of records from the archive, grouped by hour, as JSON."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import groupby
from typing import Any

import msgspec
import numpy as np
import pandas as pd

from eyelog.archive.store import Archive
from eyelog.catalogue import Field, catalogue, columns
from eyelog.errors import ArchiveError
from eyelog.frame import empty
from eyelog.service.cursors import Cursors
from eyelog.service.query import Query

__all__ = ["answer", "encode"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_SECOND_US = 1_000_000
_WHOLE = 2.0**53  # above it a float no longer tells one whole number from the next


def answer(
    archive: Archive, account: str, query: Query, *, cursors: Cursors, page_size: int
) -> bytes:
    """Return the body of one page.

    Only the rest of the query's window is read: from the second of the last record given up to
    the end of the range, and of the columns those that were asked for.

    Raises
    ------
    Problem
        400, if the cursor is not one of this query.
    ArchiveError
        If the archive is damaged.
    """
    bound_to = (account, page_size, *query.stated)
    start, after_us = query.start, None
    if query.cursor is not None:
        after_us = cursors.read(query.cursor, bound_to)
        start = max(start, _EPOCH + timedelta(seconds=after_us // _SECOND_US))
    asked = [name for name in query.names if name != "date"] or [columns(query.log)[0]]
    try:
        frame = archive.read(query.log, start, query.end, account=account, fields=asked)
    except ArchiveError:
        if account in archive.accounts(query.log):
            raise
        frame = empty(query.log, names=asked)  # nothing was recorded yet: no data, no error
    if after_us is not None:
        frame = frame[_stamps_us(frame) > after_us]
    cursor = None
    if len(frame) > page_size:
        frame = frame.iloc[:page_size]
        cursor = cursors.make(bound_to, int(_stamps_us(frame)[-1]))
    return encode(frame, query, cursor=cursor)


def encode(frame: pd.DataFrame, query: Query, *, cursor: str | None) -> bytes:
    """Return the records of `frame` as the body of an answer, in the offset of `query`."""
    hours: dict[str, list[Any]] = {}
    if len(frame):
        local_us = _stamps_us(frame) + query.offset // _MICROSECOND
        known = catalogue(query.log)
        lists = [
            _dates(local_us, query.offset) if name == "date" else _values(frame[name], known[name])
            for name in query.names
        ]
        # A struct writes its keys from a table made once: half the time of a dict a record.
        records = list(map(_record(query.names), *lists))
        of_hour = (local_us // (3600 * _SECOND_US) % 24).tolist()
        for hour, group in groupby(zip(of_hour, records, strict=True), key=lambda pair: pair[0]):
            hours[str(hour)] = [record for _, record in group]
    return msgspec.json.encode({query.log: hours, "cursor": cursor})


@lru_cache(maxsize=128)
def _record(names: Sequence[str]) -> Callable[..., Any]:
    return msgspec.defstruct("Record", [(name, Any) for name in names], gc=False)


def _stamps_us(frame: pd.DataFrame) -> np.ndarray[Any, np.dtype[np.int64]]:
    index = frame.index
    assert isinstance(index, pd.DatetimeIndex)  # noqa: S101 (the frame law; tells mypy)
    return index.as_unit("us").asi8


def _dates(local_us: np.ndarray[Any, np.dtype[np.int64]], offset: timedelta) -> list[str]:
    """Return RFC 3339 stamps, with a fraction only where there is one."""
    minutes = abs(offset) // timedelta(minutes=1)
    sign = "-" if offset < timedelta() else "+"
    suffix = f"{sign}{minutes // 60:02d}:{minutes % 60:02d}"
    stamps = local_us.view("datetime64[us]")
    texts: list[str] = np.datetime_as_string(stamps, unit="s").tolist()
    for i in np.flatnonzero(local_us % _SECOND_US):
        texts[i] = str(np.datetime_as_string(stamps[i], unit="us"))
    return [text + suffix for text in texts]


def _values(column: "pd.Series[Any]", known: Field) -> list[Any]:
    """Return the JSON values of a column: null for missing, whole numbers of whole fields as such.

    The encoder writes a missing float as null by itself.
    """
    if known.value_type == "float":
        return column.to_numpy(dtype="float64").tolist()
    if known.value_type != "int":
        return column.to_numpy(dtype=object, na_value=None).tolist()
    numbers = column.to_numpy(dtype="float64")
    whole = (np.floor(numbers) == numbers) & (np.abs(numbers) < _WHOLE)
    if whole.all():
        return numbers.astype("int64").tolist()
    # An archive keeps what the device sent, so a fraction in a whole field is given as it is.
    mixed = numbers.astype(object)
    mixed[whole] = numbers[whole].astype("int64")
    return mixed.tolist()
