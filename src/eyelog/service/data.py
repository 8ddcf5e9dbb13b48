"""The data endpoints: one page of records from the archive, grouped by hour, as JSON."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import lru_cache
from itertools import groupby
from typing import Any, cast

import msgspec
import numpy as np
import pandas as pd

from eyelog.catalogue import Field, catalogue
from eyelog.service.cursors import Cursors
from eyelog.service.query import Query
from eyelog.service.windows import Windows

__all__ = ["answer", "encode"]

_MICROSECOND = timedelta(microseconds=1)
_SECOND_US = 1_000_000
_WHOLE = 2.0**53  # above it a float no longer tells one whole number from the next


def answer(
    windows: Windows, account: str, query: Query, *, cursors: Cursors, page_size: int
) -> bytes:
    """Return the body of one page.

    Raises
    ------
    Problem
        400, if the cursor is not one of this query.
    ArchiveError
        If the archive is damaged.
    """
    bound_to = (account, page_size, *query.stated)
    after_us = None if query.cursor is None else cursors.read(query.cursor, bound_to)
    frame = windows.read(query, account, keep_above=page_size)
    stamps = _stamps_us(frame)
    first = 0 if after_us is None else int(stamps.searchsorted(after_us, side="right"))
    last = first + page_size
    more = last < len(frame)
    cursor = cursors.make(bound_to, int(stamps[last - 1])) if more else None
    return encode(frame.iloc[first:last], query, cursor=cursor)


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
        texts: list[Any] = cast(Any, column.array).to_numpy(dtype=object, na_value=None).tolist()
        return texts
    numbers = column.to_numpy(dtype="float64")
    whole = (np.floor(numbers) == numbers) & (np.abs(numbers) < _WHOLE)
    if whole.all():
        return numbers.astype("int64").tolist()
    # An archive keeps what the device sent, so a fraction in a whole field is given as it is.
    mixed = numbers.astype(object)
    mixed[whole] = numbers[whole].astype("int64")
    return mixed.tolist()
