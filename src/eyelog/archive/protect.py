"""Month files that an older eyelog wrote, sealed as new ones are."""

import shutil
import tempfile
from pathlib import Path
from typing import Final

import pandas as pd

from eyelog.archive.parquet.damage import NOT_PROTECTED, month_problems
from eyelog.archive.parquet.layout import (
    FILE,
    Place,
    accounts,
    month_path,
    months,
    require_place,
)
from eyelog.archive.parquet.seal import sealed
from eyelog.archive.parquet.writing import commit, locked
from eyelog.catalogue import LOGS
from eyelog.disk.files import new_file, temporary_name
from eyelog.progress import progress_line

__all__ = ["protect"]

_COLUMNS: Final = ("account", "log", "month", "file")


def protect(place: Place) -> pd.DataFrame:
    """Seal the sound files that have no seal; see `eyelog.Archive.protect`."""
    require_place(place)
    present = [
        (account, log, month)
        for log in LOGS
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
        if month_problems(place, log, account, month) != [NOT_PROTECTED]:
            return False
        folder = Path(path).parent if place.local else Path(tempfile.gettempdir())
        made = temporary_name(folder / FILE)
        try:
            with place.fs.open(path, "rb") as source, new_file(made) as sink, sealed(sink, made):
                shutil.copyfileobj(source, sink)
            commit(place, made, path)
        finally:
            made.unlink(missing_ok=True)
    return True
