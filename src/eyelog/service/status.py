"""The health and the versions of the service, and the address of its description."""

import os
import shutil
from functools import partial
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import Response

from eyelog import __version__
from eyelog.catalogue import catalogue_version
from eyelog.errors import ConfigurationError
from eyelog.service.auth.pages import start_page
from eyelog.service.auth.state import State
from eyelog.service.openapi import VERSION
from eyelog.service.responses import Problem, json_answer, prefers

__all__ = ["health", "start", "versions"]

_NO_STORE = {"Cache-Control": "no-store"}
_LEAST_FREE = 1_000_000  # bytes: about the daily logins of a thousand wearers


async def health(request: Request) -> Response:
    """Answer GET /health: 200 if state and archive can be read and the disk has room, else 503."""
    # Separate threads: a service that is busy with pages is healthy.
    limiter: CapacityLimiter = request.app.state.health_at_once
    state = request.app.state
    faults = await to_thread.run_sync(
        partial(_faults, state.file, state.registry.folder), limiter=limiter, abandon_on_cancel=True
    )
    if faults:
        raise Problem(503, "temporarily_unavailable", f"cannot be read: {' and '.join(faults)}")
    if await to_thread.run_sync(_is_full, state.registry.state_folder, limiter=limiter):
        raise Problem(503, "temporarily_unavailable", "the disk of the service's state is full")
    return json_answer({"state": "ok", "archive": "ok"}, headers=_NO_STORE)


def _faults(file: State, archive: Path) -> list[str]:
    """Name the parts that cannot be read, without their paths: anyone may ask."""
    faults = []
    try:
        readable = bool(file.rows("SELECT 1 FROM meta WHERE name = 'signing_key'"))
    except ConfigurationError:
        readable = False
    if not readable:
        faults.append("the service's state")
    try:
        with os.scandir(archive) as entries:
            next(entries, None)
    except OSError:
        faults.append("the archive")
    return faults


def _is_full(folder: Path) -> bool:
    """Return whether a disk lacks room for the counts and tokens that requests write."""
    try:
        return shutil.disk_usage(folder).free < _LEAST_FREE
    except OSError:
        return False  # it cannot be read, which `_faults` says


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
