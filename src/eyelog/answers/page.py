"""Pages of typed columns, and their join into one table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from eyelog import frame, provenance
from eyelog.catalogue import catalogue, check_fields
from eyelog.clock import zone
from eyelog.errors import MixedLogsError

__all__ = ["Joined", "Page", "join_pages", "joined_column", "joined_pages", "rows_kept"]


_MANY_RECORDS: Final = 250_000


@dataclass(frozen=True, eq=False)
class Page:
    """One decoded answer: columns in the order of the records, hours in numeric order.

    A column of JSON is an array of numpy: numbers and booleans float64 with NaN for missing, texts
    and unknown fields objects with None for missing. A column of an Arrow stream stays an array of
    Arrow, with its nulls. `stamps` are UTC instants, datetime64[us]; `lines` are the lines of the
    file from which the records come, if it has lines.
    """

    log: str
    cursor: str | None
    stamps: np.ndarray
    columns: Mapping[str, Any]  # of numpy or of Arrow
    unknown: tuple[str, ...]
    lines: np.ndarray | None = None

    @property
    def n(self) -> int:
        """The number of records."""
        return len(self.stamps)


class Joined(NamedTuple):
    """One table of some pages, and what had to be left out.

    `repeated` is the number of records left out because their stamp was repeated, `conflicts` the
    number of stamps with different records.
    """

    frame: pd.DataFrame
    repeated: int
    conflicts: int


def join_pages(
    pages: Sequence[Page], log: str, *, tz: str = "UTC", fields: Sequence[str] | None = None
) -> pd.DataFrame:
    """Join the pages of a walk into one table, the frame of `joined_pages`."""
    return joined_pages(pages, log, tz=tz, fields=fields).frame


def joined_pages(
    pages: Sequence[Page],
    log: str,
    *,
    tz: str = "UTC",
    fields: Sequence[str] | None = None,
    spend: bool = False,
) -> Joined:
    """Join the pages of a walk into one table, and count the repeated records.

    The same record on two pages counts once. If different records have one stamp, the one on the
    later page is kept, or the later one in its list.

    Parameters
    ----------
    pages : sequence of Page
        In the order of the walk.
    log : {"computed_data", "standard_mode_logs"}
        The log of all pages.
    tz : str
        Zone of the index.
    fields : sequence of str, optional
        The columns of the table; by default all fields of the catalogue, and after them the
        unknown fields of the pages, with an `EyelogWarning`.
    spend : bool
        Take each column out of the pages once it is joined, so that the pages of a large file and
        its table are not in memory at once.

    Returns
    -------
    Joined
        Its ``frame``: index ``date`` (aware in `tz`, sorted, unique); columns in catalogue order
        with the catalogue's dtypes. Unknown fields are float64 if all their values are numbers,
        else object. Its history has the same counts, for people.

    Raises
    ------
    MixedLogsError
        If a page is of the other log.
    """
    names = check_fields(log, fields)
    for page in pages:
        if page.log != log:
            raise MixedLogsError(f"a page of {page.log!r} among pages of {log!r}")
    unknown = tuple(dict.fromkeys(name for page in pages for name in page.unknown))
    unknown = unknown if fields is None else ()
    frame.warn_unknown(log, unknown)
    filled = [page for page in pages if page.n]
    if not filled:
        empty = frame.empty(log, tz=tz, names=names)
        provenance.record(empty, "decode", log=log, records=0, repeated=0, conflicts=0)
        return Joined(empty, 0, 0)

    stamps = np.concatenate([page.stamps for page in filled])
    order = _Order(stamps)
    specs = catalogue(log)
    data: dict[str, Any] = {}
    for name in (*names, *unknown):
        dtype = specs[name].dtype if name in specs else ""
        data[name] = _array(order.of(joined_column(filled, name, dtype)), dtype)
        if spend:
            for page in filled:
                cast(dict[str, Any], page.columns).pop(name, None)
            if len(stamps) > _MANY_RECORDS:
                pa.default_memory_pool().release_unused()  # x it for later tables
    index = pd.DatetimeIndex(order.of_stamps(stamps), name="date").tz_localize("UTC")
    joined = pd.DataFrame(data, index=index.tz_convert(zone(tz)), copy=False)
    repeated, conflicts = len(stamps) - len(joined), order.conflicts
    provenance.record(
        joined,
        "decode",
        log=log,
        records=len(joined),
        repeated=repeated,
        conflicts=conflicts,
    )
    return Joined(joined, repeated, conflicts)


class _Order:
    """Which records are kept, in order of time, and how many stamps have different records."""

    def __init__(self, stamps: np.ndarray) -> None:
        self._take: np.ndarray | None = None
        self._pairs: tuple[np.ndarray, np.ndarray] | None = None
        if (stamps[1:] > stamps[:-1]).all():
            return
        take = np.argsort(stamps, kind="stable")
        ordered = stamps[take]
        again = ordered[1:] == ordered[:-1]
        if again.any():
            self._pairs = take[:-1][again], take[1:][again]
            self._differ = np.zeros(int(again.sum()), bool)
            self._stamps = ordered[1:][again]
            take = take[np.append(~again, True)]  # the last of each stamp
        self._take = take

    @property
    def kept(self) -> np.ndarray | None:
        """The places of the records that are kept, in order; None if all are, in their order."""
        return self._take

    def of_stamps(self, stamps: np.ndarray) -> np.ndarray:
        """Return the stamps that are kept, in order."""
        return stamps if self._take is None else stamps[self._take]

    def of(self, column: np.ndarray) -> np.ndarray:
        """Return the values that are kept, in order; note where repeated records differ."""
        if self._pairs is not None:
            self._differ |= ~_same(column[self._pairs[0]], column[self._pairs[1]])
        return column if self._take is None else column[self._take]

    @property
    def conflicts(self) -> int:
        """The number of stamps with different records."""
        return 0 if self._pairs is None else len(np.unique(self._stamps[self._differ]))


def joined_column(pages: Sequence[Page], name: str, dtype: str) -> np.ndarray:
    """Return the values of a field of all pages as from JSON; `dtype` "": an unknown field."""
    # One allocation per column, of its final length: the cost is linear in the days.
    return np.concatenate([_part(page, name, dtype) for page in pages])


def rows_kept(stamps: np.ndarray) -> np.ndarray | None:
    """Return the rows that `join_pages` keeps of some stamps, in order; None for all as they are.

    Of several records with one stamp the last is kept.
    """
    return _Order(stamps).kept


def _same(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    if left.dtype == object:
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        return np.fromiter((a is b or bool(a == b) for a, b in pairs), bool, len(left))
    return np.asarray((left == right) | (np.isnan(left) & np.isnan(right)))


def _part(page: Page, name: str, dtype: str) -> np.ndarray:
    column = page.columns.get(name)
    if isinstance(column, pa.Array):
        return _from_arrow(column, dtype)
    if column is not None:
        return np.asarray(column)
    if dtype in ("float64", "boolean"):
        return np.full(page.n, np.nan)
    return np.full(page.n, None, object)


def _from_arrow(column: pa.Array, dtype: str) -> np.ndarray:
    """Return an array of Arrow as JSON would have given it."""
    if dtype == "boolean":
        column = pc.cast(column, pa.float64())
    values = column.to_numpy(zero_copy_only=False)
    return np.asarray(values, np.float64 if pa.types.is_floating(column.type) else object)


def _array(column: np.ndarray, dtype: str) -> Any:
    """Return the values of a column in a dtype of the catalogue; "" means an unknown field."""
    if dtype == "boolean":
        return pd.arrays.BooleanArray(column == 1, np.isnan(column))
    if dtype == "string":
        return pd.array(column, dtype="string")
    if dtype == "" and all(v is None or type(v) in (int, float) for v in column.tolist()):
        try:
            return column.astype(np.float64)
        except OverflowError:  # an integer beyond any float is kept as it is
            return column
    return column
