"""`eyelog cite`: what an author pastes into a paper."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from eyelog.cli.output import add_json
from eyelog.cli.source import add_source, field_list, read_sources

if TYPE_CHECKING:
    from eyelog.reports.literature import CitedText

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add the command of this module."""
    parser = commands.add_parser(
        "cite",
        help="how to cite eyelog, and the methods of an analysis",
        description="Print how to cite eyelog. With files or a log, print the methods of their"
        " analysis as `eyelog report` has them, ready to paste into a paper: versions, data,"
        " limits, what was left out and how much, definitions, references.",
    )
    add_source(parser, both=True)
    parser.usage = f"{parser.prog} [OPTIONS] [{{FILE... | LOG}} [START END]]"
    parser.add_argument(
        "--sections",
        metavar="A,B",
        help="define only the measures of these: days, eyes, blinks, walking, head, rhythm,"
        " baseline, agreement",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--bibtex", action="store_true", help="print the references as BibTeX")
    add_json(form)
    parser.set_defaults(run=_cite)


def _cite(args: argparse.Namespace) -> int:
    text = _text(args)
    if args.json:
        shown = {"methods": text.paragraphs, "references": [dict(item) for item in text.sources]}
        print(json.dumps(shown, indent=1, ensure_ascii=False))
    elif args.bibtex:
        print(text.bibtex, end="")
    else:
        # Not wrapped to the terminal: what is copied from it has no line ends within a paragraph.
        parts = [*text.paragraphs, "\n".join(text.references)]
        print("\n\n".join(parts))
    return 0


def _text(args: argparse.Namespace) -> "CitedText":
    """Return the methods for the requested records; without records, only eyelog."""
    from eyelog.reports.literature import SOFTWARE, CitedText, source

    named = (args.archive, args.account, args.log, args.wearer, args.device, args.tz, args.sections)
    if not (args.words or args.offline or args.refresh) and set(named) == {None}:
        return CitedText([], [source(SOFTWARE)])
    from eyelog.reports.logs import as_logs, fields_reported
    from eyelog.reports.methods_text import methods
    from eyelog.reports.report import check_sections

    sections = None if args.sections is None else check_sections(field_list(args.sections) or [])
    return methods(as_logs(read_sources(args, fields_reported)), sections)
