"""A list of wearers as a CSV file: who is added to a service, or to whom a command applies.

No message quotes a cell. Where the columns are shifted, or their names are missing, any cell may be
a password.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from eyelog.clock import as_zones
from eyelog.errors import ConfigurationError, EyelogError
from eyelog_service.auth.accounts import NAME_RULE, NewAccount, check_password_rules, is_name

COLUMNS: Final = ("name", "password", "study", "zone")


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of the file: the account, and the zone of the wearer ("" if it is not given)."""

    account: NewAccount
    zone: str


def read_wearers(path: Path) -> list[Listed]:
    """Return the lines of a file with the columns name, password, study and zone.

    All columns except the name may be missing or empty: there is then no password, no study and no
    zone.

    Raises
    ------
    ConfigurationError
        If the file or one of its lines cannot be used; the message names the line.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            wearers = list(_lines(path, file))
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path} is not text in UTF-8: save it as CSV UTF-8") from None
    if not wearers:
        raise ConfigurationError(f"{path} lists no wearer")
    return wearers


def _lines(path: Path, file: TextIO) -> Iterator[Listed]:
    reader = csv.reader(file, strict=True)
    try:
        columns = next(reader, [])
        _check_columns(f"{path}, line 1", columns)
        first: dict[str, int] = {}
        for cells in reader:
            if not cells:
                continue
            where = f"{path}, line {reader.line_num}"
            if len(cells) != len(columns):
                raise ConfigurationError(f"{where} does not have {len(columns)} cells")
            row = dict(zip(columns, cells, strict=True))
            for column, cell in row.items():
                if "\n" in cell or "\r" in cell:
                    raise ConfigurationError(f"{where}, column {column}: a line break in a cell")
            name = row["name"]
            if name in first:
                raise ConfigurationError(
                    f"{where}, column name: the account stands in line {first[name]} already"
                )
            first[name] = reader.line_num
            account = NewAccount(name, row.get("password") or None, row.get("study") or "")
            zone = row.get("zone") or ""
            if fault := _fault(account, zone):
                raise ConfigurationError(f"{where}, column {fault}")
            yield Listed(account, zone)
    except csv.Error as error:
        raise ConfigurationError(
            f"{path} is not a CSV file: line {reader.line_num}: {error}"
        ) from None


def _check_columns(where: str, columns: list[str]) -> None:
    unknown = [str(at) for at, column in enumerate(columns, 1) if column not in COLUMNS]
    if unknown:
        *others, last = unknown
        which = f"columns {', '.join(others)} and {last} are" if others else f"column {last} is"
        raise ConfigurationError(
            f"{where} has to name the columns, with commas between them: {which} none of"
            f" {', '.join(COLUMNS)}"
        )
    if "name" not in columns:
        raise ConfigurationError(
            f"{where} names no column name: the file needs it, and may have"
            f" {', '.join(COLUMNS[1:])}"
        )
    if twice := [column for column in COLUMNS if columns.count(column) > 1]:
        raise ConfigurationError(f"{where} names the column {twice[0]} twice")


def _fault(one: NewAccount, zone: str) -> str:
    """Return the column of a cell that cannot be used, and why; empty if all can."""
    if not is_name(one.name):
        return f"name: no account can have this name: {NAME_RULE}"
    if one.study and not is_name(one.study):
        return f"study: no study can have this name: {NAME_RULE}"
    if one.password is not None:
        try:
            check_password_rules(one.password, account=one.name)
        except ConfigurationError as rule:
            said = str(rule).removeprefix(f"the password of account {one.name!r} ")
            return f"password: the password {said}"
    if zone:
        try:
            as_zones(zone, what="a list of wearers")
        except EyelogError:
            return "zone: no time zone such as Asia/Tokyo"
    return ""
