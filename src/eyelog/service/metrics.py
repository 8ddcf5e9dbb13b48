"""Counts for monitoring, as Prometheus reads them; without names of accounts or applications.

Each process counts its own requests in a file of its own (the multiprocess mode of
prometheus_client). The first process adds the files up, and looks at the state and the archive
itself, whenever somebody asks, on a separate port of this machine. The public address has no
metrics.
"""

import os
import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, Literal

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eyelog.archive.months import month_files
from eyelog.archive.place import Place, open_place
from eyelog.errors import ConfigurationError
from eyelog.service.auth.registry import Registry

if TYPE_CHECKING:
    from prometheus_client.core import Metric

__all__ = ["Counted", "Metrics", "NoMetrics", "exported"]

_FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"  # read when prometheus_client is imported
_METHODS: Final = {"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"}
_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_LOOK_AGAIN_S: Final = 60.0  # looking at every month of a large archive takes a while
_AGES: Final = {"1d": 86400.0, "7d": 7 * 86400.0, "30d": 30 * 86400.0}

Event = Literal["logins", "logins_refused", "tokens_issued", "uploads", "rows"]
_EVENTS: Final[dict[Event, str]] = {
    "logins": "Logins with a right password.",
    "logins_refused": "Logins with a wrong password, or refused because of those before.",
    "tokens_issued": "Access tokens issued for a code or a refresh token.",
    "uploads": "Uploads that were imported.",
    "rows": "Records that uploads added to the archive.",
}


class NoMetrics:
    """Counts nothing: the service has no port for metrics."""

    def count(self, event: Event, n: int = 1) -> None:
        """Count an event."""

    def answered(self, method: str, path: str, status: int | None, seconds: float) -> None:
        """Count an answer."""


class Metrics(NoMetrics):
    """Counts the requests and events of this process; `exported` must be under way."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Histogram

        own = CollectorRegistry()
        self._requests = Counter(
            "eyelog_requests",
            "Requests by method, address and status (0: the client hung up).",
            ["method", "path", "status"],
            registry=own,
        )
        self._seconds = Histogram(
            "eyelog_request_seconds",
            "Time from a request to the end of its answer.",
            ["path"],
            buckets=_SECONDS,
            registry=own,
        )
        self._events = {
            name: Counter(f"eyelog_{name}", text, registry=own) for name, text in _EVENTS.items()
        }

    def count(self, event: Event, n: int = 1) -> None:
        """Count an event."""
        self._events[event].inc(n)

    def answered(self, method: str, path: str, status: int | None, seconds: float) -> None:
        """Count an answer."""
        self._requests.labels(method, path, status or 0).inc()
        self._seconds.labels(path).observe(seconds)


class Counted:
    """Middleware that counts each request, by the address of its route."""

    def __init__(self, app: ASGIApp, metrics: NoMetrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run one request, and count it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()
        status: int | None = None
        counted = False

        def count() -> None:
            nonlocal counted
            counted = True
            # A stranger chooses method and path: only known ones are counted by their name.
            method = scope["method"] if scope["method"] in _METHODS else "other"
            path = getattr(scope.get("endpoint"), "address", "other")
            self._metrics.answered(method, path, status, time.perf_counter() - begun)

        async def counting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            elif not message.get("more_body") and not counted:
                count()  # before the last part: no client has an answer that is not counted
            await send(message)

        try:
            await self._app(scope, receive, counting)
        finally:
            if not counted:
                count()


@contextmanager
def exported(registry: Registry, port: int) -> Iterator[str]:
    """Answer ``/metrics`` on 127.0.0.1, in a thread, for the processes that start within.

    Parameters
    ----------
    registry : Registry
        Of the service.
    port : int
        TCP port; 0 lets the system choose a free one.

    Yields
    ------
    str
        The address.

    Raises
    ------
    ConfigurationError
        If the extra is not installed, or the port cannot be used.
    """
    if find_spec("prometheus_client") is None:
        raise ConfigurationError(
            "--metrics-port needs the package 'prometheus_client': pip install 'eyelog[metrics]'"
        )
    if not 0 <= port <= 65535:
        raise ConfigurationError(f"--metrics-port must be from 0 to 65535, not {port}")
    with TemporaryDirectory(prefix="eyelog-metrics-") as folder:
        os.environ[_FOLDER] = folder
        from prometheus_client import CollectorRegistry, start_http_server
        from prometheus_client.multiprocess import MultiProcessCollector

        shown = CollectorRegistry()
        MultiProcessCollector(shown, path=folder)  # type: ignore[no-untyped-call]
        shown.register(_Looked(registry))
        try:
            server, thread = start_http_server(port, "127.0.0.1", shown)
        except OSError as error:
            raise ConfigurationError(
                f"cannot listen on 127.0.0.1, port {port}: {error.strerror}; choose another"
                " --metrics-port"
            ) from None
        try:
            yield f"http://127.0.0.1:{server.server_port}/metrics"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
            os.environ.pop(_FOLDER, None)


class _Looked:
    """What is looked up when somebody asks: tokens, accounts, the archive and the disks."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._archive = _Months(open_place(registry.archive))

    def collect(self) -> Iterator["Metric"]:
        """Yield the values of now; those that cannot be looked up are left out."""
        from prometheus_client.core import GaugeMetricFamily

        kept, last = self._archive.look()
        size = GaugeMetricFamily("eyelog_archive_bytes", "Size of all month files.")
        size.add_metric([], kept)
        yield size
        free = GaugeMetricFamily("eyelog_free_bytes", "Free on the disk of it.", labels=["of"])
        folders = {"archive": self._registry.folder, "state": self._registry.state_folder}
        for name, folder in folders.items():
            with suppress(OSError):
                free.add_metric([name], shutil.disk_usage(folder).free)
        yield free
        try:
            tokens = Counter(one.kind for one in self._registry.grants.issued())
            wearers = [one for one in self._registry.accounts.all() if one.role == "wearer"]
        except ConfigurationError:  # the state cannot be read, which /health says
            return
        usable = GaugeMetricFamily("eyelog_tokens", "Tokens that can be used.", labels=["kind"])
        for kind in sorted({"access", "refresh", "upload", *tokens}):
            usable.add_metric([kind], tokens[kind])
        yield usable
        ages = Counter(_age(last.get(one.name)) for one in wearers)
        imported = GaugeMetricFamily(
            "eyelog_accounts_by_last_import",
            "Wearers by the time since records of theirs last came in: at most so much.",
            labels=["within"],
        )
        for age in (*_AGES, "longer", "never"):
            imported.add_metric([age], ages[age])
        yield imported


def _age(last: float | None) -> str:
    if last is None:
        return "never"
    seconds = time.time() - last
    return next((name for name, most in _AGES.items() if seconds <= most), "longer")


class _Months:
    """The size of the archive and when each account last grew, looked up once a minute."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._at = -_LOOK_AGAIN_S
        self._known: tuple[int, dict[str, float]] = (0, {})

    def look(self) -> tuple[int, dict[str, float]]:
        """Return the bytes of all months, and by account when one was last written."""
        with self._lock:
            if time.monotonic() - self._at >= _LOOK_AGAIN_S:
                self._known = self._walk()
                self._at = time.monotonic()
            return self._known

    def _walk(self) -> tuple[int, dict[str, float]]:
        total = 0
        last: dict[str, float] = {}
        for account, size, written in month_files(self._place):
            total += size
            last[account] = max(last.get(account, 0.0), written)
        return total, last
