"""Tasks that take a core for seconds, in their own process: imports, summaries, figures, reports.

In the service's own process every other request would wait for it; and matplotlib is not made for
several threads. The process ends with the one that started it.
"""

import json
import os
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any, Final

from anyio import CapacityLimiter, to_thread

from eyelog.errors import ArchiveError

_SECONDS: Final = 600.0
_LONGEST_FAULT: Final = 4000  # bytes: less than a pipe holds

# With -P, no file in the current folder is mistaken for a module.
_PROGRAM: Final = (
    "import json, sys; told = json.loads(sys.stdin.readline()); sys.path[:] = told.pop('path');"
    f" from {__name__} import work; work(**told)"
)

Task = Callable[..., bytes]


class Failed(Exception):
    """The process did not finish; the text is for the service's log, without any value."""


class Apart:
    """Runs tasks in processes of their own; few wait, and one runs at a time."""

    def __init__(self) -> None:
        self._one = CapacityLimiter(1)

    async def whole(self, task: Task, **told: Any) -> bytes:
        """Return what a task returns, see `run_apart`."""
        return await to_thread.run_sync(
            partial(run_apart, task, told), limiter=self._one, abandon_on_cancel=True
        )


def run_apart(
    task: Task,
    told: dict[str, Any],
    *,
    seconds: float = _SECONDS,
    locks: Collection[int] = (),
    environment: Mapping[str, str] | None = None,
) -> bytes:
    """Return what a task returns in a process of its own.

    Parameters
    ----------
    task : function
        Of a module.
    told : dict
        Its arguments, as JSON.
    seconds : float
        How long it may take.
    locks : collection of int
        Handles that the process holds too.
    environment : mapping, optional
        What its environment has besides.

    Raises
    ------
    Failed
        If the task raises, or its process breaks down.
    """
    words = {"path": sys.path, "module": task.__module__, "name": task.__name__, "told": told}
    with subprocess.Popen(  # noqa: S603 (this program itself)
        [sys.executable, "-P", "-c", _PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=locks if os.name == "posix" else [],
        env={**os.environ, "MPLBACKEND": "agg", **(environment or {})},
    ) as process:
        assert process.stdin is not None  # noqa: S101 (pipes, as asked for)
        assert process.stdout is not None  # noqa: S101 (as above)
        assert process.stderr is not None  # noqa: S101 (as above)
        late = threading.Timer(seconds, process.kill)
        late.start()
        try:
            with suppress(BrokenPipeError):  # it ended at once
                process.stdin.write(json.dumps(words).encode() + b"\n")
                process.stdin.flush()  # it stays open: its end shows that this process has ended
            made = process.stdout.read()
            fault = process.stderr.read()
            if process.wait():
                raise Failed(fault.decode("utf-8", "replace") or "it ended early")
            return made
        finally:
            process.kill()
            late.cancel()


def work(module: str, name: str, told: dict[str, Any]) -> None:
    """Run a task as the process of `run_apart`."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    faults = os.dup(2)
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 (a device): what libraries say
        os.dup2(nowhere.fileno(), 2)
    status = 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nobody reads them
            task: Task = getattr(import_module(module), name)
            sys.stdout.buffer.write(task(**told))
            sys.stdout.buffer.flush()
    except BaseException as error:  # noqa: BLE001 (to the log of the service, without its values)
        status = 1
        os.write(faults, fault_without_values(error).encode("utf-8", "replace")[-_LONGEST_FAULT:])
    os._exit(status)  # without waiting for threads of libraries


def fault_without_values(error: BaseException) -> str:
    """Return what is to be told about an error of a task: its kind, and where it was raised."""
    if isinstance(error, ArchiveError):  # which names a file, and no value
        return f"{type(error).__name__}: {error}"
    places = "".join(traceback.format_tb(error.__traceback__))
    return f"{type(error).__name__}:\n{places}"


def _end_with_parent() -> None:
    """End this process when stdin ends, as it does when the parent has ended."""
    while os.read(sys.stdin.fileno(), 64):
        pass
    os._exit(1)
