"""What a service does in processes of its own: imports, summaries, figures, reports.

Such work takes a whole core there, delays no request, and its memory is released. A process ends
with the one that started it.
"""

import json
import os
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Collection
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from eyelog.errors import ArchiveError

_TASK_S: Final = 600.0
_LONGEST_FAULT: Final = 4000  # bytes: less than a pipe holds
_NICENESS: Final = 10

# With -P, no file in the current folder is mistaken for a module.
_PROGRAM: Final = (
    "import json, sys; task = json.loads(sys.stdin.readline()); sys.path[:] = task.pop('path');"
    f" from {__name__} import work; work(**task)"
)

Task = Callable[..., bytes]


class Failed(Exception):
    """A task did not finish; the text is for the service's log, without any value."""


def run(
    task: Task,
    arguments: dict[str, Any],
    *,
    seconds: float = _TASK_S,
    locks: Collection[int] = (),
    temporary: Path | None = None,
) -> bytes:
    """Return what a task returns in a process of its own.

    Parameters
    ----------
    task : function
        Of a module.
    arguments : dict
        Its arguments, as JSON.
    seconds : float
        How long it may take.
    locks : collection of int
        Handles that the process holds too.
    temporary : Path, optional
        The folder of its temporary files.

    Raises
    ------
    Failed
        If the task raises, or its process breaks down.
    """
    words = {
        "path": sys.path,
        "module": task.__module__,
        "name": task.__name__,
        "arguments": arguments,
    }
    environment = {"TMPDIR": str(temporary)} if temporary else {}
    with subprocess.Popen(  # noqa: S603 (this program itself)
        [sys.executable, "-P", "-c", _PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=locks if os.name == "posix" else [],
        env={**os.environ, "MPLBACKEND": "agg", **environment},
    ) as each:
        process: Any = each  # with all three pipes
        late = threading.Timer(seconds, process.kill)
        late.start()
        try:
            with suppress(BrokenPipeError):  # it ended at once
                process.stdin.write(json.dumps(words).encode() + b"\n")
                process.stdin.flush()  # it stays open: its end shows that this process has ended
            returned: bytes = process.stdout.read()
            fault = process.stderr.read()
            if process.wait():
                raise Failed(fault.decode("utf-8", "replace") or "it ended early")
            return returned
        finally:
            process.kill()
            late.cancel()


def run_here(task: Task, arguments: dict[str, Any]) -> bytes:
    """Return what a small task returns, in this process; it fails as it would in its own."""
    try:
        return task(**arguments)
    except Exception as error:  # noqa: BLE001 (without its values)
        raise Failed(_without_values(error)) from None


def work(module: str, name: str, arguments: dict[str, Any]) -> None:
    """Run a task as the process of `run`."""

    def end_with_parent() -> None:
        while os.read(sys.stdin.fileno(), 64):  # it ends when the parent has ended
            pass
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(_NICENESS)  # requests for data come first
    faults = os.dup(2)
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 (a device): what libraries say
        os.dup2(nowhere.fileno(), 2)
    status = 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nobody reads them
            task: Task = getattr(import_module(module), name)
            sys.stdout.buffer.write(task(**arguments))
            sys.stdout.buffer.flush()
    except BaseException as error:  # noqa: BLE001 (to the log of the service, without its values)
        status = 1
        os.write(faults, _without_values(error).encode("utf-8", "replace")[-_LONGEST_FAULT:])
    os._exit(status)  # without waiting for threads of libraries


def _without_values(error: BaseException) -> str:
    """Return what the service's log says of a task's error: its kind, and where it was raised."""
    if isinstance(error, ArchiveError):  # which names a file, and no value
        return f"{type(error).__name__}: {error}"
    places = "".join(traceback.format_tb(error.__traceback__))
    return f"{type(error).__name__}:\n{places}"
