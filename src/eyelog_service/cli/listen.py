"""The command that receives what the app sends by its WebSocket: listen."""

import sys
from pathlib import Path
from typing import Final

from eyelog.cli.command import command
from eyelog.cli.output import note
from eyelog.cli.source import open_archive
from eyelog.errors import ConfigurationError
from eyelog_service import require

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
