"""Damaged months set aside, so that the rest can be used and their days can be fetched again."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path, PurePath
from typing import Final

import numpy as np
import pandas as pd

from eyelog.archive.account_folders import locked
from eyelog.archive.damage import is_damage
from eyelog.archive.ledger import problems_of_month, synced_days
from eyelog.archive.months import accounts, month_path, months, open_month
from eyelog.archive.place import Place, require_place
from eyelog.archive.utc_stamps import month_edges
from eyelog.catalogue import known_logs
from eyelog.clock import DAY
from eyelog.disk.files import move_file, sync_folder
from eyelog.errors import ArchiveError

__all__ = ["repair"]

_COLUMNS: Final = ("account", "log", "month", "problem", "sync_again", "import_again", "aside")
ASIDE: Final = ".damaged"  # hidden: Parquet tools and the archive itself skip it


def repair(place: Place) -> pd.DataFrame:
    """Set the damaged months aside; see `eyelog.Archive.repair`."""
    require_place(place)
    rows = [
        _set_aside(place, log, account, month, problem)
        for log in known_logs()
        for account in accounts(place, log)
        for month, problem in _damage(place, log, account)
    ]
    return pd.DataFrame(rows, columns=list(_COLUMNS)).astype("string")


def _damage(place: Place, log: str, account: str) -> list[tuple[str, str]]:
    damage = []
    with locked(place, log, account):
        for month in months(place, log, account):
            problems = problems_of_month(place, log, account, month)
            if wrong := [problem for problem in problems if is_damage(problem)]:
                damage.append((month, "; ".join(wrong)))
    return damage


def _set_aside(place: Place, log: str, account: str, month: str, problem: str) -> tuple[str, ...]:
    path = month_path(place, log, account, month)
    with locked(place, log, account):
        had = _days_of(place, log, account, month)
        synced = synced_days(place, log, account, month)
        aside = _free_name(place, path)
        _move(place, path, aside)
    # The days of an unreadable file are unknown: any day of the month that no sync brought.
    rest = [day for day in (_every_day(month) if had is None else had) if day not in synced]
    return account, log, month, problem, _ranges(synced), _ranges(rest), aside


def _days_of(place: Place, log: str, account: str, month: str) -> list[date] | None:
    """Return the days (UTC) that a damaged file has records of; None if it does not show them."""
    with suppress(ArchiveError), open_month(place, log, account, month) as file:
        stamps = file.stamps(*month_edges(month))
        days: list[date] = np.unique(stamps.view("M8[us]").astype("M8[D]")).tolist()
        return days
    return None


def _every_day(month: str) -> list[date]:
    first = np.datetime64(month, "M")
    days: list[date] = np.arange(first, first + 1, dtype="M8[D]").tolist()
    return days


def _free_name(place: Place, path: str) -> str:
    """Return where a file is moved: the same place in a hidden folder, with a time in its name."""
    inside = path.removeprefix(f"{place.root}/").rsplit("/", 1)[0]
    name = f"{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}{PurePath(path).suffix}"
    return f"{place.root}/{ASIDE}/{inside}/{name}"


def _move(place: Place, path: str, aside: str) -> None:
    if not place.local:
        place.fs.makedirs(aside.rsplit("/", 1)[0], exist_ok=True)
        place.fs.mv(path, aside)
        return
    file, target = Path(path), Path(aside)
    file.chmod(0o600)
    move_file(file, target)
    sync_folder(file.parent)
    with suppress(OSError):  # something else is in the folder
        file.parent.rmdir()


def _ranges(days: Iterable[date]) -> str:
    """Return days as a text, such as ``2026-10-01 to 2026-10-05, 2026-10-09``."""
    runs: list[list[date]] = []
    for day in sorted(days):
        if runs and day - runs[-1][-1] == DAY:
            runs[-1].append(day)
        else:
            runs.append([day])
    return ", ".join(map(_range, runs))


def _range(run: Sequence[date]) -> str:
    return run[0].isoformat() if len(run) == 1 else f"{run[0].isoformat()} to {run[-1].isoformat()}"
