"""Files imported as they arrive in a folder, each when it is no longer being written.

::

    ARCHIVE/.watched/account=ada/4b7d....json   which files of a folder were imported

A file has settled when its size and time stay the same for a while. It is noted after its import:
one that was being imported when the program was killed is imported again, which changes nothing.
The notes are in a folder named after the account, so that an erasure removes them too.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace as replaced
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from eyelog.archive.account_folders import check_account
from eyelog.archive.importing.chosen_files import asked_zones
from eyelog.archive.importing.conflicts import conflicts_of
from eyelog.archive.importing.intake import FileReport, import_files
from eyelog.archive.importing.sources import input_files
from eyelog.archive.store import Archive, place_of
from eyelog.clock import Zone
from eyelog.disk.files import make_folders, replace_file
from eyelog.errors import ArchiveError, ConfigurationError, argument, marked, spelled

__all__ = ["watch"]

_FOLDER: Final = ".watched"  # hidden: Parquet tools skip it
_LONGEST_PAUSE_S: Final = 10.0
_MOST_CONFLICTS: Final = 10  # in a report

_Look = tuple[int, int]  # the size and the time of the last change (ns)


def watch(
    archive: Archive,
    folder: Path,
    *,
    account: str = "me",
    tz: Zone | None = None,
    replace: bool = False,
    settled_s: float = 60.0,
    wait: Callable[[float], object] = time.sleep,
) -> Iterator[FileReport]:
    """Import the files of a folder as they arrive, without end; yield what became of each.

    Parameters
    ----------
    archive : Archive
        A local one.
    folder : Path
        It is searched with its subfolders; hidden files, which rsync and browsers write first, and
        links are left out.
    account : str
        Whose records they are.
    tz : str, Zones, or a table or .csv file of zones, optional
        As `import_files` takes it.
    replace : bool
        Whether values of the files replace other ones that the archive has; files that were
        imported before are imported again. Otherwise the stored value stays, and the report names
        the lines.
    settled_s : float
        How many seconds a file must stay unchanged before it is imported.
    wait : callable
        Called with the seconds until the next check.

    Raises
    ------
    ConfigurationError
        If the folder does not exist, or the archive is not local.

    Notes
    -----
    A file that is refused is not tried again until it changes. If the archive cannot be written
    (it is locked, or the disk is full), the file is reported as waiting, and tried again.
    """
    if not place_of(archive).local:
        raise ConfigurationError(f"only a local archive can be watched into, not {archive.path}")
    if settled_s <= 0:
        raise ConfigurationError(f"files settle after some seconds, not {settled_s:g}")
    notes = _Notes(archive, folder, account)
    if replace:
        notes.imported.clear()
    since: dict[str, tuple[_Look, float]] = {}
    told: set[str] = set()
    while True:
        now = time.monotonic()
        looks = _looks(folder)
        since = {
            name: since[name] if name in since and since[name][0] == look else (look, now)
            for name, look in looks.items()
            if notes.imported.get(name) != look
        }
        for name, (look, first) in list(since.items()):
            if now - first < settled_s:
                continue
            reports, final = _imported(archive, folder / name, account, tz, replace)
            if final:
                notes.add(name, look)
                told.discard(name)
                yield from reports
            elif name not in told:  # only once, however long it lasts
                told.add(name)
                yield from reports
        wait(min(_LONGEST_PAUSE_S, settled_s / 2))


def _imported(
    archive: Archive, path: Path, account: str, tz: Zone | None, over_stored: bool
) -> tuple[list[FileReport], bool]:
    """Import a file; return the reports, and whether trying again would give the same."""
    try:
        reports = import_files(
            archive,
            [path],
            account=account,
            tz=tz,
            replace=over_stored,
            keep_stored=not over_stored,
        )
        return _with_conflicts(reports, path, tz), True
    except (ConfigurationError, ArchiveError) as error:
        refused = isinstance(error, ConfigurationError)
        report = FileReport(os.fspath(path), account=account)
        fault, state = marked(error), "refused" if refused else "waiting"
        report = replaced(report, status=state, reason=spelled(fault), fault=fault)
        return [report], refused


def _with_conflicts(reports: list[FileReport], path: Path, tz: Zone | None) -> list[FileReport]:
    """Say in the reports of a file, or of those of a zip, where values differ from stored ones."""
    differing = {report.file: report for report in reports if report.differing}
    for file in input_files([path] if differing else []):
        if file.name in differing:
            report = differing[file.name]
            conflicts, more = conflicts_of(file, report, asked_zones(tz), _MOST_CONFLICTS)
            places = [
                f"{one.date if one.line is None else f'line {one.line}'} ({one.field})"
                for one in conflicts
            ]
            places += [f"and {more:,} more"] if more else []
            report.fault = (
                f"other values than stored, which stay: {', '.join(places)};"
                f" {argument('replace', True)} writes those of the file"
            )
            report.reason = spelled(report.fault)
    return reports


def _looks(folder: Path) -> dict[str, _Look]:
    """Return the size and time of each file of a folder, by its path in it."""
    if not folder.is_dir():
        raise ConfigurationError(f"there is no folder {folder} to watch")
    looks = {}
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(parent) / name
            try:
                status = path.lstat()
            except OSError:  # gone meanwhile
                continue
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                looks[path.relative_to(folder).as_posix()] = status.st_size, status.st_mtime_ns
    return looks


class _Notes:
    """Which files of a folder were imported for an account, in a file of the archive."""

    def __init__(self, archive: Archive, folder: Path, account: str) -> None:
        digest = sha256(os.fsencode(folder.resolve())).hexdigest()[:32]
        home = Path(archive.path) / _FOLDER / f"account={check_account(account)}"
        self._path = home / f"{digest}.json"
        try:
            self.imported = msgspec.json.decode(self._path.read_bytes(), type=dict[str, _Look])
        except (FileNotFoundError, msgspec.MsgspecError, UnicodeDecodeError):
            self.imported = {}  # importing files again changes nothing

    def add(self, name: str, look: _Look) -> None:
        self.imported[name] = look
        make_folders(self._path.parent)
        replace_file(self._path, msgspec.json.encode(self.imported))
