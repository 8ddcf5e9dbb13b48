"""Where an archive is: a local folder, or any URL that fsspec can open, and the files in it.

Of a local archive only regular files are opened, and no link leads out of it: only the folders of
logs and the hidden folders of an archive may be links, to a larger disk.
"""

import errno
import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final
from urllib.parse import unquote

from fsspec.core import url_to_fs

from eyelog.catalogue import check_log
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError
from eyelog.home import replace_file

# How the names of the folders of an archive begin that may be links, to a larger disk
LINKED: Final = ("log=", ".")
# How the names of an account's small files beside the logs end: months, zones and events
SMALL_FILE: Final = ".v1.csv"
# A folder, a small file, a lock, or a small file that a killed process was writing.
_NAMED: Final = re.compile(
    r"account=(.+?)(?:\.v1\.csv|\.lock)?|\.account=(.+)\.v1\.csv\..*\.tmp", re.DOTALL
)
# Capitals are escaped too: "Anna" and "anna" are two folders even if the disk ignores case.
_PLAIN: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
_LONGEST: Final = 200


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
        if "://" not in os.fspath(path):
            path = os.path.abspath(Path(path).expanduser())  # noqa: PTH100 (links stay)
        fs, root = url_to_fs(os.fspath(path))
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
    if not place.fs.isdir(place.root):
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


_REMEDY: Final = ": `eyelog archive repair` sets the damaged month aside"
OF_OLD: Final = "of an older eyelog: it is written anew at the next change of its month"


def damage(path: str, problem: str) -> ArchiveError:
    """Return the error of a file whose content has changed since it was written."""
    return ArchiveError(f"cannot read {path}: {problem.rstrip('.')}{_REMEDY}")


def is_of_damage(error: ArchiveError) -> bool:
    """Return whether an error is about the content of a file, not about its disk or store."""
    return str(error).endswith(_REMEDY)


def problem_of(error: EyelogError, path: str = "") -> str:
    """Return what is wrong with a file, from the error of reading it."""
    return str(error).removeprefix(f"cannot read {path}: ").removesuffix(_REMEDY)


# The names of accounts


def folder(place: Place, log: str, account: str) -> str:
    """Return the folder of one log of one account."""
    return f"{place.root}/log={check_log(log)}/account={check_account(account)}"


def small_file(place: Place, home: str, account: str) -> str:
    """Return the file of the months, the zones or the events of an account."""
    return f"{place.root}/{home}/account={check_account(account)}{SMALL_FILE}"


def check_account(account: str) -> str:
    """Return the name of an account's folder; no account name can lead outside the archive.

    Two spellings of one text (a letter with its accent, or the two apart) are one account.

    Raises
    ------
    ConfigurationError
        If it is not a name, or too long for a folder.
    """
    if not isinstance(account, str) or not account:
        raise ConfigurationError(f"{account!r} is not an account: give a name such as 'me'")
    try:
        raw = unicodedata.normalize("NFC", account).encode()
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


def same_account(one: str, other: str) -> bool:
    """Return whether two names are spellings of one account."""
    return unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)


# Files


def open_regular(place: Place, path: str) -> BinaryIO:
    """Open a file of a local archive; a pipe is not waited for, and no link is followed.

    Raises
    ------
    ArchiveError
        If it is not a regular file, or a link leads to it.
    FileNotFoundError
        If it is not there.
    """
    flags = ("O_NONBLOCK", "O_NOFOLLOW", "O_BINARY")
    below = _below(place, path)[1:-1]  # the folder of a log may be a link
    try:
        for depth in range(len(below)):
            if os.path.islink(path.rsplit("/", 1 + depth)[0]):  # noqa: PTH114
                raise OSError(errno.ELOOP, "", path)
        handle = os.open(path, os.O_RDONLY | sum(getattr(os, each, 0) for each in flags))
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise ArchiveError(
            f"cannot read {path}: a link leads to it, and may lead out of the archive: move what"
            " it leads to here"
        ) from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ArchiveError(f"cannot read {path}: it is not a file: remove it")
    return os.fdopen(handle, "rb", buffering=0)


def read_whole(place: Place, path: str) -> bytes:
    """Return the content of a file of an archive."""
    if place.local:
        with open_regular(place, path) as source:
            return source.read()
    place.fs.invalidate_cache(path)
    body: bytes = place.fs.cat_file(path)
    return body


def read_small_file(place: Place, path: str) -> bytes | None:
    """Return the content of a small file of an archive, or None if it is not there.

    Raises
    ------
    ArchiveError
        If it cannot be read.
    """
    with archive_errors(f"read {path}"):
        try:
            return read_whole(place, path)
        except FileNotFoundError:
            return None


def write_small_file(place: Place, path: str, body: bytes) -> None:
    """Replace a small file of an archive, as a whole.

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


def remove_file(place: Place, path: str, *, if_possible: bool = False) -> None:
    """Remove a file of an archive, unless it is gone; `if_possible`, unless somebody reads it."""
    with suppress(FileNotFoundError, *([PermissionError] if if_possible else [])):
        place.fs.rm_file(path)


@dataclass(frozen=True, slots=True)
class Found:
    """A file in an archive, a folder, or a link in the folder of an account."""

    path: str
    parts: tuple[str, ...]  # its folders below the root, and its name
    bytes: int = 0
    modified: float = 0.0  # seconds since 1970
    leads_to: str = ""  # of a link
    is_folder: bool = False

    @property
    def accounts(self) -> set[str]:
        """The accounts that the file, or one of its folders, is named after."""
        return {of for part in self.parts if (of := account_of(part)) is not None}


def everything(place: Place, inside: str = "", *, of: str | None = None) -> Iterator[Found]:
    """Yield all files of an archive, or of one of its folders, and local folders after their files.

    With `of`, folders of other accounts are passed over.

    Raises
    ------
    ArchiveError
        If a folder cannot be read, or is a link: what it leads to must not be left out unsaid. The
        folder of a log, or a hidden one, may be a link, and links in the folder of an account are
        yielded, not followed.
    """
    top = f"{place.root}/{inside}".rstrip("/")
    own = any(account_of(part) is not None for part in inside.split("/"))
    if place.local:
        if Path(top).is_dir() and not (own and Path(top).is_symlink()):
            yield from _inside(place, top, of, of_account=own)
        return
    place.fs.invalidate_cache()
    for path, about in sorted(place.fs.find(top, detail=True).items()):
        written = about.get("LastModified") or place.fs.modified(path)
        parts = _below(place, str(path))
        yield Found(str(path), parts, int(about["size"] or 0), written.timestamp())


def _inside(place: Place, parent: str, of: str | None, *, of_account: bool) -> Iterator[Found]:
    try:
        with os.scandir(parent) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:  # it was just removed
        return
    except OSError as error:
        raise ArchiveError(f"cannot read {error.filename}: {error.strerror}") from None
    for entry in listed:
        account, parts = account_of(entry.name), _below(place, entry.path)
        may_be_link = parent == place.root and entry.name.startswith(LINKED)
        if entry.is_symlink() and not (may_be_link and entry.is_dir()):
            if entry.is_dir() and account is None and not of_account:
                raise deep_link(entry.path)
            leads_to = os.readlink(entry.path)  # noqa: PTH115
            yield Found(entry.path, parts, leads_to=leads_to)
        elif entry.is_dir():
            if of is None or account is None or same_account(account, of):
                own = of_account or account is not None
                yield from _inside(place, entry.path, of, of_account=own)
                yield Found(entry.path, parts, is_folder=True)
        else:
            with suppress(FileNotFoundError):
                about = entry.stat(follow_symlinks=False)
                yield Found(entry.path, parts, about.st_size, about.st_mtime)


def deep_link(path: str) -> ArchiveError:
    """Return the error of a link to a folder that may not be one."""
    return ArchiveError(
        f"{path} is a link: of an archive, only the folders of logs may be links, so move what it"
        " leads to here"
    )


def _below(place: Place, path: str) -> tuple[str, ...]:
    return tuple(path.removeprefix(place.root).strip("/").split("/"))


def names_inside(place: Place, path: str) -> list[str]:
    """Return the names inside a folder, sorted; none if there is no folder."""
    place.fs.invalidate_cache(path)  # another process may have written since
    try:
        entries = os.listdir(path) if place.local else place.fs.ls(path, detail=False)  # noqa: PTH208
    except FileNotFoundError:
        return []
    return sorted(str(entry).rstrip("/").rsplit("/", 1)[-1] for entry in entries)
