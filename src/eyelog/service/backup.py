"""A copy of a service's files while it runs, and its way back.

::

    TO/backup.json          what is in it: each file with its size and SHA-256
    TO/state/               the state (copied by SQLite itself) and the audit log
    TO/archive/             the files of the archive

Month files are replaced as a whole, so each is copied as it was before or after a write. For a
service whose archive is in an object store, only the state and the audit log are copied. The list
of what has ended (`auth.ended`) is in no backup, so that no restore can bring back an older one.
"""

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from glob import escape
from hashlib import file_digest, sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from eyelog.archive.account_folders import account_of, complete_interrupted
from eyelog.archive.all_or_none import JOURNAL
from eyelog.archive.damage import is_damage
from eyelog.archive.place import open_place
from eyelog.archive.store import Archive
from eyelog.disk.files import make_folders, new_file, replace_file, sync_folder, whole_file
from eyelog.disk.sqlite import connect
from eyelog.errors import ConfigurationError
from eyelog.service.audit import FILE_NAME, lock
from eyelog.service.auth import ended
from eyelog.service.auth.registry import Registry
from eyelog.service.auth.restored import is_erased
from eyelog.service.spool import UPLOADS

__all__ = ["BackupContents", "Restored", "back_up", "interrupted", "restore"]

_LIST: Final = "backup.json"
_LAYOUT: Final = 1
_ASIDE: Final = ".before-restore"
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
        If there is no state, or it is in a database, the folder exists or is in one of those
        copied, the copy is not what was read, or the state in it is damaged.
    """
    _refuse_database(registry)
    registry.require_state()
    target = target.expanduser().absolute()
    for folder in (registry.folder, registry.state_folder):
        if target.resolve().is_relative_to(folder.resolve()):
            raise ConfigurationError(f"{target} lies in {folder}, which is copied: choose another")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ConfigurationError(f"{target} exists and is not empty: name a new folder")
    make_folders(target.parent)
    unfinished = target.with_name(f".{target.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)  # of a backup that was killed
    unfinished.mkdir(mode=0o700)
    try:
        files = _copy_all(registry, unfinished)
        _write_list(unfinished, files)
        _check(unfinished, files)
        damaged = _damaged(unfinished / "archive")
        if target.exists():
            target.rmdir()
        unfinished.replace(target)
        sync_folder(target.parent)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return BackupContents(str(target), len(files), sum(size for size, _ in files.values()), damaged)


def _refuse_database(registry: Registry) -> None:
    if registry.state.in_database:
        raise ConfigurationError(
            f"the service's state is in a database, {registry.state.name}: copy it with pg_dump,"
            " and put it back with pg_restore and then eyelog service after-restore"
        )


_Files = dict[str, tuple[int, str]]  # the path in the backup, its size and SHA-256


def _copy_all(registry: Registry, target: Path) -> _Files:
    files: _Files = {}
    state = target / "state" / registry.state.file.name
    make_folders(state.parent)
    os.close(os.open(state, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
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
    if isinstance(registry.archive, Path):
        complete_interrupted(open_place(registry.archive))
    for path in _files_of_archive(registry):
        inside = path.relative_to(registry.folder).as_posix()
        with suppress(FileNotFoundError):  # replaced or removed meanwhile
            files[f"archive/{inside}"] = _copy(path, target / "archive" / inside)
    (target / "archive").mkdir(mode=0o700, exist_ok=True)
    return files


def _files_of_archive(registry: Registry) -> Iterator[Path]:
    if not isinstance(registry.archive, Path):
        return  # an object store has copies of its own
    own = registry.state.file.stem  # the state may be in the archive
    own_notes = (ended.FILE_NAME, _UNDER_WAY)
    for parent, folders, names in os.walk(registry.folder):
        folders[:] = sorted(set(folders) - {UPLOADS})  # incoming files are not archived yet
        for name in sorted(names):
            path = Path(parent) / name
            is_state = parent == os.fspath(registry.folder) and name.startswith((own, f".{own}"))
            unfinished = (
                name == ".lock"
                or name.endswith((".tmp", "-journal"))
                or name.startswith(JOURNAL)  # its finished months are not copied
            )
            if not (is_state or unfinished or name in own_notes or path.is_symlink()):
                yield path


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


def _write_list(target: Path, files: _Files) -> None:
    content = {
        "layout": _LAYOUT,
        "made": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "at": time.time(),
        "eyelog": version("eyelog"),
        "files": {name: list(values) for name, values in sorted(files.items())},
    }
    with whole_file(target / _LIST) as sink:
        sink.write(json.dumps(content, indent=1).encode())


def _check(folder: Path, files: _Files) -> None:
    """Read every file of a backup back."""
    for name, expected in files.items():
        try:
            with (folder / name).open("rb") as file:
                actual = _size_and_digest(file)
        except OSError as error:
            raise ConfigurationError(
                f"{folder / name} of the backup cannot be read: {error.strerror}"
            ) from None
        if actual != expected:
            raise ConfigurationError(f"{folder / name} of the backup is damaged")
    for name in files:
        if name.startswith("state/") and name.endswith(".sqlite"):
            try:
                with closing(connect(folder / name)) as db:
                    problems = [row[0] for row in db.execute("PRAGMA integrity_check(3)")]
            except (sqlite3.Error, UnicodeDecodeError) as error:
                problems = [str(error)]
            if problems != ["ok"]:
                raise ConfigurationError(f"{name} is damaged ({'; '.join(problems)})")


def _damaged(archive: Path) -> int:
    return sum(map(is_damage, Archive(archive).verify()["problem"]))


def restore(registry: Registry, source: Path) -> Restored:
    """Put a backup back, once it was read completely and found to be sound.

    Files that differ are set aside, and files that the backup lacks stay. The records of accounts
    that were erased since are left out. Each file is replaced as a whole; if a restore is killed
    between two, `interrupted` says so until it is repeated, and no service starts.

    Raises
    ------
    ConfigurationError
        If it is not a backup, or damaged, or the state is in a database.
    """
    _refuse_database(registry)
    source = source.expanduser().absolute()
    made, files = _read_list(source)
    _check(source, files)
    stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    make_folders(registry.folder)
    under_way = registry.folder / _UNDER_WAY
    replace_file(under_way, json.dumps({"source": str(source)}).encode())
    put_back, erased, aside = 0, 0, list[str]()
    for name, (_, digest) in files.items():
        kind, _, inside = name.partition("/")
        target = (registry.state_folder if kind == "state" else registry.folder) / inside
        if _is_of_erased(registry, inside):
            erased += 1
            continue
        if target.exists():
            with target.open("rb") as present:
                if file_digest(present, "sha256").hexdigest() == digest:
                    continue
            if kind == "state" and inside.startswith(FILE_NAME):
                # The existing log has what happened after the backup.
                target = target.with_name(f"{FILE_NAME}.restored-{stamp}")
            else:
                aside.append(str(_set_aside(registry, target, kind, stamp)))
        _put(source / name, target)
        put_back += 1
    under_way.unlink(missing_ok=True)
    sync_folder(registry.folder)
    kept = sum(
        f"archive/{inside}" not in files
        for path in _files_of_archive(registry)
        if not (inside := path.relative_to(registry.folder).as_posix()).startswith(_ASIDE)
    )
    return Restored(made, put_back, aside, kept, erased)


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


def _read_list(source: Path) -> tuple[str, _Files]:
    try:
        content = json.loads((source / _LIST).read_bytes())
        if content["layout"] > _LAYOUT:
            raise ConfigurationError(
                f"{source} was made by a newer eyelog ({content['eyelog']}): update eyelog"
            )
        files = {name: (size, digest) for name, (size, digest) in content["files"].items()}
        made = str(content["made"])
    except FileNotFoundError:
        raise ConfigurationError(
            f"{source} is not a backup: it has no {_LIST}, which eyelog service backup writes"
        ) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigurationError(f"{source / _LIST} is damaged: {error}") from None
    for name in files:
        if name.partition("/")[0] not in ("state", "archive") or ".." in name.split("/"):
            raise ConfigurationError(f"{source / _LIST} is damaged: it names {name!r}")
    return made, files


def _is_of_erased(registry: Registry, inside: str) -> bool:
    named = map(account_of, inside.split("/"))
    return any(account is not None and is_erased(registry, account) for account in named)


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
    except OSError:  # no links on this file system
        target.replace(moved)
    return moved


def _put(source: Path, target: Path) -> None:
    for leftover in target.parent.glob(f".{escape(target.name)}.*.tmp"):  # of a killed restore
        leftover.unlink(missing_ok=True)
    with source.open("rb") as reading, whole_file(target) as sink:
        shutil.copyfileobj(reading, sink)
