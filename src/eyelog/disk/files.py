"""Local files and folders that only their owner may read, put in place whole or not at all."""

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from eyelog.errors import ConfigurationError, EyelogError

__all__ = [
    "cannot_write",
    "is_full",
    "make_folders",
    "matching",
    "move_file",
    "new_file",
    "path_of",
    "put_in_place",
    "replace_file",
    "sync_folder",
    "temporary_name",
    "whole_file",
]

_FULL: Final = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


def is_full(error: OSError) -> bool:
    """Return whether something cannot be written because there is no room for it."""
    return error.errno in _FULL


def cannot_write(path: Path, error: OSError, *, verb: str = "write") -> EyelogError:
    """Return the error for a file that cannot be written: why, and what to do about it."""
    # The own message of pyarrow is long and does not name the file.
    reason = os.strerror(error.errno) if error.errno else str(error)
    advice = "make room or choose" if is_full(error) else "choose"
    return EyelogError(f"cannot {verb} {path}: {reason}; {advice} another place")


def path_of(path: object, *, what: str) -> Path:
    """Return a path, or raise `ConfigurationError` if something else was passed."""
    if not isinstance(path, str | os.PathLike):
        raise ConfigurationError(f"{what} takes a path, not a {type(path).__name__}")
    return Path(path)


def matching(path: Path) -> list[Path]:
    """Return a path that exists, or those that match it as a pattern, in order of names."""
    if path.exists():
        return [path]
    try:
        return sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
    except (ValueError, NotImplementedError):  # not a pattern of pathlib
        return []


def make_folders(path: Path) -> None:
    """Create a folder and its parents, for their owner alone, and secure them on the disk."""
    if path.is_dir():
        return
    make_folders(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make sure that the names in a folder survive a power cut."""
    if os.name == "nt":  # on systems where a folder cannot be opened, and need not be
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def temporary_name(target: Path) -> Path:
    """Return a hidden name beside `target` for an unfinished file."""
    return target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that must not exist yet (0600); at the end its bytes are on the disk."""
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(handle, "wb") as sink:
        yield sink
        sink.flush()
        os.fsync(sink.fileno())


def put_in_place(made: Path, target: Path) -> None:
    """Rename a finished file over its target."""
    made.replace(target)
    sync_folder(target.parent)


def move_file(source: Path, target: Path) -> None:
    """Rename a file; to another disk, copy it whole before it is removed here."""
    make_folders(target.parent)
    try:
        put_in_place(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with source.open("rb") as reading, whole_file(target) as sink:
            shutil.copyfileobj(reading, sink)
        source.unlink()


@contextmanager
def whole_file(target: Path) -> Iterator[BinaryIO]:
    """Write a file that takes its name only when it is complete."""
    make_folders(target.parent)
    made = temporary_name(target)
    try:
        with new_file(made) as sink:
            yield sink
        put_in_place(made, target)
    finally:
        made.unlink(missing_ok=True)


def replace_file(target: Path, body: bytes) -> None:
    """Put a small file in place of the one before, whole; remove what a killed process left."""
    for leftover in target.parent.glob(f".{target.name}.*.tmp"):
        leftover.unlink(missing_ok=True)
    with whole_file(target) as sink:
        sink.write(body)
