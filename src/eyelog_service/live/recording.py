"""The files of a live recording, and how their messages get into the archive.

::

    ARCHIVE/.live/account=anna/20261019T101500.250000Z-1-current_data.jsonl      being written
    ARCHIVE/.live/account=anna/20261019T093000.125000Z-1-current_data.jsonl.gz   imported

Each message is one line, written when it arrives and secured on the disk (fsync) at most a second
later: whatever is killed, the file has every message up to then, and the reader of the archive
leaves out a truncated last line. A file has the messages of one kind and one connection, and ends
with the connection or at 16 MB (some 40 minutes of 20 Hz rows), so that reading it stays small.

A complete file is imported as `eyelog import` would import it and then packed; only when the packed
file is complete under its name is the other one removed. The name says which files still wait: a
program that is killed in between imports the file again at its next start, which changes nothing.
The packed files stay: they have what the archive has no place for (messages of other kinds, the
receiver's stamps of dated messages), and `eyelog import` and `eyelog replay` read them.
"""

import asyncio
import csv
import gzip
import io
import os
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any, Final
from urllib.parse import unquote

import msgspec
import numpy as np
import pyarrow as pa
from filelock import FileLock, Timeout
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidHandshake, InvalidURI, WebSocketException

from eyelog.archive.intake import OTHER_KIND, import_files
from eyelog.archive.place import check_account
from eyelog.archive.store import Archive, place_of
from eyelog.catalogue import known_logs, log_named
from eyelog.clock import Zone
from eyelog.decode import UNFIT
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError
from eyelog.home import make_folders, sync_folder, whole_file
from eyelog.read.files import input_files, opened
from eyelog.read.format import find_header
from eyelog.read.saved import MOST_KEYS, RECEIVED, SocketLog, kind_of_keys
from eyelog.read.stamps import NEVER, StampReader

OTHER: Final = "other"
"""The kind of messages that belong to no log: head motion, the phone's activity, and others."""

MOST_PER_SECOND: Final = 200
"""Messages per second of a connection, read no faster: the sender waits and no row is lost."""

# The reader of the files decodes a line in the same way, so what passes here passes there.
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode
_as_sent: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class MalformedMessage(ArchiveError):
    """A message that is not a JSON object of an app."""


class MessageLine(msgspec.Struct, frozen=True):
    """A message: its kind (a log, or `OTHER`), its values, when it arrived, and its line."""

    kind: str
    values: dict[str, Any]
    received: datetime
    line: bytes


class Messages:
    """The messages of one connection.

    Each has a stamp of its own, later than the one before, because the records of a log are
    distinguished by their stamps.
    """

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._last = datetime.min.replace(tzinfo=UTC)
        self._kinds: dict[tuple[str, ...], str] = {}

    def take(self, data: bytes) -> MessageLine | None:
        """Return the line of a message, or None for a heartbeat.

        Raises
        ------
        MalformedMessage
            If it is not a JSON object, or has more keys than a reader accepts, or other ones.
        """
        try:
            values = _decode(data)
            kept = {name: each for name, each in _as_sent(data).items() if name != RECEIVED}
        except (ValueError, RecursionError) as fault:
            raise MalformedMessage("it is not a JSON object") from fault
        values.pop(RECEIVED, None)
        kind = self._kind(tuple(values))
        if not kind:
            return None
        received = self._last = max(self._now(), self._last + timedelta(microseconds=1))
        stamp = msgspec.Raw(msgspec.json.encode(received.isoformat()))
        # The values stay as they were sent; line ends in JSON are only white space.
        line = msgspec.json.encode({RECEIVED: stamp, **kept})
        line = line.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n"
        return MessageLine(kind, values, received, line)

    def _kind(self, keys: tuple[str, ...]) -> str:
        if keys not in self._kinds:
            # With its stamp, a message has one key more.
            if not keys or len(keys) >= MOST_KEYS or len(self._kinds) >= MOST_KEYS:
                raise MalformedMessage("it has no keys, or too many different ones")
            kind = kind_of_keys(keys)
            self._kinds[keys] = kind if not kind or kind in known_logs() else OTHER
        return self._kinds[keys]


_FOLDER: Final = ".live"  # hidden: Parquet tools skip it
_ENDING: Final = ".jsonl"
_LARGEST: Final = 16 << 20
_KEY: Final = "account="


def locked_recordings(archive: Archive) -> FileLock:
    """Return a lock, taken, that keeps another program from importing files being written.

    Raises
    ------
    ConfigurationError
        If the archive is not a local one, or another program listens into it.
    """
    if not place_of(archive).local:
        raise ConfigurationError(f"only a local archive can be listened into, not {archive.path}")
    folder = Path(archive.path) / _FOLDER
    make_folders(folder)
    lock = FileLock(folder / ".lock", mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise ConfigurationError(
            f"another eyelog listen writes into the archive {archive.path}: stop it, or let it"
            " serve these glasses too (--device NAME=ACCOUNT)"
        ) from None
    for leftover in folder.glob(f"{_KEY}*/.*.tmp"):  # of a program that was killed while packing
        leftover.unlink(missing_ok=True)
    return lock


class Recording:
    """What one connection sends, in one file for each kind of message.

    Attributes
    ----------
    longest_wait_s : float
        The longest time from a message to the disk so far.
    """

    def __init__(self, archive: Archive, account: str, number: int) -> None:
        self._folder = Path(archive.path) / _FOLDER / f"{_KEY}{check_account(account)}"
        self._number = number
        self._files: dict[str, _File] = {}
        self._lock = Lock()  # files are secured by another thread
        self.longest_wait_s = 0.0

    def add(self, kind: str, line: bytes) -> Path | None:
        """Write a message; return the file if the message completes it.

        Raises
        ------
        OSError
            If it cannot be written; the file then ends before it.
        """
        file = self._files.get(kind)
        if file is None:
            make_folders(self._folder)
            name = f"{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}-{self._number}-{kind}{_ENDING}"
            file = _File(self._folder / name)
            with self._lock:
                self._files[kind] = file
        file.add(line)
        if file.size < _LARGEST:
            return None
        with self._lock:
            self._finish(kind)
        return file.path

    def secure(self) -> None:
        """Secure on the disk what has been written."""
        with self._lock:
            for file in self._files.values():
                self.longest_wait_s = max(self.longest_wait_s, file.secure())

    def close(self) -> list[Path]:
        """Close the files, and return them."""
        with self._lock:
            paths = [file.path for file in self._files.values()]
            for kind in list(self._files):
                self._finish(kind)
        return paths

    def _finish(self, kind: str) -> None:
        file = self._files.pop(kind)
        try:
            self.longest_wait_s = max(self.longest_wait_s, file.secure())
        finally:
            os.close(file.handle)


class _File:
    """One file that only grows, for its owner alone."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o600)
        sync_folder(path.parent)
        self.size = 0
        self._since: float | None = None  # the first message that is not secured yet

    def add(self, line: bytes) -> None:
        self._since = self._since or time.monotonic()
        try:
            written = os.write(self.handle, line)
            if written < len(line):  # the disk has just become full
                os.write(self.handle, line[written:])
        except OSError:
            os.ftruncate(self.handle, self.size)
            raise
        self.size += len(line)

    def secure(self) -> float:
        """Return the seconds for which a message has waited."""
        since, self._since = self._since, None
        if since is None:
            return 0.0
        os.fsync(self.handle)
        return time.monotonic() - since


def waiting_files(archive: Archive) -> Iterator[Path]:
    """Yield the files that are not imported yet, oldest first."""
    folder = Path(archive.path) / _FOLDER
    yield from sorted(folder.glob(f"{_KEY}*/*{_ENDING}"), key=lambda path: path.name)


def account_of(path: Path) -> str:
    """Return the account whose messages a file has."""
    return unquote(path.parent.name.removeprefix(_KEY))


def import_recording(archive: Archive, path: Path, *, tz: Zone | None = None) -> str:
    """Import a complete file and pack it; return a line that says what happened to it.

    If the archive cannot be written now (it is locked, or the disk is full), the file waits for the
    next start. A refused file is packed too, and the line says where it is.
    """
    account, packed = account_of(path), path.with_name(f"{path.name}.gz")
    of_a_log = not path.name.endswith(f"-{OTHER}{_ENDING}")
    try:
        (report,) = import_files(archive, [path], account=account, tz=tz)
    except ConfigurationError as error:
        line = f"refused for {account}: {packed} ({error})"
    except (EyelogError, OSError) as error:
        return f"waits for the next start: {path} ({error})"
    else:
        rows = "rows" if of_a_log else "events"
        line = f"imported into {account}: {report.kept:,} of {report.read:,} {rows}"
        if report.status in ("refused", OTHER_KIND):
            line = f"refused for {account}: {packed} ({report.reason})"
            if not of_a_log:
                line = f"kept for {account}: messages of other kinds in {packed}"
    try:
        with (
            path.open("rb") as source,
            whole_file(packed) as sink,
            gzip.GzipFile(fileobj=sink, mode="wb", filename="", mtime=0) as wrapped,
        ):
            shutil.copyfileobj(source, wrapped)
        path.unlink()
        sync_folder(path.parent)
    except OSError as error:
        return f"waits for the next start: {path} ({error.strerror})"
    return line


_TIMES: Final = ("date", RECEIVED)
_TRUTH: Final = {"true": True, "false": False}

Message = dict[str, Any]


def messages_of(path: Path) -> tuple[list[Message], "np.ndarray"]:
    """Return the messages of a recording without their stamps, and when each was made.

    Parameters
    ----------
    path : Path
        A CSV file of the app, or JSON lines of its WebSocket; either may be packed with gzip.

    Returns
    -------
    messages : list of dict
        In the order of the file.
    seconds : ndarray of float
        Since the first of them. A message without a stamp follows the one before by one interval of
        its log.

    Raises
    ------
    EyelogError
        If the file cannot be read, or is neither.
    """
    content = _content(path)
    if SocketLog.recognises(content[:256].lstrip()):
        rows = list(_from_lines(content, path))
    else:
        rows = list(_from_csv(content))
    if not rows:
        raise ConfigurationError(f"{path} has no messages to send")
    dates = [
        next((row[key] for key in _TIMES if isinstance(row.get(key), str)), None) for row in rows
    ]
    stamps, _ = StampReader("UTC").read(pa.chunked_array([pa.array(dates, pa.string())]))
    kind = kind_of_keys(rows[0])
    interval = log_named(kind).interval_s if kind in known_logs() else 0.05
    stamped = stamps != NEVER
    steps = np.where(stamped[1:] & stamped[:-1], np.diff(stamps) / 1e6, interval)
    seconds = np.cumsum(np.append(0.0, np.maximum(steps, 0)))
    return [{key: row[key] for key in row if key not in _TIMES} for row in rows], seconds


def _content(path: Path) -> bytes:
    files = list(input_files([path]))
    if len(files) != 1:
        raise ConfigurationError(f"replay takes one file, and {path} has {len(files)}")
    with opened(files[0]) as source:
        return source.text()


def _from_lines(content: bytes, path: Path) -> Iterator[Message]:
    decode = msgspec.json.Decoder(Message).decode
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            yield decode(line)
        except UNFIT:
            if number <= content.count(b"\n"):  # otherwise the last line is truncated
                raise ConfigurationError(
                    f"{path}, line {number}: it is not a JSON object"
                ) from None


def _from_csv(content: bytes) -> Iterator[Message]:
    header = find_header(content)
    text = content[header.end :].decode("utf-8", "replace")
    for cells in csv.reader(io.StringIO(text), delimiter=header.delimiter):
        row = dict(zip(header.cells, map(str.strip, cells), strict=False))
        if any(row.values()):
            yield {
                key: cell if key in _TIMES else _value(cell) for key, cell in row.items() if cell
            }


def _value(cell: str) -> Any:
    """Return what a cell says: a number, true or false, otherwise its text."""
    if cell.lower() in _TRUTH:
        return _TRUTH[cell.lower()]
    for number in (int, float):
        try:
            value = number(cell)
        except ValueError:
            continue
        return value if np.isfinite(value) else cell
    return cell


async def replay(
    path: Path,
    to: str,
    *,
    speed: float = 1.0,
) -> int:
    """Send the messages of a recording to a server, with their original pauses.

    Parameters
    ----------
    path : Path
        As `messages_of` takes it.
    to : str
        The address, ``ws://`` or ``wss://``.
    speed : float
        How many times faster than they were made; at most 200 per second, which is what `eyelog
        listen` accepts.

    Returns
    -------
    int
        The number of messages.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, or the speed or the address is not valid.
    EyelogError
        If the server does not answer, or ends the connection.
    """
    if not 0 < speed < float("inf"):
        raise ConfigurationError(f"a speed is a number above 0, not {speed:g}")
    messages, seconds = await asyncio.to_thread(messages_of, path)
    try:
        # The end of the connection waits until the server has taken everything.
        async with connect(
            to, compression=None, proxy=None, ping_interval=None, close_timeout=None
        ) as connection:
            clock = asyncio.get_running_loop().time
            start = clock()
            soonest = np.arange(len(messages)) / MOST_PER_SECOND
            due = start + np.maximum(seconds / speed, soonest)
            for message, at in zip(messages, due.tolist(), strict=True):
                await asyncio.sleep(max(0.0, at - clock()))
                await connection.send(msgspec.json.encode(message).decode())
    except InvalidURI as error:
        raise ConfigurationError(f"{to!r} is not an address such as ws://127.0.0.1:5000") from error
    except (OSError, InvalidHandshake, WebSocketException) as error:
        raise EyelogError(
            f"cannot send to {to} ({error}): is eyelog listen running there?"
        ) from error
    return len(messages)
