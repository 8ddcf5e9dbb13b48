"""Commands about the records: fetch, daily, plot, fields."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from eyelog.cli.draw import FIGURES
from eyelog.cli.output import add_json, emit, note, readable, records, write_csv, write_table
from eyelog.cli.source import add_source, field_list, read_source
from eyelog.errors import ConfigurationError

__all__ = [
    "add_commands",
]


def add_commands(commands: Any) -> None:
    """Add this module's commands."""
    fetch = commands.add_parser("fetch", help="get a log, as a table")
    add_source(fetch, files=False)
    fetch.add_argument("--fields", metavar="A,B", help="only these fields")
    fetch.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="a .parquet or .csv instead of stdout"
    )
    add_json(fetch)
    fetch.set_defaults(run=_fetch)

    summary = commands.add_parser("daily", help="summarise each local day")
    add_source(summary)
    summary.add_argument("-o", "--output", type=Path, metavar="FILE", help="a .parquet or .csv")
    summary.add_argument(
        "--attrition", metavar="RECIPE", help="also say what each reason leaves (steps, eye, ...)"
    )
    add_json(summary)
    summary.set_defaults(run=_daily)

    plot = commands.add_parser("plot", help="draw a figure into a file")
    plot.add_argument("figure", choices=FIGURES, metavar="FIGURE", help=", ".join(FIGURES))
    add_source(plot)
    plot.add_argument(
        "--field", action="append", metavar="F", help="what to draw (may be given more than once)"
    )
    plot.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="a .png, .svg or .pdf"
    )
    plot.set_defaults(run=_plot)

    known = commands.add_parser("fields", help="what is known about each field of a log")
    known.add_argument("log", metavar="LOG", help="computed_data or standard_mode_logs")
    add_json(known)
    known.set_defaults(run=_fields)


def _fetch(args: argparse.Namespace) -> int:
    if args.output is not None and args.output.suffix not in (".parquet", ".csv"):
        raise ConfigurationError(f"cannot write {args.output.name}: end it with .parquet or .csv")
    frame = read_source(args, fields=field_list(args.fields))
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

    frame = read_source(args)
    table = daily(frame)
    left = attrition(frame, recipe=args.attrition) if args.attrition else None
    if args.output is not None:
        write_table(table, args.output)
        note(f"{len(table)} days written to {args.output}")
    elif args.json:
        days = records(table)
        both = days if left is None else {"days": days, "attrition": records(left)}
        print(json.dumps(both, indent=1))  # one document: a program reads it in one go
        left = None
    elif table.empty:
        note("There are no records in this range.")
    else:
        emit(readable(table), as_json=False)
    if left is not None:
        emit(left, as_json=args.json)
    return 0


def _plot(args: argparse.Namespace) -> int:
    from eyelog.cli.draw import draw

    draw(args.figure, read_source(args), args.output, fields=args.field)
    note(f"Drawn: {args.output}")
    return 0


def _fields(args: argparse.Namespace) -> int:
    from eyelog.catalogue import fields

    table = fields(args.log)
    if not args.json:
        table = table[["label", "unit", "min", "max", "kind", "agg", "weight", "source"]]
    emit(table, as_json=args.json)
    return 0
