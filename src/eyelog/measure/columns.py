"""The columns of summaries: the label of each, its unit, and its meaningful decimals.

``columns.csv`` is the only place that defines them: figures, tables for reading, reports and the
command line take labels, units and digits from here. A row without a table applies to every table;
one with a table (the name of its step in the provenance, or of a named result) for that one alone.
``*_low`` and the like are endings: the rest of the name is another column, or a field of the
catalogue, whose label and unit they take. ``{period}`` is the length of the rows, such as a day.
``few`` marks the columns that are shown first; ``meaning`` says in a sentence what one means.
"""

import csv
import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from eyelog.catalogue import Field, catalogue, known_logs, near
from eyelog.errors import FieldError

ENDING: Final = "*"
# The meaningful decimals of fields, by their unit.
DIGITS: Final[Mapping[str, int]] = {
    **dict.fromkeys(("count", "score", "ms", "uV-equiv", "spm"), 0),
    **dict.fromkeys(("deg", "cm", "s"), 1),
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a summary.

    Attributes
    ----------
    table : str
        The table that the row is about; empty for all.
    name : str
        The name of the column.
    group : str
        Its subject: ``wear``, ``gait``, ``eyes``, ``head``, ``scores``, or empty.
    few : bool
        Whether it is among the columns that are shown first.
    label : str
        Its name on an axis or in a heading.
    short : str
        The same for narrow places.
    unit : str
        Empty for counts, names and stamps.
    digits : int or None
        Meaningful decimals; None if they depend on the values.
    meaning : str
        What it means, in one sentence; empty for a column that eyelog does not know.
    """

    table: str
    name: str
    group: str
    few: bool
    label: str
    short: str
    unit: str
    digits: int | None
    meaning: str = ""

    @property
    def text(self) -> str:
        """The label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


@cache
def rows_of(file: str = "columns.csv") -> tuple[Mapping[str, str], ...]:
    """Return the rows of a table of this room."""
    text = files("eyelog.measure").joinpath(file).read_text("utf-8")
    return tuple(MappingProxyType(row) for row in csv.DictReader(text.splitlines()))


@cache
def column(name: str, *, table: str = "", log: str | None = None, period: str = "day") -> Column:
    """Return the entry of a column of a summary, or of a field.

    Parameters
    ----------
    name : str
        The name of the column: of ``columns.csv``, of a field of the catalogue, or one of these
        with an ending such as ``_low``. Any other name is its own label, without a unit.
    table : str
        The table that the column is in: the name of the step that made it (``"blinks.rate"``) or of
        a named result (``"Trend"``), if the same name has several meanings.
    log : str, optional
        The log whose fields are meant; the same name is the same field in both logs.
    period : str
        What one row is: ``"day"``, ``"week"``, ``"hour"``, ``"10 min"``; empty if rows are not
        periods of one length. Units of hours and steps name it: "h per day".
    """
    unknown = Column("", name, "", False, str(name), str(name), "", None)
    return _named(name, table, log, period) or unknown


def interval_columns(name: str) -> tuple[str, str]:
    """Return the names that the ends of the interval of a column have, if a table has them."""
    noun = name.removesuffix("_per_min")
    return f"{noun}_low", f"{noun}_high"


def is_measured(name: str) -> bool:
    """Return whether eyelog measures what a column of this name holds, or its log has it."""
    described = _named(name, "", None, "")
    return described is not None and bool(described.group or _field(name, None))


def documented() -> list[Column]:
    """Return every row of ``columns.csv``, in its order; endings have a ``*`` for the column."""
    return [_of_row(row, row["name"], "{period}") for row in rows_of()]


def names() -> list[str]:
    """Return the names of all columns of ``columns.csv`` that are not endings."""
    every = dict.fromkeys(row["name"] for row in rows_of())
    return [name for name in every if not name.startswith(ENDING)]


def meanings(name: str) -> list[Column]:
    """Return a column of a result in each meaning that it has, the general one first.

    A field of a log is not such a column; its endings are, such as ``sc_fcs_mean``.
    """
    rows = [_of_row(row, name, "day") for row in rows_of() if row["name"] == name]
    if rows:
        return sorted(rows, key=lambda one: one.table != "")
    derived = None if _field(name, None) else _named(name, "", None, "day")
    return [] if derived is None else [derived]


def table_of(columns: Iterable[object], index: Iterable[object] = ()) -> str:
    """Return which table has these columns and index names, empty if it is not a special one.

    Only tables in which a name has a different meaning are distinguished, by the first row of
    ``tables.csv`` that fits: the columns and the names of the index that a table has, and the
    columns that it has not.
    """
    columns, levels = set(map(str, columns)), {str(name) for name in index if name}
    for row in rows_of("tables.csv"):
        needs, beside, without = (set(row[part].split()) for part in ("columns", "index", "not"))
        if needs <= columns and beside <= levels and not without & columns:
            return row["table"]
    return ""


def groups(names: Iterable[str], *, table: str = "") -> list[str]:
    """Return the groups that columns of these names can be chosen by, in their order."""
    named = (column(name, table=table).group for name in names)
    return list(dict.fromkeys(group for group in named if group))


def choose(names: Iterable[str], wanted: str | Iterable[str], *, table: str = "") -> list[str]:
    """Return those of `names` that are wanted, by name or by group, in their own order.

    Raises
    ------
    FieldError
        If a wanted name is neither a column of the table nor a group.
    """
    present = list(names)
    wanted_names = {wanted} if isinstance(wanted, str) else set(wanted)
    group_of = {name: column(name, table=table).group for name in present}
    choices = [*groups(present, table=table), *present]
    for one in sorted(wanted_names.difference(choices), key=str):
        labels = {column(name, table=table).label.casefold(): name for name in reversed(present)}
        headed = labels.get(str(one).casefold(), "")
        hint = f" (did you mean {headed!r}?)" if headed else near(one, choices)
        raise FieldError(
            f"no column or group of columns {one!r}{hint}: use the groups"
            f" {', '.join(groups(present, table=table))}, or the names of columns"
        )
    return [name for name in present if name in wanted_names or group_of[name] in wanted_names]


def _named(name: str, table: str, log: str | None, period: str) -> Column | None:
    """Return a column by its row, its field, or its ending; None if it has none of them."""
    named = {row["table"]: row for row in rows_of() if row["name"] == name}
    row = named.get(table) or named.get("")
    if row is not None:
        return _of_row(row, name, period)
    field = _field(name, log)
    if field is not None:
        return Column(
            table="",
            name=name,
            group="scores" if "score" in field.role else "",
            few=False,
            label=field.label,
            short=field.label,
            unit="" if field.unit in ("count", "bool") else field.unit,
            digits=DIGITS.get(field.unit),
            meaning=field.description or f"{field.label}.",
        )
    for row in rows_of():
        ending = row["name"].removeprefix(ENDING)
        if row["table"] or ending == row["name"] or not name.endswith(ending):
            continue
        base = _named(name.removesuffix(ending), table, log, period)
        if base is not None:
            own = row["digits"]
            return dataclasses.replace(
                base,
                name=name,
                few=False,
                label=row["label"].format(label=base.label),
                short=row["short"].format(label=base.short),
                unit=row["unit"].format(unit=base.unit),
                digits=base.digits if own == "{digits}" else int(own) if own else None,
                meaning=f"{row['meaning']} {base.label}: {base.meaning[:1].lower()}"
                f"{base.meaning[1:]}",
            )
    return None


def _of_row(row: Mapping[str, str], name: str, period: str) -> Column:
    unit = row["unit"]
    if row["table"] or ENDING not in name:
        # Without a period, its name goes.
        unit = unit.format(period=period) if period else unit.replace("per {period}", "").strip()
    return Column(
        table=row["table"],
        name=name,
        group=row["group"],
        few=bool(row["few"]),
        label=row["label"],
        short=row["short"] or row["label"],
        unit=unit,
        digits=int(row["digits"]) if row["digits"].isdigit() else None,
        meaning=row["meaning"] or "",
    )


def _field(name: str, log: str | None) -> Field | None:
    for one in (log,) if log else known_logs():
        if name in catalogue(one):
            return catalogue(one)[name]
    return None
