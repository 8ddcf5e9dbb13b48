"""The versions that an analysis was computed with."""

import importlib.metadata
import platform
from typing import Final

import eyelog

PACKAGES: Final = ("numpy", "pandas", "scipy", "matplotlib")


def versions() -> dict[str, str]:
    """Return the versions that a report was made with."""
    version_of = {"eyelog": eyelog.__version__, "python": platform.python_version()}
    return version_of | {name: importlib.metadata.version(name) for name in PACKAGES}
