"""Where the files of an archive are, and what a file must look like.

::

    ROOT/log=computed_data/account=me/month=2026-10/data.parquet

One file has one month of one log of one account. Names that begin with a dot (locks, unfinished
files) are not data: Parquet tools skip them.
"""

import os
from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import file_digest
from importlib.metadata import version
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import numpy as np

from eyelog.archive.account_folders import folder
from eyelog.archive.place import Place, archive_errors, names_inside
from eyelog.archive.utc_stamps import is_month
from eyelog.catalogue import catalogue_version, check_log, known_logs, near
from eyelog.errors import ArchiveError, EyelogError

__all__ = [
    "FILE",
    "accounts",
    "content_key",
    "damage",
    "damage_errors",
    "file_metadata",
    "fingerprint",
    "month_files",
    "month_path",
    "months",
    "present_months",
    "problem_of",
]

FILE: Final = "data.parquet"
_REMEDY: Final = ": `eyelog archive repair` sets the damaged month aside"


def month_files(place: Place) -> Iterator[tuple[str, int, float]]:
    """Yield the account, the bytes and the time (seconds since 1970) of every month file."""
    if place.local:
        for file in Path(place.root).glob(f"log=*/account=*/month=*/{FILE}"):
            with suppress(OSError):  # it was just erased
                about = file.stat()
                yield _account_of(file.parts[-3]), about.st_size, about.st_mtime
        return
    place.fs.invalidate_cache()
    for path, entry in place.fs.find(place.root, detail=True).items():
        parts = str(path)[len(place.root) + 1 :].split("/")
        if len(parts) == 4 and parts[0].startswith("log=") and parts[3] == FILE:
            written = entry.get("LastModified") or place.fs.modified(path)
            yield _account_of(parts[1]), int(entry["size"]), written.timestamp()


def _account_of(name: str) -> str:
    return unquote(name.removeprefix("account="))


def damage(path: str, problem: str) -> ArchiveError:
    """Return the error of a file whose content has changed since it was written."""
    return ArchiveError(f"cannot read {path}: {problem.rstrip('.')}{_REMEDY}")


def problem_of(error: ArchiveError, path: str) -> str:
    """Return what is wrong with a file, from the error of reading it."""
    return str(error).removeprefix(f"cannot read {path}: ").removesuffix(_REMEDY)


@contextmanager
def damage_errors(path: str) -> Iterator[None]:
    """Turn whatever a Parquet reader raises on unchecked bytes into `damage`.

    Errors of the disk or of the store are left as they are.
    """
    with archive_errors(f"read {path}"):
        try:
            yield
        except (EyelogError, Warning):
            raise
        except Exception as error:  # a wrong bit can affect anything: text, sizes, types, names
            module = type(error).__module__.partition(".")[0]
            of_the_disk = isinstance(error, ConnectionError | TimeoutError) or (
                isinstance(error, OSError) and error.errno is not None
            )
            if of_the_disk or module not in ("builtins", "pyarrow"):
                raise
            raise damage(path, " ".join(str(error).split()) or type(error).__name__) from error


def month_path(place: Place, log: str, account: str, month: str) -> str:
    """Return the path of one month's file."""
    return f"{folder(place, log, account)}/month={month}/{FILE}"


def accounts(place: Place, log: str) -> list[str]:
    """Return the accounts that have records of a log, sorted."""
    names = names_inside(place, f"{place.root}/log={check_log(log)}")
    accounts = [unquote(name[8:]) for name in names if name.startswith("account=")]
    return sorted(account for account in accounts if months(place, log, account))


def months(place: Place, log: str, account: str) -> list[str]:
    """Return the months (``2026-10``, by UTC) of one log of one account, in order."""
    root = folder(place, log, account)
    names = names_inside(place, root)
    folders = [name[6:] for name in names if name.startswith("month=") and is_month(name[6:])]
    exists = os.path.exists if place.local else place.fs.exists
    # A folder without a file was left by a killed process: it is not a month yet.
    return [month for month in folders if exists(f"{root}/month={month}/{FILE}")]


def present_months(place: Place, log: str, account: str) -> list[str]:
    """Return the months; if there are none, raise an `ArchiveError` that lists what there is."""
    present = months(place, log, account)
    if present:
        return present
    by_log = {name: accounts(place, name) for name in known_logs()}
    every = sorted(set().union(*by_log.values()))
    if not every:
        raise ArchiveError(f"the archive {place.name} is empty: write, import or sync into it")
    if account not in every:
        names = ", ".join(map(repr, every[:10])) + (", ..." if len(every) > 10 else "")
        raise ArchiveError(
            f"no account {account!r} in the archive {place.name}{near(account, every)};"
            f" it has {names}"
        )
    logs = ", ".join(repr(name) for name in known_logs() if account in by_log[name])
    raise ArchiveError(f"the archive {place.name} has no {log!r} of {account!r}, only {logs}")


def fingerprint(
    place: Place, log: str, account: str, span: tuple[int, int]
) -> tuple[Hashable, ...]:
    """Return a key of each month's file in a half-open range, None for a month without one.

    A key changes when its file is replaced; the file is not read.
    """
    months = np.array([span[0], span[1] - 1]).astype("M8[us]").astype("M8[M]")
    names = np.arange(months[0], months[1] + 1).astype(str).tolist()
    return tuple(_file_key(place, month_path(place, log, account, name)) for name in names)


def content_key(place: Place, log: str, account: str, month: str) -> str:
    """Return an identifier of the content of a month's file: its digest, or its tag in a store."""
    path = month_path(place, log, account, month)
    return _digest(path, _file_key(place, path)) if place.local else str(place.fs.ukey(path))


@lru_cache(maxsize=8)  # the month of one part of a cohort is beside that of the next
def _digest(path: str, _: Hashable) -> str:
    with Path(path).open("rb") as source:
        return file_digest(source, "sha256").hexdigest()


def _file_key(place: Place, path: str) -> Hashable:
    try:
        if place.local:
            status = Path(path).stat()
            return status.st_ino, status.st_size, status.st_mtime_ns
        place.fs.invalidate_cache(path)
        return str(place.fs.ukey(path))
    except FileNotFoundError:
        return None


def file_metadata(log: str, account: str) -> dict[str, str]:
    """Return the metadata of a file. No clock time is in it: same records, same bytes."""
    return {
        "eyelog.log": log,
        "eyelog.account": account,
        "eyelog.catalogue": catalogue_version(),
        "eyelog.version": version("eyelog"),
    }
