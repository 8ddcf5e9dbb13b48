"""What an archive has, from the footers and the stamps of its files."""

import warnings
from typing import Any

import numpy as np
import pandas as pd

from eyelog.archive.parquet.layout import (
    Place,
    accounts,
    month_edges,
    month_path,
    months,
    require_place,
)
from eyelog.archive.parquet.rows import Stamps, month_stamps, open_file
from eyelog.catalogue import INTERVAL_SECONDS, LOGS
from eyelog.errors import ArchiveError, EyelogWarning

__all__ = ["inventory"]

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_DTYPES = {
    "account": "string",
    "log": "string",
    "first": "datetime64[us, UTC]",
    "last": "datetime64[us, UTC]",
    "days": "int64",
    "records": "int64",
    "gaps": "int64",
    "bytes": "int64",
    "damaged": "int64",
}


def inventory(place: Place) -> pd.DataFrame:
    """Return one row per log and account."""
    require_place(place)
    present = sorted((account, log) for log in LOGS for account in accounts(place, log))
    rows = [_row(place, account, log) for account, log in present]
    table = pd.DataFrame(rows, columns=list(_DTYPES))
    for name in ("first", "last"):  # all missing, where every month is damaged
        table[name] = pd.to_datetime(table[name], utc=True)
    return table.astype(_DTYPES)


def _row(place: Place, account: str, log: str) -> dict[str, Any]:
    parts: list[Stamps] = []
    size = 0
    damaged: dict[str, str] = {}
    for month in months(place, log, account):
        path = month_path(place, log, account, month)
        size += int(place.fs.size(path))
        try:
            with open_file(place, path) as file:
                parts.append(month_stamps(file, *month_edges(month)))
        except ArchiveError as error:
            damaged[month] = str(error).removeprefix(f"cannot read {path}: ")
    for month, problem in damaged.items():
        warnings.warn(
            f"{log!r} of {account!r}: {month} is damaged and not counted ({problem}):"
            " `eyelog archive repair` sets it aside and says what to get again",
            EyelogWarning,
            stacklevel=4,
        )
    stamps = np.concatenate([*parts, np.empty(0, np.int64)])
    longest = INTERVAL_SECONDS[log] * _SECOND * 3 // 2
    return {
        "account": account,
        "log": log,
        "first": pd.Timestamp(stamps[0], unit="us", tz="UTC") if len(stamps) else pd.NaT,
        "last": pd.Timestamp(stamps[-1], unit="us", tz="UTC") if len(stamps) else pd.NaT,
        "days": len(np.unique(stamps // _DAY)),
        "records": len(stamps),
        "gaps": int(np.count_nonzero(np.diff(stamps) > longest)),
        "bytes": size,
        "damaged": len(damaged),
    }
