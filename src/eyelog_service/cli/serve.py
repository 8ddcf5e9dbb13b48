"""The commands that serve an archive, receive and send live, and send files; and the settings.

A setting has one name: ``--page-size`` as an option, ``EYELOG_SERVICE_PAGE_SIZE`` in the
environment, and ``page-size`` in the file. An option comes before the environment, the environment
before the file, the file before the default.
"""

import getpass
import io
import os
import re
import shlex
import socket
import ssl
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import click

from eyelog.catalogue import near
from eyelog.cli.command import command
from eyelog.cli.output import note, print_json
from eyelog.cli.source import open_archive
from eyelog.errors import ConfigurationError, RequestError
from eyelog.home import home_dir
from eyelog_service import require

if TYPE_CHECKING:
    from eyelog.archive.store import Archive
    from eyelog_service.grants import Registry
    from eyelog_service.push import Pushed


service = click.Group(
    "service",
    help="Manage the service: accounts, applications, tokens."
    "\n\nA running service notices every change within a second. What is changed here is written to"
    " the audit log beside the state.",
)
action = partial(command, of=service)
"""Make a function a command of the operator."""


def noted(registry: "Registry", event: str, **what: Any) -> None:
    """Write what the operator did to the audit log."""
    from eyelog_service.audit import Audit

    try:
        operator = getpass.getuser()
    except (KeyError, OSError, ImportError):  # a user without a name
        operator = None
    Audit(registry.state_folder).write(f"admin.{event}", operator=operator, **what)


class Size(click.ParamType):  # type: ignore[type-arg] # generic only since click 8.5
    """A number of bytes such as 2GB."""

    name = "SIZE"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """Return the bytes of a size."""
        form = re.compile(r"(\d+(?:\.\d+)?) *([kMGT]?)B?", re.IGNORECASE | re.ASCII)
        match = form.fullmatch(str(value).strip())
        if match is None:
            self.fail(f"{value!r} is not a size such as 500MB or 2GB", param, ctx)
        return int(float(match[1]) * 1000 ** " KMGT".index(match[2].upper() or " "))


PREFIX: Final = "EYELOG_SERVICE_"
_CONFIG: Final = f"{PREFIX}CONFIG"


def setting(kind: Any, default: Any = None, **more: Any) -> Any:
    """Return a field of a setting: an option that is None where another place, or none, says it."""
    return field(default=None, metadata={"type": kind, "otherwise": default, **more})


@dataclass(frozen=True)
class Places:
    """Where a service keeps its data: options of its commands, None where an option is not given.

    Parameters
    ----------
    archive : DIR
        The archive.  [default: archive in EYELOG_HOME]
    state : DIR
        Folder of the service's state, or postgresql://USER@HOST/NAME for several hosts.
        [default: the archive's folder]
    local : DIR
        With a database: folder of this host for its logs and what comes in.
        [default: the archive's folder]
    config : FILE
        A settings file such as eyelog.toml.  [default: EYELOG_SERVICE_CONFIG, else none]
    """

    archive: str | None = setting(click.Path())
    state: str | None = setting(click.Path())
    local: str | None = setting(click.Path())
    config: Path | None = None

    @cached_property
    def in_force(self) -> dict[str, tuple[Any, str]]:
        """Return the value of each setting, and where it comes from.

        Returns
        -------
        dict of str to (value, origin)
            In the order of `Serving`. The origin is an option, a name of the environment, a file,
            or the word ``default``.

        Raises
        ------
        ConfigurationError
            If the file cannot be read, or has a setting that does not exist or cannot be used;
            likewise the environment.
        """
        path = str(self.config or os.environ.get(_CONFIG, "").strip())
        found = {name: (each.metadata["otherwise"], "default") for name, each in SETTINGS.items()}
        for name, text, origin in (*_from_file(path), *_from_environment()):
            try:
                found[name] = SETTINGS[name].metadata["type"].convert(text, None, None), origin
            except click.BadParameter as fault:
                raise ConfigurationError(f"{origin}: {name}: {fault.message}") from None
        for name, each in SETTINGS.items():
            if (value := getattr(self, each.name, None)) is not None:
                found[name] = value, f"--{name}"
        return found

    def __getitem__(self, name: str) -> Any:
        return self.in_force[name][0]

    @property
    def archive_path(self) -> Path | str:
        """The folder of the archive, or its URL in an object store."""
        if "://" in (self["archive"] or ""):
            return str(self["archive"])
        folder = Path(self["archive"]).expanduser() if self["archive"] else home_dir() / "archive"
        return Path(os.path.abspath(folder))  # noqa: PTH100 (as the archive does: links stay)

    def open_archive(self) -> "Archive":
        """Return the archive."""
        from eyelog.archive.store import Archive

        return Archive(self.archive_path)

    def named_state(self) -> str | None:
        """Return the folder or the database of the state, after a word about a password in it."""
        state, origin = self.in_force["state"]
        if state is not None:
            warn_of_password(state, origin)
        return None if state is None else str(state)

    def registry(self, *, existing: bool = True) -> "Registry":
        """Return the accounts, applications and tokens; an `existing` state is required."""
        require("service")
        from eyelog_service.grants import Registry

        registry = Registry(self.archive_path, self.named_state(), self["local"])
        if existing:
            registry.state.require()
        return registry

    def typed(self, *words: str) -> str:
        """Return a command on the same service, as it is typed."""
        places = {
            "--archive": self["archive"],
            "--state": shown_state(self["state"] or ""),
            "--local": self["local"],
        }
        options = [word for option, value in places.items() if value for word in (option, value)]
        return f"`{shlex.join(['eyelog', 'service', words[0], *options, *words[1:]])}`"


@dataclass(frozen=True)
class Serving(Places):
    """How a service serves.

    Parameters
    ----------
    host : ADDRESS
        Address to bind.  [default: 127.0.0.1, this machine only]
    port : N
        Port.  [default: 8765]
    page_size : N
        Records per page.  [default: 500]
    workers : N
        Processes that serve.  [default: 1]
    requests_per_hour : N
        Requests for data per account and hour; 0: no limit.  [default: 10000]
    uploads_per_hour : N
        Uploads per account and hour; 0: no limit.  [default: 60]
    quota : SIZE
        What the archive takes of one account by uploads; 0: no limit.  [default: 2GB]
    unpacked : SIZE
        What one upload may unpack to; 0: no limit.  [default: 500MB]
    behind_proxy : ADDRESS
        Trust what a proxy on this machine, or at ADDRESS, says about client and TLS.
    root_path : PATH
        The prefix of every path, such as /eyelog.
    """

    host: str | None = setting(click.STRING, "127.0.0.1")
    port: int | None = setting(click.INT, 8765)
    page_size: int | None = setting(click.INT, 500)
    workers: int | None = setting(click.INT, 1)
    requests_per_hour: int | None = setting(click.INT, 10_000)
    uploads_per_hour: int | None = setting(click.INT, 60)
    quota: int | None = setting(Size(), 2_000_000_000)
    unpacked: int | None = setting(Size(), 500_000_000)
    behind_proxy: str | None = setting(click.STRING, is_flag=False, flag_value="loopback")
    root_path: str | None = setting(click.STRING, "")


SETTINGS: Final = {
    each.name.replace("_", "-"): each for each in fields(Serving) if "otherwise" in each.metadata
}


def shown_state(state: str) -> str:
    """Return the state of a service without a password."""
    from eyelog_service.state import is_database, shown_database

    return shown_database(state) if is_database(state) else state


def warn_of_password(state: str, origin: str | None = None) -> None:
    """Warn on stderr about a password in the address of a database that others can read.

    Parameters
    ----------
    state : str
        A folder, or the address of a database.
    origin : str, optional
        The option or the file of settings that names it; by default it was typed.
    """
    from eyelog_service.state import has_password, is_database, shown_database

    if not is_database(state) or not has_password(state):
        return
    database = shown_database(state)
    instead = "put it into the file that PGPASSFILE names, as every program of Postgres does"
    if origin in (None, "--state"):
        note(f"eyelog: warning: a list of processes shows the password of {database}: {instead}")
    elif Path(origin).is_file() and Path(origin).stat().st_mode & 0o007:
        note(
            f"eyelog: warning: others can read the password of {database}: chmod 640 {origin}, or"
            f" {instead}"
        )


def _from_environment() -> Iterator[tuple[str, str, str]]:
    by_variable = {PREFIX + each.name.upper(): name for name, each in SETTINGS.items()}
    for variable, given in os.environ.items():
        text = given.strip()
        if not variable.startswith(PREFIX) or variable == _CONFIG or not text:
            continue
        if variable not in by_variable:
            raise ConfigurationError(
                f"{variable} in the environment is not a setting of the service"
                f"{near(variable, [*by_variable, _CONFIG])}: unset it"
            )
        yield by_variable[variable], text, variable


def _from_file(file: str) -> Iterator[tuple[str, str, str]]:
    """Yield the settings of a file; paths are relative to its folder."""
    if not file:
        return
    try:
        table = tomllib.loads(Path(file).read_text("utf-8"))
    except OSError as error:
        raise ConfigurationError(
            f"cannot read the settings file {file}: {error.strerror}; eyelog service print-config"
            " settings prints one"
        ) from None
    except ValueError as error:
        raise ConfigurationError(f"the settings file {file} is not TOML: {error}") from None
    for name, value in table.items():
        if name not in SETTINGS:
            raise ConfigurationError(
                f"{file} has the setting {name!r}, which does not exist{near(name, SETTINGS)}: the"
                f" settings are {', '.join(SETTINGS)}"
            )
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise ConfigurationError(f"{file}: {name} must be text or a whole number")
        text, is_path = str(value).strip(), isinstance(SETTINGS[name].metadata["type"], click.Path)
        if is_path and not text:
            raise ConfigurationError(f"{file}: {name} is empty: name a folder, or leave it out")
        if not text:
            continue
        if is_path and "://" not in text:
            text = os.path.abspath(Path(file).absolute().parent / Path(text).expanduser())  # noqa: PTH100 (links stay)
        yield name, text, file


@command
def serve(serving: Serving) -> None:
    """Serve an archive over HTTP until Ctrl-C.

    A proxy in front of the service adds TLS, and must send Host, X-Forwarded-For and
    X-Forwarded-Proto. Without --behind-proxy these headers are ignored. An option comes before the
    environment (EYELOG_SERVICE_PORT and so on), the environment before the settings file.
    """
    require("service")
    from eyelog_service.app import serve

    settings = {each.name: serving[name] for name, each in SETTINGS.items() if name != "archive"}
    settings |= {"state": serving.named_state(), "proxy": settings.pop("behind_proxy")}
    serve(serving.archive_path, **settings)


_CHECKLIST: Final = """\
In the Logger app, in its settings of the WebSocket:
  1. scan this code, or type host and port
  2. tick the 20 Hz data (currentData): every blink, step and packet
  3. tick the 15-second data (logicIndexData) and the 60-second data (summaryData) if you need them
  4. tick head motion (fastHeadMotion, slowHeadMotion) if you need it
  5. connect, and leave the app open: what the phone does not send is not here"""


@command
def listen(
    *,
    archive: str | None = None,
    account: str = "me",
    host: str = "127.0.0.1",
    port: int = 5000,
    tls_cert: Path | None = None,
    tls_key: Path | None = None,
    path: str = "",
    device: tuple[str, ...] = (),
    dry_run: bool = False,
    tz: str | None = None,
) -> None:
    """Receive what the phone's app sends live.

    Receives what the Logger app sends by its WebSocket. What comes is on the disk within a second,
    and is imported into the archive when the connection ends. Do not import the app's own file of
    the same recording into the same account: its dates are the phone's, and each row would be there
    twice.

    Parameters
    ----------
    host : ADDRESS
        The address of this computer that the phone can reach, such as 192.168.0.1, or 0.0.0.0 for
        all of them; the default is this computer alone.
    port : N
        Port.
    tls_cert : FILE
        A certificate, for wss://.
    tls_key : FILE
        The key of the certificate.
    path : SECRET
        A path that the sender must know.
    device : NAME=ACCOUNT
        The account of one phone or glasses: NAME is its address, the last part of the path that it
        calls, or the id in its first message; can be given several times.
    dry_run
        Show what comes, write nothing.
    """
    import asyncio

    require("live")
    from eyelog_service.live import Listener

    if not 0 <= port < 65536:
        raise ConfigurationError(f"--port is a number from 0 to 65535, not {port}")
    tls = _tls(tls_cert, tls_key)
    store = open_archive(archive)
    listener = Listener(
        store,
        account=account,
        devices=dict(map(_device, device)),
        secret=path,
        tz=tz,
        dry_run=dry_run,
        say=note,
    )

    from eyelog.fetch.session import is_loopback

    def started(bound: int, page: str) -> None:
        address = _address(host, bound, path.strip("/"), tls=tls is not None)
        print(_qr_code(address, sys.stderr.encoding), file=sys.stderr)
        print(_CHECKLIST, file=sys.stderr)
        if is_loopback(host):
            note("Only this computer reaches the server: for a phone, give --host 0.0.0.0")
        elif tls is None:
            note(
                "What the phone sends is not encrypted: use a network that you trust, or --tls-cert"
            )
        note(f"The last minutes, and a button to mark events: {page}")
        where = "nothing is written" if dry_run else f"into {store.path}"
        print(f"Listening for account {account!r} at {address} ({where})", flush=True)

    asyncio.run(listener.run(host, port, tls=tls, started=started))


def _address(host: str, port: int, path: str, *, tls: bool) -> str:
    """Return the address of a server as a phone calls it, in the network if it is at all."""
    if host in ("0.0.0.0", "::", ""):  # noqa: S104  # it is compared, and not bound
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:  # nothing is sent
            try:
                probe.connect(("192.0.2.1", 9))  # an address reserved for documentation
                host = str(probe.getsockname()[0])
            except OSError:
                host = socket.gethostname()
    shown = f"[{host}]" if ":" in host else host
    return f"{'wss' if tls else 'ws'}://{shown}:{port}{'/' if path else ''}{quote(path)}"


def _qr_code(address: str, encoding: str | None) -> str:
    """Return the QR code of an address as text; nothing if the encoding has no blocks for it."""
    import segno

    out = io.StringIO()
    segno.make(address, micro=False).terminal(out, compact=True)
    text = out.getvalue()
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ""
    return text


def _tls(cert: Path | None, key: Path | None) -> "ssl.SSLContext | None":
    """Return what a server needs for ``wss://``; None for ``ws://``."""
    if key and not cert:
        raise ConfigurationError("--tls-key is the key of a certificate: give --tls-cert too")
    if not cert:
        return None
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


def _device(text: str) -> tuple[str, str]:
    name, _, account = text.partition("=")
    if not name or not account:
        raise ConfigurationError(f"--device is NAME=ACCOUNT, not {text!r}")
    return name, account


@command
def replay(file: Path, *, to: str, speed: float = 1.0) -> None:
    """Send a recording live, as the phone's app would.

    Sends a recording to eyelog listen or to another server, one JSON object per row, with the
    pauses it was made with. No message has a date, so the receiver's clock gives the stamps; at
    another speed their distances are as much shorter, which serves to test a server and not to
    analyse. FILE is a CSV file of the app, or saved JSON lines.

    Parameters
    ----------
    file : FILE
    to : ADDRESS
        Such as ws://127.0.0.1:5000.
    speed : N
        N times faster.
    """
    import asyncio

    require("live")
    from eyelog_service.live import replay

    sent = asyncio.run(replay(file, to, speed=speed))
    note(f"{sent:,} messages sent to {to}")


@command
def push(
    paths: tuple[Path, ...],
    *,
    token_file: Path | None = None,
    replace: bool = False,
    tz: str | None = None,
    json: bool = False,
) -> int:
    """Send files of records to a service.

    Sends files of the Logger app, zips of them or saved answers to the service at EYELOG_BASE_URL,
    as the wearer whose upload token is in EYELOG_UPLOAD_TOKEN or in a file. What the service has
    already changes nothing there. The exit status is 1 if a file was refused or could not be sent.

    Parameters
    ----------
    paths : PATH...
    token_file : FILE
        Read the upload token from FILE.  [default: EYELOG_UPLOAD_TOKEN]
    replace
        Let other values in the files replace stored ones.
    tz : ZONE
        Zone of dates without an offset, if the service knows none for the wearer.
    """
    from eyelog.fetch.session import base_url_from_environment
    from eyelog_service.push import files_to_push, push

    base_url, token = base_url_from_environment(), _token(token_file)
    files = files_to_push(paths)
    done: list[Pushed] = []
    stopped: RequestError | None = None
    try:
        sent = push(files, base_url, token, replace=replace, tz=tz)
        for each in sent:
            done.append(each)
            if not json:
                print(_line(each))
    except RequestError as fault:
        stopped = fault
    if json:
        print_json([asdict(each) for each in done])
    new = sum(each.new for each in done)
    taken = sum(each.state != "refused" for each in done)
    note(f"{new:,} {'row is' if new == 1 else 'rows are'} new from {taken} of {len(files)} files")
    if stopped is not None:
        raise stopped
    return 1 if any(each.state == "refused" for each in done) else 0


def _line(sent: "Pushed") -> str:
    counts = f": {sent.new:,} of {sent.read:,} rows" if sent.read else ""
    conflicts = f", {sent.conflicts:,} other values than stored" if sent.conflicts else ""
    reason = f" ({sent.reason})" if sent.reason else ""
    return f"{sent.state}  {sent.file}{counts}{conflicts}{reason}"


def _token(file: Path | None) -> str:
    """Return the upload token; it is never an argument, which every user of a machine can see."""
    if file is None:
        token = os.environ.get("EYELOG_UPLOAD_TOKEN", "").strip()
    else:
        try:
            token = file.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            raise ConfigurationError(f"cannot read the upload token in {file}: {reason}") from None
    if not re.fullmatch(r"[!-~]+", token):
        raise ConfigurationError(
            f"{file or 'EYELOG_UPLOAD_TOKEN'} has no upload token, which has only letters, digits,"
            " - and _: set EYELOG_UPLOAD_TOKEN, or name a file with --token-file (the wearer's page"
            " makes one, or `eyelog service upload-token`)"
        )
    return token
