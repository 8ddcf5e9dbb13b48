"""Tables to stdout or to a file, private to their owner."""

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from eyelog.disk.files import whole_file
from eyelog.errors import ConfigurationError, EyelogError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "add_json",
    "emit",
    "note",
    "readable",
    "records",
    "write_csv",
    "write_private",
    "write_table",
]


def note(text: str) -> None:
    """Say something about the run on stderr."""
    print(text, file=sys.stderr)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Give a command ``--json``."""
    parser.add_argument("--json", action="store_true", help="print JSON, for a program to read")


def emit(table: "pd.DataFrame", *, as_json: bool, index: bool = True) -> None:
    """Print a table for a person, or as JSON records for a program."""
    import pandas as pd

    if as_json:
        print(json.dumps(records(table, index=index), indent=1))
        return
    with pd.option_context("display.width", 0, "display.max_colwidth", 60):
        print(table.to_string(index=index, float_format=_short, na_rep="·"))


def records(table: "pd.DataFrame", *, index: bool = True) -> list[dict[str, Any]]:
    """Return the rows of a table as JSON has them."""
    rows = _texts(table.reset_index() if index else table)
    found: list[dict[str, Any]] = json.loads(rows.to_json(orient="records"))
    return found


def readable(table: "pd.DataFrame") -> "pd.DataFrame":
    """Turn a summary for reading: one column a day, stamps short, only what any day has."""
    import pandas as pd

    held = {name for name in table.columns if table[name].notna().any()}
    # A count of values says nothing where no day has a value to count.
    idle = {
        f"{name[: -len('_mean')]}_n" for name in set(table.columns) - held if name.endswith("_mean")
    }
    out = table[[name for name in table.columns if name in held - idle]].copy()
    for name in out.columns:
        if isinstance(out[name].dtype, pd.DatetimeTZDtype):
            out[name] = out[name].dt.strftime("%H:%M")
    out.index = pd.Index([f"{day:%a %d %b}" for day in table.index])
    return out.T


def _short(value: float) -> str:
    whole = value == round(value) or abs(value) >= 1000
    return f"{value:.0f}" if whole else f"{value:.3g}"


def _texts(table: "pd.DataFrame") -> "pd.DataFrame":
    """Write stamps with their own offset; pandas would turn them into UTC."""
    import pandas as pd

    out = table.copy()
    for name in out.columns:
        if isinstance(out[name].dtype, pd.DatetimeTZDtype):
            out[name] = [None if pd.isna(t) else t.isoformat() for t in out[name]]
        elif pd.api.types.is_timedelta64_dtype(out[name].dtype):
            out[name] = out[name].dt.total_seconds()
    return out


def write_private(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file whole or not at all, for its owner alone, into a folder that is there.

    Raises
    ------
    ConfigurationError
        If the folder does not exist.
    EyelogError
        If the file cannot be written; what stood there stays.
    """
    if not path.parent.is_dir():
        raise ConfigurationError(f"no folder {path.parent} to write {path.name} into: make it")
    try:
        with whole_file(path) as sink:
            write(sink)
    except OSError as error:
        # pyarrow words it at length and leaves out the file, which the user knows by its own name.
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise EyelogError(
            f"cannot write {path}: {reason}; make room or choose another place"
        ) from error


def write_csv(table: "pd.DataFrame", sink: Any) -> None:
    """Write a table as CSV: the same text into a file as to stdout."""
    _texts(table.reset_index()).to_csv(sink, index=False)


def write_table(table: "pd.DataFrame", path: Path) -> None:
    """Write a table as Parquet or CSV, told by the ending of `path`.

    Raises
    ------
    ConfigurationError
        If the ending is another one, or the folder does not exist.
    """
    if path.suffix == ".parquet":
        write_private(path, table.to_parquet)
    elif path.suffix == ".csv":
        write_private(path, lambda sink: write_csv(table, sink))
    else:
        raise ConfigurationError(f"cannot write {path.name}: end it with .parquet or .csv")
