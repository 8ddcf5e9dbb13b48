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

__all__ = [
    "Column",
    "choose",
    "column",
    "documented",
    "groups",
    "interval_columns",
    "is_measured",
    "label",
    "meanings",
    "names",
    "table_of",
]

ENDING: Final = "*"
# How a special table is recognised: its columns, and names of the index. The first that fits is
# used.
TABLES: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = MappingProxyType(
    {
        "weekly": (frozenset({"days_counted"}), frozenset()),
        "explain": (frozenset({"MISSING", "masked_share"}), frozenset()),
        "attrition": (frozenset({"condition", "removed", "left"}), frozenset()),
        "inventory": (frozenset({"account", "log", "gaps"}), frozenset()),
        "blinks.cleansings": (frozenset({"rate_per_min"}), frozenset({"cleansing"})),
        "blinks.rate": (frozenset({"rate_per_min"}), frozenset()),
        "blinks.strength": (frozenset({"strength_uv"}), frozenset()),
        "blinks.duration": (frozenset({"duration_ms"}), frozenset()),
        "blinks.bursts": (frozenset({"burst_share"}), frozenset()),
        "blinks.blinks": (frozenset({"closed_ms", "interval_s"}), frozenset()),
        "eyes.moves": (frozenset({"direction", "size", "counted"}), frozenset()),
        "gait.steps": (frozenset({"step_time_s", "between"}), frozenset()),
        "posture.turns": (frozenset({"size_deg", "peak_g"}), frozenset()),
        "posture.tilt": (frozenset({"fore_aft_deg", "fore_aft_sd_deg"}), frozenset()),
        "posture.angles": (frozenset({"roll_deg", "pitch_deg", "yaw_deg"}), frozenset()),
        "gait.bouts": (frozenset({"start", "pace_spm"}), frozenset()),
        "gait.pace": (frozenset({"pace_spm", "exposure_min"}), frozenset()),
        "gait.peak_cadence": (frozenset({"peak_spm"}), frozenset()),
        "gait.speed_classes": (frozenset({"share_fastest"}), frozenset()),
        "baseline.personal": (frozenset({"baseline", "spread"}), frozenset()),
        "baseline.new_levels": (frozenset({"before", "after", "p"}), frozenset()),
        "compare.group_rates": (frozenset({"rate", "wearers", "exposed"}), frozenset()),
        "compare.logs": (frozenset({"mean_current", "bias"}), frozenset()),
        "compare.agreement": (frozenset({"mean_fifteen", "bias"}), frozenset()),
        "compare.fit_mixed": (frozenset({"estimate", "se"}), frozenset()),
    }
)
EXCEPT: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {"gait.pace": frozenset({"worn_h"})}  # the columns of a day
)


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


Rows = Mapping[tuple[str, str], Mapping[str, str]]


@cache
def _rows() -> Rows:
    text = files("eyelog.analysis").joinpath("columns.csv").read_text("utf-8")
    rows = csv.DictReader(text.splitlines())
    return MappingProxyType({(row["table"], row["name"]): MappingProxyType(row) for row in rows})


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
    return _named(name, table, log, period) or _unknown(name)


def label(name: str, *, table: str = "", log: str | None = None, period: str = "day") -> str:
    """Return the label of a column with its unit: ``"Worn (h per day)"``; see `column`."""
    return column(name, table=table, log=log, period=period).text


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
    return [_of_row(row, row["name"], "{period}") for row in _rows().values()]


def names() -> list[str]:
    """Return the names of all columns of ``columns.csv`` that are not endings."""
    return list(dict.fromkeys(name for _, name in _rows() if not name.startswith(ENDING)))


def meanings(name: str) -> list[Column]:
    """Return a column of a result in each meaning that it has, the general one first.

    A field of a log is not such a column; its endings are, such as ``sc_fcs_mean``.
    """
    rows = [_of_row(row, name, "day") for (_, of), row in _rows().items() if of == name]
    if rows:
        return sorted(rows, key=lambda one: one.table != "")
    derived = None if _field(name, None) else _named(name, "", None, "day")
    return [] if derived is None else [derived]


def table_of(columns: Iterable[object], index: Iterable[object] = ()) -> str:
    """Return which table has these columns and index names, empty if it is not a special one.

    Only tables in which a name has a different meaning are distinguished.
    """
    names, levels = set(map(str, columns)), {str(name) for name in index if name}
    for table, (needs, beside) in TABLES.items():
        if needs <= names and beside <= levels and not EXCEPT.get(table, frozenset()) & names:
            return table
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
    row = _rows().get((table, name)) or _rows().get(("", name))
    if row is not None:
        return _of_row(row, name, period)
    field = _field(name, log)
    if field is not None:
        return _of_field(field)
    for (of, ending), row in _rows().items():
        if of or not ending.startswith(ENDING) or not name.endswith(ending[1:]):
            continue
        base = _named(name.removesuffix(ending[1:]), table, log, period)
        if base is not None:
            return _with_ending(base, name, row)
    return None


def _of_row(row: Mapping[str, str], name: str, period: str) -> Column:
    return Column(
        table=row["table"],
        name=name,
        group=row["group"],
        few=bool(row["few"]),
        label=row["label"],
        short=row["short"] or row["label"],
        unit=_per(row["unit"], period) if row["table"] or ENDING not in name else row["unit"],
        digits=int(row["digits"]) if row["digits"].isdigit() else None,
        meaning=row["meaning"] or "",
    )


def _unknown(name: str) -> Column:
    return Column("", name, "", False, str(name), str(name), "", None)


def _per(unit: str, period: str) -> str:
    """Return a unit with its period, or without it if there is no period."""
    if period:
        return unit.format(period=period)
    return unit.replace("per {period}", "").strip()


def _field(name: str, log: str | None) -> Field | None:
    for one in (log,) if log else known_logs():
        if name in catalogue(one):
            return catalogue(one)[name]
    return None


def _of_field(field: Field) -> Column:
    unit = "" if field.unit in ("count", "bool") else field.unit
    digits = {"count": 0, "score": 0, "ms": 0, "uV-equiv": 0, "spm": 0, "deg": 1, "cm": 1, "s": 1}
    group = "scores" if "score" in field.role else ""
    return Column(
        table="",
        name=field.name,
        group=group,
        few=False,
        label=field.label,
        short=field.label,
        unit=unit,
        digits=digits.get(field.unit),
        meaning=field.description or f"{field.label}.",
    )


def _with_ending(base: Column, name: str, row: Mapping[str, str]) -> Column:
    """Return the column that an ending derives from another one."""
    own = row["digits"]
    return dataclasses.replace(
        base,
        name=name,
        few=False,
        label=row["label"].format(label=base.label),
        short=row["short"].format(label=base.short),
        unit=row["unit"].format(unit=base.unit),
        digits=base.digits if own == "{digits}" else int(own) if own else None,
        meaning=f"{row['meaning']} {base.label}: {base.meaning[:1].lower()}{base.meaning[1:]}",
    )
