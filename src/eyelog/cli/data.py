"""Commands about records: fetch, daily, plot, fields."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from eyelog.cli.output import (
    FIGURE_ENDINGS,
    TABLE_ENDINGS,
    add_json,
    check_ending,
    emit,
    note,
    records,
    show,
    write_csv,
    write_figure,
    write_table,
)
from eyelog.cli.source import (
    add_account,
    add_range,
    add_source,
    add_zone,
    field_list,
    read_service,
    read_source,
)
from eyelog.figures.defaults import KINDS

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add the commands of this module."""
    fetch = commands.add_parser("fetch", help="fetch a log from the service as a table")
    add_range(fetch)
    add_account(fetch)
    add_zone(fetch)
    fetch.add_argument("--offline", action="store_true", help="read only the cache")
    fetch.add_argument("--refresh", action="store_true", help="fetch again what is cached")
    fetch.add_argument(
        "--fields",
        metavar="A,B",
        help="only these fields, or those of a summary: daily, steps, ...",
    )
    fetch.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write a .parquet or .csv file instead of CSV to stdout",
    )
    add_json(fetch)
    fetch.set_defaults(run=_fetch)

    summary = commands.add_parser("daily", help="summarise each local day")
    add_source(summary)
    summary.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write a .parquet or .csv file"
    )
    summary.add_argument(
        "--attrition",
        metavar="RECIPE",
        help="also show how many records each condition of a recipe leaves (steps, eye, ...)",
    )
    add_json(summary)
    summary.set_defaults(run=_daily)

    plot = commands.add_parser("plot", help="draw a figure into a file")
    plot.add_argument("figure", choices=KINDS, metavar="FIGURE", help=", ".join(KINDS))
    add_source(plot, after="FIGURE")
    plot.add_argument(
        "--field",
        action="append",
        metavar="F",
        help="a field to draw; repeat the option for more (default: a choice for the log)",
    )
    plot.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="the .png, .svg or .pdf file to write",
    )
    plot.set_defaults(run=_plot)

    fields = commands.add_parser("fields", help="describe each field of a log")
    fields.add_argument("log", metavar="LOG", help="computed_data or standard_mode_logs")
    add_json(fields)
    fields.set_defaults(run=_fields)


def _fetch(args: argparse.Namespace) -> int:
    if args.output is not None:
        check_ending(args.output, TABLE_ENDINGS)
    frame = read_service(args, fields=field_list(args.fields))
    if args.output is not None:
        write_table(frame, args.output)
        note(f"{len(frame)} records written to {args.output}")
    elif args.json:
        emit(frame, as_json=True)
    else:
        write_csv(frame, sys.stdout)
    return 0


def _daily(args: argparse.Namespace) -> int:
    from eyelog.analysis.daily import daily
    from eyelog.analysis.quality.recipes import attrition

    if args.output is not None:
        check_ending(args.output, TABLE_ENDINGS)
    frame = read_source(args)
    table = daily(frame)
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
        show(table)
    if losses is not None:
        print()
        show(losses)
    return 0


def _plot(args: argparse.Namespace) -> int:
    from eyelog.figures.compose import compose_figure

    check_ending(args.output, FIGURE_ENDINGS)
    figure = compose_figure(read_source(args), args.figure, fields=args.field)
    write_figure(figure, args.output)
    note(f"Figure written to {args.output}")
    return 0


def _fields(args: argparse.Namespace) -> int:
    from eyelog.catalogue import fields

    table = fields(args.log)
    if not args.json:
        table = table[["label", "unit", "min", "max", "kind", "agg", "weight", "source"]]
    emit(table, as_json=args.json)
    return 0
