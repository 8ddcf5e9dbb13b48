"""The first difference between two results: tables, numbers, files or figures."""

import dataclasses
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

NEAR = 1e-9


def first_difference(expected: Any, got: Any, *, added: str = "") -> str:
    """Return where two results differ first, and how; nothing if they are alike.

    Histories, dtypes and the order of columns are not compared, nor is the order of rows that have
    a label each. A row or column `added` of the second alone is no difference.
    """
    if isinstance(expected, pd.DataFrame | pd.Series):
        if type(expected) is not type(got):
            return f"{type(expected).__name__} is {type(got).__name__}"
        return _of_tables(_table(expected), _table(got), added)
    if isinstance(expected, Path):
        return _of_lines(_lines(expected), _lines(got))
    drawn = _figures(expected)
    if drawn:
        return _of_figures(drawn, _figures(got))
    if isinstance(expected, tuple) and hasattr(expected, "_fields"):
        return _of_parts(expected._asdict(), got._asdict(), added)
    if hasattr(expected, "headings"):
        return _of_lines(_rows(expected, added), _rows(got, added))
    if dataclasses.is_dataclass(expected):
        names = [field.name for field in dataclasses.fields(expected)]
        parts = [{name: getattr(each, name) for name in names} for each in (expected, got)]
        return _of_parts(*parts, added)
    if isinstance(expected, dict):
        return _of_parts(expected, got, added)
    if isinstance(expected, list | tuple | np.ndarray):
        if len(expected) != len(got):
            return f"{len(expected)} values are {len(got)}"
        return _of_parts(dict(enumerate(expected)), dict(enumerate(got)), added)
    return "" if _alike(expected, got) else f"{expected!r} is {got!r}"


def _of_parts(expected: dict[Any, Any], got: dict[Any, Any], added: str) -> str:
    if set(expected) != {key for key in got if key != added or key in expected}:
        return f"parts {list(expected)} are {list(got)}"
    for key, part in expected.items():
        found = first_difference(part, got[key], added=added)
        if found:
            return f"{key}: {found}"
    return ""


def _alike(expected: Any, got: Any) -> bool:
    if _missing(expected) or _missing(got):
        return _missing(expected) and _missing(got)
    try:
        return math.isclose(float(expected), float(got), rel_tol=NEAR, abs_tol=NEAR)
    except (TypeError, ValueError):
        return bool(expected == got)


def _missing(cell: Any) -> bool:
    """Return whether a cell has nothing in it; CSV does not tell empty text from no text."""
    return cell is None or cell is pd.NaT or cell is pd.NA or cell == "" or cell != cell


def _table(table: Any) -> pd.DataFrame:
    plain = table.to_frame("value") if isinstance(table, pd.Series) else table.copy(deep=False)
    plain.attrs = {}  # of which pandas would make a copy for each column
    return plain


def _of_tables(expected: pd.DataFrame, got: pd.DataFrame, added: str) -> str:
    names, others = list(expected.columns), list(got.columns)
    lost = [name for name in names if name not in others]
    new = [name for name in others if name not in names]
    new = [name for name in new if not added or not _starts(name, added)]
    if lost or new:
        return f"columns lost: {lost[:5]}, new: {new[:5]}"
    if added and added not in expected.index.get_level_values(0):
        got = got[np.array([each != added for each in got.index.get_level_values(0)], dtype=bool)]
    if len(expected) != len(got):
        return f"{len(expected)} rows are {len(got)}"
    if list(expected.index.names) != list(got.index.names):
        return f"index {list(expected.index.names)} is {list(got.index.names)}"
    expected, got = _in_order(expected), _in_order(got)
    for level in range(expected.index.nlevels):
        ours, theirs = (table.index.get_level_values(level) for table in (expected, got))
        found = _of_columns(pd.Series(ours), pd.Series(theirs), ours)
        if found:
            return f"index {found}"
    for name in expected.columns:
        column, other = expected[name], got[name]
        if isinstance(column, pd.DataFrame) or isinstance(other, pd.DataFrame):
            return f"more than one column {name}"
        found = _of_columns(column, other, expected.index)
        if found:
            return f"{name} {found}"
    return ""


def _starts(name: Any, added: str) -> bool:
    """Return whether a column is the one that was added, or comes from it."""
    parts = name if isinstance(name, tuple) else (name,)
    return any(str(part).startswith(added) for part in parts)


def _in_order(table: pd.DataFrame) -> pd.DataFrame:
    if table.index.has_duplicates or table.index.is_monotonic_increasing:
        return table
    return table.sort_index(key=lambda level: level.astype("str") if level.dtype == "O" else level)


def _of_columns(expected: "pd.Series[Any]", got: "pd.Series[Any]", labels: pd.Index) -> str:
    if expected.array.equals(got.array):  # of the same dtype too: most are, and this is quick
        return ""
    ours, theirs = _numbers(expected), _numbers(got)
    if ours is not None and theirs is not None:
        tolerance = NEAR * np.abs(ours) + NEAR
        with np.errstate(invalid="ignore"):  # the difference of infinities
            near = (np.abs(ours - theirs) <= tolerance) | (ours == theirs)
        differs = ~(near | (np.isnan(ours) & np.isnan(theirs)))
        zones = getattr(expected.dtype, "tz", None), getattr(got.dtype, "tz", None)
        if str(zones[0]) != str(zones[1]):
            return f"is in {zones[1]}, not {zones[0]}"
    else:
        pairs = zip(expected.astype("object"), got.astype("object"), strict=True)
        differs = np.array([not _alike(one, other) for one, other in pairs], dtype=bool)
    if not differs.any():
        return ""
    row = int(np.argmax(differs))
    return (
        f"at {labels[row]}: {expected.iloc[row]!r} is {got.iloc[row]!r}"
        f" ({differs.sum()} of {len(differs)} differ)"
    )


def _numbers(column: "pd.Series[Any]") -> "np.ndarray[Any, Any] | None":
    """Return a column as numbers, whatever its dtype; None if it has text."""
    if column.dtype.kind in "mM" or isinstance(column.dtype, pd.DatetimeTZDtype):
        stamps = pd.Index(column).as_unit("us").asi8.astype("float64")
        return np.where(column.isna(), np.nan, stamps / 1e6)
    if column.dtype.kind in "bfiu":
        return column.to_numpy("float64", na_value=np.nan)
    try:
        return column.astype("object").where(column.notna(), np.nan).to_numpy("float64")
    except (TypeError, ValueError):
        return None


def _lines(path: Path) -> list[str]:
    """Return the lines of a file; of a page, the cells of its tables."""
    text = path.read_text()
    if path.suffix != ".html":
        return text.splitlines()
    return re.findall(r"<t[dh]\b[^>]*>(.*?)</t[dh]>", text, re.DOTALL)


def _rows(sheet: Any, added: str) -> list[str]:
    """Return each row of a table for reading as text, in an order of its own."""
    names = [heading.full for heading in sheet.headings]
    rows = [zip(names, row, strict=True) for row in sheet.rows]
    return sorted("; ".join(sorted(f"{n}: {c}" for n, c in row if n != added)) for row in rows)


def _of_lines(expected: list[str], got: list[str]) -> str:
    for number, (line, other) in enumerate(zip(expected, got, strict=False), start=1):
        if line != other:
            return f"line {number}: {line[:300]!r} is {other[:300]!r}"
    return "" if len(expected) == len(got) else f"{len(expected)} lines are {len(got)}"


def _figures(result: Any) -> list[Any]:
    """Return the Axes of a result that is drawn, those of all its panels."""
    if isinstance(result, Figure):
        return list(result.axes)
    if isinstance(result, Axes):
        return _figures(result.figure.figure)
    if isinstance(result, list | tuple | np.ndarray) and len(result) > 0:
        first = result.flat[0] if isinstance(result, np.ndarray) else result[0]
        return _figures(first) if isinstance(first, Axes | Figure) else []
    return []


def _of_figures(expected: list[Any], got: list[Any]) -> str:
    if len(expected) != len(got):
        return f"{len(expected)} panels are {len(got)}"
    for number, (ax, other) in enumerate(zip(expected, got, strict=True)):
        ours, theirs = _data(ax), _data(other)
        if [name for name, _ in ours] != [name for name, _ in theirs]:
            return f"panel {number}: {len(ours)} artists are {len(theirs)}, or of other kinds"
        for (name, values), (_, others) in zip(ours, theirs, strict=True):
            if values.shape != others.shape:
                return f"panel {number}, {name}: {values.shape} points are {others.shape}"
            differs = ~np.isclose(values, others, rtol=NEAR, atol=NEAR, equal_nan=True)
            if differs.any():
                row = int(np.argmax(differs))
                one, two = float(values[row]), float(others[row])
                return f"panel {number}, {name}, number {row}: {one!r} is {two!r}"
    return ""


def _data(ax: Axes) -> list[tuple[str, Any]]:
    """Return the numbers behind the artists of an Axes, each with the kind of its artist."""
    return [(type(each).__name__, _behind(each)) for each in ax.get_children() if _drawn(each)]


def _drawn(artist: Any) -> bool:
    return isinstance(artist, Line2D | Collection | Patch | AxesImage)


def _behind(artist: Any) -> Any:
    if isinstance(artist, Line2D):
        parts = [artist.get_xdata(orig=False), artist.get_ydata(orig=False)]
    elif isinstance(artist, AxesImage):
        parts = [artist.get_array(), artist.get_extent()]
    elif isinstance(artist, Patch):
        path = artist.get_path().transformed(artist.get_patch_transform())
        parts = [path.vertices]
    else:
        parts = [path.vertices for path in artist.get_paths()]
        parts += [artist.get_offsets()]
        if artist.get_array() is not None:
            parts.append(artist.get_array())
    filled = [np.ma.filled(np.ma.asarray(part, dtype=float), np.nan).ravel() for part in parts]
    return np.concatenate(filled) if filled else np.empty(0)
