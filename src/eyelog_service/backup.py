"""A copy of a service's files while it runs, and its way back.

::

    TO/backup.json          what is in it: each file with its size and SHA-256
    TO/state/               the state (copied by SQLite itself) and the audit log
    TO/archive/             the files of the archive

The months of an account and the list of them are copied together, while nobody writes them. For a
service whose archive is in an object store, only the state and the audit log are copied. The list
of what has ended (`ended`) is in no backup, so that no restore can bring back an older one.
"""

import json
import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from glob import escape
from hashlib import file_digest, sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from eyelog.archive.lists import LISTS, listed, locked, part_path, write_lists
from eyelog.archive.place import LINKED, OF_OLD, account_of, check_account, open_place
from eyelog.archive.store import Archive
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.home import make_folders, move_file, new_file, replace_file, sync_folder, whole_file
from eyelog_service import ended
from eyelog_service.audit import FILE_NAME, lock
from eyelog_service.grants import Registry
from eyelog_service.state import connect, refuse_other
from eyelog_service.uploads import UPLOADS

_LIST: Final = "backup.json"
_LAYOUT: Final = 1
_ASIDE: Final = ".before-restore"
_COPYING: Final = "_service.backing-up"
"""It is beside the state, and names the folder of a backup under way."""
_UNDER_WAY: Final = "_restoring.json"
"""It is in the archive while a restore replaces files: until then they are from two times."""


@dataclass(frozen=True, slots=True)
class BackupContents:
    """How many files a backup has, their bytes, and how many of its months are damaged."""

    folder: str
    files: int
    bytes: int
    damaged: int


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did: how many files it put back, set aside and left out, and from when."""

    made: str
    put_back: int
    set_aside: list[str]
    kept: int
    erased: int


def back_up(registry: Registry, target: Path) -> BackupContents:
    """Copy the state, the audit log and the archive into a new folder, and read the copy back.

    Raises
    ------
    ConfigurationError
        If there is no state, or it is in a database, the folder exists or lies in one of those
        copied, the copy is not what was read, the state in it is damaged, or a newer release has
        written it.
    """
    _refuse_database(registry)
    registry.state.require()
    _refuse_newer(registry.state.file)
    target = target.expanduser().absolute()
    for folder in (registry.folder, registry.state_folder):
        if target.resolve().is_relative_to(folder.resolve()):
            raise ConfigurationError(f"{target} lies in {folder}, which is copied: choose another")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ConfigurationError(f"{target} exists and is not empty: name a new folder")
    make_folders(target.parent)
    unfinished = target.with_name(f".{target.name}.unfinished")
    began = time.time()  # what is erased while files are copied may be in the copy
    with suppress(ConfigurationError), registry.state.opened() as db:
        began = ended.after_ends(db)
    note = registry.state_folder / _COPYING
    try:
        with _alone(registry):
            _left_by(note, remove=True)
            shutil.rmtree(unfinished, ignore_errors=True)  # of an older release
            replace_file(note, str(unfinished).encode())
            try:
                unfinished.mkdir(mode=0o700)
                files = _copy_all(registry, unfinished)
                content = {
                    "layout": _LAYOUT,
                    "made": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
                    "at": began,
                    "eyelog": version("eyelog"),
                    "files": {name: list(values) for name, values in sorted(files.items())},
                }
                replace_file(unfinished / _LIST, json.dumps(content, indent=1).encode())
                _check(unfinished, files)
                problems = Archive(unfinished / "archive").verify()["problem"]
                if target.exists():
                    target.rmdir()
                unfinished.replace(target)
                sync_folder(target.parent)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
                note.unlink(missing_ok=True)
    except Timeout:
        text = "another backup of this service is under way: try again later"
        raise ConfigurationError(text) from None
    size, damaged = sum(size for size, _ in files.values()), int((problems != OF_OLD).sum())
    return BackupContents(str(target), len(files), size, damaged)


def _alone(registry: Registry) -> FileLock:
    """Return the lock that a backup holds until it, or its process, has ended."""
    return FileLock(registry.state_folder / f"{_COPYING}.lock", timeout=0, mode=0o600)


def unfinished_backup(registry: Registry, *, remove: bool = False) -> str | None:
    """Return the folder that a killed backup has left, with health data and hashes in it.

    With `remove`, it is deleted.
    """
    note = registry.state_folder / _COPYING
    if note.exists():
        with suppress(Timeout), _alone(registry):
            return _left_by(note, remove=remove)
    return None


def _left_by(note: Path, *, remove: bool) -> str | None:
    """Return the folder that a note names and that is there; with `remove`, delete both."""
    with suppress(FileNotFoundError):
        folder = note.read_bytes().decode("utf-8", "replace")
        left = folder if folder and Path(folder).exists() else None
        if remove:
            if left:
                shutil.rmtree(left, ignore_errors=True)
                if Path(left).exists():
                    text = f"what a killed backup has left cannot be removed: remove {left}"
                    raise ConfigurationError(text)
            note.unlink()
        return left
    return None


def _refuse_database(registry: Registry) -> None:
    if registry.state.in_database:
        raise ConfigurationError(
            f"the service's state is in a database, {registry.state.name}: copy it with pg_dump,"
            " and put it back with pg_restore and then eyelog service after-restore"
        )


def _refuse_newer(state: Path) -> None:
    # A damaged file says so where it is read, and a restore may replace it.
    with suppress(sqlite3.Error), closing(connect(state)) as db:
        refuse_other(db.execute("PRAGMA user_version").fetchone()[0], state)


_Files = dict[str, tuple[int, str]]  # the path in the backup, its size and SHA-256


def _copy_all(registry: Registry, target: Path) -> _Files:
    files: _Files = {}
    state = target / "state" / registry.state.file.name
    make_folders(state.parent)
    state.touch(0o600, exist_ok=False)
    try:
        with (
            closing(connect(registry.state.file)) as source,
            closing(sqlite3.connect(state)) as copy,
        ):
            source.backup(copy)
    except sqlite3.Error as error:
        raise ConfigurationError(f"cannot copy {registry.state.file}: {error}") from None
    with state.open("rb") as written:
        files[f"state/{state.name}"] = _size_and_digest(written)
    for path in sorted(registry.state_folder.glob(f"{FILE_NAME}*")):
        if path.is_file() and not path.is_symlink():
            files[f"state/{path.name}"] = _copy(path, target / "state" / path.name)
    (target / "archive").mkdir(mode=0o700, exist_ok=True)

    def take(inside: str) -> None:
        path = registry.folder / inside
        with suppress(FileNotFoundError):  # replaced or removed meanwhile
            files[f"archive/{inside}"] = _copy(path, target / "archive" / inside)

    accounts: set[str] = set()
    for inside in _files_of_archive(registry):
        of = _accounts_in(inside) if inside.startswith(("log=", f"{LISTS}/")) else set()
        accounts |= of
        if not of:
            take(inside)
    place = open_place(registry.folder)
    logs = sorted(path.name for path in registry.folder.glob("log=*"))
    for account in sorted(accounts):
        own = f"account={check_account(account)}"
        with locked(place, account):
            for log in logs:
                for inside in _files_of_archive(registry, f"{log}/{own}"):
                    take(inside)
            take(os.path.relpath(place.small_file(LISTS, account), registry.folder))
    return files


def _files_of_archive(registry: Registry, inside: str = "") -> Iterator[str]:
    """Yield the files of the archive, or of a folder of it, by their paths below its root."""
    if not isinstance(registry.archive, Path):
        return  # an object store has copies of its own
    for file in open_place(registry.folder).everything(inside):
        name = file.parts[-1]
        unfinished = name.endswith((".lock", ".tmp", "-journal"))
        own = len(file.parts) == 1 and (_is_own(name) or file.leads_to)
        # What came in is not yet of the archive.
        if file.is_folder or unfinished or own or file.parts[0] == UPLOADS:
            continue
        if not file.leads_to:
            yield "/".join(file.parts)
        elif Path(file.path).exists():
            raise ConfigurationError(f"{file.path} is a link: move what it leads to here")


def _is_own(name: str) -> bool:
    """Return whether a file beside the logs is not of the archive: the state, or a list of ends."""
    name = name.casefold()  # as some disks do
    notes = (ended.FILE_NAME, _UNDER_WAY)
    return name in notes or name.startswith(("_service", "._service"))


def _copy(source: Path, target: Path) -> tuple[int, str]:
    """Copy a file; return the size and digest of what was read."""
    make_folders(target.parent)
    digest, size = sha256(), 0
    with source.open("rb") as reading, new_file(target) as sink:
        if source.name == FILE_NAME:
            lock(reading.fileno(), shared=True)
        while part := reading.read(1 << 20):
            digest.update(part)
            size += len(part)
            sink.write(part)
    return size, digest.hexdigest()


def _size_and_digest(file: Any) -> tuple[int, str]:
    return os.fstat(file.fileno()).st_size, file_digest(file, "sha256").hexdigest()


def _check(folder: Path, files: _Files) -> None:
    """Read every file of a backup back."""
    for name, expected in files.items():
        _refuse_links(folder, name)
        path = folder / name
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                raise ConfigurationError(f"{path} of the backup is not a file")
            with path.open("rb") as file:
                actual = _size_and_digest(file)
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise ConfigurationError(f"{path} of the backup cannot be read: {why}") from None
        if actual != expected:
            raise ConfigurationError(f"{path} of the backup is damaged")
        if name.startswith("state/") and name.endswith(".sqlite"):
            try:
                with closing(connect(path)) as db:
                    problems = [row[0] for row in db.execute("PRAGMA integrity_check(3)")]
            except (sqlite3.Error, UnicodeDecodeError) as error:
                problems = [str(error)]
            if problems != ["ok"]:
                raise ConfigurationError(f"{name} is damaged ({'; '.join(problems)})")


def restore(registry: Registry, source: Path) -> Restored:
    """Put a backup back, once it was read completely and found to be sound.

    Files that differ are set aside, and files that the backup lacks stay. The records of accounts
    that were erased since are left out; a name that was erased before the backup, and used again,
    is another wearer's. Each file is replaced whole; where a restore is killed
    between two, `interrupted` says so until it is repeated, and no service starts.

    Raises
    ------
    ConfigurationError
        If it is not a backup, or damaged, or the state is in a database, or that of the backup or
        the one to be replaced is of a newer release.
    """
    _refuse_database(registry)
    source = source.expanduser().absolute()
    made, at, files = _read_list(source)
    _check(source, files)
    name = registry.state.file.name
    if f"state/{name}" in files:
        _refuse_newer(source / "state" / name)
    if registry.state.file.exists():
        _refuse_newer(registry.state.file)
    accounts = {account for name in files for account in _accounts_in(name)}
    ends = ended.notes(registry.archive)
    left_out = {each for each in accounts if ended.is_erased(ends, each, since=at)}
    for name in files:
        kind, _, inside = name.partition("/")
        root, may_be = (registry.state_folder, ()) if kind == "state" else (registry.folder, LINKED)
        _refuse_links(root, inside, may_be_links=may_be)
    stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    make_folders(registry.folder)
    under_way = registry.folder / _UNDER_WAY
    replace_file(under_way, json.dumps({"source": str(source)}).encode())
    erased, aside = 0, list[str]()
    put_back = partial(_put_back, registry, source, stamp=stamp, aside=aside)
    put, months = 0, dict[str, list[str]]()  # files of months, by account
    for name in files:
        kind, _, inside = name.partition("/")
        of = _accounts_in(inside)
        if not left_out.isdisjoint(of):
            erased += not inside.startswith(f"{LISTS}/")
        elif kind == "archive" and of and inside.startswith(("log=", f"{LISTS}/")):
            months.setdefault(min(of), []).append(name)
        else:
            put += put_back(name, files[name][1])
    for account, names in sorted(months.items()):
        with locked(open_place(registry.folder), account):
            lists = {name for name in names if name.startswith(f"archive/{LISTS}/")}
            put += sum(put_back(name, files[name][1]) for name in sorted(set(names) - lists))
            if _let_count(registry, source, account, stamp, aside):
                put += len(lists)
    under_way.unlink(missing_ok=True)
    sync_folder(registry.folder)
    kept = sum(
        f"archive/{inside}" not in files
        for inside in _files_of_archive(registry)
        if not inside.startswith(_ASIDE)
    )
    return Restored(made, put, aside, kept, erased)


def _put_back(
    registry: Registry, source: Path, name: str, digest: str, *, stamp: str, aside: list[str]
) -> int:
    """Put a file back, and set aside another that is in its place; return how many were put."""
    kind, _, inside = name.partition("/")
    target = (registry.state_folder if kind == "state" else registry.folder) / inside
    if target.exists():
        with target.open("rb") as present:
            if file_digest(present, "sha256").hexdigest() == digest:
                return 0
        if kind == "state" and inside.startswith(FILE_NAME):
            # The existing log has what happened after the backup.
            target = target.with_name(f"{FILE_NAME}.restored-{stamp}")
        else:
            aside.append(str(_set_aside(registry, target, kind, stamp)))
    _put(source / name, target)
    return 1


def _let_count(
    registry: Registry, source: Path, account: str, stamp: str, aside: list[str]
) -> bool:
    """Let the months of a backup count again, beside those that it lacks; set aside the others.

    Returns whether the list of months has changed.
    """
    place = open_place(registry.folder)
    try:
        now = listed(place, account)
    except ArchiveError:  # what is damaged is replaced
        now = frozenset()
    then = listed(open_place(source / "archive"), account)
    months = {(part.log, part.month) for part in then}
    replaced = {part for part in now - then if (part.log, part.month) in months}
    for part in replaced:
        path = Path(part_path(place, account, part))
        if path.exists():
            aside.append(str(_set_aside(registry, path, "archive", stamp)))
            path.unlink(missing_ok=True)
    if now == (now - replaced) | then:
        return False
    write_lists(place, {account: (now - replaced) | then})
    return True


def interrupted(archive: Path) -> str | None:
    """Return what to do about a restore that was killed halfway; None if there was none."""
    try:
        body = (archive / _UNDER_WAY).read_bytes()
    except FileNotFoundError:
        return None
    try:
        source = str(json.loads(body)["source"])
    except (ValueError, KeyError, TypeError):
        source = "the backup"
    return (
        f"a restore of {source} did not finish, so files of two times are mixed: run eyelog service"
        " restore with it again"
    )


def _read_list(source: Path) -> tuple[str, float | None, _Files]:
    """Return when a backup was made, as text and in seconds (None: not said), and its files."""
    try:
        content = json.loads((source / _LIST).read_bytes())
        if content["layout"] > _LAYOUT:
            raise ConfigurationError(
                f"{source} was made by a newer eyelog ({content['eyelog']}): update eyelog"
            )
        files = {name: (size, digest) for name, (size, digest) in content["files"].items()}
        made = str(content["made"])
        at = float(content["at"]) if "at" in content else None
    except FileNotFoundError:
        raise ConfigurationError(
            f"{source} is not a backup: it has no {_LIST}, which eyelog service backup writes"
        ) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigurationError(f"{source / _LIST} is damaged: {error}") from None
    for name in files:
        if not _may_be_put_back(name):
            raise ConfigurationError(
                f"{source / _LIST} is damaged: it names {name!r}, which no backup has"
            )
    return made, at, files


def _may_be_put_back(name: str) -> bool:
    """Return whether a backup can have a file; whoever wrote its list may have made one up."""
    kind, *inside = name.split("/")
    if not inside or not {"", ".", ".."}.isdisjoint(inside) or "\0" in name:
        return False
    if kind == "state":
        return len(inside) == 1 and inside[0].startswith("_service.")
    return kind == "archive" and not _is_own(inside[0])


def _refuse_links(root: Path, name: str, *, may_be_links: tuple[str, ...] = ()) -> None:
    """Refuse a file that lies behind a link, because that leads out of a folder."""
    path = root
    for part in name.split("/"):
        path /= part
        leads = part.startswith(may_be_links) and path.parent == root and path.is_dir()
        if path.is_symlink() and not leads:
            raise ConfigurationError(
                f"{path} is a link, which a restore does not follow: move what it leads to here"
            )


def _accounts_in(name: str) -> set[str]:
    return {account for part in name.split("/") if (account := account_of(part)) is not None}


def _set_aside(registry: Registry, target: Path, kind: str, stamp: str) -> Path:
    """Move a file that is replaced: nothing that came after the backup is lost."""
    if kind == "state":
        moved = target.with_name(f"{target.stem}.before-restore-{stamp}{target.suffix}")
        journal = target.with_name(f"{target.name}-journal")  # not replayed into the next file
        if journal.exists():
            journal.replace(moved.with_name(f"{moved.name}-journal"))
    else:
        moved = registry.folder / _ASIDE / stamp / target.relative_to(registry.folder)
        make_folders(moved.parent)
    try:
        os.link(target, moved)  # at no moment is there no file
    except OSError:  # no links on this file system, or between two disks
        move_file(target, moved)
    return moved


def _put(source: Path, target: Path) -> None:
    for leftover in target.parent.glob(f".{escape(target.name)}.*.tmp"):  # of a killed restore
        leftover.unlink(missing_ok=True)
    with source.open("rb") as reading, whole_file(target) as sink:
        shutil.copyfileobj(reading, sink)
