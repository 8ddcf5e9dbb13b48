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
