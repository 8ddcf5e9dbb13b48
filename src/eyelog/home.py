"""Where eyelog keeps things: private files, put in place whole; and the line of progress.

Files and folders may be read by their owner alone.
"""

import errno
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import BinaryIO, Final

import platformdirs

from eyelog.errors import ConfigurationError, EyelogError

DELAY_SECONDS: Final = 1.0  # a shorter job shows no progress
_FULL: Final = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


def is_full(error: OSError) -> bool:
    """Return whether something cannot be written because there is no room for it."""
    return error.errno in _FULL


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


@contextmanager
def output_file(target: Path, *, verb: str = "write") -> Iterator[BinaryIO]:
    """Write a file that a user named, as `whole_file` does; a fault says why and what to do."""
    try:
        with whole_file(target) as sink:
            yield sink
    except OSError as error:
        # The own message of pyarrow is long and does not name the file.
        reason = os.strerror(error.errno) if error.errno else str(error)
        advice = "make room or choose" if is_full(error) else "choose"
        raise EyelogError(f"cannot {verb} {target}: {reason}; {advice} another place") from error


def replace_file(target: Path, body: bytes) -> None:
    """Put a small file in place of the one before, whole; remove what a killed process left."""
    remove_leftovers(target)
    with whole_file(target) as sink:
        sink.write(body)


def remove_leftovers(target: Path) -> None:
    """Remove the unfinished files beside a target, which only killed processes leave."""
    for leftover in target.parent.glob(f".{escape(target.name)}.*.tmp"):
        leftover.unlink(missing_ok=True)


def home_dir(home: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of tokens and cache; it is created (0700) if it does not exist.

    It is `home`, else EYELOG_HOME, else the platform's data folder.

    Raises
    ------
    ConfigurationError
        If it cannot be created.
    """
    chosen = home or os.environ.get("EYELOG_HOME") or platformdirs.user_data_dir("eyelog", False)
    folder = Path(chosen).expanduser().absolute()
    make_private(folder)
    return folder


def make_private(folder: Path) -> None:
    """Create `folder` for its owner alone; an existing one keeps its permissions."""
    try:
        make_folders(folder)
    except OSError as fault:
        raise ConfigurationError(
            f"cannot create the folder {folder} ({fault.strerror}): set EYELOG_HOME to one that you"
            " can write"
        ) from fault


# The progress line


def in_terminal() -> bool:
    """Return whether stderr is a terminal, where a line can disappear again."""
    return bool(sys.stderr and sys.stderr.isatty())


@contextmanager
def progress_line(
    total: int, label: str, *, unit: str = "day", choice: bool | None = None
) -> Iterator[Callable[..., None]]:
    """Yield a function to call after each part of a job; the line disappears at the end.

    Parameters
    ----------
    total : int
        The number of parts.
    label : str
        The text in front.
    unit : str
        What one part is. ``"B"`` counts bytes, and is shown as kB, MB and so on.
    choice : bool, optional
        True shows the line at once, False never; by default it appears after a second, in a
        terminal or a notebook.

    Yields
    ------
    function
        Takes the number of parts done since the last call, by default one.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    seen = (sys.stderr and sys.stderr.isatty()) or hasattr(shell, "kernel")  # of Jupyter
    if not (seen if choice is None else choice):
        yield lambda _=1: None
        return
    from tqdm import tqdm

    # Plain text in a notebook too: the widget needs a package that may be missing.
    with tqdm(
        total=total,
        desc=label,
        unit=unit,
        unit_scale=unit == "B",
        file=sys.stderr,
        leave=False,
        delay=0.0 if choice else DELAY_SECONDS,
    ) as bar:
        yield lambda parts=1: bar.update(parts) and None
