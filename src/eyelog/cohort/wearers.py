"""Who takes part in a cohort: accounts, zones, groups and other covariates."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import pandas as pd

from eyelog.archive.store import Archive
from eyelog.catalogue import check_log
from eyelog.checks import names_of
from eyelog.clock import Zone, Zones, as_zones, known_zones
from eyelog.errors import (
    ArchiveError,
    ConfigurationError,
    EyelogError,
    warn,
)


@dataclass(frozen=True, slots=True)
class Wearer:
    """One wearer: the account, the zone of the days, and the row of the table of wearers."""

    account: str
    tz: Zones
    covariates: tuple[tuple[str, Any], ...] = ()
    absent: str = ""  # why there is nothing to read
    unknown: bool = False  # requested by name, but not in the archive


@dataclass(frozen=True, slots=True)
class Roster:
    """The wearers of a run, sorted by account, and their covariates with the dtypes."""

    wearers: tuple[Wearer, ...]
    covariates: Mapping[str, Any]

    @property
    def tz(self) -> str | None:
        """The zone of all wearers; None where they live in several, or one travels."""
        names = {name for wearer in self.wearers for _, name in wearer.tz.rows}
        return names.pop() if len(names) == 1 else None


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
    tz: Zone | None,
    wearers: pd.DataFrame | None,
) -> Roster:
    """Return who is to be read: those requested, otherwise all in the archive and in the table.

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
    given = None if tz is None else as_zones(tz, what="an archive")
    archived = set(archive.accounts(log))
    table = None if wearers is None else one_row_each(wearers)
    if accounts is None and not archived:
        raise ArchiveError(
            f"the archive {archive.path} has no {log!r}: write, import or sync into it"
        )
    if accounts is None:
        wanted = archived | set(() if table is None else table.index)
    else:
        wanted = set(_names(accounts))
    if table is not None:
        _name_missing(sorted(wanted - set(table.index)))
        table = table.reindex(sorted(wanted))
    chosen: list[Wearer] = []
    unknown: list[str] = []
    for account in sorted(wanted):
        row = {} if table is None else _scalars(table, account)
        # For an account that is not in the archive, nothing is read.
        fallback = given if account in archived else given or Zones("UTC")
        zones = _zones_of(row, fallback, archive, account, unknown)
        if "tz" in row:
            row["tz"] = str(zones)
        chosen.append(
            Wearer(
                account,
                zones,
                tuple(row.items()),
                "" if account in archived else f"no {log} records in the archive",
                account not in archived and accounts is not None,
            )
        )
    if unknown:
        # Reported once for all of them.
        more = len(unknown) - 1
        others = f" and {more} other account{'s' if more > 1 else ''}" if more else ""
        last = known_zones(
            None,
            whose=f"account {unknown[0]!r}{others}",
            remedy="set it with `eyelog archive set-zone ACCOUNT ZONE`, or pass tz='Asia/Tokyo'",
            stacklevel=5,
        )
        chosen = [
            _with_zones(each, last) if each.account in set(unknown) else each for each in chosen
        ]
    return Roster(tuple(chosen), {} if table is None else dict(table.dtypes))


def _names(accounts: Iterable[str]) -> list[str]:
    names = names_of(accounts, "accounts")
    wrong = [name for name in names if not _is_name(name)]
    if wrong:
        raise ConfigurationError(f"accounts must be names such as 'me', not {wrong[0]!r}")
    if not names:
        raise ConfigurationError("accounts names nobody: leave it out for all wearers")
    return names


def _is_name(name: Any) -> bool:
    """Return whether a value can be an account: text that can be written."""
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
        "".join(map(str, table.index)).encode()
    except UnicodeEncodeError:
        raise ConfigurationError(
            "the table of wearers has an account that is not valid text"
        ) from None
    index = table.index.astype("str")
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
        warn(f"{len(names)} wearer(s) without a row in the table of wearers: {shown}")


def _scalars(table: pd.DataFrame, account: str) -> dict[str, Any]:
    row = cast("pd.Series[Any]", table.loc[account])
    return {str(name): None if pd.isna(value) else value for name, value in row.items()}


def _zones_of(
    row: Mapping[str, Any],
    given: Zones | None,
    archive: Archive,
    account: str,
    unknown: list[str],
) -> Zones:
    """Return the zones of a wearer: those of the table, those given, or those of the archive.

    A wearer without known zones is added to `unknown`.
    """
    stated = row.get("tz")
    if stated is not None:
        try:
            return as_zones(str(stated), what="an archive")
        except EyelogError as error:
            raise ConfigurationError(f"the table of wearers, {account!r}: {error}") from None
    zones = archive.zones(account) if given is None else given
    if zones is None:
        unknown.append(account)
    return Zones("UTC") if zones is None else zones


def _with_zones(wearer: Wearer, zones: Zones) -> Wearer:
    covariates = dict(wearer.covariates)
    if "tz" in covariates:
        covariates["tz"] = str(zones)
    return replace(wearer, tz=zones, covariates=tuple(covariates.items()))
