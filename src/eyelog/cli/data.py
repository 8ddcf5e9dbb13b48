"""Commands about records: fetch, daily, plot, fields."""

import argparse
import json
import shutil
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyelog.cli.output import (
    TABLE_ENDINGS,
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
    fetch.add_argument(
        "--fields",
        metavar="A,B",
        help="only these fields, or those of a summary: daily, steps, ...",
    )
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
    plot.add_argument(
        "--width",
        choices=("single", "double", "page"),
        default="double",
        help="89, 183 or 247 mm (default: double)",
    )
    plot.set_defaults(run=_plot)

    fields = commands.add_parser("fields", help="describe each field of a log")
    fields.add_argument("log", metavar="LOG", help="computed_data or standard_mode_logs")
    fields.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="all about these fields, or about those of a summary: daily, steps, ...",
    )
    add_json(fields)
    fields.set_defaults(run=_fields)


def _fetch(args: argparse.Namespace) -> int:
    from eyelog.archive.export import check_target, export_frame, names_location, print_csv

    if args.output is not None:
        check_target(args.output)
    fields = field_list(args.fields)
    frame = read_service(args, fields=fields)
    location = args.location or names_location(fields)
    if args.output is not None:
        export_frame(frame, args.output, location=location)
        note(f"{len(frame)} records written to {args.output}")
    elif args.json:
        emit(frame, as_json=True)
    else:
        print_csv(frame, sys.stdout.buffer, location=location)
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
        show(table, columns="all" if args.all else field_list(args.columns), more="--all")
    if losses is not None:
        print()
        show(losses)
    return 0


def _plot(args: argparse.Namespace) -> int:
    from eyelog.figures.compose import compose_figure
    from eyelog.figures.save import save_figure

    check_ending(args.output, ENDINGS)
    figure = compose_figure(read_source(args), args.figure, fields=args.field)
    save_figure(figure, args.output, width=args.width)
    note(f"Figure written to {args.output}")
    return 0


def _fields(args: argparse.Namespace) -> int:
    from eyelog.catalogue import check_fields, fields

    table = fields(args.log)
    if args.names:
        dates = ["date"] if "date" in args.names else []  # the index of a frame, no column
        others = [name for name in args.names if name != "date"]
        table = table.loc[[*dates, *(check_fields(args.log, others) if others else ())]]
    if args.json:
        emit(table, as_json=True)
    elif args.names:
        print("\n\n".join(_described(str(name), row) for name, row in table.iterrows()))
    else:
        print(_listed(table))
        note(f"`eyelog fields {args.log} NAME` shows all that is known about a field.")
    return 0


def _listed(table: "pd.DataFrame") -> str:
    """Return the fields as lines of the terminal's width: what each is, and in which unit."""
    width = shutil.get_terminal_size((80, 24)).columns
    room = max(len(str(name)) for name in table.index) + 2
    lines: list[str] = []
    for name, row in table.iterrows():
        unit = f", {row['unit']}" if row["unit"] else ""
        text = f"{name!s:{room}}{row['label']}{unit}. {row['description']}"
        lines += textwrap.wrap(text, max(width, 2 * room), subsequent_indent=" " * room)
    return "\n".join(lines)


def _described(name: str, row: "pd.Series[Any]") -> str:
    """Return all that the catalogue knows about one field, as lines of the terminal's width."""
    limits = [_bound(row["min"], "from"), _bound(row["max"], "to")]
    weighted = f", weighted by {row['weight']}" if row["weight"] else ""
    facts = {
        "unit": row["unit"],
        "values": " ".join(limit for limit in limits if limit),
        "no value": _bound(row["invalid_value"], "written as"),
        "type": row["dtype"],
        "judged as": " ".join(filter(None, (row["kind"], row["cleansing"]))),
        "bins": "" if row["agg"] in ("", "none") else f"{row['agg']}{weighted}",
        "in Logger files": row["long_name"],
        "source": row["source"],
    }
    width = shutil.get_terminal_size((80, 24)).columns
    lines = textwrap.wrap(f"{name}: {row['label']}. {row['description']}", width)
    lines += [f"    {what + ':':17}{fact}" for what, fact in facts.items() if fact]
    return "\n".join(lines)


def _bound(value: float, word: str) -> str:
    return "" if value != value else f"{word} {value:g}"
