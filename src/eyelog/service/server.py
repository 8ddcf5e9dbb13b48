"""The service as a command (`serve`), and inside a program, test or notebook (`running`)."""

import ipaddress
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, Unpack

from eyelog.checks import whole_number
from eyelog.errors import ConfigurationError
from eyelog.service.app import ServiceSettings, create_app
from eyelog.service.auth.registry import Registry
from eyelog.service.engine import STOP_SECONDS, address, bind, make_server
from eyelog.service.known_versions import unknown
from eyelog.service.metrics import exported
from eyelog.service.workers import supervise

__all__ = ["running", "serve"]

_START_SECONDS = 20.0
_NO_LIMITS = {"requests_per_hour": 0, "uploads_per_hour": 0, "quota": 0}


def serve(
    archive_path: str | os.PathLike[str],
    host: str = "127.0.0.1",
    port: int = 8765,
    *,
    metrics_port: int | None = None,
    **settings: Unpack[ServiceSettings],
) -> None:
    """Serve an archive until SIGINT or SIGTERM.

    When the service is ready, it prints one line with its address to stderr.

    Parameters
    ----------
    archive_path : path
        The archive's folder.
    host : str
        Address to bind. On any address other than loopback, everyone on that network can reach
        the service, and read its traffic unless a proxy adds TLS; a line on stderr warns of it.
    port : int
        TCP port; 0 lets the system choose a free one.
    metrics_port : int, optional
        Port of 127.0.0.1 with ``/metrics``, 0 for a free one; by default there are no metrics.
    **settings
        As for `create_app`; `workers` processes serve, and one that ends is replaced.

    Raises
    ------
    ConfigurationError
        If the archive folder does not exist, the address cannot be bound, or a setting cannot be
        used.
    """
    _check_workers(settings.get("workers", 1))
    given = {"archive_path": archive_path, **settings, "metrics": metrics_port is not None}
    # Other processes get them as JSON.
    options = {name: os.fspath(v) if isinstance(v, os.PathLike) else v for name, v in given.items()}
    with ExitStack() as stack:
        metrics = None
        if metrics_port is not None:
            registry = Registry(archive_path, settings.get("state"), settings.get("local"))
            metrics = stack.enter_context(exported(registry, metrics_port))
        _serve(options, host, port, metrics)


def _serve(options: dict[str, Any], host: str, port: int, metrics: str | None) -> None:
    workers, proxy = options.get("workers", 1), options.get("proxy")
    app = create_app(**options)  # also with workers: any fault is reported once, and immediately
    if newer := unknown():
        _note(
            f"eyelog: warning: not known to work with {' and '.join(newer)}: limits on connections"
            " may not hold; install what eyelog[service] asks for"
        )
    with bind(host, port) as listening:
        if not ipaddress.ip_address(listening.getsockname()[0]).is_loopback:
            _note(
                "eyelog: warning: other machines can reach this service over plain HTTP: "
                + (
                    "put a proxy with TLS in front of it, or tokens and data can be read on the way"
                    if proxy is None
                    else "let a firewall admit only the proxy"
                )
            )
        lines = [address(listening), *([f"metrics: {metrics}"] if metrics is not None else [])]
        ready = partial(_note, "\n".join(lines))
        if workers > 1:
            supervise(listening, workers=workers, app=options, on_ready=ready)
        else:
            server = make_server(app)
            server.on_ready = ready
            server.run(sockets=[listening])


def _note(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201 (the operator's terminal)


def _check_workers(workers: int) -> None:
    whole_number(workers, "workers", 1)
    if workers > 1 and os.name != "posix":
        raise ConfigurationError("several workers need Linux or macOS: leave out --workers")


@contextmanager
def running(
    archive_path: str | os.PathLike[str], *, page_size: int = 500, port: int = 0, **settings: Any
) -> Iterator[str]:
    """Run the service on 127.0.0.1 in a thread, for the length of a ``with`` block.

    Parameters
    ----------
    archive_path, page_size, port
        As for `serve`, except that a free port is chosen by default.
    **settings
        Other settings of `create_app`. Requests and uploads are not limited unless
        ``requests_per_hour``, ``uploads_per_hour`` and ``quota`` are given: the service has only
        one user.

    Yields
    ------
    str
        The address, as from `eyelog.serve`.

    Raises
    ------
    ConfigurationError
        If the archive folder does not exist, or the port is in use.
    """
    server = make_server(
        create_app(archive_path, page_size=page_size, **{**_NO_LIMITS, **settings})
    )
    with bind("127.0.0.1", port) as listening:
        thread = threading.Thread(
            target=server.run, args=([listening],), name="eyelog-service", daemon=True
        )
        thread.start()
        try:
            deadline = time.monotonic() + _START_SECONDS
            while not server.started:
                if not thread.is_alive() or time.monotonic() > deadline:
                    raise ConfigurationError(
                        f"the service did not start within {_START_SECONDS:g} s"
                    )
                time.sleep(0.005)
            yield address(listening)
        finally:
            server.should_exit = True
            thread.join(STOP_SECONDS * 2)
