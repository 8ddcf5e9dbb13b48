"""Where a command gets its frame: from the service, an archive or a file."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from eyelog.cli.output import note

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["add_source", "field_list", "read_source"]


def add_source(parser: argparse.ArgumentParser, *, files: bool = True) -> None:
    """Give a command LOG START END and the options that choose where records come from."""
    parser.add_argument("log", metavar="LOG", help="computed_data or standard_mode_logs")
    parser.add_argument("start", metavar="START", help="first local day, such as 2026-10-24")
    parser.add_argument("end", metavar="END", help="last local day, included")
    parser.add_argument("--account", default="me", metavar="A", help="whose records (default: me)")
    zone = "that of the --input file, else UTC" if files else "UTC"
    parser.add_argument(
        "--tz", metavar="Z", help=f"zone of the days, such as Asia/Tokyo (default: {zone})"
    )
    parser.add_argument("--offline", action="store_true", help="read only the cache")
    parser.add_argument("--refresh", action="store_true", help="fetch again what is cached")
    if files:
        where = parser.add_mutually_exclusive_group()
        where.add_argument("--archive", type=Path, metavar="DIR", help="read an archive")
        where.add_argument(
            "--input",
            type=Path,
            metavar="FILE",
            help="read a file written by `eyelog fetch`",
        )


def field_list(text: str | None) -> list[str] | None:
    """Return the names in a text such as ``a,b``; None stays None."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def read_source(args: argparse.Namespace, *, fields: list[str] | None = None) -> "pd.DataFrame":
    """Return the frame that the options of `add_source` describe."""
    from eyelog.catalogue import check_log

    check_log(args.log)
    frame: pd.DataFrame
    if getattr(args, "input", None) is not None:
        frame = _read_file(args, fields)
    elif getattr(args, "archive", None) is not None:
        from eyelog.archive.store import Archive

        frame = Archive(args.archive).read(
            args.log, args.start, args.end, account=args.account, fields=fields, tz=args.tz
        )
    else:
        from eyelog.access.client import connect

        client = connect(account=args.account, tz=args.tz or "UTC", offline=args.offline)
        fetch = getattr(client, args.log)
        frame = fetch(args.start, args.end, fields=fields, refresh=args.refresh)
    if args.tz is None:
        note(f"The days are local to {frame.index.tz}: give --tz for another zone.")  # type: ignore[attr-defined]  # a frame's index holds stamps
    return frame


def _read_file(args: argparse.Namespace, fields: list[str] | None) -> "pd.DataFrame":
    from eyelog import clock
    from eyelog.archive.importing.table import read_table
    from eyelog.catalogue import check_fields

    frame = read_table(args.input, log=args.log, tz=args.tz)
    first, last = clock.instant_range(args.start, args.end, args.tz or str(frame.index.tz))  # type: ignore[attr-defined]  # a frame's index holds stamps
    chosen = frame[(frame.index >= first) & (frame.index < last + clock.SECOND)]
    if fields is not None:
        names = check_fields(args.log, fields)
        chosen = chosen[[name for name in chosen.columns if name in names]]
    return chosen.copy()
