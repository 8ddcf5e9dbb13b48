"""Commands about records: fetch, daily, plot."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyelog.cli.output import (
    TABLE_ENDINGS,
    add_events,
    add_json,
    add_location,
    check_ending,
    emit,
    note,
    records,
    show,
    write_table,
)
from eyelog.cli.source import (
    add_account,
    add_fields,
    add_range,
    add_source,
    add_zone,
    field_list,
    read_service,
    read_source,
)
from eyelog.figures.defaults import ENDINGS, KINDS

if TYPE_CHECKING:
    import pandas as pd


__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add the commands of this module."""
    fetch = commands.add_parser("fetch", help="fetch a log from the service as a table")
    add_range(fetch)
    add_account(fetch)
    add_zone(fetch)
    fetch.add_argument("--offline", action="store_true", help="read only the cache")
    fetch.add_argument("--refresh", action="store_true", help="fetch again what is cached")
    add_fields(fetch)
    fetch.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="PATH",
        help="write a .parquet, a .csv, or a folder with one JSON answer per day, not to stdout",
    )
    add_location(fetch)
    add_json(fetch)
    fetch.set_defaults(run=_fetch)

    summary = commands.add_parser("daily", help="summarise each local day")
    add_source(summary)
    summary.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write a .parquet or .csv file"
    )
    summary.add_argument(
        "--columns",
        metavar="A,B",
        help="columns to show, or groups of them: wear, gait, eyes, head, scores",
    )
    summary.add_argument("--all", action="store_true", help="show all columns")
    summary.add_argument(
        "--attrition",
        metavar="RECIPE",
        help="also show how many records each condition of a recipe leaves (steps, eye, ...)",
    )
    add_events(summary, "add the labels of each day")
    add_json(summary)
    summary.set_defaults(run=_daily)

    plot = commands.add_parser("plot", help="draw a figure into a file")
    plot.add_argument("figure", choices=KINDS, metavar="FIGURE", help=", ".join(KINDS))
    add_source(plot, after="FIGURE")
    plot.add_argument(
        "--field",
        action="append",
        metavar="F",
        help="a field to draw, or a column of the daily summary (daily, change); repeat the option"
        " for more (default: a choice for the log)",
    )
    plot.add_argument(
        "--at",
        metavar="DATE",
        help="change: compare the days before this day with those from it on",
    )
    plot.add_argument(
        "--by",
        metavar="COLUMN",
        help="change: compare days by a column of the daily summary with two values, by weekend, or"
        " by two labels of the diary (events)",
    )
    add_events(plot, "mark in a timeline, day, week or actogram, or to compare by in a change")
    plot.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="the .png, .svg or .pdf file to write",
    )
    plot.add_argument(
        "--width",
        choices=("single", "double", "page"),
        default="double",
        help="89, 183 or 247 mm (default: double)",
    )
    plot.set_defaults(run=_plot)


def _fetch(args: argparse.Namespace) -> int:
    from eyelog.archive.export import (
        check_target,
        export_frame,
        names_location,
        print_csv,
        without_location,
    )

    if args.output is not None:
        check_target(args.output)
    fields = field_list(args.fields)
    frame = read_service(args, fields=fields)
    if not (args.location or names_location(fields)):
        frame = without_location(frame)
    if args.output is not None:
        export_frame(frame, args.output)
        note(f"{len(frame)} records written to {args.output}")
    elif args.json:
        emit(frame, as_json=True)
    else:
        print_csv(frame, sys.stdout.buffer)
    return 0


def _daily(args: argparse.Namespace) -> int:
    import pandas as pd

    from eyelog.analysis.daily import daily
    from eyelog.analysis.events import labels_by_day
    from eyelog.analysis.quality.recipes import attrition
    from eyelog.analysis.readable import on_clock
    from eyelog.frame import OFFSET, clock_of

    if args.output is not None:
        check_ending(args.output, TABLE_ENDINGS)
    frame = read_source(args)
    events = _events(args, frame)
    table = daily(frame)
    if events is not None:
        labels = labels_by_day(table.index, events, clock_of(frame))
        table = table.assign(events=pd.array(labels, "string"))
    losses = attrition(frame, recipe=args.attrition) if args.attrition else None
    if args.output is not None:
        write_table(table, args.output)
        note(f"{len(table)} days written to {args.output}")
    elif args.json:
        days = records(table)
        document = days if losses is None else {"days": days, "attrition": records(losses)}
        print(json.dumps(document, indent=1))  # one document, so a program reads it in one go
        losses = None
    elif table.empty:
        note("There are no records in this range.")
    else:
        travels = OFFSET in frame.columns
        if travels:
            table = on_clock(table, clock_of(frame))
        show(table, columns="all" if args.all else field_list(args.columns), more="--all")
        if travels:
            print("Times are those of the wearer's clock, whose zone changes.")
    if losses is not None:
        print()
        show(losses)
    return 0


def _events(args: argparse.Namespace, frame: "pd.DataFrame") -> "pd.DataFrame | None":
    """Return the diary that a command is given, if any; its times are local to the frame's zone."""
    if args.events is None:
        return None
    from eyelog.archive.importing.diary import read_events
    from eyelog.frame import zones_of

    return read_events(args.events, tz=zones_of(frame), dayfirst=args.dayfirst)


def _plot(args: argparse.Namespace) -> int:
    from eyelog.figures.compose import compose_figure
    from eyelog.figures.save import save_figure

    check_ending(args.output, ENDINGS)
    frame = read_source(args)
    events = _events(args, frame)
    figure = compose_figure(
        frame, args.figure, fields=args.field, events=events, at=args.at, by=args.by
    )
    save_figure(figure, args.output, width=args.width)
    note(f"Figure written to {args.output}")
    return 0
