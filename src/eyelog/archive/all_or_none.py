"""Several month files put in place together: all of them or none, whatever is killed.

One month is replaced by one rename. Several need a journal, which names the finished files and
their targets. It is on the disk before the first rename, and is removed after the last. A process
that is killed before that has changed nothing. What a process leaves that is killed in between is
completed by the next one that locks one of the accounts, by `verify`, and by a service that starts.

Until then, and for the milliseconds between the renames of a running process, a reader can see some
of the months new and others old.
"""

import json
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from eyelog.disk.files import make_folders, put_in_place, sync_folder, whole_file
from eyelog.errors import ArchiveError

__all__ = ["JOURNAL", "complete", "folders_of", "put_together", "unfinished"]

JOURNAL: Final = ".together-"  # hidden: Parquet tools skip it
_LEFT_S: Final = 600.0  # a journal takes milliseconds to write


def put_together(root: Path, files: Mapping[Path, Path]) -> None:
    """Rename finished files (keys) over their targets, all or none, under the locks of the caller.

    Parameters
    ----------
    root : Path
        The archive's folder.
    files : mapping of Path to Path
        Each finished file and its target, both in the archive.
    """
    if len(files) < 2:  # one rename is whole by itself
        for made, target in files.items():
            put_in_place(made, target)
        return
    for folder in {made.parent for made in files}:
        sync_folder(folder)  # so that a power cut leaves no journal that names missing files
    pairs = [
        [str(path.relative_to(root)) for path in (made, target)] for made, target in files.items()
    ]
    journal = root / f"{JOURNAL}{secrets.token_hex(8)}.json"
    with whole_file(journal) as sink:
        sink.write(json.dumps(pairs).encode())
    _put(root, journal)


def complete(root: Path, home: Path) -> None:
    """Complete what a killed process left of a folder, under the lock of the caller.

    The process that wrote a journal held the locks of all its folders until it was removed; a
    process that has one of these locks knows that the writer is dead. Two processes may complete
    the same journal: a finished file can be renamed only once.

    Raises
    ------
    ArchiveError
        If a journal is damaged.
    """
    for journal in unfinished(root):
        if any((root / target).is_relative_to(home) for _, target in _pairs(journal)):
            _put(root, journal)


def unfinished(root: Path) -> list[Path]:
    """Return the journals that exist, of processes that are running or were killed."""
    for leftover in root.glob(f".{JOURNAL}*.tmp"):  # of one killed before its journal was whole
        with suppress(FileNotFoundError):
            if time.time() - leftover.stat().st_mtime > _LEFT_S:
                leftover.unlink()
    return sorted(root.glob(f"{JOURNAL}*.json"))


def folders_of(journal: Path) -> set[tuple[str, str]]:
    """Return the names of the folders (of a log, of an account) in which a journal puts months."""
    return {(parts[0], parts[1]) for parts in (Path(to).parts for _, to in _pairs(journal))}


def _put(root: Path, journal: Path) -> None:
    for made, target in _pairs(journal):
        make_folders((root / target).parent)
        with suppress(FileNotFoundError):  # renamed before
            put_in_place(root / made, root / target)
    journal.unlink(missing_ok=True)
    sync_folder(journal.parent)


def _pairs(journal: Path) -> list[list[str]]:
    try:
        pairs: list[list[str]] = json.loads(journal.read_bytes())
    except FileNotFoundError:  # another process has completed it
        return []
    except ValueError:
        raise ArchiveError(
            f"{journal} is damaged: it names the months of an import that was interrupted. Remove"
            " it, and import the same files again"
        ) from None
    return pairs
