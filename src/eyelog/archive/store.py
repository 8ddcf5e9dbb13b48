"""The archive: years of both logs of many accounts in Parquet files.

Any Parquet tool opens the files; `Archive` keeps them whole and gives them back as frames. What
is done to one file stands in `months`, what lies where in `layout`.
"""

import os
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from eyelog import provenance
from eyelog.archive.export import export
from eyelog.archive.inventory import inventory
from eyelog.archive.parquet import layout, rows
from eyelog.archive.parquet.reading import Instant, Wanted, read_table, span_of
from eyelog.archive.parquet.writing import told, write
from eyelog.archive.verify import verify
from eyelog.catalogue import LOGS, check_fields, check_log
from eyelog.clock import day_range
from eyelog.frame import warn_unknown

if TYPE_CHECKING:
    from eyelog.access.client import Client

__all__ = ["Archive"]


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

        Examples
        --------
        >>> import eyelog as el
        >>> el.Archive("memory://not-there-yet").accounts()
        []
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
        span = span_of(start, end, zone)
        with layout.archive_errors(f"read {log!r} of {account!r} from {self.path}"):
            table = read_table(Wanted(self._place, log, account, span, chosen))
        warn_unknown(log, [field.name for field in rows.extras_of(table.schema, log)])
        edges = {"start": _iso(span[0]), "end": _iso(span[1] - 1_000_000)}
        frame = rows.frame_of(table, zone)
        return provenance.record(frame, "archive", log=log, account=account, **edges)

    def write(
        self,
        log: str,
        frame: pd.DataFrame,
        *,
        account: str,
        days: Iterable[str | date] | None = None,
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
        said = told(frame, log, days)
        with layout.archive_errors(f"write {log!r} of {account!r} to {self.path}"):
            write(self._place, account, said)

    def sync(self, client: "Client", log: str, start: Instant, end: Instant) -> pd.DataFrame:
        """Bring the archive up to date from a service.

        Asked for are only the days that the archive has not had from this service or that were
        not settled then: less than a week old when last asked, or without any record (these again
        after an hour at the soonest). The archive remembers that itself, so a sync that was
        stopped at any point goes on where it was.

        Parameters
        ----------
        client : Client
            Whose records, from which service, and the zone of the days.
        log : {"computed_data", "standard_mode_logs"}
            The 15-second or the 60-second log.
        start, end : str, date or aware datetime
            Inclusive local days of the client's zone. An instant stands for its whole day.

        Returns
        -------
        DataFrame
            One row a day, in order; columns ``day`` (string), ``state`` (``"fetched"``,
            ``"unchanged"``, ``"empty"`` or ``"failed"``), ``asked`` (whether the service was
            asked), ``records`` (how many it has of the day, Int64; missing where it failed),
            ``removed`` (records of the archive that the service no longer has, int64) and
            ``reason`` (string, why it failed or was not asked).

        Raises
        ------
        AuthorizationError, ConfigurationError
            If the service does not let the client in, or a setting cannot work: every further
            day would fail too, so the sync stops there. What came before is kept.
        ArchiveError
            If the archive cannot be written, or a file in the range is damaged.

        Warns
        -----
        EyelogWarning
            If the service sent unknown fields or stamps outside the asked days (both are kept).

        Notes
        -----
        Any other error loses only its own day, which is reported as failed and asked for again by
        the next sync; after eight days in a row on which the service failed the rest is not asked.

        As in a fetch, stamps select: the record of 00:00:00, which closes a day, comes with the
        day that it opens. A day that an earlier sync brought is replaced whole. Records that came
        from elsewhere (an import) are kept beside those of the first sync, and an answer without
        records removes nothing. Nothing is added to the cache. Six days of the 15-second log, or
        24 of the 60-second log, are in memory at a time.

        Examples
        --------
        >>> import eyelog as el
        >>> from tempfile import mkdtemp
        >>> client = el.Client("https://service.example", application=None, home=mkdtemp())
        >>> archive = el.Archive("memory://doc-archive")
        >>> report = archive.sync(client, "computed_data", "2090-01-01", "2090-01-02")
        >>> report["state"].tolist()
        ['empty', 'empty']
        """
        from eyelog.archive.sync import sync  # the archive's files themselves need no HTTP

        return sync(self._place, client, log, start, end)

    def inventory(self) -> pd.DataFrame:
        """Say what the archive holds.

        Returns
        -------
        DataFrame
            One row an account and log, sorted; columns ``account`` and ``log`` (string), ``first``
            and ``last`` (stamps, UTC), ``days`` (days of UTC that hold a stamp), ``records``,
            ``holes`` (places where the next record is later than one and a half intervals) and
            ``bytes`` (int64).

        Raises
        ------
        ArchiveError
            If a file is damaged; ``verify`` tells all that are.

        Notes
        -----
        Only the stamps are read.

        Examples
        --------
        >>> import eyelog as el
        >>> archive = el.Archive("memory://doc-archive")
        >>> archive.write("computed_data", el.sample("computed_data"), account="me")
        >>> table = archive.inventory()
        >>> list(table.columns)
        ['account', 'log', 'first', 'last', 'days', 'records', 'holes', 'bytes']
        """
        with layout.archive_errors(f"list the archive {self.path}"):
            return inventory(self._place)

    def verify(self) -> pd.DataFrame:
        """Look for damage in every file, every page of it.

        Returns
        -------
        DataFrame
            One row a finding, none where all is well; columns ``account``, ``log``, ``month``,
            ``file`` and ``problem`` (string).

        Raises
        ------
        ArchiveError
            If the archive cannot be listed.

        Notes
        -----
        Found are: files that are cut short or no Parquet, pages whose checksum is wrong, stamps
        out of order, repeated or of another month, columns of another type than the catalogue's,
        files of another log or account, and files that the archive does not read.

        Examples
        --------
        >>> import eyelog as el
        >>> archive = el.Archive("memory://doc-archive")
        >>> archive.write("computed_data", el.sample("computed_data"), account="me")
        >>> len(archive.verify())
        0
        """
        with layout.archive_errors(f"list the archive {self.path}"):
            return verify(self._place)

    def export(
        self,
        log: str,
        start: Instant,
        end: Instant,
        path: str | os.PathLike[str],
        *,
        account: str = "me",
        fields: Iterable[str] | None = None,
        tz: str | None = None,
    ) -> list[Path]:
        """Write the records of a range to a CSV file, a Parquet file, or answers of the service.

        Parameters
        ----------
        log : {"computed_data", "standard_mode_logs"}
            The 15-second or the 60-second log.
        start, end : str, date or aware datetime
            As in `read`.
        path : str or path
            A local ``.csv`` or ``.parquet`` file; any other name is a folder, into which one JSON
            answer a local day is written (``computed_data-2026-10-24.json``).
        account : str
            Whose records.
        fields : iterable of str, optional
            Only these columns, in catalogue order.
        tz : str, optional
            IANA zone of the days, and of the stamps in CSV and JSON; default UTC.

        Returns
        -------
        list of Path
            The files written, each complete or not there at all. A day without records has none.

        Raises
        ------
        ArchiveError
            If the archive does not hold this log of this account, the range holds no record, a
            file is damaged, or the disk is full or read-only.
        FieldError
            If a field is not in the catalogue.
        ConfigurationError
            If the log, the zone or the range cannot be, or the path is one ``.json`` file.

        Notes
        -----
        CSV: the short names of the fields, stamps in RFC 3339 and texts in quotes,
        ``true``/``false``, nothing for a missing value (an empty text is ``""``).

        Examples
        --------
        >>> import eyelog as el, pathlib, tempfile
        >>> archive = el.Archive("memory://doc-archive")
        >>> sample = el.sample("standard_mode_logs")
        >>> archive.write("standard_mode_logs", sample, account="me")
        >>> first, last = sample.index[0], sample.index[-1]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "week.csv"
        ...     made = archive.export("standard_mode_logs", first, last, path)
        ...     [each.name for each in made]
        ['week.csv']
        """
        zone = "UTC" if tz is None else tz
        chosen = None if fields is None else check_fields(log, fields)
        with layout.archive_errors(f"export {log!r} of {account!r} to {os.fspath(path)}"):
            wanted = Wanted(self._place, log, account, span_of(start, end, zone), chosen)
            return export(wanted, Path(path), zone, day_range(start, end, zone))


def _iso(us: int) -> str:
    return f"{np.datetime64(us, 'us').astype('M8[s]')}Z"
