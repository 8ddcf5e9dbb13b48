"""Who takes part in a cohort: accounts, zones, groups and other covariates."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import pandas as pd

from eyelog.archive.store import Archive
from eyelog.catalogue import check_log
from eyelog.clock import zone
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError, EyelogWarning

__all__ = ["Roster", "Wearer", "check_archive", "one_row_each", "roster"]


@dataclass(frozen=True, slots=True)
class Wearer:
    """One wearer: the account, the zone of the days, and the row of the table of wearers."""

    account: str
    tz: str
    covariates: tuple[tuple[str, Any], ...] = ()
    absent: str = ""  # why there is nothing to read
    unknown: bool = False  # asked for by name, and not in the archive


@dataclass(frozen=True, slots=True)
class Roster:
    """The wearers of a run, sorted by account, and their covariates with the dtypes."""

    wearers: tuple[Wearer, ...]
    covariates: Mapping[str, Any]

    @property
    def tz(self) -> str | None:
        """The zone of all wearers; None where they live in several."""
        zones = {wearer.tz for wearer in self.wearers}
        return zones.pop() if len(zones) == 1 else None


def check_archive(archive: Any) -> Archive:
    """Return the archive, or raise `ConfigurationError` where something else was passed."""
    if not isinstance(archive, Archive):
        raise ConfigurationError(
            f"a cohort is read from an archive, not from a {type(archive).__name__}: pass"
            " el.Archive(path)"
        )
    return archive


def roster(
    archive: Archive,
    log: str,
    *,
    accounts: Iterable[str] | None,
    tz: str | None,
    wearers: pd.DataFrame | None,
) -> Roster:
    """Return who is to be read: those asked for, else all of the archive and of the table.

    Raises
    ------
    ConfigurationError
        If a zone is unknown, or the table of wearers is not one row per account.
    ArchiveError
        If the archive cannot be listed, or has nothing of this log.

    Warns
    -----
    EyelogWarning
        If wearers are missing from the table.
    """
    check_log(log)
    zone("UTC" if tz is None else tz)
    there = set(archive.accounts(log))
    table = None if wearers is None else one_row_each(wearers)
    if accounts is None and not there:
        raise ArchiveError(
            f"the archive {archive.path} has no {log!r}: write, import or sync into it"
        )
    if accounts is None:
        asked = there | set(() if table is None else table.index)
    else:
        asked = set(_names(accounts))
    if table is not None:
        _name_missing(sorted(asked - set(table.index)))
        table = table.reindex(sorted(asked))
    chosen = []
    for account in sorted(asked):
        row = {} if table is None else _scalars(table, account)
        zone_name = _zone_of(row, tz, account)
        if "tz" in row:
            row["tz"] = zone_name
        chosen.append(
            Wearer(
                account,
                zone_name,
                tuple(row.items()),
                "" if account in there else f"no {log} records in the archive",
                account not in there and accounts is not None,
            )
        )
    return Roster(tuple(chosen), {} if table is None else dict(table.dtypes))


def _names(accounts: Iterable[str]) -> list[str]:
    names = [accounts] if isinstance(accounts, str) else list(accounts)
    wrong = [name for name in names if not _is_name(name)]
    if wrong:
        raise ConfigurationError(f"accounts must be names such as 'me', not {wrong[0]!r}")
    if not names:
        raise ConfigurationError("accounts names nobody: leave it out for all wearers")
    return names


def _is_name(name: Any) -> bool:
    """Return whether an account can be one: text that can be written down."""
    try:
        return isinstance(name, str) and len(name.encode()) > 0
    except UnicodeEncodeError:
        return False


def one_row_each(wearers: Any) -> pd.DataFrame:
    """Return the table of wearers indexed by account."""
    if not isinstance(wearers, pd.DataFrame):
        raise ConfigurationError(
            "wearers takes a DataFrame with one row per wearer and a column 'account', not"
            f" a {type(wearers).__name__}"
        )
    if "account" in wearers.columns:
        table = wearers.set_index("account")
    elif wearers.index.name == "account":
        table = wearers
    else:
        raise ConfigurationError("the table of wearers has no column 'account'")
    try:
        index = table.index.astype("str")
    except UnicodeEncodeError:
        raise ConfigurationError(
            "the table of wearers has an account that is not valid text"
        ) from None
    if table.index.hasnans or (index == "").any():
        raise ConfigurationError("the table of wearers has a row without an account")
    if index.has_duplicates:
        twice = index[index.duplicated()][0]
        raise ConfigurationError(
            f"the table of wearers has several rows for {twice!r}: keep one row per wearer"
        )
    if not table.columns.is_unique or not all(isinstance(name, str) for name in table.columns):
        raise ConfigurationError("the columns of the table of wearers need one name each")
    return table.set_axis(index)


def _name_missing(names: list[str]) -> None:
    if names:
        shown = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
        warnings.warn(
            f"{len(names)} wearer(s) without a row in the table of wearers: {shown}",
            EyelogWarning,
            stacklevel=5,
        )


def _scalars(table: pd.DataFrame, account: str) -> dict[str, Any]:
    row = cast("pd.Series[Any]", table.loc[account])
    return {str(name): None if pd.isna(value) else value for name, value in row.items()}


def _zone_of(row: Mapping[str, Any], tz: str | None, account: str) -> str:
    stated = row.get("tz")
    if stated is None:
        return "UTC" if tz is None else tz
    try:
        zone(str(stated))
    except EyelogError as error:
        raise ConfigurationError(f"the table of wearers, {account!r}: {error}") from None
    return str(stated)
