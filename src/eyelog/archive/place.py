"""Where an archive is: a local folder, or any URL that fsspec can open, and the files in it.

Of a local archive only regular files are opened, and no link leads out of it: only the folders of
logs and the hidden folders of an archive may be links, to a larger disk.
"""

import io
import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple
from urllib.parse import unquote

from fsspec.core import url_to_fs

from eyelog.arrow_tables import is_month
from eyelog.catalogue import check_log
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError
from eyelog.home import move_file, replace_file, sync_folder

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


class Found(NamedTuple):
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

    @property
    def month(self) -> str:
        """The month that its folder is named after; empty if it is of none."""
        months = (part.removeprefix("month=") for part in self.parts if part.startswith("month="))
        return next(filter(is_month, months), "")


@dataclass(frozen=True, slots=True)
class Place:
    """The root of an archive: a file system of fsspec and a path on it.

    Whatever differs between a local disk and an object store is here. Paths are whole ones.
    """

    fs: Any
    root: str
    local: bool

    @property
    def name(self) -> str:
        """The root as a user types it, without credentials."""
        return self.root if self.local else str(self.fs.unstrip_protocol(self.root))

    def require(self) -> None:
        """Raise `ArchiveError` if there is no archive."""
        if not self.fs.isdir(self.root):
            raise ArchiveError(
                f"there is no archive {self.name}: `eyelog import` and `eyelog sync` make one"
            )

    def require_store(self) -> None:
        """Raise `ArchiveError` unless an object store answers and has the bucket of the archive.

        The archive in it may still be empty.
        """
        with archive_errors(
            f"use the archive {self.name} (is the bucket there, are the credentials in the"
            " environment right?)"
        ):
            self.fs.invalidate_cache()
            try:
                self.fs.ls(self.root)
            except FileNotFoundError:
                self.fs.ls(self.root.partition("/")[0])

    def folder(self, log: str, account: str) -> str:
        """Return the folder of one log of one account."""
        return f"{self.root}/log={check_log(log)}/account={check_account(account)}"

    def small_file(self, home: str, account: str) -> str:
        """Return the file of the months, the zones or the events of an account."""
        return f"{self.root}/{home}/account={check_account(account)}{SMALL_FILE}"

    def open(self, path: str) -> BinaryIO:
        """Open a file, of which all is read even if it is replaced meanwhile.

        On a local disk a pipe is not waited for, and no link is followed, except of a log's folder.

        Raises
        ------
        ArchiveError
            If it is not a regular file, or a link leads to it.
        FileNotFoundError
            If it is not there.
        """
        if not self.local:
            self.fs.invalidate_cache(path)
            return io.BytesIO(self.fs.cat_file(path))
        below = len(self._below(path)) - 1
        if any(os.path.islink(path.rsplit("/", depth)[0]) for depth in range(below)):  # noqa: PTH114
            raise ArchiveError(
                f"cannot read {path}: a link leads to it, and may lead out of the archive: move"
                " what it leads to here"
            )
        flags = ("O_NONBLOCK", "O_NOFOLLOW", "O_BINARY")
        handle = os.open(path, os.O_RDONLY | sum(getattr(os, each, 0) for each in flags))
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise ArchiveError(f"cannot read {path}: it is not a file: remove it")
        return os.fdopen(handle, "rb", buffering=0)

    def read(self, path: str) -> bytes | None:
        """Return the content of a small file, or None if it is not there.

        Raises
        ------
        ArchiveError
            If it cannot be read.
        """
        with archive_errors(f"read {path}"), suppress(FileNotFoundError), self.open(path) as file:
            return file.read()
        return None

    def write(self, path: str, body: bytes) -> None:
        """Write a file, or replace it, as a whole.

        Raises
        ------
        ArchiveError
            If it cannot be written.
        """
        with archive_errors(f"write {path}"):
            if self.local:
                replace_file(Path(path), body)
            else:
                self.fs.pipe_file(path, body)

    def set_aside(self, path: str, inside: str) -> str:
        """Move a file into a hidden folder, for its owner alone; return where to."""
        above, name = path.removeprefix(f"{self.root}/").rsplit("/", 1)
        aside = f"{self.root}/{inside}/{above}/{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}-{name}"
        if self.local:
            if not Path(path).is_symlink():
                Path(path).chmod(0o600)
            move_file(Path(path), Path(aside))
            sync_folder(self.remove_empty(Path(path).parent))
        else:
            self.fs.makedirs(aside.rsplit("/", 1)[0], exist_ok=True)
            self.fs.mv(path, aside)
        return aside

    def remove(self, path: str, *, may_stay: bool = False) -> None:
        """Remove a file, if it is there, and the folders that are then empty.

        It `may_stay` if somebody reads it.
        """
        with suppress(FileNotFoundError, *([PermissionError] if may_stay else [])):
            self.fs.rm_file(path)
        if self.local:
            left = self.remove_empty(Path(path).parent)
            if left.is_dir() and not may_stay:
                sync_folder(left)

    def remove_empty(self, folder: Path) -> Path:
        """Remove a local folder and those above, if they are empty; return what is left.

        A link to a larger disk stays.
        """
        with suppress(OSError):  # something is in it
            while folder != Path(self.root) and not folder.is_symlink():
                folder.rmdir()
                folder = folder.parent
        return folder

    def names(self, path: str) -> list[str]:
        """Return the names inside a folder; none if there is no folder."""
        self.fs.invalidate_cache(path)  # another process may have written since
        with suppress(FileNotFoundError):
            return [each.rstrip("/").rsplit("/", 1)[-1] for each in self.fs.ls(path, detail=False)]
        return []

    def everything(self, inside: str = "", *, of: str | None = None) -> Iterator[Found]:
        """Yield all files, or those of a folder, and local folders after their files.

        With `of`, folders of other accounts are passed over.

        Raises
        ------
        ArchiveError
            If a folder cannot be read, or is a link: what it leads to must not be left out unsaid.
            The folder of a log, or a hidden one, may be a link, and links in the folder of an
            account are yielded, not followed.
        """
        top = f"{self.root}/{inside}".rstrip("/")
        own = any(account_of(part) is not None for part in inside.split("/"))
        if self.local:
            if Path(top).is_dir() and not (own and Path(top).is_symlink()):
                yield from self._inside(top, of, of_account=own)
            return
        self.fs.invalidate_cache()
        for path, about in sorted(self.fs.find(top, detail=True).items()):
            written = about.get("LastModified") or self.fs.modified(path)
            size = int(about["size"] or 0)
            yield Found(str(path), self._below(str(path)), size, written.timestamp())

    def _inside(self, parent: str, of: str | None, *, of_account: bool) -> Iterator[Found]:
        try:
            with os.scandir(parent) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:  # it was just removed
            return
        except OSError as error:
            raise ArchiveError(f"cannot read {error.filename}: {error.strerror}") from None
        for entry in listed:
            account, parts = account_of(entry.name), self._below(entry.path)
            may_be_link = parent == self.root and entry.name.startswith(LINKED)
            if entry.is_symlink() and not (may_be_link and entry.is_dir()):
                if entry.is_dir() and account is None and not of_account:
                    raise deep_link(entry.path)
                leads_to = os.readlink(entry.path)  # noqa: PTH115
                yield Found(entry.path, parts, leads_to=leads_to)
            elif entry.is_dir():
                if of is None or account in (None, of):
                    own = of_account or account is not None
                    yield from self._inside(entry.path, of, of_account=own)
                    yield Found(entry.path, parts, is_folder=True)
            else:
                with suppress(FileNotFoundError):
                    about = entry.stat(follow_symlinks=False)
                    yield Found(entry.path, parts, about.st_size, about.st_mtime)

    def _below(self, path: str) -> tuple[str, ...]:
        return tuple(path.removeprefix(self.root).strip("/").split("/"))


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


# What goes wrong


# What is said of a file whose content has changed since it was written
REMEDY: Final = ": `eyelog archive repair` sets the damaged month aside"


@contextmanager
def archive_errors(doing: str, *, remedy: str = "") -> Iterator[None]:
    """Turn an error of the disk, the store or the file format into one line that names the place.

    `doing` completes "cannot ...". With a `remedy` any error is one of the content of a file: a
    wrong bit can affect anything, text, sizes, types and names.
    """
    try:
        yield
    except (EyelogError, Warning):
        raise
    except Exception as error:  # every kind of store raises its own
        is_fault = type(error).__module__ == "builtins" and not isinstance(error, OSError)
        if is_fault and not remedy:
            raise
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise ArchiveError(
            f"cannot {doing}: {' '.join(reason.split()).rstrip('.')}{remedy}"
        ) from error


OF_OLD: Final = "of an older eyelog: it is written anew at the next change of its month"


def damage(path: str, problem: str) -> ArchiveError:
    """Return the error of a file whose content has changed since it was written."""
    return ArchiveError(f"cannot read {path}: {problem.rstrip('.')}{REMEDY}")


def is_of_damage(error: ArchiveError) -> bool:
    """Return whether an error is about the content of a file, not about its disk or store."""
    return str(error).endswith(REMEDY)


def problem_of(error: EyelogError, path: str = "") -> str:
    """Return what is wrong with a file, from the error of reading it."""
    return str(error).removeprefix(f"cannot read {path}: ").removesuffix(REMEDY)


def deep_link(path: str) -> ArchiveError:
    """Return the error of a link to a folder that may not be one."""
    return ArchiveError(
        f"{path} is a link: of an archive, only the folders of logs may be links, so move what it"
        " leads to here"
    )


# The names of accounts


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
        raw = one_spelling(account).encode()
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
    return None if match is None else one_spelling(unquote(match[1] or match[2]))


def one_spelling(account: str) -> str:
    """Return the one of the spellings of a name (an accent in its letter, or apart) that counts."""
    return unicodedata.normalize("NFC", account)
