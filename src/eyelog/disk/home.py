"""The private folder of tokens, cache and archive."""

import os
from pathlib import Path

import platformdirs

from eyelog.disk.files import make_folders
from eyelog.errors import ConfigurationError

__all__ = [
    "home_dir",
]


def home_dir(home: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of tokens and cache, created 0700 if it is not there.

    The argument, else EYELOG_HOME, else the platform's data folder.

    Raises
    ------
    ConfigurationError
        If it cannot be made.
    """
    chosen = home or os.environ.get("EYELOG_HOME") or platformdirs.user_data_dir("eyelog", False)
    folder = Path(chosen).expanduser().absolute()
    make_private(folder)
    return folder


def make_private(folder: Path) -> None:
    """Create `folder` for its owner alone; one that stands keeps its permissions."""
    try:
        make_folders(folder)
    except OSError as fault:
        raise ConfigurationError(
            f"cannot make the folder {folder} ({fault.strerror}): set EYELOG_HOME to one you can"
            " write"
        ) from fault
