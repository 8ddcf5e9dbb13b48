"""The catalogue: what eyelog knows about each field of each log.

``fields.csv`` is the only place that knows a field; this module turns its rows into frozen
`Field` records and answers questions about them. The same name can mean different things in the
two logs, so every look-up names the log.
"""

import csv
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from eyelog.errors import ConfigurationError, FieldError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "COMPUTED_DATA",
    "INTERVAL_SECONDS",
    "LOGS",
    "STANDARD_MODE_LOGS",
    "Field",
    "catalogue",
    "catalogue_version",
    "check_fields",
    "check_log",
    "columns",
    "field",
    "fields",
    "near",
]

COMPUTED_DATA: Final = "computed_data"
STANDARD_MODE_LOGS: Final = "standard_mode_logs"
INTERVAL_SECONDS: Final[Mapping[str, int]] = MappingProxyType(
    {COMPUTED_DATA: 15, STANDARD_MODE_LOGS: 60}
)
LOGS: Final = tuple(INTERVAL_SECONDS)

_DTYPES: Final = {
    "int": "float64",  # a whole number may be missing, so it is held as a float
    "float": "float64",
    "bool": "boolean",
    "str": "string",
    "datetime": "datetime64[us, UTC]",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of one log. None (or an empty text) means unknown, and is not checked."""

    log: str
    name: str
    long_name: str
    json_type: str
    value_type: str
    unit: str
    min: float | None
    max: float | None
    invalid_value: float | None
    kind: str
    cleansing: str
    group: str
    agg: str
    weight: tuple[str, ...]
    label: str
    description: str
    source: str

    @property
    def dtype(self) -> str:
        """The dtype of the field's column, whatever the values of the day."""
        return _DTYPES[self.value_type]

    @property
    def documented(self) -> bool:
        """Whether a source says what the field means; if not, it is never interpreted."""
        return self.source == "vendor-doc"


def _number(text: str) -> float | None:
    return float(text) if text else None


def _csv_bytes() -> bytes:
    return files("eyelog").joinpath("fields.csv").read_bytes()


@cache
def _table() -> Mapping[str, Mapping[str, Field]]:
    table: dict[str, dict[str, Field]] = {log: {} for log in LOGS}
    for row in csv.DictReader(_csv_bytes().decode("utf-8").splitlines()):
        is_date = row["value_type"] == "datetime"
        table[row["log"]][row["name"]] = Field(
            **{key: row[key] for key in ("log", "name", "long_name", "json_type", "value_type")},
            **{key: row[key] for key in ("unit", "kind", "cleansing", "group", "agg")},
            **{key: row[key] for key in ("description", "source")},
            label=row["label"] or row["name"],
            min=None if is_date else _number(row["min"]),
            max=None if is_date else _number(row["max"]),
            invalid_value=_number(row["invalid_value"]),
            weight=tuple(row["weight"].split("+")) if row["weight"] else (),
        )
    return MappingProxyType({log: MappingProxyType(rows) for log, rows in table.items()})


@cache
def catalogue_version() -> str:
    """Return a short digest of ``fields.csv``, written into the files of an archive."""
    return sha256(_csv_bytes()).hexdigest()[:12]


def near(name: str, known: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the nearest known name, or an empty text."""
    found = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.6)
    return f" (did you mean {found[0]!r}?)" if found else ""


def check_log(log: str) -> str:
    """Return `log` if it is one of the two logs, else raise `ConfigurationError`."""
    if log not in LOGS:
        raise ConfigurationError(
            f"unknown log {log!r}{near(log, LOGS)}: use {LOGS[0]!r} (15-second) or"
            f" {LOGS[1]!r} (60-second)"
        )
    return log


def catalogue(log: str) -> Mapping[str, Field]:
    """Return the fields of `log` by name, in catalogue order, ``date`` first."""
    return _table()[check_log(log)]


@cache
def columns(log: str) -> tuple[str, ...]:
    """Return the names of the columns of a frame of `log`: all fields but ``date``."""
    return tuple(name for name in catalogue(log) if name != "date")


def field(log: str, name: str) -> Field:
    """Return one field, or raise `FieldError` with the nearest name."""
    known = catalogue(log)
    if name not in known:
        raise FieldError(
            f"unknown field {name!r} in log {log!r}{near(name, known)}:"
            f" eyelog.fields({log!r}) lists them"
        )
    return known[name]


def check_fields(log: str, names: Iterable[str] | None) -> tuple[str, ...]:
    """Return `names` in catalogue order, each once and without ``date``; None means all.

    Raises
    ------
    FieldError
        If a name is not a field of `log`, or if only ``date`` or nothing is asked.
    """
    if names is None:
        return columns(log)
    wanted = {names} if isinstance(names, str) else set(names)
    for name in sorted(wanted):
        field(log, name)
    chosen = tuple(name for name in columns(log) if name in wanted)
    if not chosen:
        raise FieldError(f"no field asked of log {log!r}: name at least one besides 'date'")
    return chosen


def fields(log: str) -> "pd.DataFrame":
    """Return the catalogue of one log as a table.

    Parameters
    ----------
    log : {"computed_data", "standard_mode_logs"}
        The 15-second or the 60-second log.

    Returns
    -------
    DataFrame
        Index ``name`` in catalogue order (``date`` first); columns ``label``, ``unit``, ``dtype``,
        ``min``, ``max``, ``invalid_value`` (float64, missing where unknown), ``kind``,
        ``cleansing``, ``group``, ``agg``, ``weight``, ``long_name``, ``description`` and
        ``source`` (how well the meaning is known).

    Raises
    ------
    ConfigurationError
        If there is no such log.

    Examples
    --------
    >>> import eyelog as el
    >>> el.fields("computed_data").loc["cad", ["label", "unit", "agg", "weight"]].tolist()
    ['Cadence', 'spm', 'wmean', 'stp']
    >>> len(el.fields("computed_data")), len(el.fields("standard_mode_logs"))
    (75, 46)
    """
    import pandas as pd  # slow to load, and only this function needs it

    rows = [
        {
            "name": f.name,
            "label": f.label,
            "unit": f.unit,
            "dtype": f.dtype,
            "min": f.min,
            "max": f.max,
            "invalid_value": f.invalid_value,
            "kind": f.kind,
            "cleansing": f.cleansing,
            "group": f.group,
            "agg": f.agg,
            "weight": "+".join(f.weight),
            "long_name": f.long_name,
            "description": f.description,
            "source": f.source,
        }
        for f in catalogue(log).values()
    ]
    table = pd.DataFrame(rows).set_index("name")
    return table.astype({"min": "float64", "max": "float64", "invalid_value": "float64"})
