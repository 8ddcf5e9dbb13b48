"""Check that packages whose internals the service uses have versions known to work.

The limits on connections change the behaviour of uvicorn's HTTP protocol and h11; a release that
changes their internals could switch a limit off without an error.
"""

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Final

__all__ = ["KNOWN", "unknown"]

KNOWN: Final[Mapping[str, tuple[int, int]]] = {
    "h11": (0, 16),
    "starlette": (1, 10),
    "uvicorn": (0, 54),
}
"""The newest release of each, major and minor, with which the tests pass."""


def unknown(versions: Mapping[str, tuple[int, int]] = KNOWN) -> list[str]:
    """Return the packages that are newer than those known to work, such as ``uvicorn 0.99.0``."""
    newer = []
    for name, newest in versions.items():
        try:
            installed = version(name)
        except PackageNotFoundError:  # not installed by a package manager: nothing to compare
            continue
        if _first_two(installed) > newest:
            newer.append(f"{name} {installed}")
    return newer


def _first_two(text: str) -> tuple[int, ...]:
    numbers = text.split(".")[:2]
    return tuple(int(number) for number in numbers if number.isdecimal())
