"""The folders of an account, one per log, and the lock under which they are written.

::

    ROOT/log=computed_data/account=me

Names that begin with a dot (locks, unfinished files) are not data.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from filelock import FileLock, Timeout

from eyelog.archive.all_or_none import complete, folders_of, unfinished
from eyelog.archive.place import Place
from eyelog.catalogue import check_log, known_logs
from eyelog.disk.files import make_folders
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError

__all__ = [
    "SMALL_FILE",
    "account_of",
    "check_account",
    "complete_interrupted",
    "folder",
    "locked",
    "remove_leftovers",
]

SMALL_FILE: Final = ".v1.csv"
"""How the names of an account's small files beside the logs end: zones and events."""
# A folder, a small file, or one that a killed process was writing.
_NAMED: Final = re.compile(
    r"account=(.+?)(?:\.v1\.csv)?|\.account=(.+)\.v1\.csv\..*\.tmp", re.DOTALL
)

# Capitals are escaped too: "Anna" and "anna" are two folders even if the disk ignores case.
_PLAIN: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
_LONGEST: Final = 200

WAIT_S: Final = 300


def folder(place: Place, log: str, account: str) -> str:
    """Return the folder of one log of one account."""
    return f"{place.root}/log={check_log(log)}/account={check_account(account)}"


def check_account(account: str) -> str:
    """Return the name of an account's folder; no account name can lead outside the archive.

    Raises
    ------
    ConfigurationError
        If it is not a name, or too long for a folder.
    """
    if not isinstance(account, str) or not account:
        raise ConfigurationError(f"{account!r} is not an account: give a name such as 'me'")
    try:
        raw = account.encode()
    except UnicodeEncodeError:
        raise ConfigurationError(f"the account {account!r} is not valid text") from None
    escaped = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in raw)
    if len(escaped) > _LONGEST:
        raise ConfigurationError(
            f"the account name {account[:20]!r}... is too long for a folder: at most {_LONGEST}"
            " characters, where any but a-z, 0-9, '-' and '_' counts three per byte"
        )
    return escaped


def account_of(name: str) -> str | None:
    """Return the account that a folder or a file of the archive is named after; None if none."""
    match = _NAMED.fullmatch(name)
    return None if match is None else unquote(match[1] or match[2])


@contextmanager
def locked(place: Place, log: str, account: str) -> Iterator[None]:
    """Let one process at a time write one log of one account; remove leftovers of a killed one.

    Only a local disk can lock. On an object store each month is still old or new, but of two
    processes that write the same month at the same moment the later one wins.
    """
    if not place.local:
        bucket = place.root.partition("/")[0]
        if bucket and not place.fs.exists(bucket):  # fsspec would create it, even if it is misspelt
            raise ArchiveError(
                f"cannot write to {place.name}: there is no {bucket!r}, create it first"
            )
        yield
        return
    home = Path(folder(place, log, account))
    make_folders(home)
    try:
        with FileLock(home / ".lock", timeout=WAIT_S, mode=0o600):
            complete(Path(place.root), home)  # before its files are mistaken for leftovers
            for leftover in home.glob("month=*/.*.tmp"):
                leftover.unlink(missing_ok=True)
            yield
    except Timeout:
        raise ArchiveError(
            f"another process has been writing {log!r} of {account!r} for {WAIT_S} s:"
            " try again when it has finished"
        ) from None


def complete_interrupted(place: Place) -> list[str]:
    """Complete imports that were killed between two months; return what could not be completed."""
    problems = []
    for journal in unfinished(Path(place.root)) if place.local else []:
        try:
            for log, account in sorted(folders_of(journal)):
                with locked(place, log.removeprefix("log="), unquote(account[len("account=") :])):
                    pass
        except (EyelogError, OSError) as error:
            problems.append(
                f"an import was interrupted between two months, and not completed: {error}"
            )
    return problems


def remove_leftovers(place: Place, account: str) -> None:
    """Complete what a killed process left of an account's months, or remove it."""
    for log in known_logs():
        if place.local and Path(folder(place, log, account)).is_dir():
            with locked(place, log, account):
                pass
