"""Several processes that serve one archive on one socket, and their supervisor.

The supervisor binds the socket and starts the workers, which inherit it; the kernel gives each
connection to one of them. Their common state (tokens, wrong passwords, the requests of an hour) is
in the state file.

Each worker holds two pipes. It writes a line to stdout when it is ready, and the end of that pipe
shows the supervisor that the worker has ended. The end of its stdin shows the worker that the
supervisor has ended, for whatever reason, so that no worker outlives it.
"""

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any

from eyelog.errors import ConfigurationError
from eyelog.service.app import create_app
from eyelog.service.engine import STOP_SECONDS, make_server

__all__ = ["supervise", "work"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_FAILED_STARTS = 3
"""This many workers in a row that end before they are ready end the service."""

# With -P, no file in the current folder is mistaken for a module.
_PROGRAM = (
    "import json, sys; told = json.loads(sys.stdin.readline()); sys.path[:] = told.pop('path');"
    f" from {__name__} import work; work(**told)"
)


@dataclass(eq=False, slots=True)
class _Worker:
    process: subprocess.Popen[bytes]
    stdin: IO[bytes]
    stdout: IO[bytes]
    ready: bool = False


def supervise(
    listening: socket.socket,
    *,
    workers: int,
    app: Mapping[str, Any],
    on_ready: Callable[[], None],
) -> None:
    """Run workers until SIGINT or SIGTERM, and replace each that ends before.

    A second signal ends the workers without waiting for their requests.

    Parameters
    ----------
    listening : socket
        The socket on which the workers accept connections. It is closed when they are told to stop.
    workers : int
        How many processes.
    app : mapping
        The arguments of `create_app`; they must be JSON.
    on_ready : callable
        Called once, when all workers are ready.

    Raises
    ------
    ConfigurationError
        If workers end again and again before they are ready.
    """
    _Team(listening, workers, app, on_ready).run()


class _Team:
    def __init__(
        self,
        listening: socket.socket,
        size: int,
        app: Mapping[str, Any],
        on_ready: Callable[[], None],
    ) -> None:
        self._listening = listening
        self._size = size
        told = {"socket_number": listening.fileno(), "path": sys.path, "app": dict(app)}
        self._told = json.dumps(told).encode() + b"\n"
        self._on_ready: Callable[[], None] | None = on_ready
        self._selector = selectors.DefaultSelector()
        self._workers: set[_Worker] = set()
        self._failed_starts = 0

    def run(self) -> None:
        with ExitStack() as stack:
            stack.callback(self._selector.close)
            signals = stack.enter_context(_signals())
            stack.callback(self._kill)
            self._selector.register(signals, selectors.EVENT_READ)
            for _ in range(self._size):
                self._start()
            while not self._step():
                pass
            self._stop()

    def _step(self, timeout_s: float | None = None) -> bool:
        """Read the messages of the workers; return whether a signal came."""
        signalled = False
        for key, _ in self._selector.select(timeout_s):
            if key.data is None:
                os.read(key.fd, 64)
                signalled = True
            else:
                self._hear(key.data)
        return signalled

    def _hear(self, worker: _Worker) -> None:
        if os.read(worker.stdout.fileno(), 64):
            worker.ready = True
            self._failed_starts = 0
            if self._on_ready is not None and self._all_ready():
                self._on_ready()
                self._on_ready = None
            return
        status = self._leave(worker)
        if self._listening.fileno() < 0:  # it was told to stop
            return
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts >= _FAILED_STARTS:
                raise ConfigurationError(
                    f"the service's processes end before they are ready ({_how(status)}):"
                    " run eyelog serve without --workers to see why"
                )
        print(  # noqa: T201 (the operator's terminal)
            f"eyelog: warning: process {worker.process.pid} of the service ended"
            f" ({_how(status)}): starting another",
            file=sys.stderr,
            flush=True,
        )
        self._start()

    def _all_ready(self) -> bool:
        return all(worker.ready for worker in self._workers) and len(self._workers) == self._size

    def _start(self) -> None:
        process = subprocess.Popen(  # noqa: S603 (this program itself)
            [sys.executable, "-P", "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[self._listening.fileno()],
            process_group=0,  # Ctrl-C reaches only the supervisor, which passes it on once
        )
        assert process.stdin is not None  # noqa: S101 (a pipe, as asked for)
        assert process.stdout is not None  # noqa: S101 (as above)
        worker = _Worker(process, process.stdin, process.stdout)
        self._workers.add(worker)
        self._selector.register(worker.stdout, selectors.EVENT_READ, worker)
        with suppress(BrokenPipeError):  # it ended at once, as its stdout shows
            worker.stdin.write(self._told)
            worker.stdin.flush()

    def _leave(self, worker: _Worker) -> int:
        """Forget a worker that has ended; return its exit status."""
        self._selector.unregister(worker.stdout)
        self._workers.discard(worker)
        status = worker.process.wait()
        worker.stdout.close()
        with suppress(BrokenPipeError):
            worker.stdin.close()
        return status

    def _stop(self) -> None:
        """Let the workers finish their requests; refuse new connections at once."""
        self._listening.close()
        for worker in self._workers:
            worker.process.terminate()
        deadline = time.monotonic() + STOP_SECONDS + 2
        while self._workers and time.monotonic() < deadline:
            if self._step(max(0.0, deadline - time.monotonic())):  # a second signal
                return

    def _kill(self) -> None:
        for worker in list(self._workers):
            worker.process.kill()
            self._leave(worker)


def _how(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"status {status}"


@contextmanager
def _signals() -> Iterator[socket.socket]:
    """Return a socket that can be read as soon as a signal to stop has come."""
    read, write = socket.socketpair()
    with read, write:
        write.setblocking(False)
        before = signal.set_wakeup_fd(write.fileno(), warn_on_full_buffer=False)
        handlers = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}
        try:
            yield read
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(before)


def work(socket_number: int, app: Mapping[str, Any]) -> None:
    """Serve as one of several workers; ends with the supervisor."""
    server = make_server(create_app(**app))

    def watch() -> None:
        while os.read(sys.stdin.fileno(), 64):  # it ends when the supervisor does
            pass
        server.should_exit = True
        time.sleep(STOP_SECONDS * 2)
        os._exit(1)  # a request that never ends would otherwise keep this process alive

    server.on_ready = lambda: print("ready", flush=True)  # noqa: T201 (to the supervisor)
    threading.Thread(target=watch, name="supervisor", daemon=True).start()
    with socket.socket(fileno=socket_number) as listening:
        server.run(sockets=[listening])
