"""The command that imports what arrives in a folder: watch."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyelog.cli.output import note
from eyelog.cli.source import add_account, add_archive, add_zone, open_archive

if TYPE_CHECKING:
    from eyelog.archive.importing.intake import FileReport

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add the commands of this module."""
    watch = commands.add_parser(
        "watch",
        help="import files as they arrive in a folder, until Ctrl-C",
        description="Import the files that arrive in a folder (by rsync, or from a cloud drive),"
        " until Ctrl-C. A file is imported when it has stayed as it is for a while; hidden files"
        " are left out. After a restart, only files that are new or have changed are imported.",
    )
    watch.add_argument("folder", type=Path, metavar="FOLDER", help="the folder")
    add_archive(watch)
    add_account(watch)
    watch.add_argument(
        "--settled",
        type=float,
        default=60.0,
        metavar="S",
        help="seconds for which a file must stay as it is (default: 60)",
    )
    watch.add_argument(
        "--replace",
        action="store_true",
        help="let other values in the files replace stored ones; files imported before go again",
    )
    add_zone(watch)
    watch.set_defaults(run=_watch)


def _watch(args: argparse.Namespace) -> int:
    from eyelog.archive.importing.watching import watch

    archive = open_archive(args)
    reports = watch(
        archive,
        args.folder,
        account=args.account,
        tz=args.tz,
        replace=args.replace,
        settled_s=args.settled,
    )
    note(f"Watching {args.folder} for account {args.account!r} in {archive.path}")
    for report in reports:
        print(_line(report, args.spelled(report.fault) or report.reason), flush=True)
    return 0


def _line(report: "FileReport", reason: str) -> str:
    counts = f": {report.kept:,} of {report.read:,} rows" if report.read else ""
    replaced = report.conflicts and not report.differing  # what stays is in the reason
    conflicts = f", {report.conflicts:,} with other values than before" if replaced else ""
    why = f" ({reason})" if reason else ""
    return f"{report.status}  {report.file}{counts}{conflicts}{why}"
