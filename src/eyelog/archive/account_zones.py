"""The zones of each account: a small file that a person can read, beside the logs.

::

    ROOT/.zones/account=me.v1.csv

Its lines are those of `eyelog.Zones`, ``from,tz``. They belong to the wearer, not to one log. The
folder is hidden, so Parquet tools skip it.
"""

from typing import Final
from urllib.parse import unquote

from eyelog.archive.account_folders import SMALL_FILE, check_account
from eyelog.archive.place import Place, read_small_file, write_small_file
from eyelog.clock import Zones
from eyelog.errors import ArchiveError, ConfigurationError

__all__ = ["set_zones", "stored_zones", "zones_path", "zones_problems"]

FOLDER: Final = ".zones"


def zones_path(place: Place, account: str) -> str:
    """Return the file of the zones of an account."""
    return f"{place.root}/{FOLDER}/account={check_account(account)}{SMALL_FILE}"


def stored_zones(place: Place, account: str) -> Zones | None:
    """Return the zones of an account, or None if none are known.

    Raises
    ------
    ArchiveError
        If the file is damaged, or cannot be read.
    """
    path = zones_path(place, account)
    body = read_small_file(place, path)
    if body is None:
        return None
    try:
        header, *lines = body.decode().splitlines()
        if header != "from,tz":
            raise ConfigurationError("its first line is not from,tz")
        return Zones([tuple(line.split(",")) for line in lines])
    except (ValueError, ConfigurationError) as error:
        raise ArchiveError(
            f"cannot read {path}: it is damaged ({error}): write the zone again with"
            f" `eyelog archive set-zone {account} ZONE`"
        ) from None


def set_zones(place: Place, account: str, zones: Zones) -> None:
    """Replace the zones of an account, as a whole."""
    path = zones_path(place, account)
    table = zones.to_frame()
    lines = [f"{since},{name}" for since, name in zip(table["from"], table["tz"], strict=True)]
    body = "\n".join(["from,tz", *lines, ""]).encode()
    write_small_file(place, path, body)


def zones_problems(place: Place) -> list[tuple[str, str, str]]:
    """Return account, file and problem of each file of zones that cannot be read."""
    root = f"{place.root}/{FOLDER}"
    place.fs.invalidate_cache(root)
    problems = []
    for path in sorted(map(str, place.fs.find(root))):
        name = path.rsplit("/", 1)[-1]
        if name.startswith("."):  # left by a killed process
            continue
        account = unquote(name.removeprefix("account=").removesuffix(SMALL_FILE))
        try:
            if name != f"account={check_account(account)}{SMALL_FILE}":
                raise ConfigurationError("it is not a file of zones that the archive reads")
            stored_zones(place, account)
        except (ArchiveError, ConfigurationError) as error:
            problem = str(error).removeprefix(f"cannot read {path}: ")
            problems.append((account, path, problem))
    return problems
