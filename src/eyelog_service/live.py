"""A WebSocket server that the app sends to: it writes what arrives, and imports it; and a sender.

A connection's account is the one its glasses are labelled with: by their address, the last part of
the path, or the `id` of the first message. Glasses without a label go into the account of the
program; if another connection is using that account, into one of their own (``anna-2``), so that
two wearers are never mixed and no row is lost.

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
import hmac
import io
import logging
import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from ssl import SSLContext
from threading import Lock
from typing import Any, BinaryIO, Final
from urllib.parse import unquote

import msgspec
import numpy as np
import pyarrow as pa
from filelock import FileLock, Timeout
from websockets.asyncio.client import connect
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI, WebSocketException
from websockets.http11 import Request, Response
from websockets.protocol import State

from eyelog.archive.intake import OTHER_KIND, import_files
from eyelog.archive.place import check_account
from eyelog.archive.store import Archive, place_of
from eyelog.catalogue import known_logs, log_named
from eyelog.clock import Zone
from eyelog.decode import UNFIT
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError
from eyelog.home import is_full, make_folders, sync_folder, whole_file
from eyelog.read.files import input_files, opened
from eyelog.read.format import find_header
from eyelog.read.saved import MOST_KEYS, RECEIVED, SocketLog, kind_of_keys
from eyelog.read.stamps import NEVER, StampReader
from eyelog_service.app import serving_in_thread
from eyelog_service.live_page import Recent, page_app

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
        self._files: dict[str, BinaryIO] = {}
        self._since: dict[str, float] = {}  # when the first message came that is not secured yet
        self._lock = Lock()  # files are secured by another thread
        self.longest_wait_s = 0.0

    def add(self, kind: str, line: bytes) -> Path | None:
        """Write a message; return the file if the message completes it.

        Raises
        ------
        OSError
            If it cannot be written; the file then ends before it.
        """
        file = self._files.get(kind) or self._begin(kind)
        size = file.tell()
        self._since.setdefault(kind, time.monotonic())
        try:
            written = file.write(line)
            if written < len(line):  # the disk has just become full
                file.write(line[written:])
        except OSError:
            file.truncate(size)
            raise
        return self._finish([kind])[0] if file.tell() >= _LARGEST else None

    def _begin(self, kind: str) -> BinaryIO:
        make_folders(self._folder)
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}-{self._number}-{kind}{_ENDING}"
        path = self._folder / name
        path.touch(0o600, exist_ok=False)
        sync_folder(self._folder)
        with self._lock:
            self._files[kind] = path.open("ab", buffering=0)
        return self._files[kind]

    def secure(self) -> None:
        """Secure on the disk what has been written."""
        with self._lock:
            for kind, file in self._files.items():
                self._secure(kind, file)

    def _secure(self, kind: str, file: BinaryIO) -> None:
        since = self._since.pop(kind, None)
        if since is not None:
            os.fsync(file.fileno())
            self.longest_wait_s = max(self.longest_wait_s, time.monotonic() - since)

    def close(self) -> list[Path]:
        """Close the files, and return them."""
        return self._finish(list(self._files))

    def _finish(self, kinds: list[str]) -> list[Path]:
        paths = []
        with self._lock:
            for kind in kinds:
                with self._files.pop(kind) as file:
                    self._secure(kind, file)
                paths.append(Path(file.name))
        return paths


def import_recording(archive: Archive, path: Path, *, tz: Zone | None = None) -> str:
    """Import a complete file and pack it; return a line that says what happened to it.

    If the archive cannot be written now (it is locked, or the disk is full), the file waits for the
    next start. A refused file is packed too, and the line says where it is.
    """
    account = unquote(path.parent.name.removeprefix(_KEY))
    packed = path.with_name(f"{path.name}.gz")
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
    files = list(input_files([path]))
    if len(files) != 1:
        raise ConfigurationError(f"replay takes one file, and {path} has {len(files)}")
    with opened(files[0]) as source:
        content = source.text()
    is_saved = SocketLog.recognises(content[:256].lstrip())
    rows = [*(_saved_lines(content, path) if is_saved else _csv_rows(content))]
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


def _saved_lines(content: bytes, path: Path) -> Iterator[Message]:
    lines = content.split(b"\n")
    for number, line in enumerate(lines, 1):
        try:
            if line.strip():
                yield _decode(line)
        except UNFIT:
            if number < len(lines):  # otherwise it is truncated
                raise ConfigurationError(f"{path}, line {number}: not a JSON object") from None


def _csv_rows(content: bytes) -> Iterator[Message]:
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
    for read in (int, float):
        with suppress(ValueError):
            value = read(cell)
            return value if np.isfinite(value) else cell
    return {"true": True, "false": False}.get(cell.lower(), cell)


async def replay(path: Path, to: str, *, speed: float = 1.0) -> int:
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


LARGEST_MESSAGE: Final = 64 << 10
MOST_CONNECTIONS: Final = 32
HANDSHAKE_S: Final = 10.0
_SECURED_EVERY_S: Final = 0.4
_ALIVE_S: Final = 2.0
_SHOWN: Final = 300

# A client that does not speak the protocol is not worth a message.
_quiet: Final = logging.Logger("quiet")
_quiet.addHandler(logging.NullHandler())


@dataclass
class _Sender:
    """One connection and what it has sent."""

    connection: ServerConnection
    number: int
    address: str
    name: str  # the last part of its path
    account: str = ""
    recording: Recording | None = None
    kinds: Counter[str] = field(default_factory=Counter)
    malformed: int = 0
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def who(self) -> str:
        return f"{self.account or 'nobody yet'} ({self.address})"


class Listener:
    """A server for the app's WebSocket.

    Parameters
    ----------
    archive : Archive
        A local one; what arrives goes into its folder ``.live``, and from there into the archive.
    account : str
        Whose messages arrive, unless a label says otherwise.
    devices : mapping of str to str
        The account of each label: an address, the last part of a path, or the ``id`` of a message.
    secret : str
        The path that a sender must know; every path if empty.
    tz : str, Zones, or a table or .csv file of zones, optional
        As `import_files` takes it.
    dry_run : bool
        Show the first message of each kind, and write nothing.
    say : callable
        Takes the lines that report what happens.
    """

    def __init__(
        self,
        archive: Archive,
        *,
        account: str = "me",
        devices: Mapping[str, str] | None = None,
        secret: str = "",
        tz: Zone | None = None,
        dry_run: bool = False,
        say: Callable[[str], object] = print,
    ) -> None:
        self._archive, self._account, self._tz = archive, account, tz
        self._devices = dict(devices or {})
        for name in (account, *self._devices.values()):
            check_account(name)
        self._secret = secret.strip("/")
        if "/" in self._secret:
            raise ConfigurationError(f"a secret path is one word without '/', not {secret!r}")
        self._dry_run = dry_run
        self._say = say
        self._open: dict[int, _Sender] = {}
        self._last_of: dict[str, str] = {}  # the account of an address that has no label
        self._complete: asyncio.Queue[Path | None] = asyncio.Queue()
        self._connections = self._handshakes = 0
        self._longest_wait_s = 0.0
        self._recent = {account: Recent(archive, account)}
        self._page = page_app(archive, account, self._recent, keeps_diary=not dry_run)

    async def run(
        self,
        host: str = "127.0.0.1",
        port: int = 5000,
        *,
        tls: SSLContext | None = None,
        started: Callable[[int, str], object] = lambda *_: None,
        stop: asyncio.Event | None = None,
    ) -> None:
        """Listen until SIGINT, SIGTERM or `stop`; then import what has arrived.

        `started` is called with the port and the address of the page when the server listens.

        Raises
        ------
        ConfigurationError
            If the archive is not local, another program listens into it, or the address cannot be
            used.
        """
        stop = stop or asyncio.Event()
        lock = None if self._dry_run else locked_recordings(self._archive)
        try:
            waiting = Path(self._archive.path, _FOLDER).glob(f"{_KEY}*/*{_ENDING}")
            for path in [] if self._dry_run else sorted(waiting, key=lambda path: path.name):
                self._complete.put_nowait(path)
            loop = asyncio.get_running_loop()
            for each in (signal.SIGINT, signal.SIGTERM):
                with suppress(NotImplementedError, RuntimeError, ValueError):  # not the main thread
                    loop.add_signal_handler(each, stop.set)
            # Starting and ending the page hold this loop up: nothing is received then.
            with serving_in_thread(self._page, "page", (port and port + 1, 0)) as page:
                try:
                    server = await self._serve(host, port, tls)
                except OSError as error:
                    raise ConfigurationError(
                        f"cannot listen at {host}, port {port} ({error.strerror or error}): choose"
                        " another --port or --host"
                    ) from error
                importing = asyncio.create_task(self._import())
                securing = asyncio.create_task(self._secure())
                at = next(iter(server.sockets)).getsockname()[1]
                try:
                    started(at, page)
                    await stop.wait()
                finally:
                    self._say("stopping: importing what has come")
                    server.close()
                    await server.wait_closed()
                    securing.cancel()
                    self._complete.put_nowait(None)
                    await importing
                    if self._longest_wait_s:
                        self._say(
                            f"longest time from a message to the disk: {self._longest_wait_s:.2f} s"
                        )
        finally:
            if lock is not None:
                lock.release()

    async def _serve(self, host: str, port: int, tls: SSLContext | None) -> Server:
        listener = self

        class Bounded(ServerConnection):
            """A connection that counts from its first byte on, so that silent ones are bounded."""

            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                listener._handshakes += 1
                super().connection_made(transport)
                if listener._handshakes > 2 * MOST_CONNECTIONS:
                    self.transport.abort()

            def connection_lost(self, exc: Exception | None) -> None:
                listener._handshakes -= 1
                super().connection_lost(exc)

        return await serve(
            self._receive,
            host,
            port,
            ssl=tls,
            create_connection=Bounded,
            process_request=self._admit,
            compression=None,
            open_timeout=HANDSHAKE_S,
            ping_timeout=60,  # an answer arrives after what a fast sender has sent before
            close_timeout=2,
            max_size=LARGEST_MESSAGE,
            server_header=None,
            logger=_quiet,
        )

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        """Refuse a request that is one too many, lacks the secret, or comes from a web page."""
        origin, host = request.headers.get("Origin"), request.headers.get("Host", "")
        if origin is not None and origin.partition("://")[2].lower() != host.lower():
            return connection.respond(HTTPStatus.FORBIDDEN, "not from a web page\n")
        first = _words_of(request)[0]
        if self._secret and not hmac.compare_digest(first.encode(), self._secret.encode()):
            return connection.respond(HTTPStatus.NOT_FOUND, "not here\n")
        if len(self._open) >= MOST_CONNECTIONS:
            return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "too many connections\n")
        return None

    async def _receive(self, connection: ServerConnection) -> None:
        """Take the messages of one connection until it ends."""
        self._connections += 1
        address = str((connection.remote_address or ("unknown",))[0])
        name = _words_of(connection.request)[-1] if connection.request else ""
        sender = _Sender(connection, self._connections, address, name)
        self._open[sender.number] = sender
        if len(self._open) > MOST_CONNECTIONS:  # two arrived at the same moment
            del self._open[sender.number]
            await connection.close(1013, "too many connections")
            return
        messages, now = Messages(), asyncio.get_running_loop().time
        due = now() - 1.0
        try:
            while True:
                if connection.state is State.OPEN:  # otherwise nothing more arrives
                    due = max(due + 1 / MOST_PER_SECOND, now() - 1.0)  # a second's worth at once
                    await asyncio.sleep(due - now())
                await self._take(sender, messages, await connection.recv(decode=False))
        except ConnectionClosed as closed:
            if closed.sent is not None and closed.sent.code == 1009:
                sender.malformed += 1
        except OSError as error:
            advice = "make room" if is_full(error) else "look at the disk"
            self._say(f"cannot write what {sender.who} sends ({error.strerror}): {advice}")
            await connection.close(1011, "cannot write")
        finally:
            del self._open[sender.number]
            sender.ended.set()
            self._end(sender)

    async def _take(self, sender: _Sender, messages: Messages, data: bytes) -> None:
        try:
            message = messages.take(data)
        except MalformedMessage as fault:
            sender.malformed += 1
            if sender.account:
                self._recent[sender.account].malformed += 1
            if sender.malformed == 1:
                self._say(f"malformed message from {sender.who}: {fault}")
            return
        if message is None:
            return
        if not sender.account:
            await self._assign(sender, message)
        if not sender.kinds[message.kind]:
            self._say(f"{message.kind} from {sender.who}")
            if self._dry_run:
                self._say(data[:_SHOWN].decode("utf-8", "replace"))
        sender.kinds[message.kind] += 1
        self._recent[sender.account].add(message)
        if sender.recording is not None:
            complete = sender.recording.add(message.kind, message.line)
            if complete is not None:
                self._complete.put_nowait(complete)

    async def _assign(self, sender: _Sender, message: MessageLine) -> None:
        """Find the account of a connection when its first message has arrived."""
        labels = (sender.address, sender.name, str(message.values.get("id", "")))
        label = next((each for each in labels if each in self._devices), "")
        wanted = self._devices.get(label) or self._last_of.get(sender.address) or self._account
        before = self._user_of(wanted)
        if before is not None and before.address == sender.address:
            # The phone has reconnected; its old connection may only seem to be alive.
            try:
                await asyncio.wait_for(await before.connection.ping(), _ALIVE_S)
            except (TimeoutError, ConnectionClosed):
                before.connection.transport.abort()
                await before.ended.wait()
        sender.account = self._unused(wanted, sender)
        if sender.account not in self._recent:
            self._recent[sender.account] = Recent(self._archive, sender.account)
        if not label:
            self._last_of[sender.address] = sender.account
        if sender.account != wanted:
            self._say(
                f"warning: other glasses are sending into {wanted!r}, so those at {sender.address}"
                f" go into an account of their own, {sender.account!r}: to choose it, start again"
                f" with --device {sender.address}=ACCOUNT"
            )
        if not self._dry_run:
            sender.recording = Recording(self._archive, sender.account, sender.number)

    def _user_of(self, account: str) -> _Sender | None:
        return next((each for each in self._open.values() if each.account == account), None)

    def _unused(self, wanted: str, sender: _Sender) -> str:
        """Return the account, or the first after it that no other glasses use or have used."""
        taken = {name for at, name in self._last_of.items() if at != sender.address}
        if wanted not in taken and self._user_of(wanted) is None:
            return wanted
        taken |= {*self._devices.values(), wanted}
        names = (f"{wanted}-{number}" for number in range(2, 10_000))
        return next(name for name in names if name not in taken and self._user_of(name) is None)

    def _end(self, sender: _Sender) -> None:
        """Report what a connection has sent, and let its files be imported."""
        if sender.recording is not None:
            try:
                paths = sender.recording.close()
            except OSError as error:
                self._say(f"cannot secure what {sender.who} sent ({error.strerror})")
                paths = []  # the next start imports what is left
            for path in paths:
                self._complete.put_nowait(path)
            self._longest_wait_s = max(self._longest_wait_s, sender.recording.longest_wait_s)
        counts = ", ".join(f"{count:,} {kind}" for kind, count in sorted(sender.kinds.items()))
        self._say(f"end of {sender.who}: {counts or 'no data'}, {sender.malformed:,} malformed")

    async def _secure(self) -> None:
        """Repeatedly secure on the disk what has arrived."""
        while True:
            await asyncio.sleep(_SECURED_EVERY_S)
            recordings = [each.recording for each in self._open.values() if each.recording]
            try:
                for recording in recordings:
                    await asyncio.to_thread(recording.secure)
            except OSError as error:
                self._say(f"cannot secure what has come ({error.strerror}): look at the disk")

    async def _import(self) -> None:
        """Import the complete files, one after the other."""
        while (path := await self._complete.get()) is not None:
            self._say(await asyncio.to_thread(import_recording, self._archive, path, tz=self._tz))


def _words_of(request: Request) -> list[str]:
    """Return the parts of a request's path, at least one."""
    return unquote(request.path.partition("?")[0]).strip("/").split("/")
