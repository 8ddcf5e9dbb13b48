"""Commands that run the service of the contract: serve, service, simulate."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from eyelog.catalogue import LOGS
from eyelog.cli.output import add_json, note

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add this module's commands."""
    serve = commands.add_parser("serve", help="serve an archive over HTTP")
    serve.add_argument("archive", type=Path, metavar="ARCHIVE", help="the archive's folder")
    serve.add_argument("--host", default="127.0.0.1", help="address to bind (default: loopback)")
    serve.add_argument("--port", type=int, default=8765, help="port (default: 8765)")
    serve.add_argument("--page-size", type=int, default=500, help="records a page (default: 500)")
    serve.set_defaults(run=_serve)

    admin = commands.add_parser("service", help="accounts and applications of the service")
    actions = admin.add_subparsers(title="actions", metavar="ACTION", required=True)

    account = actions.add_parser("add-account", help="let a wearer log in")
    account.add_argument("archive", type=Path, metavar="ARCHIVE", help="the archive's folder")
    account.add_argument("name", metavar="NAME", help="name of the account")
    account.add_argument(
        "--password-stdin", action="store_true", help="read the login page's password from stdin"
    )
    account.set_defaults(run=_add_account)

    application = actions.add_parser("add-application", help="register an application")
    application.add_argument("archive", type=Path, metavar="ARCHIVE", help="the archive's folder")
    application.add_argument(
        "--redirect-uri", required=True, metavar="URI", help="where a login returns to"
    )
    add_json(application)
    application.set_defaults(run=_add_application)

    code = actions.add_parser("issue-code", help="print one grant code, for a headless login")
    code.add_argument("archive", type=Path, metavar="ARCHIVE", help="the archive's folder")
    code.add_argument("--account", required=True, metavar="A", help="whose logs it opens")
    code.add_argument("--client-id", required=True, metavar="ID", help="the application")
    code.add_argument(
        "--redirect-uri", required=True, metavar="URI", help="the application's redirect URI"
    )
    code.set_defaults(run=_issue_code)

    simulate = commands.add_parser("simulate", help="write a simulated wearer into an archive")
    simulate.add_argument("archive", type=Path, metavar="ARCHIVE", help="the archive's folder")
    simulate.add_argument("--account", default="me", help="name of the wearer (default: me)")
    simulate.add_argument("--start", required=True, metavar="DAY", help="first local day")
    simulate.add_argument(
        "--days", type=int, required=True, metavar="N", help="how many local days"
    )
    simulate.add_argument("--seed", type=int, default=0, help="the same seed, the same wearer")
    simulate.add_argument("--tz", default="UTC", help="zone the wearer lives in")
    simulate.set_defaults(run=_simulate)


def _serve(args: argparse.Namespace) -> int:
    from eyelog.service.server import serve

    serve(args.archive, host=args.host, port=args.port, page_size=args.page_size)
    return 0


def _add_account(args: argparse.Namespace) -> int:
    from eyelog.service.auth.registry import Registry

    password = sys.stdin.readline().rstrip("\r\n") if args.password_stdin else None
    Registry(args.archive).add_account(args.name, password)
    note(f"Account {args.name!r} added.")
    return 0


def _add_application(args: argparse.Namespace) -> int:
    from eyelog.service.auth.registry import Registry

    client_id, client_secret = Registry(args.archive).add_application(args.redirect_uri)
    made = {
        "client_id": client_id,
        "client_secret": client_secret,
        "redirect_uri": args.redirect_uri,
    }
    if args.json:
        print(json.dumps(made))
    else:
        print("\n".join(f"{key}: {value}" for key, value in made.items()))
        note("The secret is not shown again.")
    return 0


def _issue_code(args: argparse.Namespace) -> int:
    from eyelog.service.auth.registry import Registry

    print(Registry(args.archive).issue_code(args.account, args.client_id, args.redirect_uri))
    return 0


def _simulate(args: argparse.Namespace) -> int:
    from eyelog.archive.store import Archive
    from eyelog.wearer.simulate import simulate

    archive = Archive(args.archive)
    for log in LOGS:
        frame = simulate(args.start, args.days, log=log, seed=args.seed, tz=args.tz)
        archive.write(log, frame, account=args.account)
        note(f"{log}: {len(frame)} records of {args.account!r}")
    return 0
