"""The health and the versions of the service, and the address of its description."""

import errno
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from eyelog import __version__
from eyelog.archive.months import month_files
from eyelog.archive.place import Place, require_store
from eyelog.catalogue import catalogue_version
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.service.auth.login_pages import start_page
from eyelog.service.auth.state import State
from eyelog.service.openapi import VERSION
from eyelog.service.parts import parts_of
from eyelog.service.responses import Problem, json_answer, prefers

__all__ = ["LastWrite", "descriptors_left", "health", "start", "versions"]

_NO_STORE = {"Cache-Control": "no-store"}
_LEAST_DESCRIPTORS = 16  # a request for a day opens a few files
_LOOK_AGAIN_SECONDS = 60.0
_LEAST_FREE = 1_000_000  # bytes: about the daily logins of a thousand wearers


async def health(request: Request) -> Response:
    """Answer GET /health: 200 if state and archive can be read and the disk has room, or 503."""
    # Separate threads: a service that is busy with pages is healthy.
    shared = parts_of(request)
    limiter, registry = shared.health_at_once, shared.registry
    faults = await to_thread.run_sync(
        partial(_faults, registry.state, shared.last_write.archive),
        limiter=limiter,
        abandon_on_cancel=True,
    )
    if faults:
        raise Problem(503, "temporarily_unavailable", f"cannot be read: {' and '.join(faults)}")
    for folder, what in (
        (registry.state_folder, "the service's state"),
        (registry.folder, "the archive"),
    ):
        if await to_thread.run_sync(_is_full, folder, limiter=limiter):
            raise Problem(503, "temporarily_unavailable", f"the disk of {what} is full")
    if descriptors_left() < _LEAST_DESCRIPTORS:
        raise Problem(503, "temporarily_unavailable", "hardly any file descriptors are left")
    written = await to_thread.run_sync(
        shared.last_write.at, limiter=limiter, abandon_on_cancel=True
    )
    age_s = None if written is None else max(0, round(time.time() - written))
    answer = {"state": "ok", "archive": "ok", "seconds_since_last_write": age_s}
    return json_answer(answer, headers=_NO_STORE)


class LastWrite:
    """When a month of the archive was last written, looked up at most once a minute.

    Parameters
    ----------
    archive : Place
        The archive.
    """

    def __init__(self, archive: Place) -> None:
        self.archive = archive
        self._known: tuple[float, float | None] | None = None

    def at(self) -> float | None:
        """Return the time of the last write (seconds since 1970); None if there is no month."""
        now = time.monotonic()
        if self._known is None or now - self._known[0] > _LOOK_AGAIN_SECONDS:
            self._known = now, max(self._times(), default=0.0) or None
        return self._known[1]

    def _times(self) -> Iterator[float]:
        if self.archive.local:
            # A month's file is renamed into its folder, whose time is that of the rename.
            yield from map(_modified, Path(self.archive.root).glob("log=*/account=*/month=*"))
        else:
            with suppress(Exception):  # whatever the store raises, which `_faults` reports
                yield from (written for _, _, written in month_files(self.archive))


def _modified(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0


def descriptors_left() -> int:
    """Return how many more files and connections this process may open."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if limit == resource.RLIM_INFINITY:
            return sys.maxsize
        return limit - len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (names are enough)
    except ImportError:
        return sys.maxsize  # on Windows
    except OSError as error:
        return 0 if error.errno in (errno.EMFILE, errno.ENFILE) else sys.maxsize  # or on macOS


def _faults(file: State, archive: Place) -> list[str]:
    """Name the parts that cannot be read, without their paths: anyone may ask."""
    faults = []
    try:
        readable = bool(file.rows("SELECT 1 FROM meta WHERE name = 'signing_key'"))
    except ConfigurationError:
        readable = False
    if not readable:
        faults.append("the service's state")
    try:
        if archive.local:
            with os.scandir(archive.root) as entries:
                next(entries, None)
        else:
            require_store(archive)
    except (OSError, ArchiveError):
        faults.append("the archive")
    return faults


def _is_full(folder: Path) -> bool:
    """Return whether a disk lacks room for the counts and tokens that requests write."""
    try:
        return shutil.disk_usage(folder).free < _LEAST_FREE
    except OSError:
        return False  # it cannot be read, which `_faults` reports


async def versions(request: Request) -> Response:  # noqa: ARG001 (the framework's shape)
    """Answer GET /version."""
    return json_answer(_versions(), headers=_NO_STORE)


def _versions() -> dict[str, Any]:
    return {"eyelog": __version__, "catalogue": catalogue_version(), "contract": VERSION}


async def start(request: Request) -> Response:
    """Answer GET /: the address of the service's description."""
    base_url = str(request.base_url).rstrip("/")
    if prefers(request, "text/html"):
        return start_page(base_url=base_url, version=__version__)
    return json_answer({"description": f"{base_url}/openapi.json", **_versions()})
