"""Everything that an archive has of one account, found and removed.

An account has folders of its own, one per log, and others of the same name under hidden folders
such as ``.damaged``. Whatever lies in them is the account's, whatever its name.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from eyelog.archive.account_events import events_path
from eyelog.archive.account_folders import check_account, folder, locked
from eyelog.archive.account_zones import zones_path
from eyelog.archive.months import FILE
from eyelog.archive.place import Place
from eyelog.catalogue import known_logs
from eyelog.disk.files import sync_folder
from eyelog.errors import ConfigurationError

__all__ = ["AccountFile", "erase", "traces"]

_KEY: Final = "account="
_LOCK: Final = ".lock"


@dataclass(frozen=True, slots=True)
class AccountFile:
    """One file of an account: what it is, where, and its size in bytes."""

    what: str
    path: str
    bytes: int


def erase(place: Place, account: str) -> list[AccountFile]:
    """Remove everything of an account, also what a killed process left; return what was removed."""
    found = traces(place, account)  # with unfinished files: whoever locks removes them
    with ExitStack() as stack:
        if place.local:
            for log in known_logs():  # whoever is writing now finishes before anything is removed
                with suppress(ConfigurationError):  # the archive cannot have so long a name
                    if Path(folder(place, log, account)).is_dir():
                        stack.enter_context(locked(place, log, account))
        found = sorted({*found, *traces(place, account)}, key=lambda trace: trace.path)
        for trace in found:
            if not trace.path.endswith(f"/{_LOCK}"):
                _remove(place, trace.path)
    for root in _folders(place, account):
        if place.local:
            _remove_tree(Path(root), Path(place.root))
        elif place.fs.exists(root):
            place.fs.rm(root, recursive=True)
    return [trace for trace in found if trace.what != "lock"]


def traces(place: Place, account: str) -> list[AccountFile]:
    """Return the files of an account, sorted by path."""
    found = [trace for root in _folders(place, account) for trace in _files(place, root)]
    return sorted([*found, *_beside(place, account)], key=lambda trace: trace.path)


def _beside(place: Place, account: str) -> Iterator[AccountFile]:
    """Yield the files of the account's zones and events, which lie beside the logs."""
    with suppress(ConfigurationError):  # the archive cannot have such a name
        for what, path in (
            ("zones", zones_path(place, account)),
            ("events", events_path(place, account)),
        ):
            if not place.local:
                place.fs.invalidate_cache(path)
            if place.fs.exists(path):
                yield AccountFile(what, path, int(place.fs.size(path) or 0))


def _folders(place: Place, account: str) -> list[str]:
    """Return the folders of an account, at any depth, also those that other tools have named."""
    if not place.local:
        place.fs.invalidate_cache(place.root)
        found = {
            path[: path.index(f"/{part}/") + len(part) + 1]
            for path in map(str, place.fs.find(place.root, withdirs=False))
            for part in path.split("/")[:-1]
            if _is_of(part, account)
        }
        return sorted(found)
    return sorted(_local_folders(place.root, account))


def _local_folders(root: str, account: str) -> Iterator[str]:
    for parent, names, _ in os.walk(root):
        own = [name for name in names if _is_of(name, account)]
        yield from (f"{parent}/{name}" for name in own)
        # The folders of others need no look inside: an account's are never in them.
        names[:] = [name for name in names if not name.startswith((_KEY, "month="))]


def _is_of(name: str, account: str) -> bool:
    if not name.startswith(_KEY):
        return False
    with suppress(ConfigurationError):
        if name == f"{_KEY}{check_account(account)}":
            return True
    return unquote(name.removeprefix(_KEY)) == account


def _files(place: Place, root: str) -> Iterator[AccountFile]:
    if not place.local:
        for path in map(str, place.fs.find(root)):
            yield AccountFile(_what(path), path, int(place.fs.size(path) or 0))
        return
    if Path(root).is_symlink():
        yield AccountFile("link", root, 0)
        return
    for parent, names, files in os.walk(root):
        links = [name for name in names if (Path(parent) / name).is_symlink()]
        for name in (*files, *links):
            path = f"{parent}/{name}"
            yield AccountFile(_what(path), path, Path(path).lstat().st_size)


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
    """Remove a folder with all in it, and the folders above it that are then empty."""
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
    while above != top and not any(above.iterdir()):
        above.rmdir()
        above = above.parent
