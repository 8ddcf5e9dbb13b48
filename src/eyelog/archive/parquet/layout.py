"""Where the files of an archive are, and what a file must look like.

::

    ROOT/log=computed_data/account=me/month=2026-10/data.parquet

One file has one month of one log of one account. A record belongs to the month of its stamp in
UTC, so its place does not depend on a time zone. Names that begin with a dot (locks, unfinished
files) are not data: Parquet tools skip them.
"""

import os
import re
from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import file_digest
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from fsspec.core import url_to_fs

from eyelog.catalogue import catalogue, catalogue_version, check_log, known_logs, near
from eyelog.disk.files import replace_file
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError

__all__ = [
    "FILE",
    "STAMP",
    "Place",
    "accounts",
    "archive_errors",
    "check_account",
    "content_key",
    "damage",
    "damage_errors",
    "file_metadata",
    "fingerprint",
    "folder",
    "group_edges",
    "is_month",
    "month_edges",
    "month_files",
    "month_path",
    "months",
    "months_of",
    "open_place",
    "overlap",
    "present_months",
    "problem_of",
    "read_small_file",
    "require_place",
    "require_store",
    "schema_of",
    "write_small_file",
]

FILE: Final = "data.parquet"
STAMP: Final = pa.timestamp("us", tz="UTC")
_ARROW: Final = {
    "int": pa.float64(),  # as in the frame: a whole number may be missing
    "float": pa.float64(),
    "bool": pa.bool_(),
    "str": pa.string(),
    "datetime": STAMP,
}
# Capitals are escaped too: "Anna" and "anna" are two folders even if the disk ignores case.
_PLAIN: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
_MONTH: Final = re.compile(r"\d{4}-(0[1-9]|1[0-2])", re.ASCII)
_LONGEST: Final = 200
_REMEDY: Final = ": `eyelog archive repair` sets the damaged month aside"


@dataclass(frozen=True, slots=True)
class Place:
    """The root of an archive: a file system of fsspec and a path on it."""

    fs: Any
    root: str
    local: bool

    @property
    def name(self) -> str:
        """The root as a user types it, without credentials."""
        return self.root if self.local else str(self.fs.unstrip_protocol(self.root))


def open_place(path: str | os.PathLike[str]) -> Place:
    """Return the place of a local path or of any URL that fsspec supports.

    Raises
    ------
    ConfigurationError
        If the kind of URL is unknown, or its package is not installed.
    """
    try:
        fs, root = url_to_fs(os.fspath(Path(path).expanduser() if _is_local(path) else path))
    except (ImportError, ValueError, TypeError) as error:
        if isinstance(error, ImportError) and "s3fs" in str(error):
            raise ConfigurationError(
                "an archive on S3 needs s3fs: pip install 'eyelog[s3]'"
            ) from None
        raise ConfigurationError(f"the archive's path cannot be used: {error}") from None
    protocols = {fs.protocol} if isinstance(fs.protocol, str) else set(fs.protocol)
    return Place(fs, root.rstrip("/"), bool(protocols & {"file", "local"}))


def require_place(place: Place) -> None:
    """Raise `ArchiveError` if there is no archive at a place."""
    there = Path(place.root).is_dir() if place.local else place.fs.exists(place.root)
    if not there:
        raise ArchiveError(
            f"there is no archive {place.name}: `eyelog import` and `eyelog sync` make one"
        )


def require_store(place: Place) -> None:
    """Raise `ArchiveError` unless an object store answers and has the bucket of an archive.

    The archive in it may still be empty.
    """
    bucket = place.root.partition("/")[0]
    with archive_errors(
        f"use the archive {place.name} (is the bucket there, are the credentials in the"
        " environment right?)"
    ):
        place.fs.invalidate_cache()
        try:
            place.fs.ls(place.root)
        except FileNotFoundError:
            place.fs.ls(bucket)


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


def _is_local(path: str | os.PathLike[str]) -> bool:
    return "://" not in os.fspath(path)


@contextmanager
def archive_errors(doing: str) -> Iterator[None]:
    """Turn an error of the disk, the store or the file format into one line that names the place.

    `doing` completes "cannot ...".
    """
    try:
        yield
    except (EyelogError, Warning):
        raise
    except Exception as error:  # every kind of store raises its own
        if type(error).__module__ == "builtins" and not isinstance(error, OSError):
            raise
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise ArchiveError(f"cannot {doing}: {' '.join(reason.split())}") from error


def read_small_file(place: Place, path: str) -> bytes | None:
    """Return the content of a small file of an archive, or None if it is not there.

    Raises
    ------
    ArchiveError
        If it cannot be read.
    """
    with archive_errors(f"read {path}"):
        try:
            if place.local:
                return Path(path).read_bytes()
            place.fs.invalidate_cache(path)
            body: bytes = place.fs.cat_file(path)
        except FileNotFoundError:
            return None
        return body


def write_small_file(place: Place, path: str, body: bytes) -> None:
    """Put a small file of an archive in place of the one before, whole.

    Raises
    ------
    ArchiveError
        If it cannot be written.
    """
    with archive_errors(f"write {path}"):
        if place.local:
            replace_file(Path(path), body)
        else:
            place.fs.pipe_file(path, body)


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


def folder(place: Place, log: str, account: str) -> str:
    """Return the folder of one log of one account."""
    return f"{place.root}/log={check_log(log)}/account={check_account(account)}"


def month_path(place: Place, log: str, account: str, month: str) -> str:
    """Return the path of one month's file."""
    return f"{folder(place, log, account)}/month={month}/{FILE}"


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


def _names(place: Place, path: str) -> list[str]:
    """Return the names inside a folder, sorted; none if there is no folder."""
    place.fs.invalidate_cache(path)  # another process may have written since
    try:
        entries = place.fs.ls(path, detail=False)
    except FileNotFoundError:
        return []
    return sorted(str(entry).rstrip("/").rsplit("/", 1)[-1] for entry in entries)


def accounts(place: Place, log: str) -> list[str]:
    """Return the accounts that have records of a log, sorted."""
    names = _names(place, f"{place.root}/log={check_log(log)}")
    accounts = [unquote(name[8:]) for name in names if name.startswith("account=")]
    return sorted(account for account in accounts if months(place, log, account))


def months(place: Place, log: str, account: str) -> list[str]:
    """Return the months (``2026-10``, by UTC) of one log of one account, in order."""
    root = folder(place, log, account)
    names = _names(place, root)
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


@cache
def schema_of(log: str) -> pa.Schema:
    """Return the schema of the catalogue's fields, ``date`` first."""
    return pa.schema([(f.name, _ARROW[f.value_type]) for f in catalogue(log).values()])


def file_metadata(log: str, account: str) -> dict[str, str]:
    """Return the metadata of a file. No clock time is in it: same records, same bytes."""
    return {
        "eyelog.log": log,
        "eyelog.account": account,
        "eyelog.catalogue": catalogue_version(),
        "eyelog.version": version("eyelog"),
    }


def is_month(text: str) -> bool:
    """Return whether a text is a month as in a folder's name, such as ``2026-10``."""
    return _MONTH.fullmatch(text) is not None


def month_edges(month: str) -> tuple[int, int]:
    """Return the first microsecond (UTC) of a month and of the next one."""
    first = np.datetime64(month, "M")
    first_us, next_us = (edge.astype("M8[us]").astype(np.int64) for edge in (first, first + 1))
    return int(first_us), int(next_us)


def overlap(month: str, span: tuple[int, int]) -> bool:
    """Return whether any instant of a month lies in a half-open range."""
    first, after = month_edges(month)
    return first < span[1] and after > span[0]


def group_edges(month: str, days: int) -> list[int]:
    """Return the edges (microseconds) that cut a month into groups of `days` days."""
    first, after = month_edges(month)
    return [*range(first, after - 1, days * 86_400_000_000), after]


def months_of(stamps: npt.NDArray[np.int64]) -> list[str]:
    """Return the months that sorted stamps (microseconds, UTC) lie in, in order."""
    return [str(month) for month in np.unique(stamps.view("M8[us]").astype("M8[M]"))]
