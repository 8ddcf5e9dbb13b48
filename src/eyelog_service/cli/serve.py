"""The commands that serve an archive, receive and send live, and send files: serve to push."""

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eyelog.cli.command import command
from eyelog.cli.output import note, print_json
from eyelog.cli.source import open_archive
from eyelog.errors import ConfigurationError, RequestError
from eyelog_service import require
from eyelog_service.cli.settings import SETTINGS, Serving, key_of

if TYPE_CHECKING:
    from eyelog_service.push import Pushed


@command
def serve(serving: Serving) -> None:
    """Serve an archive over HTTP until Ctrl-C.

    A proxy in front of the service adds TLS, and must send Host, X-Forwarded-For and
    X-Forwarded-Proto. Without --behind-proxy these headers are ignored. An option comes before the
    environment (EYELOG_SERVICE_PORT and so on), the environment before the settings file.
    """
    require("service")
    from eyelog_service.server import serve

    settings = {key_of(name): serving[name] for name in SETTINGS if name != "archive"}
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
    from eyelog_service.live.listen import (
        Listener,
        address_of,
        is_this_machine,
        qr_code,
        tls_context,
    )

    if tls_key and not tls_cert:
        raise ConfigurationError("--tls-key is the key of a certificate: give --tls-cert too")
    if not 0 <= port < 65536:
        raise ConfigurationError(f"--port is a number from 0 to 65535, not {port}")
    tls = tls_context(tls_cert, tls_key) if tls_cert else None
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

    def started(bound: int, page: str) -> None:
        address = address_of(host, bound, path.strip("/"), tls=tls is not None)
        print(qr_code(address, encoding=sys.stderr.encoding), file=sys.stderr)
        print(_CHECKLIST, file=sys.stderr)
        if is_this_machine(host):
            note("Only this computer reaches the server: for a phone, give --host 0.0.0.0")
        elif tls is None:
            note(
                "What the phone sends is not encrypted: use a network that you trust, or --tls-cert"
            )
        note(f"The last minutes, and a button to mark events: {page}")
        where = "nothing is written" if dry_run else f"into {store.path}"
        print(f"Listening for account {account!r} at {address} ({where})", flush=True)

    asyncio.run(listener.run(host, port, tls=tls, started=started))


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
    from eyelog_service.live.recording import replay

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
    if not token:
        raise ConfigurationError(
            "there is no upload token: set EYELOG_UPLOAD_TOKEN, or name a file with --token-file"
            " (the wearer's page makes one, or `eyelog service upload-token`)"
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        where = "EYELOG_UPLOAD_TOKEN" if file is None else file
        raise ConfigurationError(
            f"what is in {where} cannot be an upload token: one has only letters, digits, - and _,"
            " on one line (the wearer's page makes one, or `eyelog service upload-token`)"
        )
    return token
