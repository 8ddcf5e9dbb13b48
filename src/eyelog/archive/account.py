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
    everything,
    folder,
    problem_of,
    read_small_file,
    remove_file,
    same_account,
    small_file,
    write_small_file,
)
from eyelog.arrow_tables import instant_us, is_month, month_edges
from eyelog.clock import DAY, Zones, day_start, zone
from eyelog.errors import ArchiveError, ConfigurationError, warn
from eyelog.home import sync_folder
from eyelog.read.diary import DIARY, events_table

ZONES: Final = ".zones"
EVENTS: Final = ".events"
LINK: Final = "link to "
_KEY: Final = "month="
_BESIDE: Final = {ZONES: "zones", EVENTS: "events", LISTS: "list of months"}
_EVENTS_HEADER: Final = "start,end,label,kind,value"
# Two events with these the same are one; the later file has its end and value.
_SAME: Final = ["start", "kind", "label"]


def small_file_problems(place: Place) -> Iterator[tuple[str, str, str]]:
    """Yield account, file and problem of each file of zones or events that cannot be read."""
    for home, read in ((ZONES, stored_zones), (EVENTS, stored_events)):
        for file in everything(place, home):
            account = account_of(file.parts[-1]) or ""
            if file.parts[-1].startswith("."):  # left by a killed process
                continue
            try:
                if not account or file.path != small_file(place, home, account):
                    raise ConfigurationError("it is not a file that the archive reads")
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
    path = small_file(place, ZONES, account)
    body = read_small_file(place, path)
    if body is None:
        return None
    try:
        header, *lines = body.decode().splitlines()
        if header != "from,tz":
            raise ConfigurationError("its first line is not from,tz")
        return Zones([tuple(line.split(",")) for line in lines])
    except (ValueError, ConfigurationError) as error:
        raise ArchiveError(
            f"cannot read {path}: it is damaged ({error}): write the zone again with"
            f" `eyelog archive set-zone {account} ZONE`"
        ) from None


def set_zones(place: Place, account: str, zones: Zones) -> None:
    """Replace the zones of an account, as a whole."""
    path = small_file(place, ZONES, account)
    table = zones.to_frame()
    lines = [f"{since},{name}" for since, name in zip(table["from"], table["tz"], strict=True)]
    body = "\n".join(["from,tz", *lines, ""]).encode()
    with locked(place, account):
        write_small_file(place, path, body)


# Events


def stored_events(place: Place, account: str) -> pd.DataFrame:
    """Return the events of an account in UTC, in order of time; without rows if it has none.

    Raises
    ------
    ArchiveError
        If the file is damaged, or cannot be read.
    """
    return _read_events(place, small_file(place, EVENTS, account))


def _read_events(place: Place, path: str) -> pd.DataFrame:
    body = read_small_file(place, path)
    if body is None:
        none = np.zeros(0, dtype=np.int64)
        return events_table(none, none, [], [], [])
    try:
        table = pd.read_csv(
            io.BytesIO(body),
            dtype={
                **dict.fromkeys(["start", "end", "label", "kind"], "string"),
                "value": "float64",
            },
            keep_default_na=False,
            na_values={"end": [""], "value": [""]},
        )
        if (header := ",".join(table.columns)) != _EVENTS_HEADER:
            raise ValueError(f"its first line is not {_EVENTS_HEADER}: {header}")
        for name in ("start", "end"):
            table[name] = pd.to_datetime(table[name], format="ISO8601", utc=True)
        return events_in_utc(table)
    except (ValueError, KeyError) as error:
        why = str(error).splitlines()[0]
        raise ArchiveError(
            f"cannot read {path}: it is damaged ({why}): remove it, and import the files of events"
            " again"
        ) from None


def events_in_utc(events: pd.DataFrame) -> pd.DataFrame:
    """Return a table of events in UTC, as `events_table` does.

    Raises
    ------
    ConfigurationError
        If it lacks a column, or a time has no zone.
    """
    if not isinstance(events, pd.DataFrame) or not {"start", "end", "label"} <= {*events.columns}:
        raise ConfigurationError(
            "events must be a table with the columns start, end and label, as eyelog.read_events"
            " returns it"
        )
    if not events.columns.is_unique:
        twice = events.columns[events.columns.duplicated()][0]
        raise ConfigurationError(f"the events have the column {twice!r} twice: keep one of them")
    for name in ("start", "end"):
        if not isinstance(events[name].dtype, pd.DatetimeTZDtype):
            raise ConfigurationError(
                f"the column {name!r} of the events needs times with a zone:"
                f" events[{name!r}].dt.tz_localize('Asia/Tokyo')"
            )
    if events["start"].isna().any() or events["label"].isna().any():
        raise ConfigurationError("an event has no start or no label: give it one, or remove it")
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
        As `events_table` returns them.
    keep : bool
        Whether to write them.
    """
    with locked(place, account) if keep else nullcontext():
        before = stored_events(place, account)
        merged = pd.concat([before, events], ignore_index=True).drop_duplicates(_SAME, keep="last")
        merged = merged.sort_values("start", kind="stable", ignore_index=True)
        new = len(merged) - len(before.merge(merged, how="inner").drop_duplicates(_SAME))
        if new and keep:
            _write_events(place, small_file(place, EVENTS, account), merged)
    return new


def _write_events(place: Place, path: str, events: pd.DataFrame) -> None:
    if events.empty:
        remove_file(place, path)
        return
    # All cells are quoted: a lone carriage return in a label would end its line otherwise.
    text = events.to_csv(
        index=False, date_format="%Y-%m-%dT%H:%M:%S.%fZ", quoting=csv.QUOTE_ALL, lineterminator="\n"
    )
    write_small_file(place, path, text.encode("utf-8", "replace"))


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
        write_small_file(place, _ledger(place, log, account), msgspec.json.encode(sources))


def read_ledger(place: Place, log: str, account: str, *, warned: bool = False) -> dict[str, Days]:
    """Return the days that syncs have brought, by service and zone (`source_of`)."""
    path = _ledger(place, log, account)
    try:
        body = read_small_file(place, path)
        return msgspec.json.decode(b"{}" if body is None else body, type=dict[str, Days])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        if not warned:
            warn(f"{path} is damaged, so the days noted in it are requested from the service again")
        return {}


def source_of(base_url: str, tz: str) -> str:
    """Return the key of a service and a zone: a day is a different span of time in each zone."""
    return f"{base_url} {tz}"  # neither contains a blank


def _ledger(place: Place, log: str, account: str) -> str:
    return f"{folder(place, log, account)}/.synced.v1.json"


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
        for file in removed.values():
            _remove(place, file)
    return _reported(removed.values())


def traces(place: Place, account: str) -> list[AccountFile]:
    """Return the files of an account, sorted by path."""
    return _reported(_of_account(place, account))


def named_accounts(place: Place) -> set[str]:
    """Return the accounts after which anything in the archive is named, even in hidden folders."""
    return {account for file in everything(place) for account in file.accounts}


def _of_account(place: Place, account: str) -> list[Found]:
    return [
        file
        for file in everything(place, of=account)
        if any(same_account(account, each) for each in file.accounts)
    ]


def _what(file: Found) -> str:
    """Return what a file of an account is."""
    *_, parent, name = ("", *file.parts)
    if file.leads_to:
        return f"{LINK}{file.leads_to}"
    if ASIDE in file.parts:
        return "damaged month"
    if file.parts[0] == ".live":
        return "live recording"
    if parent.startswith(_KEY) and part_of("", parent.removeprefix(_KEY), name) is not None:
        return "month"
    if name.startswith(".synced."):
        return "ledger"
    return _BESIDE.get(parent, "file")


def _reported(files: Iterable[Found]) -> list[AccountFile]:
    """Return files with what they are, sorted by path."""
    told = [
        AccountFile(_what(file), file.path, file.bytes)
        for file in files
        if not file.is_folder and not file.path.endswith(".lock")
    ]
    return sorted(told, key=lambda each: each.path)


def _remove(place: Place, file: Found) -> None:
    """Remove a file, a link or an empty folder, and the folders above that are then empty."""
    if not file.is_folder:
        remove_file(place, file.path)
    if not place.local:
        return
    above = Path(file.path) if file.is_folder else Path(file.path).parent
    with suppress(OSError):  # something is in it
        while above != Path(place.root) and not above.is_symlink():
            above.rmdir()
            above = above.parent
    if above.is_dir():
        sync_folder(above)


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
    end_us = instant_us(before)

    def concerned(file: Found) -> bool:
        return accounts is None or not file.accounts.isdisjoint(accounts)

    def is_old(file: Found) -> bool:
        if file.parts[0] == ".live" and file.path.endswith(".gz"):  # the others still wait
            return file.modified < before.timestamp()
        months = [part.removeprefix(_KEY) for part in file.parts if part.startswith(_KEY)]
        return any(is_month(month) and month_edges(month)[1] <= end_us for month in months)

    removed: list[AccountFile] = []
    with archive_errors(f"prune {place.name}"):
        files = [file for file in everything(place) if concerned(file)]
        old = [file for file in files if is_old(file)]
        for file in set(files) - set(old):
            if file.leads_to and Path(file.path).is_dir():
                raise deep_link(file.path)
        for account in sorted({of for file in old for of in file.accounts} if not dry_run else ()):
            with locked(place, account), suppress(ArchiveError):  # a damaged list is left
                found = listed(place, account)
                left = frozenset(each for each in found if month_edges(each.month)[1] > end_us)
                if left != found:
                    write_lists(place, {account: left})
        for file in old if not dry_run else ():
            _remove(place, file)
        for file in files:
            if _what(file) == "events" and file.path.endswith(SMALL_FILE):
                events = _read_events(place, file.path)
                left_events = events[events["start"] >= before]
                share = 1 - len(left_events) / max(len(events), 1)
                if share:
                    removed.append(AccountFile("events", file.path, round(file.bytes * share)))
                if share and not dry_run:
                    _write_events(place, file.path, left_events)
    return [*_reported(old), *removed]
