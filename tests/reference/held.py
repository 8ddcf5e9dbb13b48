"""Hold a table of the library against the one of the reference, value by value."""

import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

import eyelog as el


def quietly(ask: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Return an answer of the library without what it says about evidence that is not there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", el.EyelogWarning)
        return ask(*args, **options)


def missing(value: Any) -> bool:
    """Return whether a cell holds nothing."""
    return value is None or value is pd.NA or value is pd.NaT or value != value


def same(ours: Any, theirs: Any, *, angle: bool = False, rel: float = 1e-9) -> bool:
    """Return whether two cells agree: both missing, equal, or near to the last digits."""
    if missing(ours) or missing(theirs):
        return missing(ours) and missing(theirs)
    if isinstance(ours, pd.Timestamp | str):
        return bool(ours == theirs)
    ours, theirs = float(ours), float(theirs)
    if angle:
        return abs((ours - theirs + 180) % 360 - 180) < 1e-7
    return math.isclose(ours, theirs, rel_tol=rel, abs_tol=1e-9)


ANGLES = {"tl_xav", "tl_yav", "lng", "tilt_fore_aft_deg", "tilt_sideways_deg"}


def disagreements(
    reference: Mapping[Any, Mapping[str, Any]], table: pd.DataFrame, columns: list[str]
) -> list[str]:
    """Return a line for each cell in which the table is not what the reference says."""
    lines = [f"{label}: no such row" for label in reference if label not in table.index]
    rows = dict(zip(table.index, table.to_dict("records"), strict=True))
    for label, cells in reference.items():
        if label not in rows:
            continue
        for name in columns:
            if name not in table.columns:
                lines.append(f"{name}: no such column")
            elif not same(cells[name], rows[label][name], angle=name in ANGLES):
                lines.append(f"{label} {name}: {cells[name]!r} is {rows[label][name]!r}")
    return lines[:12]


def agree(
    reference: Mapping[Any, Mapping[str, Any]], table: pd.DataFrame, columns: list[str]
) -> None:
    """Fail with the first cells that differ: what the reference says, and what the table says."""
    lines = disagreements(reference, table, columns)
    assert not lines, "\n".join(lines)
