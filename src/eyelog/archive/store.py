"""The archive: years of both logs of many accounts in Parquet files.

Any Parquet tool opens the files; `Archive` keeps them whole and gives them back as frames. What
is done to one file stands in `months`, what lies where in `layout`.
"""

import os
from collections.abc import Iterable
from contextlib import ExitStack
from datetime import date, datetime
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa

from eyelog import provenance
from eyelog.archive import layout, months, rows
from eyelog.catalogue import LOGS, check_fields, check_log
from eyelog.clock import DAY, SECOND, day_start, instant_range, parse_day
from eyelog.errors import ConfigurationError
from eyelog.frame import conform, log_of

__all__ = ["Archive"]

Day = str | date
Instant = str | date | datetime
_FIRST: Final = int(np.datetime64("0001-01-01", "us").astype(np.int64))
_LAST: Final = int(np.datetime64("9999-12-01", "us").astype(np.int64))


class Archive:
    """Logs in Parquet files, one a month, log and account.

    Parameters
    ----------
    path : str or path
        A local folder (made when something is first written), or any URL that fsspec knows
        (``memory://``, ``s3://``, ``gs://``).

    Attributes
    ----------
    path : str
        The absolute folder, or the URL without credentials.

    Notes
    -----
    A record belongs to the month of its stamp in UTC. Writing is atomic for each month: whatever
    happens, a month is the old one or the new one. On a local disk two processes that write at
    once wait for one another; on an object store they cannot, and of two that write the same month
    at the same moment the later one wins.

    Examples
    --------
    >>> import eyelog as el
    >>> archive = el.Archive("memory://doc-archive")
    >>> archive.write("standard_mode_logs", el.sample("standard_mode_logs"), account="me")
    >>> archive.accounts()
    ['me']
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._place = layout.open_place(path)
        self.path = self._place.name

    def __repr__(self) -> str:
        return f"Archive({self.path!r})"

    def accounts(self, log: str | None = None) -> list[str]:
        """Return the accounts that the archive holds, sorted.

        Parameters
        ----------
        log : {"computed_data", "standard_mode_logs"}, optional
            Only the accounts that hold this log.

        Returns
        -------
        list of str
            Empty where the archive holds nothing, or is not there yet.

        Raises
        ------
        ConfigurationError
            If there is no such log.
        ArchiveError
            If the archive cannot be listed.
        """
        logs = LOGS if log is None else (check_log(log),)
        with layout.archive_errors(f"list the archive {self.path}"):
            return sorted({name for each in logs for name in layout.accounts(self._place, each)})

    def read(
        self,
        log: str,
        start: Instant,
        end: Instant,
        *,
        account: str = "me",
        fields: Iterable[str] | None = None,
        tz: str | None = None,
    ) -> pd.DataFrame:
        """Read the records whose stamps lie in a range.

        Only the months, the groups of four days and the columns that are asked for are read.

        Parameters
        ----------
        log : {"computed_data", "standard_mode_logs"}
            The 15-second or the 60-second log.
        start, end : str, date or aware datetime
            Inclusive local days of `tz` (``"2026-10-24"``), or instants; the last second is
            taken whole, a stamp with a fraction inside it included.
        account : str
            Whose records.
        fields : iterable of str, optional
            Exactly these columns, in catalogue order; default all, and those that the catalogue
            does not know, last.
        tz : str, optional
            IANA zone of the days and of the index; default UTC.

        Returns
        -------
        DataFrame
            Index ``date`` (aware in `tz`, sorted, unique, microseconds); columns in catalogue
            order: numbers float64, booleans ``boolean``, text ``string``. A range without records
            is an empty frame of that shape.

        Raises
        ------
        ArchiveError
            If the archive does not hold this log of this account (the message says what it
            holds), or a file is damaged.
        FieldError
            If a field is not in the catalogue.
        ConfigurationError
            If the log, the zone or the range cannot be.

        Examples
        --------
        >>> import eyelog as el
        >>> archive = el.Archive("memory://doc-archive")
        >>> sample = el.sample("standard_mode_logs")
        >>> archive.write("standard_mode_logs", sample, account="me")
        >>> first = sample.index[0]
        >>> frame = archive.read("standard_mode_logs", first, first, fields=["bl", "val_s"])
        >>> list(frame.columns)
        ['val_s', 'bl']
        """
        zone = "UTC" if tz is None else tz
        chosen = None if fields is None else check_fields(log, fields)
        first, after = span_of(start, end, zone)
        with layout.archive_errors(f"read {log!r} of {account!r} from {self.path}"):
            table = self._table(log, account, first, after, chosen)
            frame = rows.frame_of(table, zone)
        edges = {"start": _iso(first), "end": _iso(after - 1_000_000)}
        return provenance.record(frame, "archive", log=log, account=account, **edges)

    def write(
        self,
        log: str,
        frame: pd.DataFrame,
        *,
        account: str,
        days: Iterable[Day] | None = None,
    ) -> None:
        """Merge records into the archive.

        Where the archive has a stamp already, the new record wins, in the columns that `frame`
        has; nothing else is lost. With `days` those local days become exactly what `frame` holds
        of them, so a record that is not in `frame` any more goes. Writing the same records again
        touches no file.

        Parameters
        ----------
        log : {"computed_data", "standard_mode_logs"}
            The log that `frame` is of.
        frame : DataFrame
            Aware stamps in its index, fields of the log in its columns. Unknown columns are kept,
            with a warning.
        account : str
            Whose records.
        days : iterable of str or date, optional
            The local days, in the zone of the frame's index, that `frame` holds whole (stamps
            from 00:00:00 to 23:59:59.999999, as a fetch of the day selects them).

        Raises
        ------
        MixedLogsError
            If `frame` is of the other log.
        ConfigurationError
            If the index is naive or a stamp is missing, or the account has no usable name.
        ArchiveError
            If the disk is full or read-only, or another process keeps the archive locked.

        Notes
        -----
        The new files of all months are complete on the disk before the first replaces an old one.

        Examples
        --------
        >>> import eyelog as el
        >>> frame = el.sample("computed_data")
        >>> el.Archive("memory://doc-archive").write("computed_data", frame, account="me")
        """
        log_of(frame, check_log(log))
        shaped = conform(frame, log, tz="UTC")
        stamps = _stamps(shaped)
        spans = sorted(_spans(days or (), frame))
        table = rows.table_of(shaped, log)
        with (
            layout.archive_errors(f"write {log!r} of {account!r} to {self.path}"),
            months.locked(self._place, log, account),
        ):
            touched = set(layout.months_of(stamps))
            held = layout.months(self._place, log, account)
            touched |= {m for m in held if any(_overlap(m, span) for span in spans)}
            change = months.Change(table, spans)
            months.write_months(self._place, log, account, change, sorted(touched))

    def _table(
        self, log: str, account: str, first: int, after: int, chosen: tuple[str, ...] | None
    ) -> pa.Table:
        held = layout.require_holding(self._place, log, account)
        files = [m for m in held if _overlap(m, (first, after))]
        known = layout.schema_of(log)
        paths = [layout.month_path(self._place, log, account, m) for m in files]
        with ExitStack() as stack:
            opened = [stack.enter_context(rows.open_file(self._place, path)) for path in paths]
            if chosen is None:
                extras = rows.widest(f for o in opened for f in rows.extras_of(o.schema_arrow, log))
                schema = pa.schema([*known, *extras])
            else:
                schema = pa.schema([known.field(name) for name in ("date", *chosen)])
            parts = [rows.read_rows(file, schema, first, after) for file in opened]
        return pa.concat_tables(parts) if parts else schema.empty_table()


def span_of(start: Instant, end: Instant, tz: str) -> tuple[int, int]:
    """Return the half-open range of microseconds that an inclusive range means."""
    first, last = instant_range(start, end, tz)
    return _us(first), _us(last + SECOND)


def _us(instant: datetime) -> int:
    return int(np.datetime64(instant.replace(tzinfo=None), "us").astype(np.int64))


def _iso(us: int) -> str:
    return f"{np.datetime64(us, 'us').astype('M8[s]')}Z"


def _overlap(month: str, span: tuple[int, int]) -> bool:
    first, after = layout.month_edges(month)
    return first < span[1] and after > span[0]


def _stamps(frame: pd.DataFrame) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    index = frame.index
    assert isinstance(index, pd.DatetimeIndex)  # noqa: S101  (conform has seen to it)
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


def _spans(days: Iterable[Day], frame: pd.DataFrame) -> Iterable[tuple[int, int]]:
    """Return the range of stamps of each local day, in the zone of the frame's own index."""
    index = frame.index
    assert isinstance(index, pd.DatetimeIndex)  # noqa: S101  (conform has seen to it)
    for day in [days] if isinstance(days, str) else days:
        parsed = parse_day(day)
        assert index.tz is not None  # noqa: S101  (conform has seen to it)
        yield _us(day_start(parsed, index.tz)), _us(day_start(parsed + DAY, index.tz))
