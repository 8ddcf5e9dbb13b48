"""The command that writes the report of a wearer."""

import argparse
from typing import Any

from eyelog.cli.output import add_dated, add_report_file, file_size, note
from eyelog.cli.source import add_source, field_list, read_with_days_before

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add the commands of this module."""
    parser = commands.add_parser("report", help="write a report of one wearer as an HTML file")
    add_source(parser, both=True)
    add_report_file(parser)
    parser.add_argument(
        "--sections",
        metavar="A,B",
        help="only these: days, eyes, blinks, walking, head, rhythm, baseline, agreement, trust",
    )
    parser.add_argument(
        "--name",
        metavar="TEXT",
        help="a pseudonym for the wearer; the account is then nowhere in the report",
    )
    add_dated(parser)
    parser.add_argument(
        "--glance",
        action="store_true",
        help="page one alone: what stood out, and the last week, of five weeks or more the last"
        " four; it prints on one sheet",
    )
    parser.add_argument(
        "--interactive",
        action="store_true",
        help="add figures to zoom and brush (the page then runs a script of its own);"
        " needs eyelog[interactive]",
    )
    parser.set_defaults(run=_report)


def _report(args: argparse.Namespace) -> int:
    from eyelog.figures.week import EARLIER_DAYS
    from eyelog.reports.logs import fields_reported
    from eyelog.reports.report import check_arguments, report

    # Wrong arguments are reported before records are read, which can take minutes.
    sections = field_list(args.sections)
    chosen = {
        "sections": sections,
        "name": args.name,
        "dated": args.dated,
        "glance": args.glance,
        "interactive": args.interactive,
    }
    check_arguments(args.output, **chosen)
    frames, since = read_with_days_before(args, fields_reported, EARLIER_DAYS)
    path = report(frames, args.output, since=since, **chosen)
    note(f"Report written to {path} ({file_size(path)}): open it in a browser.")
    return 0
