"""Who takes part in a cohort: accounts, zones, groups and other covariates."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from eyelog.archive.store import Archive
from eyelog.catalogue import check_log
from eyelog.checks import names_of
from eyelog.clock import Zone, Zones, as_zones, known_zones
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError, counted, warn


@dataclass(frozen=True, slots=True)
class Wearer:
    """One wearer: the account, the zone of the days, and the row of the table of wearers."""

    account: str
    tz: Zones
    covariates: tuple[tuple[str, Any], ...] = ()
    absent: str = ""  # why there is nothing to read
    unknown: bool = False  # requested by name, but not in the archive

    @property
    def said(self) -> tuple[Any, ...]:
        """What the rows of the wearer depend on, as text."""
        covariates = [(name, repr(value)) for name, value in self.covariates]
        return self.account, repr(self.tz), covariates


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
    wanted = archived | set(() if table is None else table.index)
    if accounts is not None:
        wanted = set(_names(accounts))
    if table is not None:
        missing = sorted(wanted - set(table.index))
        if missing:
            shown = ", ".join(map(repr, missing[:10])) + (", ..." if len(missing) > 10 else "")
            warn(f"{len(missing)} wearer(s) without a row in the table of wearers: {shown}")
        table = table.reindex(sorted(wanted))
    zones: dict[str, Zones | None] = {}
    rows: dict[str, dict[str, Any]] = {}
    for account in sorted(wanted):
        values = {} if table is None else table.loc[account].to_dict()
        row = {str(name): None if pd.isna(value) else value for name, value in values.items()}
        rows[account] = row
        if row.get("tz") is not None:
            try:
                zones[account] = as_zones(str(row["tz"]), what="an archive")
            except EyelogError as error:
                raise ConfigurationError(f"the table of wearers, {account!r}: {error}") from None
        elif account in archived and given is None:
            zones[account] = archive.zones(account)
        else:
            zones[account] = given or Zones("UTC")
    unknown = [account for account in zones if zones[account] is None]
    if unknown:  # reported once for all of them
        others = f" and {counted(len(unknown) - 1, 'other account')}" if unknown[1:] else ""
        last = known_zones(
            None,
            whose=f"account {unknown[0]!r}{others}",
            remedy="set it with `eyelog archive set-zone ACCOUNT ZONE`, or pass tz='Asia/Tokyo'",
            stacklevel=5,
        )
        zones |= dict.fromkeys(unknown, last)
    chosen = []
    for account, row in rows.items():
        place = zones[account] or Zones("UTC")
        row |= {"tz": str(place)} if "tz" in row else {}
        absent = "" if account in archived else f"no {log} records in the archive"
        named = bool(absent) and accounts is not None
        chosen.append(Wearer(account, place, tuple(row.items()), absent, named))
    return Roster(tuple(chosen), {} if table is None else dict(table.dtypes))


def _names(accounts: Iterable[str]) -> list[str]:
    names = names_of(accounts, "accounts")
    for name in names:
        try:
            wrong = not (isinstance(name, str) and name.encode())
        except UnicodeEncodeError:
            wrong = True
        if wrong:
            raise ConfigurationError(f"accounts must be names such as 'me', not {name!r}")
    if not names:
        raise ConfigurationError("accounts names nobody: leave it out for all wearers")
    return names


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
