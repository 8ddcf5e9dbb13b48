"""Find and remove everything that an archive has of one account.

An account has folders of its own, one per log, and others of the same name under hidden folders
such as ``.damaged``. Whatever lies in them is the account's, whatever its name. Its zones and
events are files of its name, beside the logs and wherever a restore has set them aside. A link in
the folders of an account is removed, and what it leads to stays: the protocol names that.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from eyelog.archive.account_events import FOLDER as EVENTS
from eyelog.archive.account_folders import account_of, check_account, folder, locked
from eyelog.archive.account_zones import FOLDER as ZONES
from eyelog.archive.months import FILE
from eyelog.archive.place import Place, walk
from eyelog.catalogue import known_logs
from eyelog.disk.files import sync_folder
from eyelog.errors import ConfigurationError

__all__ = ["LINK", "AccountFile", "erase", "link", "named_accounts", "traces"]

_KEY: Final = "account="
_LOCK: Final = ".lock"
LINK: Final = "link to "
_BESIDE: Final = {ZONES: "zones", EVENTS: "events"}


@dataclass(frozen=True, slots=True)
class AccountFile:
    """One file of an account: what it is, where, and its size in bytes."""

    what: str
    path: str
    bytes: int


def erase(place: Place, account: str) -> list[AccountFile]:
    """Remove everything of an account, even what a killed process left; return what was removed."""
    removed = traces(place, account)  # with unfinished files: whoever locks removes them
    with ExitStack() as stack:
        if place.local:
            for log in known_logs():  # a current writer finishes before anything is removed
                with suppress(ConfigurationError):  # the archive cannot have so long a name
                    if Path(folder(place, log, account)).is_dir():
                        stack.enter_context(locked(place, log, account))
        removed = sorted({*removed, *traces(place, account)}, key=lambda trace: trace.path)
        for trace in removed:
            if not trace.path.endswith(f"/{_LOCK}"):
                _remove(place, trace.path)
    for root in _folders(place, account):
        if place.local:
            _remove_tree(Path(root), Path(place.root))
        elif place.fs.exists(root):
            place.fs.rm(root, recursive=True)
    return [trace for trace in removed if trace.what != "lock"]


def traces(place: Place, account: str) -> list[AccountFile]:
    """Return the files of an account, sorted by path."""
    inside = [trace for root in _folders(place, account) for trace in _files(place, root)]
    return sorted([*inside, *_beside(place, account)], key=lambda trace: trace.path)


def named_accounts(place: Place) -> set[str]:
    """Return the accounts after which anything in the archive is named, even in hidden folders."""
    if place.local:
        names = [
            path.rsplit("/", 1)[-1]
            for folders, files in _walk(place.root)
            for path in (*folders, *files)
        ]
    else:
        place.fs.invalidate_cache(place.root)
        names = [part for path in place.fs.find(place.root) for part in str(path).split("/")]
    return {account for name in names if (account := account_of(name)) is not None}


def _beside(place: Place, account: str) -> Iterator[AccountFile]:
    """Yield the files of the account's zones and events, wherever they are."""
    if place.local:
        paths = [path for _, files in _walk(place.root) for path in files]
    else:
        place.fs.invalidate_cache(place.root)
        paths = [str(path) for path in place.fs.find(place.root)]
    for path in paths:
        *_, parent, name = path.split("/")
        if _is_of(name, account):
            size = Path(path).lstat().st_size if place.local else int(place.fs.size(path) or 0)
            yield AccountFile(_BESIDE.get(parent, "file"), path, size)


def _folders(place: Place, account: str) -> list[str]:
    """Return the folders of an account, at any depth, including those named by other tools."""
    if not place.local:
        place.fs.invalidate_cache(place.root)
        folders = {
            path[: path.index(f"/{part}/") + len(part) + 1]
            for path in map(str, place.fs.find(place.root, withdirs=False))
            for part in path.split("/")[:-1]
            if _is_of(part, account)
        }
        return sorted(folders)
    return sorted(_local_folders(place.root, account))


def _local_folders(root: str, account: str) -> Iterator[str]:
    for folders, _ in _walk(root):
        yield from (path for path in folders if _is_of(path.rsplit("/", 1)[-1], account))


def _walk(root: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the folders and files of each folder, but not of those of an account."""
    for parent, names, files in walk(root):
        yield [f"{parent}/{name}" for name in names], [f"{parent}/{name}" for name in files]
        names[:] = [name for name in names if not name.startswith((_KEY, "month="))]


def _is_of(name: str, account: str) -> bool:
    with suppress(ConfigurationError):
        if name == f"{_KEY}{check_account(account)}":
            return True
    return account_of(name) == account


def _files(place: Place, root: str) -> Iterator[AccountFile]:
    if not place.local:
        for path in map(str, place.fs.find(root)):
            yield AccountFile(_what(path), path, int(place.fs.size(path) or 0))
        return
    if Path(root).is_symlink():
        yield link(root)
        return
    for parent, names, files in os.walk(root):
        for name in (*files, *names):
            path = f"{parent}/{name}"
            if Path(path).is_symlink():
                yield link(path)
            elif name in files:
                yield AccountFile(_what(path), path, Path(path).lstat().st_size)


def link(path: str) -> AccountFile:
    """Return a link as a file of an account; what it leads to is not the archive's, and stays."""
    return AccountFile(f"{LINK}{Path(path).readlink()}", path, 0)


def _what(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    if "/.damaged/" in path:
        return "damaged month"
    if name == FILE:
        return "month"
    if name.startswith(".synced."):
        return "ledger"
    return "lock" if name == _LOCK else "file"


def _remove(place: Place, path: str) -> None:
    if place.local:
        Path(path).unlink(missing_ok=True)
    else:
        place.fs.rm_file(path)


def _remove_tree(root: Path, top: Path) -> None:
    """Remove a folder and its content, and the folders above it that are then empty."""
    if root.is_symlink():
        root.unlink(missing_ok=True)
    for parent, _, files in os.walk(root, topdown=False):
        for name in files:
            (Path(parent) / name).unlink(missing_ok=True)
        for each in Path(parent).iterdir():
            if each.is_symlink():
                each.unlink()
        Path(parent).rmdir()
    above = root.parent
    sync_folder(above)
    while above != top and not above.is_symlink() and not any(above.iterdir()):
        above.rmdir()
        above = above.parent
