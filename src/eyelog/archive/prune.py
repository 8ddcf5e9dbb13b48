"""Find and remove months that are older than the retention of a study.

A month is removed as a whole, when its last instant is older: so nothing younger is lost, and what
is older stays for at most one more month. Months that `repair` or a restore has set aside are
removed too. The ledger of syncs stays, so that no sync brings them back.
"""

import shutil
from collections.abc import Callable, Collection
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from eyelog.archive.account_events import prune_events
from eyelog.archive.account_folders import account_of, folder, locked
from eyelog.archive.erase import AccountFile, link
from eyelog.archive.place import Place, archive_errors, walk
from eyelog.archive.utc_stamps import instant_us, is_month, month_edges
from eyelog.catalogue import known_logs
from eyelog.disk.files import sync_folder

__all__ = ["prune"]

_KEY: Final = "month="


def prune(
    place: Place,
    before: datetime,
    *,
    accounts: Collection[str] | None = None,
    dry_run: bool = False,
) -> list[AccountFile]:
    """Remove months and live recordings that ended before an instant, and events begun before it.

    Returns what was removed.

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
    """

    def concerned(path: str) -> bool:
        parts = Path(path.removeprefix(place.root)).parts
        return accounts is None or any(account_of(part) in accounts for part in parts)

    events = [
        AccountFile("events", path, size)
        for path, size in prune_events(place, before, concerned, dry_run=dry_run)
    ]
    if not place.local:
        return [*_remove_objects(place, before, concerned, dry_run=dry_run), *events]
    removed: list[AccountFile] = []
    for parent, names, _ in walk(place.root):
        old = sorted(name for name in names if _is_old(name, before))
        names[:] = sorted(name for name in names if not name.startswith(_KEY))
        if old and concerned(parent):
            removed += _remove(place, Path(parent), old, dry_run=dry_run)
    return [*removed, *_live(place, before, concerned, dry_run=dry_run), *events]


def _is_old(name: str, before: datetime) -> bool:
    """Return whether a name is that of the folder of a month which ended before an instant."""
    month = name.removeprefix(_KEY)
    is_folder = name.startswith(_KEY) and is_month(month)
    return is_folder and month_edges(month)[1] <= instant_us(before)


def _remove_objects(
    place: Place, before: datetime, concerned: Callable[[str], bool], *, dry_run: bool
) -> list[AccountFile]:
    with archive_errors(f"prune {place.name}"):
        place.fs.invalidate_cache()
        removed = [
            AccountFile("month", str(path), int(about["size"]))
            for path, about in sorted(place.fs.find(place.root, detail=True).items())
            if any(_is_old(part, before) for part in str(path).split("/")[:-1])
            and concerned(str(path))
        ]
        for one in [] if dry_run else removed:
            place.fs.rm_file(one.path)
    return removed


def _live(
    place: Place, before: datetime, concerned: Callable[[str], bool], *, dry_run: bool
) -> list[AccountFile]:
    """Remove the files of live recordings that were written to the end before an instant."""
    removed = []
    for file in sorted(Path(place.root).glob(".live/account=*/*.gz")):  # the others still wait
        status = file.lstat()
        if status.st_mtime < before.timestamp() and concerned(str(file)):
            removed.append(AccountFile("live recording", str(file), status.st_size))
            if not dry_run:
                file.unlink()
    return removed


def _remove(place: Place, parent: Path, months: list[str], *, dry_run: bool) -> list[AccountFile]:
    """Remove months of one folder, after waiting for any process that is writing into it."""
    with ExitStack() as stack:
        log, account = (unquote(each.partition("=")[2]) for each in parent.parts[-2:])
        if not dry_run and log in known_logs() and folder(place, log, account) == str(parent):
            stack.enter_context(locked(place, log, account))
        removed = []
        for path in [parent / month for month in months]:
            if path.is_symlink():  # what it leads to is not the archive's
                removed.append(link(str(path)))
                if not dry_run:
                    path.unlink()
                continue
            removed += [
                AccountFile("month", str(file), file.lstat().st_size)
                for file in sorted(path.rglob("*"))
                if not file.is_dir()
            ]
            if not dry_run:
                shutil.rmtree(path)
        if not dry_run:
            sync_folder(parent)
    return removed
