"""Month files that an older eyelog wrote, sealed as new ones are."""

import tempfile
from pathlib import Path
from typing import Final

import pandas as pd

from eyelog.archive.account_folders import locked
from eyelog.archive.damage import NOT_PROTECTED
from eyelog.archive.ledger import problems_of_month
from eyelog.archive.month_writer import commit
from eyelog.archive.months import FILE, accounts, month_path, months
from eyelog.archive.parquet.resealing import seal_again
from eyelog.archive.place import Place, require_place
from eyelog.catalogue import known_logs
from eyelog.disk.files import temporary_name
from eyelog.progress import progress_line

__all__ = ["protect"]

_COLUMNS: Final = ("account", "log", "month", "file")


def protect(place: Place) -> pd.DataFrame:
    """Seal the sound files that have no seal; see `eyelog.Archive.protect`."""
    require_place(place)
    present = [
        (account, log, month)
        for log in known_logs()
        for account in accounts(place, log)
        for month in months(place, log, account)
    ]
    rows = []
    with progress_line(len(present), "protect", unit="file") as done:
        for account, log, month in present:
            if _protect(place, log, account, month):
                rows.append((account, log, month, month_path(place, log, account, month)))
            done()
    return pd.DataFrame(rows, columns=list(_COLUMNS)).astype("string")


def _protect(place: Place, log: str, account: str, month: str) -> bool:
    """Seal one month; return whether it had to be done and could be."""
    path = month_path(place, log, account, month)
    with locked(place, log, account):
        # A seal would make damage look sound, so only what passes every check gets one.
        if problems_of_month(place, log, account, month) != [NOT_PROTECTED]:
            return False
        folder = Path(path).parent if place.local else Path(tempfile.gettempdir())
        made = temporary_name(folder / FILE)
        try:
            seal_again(place, path, made, log, account)
            commit(place, made, path)
        finally:
            made.unlink(missing_ok=True)
    return True
