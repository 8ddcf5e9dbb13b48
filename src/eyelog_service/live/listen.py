"""A WebSocket server that the app sends to: it writes what arrives, and imports it.

A connection's account is the one its glasses are labelled with: by their address, the last part of
the path, or the `id` of the first message. Glasses without a label go into the account of the
program; if another connection is using that account, into one of their own (``anna-2``), so that
two wearers are never mixed and no row is lost.
"""

import asyncio
import hmac
import io
import ipaddress
import logging
import signal
import socket
import ssl
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from ssl import SSLContext
from typing import Any, Final
from urllib.parse import quote, unquote

import segno
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.protocol import State

from eyelog.archive.place import check_account
from eyelog.archive.store import Archive
from eyelog.clock import Zone
from eyelog.errors import ConfigurationError
from eyelog.home import is_full
from eyelog_service.live.live_page import LivePage, Recent
from eyelog_service.live.recording import (
    MOST_PER_SECOND,
    MalformedMessage,
    MessageLine,
    Messages,
    Recording,
    import_recording,
    locked_recordings,
    waiting_files,
)

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
        self._archive = archive
        self._account = account
        self._devices = dict(devices or {})
        for name in (account, *self._devices.values()):
            check_account(name)
        self._secret = secret.strip("/")
        if "/" in self._secret:
            raise ConfigurationError(f"a secret path is one word without '/', not {secret!r}")
        self._tz = tz
        self._dry_run = dry_run
        self._say = say
        self._open: dict[int, _Sender] = {}
        self._last_of: dict[str, str] = {}  # the account of an address that has no label
        self._complete: asyncio.Queue[Path | None] = asyncio.Queue()
        self._connections = 0
        self._handshakes = 0
        self._longest_wait_s = 0.0
        self._recent: dict[str, Recent] = {}
        self._page = LivePage(archive, account, self._recent, keeps_diary=not dry_run)

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
            for path in [] if self._dry_run else waiting_files(self._archive):
                self._complete.put_nowait(path)
            try:
                server = await self._serve(host, port, tls)
            except OSError as error:
                raise ConfigurationError(
                    f"cannot listen at {host}, port {port} ({error.strerror or error}): choose"
                    " another --port or --host"
                ) from error
            loop = asyncio.get_running_loop()
            for each in (signal.SIGINT, signal.SIGTERM):
                with suppress(NotImplementedError, RuntimeError, ValueError):  # not the main thread
                    loop.add_signal_handler(each, stop.set)
            importing = asyncio.create_task(self._import())
            securing = asyncio.create_task(self._secure())
            try:
                at = next(iter(server.sockets)).getsockname()[1]
                started(at, self._page.start(port and at + 1))
                await stop.wait()
            finally:
                self._page.stop()
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
        messages, budget = Messages(), _Budget()
        try:
            while True:
                if connection.state is State.OPEN:  # otherwise nothing more arrives
                    await budget.wait()
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
        self._recent.setdefault(sender.account, Recent()).add(message)
        if sender.recording is not None:
            complete = sender.recording.add(message.kind, message.line)
            if complete is not None:
                self._complete.put_nowait(complete)

    async def _assign(self, sender: _Sender, message: MessageLine) -> None:
        """Find the account of a connection when its first message has arrived."""
        labels = (sender.address, sender.name, str(message.values.get("id", "")))
        label = next((each for each in labels if each in self._devices), None)
        if label is not None:
            wanted = self._devices[label]
        else:
            wanted = self._last_of.get(sender.address) or self._account
        before = self._user_of(wanted)
        if before is not None and before.address == sender.address:
            # The phone has reconnected; its old connection may only seem to be alive.
            await _end_if_dead(before)
        sender.account = self._unused(wanted, sender)
        if label is None:
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
        of_others = {name for at, name in self._last_of.items() if at != sender.address}
        labelled = set(self._devices.values())
        names = (wanted, *(f"{wanted}-{number}" for number in range(2, 10_000)))
        return next(
            name
            for name in names
            if self._user_of(name) is None
            and name not in of_others
            and (name == wanted or name not in labelled)
        )

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


async def _end_if_dead(sender: _Sender) -> None:
    """End a connection that does not answer, and wait until its account is free."""
    try:
        await asyncio.wait_for(await sender.connection.ping(), _ALIVE_S)
    except (TimeoutError, ConnectionClosed):
        sender.connection.transport.abort()
        await sender.ended.wait()


class _Budget:
    """How many messages of a connection may be read now: a number per second, as many at once."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._left = float(MOST_PER_SECOND)
        self._at = now()

    async def wait(self, sleep: Callable[[float], Any] = asyncio.sleep) -> None:
        """Wait until one more may be read."""
        now = self._now()
        self._left = min(MOST_PER_SECOND, self._left + (now - self._at) * MOST_PER_SECOND)
        self._at = now
        if self._left < 1:
            await sleep((1 - self._left) / MOST_PER_SECOND)
            self._left, self._at = 1.0, self._now()
        self._left -= 1


def is_this_machine(host: str) -> bool:
    """Return whether only programs of this machine reach a server at this host.

    Examples
    --------
    >>> is_this_machine("127.0.0.1"), is_this_machine("localhost"), is_this_machine("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def address_of(host: str, port: int, path: str = "", *, tls: bool = False) -> str:
    """Return the address of a server as a phone calls it.

    A server at all addresses of this machine (``0.0.0.0``) is shown at its address in the network.

    Examples
    --------
    >>> address_of("192.168.0.1", 5000, tls=True)
    'wss://192.168.0.1:5000'
    >>> address_of("::1", 5000, "secret")
    'ws://[::1]:5000/secret'
    """
    if host in ("0.0.0.0", "::", ""):  # noqa: S104  # it is compared, and not bound
        host = _own_address()
    shown = f"[{host}]" if ":" in host else host
    return f"{'wss' if tls else 'ws'}://{shown}:{port}{'/' if path else ''}{quote(path)}"


def _own_address() -> str:
    """Return the address of this machine in its network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address reserved for documentation
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()


def qr_code(address: str, *, encoding: str | None = "utf-8") -> str:
    """Return the QR code of an address as text; nothing if the encoding has no blocks for it."""
    out = io.StringIO()
    segno.make(address, micro=False).terminal(out, compact=True)
    text = out.getvalue()
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ""
    return text


def tls_context(cert: Path, key: Path | None) -> ssl.SSLContext:
    """Return what a server needs for ``wss://``.

    Raises
    ------
    ConfigurationError
        If the certificate or its key cannot be read.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(cert, key, password=lambda: "")
    except (OSError, ssl.SSLError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ConfigurationError(
            f"cannot use the certificate {cert} ({reason}): give a PEM file with --tls-cert, and"
            " its key without a password with --tls-key"
        ) from error
    return context
