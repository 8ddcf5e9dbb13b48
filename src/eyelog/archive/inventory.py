"""What an archive has, from the footers and the stamps of its files."""

from typing import Any

import numpy as np
import pandas as pd

from eyelog.archive.parquet.layout import Place, accounts, month_edges, month_path, months
from eyelog.archive.parquet.rows import Stamps, month_stamps, open_file
from eyelog.catalogue import INTERVAL_SECONDS, LOGS

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
}


def inventory(place: Place) -> pd.DataFrame:
    """Return one row per log and account."""
    present = sorted((account, log) for log in LOGS for account in accounts(place, log))
    rows = [_row(place, account, log) for account, log in present]
    return pd.DataFrame(rows, columns=list(_DTYPES)).astype(_DTYPES)


def _row(place: Place, account: str, log: str) -> dict[str, Any]:
    parts: list[Stamps] = []
    size = 0
    for month in months(place, log, account):
        path = month_path(place, log, account, month)
        size += int(place.fs.size(path))
        with open_file(place, path) as file:
            parts.append(month_stamps(file, *month_edges(month)))
    stamps = np.concatenate(parts)
    longest = INTERVAL_SECONDS[log] * _SECOND * 3 // 2
    return {
        "account": account,
        "log": log,
        "first": pd.Timestamp(stamps[0], unit="us", tz="UTC"),
        "last": pd.Timestamp(stamps[-1], unit="us", tz="UTC"),
        "days": len(np.unique(stamps // _DAY)),
        "records": len(stamps),
        "gaps": int(np.count_nonzero(np.diff(stamps) > longest)),
        "bytes": size,
    }
