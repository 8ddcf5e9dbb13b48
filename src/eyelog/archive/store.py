"""The archive: years of both logs of many accounts in Parquet files.

Any Parquet tool can open the files; `Archive` keeps them consistent and returns them as frames.
"""

import os
from collections.abc import Hashable, Iterable
from datetime import date, tzinfo
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from eyelog.archive.account import add_events, erase, set_zones, stored_events, stored_zones, traces
from eyelog.archive.check import inventory, repair, verify
from eyelog.archive.export import names_location, records_of, write_records
from eyelog.archive.lists import accounts, fingerprint
from eyelog.archive.months import prepare, read_table, write
from eyelog.archive.place import Place, archive_errors, open_place
from eyelog.arrow_tables import Instant, frame_of, instant_us, span_of
from eyelog.catalogue import catalogue, check_fields
from eyelog.checks import check_events
from eyelog.clock import DAY, Zone, Zones, as_zones, day_start, known_zones, parse_day
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.frame import (
    STORED,
    in_zones,
    is_resampled,
    record,
    takes_tables,
    warn_unknown,
    zones_of,
)
from eyelog.home import home_dir

if TYPE_CHECKING:
    from eyelog.fetch.client import Client


class Written(NamedTuple):
    """How many records a write added, changed and removed."""

    added: int
    changed: int
    removed: int


class Archive:
    """Logs in Parquet files, one file per month, log and account.

    Parameters
    ----------
    path : str or path, optional
        A local folder (created by the first write), or any URL that fsspec can open
        (``memory://``, ``s3://``, ``gs://``). By default the archive that the command line uses:
        the folder ``archive`` in EYELOG_HOME, or else in the platform's data folder.

    Attributes
    ----------
    path : str
        The absolute folder, or the URL without credentials.

    Notes
    -----
    A record belongs to the month of its stamp in UTC. A write is atomic: whatever happens,
    readers meet the records before it or those after it. Each file is checked as a whole whenever
    it is read: against the checksum in its name, and against its place (account, log, month). On a
    local disk, processes that write at the same time wait for each other. An object store has no
    such lock: of two processes that write the same account at the same moment, the later one wins.

    Examples
    --------
    >>> import eyelog as el
    >>> archive = el.Archive("memory://doc-store")
    >>> archive.write("standard_mode_logs", el.sample("standard_mode_logs"), account="me")
    Written(added=9660, changed=0, removed=0)
    >>> archive.accounts()
    ['me']
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._place = open_place(home_dir() / "archive" if path is None else path)
        self.path = self._place.name

    def __repr__(self) -> str:
        return f"<Archive {self.path!r}>"

    def accounts(self, log: str | None = None) -> list[str]:
        """Return the accounts in the archive, sorted.

        Parameters
        ----------
        log : {"computed_data", "standard_mode_logs"}, optional
            Only the accounts that have records of this log.

        Returns
        -------
        list of str
            Empty if the archive is empty or does not exist yet.

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
        with archive_errors(f"list the archive {self.path}"):
            return accounts(self._place, *([] if log is None else [log]))

    def read(
        self,
        log: str,
        start: Instant | None = None,
        end: Instant | None = None,
        *,
        account: str = "me",
        fields: Iterable[str] | None = None,
        tz: Zone | None = None,
    ) -> pd.DataFrame:
        """Read the records whose stamps lie in a range, by default all.

        Only the months, the groups of four days and the columns that are needed are read.

        Parameters
        ----------
        log : {"computed_data", "standard_mode_logs"}
            The 15-second or the 60-second log.
        start, end : str, date or aware datetime, optional
            Inclusive days of the wearer's clock (``"2026-10-24"``), or instants; a stamp with a
            fraction inside the last second is included. By default the first and the last record.
        account : str
            Whose records.
        fields : iterable of str or str, optional
            Return exactly these columns, in catalogue order; by default all, followed by the
            columns that are not in the catalogue. The name of a summary (``"daily"``,
            ``"steps"``) stands for all fields that it needs, see `eyelog.fields`.
        tz : str, Zones, or a table or .csv file of zones, optional
            The wearer's zone, or zones, see `eyelog.Zones`. By default those that the archive has
            for the account (`zones`), otherwise that of the setting EYELOG_TZ, otherwise UTC. It
            determines the days and the index, never which instants there are.

        Returns
        -------
        DataFrame
            Index ``date`` (aware in the first of the zones, sorted, unique, microseconds); columns
            in catalogue order: numbers float64, booleans ``boolean``, text ``string``. If the
            wearer's zone changes, the last column is ``utc_offset_min``: minutes east of UTC of the
            wearer's clock (float64). A range without records is an empty frame of that shape.

        Raises
        ------
        ArchiveError
            If the archive has no records of this log and account (the message lists what it
            has), or a file is damaged.
        FieldError
            If a field is not in the catalogue.
        ConfigurationError
            If the log, the zone or the range is not valid.

        Warns
        -----
        EyelogWarning
            If no zone is known, so that days are those of UTC.

        Examples
        --------
        >>> import eyelog as el
        >>> archive = el.Archive("memory://doc-archive")
        >>> sample = el.sample("standard_mode_logs")
        >>> _ = archive.write("standard_mode_logs", sample, account="me")
        >>> archive.set_zones("Asia/Tokyo", account="me")
        >>> first = sample.index[0]
        >>> frame = archive.read("standard_mode_logs", first, first, fields=["bl", "val_s"])
        >>> list(frame.columns)
        ['val_s', 'bl']
        """
        zones = self._zones_of(tz, account)
        chosen = None if fields is None else check_fields(log, fields)
        with archive_errors(f"read {log!r} of {account!r} from {self.path}"):
            span = span_of(start, end, zones)
            frame = frame_of(read_table(self._place, log, account, span, chosen), zones.home)
        warn_unknown(log, [name for name in frame.columns if name not in catalogue(log)])
        frame = in_zones(frame, zones)
        edges = np.array([span[0], span[1] - 1_000_000])
        if len(frame):  # an open range begins and ends with the existing records
            is_open = [start is None, end is None]
            edges = np.where(is_open, cast(pd.DatetimeIndex, frame.index).asi8[[0, -1]], edges)
        first, last = (f"{edge}Z" for edge in edges.view("M8[us]").astype("M8[s]"))
        return record(frame, "archive", log=log, account=account, start=first, end=last)

    def read_arrow(
        self, log: str, start: Instant, end: Instant, *, account: str = "me", fields: Iterable[str]
    ) -> pa.Table:
        """Read the records whose stamps lie in a range, for callers that need no frame.

        Parameters
        ----------
        log : {"computed_data", "standard_mode_logs"}
            The 15-second or the 60-second log.
        start, end : str, date or aware datetime
            As in `read`; days are those of UTC.
        account : str
            Whose records.
        fields : iterable of str or str
            The columns, as in `read`.

        Returns
        -------
        pyarrow.Table
            ``date`` (microseconds, UTC, sorted, unique), then the fields in catalogue order:
            numbers float64, booleans bool, text string; a missing value is null.

        Raises
        ------
        ArchiveError, FieldError, ConfigurationError
            As from `read`.

        Examples
        --------
        >>> import eyelog as el
        >>> archive = el.Archive("memory://doc-arrow")
        >>> sample = el.sample("standard_mode_logs")
        >>> _ = archive.write("standard_mode_logs", sample, account="me")
        >>> first = sample.index[0]
        >>> archive.read_arrow("standard_mode_logs", first, first, fields=["bl"]).column_names
        ['date', 'bl']
        """
        names = check_fields(log, fields)
        with archive_errors(f"read {log!r} of {account!r} from {self.path}"):
            span = span_of(start, end, "UTC")
            return read_table(self._place, log, account, span, names)

    def zones(self, account: str = "me") -> Zones | None:
        """Return the zone, or the zones, in which the wearer of an account lives.

        Parameters
        ----------
        account : str
            Whose.

        Returns
        -------
        Zones or None
            None if the archive does not know.

        Raises
        ------
        ArchiveError
            If the file of the zones is damaged or cannot be read.

        Examples
        --------
        >>> import eyelog as el
        >>> archive = el.Archive("memory://doc-zones")
        >>> archive.set_zones([("", "Asia/Tokyo"), ("2026-10-22", "Asia/Seoul")], account="anna")
        >>> archive.zones("anna")
        from        tz
                    Asia/Tokyo
        2026-10-22  Asia/Seoul
        """
        return stored_zones(self._place, account)

    def set_zones(self, tz: Zone, *, account: str = "me") -> None:
        """Keep the zone, or the zones, of an account, replacing those kept before.

        `read` and everything that reads the archive takes them from here. No record changes.

        Parameters
        ----------
        tz : str, Zones, or a table or .csv file of zones
            As `eyelog.Zones` takes it.
        account : str
            Whose.

        Raises
        ------
        ConfigurationError
            If a zone or the account is not valid.
        ArchiveError
            If the archive cannot be written.

        Examples
        --------
        >>> import eyelog as el
        >>> archive = el.Archive("memory://doc-zones")
        >>> archive.set_zones("Asia/Tokyo", account="anna")
        >>> print(archive.zones("anna"))
        Asia/Tokyo
        """
        set_zones(self._place, account, as_zones(tz, what="an archive"))

    def events(self, account: str = "me", *, tz: Zone | None = None) -> pd.DataFrame:
        """Return the events that were imported beside the logs of an account.

        Parameters
        ----------
        account : str
            Whose.
        tz : str or Zones, optional
            The zone of the times. By default the one that the archive knows for the account,
            otherwise UTC.

        Returns
        -------
        DataFrame
            One row per event, in order of time, as `eyelog.read_events` returns it: ``start`` and
            ``end`` (stamps, microseconds; ``end`` is missing for a moment), string ``label`` and
            ``kind``, float64 ``value``. Without rows if there are none.

        Raises
        ------
        ArchiveError
            If the file of the events is damaged or cannot be read.

        Examples
        --------
        >>> import eyelog as el
        >>> el.Archive("memory://doc-events").events("anna").columns.tolist()
        ['start', 'end', 'label', 'kind', 'value']
        """
        zones = self._zones_of(tz, account)
        table = stored_events(self._place, account)
        for name in ("start", "end"):
            table[name] = table[name].dt.tz_convert(zones.home)
        return table

    def add_events(
        self, events: pd.DataFrame, *, account: str = "me", dry_run: bool = False
    ) -> int:
        """Add events to those of an account; return how many are new or changed.

        Parameters
        ----------
        events : DataFrame
            As `eyelog.read_events` returns it. Two events with the same start, kind and label are
            one: the later call determines its end and value.
        account : str
            Whose they are.
        dry_run : bool
            Change nothing.

        Returns
        -------
        int
            How many are new, or have a different end or value.

        Raises
        ------
        ConfigurationError
            If it is not such a table, or the account is not valid.
        ArchiveError
            If the archive cannot be read or written.

        Examples
        --------
        >>> import eyelog as el, pandas as pd
        >>> archive = el.Archive("memory://doc-add-events")
        >>> start = pd.to_datetime(["2026-10-19 09:00"]).tz_localize("Asia/Tokyo")
        >>> noted = pd.DataFrame({"start": start, "end": start.shift(1, "h"), "label": ["work"]})
        >>> archive.add_events(noted, account="anna"), archive.add_events(noted, account="anna")
        (1, 0)
        """
        return add_events(self._place, account, check_events(events), keep=not dry_run)

    def _zones_of(self, tz: Zone | None, account: str) -> Zones:
        """Return the zones in which to read an account; see `read`."""
        return known_zones(
            tz,
            whose=f"account {account!r}",
            stored=None if tz is not None else stored_zones(self._place, account),
            remedy=f"set it with `eyelog archive set-zone {quote(account)} Asia/Tokyo`",
        )

    @takes_tables
    def write(
        self,
        log: str,
        frame: pd.DataFrame,
        *,
        account: str,
        days: Iterable[str | date] | None = None,
        replace: bool = False,
    ) -> Written:
        """Merge records into the archive.

        If the archive already has a record with the same stamp, the new one wins, in the columns
        that `frame` has; nothing else is lost. With `days`, those local days become exactly those
        of `frame`: records that are no longer in `frame` are removed. Writing the same records
        again touches no file. The records of another wearer or device are refused: those that have
        different values at most of the stamps that the account has too, or that interleave with its
        records. If the archive knows no zone of the account yet, it keeps the one of the frame's
        index, or those that its column ``utc_offset_min`` shows; UTC shows none.

        Parameters
        ----------
        log : {"computed_data", "standard_mode_logs"}
            The log of `frame`.
        frame : DataFrame
            Aware stamps in its index, fields of the log in its columns. Unknown columns are kept,
            with a warning.
        account : str
            Whose records.
        days : iterable of str or date, optional
            The local days, in the zone of the frame's index, of which `frame` has every record
            (stamps from 00:00:00 to 23:59:59.999999, as a fetch of the day selects them).
        replace : bool
            Overwrite the values at the same stamps, however many there are.

        Returns
        -------
        Written
            Named tuple of counts: records ``added``, ``changed`` (a different value in any column)
            and ``removed``. All are 0 if the archive already had the same records.

        Raises
        ------
        MixedLogsError
            If `frame` is of the other log.
        ConfigurationError
            If the index is naive, a stamp is missing, the account name is not valid, the frame is
            masked or resampled, or the account has the records of somebody else in the same time (5
            minutes or less are taken).
        ArchiveError
            If the disk is full or read-only, or another process keeps the archive locked.

        Notes
        -----
        The new files of all months are complete on the disk before the first replaces an old one.

        Examples
        --------
        >>> import eyelog as el
        >>> archive = el.Archive("memory://doc-write")
        >>> frame = el.sample("computed_data").iloc[:240]
        >>> archive.write("computed_data", frame, account="me")
        Written(added=240, changed=0, removed=0)
        >>> archive.write("computed_data", frame.assign(stp=999.0).iloc[:2], account="me")
        Written(added=0, changed=2, removed=0)
        """
        if is_resampled(frame) or STORED in frame.columns:
            raise ConfigurationError(
                "an archive holds records as they were recorded, and this frame is"
                f" {'resampled' if is_resampled(frame) else 'masked'}: write the frame that it was"
                " made from (and keep this one as a Parquet file, frame.to_parquet)"
            )
        table = prepare(frame, log)
        wanted = [days] if isinstance(days, str | date) else days or ()
        clock = cast(tzinfo, cast(pd.DatetimeIndex, frame.index).tz)
        spans = [
            (instant_us(day_start(day, clock)), instant_us(day_start(day + DAY, clock)))
            for day in sorted(map(parse_day, wanted))
        ]
        outcome = write(self._place, log, account, table, spans=spans, replace=replace)
        if len(table) and self.zones(account) is None:
            try:
                shown = zones_of(frame)
            except ConfigurationError:  # an index may have a zone that has no name
                shown = Zones("UTC")
            if shown.vary or shown.home != "UTC":
                self.set_zones(shown, account=account)
        return Written(len(outcome.added), len(outcome.changed), len(outcome.removed))

    def fingerprint(self, log: str, start: Instant, end: Instant, *, account: str) -> Hashable:
        """Return a value that changes whenever the months of a range are written.

        It looks only at the properties of each month's file and reads none of the files, so a cache
        can compare it at each request.

        Parameters
        ----------
        log, start, end, account
            As in `read_arrow`.

        Returns
        -------
        hashable
            Equal to an earlier one only if no month of the range was written in between.

        Raises
        ------
        ArchiveError
            If the archive cannot be reached.

        Examples
        --------
        >>> from tempfile import mkdtemp
        >>> import eyelog as el
        >>> archive, day = el.Archive(mkdtemp()), "2026-10-21"
        >>> before = archive.fingerprint("computed_data", day, day, account="anna")
        >>> archive.write("computed_data", el.sample(), account="anna").added > 0
        True
        >>> archive.fingerprint("computed_data", day, day, account="anna") == before
        False
        """
        span = span_of(start, end, "UTC")
        with archive_errors(f"read {log!r} of {account!r} from {self.path}"):
            return fingerprint(self._place, log, account, span)

    def sync(self, client: "Client", log: str, start: Instant, end: Instant) -> pd.DataFrame:
        """Bring the archive up to date from a service.

        Only days are requested that the archive does not have from this service yet, or that were
        not final: less than a week old when last requested, or without any record (those again
        after an hour at the earliest). The archive keeps track of that itself, so a sync that was
        stopped at any point resumes where it stopped.

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
            One row per day, in order; columns ``day`` (string), ``state`` (``"fetched"``,
            ``"cached"`` if the cache had the settled day, ``"unchanged"``, ``"empty"`` or
            ``"failed"``), ``asked`` (bool, whether the service was asked), ``records`` (Int64, how
            many records the service has for the day; missing if it failed), ``removed`` (int64,
            records of the archive that the service no longer has) and ``reason`` (string, why the
            day failed or was not requested).

        Raises
        ------
        AuthorizationError, ConfigurationError
            If the service refuses the client, or a setting cannot work: every other day would
            fail too, so the sync stops there. The days before it are kept.
        ArchiveError
            If the archive cannot be written.

        Warns
        -----
        EyelogWarning
            If the service sent unknown fields or stamps outside the requested days (both are
            kept).

        Notes
        -----
        Any other error affects only its own day, which is reported as failed and requested again
        by the next sync. The days of a damaged month are reported as failed until `repair` has set
        it aside. After eight days in a row on which the service failed, the rest is not requested.

        As in a fetch, stamps select: the record of 00:00:00, which closes a day, comes with the
        day that it opens. A day from an earlier sync is replaced as a whole. Records from elsewhere
        (an import) are kept beside those of the first sync, and an answer without records removes
        nothing. Nothing is added to the cache. At most a month is in memory at a time. After a sync
        is killed, the next one requests again at most the days of its last ten seconds.

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
        """Summarise what the archive has, per account and log.

        Returns
        -------
        DataFrame
            One row per account and log, sorted; columns ``account`` and ``log`` (string), ``first``
            and ``last`` (stamps, UTC), ``days`` (days of UTC that have a stamp), ``records``,
            ``gaps`` (places where the next record comes more than one and a half intervals later)
            ``bytes``, and ``damaged``, the months that cannot be read and are not counted
            (int64), and ``tz``, the zones of the account (string, missing if none is known).

        Raises
        ------
        ArchiveError
            If there is no archive, or it cannot be listed.

        Warns
        -----
        EyelogWarning
            For each month that cannot be read: `repair` sets it aside.

        Notes
        -----
        Only the stamps are read.

        Examples
        --------
        >>> import eyelog as el
        >>> archive = el.Archive("memory://doc-archive")
        >>> _ = archive.write("computed_data", el.sample("computed_data"), account="me")
        >>> table = archive.inventory()
        >>> list(table.columns[-3:])
        ['bytes', 'damaged', 'tz']
        """
        with archive_errors(f"list the archive {self.path}"):
            return inventory(self._place)

    def verify(self) -> pd.DataFrame:
        """Check every file completely for damage.

        Returns
        -------
        DataFrame
            One row per problem, none if all is well; columns ``account``, ``log``, ``month``,
            ``file`` and ``problem`` (string).

        Raises
        ------
        ArchiveError
            If there is no archive, or it cannot be listed.

        Notes
        -----
        The problems are: files that are gone or not as they were written, files of another log,
        account or month, columns whose type is not that of the catalogue, and files that the
        archive does not read. A sound file that an older eyelog wrote is listed too: the next
        write that changes its month writes it anew.

        Examples
        --------
        >>> import eyelog as el
        >>> archive = el.Archive("memory://doc-archive")
        >>> _ = archive.write("computed_data", el.sample("computed_data"), account="me")
        >>> len(archive.verify())
        0
        """
        with archive_errors(f"list the archive {self.path}"):
            return verify(self._place)

    def repair(self) -> pd.DataFrame:
        """Set damaged months aside, and list the days to fetch or import again.

        A damaged month cannot be read, and nothing can be written into it. Afterwards the archive
        is without it: a sync requests its days again, and an import writes them again.

        Returns
        -------
        DataFrame
            One row per damaged month, none if all is well; columns (string) ``account``, ``log``,
            ``month`` (UTC), ``problem``, ``sync_again`` (the days that came from a service),
            ``import_again`` (the other days, of which it may have had records) and ``aside`` (where
            its file is now; empty if it was gone).

        Raises
        ------
        ArchiveError
            If there is no archive, it cannot be listed or written, or another process keeps it
            locked.

        Notes
        -----
        If the list of the months of an account is damaged or gone, it is made again from the
        names of the files. Nothing is deleted: the files move to the hidden folder ``.damaged`` of
        the archive, readable by their owner only. Other files that `verify` lists stay where they
        are.

        Examples
        --------
        >>> import eyelog as el
        >>> archive = el.Archive("memory://doc-repair")
        >>> _ = archive.write("computed_data", el.sample("computed_data"), account="me")
        >>> len(archive.repair())
        0
        """
        with archive_errors(f"repair the archive {self.path}"):
            return repair(self._place)

    def erase(self, account: str, *, dry_run: bool = False) -> pd.DataFrame:
        """Delete everything that the archive has of one account.

        Parameters
        ----------
        account : str
            Whose months, damaged months that were set aside, and other files.
        dry_run : bool
            Change nothing, and return what would be deleted.

        Returns
        -------
        DataFrame
            One row per file, none if the archive has nothing of the account; columns ``what``
            (string: ``month``, ``damaged month``, ``list of months``, ``ledger`` of syncs,
            ``zones``, ``events``, ``link to ...``, ``file``), ``path``
            (string) and ``bytes`` (int64).

        Raises
        ------
        ConfigurationError
            If `account` is not a name.
        ArchiveError
            If the archive cannot be listed or written, or another process keeps it locked.

        Notes
        -----
        Copies elsewhere are not reached: backups, exports, and what `eyelog.Client` has stored.
        ``eyelog archive erase`` also deletes the latter, and lists what it cannot reach.

        Examples
        --------
        >>> import eyelog as el
        >>> archive = el.Archive("memory://doc-erase")
        >>> _ = archive.write("computed_data", el.sample("computed_data"), account="me")
        >>> archive.erase("me")["what"].tolist()
        ['list of months', 'zones', 'month']
        >>> archive.accounts()
        []
        """
        if not isinstance(account, str) or not account:
            raise ConfigurationError(f"{account!r} is not an account: give a name such as 'me'")
        with archive_errors(f"erase {account!r} from the archive {self.path}"):
            removed = traces(self._place, account) if dry_run else erase(self._place, account)
        table = pd.DataFrame(removed, columns=["what", "path", "bytes"])
        return table.astype({"what": "string", "path": "string", "bytes": "int64"})

    def export(
        self,
        log: str,
        start: Instant,
        end: Instant,
        path: str | os.PathLike[str],
        *,
        account: str = "me",
        fields: Iterable[str] | None = None,
        tz: Zone | None = None,
        location: bool = False,
    ) -> list[Path]:
        """Write the records of a range to a CSV file, a Parquet file, or answers of the service.

        Parameters
        ----------
        log : {"computed_data", "standard_mode_logs"}
            The 15-second or the 60-second log.
        start, end : str, date or aware datetime
            As in `read`.
        path : str or path
            A local ``.csv`` or ``.parquet`` file. A name without an ending is a folder, into
            which one JSON answer per local day is written (``computed_data-2026-10-24.json``).
        account : str
            Whose records.
        fields : iterable of str or str, optional
            Export only these columns, in catalogue order, or those of a summary (`eyelog.fields`).
        tz : str, Zones, or a table or .csv file of zones, optional
            The wearer's zone or zones, for the days and the stamps; by default as in `read`.
        location : bool
            Also write where the wearer was (``lat`` and ``lng``). Naming them in `fields` does the
            same.

        Returns
        -------
        list of Path
            The files written, each complete or absent. A day without records has no file.

        Raises
        ------
        ArchiveError
            If the archive has no records of this log and account, or none in the range, a file
            is damaged, or the disk is full or read-only.
        FieldError
            If a field is not in the catalogue.
        ConfigurationError
            If the log, the zone or the range is not valid, or the path does not name a format.

        Warns
        -----
        EyelogWarning
            If ``lat`` or ``lng`` have values in the range and are left out.

        Notes
        -----
        ``eyelog import`` takes back every format value for value, and ``eyelog fetch -o`` writes
        the same bytes.

        In CSV the columns have the short names of the fields, stamps are in RFC 3339 and texts in
        quotes, booleans are ``true`` or ``false``, and a missing value is empty (an empty text is
        ``""``). A text that a spreadsheet would run as a formula, or that would not be read back
        as it was, is a JSON string (``"=1+1"`` with its quotation marks).
        ``pandas.read_parquet`` returns the frame itself: its index, its zone and its dtypes.

        Examples
        --------
        >>> import eyelog as el, pathlib, tempfile
        >>> archive = el.Archive("memory://doc-archive")
        >>> sample = el.sample("standard_mode_logs")
        >>> _ = archive.write("standard_mode_logs", sample, account="me")
        >>> archive.set_zones("Asia/Tokyo", account="me")
        >>> first, last = sample.index[0], sample.index[-1]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "week.csv"
        ...     files = archive.export("standard_mode_logs", first, last, path)
        ...     [file.name for file in files]
        ['week.csv']
        """
        zones = self._zones_of(tz, account)
        chosen = None if fields is None else check_fields(log, fields)
        location = location or names_location(chosen)
        with archive_errors(f"export {log!r} of {account!r} to {os.fspath(path)}"):
            span = span_of(start, end, zones)
            with records_of(
                self._place, log, account, span, chosen, zones, location=location
            ) as records:
                files = write_records(records, Path(path))
        if not files:
            raise ArchiveError(
                f"nothing to export: {log!r} of {account!r} has no record in the range"
            )
        return files


def place_of(archive: Archive) -> Place:
    """Return where the files of an archive are, for packages that access the files themselves."""
    return archive._place
