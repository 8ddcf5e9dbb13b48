"""The audit log: logins, grants and their ends, one line of JSON per event.

The file is beside the state and is readable only by its owner. It contains names and addresses, so
it is as private as the records; it never contains a code, token, secret or password.
"""

import json
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]


FILE_NAME: Final = "_service.audit.jsonl"
_LONGEST: Final = 200
"""Characters of a text that are kept: a stranger may type a long one."""


def lock(handle: int, *, shared: bool, wait: bool = True) -> None:
    """Lock an open file, for this process alone or shared; it may raise `BlockingIOError`."""
    if fcntl is not None:
        how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(handle, how if wait else how | fcntl.LOCK_NB)


def is_at(handle: int, path: Path) -> bool:
    """Return whether an open file is still the one at a path."""
    if fcntl is None:
        return True
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def append(
    file: Path, lines: bytes, *, secured: bool = False, unless: Callable[[], bool] = lambda: False
) -> None:
    """Add lines to the end of a file, whole or not at all.

    Nothing is added if `unless` returns True once nobody else can change the file. With `secured`,
    the lines are on the disk afterwards.
    """
    # A link would lead the lines into another file.
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    while True:
        handle = os.open(file, flags | getattr(os, "O_BINARY", 0), 0o600)
        with suppress(OSError):  # a network disk without locks
            lock(handle, shared=False)
        if is_at(handle, file):
            break
        os.close(handle)  # another file took its place meanwhile
    try:
        if unless():
            return
        if size := os.fstat(handle).st_size:
            os.lseek(handle, -1, os.SEEK_END)
            if os.read(handle, 1) != b"\n":  # a power cut tore the last line
                lines = b"\n" + lines
        written = os.write(handle, lines)
        if written < len(lines):  # a full disk
            os.ftruncate(handle, size)
            raise OSError(f"only {written} of {len(lines)} bytes could be written")
        if secured:
            os.fsync(handle)
    finally:
        os.close(handle)


def say(line: str) -> None:
    """Print a line on the operator's terminal."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201 (as it says)


class Audit:
    """Appends events to the audit log of a service.

    Each event is one write at the end of the file, so that the lines of several processes never
    mix. The file is reopened for each, so that it can be moved away at any time.

    Parameters
    ----------
    folder : path
        The folder of the service's state.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.file = Path(folder) / FILE_NAME
        self._lock = threading.Lock()
        self._complained = False

    def write(
        self,
        event: str,
        *,
        unless: Callable[[], bool] = lambda: False,
        **values: Any,
    ) -> None:
        """Append one event; values that are None are left out.

        A failure is reported once on stderr and never raised: a full disk must not keep wearers
        out.

        Parameters
        ----------
        event : str
            What happened: ``login``, ``token``, ``admin.revoke``.
        unless : callable
            Asked while no erasure can rewrite the log; if it returns True, nothing is written.
        **values
            Texts, numbers, lists of these: ``account`` (only a known one, because a name typed by a
            stranger may be a password), ``application`` (its client id), ``address`` and others.
        """
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        stated = {name: _short(value) for name, value in values.items() if value is not None}
        line = json.dumps({"time": now, "event": event, **stated}) + "\n"
        try:
            append(self.file, line.encode(), unless=unless)
        except OSError as error:
            with self._lock:
                first, self._complained = not self._complained, True
            if first:
                say(
                    f"eyelog: warning: the audit log {self.file} cannot be written"
                    f" ({error.strerror or error}): events are lost until it can"
                )


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else value[:_LONGEST] + "..."
    if isinstance(value, list | tuple):
        return [_short(item) for item in value]
    return value
