"""The contents of an archive, from the footers and the stamps of its files."""

import warnings
from typing import Any

import numpy as np
import pandas as pd

from eyelog.analysis.series.packets import PAUSE_US
from eyelog.archive.account_zones import stored_zones
from eyelog.archive.damage import problem_of
from eyelog.archive.months import accounts, month_path, months, open_month
from eyelog.archive.place import Place, require_place
from eyelog.archive.utc_stamps import Stamps, month_edges
from eyelog.catalogue import known_logs, log_named
from eyelog.errors import ArchiveError, EyelogWarning

__all__ = ["bytes_of_account", "contents", "inventory", "last_stamp"]

# With at most this many accounts, a footer of each is read to name the days; with more, the months
# are named.
_FEW = 20

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
    "tz": "string",
}


def inventory(place: Place) -> pd.DataFrame:
    """Return one row per log and account."""
    require_place(place)
    present = sorted((account, log) for log in known_logs() for account in accounts(place, log))
    rows = [_row(place, account, log) for account, log in present]
    table = pd.DataFrame(rows, columns=list(_DTYPES))
    for name in ("first", "last"):  # all missing, if every month is damaged
        table[name] = pd.to_datetime(table[name], utc=True)
    return table.astype(_DTYPES)


def contents(place: Place) -> str:
    """Describe an archive in a few words, from names of folders and a few footers.

    A remote archive is not listed: that takes a request per account.
    """
    if not place.local:
        return "remote"
    try:
        parts = [part for log in known_logs() if (part := _extent(place, log))]
    except Exception:  # noqa: BLE001 - a repr never fails; `verify` says what is wrong
        return "cannot be read: verify() says why"
    return "; ".join(parts) or "empty"


def bytes_of_account(place: Place, account: str) -> int:
    """Return the size of the month files of an account."""
    return sum(
        int(place.fs.size(month_path(place, log, account, month)) or 0)
        for log in known_logs()
        for month in months(place, log, account)
    )


def last_stamp(place: Place, log: str, account: str, month: str) -> int:
    """Return the last stamp of a month (microseconds since 1970, UTC), from its footer.

    Raises
    ------
    ArchiveError
        If the footer cannot be read.
    """
    return _edges(place, log, account, month)[1]


def _extent(place: Place, log: str) -> str:
    names = accounts(place, log)
    held = {name: months(place, log, name) for name in names}
    if not names:
        return ""
    first, last = min(span[0] for span in held.values()), max(f[-1] for f in held.values())
    if len(names) <= _FEW:
        edges = [
            _edges(place, log, name, month)
            for name, span in held.items()
            for month in {span[0], span[-1]}
            if month in (first, last)
        ]
        stamps = np.array(edges, np.int64).view("M8[us]").astype("M8[D]")
        first, last = str(stamps.min()), str(stamps.max())
    wearers = "1 account" if len(names) == 1 else f"{len(names):,} accounts"
    return f"{log} of {wearers}, {first} to {last}"


def _edges(place: Place, log: str, account: str, month: str) -> tuple[int, int]:
    """Return the first and last stamp of a month, from its footer."""
    with open_month(place, log, account, month) as file:
        return file.edges()


def _row(place: Place, account: str, log: str) -> dict[str, Any]:
    parts: list[Stamps] = []
    size = 0
    damaged: dict[str, str] = {}
    for month in months(place, log, account):
        path = month_path(place, log, account, month)
        size += int(place.fs.size(path))
        try:
            with open_month(place, log, account, month) as file:
                parts.append(file.stamps(*month_edges(month)))
        except ArchiveError as error:
            damaged[month] = problem_of(error, path)
    for month, problem in damaged.items():
        warnings.warn(
            f"{log!r} of {account!r}: {month} is damaged and not counted ({problem}):"
            " `eyelog archive repair` sets it aside and lists the days to get again",
            EyelogWarning,
            stacklevel=4,
        )
    stamps = np.concatenate([*parts, np.empty(0, np.int64)])
    about = log_named(log)
    # The stamps of packets are uneven: only the end of a connection is sure to be a gap.
    longest = PAUSE_US if about.numbers_packets else about.interval_us * 3 // 2
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
        "tz": _zones(place, account),
    }


def _zones(place: Place, account: str) -> str | None:
    """Return the zones of an account as text, None if they are not known."""
    try:
        zones = stored_zones(place, account)
    except ArchiveError as error:
        warnings.warn(str(error), EyelogWarning, stacklevel=5)
        return None
    return None if zones is None else str(zones)
