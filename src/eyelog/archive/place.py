"""Where an archive is: a local folder, or any URL that fsspec can open.

Its small files are read and written as a whole; any error there becomes one line that names the
place.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from fsspec.core import url_to_fs

from eyelog.disk.files import replace_file
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError

__all__ = [
    "LINKED",
    "Place",
    "archive_errors",
    "names_inside",
    "open_place",
    "read_small_file",
    "require_place",
    "require_store",
    "walk",
    "write_small_file",
]

LINKED: Final = ("log=", ".")
"""How the names of the folders of an archive begin that may be links, to a larger disk."""


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
        if _is_local(path):
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
    exists = Path(place.root).is_dir() if place.local else place.fs.exists(place.root)
    if not exists:
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


def walk(root: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the folders of a local archive as `os.walk` does, with those on a larger disk.

    The folder of a log, or a hidden one, may be a link if it lies in the archive itself. Whoever
    meets another link to a folder is told so: what it leads to must not be left out unsaid.

    Raises
    ------
    ArchiveError
        If a folder deeper down is a link, or cannot be read.
    """
    for parent, folders, files in os.walk(root, onerror=_refuse_unreadable):
        yield parent, folders, files
        for path in (f"{parent}/{name}" for name in folders):
            if not os.path.islink(path):  # noqa: PTH114 (as os.walk gives it)
                continue
            if parent != root:
                raise _deep_link(path)
            if path.removeprefix(f"{root}/").startswith(LINKED):
                for below, inside, names in os.walk(path, onerror=_refuse_unreadable):
                    yield below, inside, names
                    for name in inside:
                        if os.path.islink(f"{below}/{name}"):  # noqa: PTH114 (as os.walk gives it)
                            raise _deep_link(f"{below}/{name}")


def _deep_link(path: str) -> ArchiveError:
    return ArchiveError(
        f"{path} is a link: of an archive, only the folders of logs may be links, so move what it"
        " leads to here"
    )


def _refuse_unreadable(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):  # it was just removed
        raise ArchiveError(f"cannot read {error.filename}: {error.strerror}") from None


def names_inside(place: Place, path: str) -> list[str]:
    """Return the names inside a folder, sorted; none if there is no folder."""
    place.fs.invalidate_cache(path)  # another process may have written since
    try:
        entries = place.fs.ls(path, detail=False)
    except FileNotFoundError:
        return []
    return sorted(str(entry).rstrip("/").rsplit("/", 1)[-1] for entry in entries)
