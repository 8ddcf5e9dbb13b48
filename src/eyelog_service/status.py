"""What the service says of itself: its contract as an OpenAPI document, its health and versions.

The document is `openapi.json`, in which ``${name}`` stands for what the service itself defines.
Record schemas come from the catalogue. If the contract leaves something open, the descriptions
state what this service does.
"""

import errno
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from eyelog import __version__
from eyelog.archive.place import Place
from eyelog.catalogue import INTERVAL_SECONDS, LOGS, Field, catalogue, catalogue_version
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog_service.auth.grants import ACCESS_SECONDS, SCOPE, SCOPES, WRITE
from eyelog_service.auth.registry import Registry
from eyelog_service.browser import html, page_template
from eyelog_service.parts import parts_of
from eyelog_service.records import DATE_PATTERN
from eyelog_service.responses import form_page, json_answer, prefers, unavailable

_START = page_template(html("start.html"))
_NO_STORE = {"Cache-Control": "no-store"}
_LEAST_DESCRIPTORS = 16  # a request for a day opens a few files
_LOOK_AGAIN_SECONDS = 60.0
_LEAST_FREE = 1_000_000  # bytes: about the daily logins of a thousand wearers


async def health(request: Request) -> Response:
    """Answer GET /health: 200 if state and archive can be read and the disk has room, or 503."""
    # Separate threads: a service that is busy with pages is healthy.
    shared = parts_of(request)
    in_thread = partial(to_thread.run_sync, limiter=shared.health_at_once, abandon_on_cancel=True)
    if fault := await in_thread(_fault, shared.registry, shared.last_write.archive):
        raise unavailable(fault)
    written = await in_thread(shared.last_write.at)
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
                yield from (file.modified for file in self.archive.everything())


def _modified(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0


def descriptors_left(*, of_most: bool = False) -> int:
    """Return how many more files and connections this process may open.

    With `of_most`, if it asks for as many as it may, as a service does.
    """
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[of_most]
        if limit == resource.RLIM_INFINITY:
            return sys.maxsize
        return limit - len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (names are enough)
    except ImportError:
        return sys.maxsize  # on Windows
    except OSError as error:
        return 0 if error.errno in (errno.EMFILE, errno.ENFILE) else sys.maxsize  # or on macOS


def _fault(registry: Registry, archive: Place) -> str:
    """Return what is wrong, without paths: anyone may ask; nothing if all is well."""
    faults = ["the service's state"]
    with suppress(ConfigurationError):
        if registry.state.rows("SELECT 1 FROM meta WHERE name = 'signing_key'"):
            faults = []
    try:
        if archive.local:
            with os.scandir(archive.root) as entries:
                next(entries, None)
        else:
            archive.require_store()
    except (OSError, ArchiveError):
        faults.append("the archive")
    if faults:
        return f"cannot be read: {' and '.join(faults)}"
    for folder, what in (
        (registry.state_folder, "the service's state"),
        (registry.folder, "the archive"),
    ):
        with suppress(OSError):  # counts and tokens that requests write need room
            if shutil.disk_usage(folder).free < _LEAST_FREE:
                return f"the disk of {what} is full"
    if descriptors_left() < _LEAST_DESCRIPTORS:
        return "hardly any file descriptors are left"
    return ""


async def versions(request: Request) -> Response:  # noqa: ARG001 (the framework's shape)
    """Answer GET /version."""
    return json_answer(_versions(), headers=_NO_STORE)


def _versions() -> dict[str, Any]:
    return {"eyelog": __version__, "catalogue": catalogue_version(), "contract": VERSION}


async def start(request: Request) -> Response:
    """Answer GET /: the address of the service's description."""
    base_url = str(request.base_url).rstrip("/")
    if prefers(request, "text/html"):
        return form_page(
            _START,
            title="A service for logs of smart eyewear",
            targets="'none'",
            base_url=base_url,
            version=__version__,
        )
    return json_answer({"description": f"{base_url}/openapi.json", **_versions()})


Schema = dict[str, Any]

VERSION = "1.0.0"


def document(page_size: int, *, root_path: str = "") -> Schema:
    """Return the OpenAPI document of a service with pages of `page_size` records.

    `root_path` is the prefix of every path, or empty.
    """
    text = json.loads(files("eyelog_service").joinpath("openapi.json").read_text("utf-8"))
    values = {
        "version": VERSION,
        "server": root_path or "/",
        "root_path": root_path,
        "page_size": page_size,
        "access_seconds": ACCESS_SECONDS,
        "date_pattern": DATE_PATTERN,
        "scope": SCOPE,
        "scopes": {
            scope: f"{'Add to' if scope == WRITE else 'Read'} the wearer's own logs"
            for scope in SCOPES
        },
        "scope_names": ", ".join(SCOPES),
    }
    filled: Schema = _filled(text["document"], values)
    for log in LOGS:
        of_log = {"log": log, "seconds": INTERVAL_SECONDS[log], "fields": list(catalogue(log))}
        records = _filled(text["records"], values | of_log)
        filled["paths"][f"/v2/users/me/official/{log}"] = records
        filled["components"]["schemas"][f"{log}_record"] = _record(log)
    for operations in filled["paths"].values():
        for operation in operations.values():
            operation["responses"] |= text["every_operation"]
    return filled


def _filled(node: Any, values: Mapping[str, Any]) -> Any:
    """Return a part of the document with its values; a text of just one name is that value."""
    if isinstance(node, dict):
        return {_filled(key, values): _filled(each, values) for key, each in node.items()}
    if isinstance(node, list):
        return [_filled(each, values) for each in node]
    if not isinstance(node, str) or "${" not in node:
        return node  # also a pattern that ends in $
    alone = node.removeprefix("${").removesuffix("}")
    return values[alone] if alone in values else Template(node).substitute(values)


def _record(log: str) -> Schema:
    properties = {name: _field(field) for name, field in catalogue(log).items()}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _field(field: Field) -> Schema:
    about = {
        key: value
        for key, value in (("title", field.label), ("description", field.description))
        if value
    }
    if field.value_type == "datetime":
        return {"type": "string", "format": "date-time", **about}
    return {"type": [field.json_type, "null"], **about}
