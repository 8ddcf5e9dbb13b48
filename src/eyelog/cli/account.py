"""Commands about an account and its cache: login, logout, cache."""

import argparse
import sys
from typing import Any

from eyelog.cli.output import add_json, emit, note
from eyelog.errors import RequestError

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add the commands of this module."""
    login = commands.add_parser("login", help="let eyelog read an account's logs")
    login.add_argument(
        "--account", default="me", metavar="A", help="name to keep the token under (default: me)"
    )
    login.add_argument("--code", help="a grant code, for machines without a browser")
    login.add_argument(
        "--no-browser", action="store_true", help="print the address instead of opening it"
    )
    login.set_defaults(run=_login)

    logout = commands.add_parser(
        "logout", help="withdraw eyelog's access, and delete the token here"
    )
    logout.add_argument("--account", default="me", metavar="A", help="whose token (default: me)")
    logout.set_defaults(run=_logout)

    cache = commands.add_parser("cache", help="show or clear the days that fetches have stored")
    cache.add_argument(
        "action",
        choices=["info", "clear"],
        nargs="?",
        default="info",
        metavar="ACTION",
        help="info lists what is stored (the default), clear deletes it",
    )
    cache.add_argument("--account", metavar="A", help="clear only this account")
    add_json(cache)
    cache.set_defaults(run=_cache)


def _login(args: argparse.Namespace) -> int:
    from eyelog.access.auth.login import login
    from eyelog.access.cache.cache_info import cache_info
    from eyelog.access.client import connect
    from eyelog.access.environment import login_page_from_environment

    client = connect(account=args.account)
    if args.code is not None:
        client.exchange(args.code)
    else:
        paste = sys.stdin if sys.stdin is not None and sys.stdin.isatty() else None
        page = login_page_from_environment()
        login(client.credentials, page=page, open_browser=not args.no_browser, paste=paste)
    note(f"Logged in. Only you can read the token of account {args.account!r}.")
    stored = cache_info()
    # The service's addresses are the same for every wearer: only the user knows who logged in.
    if ((stored["account"] == args.account) & (stored["base_url"] == client.base_url)).any():
        note(
            f"Days cached earlier for {args.account!r} are kept. If this is another wearer, run"
            f" `eyelog cache clear --account {args.account}`, or log in under another --account."
        )
    return 0


def _logout(args: argparse.Namespace) -> int:
    from eyelog.access.client import connect

    client = connect(account=args.account)
    try:
        client.revoke()
    except RequestError as fault:
        if not client.credentials.forget():
            raise
        raise RequestError(
            f"the token of account {args.account!r} is deleted on this machine, but the service was"
            f" not told ({fault}): until you withdraw the access at {client.base_url}/account, a"
            " copy of the token can be used"
        ) from None
    note(f"Logged out {args.account!r}: the access is withdrawn, and the token is deleted.")
    return 0


def _cache(args: argparse.Namespace) -> int:
    from eyelog.access.cache.cache_info import cache_info, clear_cache

    if args.action == "clear":
        freed = clear_cache(account=args.account)
        note(f"Cleared {freed:,} bytes.")
        return 0
    stored = cache_info()
    if stored.empty and not args.json:
        note("The cache is empty.")
        return 0
    emit(stored, as_json=args.json, index=False)
    return 0
