"""Records as an answer of the service: JSON, grouped by the hour in their own offset."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, Final, cast

import msgspec
import numpy as np
import numpy.typing as npt
import pandas as pd

from eyelog.catalogue import catalogue

__all__ = ["encode_answer"]

_SECOND: Final = 1_000_000
_HOUR: Final = 3600 * _SECOND
_WHOLE: Final = 2.0**53  # above it a float cannot tell one whole number from the next


def encode_answer(
    frame: pd.DataFrame, log: str, *, names: Sequence[str] | None = None, cursor: str | None = None
) -> bytes:
    """Return records as the body of one answer of the service.

    Parameters
    ----------
    frame : DataFrame
        Records of at most one local day; the stamps are written in the zone of the index.
    log : {"computed_data", "standard_mode_logs"}
        The log of `frame`.
    names : sequence of str, optional
        The fields of a record, in this order; by default ``date`` and all columns of `frame`.
    cursor : str, optional
        Where the next page begins; null for the last page.

    Returns
    -------
    bytes
        ``{LOG: {"9": [{"date": ..., ...}, ...]}, "cursor": null}``. Each record has every field; a
        missing value is null. A whole number in an integer field of the catalogue is written
        without a fraction.
    """
    index = cast(pd.DatetimeIndex, frame.index).as_unit("us")
    local = index.tz_localize(None).asi8
    fields = ("date", *map(str, frame.columns)) if names is None else tuple(names)
    lists = [
        _dates(local, index.asi8) if name == "date" else _values(frame[name], log)
        for name in fields
    ]
    # A struct writes its keys from a table made once: half the time of a dict per record.
    records = list(map(_record(fields), *lists))
    hours: dict[str, list[Any]] = {}
    of_hour = (local // _HOUR % 24).tolist()
    for hour, group in groupby(zip(of_hour, records, strict=True), key=lambda pair: pair[0]):
        hours.setdefault(str(hour), []).extend(record for _, record in group)
    return msgspec.json.encode({log: hours, "cursor": cursor})


@lru_cache(maxsize=128)
def _record(names: tuple[str, ...]) -> Callable[..., Any]:
    if any(not name.isprintable() or '"' in name or "\\" in name for name in names):
        return lambda *values: dict(zip(names, values, strict=True))  # a struct cannot spell these
    # An unknown field may have any name, so the attributes are numbered.
    spelled = {f"f{i}": name for i, name in enumerate(names)}
    return msgspec.defstruct("Record", [(key, Any) for key in spelled], rename=spelled, gc=False)


def _dates(local: npt.NDArray[np.int64], utc: npt.NDArray[np.int64]) -> list[str]:
    """Return RFC 3339 stamps, with a fraction only if there is one."""
    texts: list[str] = np.datetime_as_string(local.view("M8[us]"), unit="s").tolist()
    for i in np.flatnonzero(local % _SECOND).tolist():
        texts[i] = str(np.datetime_as_string(local[i].view("M8[us]"), unit="us"))
    offsets, which = np.unique(local - utc, return_inverse=True)
    suffixes = [_offset(offset) for offset in offsets.tolist()]
    return [text + suffixes[i] for text, i in zip(texts, which.tolist(), strict=True)]


def _offset(us: int) -> str:
    minutes = abs(us) // (60 * _SECOND)
    return f"{'-' if us < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"


def _values(column: "pd.Series[Any]", log: str) -> list[Any]:
    """Return the values as JSON accepts them; the encoder itself writes NaN as null."""
    if column.dtype != np.float64:
        values: list[Any] = cast(Any, column.array).to_numpy(dtype=object, na_value=None).tolist()
        return values
    numbers = column.to_numpy()
    field = catalogue(log).get(str(column.name))
    if field is None or field.value_type != "int":
        return numbers.tolist()
    whole = (np.floor(numbers) == numbers) & (np.abs(numbers) < _WHOLE)
    if whole.all():
        return numbers.astype(np.int64).tolist()
    mixed = numbers.astype(object)
    mixed[whole] = numbers[whole].astype(np.int64)
    return mixed.tolist()
