"""Tables and figures to stdout or to a file that only its owner can read."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from eyelog.cli.terminal import shaped
from eyelog.disk.files import cannot_write, whole_file
from eyelog.errors import ConfigurationError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "TABLE_ENDINGS",
    "add_dated",
    "add_events",
    "add_json",
    "add_location",
    "add_report_file",
    "check_ending",
    "emit",
    "file_size",
    "note",
    "one_line",
    "records",
    "show",
    "write_table",
]

TABLE_ENDINGS: Final = (".parquet", ".csv")


def note(text: object) -> None:
    """Print a line about the run to stderr.

    On a terminal it is wrapped between words, and errors and warnings have a colour.
    """
    print(shaped(one_line(text), sys.stderr), file=sys.stderr)


def one_line(text: object) -> str:
    """Return a text as one line: a file name may contain line ends and terminal control codes."""
    words = " ".join(str(text).split())
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in words
    )


def file_size(path: Path) -> str:
    """Return how large a file is, in words."""
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def add_json(parser: "argparse._ActionsContainer") -> None:
    """Give a command the option ``--json``."""
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def add_report_file(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--output`` of a command that writes a report."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="the .html file to write, in place of an older one; it needs no network and runs no"
        " script",
    )


def add_dated(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--dated`` of a command that writes a report."""
    parser.add_argument(
        "--dated", metavar="TEXT", help="a line below the title, such as a date or a study"
    )


def add_location(parser: argparse.ArgumentParser) -> None:
    """Give a command that writes records the option ``--location``."""
    parser.add_argument(
        "--location",
        action="store_true",
        help="also write where the wearer was (lat, lng), which is left out otherwise",
    )


def add_events(parser: argparse.ArgumentParser, what: str) -> None:
    """Give a command the options ``--events`` and ``--dayfirst``."""
    parser.add_argument(
        "--events",
        type=Path,
        metavar="FILE",
        help=f"a diary (CSV or Excel with start, end and label), to {what}",
    )
    parser.add_argument(
        "--dayfirst",
        action=argparse.BooleanOptionalAction,
        help="read 03.04.2026 in the diary as 3 April, or as 4 March",
    )


def emit(table: "pd.DataFrame", *, as_json: bool, index: bool = True) -> None:
    """Print a table: aligned for a person, or as JSON records for a program."""
    import pandas as pd

    if as_json:
        print(json.dumps(records(table, index=index), indent=1))
        return
    with pd.option_context("display.width", 0, "display.max_colwidth", 60):
        print(table.to_string(index=index, float_format=_short, na_rep="·"))


def records(table: "pd.DataFrame", *, index: bool = True) -> list[dict[str, Any]]:
    """Return the rows of a table as JSON objects."""
    from eyelog.clock import with_text_stamps

    table = with_text_stamps(table.reset_index() if index else table)
    rows: list[dict[str, Any]] = json.loads(table.to_json(orient="records"))
    return rows


def show(
    table: "pd.DataFrame", *, columns: "str | Iterable[str] | None" = None, more: str = ""
) -> None:
    """Print a table of the library as `eyelog.readable` shows it, as wide as the terminal.

    `columns` are those to show; `more` is what to type to see the others, such as ``--all``.
    """
    from eyelog.analysis.readable import readable

    print(readable(table, columns=columns).text(more=more))


def _short(value: float) -> str:
    whole = value == round(value) or abs(value) >= 1000
    return f"{value:.0f}" if whole else f"{value:.3g}"


def check_ending(path: Path, endings: tuple[str, ...]) -> None:
    """Raise `ConfigurationError` if `path` does not end with one of `endings`."""
    if path.suffix not in endings:
        *others, last = endings
        raise ConfigurationError(
            f"cannot write {path.name}: end its name with {', '.join(others)} or {last}"
        )


def write_table(table: "pd.DataFrame", path: Path) -> None:
    """Write a table as Parquet or CSV, as the ending of `path` says.

    Raises
    ------
    ConfigurationError
        If the ending is a different one, or the folder does not exist.
    EyelogError
        If the file cannot be written.
    """
    check_ending(path, TABLE_ENDINGS)
    if path.suffix == ".parquet":
        _write_private(path, table.to_parquet)
    else:
        from eyelog.clock import with_text_stamps

        text = with_text_stamps(table.reset_index())
        _write_private(path, lambda sink: text.to_csv(sink, index=False))


def _write_private(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a complete file or none, readable only by its owner, into an existing folder."""
    if not path.parent.is_dir():
        raise ConfigurationError(f"no folder {path.parent} to write {path.name} into: make it")
    try:
        with whole_file(path) as sink:
            write(sink)
    except OSError as error:
        raise cannot_write(path, error) from error
