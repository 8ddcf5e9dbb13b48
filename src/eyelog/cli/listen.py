"""The command that receives what the app sends by its WebSocket: listen."""

import argparse
import sys
from pathlib import Path
from typing import Any, Final

from eyelog.cli.output import note
from eyelog.cli.source import add_account, add_archive, add_zone, open_archive
from eyelog.errors import ConfigurationError

__all__ = ["add_commands"]

_CHECKLIST: Final = """\
In the Logger app, in its settings of the WebSocket:
  1. scan this code, or type host and port
  2. tick the 20 Hz data (currentData): every blink, step and packet
  3. tick the 15-second data (logicIndexData) and the 60-second data (summaryData) if you need them
  4. tick head motion (fastHeadMotion, slowHeadMotion) if you need it
  5. connect, and leave the app open: what the phone does not send is not here"""


def add_commands(commands: Any) -> None:
    """Add the commands of this module."""
    listen = commands.add_parser(
        "listen",
        help="receive what the phone's app sends live, until Ctrl-C",
        description="Receive what the Logger app sends by its WebSocket, until Ctrl-C. What comes"
        " is on the disk within a second, and is imported into the archive when the connection"
        " ends. Do not import the app's own file of the same recording into the same account: its"
        " dates are the phone's, and each row would be there twice.",
    )
    add_archive(listen)
    add_account(listen)
    listen.add_argument(
        "--host",
        default="127.0.0.1",
        help="the address of this computer that the phone can reach, such as 192.168.0.1, or"
        " 0.0.0.0 for all of them (default: 127.0.0.1, this computer alone)",
    )
    listen.add_argument("--port", type=int, default=5000, help="default: 5000")
    listen.add_argument("--tls-cert", type=Path, metavar="FILE", help="a certificate, for wss://")
    listen.add_argument("--tls-key", type=Path, metavar="FILE", help="the key of the certificate")
    listen.add_argument(
        "--path", default="", metavar="SECRET", help="a path that the sender must know"
    )
    listen.add_argument(
        "--device",
        action="append",
        default=[],
        metavar="NAME=ACCOUNT",
        help="the account of one phone or glasses: NAME is its address, the last part of the path"
        " that it calls, or the id in its first message; can be given several times",
    )
    listen.add_argument("--dry-run", action="store_true", help="show what comes, write nothing")
    add_zone(listen)
    listen.set_defaults(run=_listen)


def _listen(args: argparse.Namespace) -> int:
    import asyncio

    from eyelog.live.address import address_of, is_this_machine, qr_code, tls_context
    from eyelog.live.listen import Listener

    if args.tls_key and not args.tls_cert:
        raise ConfigurationError("--tls-key is the key of a certificate: give --tls-cert too")
    if not 0 <= args.port < 65536:
        raise ConfigurationError(f"--port is a number from 0 to 65535, not {args.port}")
    tls = tls_context(args.tls_cert, args.tls_key) if args.tls_cert else None
    archive = open_archive(args)
    listener = Listener(
        archive,
        account=args.account,
        devices=dict(map(_device, args.device)),
        secret=args.path,
        tz=args.tz,
        dry_run=args.dry_run,
        say=note,
    )

    def started(port: int, page: str) -> None:
        address = address_of(args.host, port, args.path.strip("/"), tls=tls is not None)
        print(qr_code(address, encoding=sys.stderr.encoding), file=sys.stderr)
        print(_CHECKLIST, file=sys.stderr)
        if is_this_machine(args.host):
            note("Only this computer reaches the server: for a phone, give --host 0.0.0.0")
        elif tls is None:
            note(
                "What the phone sends is not encrypted: use a network that you trust, or --tls-cert"
            )
        note(f"The last minutes, and a button to mark events: {page}")
        where = "nothing is written" if args.dry_run else f"into {archive.path}"
        print(f"Listening for account {args.account!r} at {address} ({where})", flush=True)

    asyncio.run(listener.run(args.host, args.port, tls=tls, started=started))
    return 0


def _device(text: str) -> tuple[str, str]:
    name, _, account = text.partition("=")
    if not name or not account:
        raise ConfigurationError(f"--device is NAME=ACCOUNT, not {text!r}")
    return name, account
