"""Find and remove what an archive has of one account, and what is older than a study keeps.

An account has folders of its own, one per log, and others of the same name under hidden folders
such as ``.damaged``. Whatever lies in them is the account's, whatever its name. The list of its
months, its zones and its events are files of its name, beside the logs and wherever a restore has
set them aside. A link in the folders of an account is removed, and what it leads to stays: the
protocol names that.
"""

from collections.abc import Collection, Iterable
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from eyelog.archive.account import EVENTS, ZONES, prune_events
from eyelog.archive.months import ASIDE, LISTS, listed, locked, part_of, write_lists
from eyelog.archive.place import (
    Found,
    Place,
    archive_errors,
    deep_link,
    everything,
    remove_file,
    same_account,
)
from eyelog.archive.utc_stamps import instant_us, is_month, month_edges
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.home import sync_folder

LINK: Final = "link to "
_KEY: Final = "month="
_BESIDE: Final = {ZONES: "zones", EVENTS: "events", LISTS: "list of months"}


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


def _reported(files: Iterable[Found]) -> list[AccountFile]:
    """Return files with what they are, sorted by path."""
    reported = []
    for file in files:
        name, parent = file.parts[-1], file.parts[-2]
        what = _BESIDE.get(parent, "file")
        if file.leads_to:
            what = f"{LINK}{file.leads_to}"
        elif ASIDE in file.parts:
            what = "damaged month"
        elif file.parts[0] == ".live":
            what = "live recording"
        elif parent.startswith(_KEY) and part_of(name, parent.removeprefix(_KEY)) is not None:
            what = "month"
        elif name.startswith(".synced."):
            what = "ledger"
        if not file.is_folder and not name.endswith(".lock"):
            reported.append(AccountFile(what, file.path, file.bytes))
    return sorted(reported, key=lambda each: each.path)


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

    with archive_errors(f"prune {place.name}"):
        files = [file for file in everything(place) if concerned(file)]
        old = [file for file in files if is_old(file)]
        for file in set(files) - set(old):
            if file.leads_to and Path(file.path).is_dir():
                raise deep_link(file.path)
        for account in sorted({of for file in old for of in file.accounts} if not dry_run else ()):
            with (
                suppress(ArchiveError),
                locked(place, account),
            ):  # of a damaged list nothing is lost
                found = listed(place, account)
                left = {
                    key: parts for key, parts in found.items() if month_edges(key[1])[1] > end_us
                }
                if left != found:
                    write_lists(place, {account: left})
        for file in old if not dry_run else ():
            _remove(place, file)
    events = prune_events(place, before, concerned, dry_run=dry_run)
    return [*_reported(old), *(AccountFile("events", path, size) for path, size in events)]
