"""Named results for reading: a named tuple prints as a small table with words.

The meaning of each field is in ``columns.csv``, under the name of the result. Fields, equality,
unpacking and pickling remain those of the named tuple.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd

from eyelog.analysis.series.arrays import MISSING, Floats
from eyelog.measure.columns import column
from eyelog.measure.sheet import NOTHING, Heading, Sheet, decimals, number_text, p_text

Result = TypeVar("Result", bound=type[tuple[Any, ...]])
Named = TypeVar("Named", bound=tuple[Any, ...])
Beside = tuple[str, ...]


def all_missing(kind: type[Named], **known: Any) -> Named:
    """Return a named result of which only some values are known, such as its n; no reason yet."""
    result = cast(Any, kind)
    return cast(Named, result(**(dict.fromkeys(result._fields, MISSING) | {"reason": ""} | known)))


def shown(
    title: str, *, ends: str = "95 % interval", **beside: Beside
) -> Callable[[Result], Result]:
    """Give a named tuple a table for reading, which it prints and which a notebook shows.

    Parameters
    ----------
    title : str
        The result in a few words.
    ends : str
        The heading of the column beside the values.
    **beside : tuple of str
        For a field, the two ends of its interval, or only its standard error: fields that are shown
        in its row. A name that is not a field gets a separate row for its interval.
    """

    def decorate(result: Result) -> Result:
        def sheet(self: Any) -> Sheet:
            return _sheet(self, title, ends, beside)

        def text(self: Any) -> str:
            return sheet(self).text()

        def page(self: Any) -> str:
            return sheet(self).html()

        # Not through the class statement: a named tuple cannot have another base.
        for name, method in (("__repr__", text), ("__str__", text), ("_repr_html_", page)):
            method.__name__, method.__qualname__ = name, f"{result.__qualname__}.{name}"
            setattr(result, name, method)
        return result

    return decorate


def _sheet(result: Any, title: str, ends: str, beside: Mapping[str, Beside]) -> Sheet:
    kind = type(result).__name__
    values: dict[str, Any] = result._asdict()
    if any(isinstance(value, pd.Series) for value in values.values()):
        return _of_series(title, kind, values)
    inside = {name: main for main, names in beside.items() for name in names}
    rows, done = [], set()
    for name in values:
        main = inside.get(name, name)
        if name == "reason" or main in done:
            continue
        done.add(main)
        rows.append(_row(kind, main, beside.get(main, ()), values))
    headings = [Heading("Field", "Field"), Heading("Value", "Value")]
    if beside:
        headings.append(Heading(ends, ends))
    else:
        rows = [[name, value, meaning] for name, value, _, meaning in rows]
    headings.append(Heading("Meaning", "Meaning", is_text=True))
    reason = values.get("reason", "")
    return Sheet(headings, rows, title, [f"Remark: {reason.rstrip('.')}."] if reason else [])


def _row(kind: str, main: str, ends: Beside, values: Mapping[str, Any]) -> list[str]:
    """Return the cells of one field: its name, value, interval or error, and meaning."""
    about = column(main, table=kind, period="")
    parts = [values[name] for name in (main, *ends) if name in values]
    if not all(isinstance(value, int | float | np.number) for value in parts):
        return [main, " to ".join(str(value) or NOTHING for value in parts), "", about.text]
    numbers = np.array(parts, dtype=np.float64)
    whole = all(isinstance(value, int | np.integer) for value in parts)
    places = 0 if whole else _places(numbers, about.digits)
    below = bool((numbers[~np.isnan(numbers)] >= 0).all())
    texts = {
        name: number_text(values[name], places, below=below)
        for name in (main, *ends)
        if name in values
    }
    if about.label.startswith("p of "):
        texts[main] = p_text(values[main], places)
    apart = [texts[name] for name in ends]
    if all(text == NOTHING for text in apart):
        interval = NOTHING if apart else ""
    else:
        interval = " to ".join(apart)
    return [main if main in values else ", ".join(ends), texts.get(main, ""), interval, about.text]


def _places(numbers: Floats, digits: int | None) -> int:
    """Return the decimals for a value and its interval or error: as many as the finer one needs.

    Two significant digits of an interval's width, or of a standard error, show the precision.
    """
    value, beside = numbers[:1], numbers[1:]
    if digits is not None or not len(beside):
        return decimals(value, digits)
    width = np.abs(beside if len(beside) == 1 else np.diff(beside))
    if np.isinf(width).any():
        return max(decimals(numbers[i : i + 1], None) for i in range(len(numbers)))
    return max(decimals(value, None), decimals(width, None) - 1)


def _of_series(title: str, kind: str, values: Mapping[str, Any]) -> Sheet:
    """Return a row for each label of the Series that the fields hold."""
    table = pd.DataFrame(dict(values))
    headings, cells = [Heading("Label", "Label")], [[str(label) for label in table.index]]
    for name in table.columns:
        about = column(name, table=kind, period="")
        numbers = table[name].to_numpy(dtype=np.float64, na_value=np.nan)
        places = decimals(numbers, about.digits)
        headings.append(Heading(about.label, name, about.unit, about.unit, name))
        cells.append([number_text(value, places) for value in numbers])
    return Sheet(headings, [list(row) for row in zip(*cells, strict=True)], title)
