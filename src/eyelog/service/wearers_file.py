"""A list of wearers as a CSV file: who is added to a service, or to whom a command applies."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from eyelog.clock import as_zones
from eyelog.errors import ConfigurationError, EyelogError
from eyelog.service.auth.accounts import NewAccount, check_new

__all__ = ["COLUMNS", "Listed", "read_wearers"]

COLUMNS: Final = ("name", "password", "study", "role", "zone")


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of the file: the account, and the zone of the wearer ("" if it is not given)."""

    account: NewAccount
    zone: str


def read_wearers(path: Path) -> list[Listed]:
    """Return the lines of a file with the columns name, password, study, role and zone.

    All columns except the name may be missing or empty: there is then no password, no study and no
    zone, and the role is wearer.

    Raises
    ------
    ConfigurationError
        If the file or one of its lines cannot be used; the message names the line.
    """
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path} is not text in UTF-8: save it as CSV UTF-8") from None
    try:
        wearers = list(_lines(path, text))
    except csv.Error as error:
        raise ConfigurationError(f"{path} is not a CSV file: {error}") from None
    if not wearers:
        raise ConfigurationError(f"{path} lists no wearer")
    return wearers


def _lines(path: Path, text: str) -> Iterator[Listed]:
    reader = csv.DictReader(text.splitlines(), strict=True)
    columns = list(reader.fieldnames or ())
    if "name" not in columns or set(columns) - set(COLUMNS) or len(set(columns)) < len(columns):
        raise ConfigurationError(
            f"{path} has the columns {', '.join(map(repr, columns))}: it needs name, and may have"
            f" {', '.join(COLUMNS[1:])}"
        )
    first: dict[str, int] = {}
    for row in reader:
        where = f"{path}, line {reader.line_num}"
        if None in row or None in row.values():
            raise ConfigurationError(f"{where} does not have {len(columns)} cells")
        name = row["name"]
        if name in first:
            raise ConfigurationError(f"{where}: {name!r} stands in line {first[name]} already")
        first[name] = reader.line_num
        account = NewAccount(
            name,
            row.get("password") or None,
            row.get("study") or "",
            row.get("role") or "wearer",
        )
        zone = row.get("zone") or ""
        try:
            check_new(account)
            if zone:
                as_zones(zone, what="a list of wearers")
        except EyelogError as error:
            raise ConfigurationError(f"{where}: {error}") from None
        yield Listed(account, zone)
