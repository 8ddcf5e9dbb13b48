"""Every public function answers what it answered: within 1e-9, in the same dtypes and columns.

If a difference is meant, `make.py` says how to write the answers anew.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import pandas as pd
import pytest

from golden.make import CALLS, TABLES, Column, answers, stored
from support.public import public_names

NEAR = 1e-9
OLD_PANDAS = int(pd.__version__.split(".")[0]) < 3  # has no dtype "str": text is "object" there

# Public functions that return no table; methods and classes apart.
NONE = {
    "cohort.pseudonymise": "its names are made from a key that nobody else has",
    "report": "a page",
    "report_cohort": "a page",
    "save_figure": "a file",
    "connect": "a client",
    "serve": "a service",
    "register": "an application of a service",
}


@pytest.mark.parametrize("function", CALLS)
def test_a_function_answers_what_it_answered(function: str) -> None:
    lines = differences(stored(function), answers(function))
    lines = [f"{function}: {line}" for line in lines]
    meant = f"if this is meant: python tests/golden/make.py --only {function}"
    assert not lines, "\n".join([*lines, meant])


def test_every_public_function_has_its_answers_stored_or_says_why_not() -> None:
    functions = {
        name
        for name, thing in public_names().items()
        if not isinstance(thing, type)
        and not name.split(".")[-1].startswith("plot_")
        and not name[0].isupper()
    }
    assert sorted(functions - set(NONE) - set(CALLS)) == [], "fill CALLS of tests/golden/make.py"
    assert sorted({*CALLS, *NONE} - functions) == [], "gone: take them out"
    assert sorted(path.stem for path in TABLES.glob("*.parquet")) == sorted(CALLS)


def differences(before: list[Column], now: list[Column]) -> list[str]:
    """Return a line for each column that differs: in which calls, and the largest difference."""
    columns, others = by_place(before), by_place(now)
    found: dict[str, list[tuple[float, str, str]]] = defaultdict(list)
    for place, kept in columns.items():
        call, table, name = place
        label = f"{table} {name}".strip()
        if place in others:
            found[label] += [(size, call, text) for size, text in of_column(kept, others[place])]
        else:
            found[label].append((math.inf, call, "is gone"))
    for call, table, name in others.keys() - columns.keys():
        found[f"{table} {name}".strip()].append((math.inf, call, "is new"))
    lines = [_line(label, places) for label, places in found.items() if places]
    if not lines and list(columns) != list(others):
        lines = ["the order of the columns is another"]
    return lines


def by_place(columns: list[Column]) -> dict[tuple[str, str, str], Column]:
    """Return columns by call, table and name; the second of one name has a number too."""
    found: dict[tuple[str, str, str], Column] = {}
    for column in columns:
        name, number = column.name, 1
        while (column.call, column.table, name) in found:
            number += 1
            name = f"{column.name} ({number})"
        found[column.call, column.table, name] = column
    return found


def of_column(before: Column, now: Column) -> Iterator[tuple[float, str]]:
    """Return how a column differs: how much at most, and where."""
    if before.dtype != now.dtype and not (OLD_PANDAS and {before.dtype, now.dtype} <= TEXTS):
        yield math.inf, f"{before.dtype} is {now.dtype}"
    elif len(before.values) != len(now.values):
        yield math.inf, f"{len(before.values)} rows are {len(now.values)}"
    elif before.values != now.values:
        rows = enumerate(zip_longest(before.values, now.values))
        sizes = [(apart(*both), row, *both) for row, both in rows]
        sizes = [each for each in sizes if each[0] > 0]
        if sizes:
            size, row, one, other = max(sizes, key=lambda each: each[0])
            yield size, f"row {row}: {one!r} is {other!r} ({len(sizes)} rows differ)"


TEXTS = {"str", "object"}


def apart(one: Any, other: Any) -> float:
    """Return how far two values lie apart: nothing if within 1e-9 of their size, or of one."""
    if one == other:
        return 0.0
    if isinstance(one, float) and isinstance(other, float):
        near = math.isclose(one, other, rel_tol=NEAR, abs_tol=NEAR)
        return 0.0 if near else abs(one - other)
    if isinstance(one, int) and isinstance(other, int):
        return float(abs(one - other))
    return math.inf


def _line(label: str, places: list[tuple[float, str, str]]) -> str:
    size, call, text = max(places, key=lambda place: place[0])
    more = f", and in {len(places) - 1} other calls" if len(places) > 1 else ""
    by = f", {size:.3g} apart" if math.isfinite(size) else ""
    return f"column {label}: {call}, {text}{by}{more}"
