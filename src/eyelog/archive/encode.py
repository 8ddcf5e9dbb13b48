"""Records as an answer of the service: JSON, grouped by the hour in their own offset."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, cast

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyelog.archive.arrow_tables import stamps_of
from eyelog.archive.utc_stamps import Stamps
from eyelog.catalogue import catalogue

_SECOND: Final = 1_000_000
_HOUR: Final = 3600 * _SECOND
_WHOLE: Final = 2.0**53  # above it a float cannot distinguish neighbouring whole numbers


def encode_table(
    table: pa.Table,
    log: str,
    *,
    offset_us: int | Stamps,
    names: Sequence[str],
    cursor: str | None = None,
) -> bytes:
    """Return the rows of a table of the archive as the body of one answer of the service.

    Parameters
    ----------
    table : pyarrow.Table
        Records of at most one local day: ``date`` in UTC, and other columns.
    log : {"computed_data", "standard_mode_logs"}
        The log of `table`.
    offset_us : int or array of int64
        Microseconds between UTC and the stamps that are written.
    names : sequence of str
        The fields of a record, in this order.
    cursor : str, optional
        Where the next page begins; null for the last page.

    Returns
    -------
    bytes
        ``{LOG: {"9": [{"date": ..., ...}, ...]}, "cursor": null}``. Each record has every field; a
        missing value is null. A whole number in an integer field of the catalogue is written
        without a fraction.
    """
    stamps = stamps_of(table)
    local = stamps + offset_us

    def values(name: str) -> list[Any]:
        if name == "date":
            return stamp_texts(local, stamps)
        column = table.column(name)
        if pa.types.is_floating(column.type):
            return _numbers(column.to_numpy(), name, log)
        return cast(list[Any], column.to_pylist())

    # A struct writes its keys from a table made once, in half the time of a dict per record.
    records = list(map(_record(tuple(names)), *map(values, names)))
    hours: dict[str, list[Any]] = {}
    hour_of = local // _HOUR
    starts = [0, *(np.flatnonzero(np.diff(hour_of)) + 1).tolist(), len(records)]
    for first, last in pairwise(starts if records else []):
        hours.setdefault(str(hour_of[first] % 24), []).extend(records[first:last])
    return msgspec.json.encode({log: hours, "cursor": cursor})


@lru_cache(maxsize=128)
def _record(names: tuple[str, ...]) -> Callable[..., Any]:
    if any(not name.isprintable() or '"' in name or "\\" in name for name in names):
        return lambda *values: dict(zip(names, values, strict=True))  # a struct cannot spell these
    # An unknown field may have any name, so the attributes are numbered.
    spelled = {f"f{i}": name for i, name in enumerate(names)}
    return msgspec.defstruct("Record", [(key, Any) for key in spelled], rename=spelled, gc=False)


def stamp_texts(local: Stamps, utc: Stamps) -> list[str]:
    """Return stamps of a local clock in RFC 3339, with a fraction only if there is one."""
    texts: list[str] = np.datetime_as_string(local.view("M8[us]"), unit="s").tolist()
    for i in np.flatnonzero(local % _SECOND).tolist():
        texts[i] = str(np.datetime_as_string(local[i].view("M8[us]"), unit="us"))
    shifts = local - utc
    if len(shifts) and (shifts == shifts[0]).all():  # an answer of the service has one offset
        suffix = _offset(int(shifts[0]))
        return [text + suffix for text in texts]
    offsets, which = np.unique(shifts, return_inverse=True)
    suffixes = [_offset(offset) for offset in offsets.tolist()]
    return [text + suffixes[i] for text, i in zip(texts, which.tolist(), strict=True)]


def _offset(us: int) -> str:
    minutes = abs(us) // (60 * _SECOND)
    return f"{'-' if us < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"


def _numbers(numbers: npt.NDArray[np.float64], name: str, log: str) -> list[Any]:
    """Return numbers as JSON accepts them; the encoder itself writes NaN as null."""
    field = catalogue(log).get(name)
    if field is None or field.value_type != "int":
        return list(numbers.tolist())
    with np.errstate(invalid="ignore"):  # from values that are not numbers, which are handled below
        integers = numbers.astype(np.int64)
    # Only whole numbers survive the round trip through integers; numbers too large come back
    # changed
    whole = (integers == numbers) & (np.abs(numbers) < _WHOLE)
    if whole.all():
        return list(integers.tolist())
    mixed = numbers.astype(object)
    mixed[whole] = integers[whole]
    return list(mixed.tolist())
