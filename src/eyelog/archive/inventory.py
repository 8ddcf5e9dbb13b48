"""What an archive holds, from the footers and the stamps of its files."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from eyelog.archive.parquet.layout import STAMP, Place, accounts, month_edges, month_path, months
from eyelog.archive.parquet.rows import open_file, read_rows, stamps_of
from eyelog.catalogue import INTERVAL_SECONDS, LOGS

__all__ = ["inventory"]

_STAMPS = pa.schema([("date", STAMP)])
_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_DTYPES = {
    "account": "string",
    "log": "string",
    "first": "datetime64[us, UTC]",
    "last": "datetime64[us, UTC]",
    "days": "int64",
    "records": "int64",
    "holes": "int64",
    "bytes": "int64",
}


def inventory(place: Place) -> pd.DataFrame:
    """Return one row for each log of each account."""
    held = sorted((account, log) for log in LOGS for account in accounts(place, log))
    rows = [_row(place, account, log) for account, log in held]
    return pd.DataFrame(rows, columns=list(_DTYPES)).astype(_DTYPES)


def _row(place: Place, account: str, log: str) -> dict[str, Any]:
    stamps: list[npt.NDArray[np.int64]] = []
    size = 0
    for month in months(place, log, account):
        path = month_path(place, log, account, month)
        size += int(place.fs.size(path))
        with open_file(place, path) as file:
            stamps.append(stamps_of(read_rows(file, _STAMPS, *month_edges(month))))
    found = np.concatenate(stamps)
    longest = INTERVAL_SECONDS[log] * _SECOND * 3 // 2
    return {
        "account": account,
        "log": log,
        "first": pd.Timestamp(found[0], unit="us", tz="UTC"),
        "last": pd.Timestamp(found[-1], unit="us", tz="UTC"),
        "days": len(np.unique(found // _DAY)),
        "records": len(found),
        "holes": int(np.count_nonzero(np.diff(found) > longest)),
        "bytes": size,
    }
