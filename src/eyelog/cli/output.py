"""Tables and lines to the terminal, and tables to files that only their owner can read."""

import json
import os
import shutil
import sys
import textwrap
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from eyelog.errors import ConfigurationError
from eyelog.home import output_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd

SHOWN: Final = 10
TABLE_ENDINGS: Final = (".parquet", ".csv", ".xlsx")


def note(text: object, *, kind: str = "") -> None:
    """Print a line about the run to stderr; on a terminal it is wrapped between words.

    `kind` is ``"error"`` or ``"warning"``, which a terminal shows in colour.
    """
    line = one_line(text)
    if kind:
        line = f"eyelog: {kind}: {line}"
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns
        line = textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
        if kind and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb":
            colour = "red" if kind == "error" else "yellow"
            line = line.replace(kind, click.style(kind, fg=colour, bold=True), 1)
    print(line, file=sys.stderr)


def note_first(lines: "Sequence[str]", what: str) -> None:
    """Print the first lines of many about the run to stderr, and how many more there are."""
    for line in lines[:SHOWN]:
        note(line)
    if len(lines) > SHOWN:
        note(f"... and {len(lines) - SHOWN} more {what} (--json lists them all)")


def one_line(text: object) -> str:
    """Return a text as one line: a file name may contain line ends and terminal control codes."""
    words = " ".join(str(text).split())
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in words
    )


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    print(json.dumps(value, indent=1, ensure_ascii=False))


def print_table(
    table: "pd.DataFrame",
    *,
    json: bool = False,
    columns: "str | Iterable[str] | None" = None,
    more: str = "",
    empty: str = "",
) -> None:
    """Print a table: as `eyelog.readable` shows it, as wide as the terminal, or for a program.

    `columns` are those to show; `more` is what to type to see the others, such as ``--all``;
    `empty` is said of a table without rows.
    """
    from eyelog.measure.readable import readable

    if json:
        print_json(records(table))
    elif empty and table.empty:
        note(empty)
    else:
        print(readable(table, columns=columns).text(more=more))


def print_list(rows: "Iterable[tuple[object, object]]", *, title: str = "") -> None:
    """Print a text beside each name, as wide as the terminal."""
    from eyelog.measure.sheet import Heading, Sheet

    cells = [[str(name), one_line(text)] for name, text in rows]
    width = shutil.get_terminal_size((80, 24)).columns
    title = textwrap.fill(title, width)
    print(Sheet([Heading(""), Heading("", is_text=True)], cells, title=title).text(width))


def records(table: "pd.DataFrame") -> list[dict[str, Any]]:
    """Return the rows of a table as JSON objects."""
    rows: list[dict[str, Any]] = json.loads(_with_text_stamps(table).to_json(orient="records"))
    return rows


def _with_text_stamps(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return a table as programs read it: its index as columns, if it has a name."""
    from eyelog.frame import with_text_stamps

    return with_text_stamps(table.reset_index(drop=table.index.names == [None]))


def check_ending(path: Path | None, endings: tuple[str, ...] = TABLE_ENDINGS) -> None:
    """Raise `ConfigurationError` if `path` does not end with one of `endings`."""
    if path is not None and path.suffix not in endings:
        *others, last = endings
        raise ConfigurationError(
            f"cannot write {path.name}: end its name with {', '.join(others)} or {last}"
        )


def without_zones(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return a table whose stamps are local times without a zone, which a worksheet can hold."""
    import pandas as pd

    table = table.copy()
    for name in table.select_dtypes("datetimetz"):
        table[name] = table[name].dt.tz_localize(None)
    if isinstance(table.index, pd.DatetimeIndex):
        table.index = table.index.tz_localize(None)
    return table


def write_table(table: "pd.DataFrame", path: Path) -> None:
    """Write a table as Parquet, CSV or Excel, as the ending of `path` says: whole, and private.

    Raises
    ------
    ConfigurationError
        If the ending is a different one, or the folder does not exist.
    EyelogError
        If the file cannot be written.
    """
    check_ending(path)
    if not path.parent.is_dir():
        raise ConfigurationError(f"no folder {path.parent} to write {path.name} into: make it")
    if path.suffix == ".xlsx" and find_spec("openpyxl") is None:
        raise ConfigurationError(
            f"cannot write {path.name}: `pip install 'eyelog[excel]'` writes Excel files"
        )
    write: dict[str, Callable[..., object]] = {
        ".parquet": table.to_parquet,
        ".csv": partial(_with_text_stamps(table).to_csv, index=False),
        ".xlsx": partial(without_zones(table).to_excel, engine="openpyxl"),
    }
    with output_file(path) as sink:
        write[path.suffix](sink)
