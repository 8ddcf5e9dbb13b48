"""The report of an erasure: what was removed, and what eyelog cannot reach."""

import argparse
import json
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from eyelog.cli.output import add_json, note, one_line
from eyelog.cli.source import open_archive
from eyelog.errors import ArchiveError

__all__ = [
    "ELSEWHERE",
    "add_arguments",
    "erase_records",
    "erase_stored",
    "led_elsewhere",
    "print_protocol",
]

Row = tuple[str, str, int, str]  # what, path, how many, of what

ELSEWHERE: Final = (
    "backups and snapshots of the disk, and the free space of a disk that is not encrypted",
    "exported and downloaded files, reports, tables and figures made from the records",
    "access logs (--access-log of eyelog serve), the proxy's logs, and rotated logs",
    "other machines: tokens, caches and archives of those who were given access",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of an erasure to a command."""
    parser.add_argument(
        "account", metavar="ACCOUNT", help="whose data; any name that an account has"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="list what would be removed, change nothing"
    )
    add_json(parser)


def erase_records(args: argparse.Namespace) -> list[Row]:
    """Erase an account from the archive."""
    table = open_archive(args).erase(args.account, dry_run=args.dry_run)
    return [(row["what"], row["path"], row["bytes"], "bytes") for row in table.to_dict("records")]


def erase_stored(args: argparse.Namespace) -> list[Row]:
    """Erase the tokens and the cache of an account from the folder of eyelog."""
    from eyelog.access.auth.token_file import token_files
    from eyelog.access.cache.day_file import stored_files
    from eyelog.disk.home import home_dir
    from eyelog.disk.sqlite import remove, size

    home = home_dir()
    rows: list[Row] = []
    for path in token_files(home, args.account):
        rows.append(("token", str(path), path.lstat().st_size, "bytes"))
        if not args.dry_run:
            path.unlink(missing_ok=True)
    for file in stored_files(home, args.account):
        rows.append(("cache", str(file.path), size(file.path), "bytes"))
        if not args.dry_run:
            remove(file.path)
    return rows


def led_elsewhere(removed: Iterable[tuple[str, str]]) -> list[str]:
    """Return, of what was removed and from where, to what links led: that is still there."""
    from eyelog.archive.erase import LINK

    return [
        f"{what.removeprefix(LINK)}, to which the link {path} leads"
        for what, path in removed
        if what.startswith(LINK)
    ]


def _default_archive(args: argparse.Namespace) -> list[str]:
    """Return how to erase the account from the archive in the folder of eyelog, if it is there."""
    from eyelog.archive.erase import traces
    from eyelog.archive.place import open_place
    from eyelog.disk.home import home_dir

    default = open_place(home_dir() / "archive")
    command = shlex.join(
        ["eyelog", "archive", "erase", "--archive", default.root, "--", args.account]
    )
    try:
        # Nothing is left in it if it is the one that was erased, whatever the way to it.
        found = bool(traces(default, args.account))
    except ArchiveError as error:
        return [f"the archive of EYELOG_HOME ({error}): then {command}"]
    if not found or (args.dry_run and _is_same(open_archive(args).path, default.root)):
        return []
    return [f"the archive of EYELOG_HOME, which has the account too: {command}"]


def _is_same(one: str, other: str) -> bool:
    return "://" not in one and Path(one).exists() and Path(one).samefile(other)


def print_protocol(
    args: argparse.Namespace, rows: Sequence[Row], out_of_reach: Sequence[str] = ()
) -> None:
    """Print what was removed, and what was not."""
    links = led_elsewhere((what, path) for what, path, *_ in rows)
    beyond = [*_default_archive(args), *out_of_reach, *links, *ELSEWHERE]
    if args.json:
        protocol: dict[str, Any] = {
            "account": args.account,
            "dry_run": args.dry_run,
            "removed": [
                {"what": what, "path": path, unit: count} for what, path, count, unit in rows
            ],
            "not_reached": beyond,
        }
        print(json.dumps(protocol, indent=1))
        return
    did = "would remove" if args.dry_run else "removed"
    for what, path, count, unit in rows:
        verb = did if what != "audit log" else did.replace("remove", "rename")
        print(one_line(f"{verb}: {what}, {count:,} {unit}: {path}"))
    for text in beyond:
        print(one_line(f"not reached: {text}"))
    if not rows:
        note(f"Nothing of account {args.account!r} was found.")
    elif args.dry_run:
        note("Dry run: nothing was changed.")
    else:
        note(f"Account {args.account!r} is erased from what eyelog can reach: keep this protocol.")
