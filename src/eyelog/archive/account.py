"""What an archive has of an account beside its records, and how all of it is erased.

::

    ROOT/.zones/account=me.v1.csv                                 lines of `eyelog.Zones`: from,tz
    ROOT/.events/account=me.v1.csv                                as `eyelog.read_events`, in UTC
    ROOT/log=computed_data/account=me/.synced.v1.json             the ledger of syncs

Zones and events belong to the wearer, not to one log. A day without records leaves no trace in the
Parquet files, so the ledger notes it; it notes a day only once its records are on the disk, so a
sync that is killed in between requests it again. Parquet tools skip what is hidden.

An account has folders of its own, one per log, and others of the same name under hidden folders
such as ``.damaged``. Whatever lies in them is the account's, whatever its name. The list of its
months, its zones and its events are files of its name, beside the logs and wherever a restore has
set them aside. A link in the folders of an account is removed, and what it leads to stays: the
protocol of erasing names that.
"""

import csv
import io
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, nullcontext, suppress
from datetime import date, datetime
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np
import pandas as pd

from eyelog.archive.lists import ASIDE, LISTS, listed, locked, part_of, write_lists
from eyelog.archive.place import (
    SMALL_FILE,
    Found,
    Place,
    account_of,
    archive_errors,
    deep_link,
    one_spelling,
    problem_of,
)
from eyelog.arrow_tables import instant_us, month_edges
from eyelog.clock import DAY, Zones, day_start, zone
from eyelog.errors import ArchiveError, ConfigurationError, warn
from eyelog.read.diary import DIARY, events_table

ZONES: Final = ".zones"
EVENTS: Final = ".events"
LIVE: Final = ".live"
LINK: Final = "link to "
# What is in the folders beside those of the logs, also in one that a restore has set aside
_HOMES: Final = {
    ASIDE: "damaged month",
    LIVE: "live recording",
    ZONES: "zones",
    EVENTS: "events",
    LISTS: "list of months",
}
_EVENTS_HEADER: Final = "start,end,label,kind,value"
# Two events with these the same are one; the later file has its end and value.
_SAME: Final = ["start", "kind", "label"]


def small_file_problems(place: Place) -> Iterator[tuple[str, str, str]]:
    """Yield account, file and problem of each file of zones or events that cannot be read."""
    for home, read in ((ZONES, stored_zones), (EVENTS, stored_events)):
        for file in place.everything(home):
            account = account_of(file.parts[-1]) or ""
            if file.parts[-1].startswith("."):  # left by a killed process
                continue
            if not account or file.path != place.small_file(home, account):
                yield account, file.path, "it is not a file that the archive reads"
                continue
            try:
                read(place, account)
            except (ArchiveError, ConfigurationError) as error:
                yield account, file.path, problem_of(error, file.path)


# Zones


def stored_zones(place: Place, account: str) -> Zones | None:
    """Return the zones of an account, or None if none are known.

    Raises
    ------
    ArchiveError
        If the file is damaged, or cannot be read.
    """
    path = place.small_file(ZONES, account)
    if (body := place.read(path)) is None:
        return None
    try:
        header, *rows = csv.reader(body.decode().splitlines())
        if header != ["from", "tz"]:
            raise ValueError("its first line is not from,tz")
        return Zones([tuple(row) for row in rows])
    except (ValueError, csv.Error) as error:
        raise ArchiveError(
            f"cannot read {path}: it is damaged ({error}): write the zone again with"
            f" `eyelog archive set-zone {account} ZONE`"
        ) from None


def set_zones(place: Place, account: str, zones: Zones) -> None:
    """Replace the zones of an account, as a whole."""
    path = place.small_file(ZONES, account)
    with locked(place, account):
        place.write(path, zones.to_frame().to_csv(index=False, lineterminator="\n").encode())


# Events


def stored_events(place: Place, account: str) -> pd.DataFrame:
    """Return the events of an account in UTC, in order of time; without rows if it has none.

    Raises
    ------
    ArchiveError
        If the file is damaged, or cannot be read.
    """
    return _read_events(place, place.small_file(EVENTS, account))


def _read_events(place: Place, path: str) -> pd.DataFrame:
    body = place.read(path)
    if body is None:
        body = _EVENTS_HEADER.encode()
    try:
        table = pd.read_csv(io.BytesIO(body), dtype=str, keep_default_na=False)
        if (header := ",".join(table.columns)) != _EVENTS_HEADER:
            raise ValueError(f"its first line is not {_EVENTS_HEADER}: {header}")
        for name in ("start", "end"):
            table[name] = pd.to_datetime(table[name], format="ISO8601", utc=True)
        return _events_in_utc(table)
    except ValueError as error:
        why = str(error).splitlines()[0]
        raise ArchiveError(
            f"cannot read {path}: it is damaged ({why}): remove it, and import the files of events"
            " again"
        ) from None


def _events_in_utc(events: pd.DataFrame) -> pd.DataFrame:
    """Return a table of events in UTC, as `events_table` does."""
    starts, ends = (
        pd.DatetimeIndex(events[name]).tz_convert("UTC").as_unit("us").asi8
        for name in ("start", "end")
    )
    given = events.reindex(columns=["kind", "value"])
    kinds = given["kind"].fillna("").astype(str) if "kind" in events else [DIARY] * len(events)
    try:
        values = pd.to_numeric(given["value"]).to_numpy(np.float64, na_value=np.nan)
    except (ValueError, TypeError) as error:
        raise ConfigurationError(
            f"the column 'value' of the events needs numbers: {error}"
        ) from None
    return events_table(starts, ends, events["label"].astype(str).tolist(), list(kinds), values)


def add_events(place: Place, account: str, events: pd.DataFrame, *, keep: bool = True) -> int:
    """Add events to those of an account; return how many are new or changed.

    Parameters
    ----------
    place : Place
        The archive.
    account : str
        Whose they are.
    events : DataFrame
        With start, end and label.
    keep : bool
        Whether to write them.
    """
    events = _events_in_utc(events)
    with locked(place, account) if keep else nullcontext():
        before = stored_events(place, account)
        merged = pd.concat([before, events], ignore_index=True).drop_duplicates(_SAME, keep="last")
        merged = merged.sort_values("start", kind="stable", ignore_index=True)
        new = len(merged) - len(before.merge(merged, how="inner").drop_duplicates(_SAME))
        if new and keep:
            _write_events(place, place.small_file(EVENTS, account), merged)
    return new


def _write_events(place: Place, path: str, events: pd.DataFrame) -> None:
    if events.empty:
        place.remove(path)
        return
    # All cells are quoted: a lone carriage return in a label would end its line otherwise.
    text = events.to_csv(
        index=False, date_format="%Y-%m-%dT%H:%M:%S.%fZ", quoting=csv.QUOTE_ALL, lineterminator="\n"
    )
    place.write(path, text.encode("utf-8", "replace"))


# The ledger of syncs


class Noted(msgspec.Struct, array_like=True, frozen=True):
    """When a day was requested, and how many records the service had."""

    asked: datetime
    records: int


Days = dict[date, Noted]


def synced_days(place: Place, log: str, account: str, slot: str) -> set[date]:
    """Return the days with records that any service brought and that overlap a month or a day."""
    first, after = month_edges(slot)
    found = set()
    for source, days in read_ledger(place, log, account).items():
        tz = zone(source.rpartition(" ")[2])
        for day, noted in days.items():
            opens, closes = (instant_us(day_start(edge, tz)) for edge in (day, day + DAY))
            if noted.records and opens < after and closes > first:
                found.add(day)
    return found


def note_days(place: Place, log: str, account: str, source: str, days: Days) -> None:
    """Note days whose records are on the disk; all others stay noted as they were."""
    with locked(place, account):
        sources = read_ledger(place, log, account, warned=True)
        sources[source] = dict(sorted({**sources.get(source, {}), **days}.items()))
        place.write(_ledger(place, log, account), msgspec.json.encode(sources))


def read_ledger(place: Place, log: str, account: str, *, warned: bool = False) -> dict[str, Days]:
    """Return the days that syncs have brought, by service and zone, with a blank between."""
    path = _ledger(place, log, account)
    try:
        body = place.read(path)
        return msgspec.json.decode(b"{}" if body is None else body, type=dict[str, Days])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        if not warned:
            warn(f"{path} is damaged, so the days noted in it are requested from the service again")
        return {}


def _ledger(place: Place, log: str, account: str) -> str:
    return f"{place.folder(log, account)}/.synced.v1.json"


# All that an archive has of an account, and what is older than a study keeps


class AccountFile(NamedTuple):
    """One file of an account: what it is, where, and its size in bytes."""

    what: str
    path: str
    bytes: int


def erase(place: Place, account: str) -> list[AccountFile]:
    """Remove everything of an account, even what a killed process left; return what was removed."""
    with ExitStack() as stack:
        found = _of_account(place, account)  # with unfinished files: whoever locks removes them
        if place.local and found:
            with suppress(ConfigurationError):  # the archive cannot have so long a name
                stack.enter_context(locked(place, account))
        removed = {file.path: file for file in (*found, *_of_account(place, account))}
        _remove(place, removed.values())
    return _reported(removed.values())


def traces(place: Place, account: str) -> list[AccountFile]:
    """Return the files of an account, sorted by path."""
    return _reported(_of_account(place, account))


def named_accounts(place: Place) -> set[str]:
    """Return the accounts after which anything in the archive is named, even in hidden folders."""
    return {account for file in place.everything() for account in file.accounts}


def _of_account(place: Place, account: str) -> list[Found]:
    own = one_spelling(account)
    return [file for file in place.everything(of=own) if own in file.accounts]


def _reported(files: Iterable[Found]) -> list[AccountFile]:
    """Return files with what they are, sorted by path."""
    account_files = [
        AccountFile(_what(file), file.path, file.bytes)
        for file in files
        if not file.is_folder and not file.path.endswith(".lock")
    ]
    return sorted(account_files, key=lambda each: each.path)


def _what(file: Found) -> str:
    """Return what a file of an account is."""
    name = file.parts[-1]
    if file.leads_to:
        return f"{LINK}{file.leads_to}"
    if file.month and file.parts[0] != ASIDE and part_of("", file.month, name):
        return "month"
    if name.startswith(".synced."):
        return "ledger"
    return next((what for home, what in _HOMES.items() if home in file.parts), "file")


def _remove(place: Place, files: Iterable[Found]) -> None:
    """Remove files, links and empty folders."""
    for file in files:
        if file.is_folder:
            place.remove_empty(Path(file.path))
        else:
            place.remove(file.path)


# What is older than a study keeps


def prune(
    place: Place,
    before: datetime,
    *,
    accounts: Collection[str] | None = None,
    dry_run: bool = False,
) -> list[AccountFile]:
    """Remove months and live recordings that ended before an instant, and events begun before it.

    A month is removed as a whole, when its last instant is older: so nothing younger is lost, and
    what is older stays for at most one more month. Months that `repair` or a restore has set aside
    are removed too. The ledger of syncs stays, so that no sync brings them back.

    Parameters
    ----------
    place : Place
        The root of the archive.
    before : datetime
        The instant, in UTC.
    accounts : collection of str, optional
        Only what belongs to these accounts; by default to any.
    dry_run : bool
        Change nothing.

    Returns
    -------
    list of AccountFile
        What was removed.
    """

    def has_ended(month: str) -> bool:
        return month_edges(month)[1] <= instant_us(before)

    old: list[Found] = []
    of_events: list[Found] = []
    with archive_errors(f"prune {place.name}"):
        for file in place.everything():
            if accounts is not None and file.accounts.isdisjoint(accounts):
                continue
            is_old = bool(file.month) and has_ended(file.month)
            if file.parts[0] == LIVE:  # what is not packed still waits
                is_old = file.path.endswith(".gz") and file.modified < before.timestamp()
            if is_old:
                old.append(file)
            elif file.leads_to and Path(file.path).is_dir():
                raise deep_link(file.path)
            elif _what(file) == "events" and file.path.endswith(SMALL_FILE):
                of_events.append(file)
        for account in sorted({of for file in old for of in file.accounts} if not dry_run else ()):
            with locked(place, account), suppress(ArchiveError):  # a damaged list is left
                found = listed(place, account)
                left = frozenset(part for part in found if not has_ended(part.month))
                if left != found:
                    write_lists(place, {account: left})
        _remove(place, old if not dry_run else ())
        removed = _reported(old)
        for file in of_events:
            whose = account_of(file.parts[-1])
            with locked(place, whose) if whose and not dry_run else nullcontext():
                events = _read_events(place, file.path)
                younger = events[events["start"] >= before]
                if share := 1 - len(younger) / max(len(events), 1):
                    removed.append(AccountFile("events", file.path, round(file.bytes * share)))
                    if not dry_run:
                        _write_events(place, file.path, younger)
    return removed
