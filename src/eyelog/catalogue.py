"""The catalogue: everything that eyelog knows about each field of each log.

``fields.csv`` is the only place where fields are named, and ``catalogue.toml`` has what differs
between logs beyond them; this module makes frozen `Field` and `Log` records of both. The same name
can mean different things in the two logs, so every look-up states the log.

The column ``role`` says what part a field plays in an analysis: ``steps``, ``worn``, ``noise_s``,
``tilt_sideways``. Code asks for a role and so need not name the fields of either log. A field can
play several parts (separated by spaces in the file), and several fields can share one (the four
step classes of the 60-second log are all ``steps``). What plays a part differs between the logs:
``worn`` is a yes or no in the 15-second log and a number of seconds in the 60-second log.

Files name fields in several ways: by the short name (``stp``), by the long one (``stepCount``), and
by older spellings and corrected misprints, which are in ``othernames.csv``.
"""

import csv
import difflib
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from eyelog.errors import ConfigurationError, FieldError, warn

COMPUTED_DATA: Final = "computed_data"
STANDARD_MODE_LOGS: Final = "standard_mode_logs"
CURRENT_DATA: Final = "current_data"


@dataclass(frozen=True, slots=True)
class Log:
    """What is known about a log beyond its single fields: the one place where logs differ.

    Attributes
    ----------
    name : str
        Its name in the catalogue and in archives, such as ``computed_data``.
    interval_s : float
        The seconds of a record.
    words : str
        What a sentence or a figure calls it, such as ``15-second log``.
    file_name : str
        A regular expression of the names that the app gives its files; empty if it gives none.
    served : bool
        Whether the web service has it.
    states_seconds : bool
        Whether a record says how many of its seconds were worn, measured, noisy and walked; if not,
        each of these applies to the whole record or not at all.
    has_cleansings : bool
        Whether blinks are given in two cleansings, strong and weak.
    rate_methods : tuple of str
        The ways to read the blink rate, the default first; none if it cannot be read.
    rate_roles : tuple of str
        The roles of the fields of the default way.
    time_roles : mapping of str to tuple of str
        The roles of the fields from which the valid and the walked time are found.
    numbers_packets : bool
        Whether each record is a packet that the receiver stamps when it arrives: stamps are
        uneven, and numbers show what was lost.
    beside : str
        What a message calls its files where they are left out: the app writes them beside the other
        logs, so they are read only on request, or if there are no others. Empty: they are always
        read.
    spread : mapping of str to (str, str)
        For evidence that holds for its neighbours too: the name of its limit, and the names of the
        limits of how long it holds before and after a record (empty if it does not).
    """

    name: str
    interval_s: float
    words: str
    file_name: str = ""
    served: bool = False
    states_seconds: bool = False
    has_cleansings: bool = False
    rate_methods: tuple[str, ...] = ()
    rate_roles: tuple[str, ...] = ()
    time_roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    numbers_packets: bool = False
    beside: str = ""
    spread: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def interval_us(self) -> int:
        """The microseconds of a record."""
        return round(self.interval_s * 1_000_000)


def _frozen(value: Any) -> Any:
    """Return what a TOML file says, as values that cannot change."""
    if isinstance(value, dict):
        return MappingProxyType({key: _frozen(each) for key, each in value.items()})
    return tuple(value) if isinstance(value, list) else value


_STATED: Final = _frozen(
    tomllib.loads(files("eyelog").joinpath("catalogue.toml").read_text("utf-8"))
)
_LOGS: Final[Mapping[str, Log]] = {
    name: Log(name=name, **about) for name, about in _STATED["logs"].items()
}
# The logs of the web service; `known_logs` returns all logs
LOGS: Final = tuple(name for name, log in _LOGS.items() if log.served)
# How long the records of the web service last
INTERVAL_SECONDS: Final[Mapping[str, int]] = MappingProxyType(
    {name: int(_LOGS[name].interval_s) for name in LOGS}
)


@cache
def known_logs() -> tuple[str, ...]:
    """Return the names of all logs, those of the web service first."""
    return tuple(_LOGS)


def either_log(spell: Callable[[str], str] = repr) -> str:
    """Return all logs as a list in a sentence, each name as `spell` writes it."""
    return " or ".join(f"{spell(name)} ({log.words})" for name, log in _LOGS.items())


@cache
def log_named(name: str) -> Log:
    """Return what is known about a log."""
    return _LOGS[name]


_DTYPES: Final = {
    "int": "float64",  # NaN marks a missing value, and integers have none
    "float": "float64",
    "bool": "boolean",
    "str": "string",
    "datetime": "datetime64[us, UTC]",
}


# The summaries that fields can be chosen for, with the roles of their fields
SUMMARIES: Final[Mapping[str, tuple[str, ...]]] = {
    name: tuple(parts.split()) for name, parts in _STATED["summaries"].items()
}
# For each kind of field, the roles of the fields that show whether its values can be trusted
_EVIDENCE: Final = {kind: parts.split() for kind, parts in _STATED["evidence"].items()}
# Words that people search for, and the catalogue's words for them
MEANT: Final[Mapping[str, tuple[str, ...]]] = _STATED["meant"]
# The daily summary takes the rate from weakly cleansed blinks, strength and duration from strictly
# cleansed ones.
_SHAPE: Final = ("blink_count", "blink_strength", "blink_strength_sd", "blink_duration")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of one log; None (or an empty text) means unknown, and is not checked."""

    log: str
    name: str
    long_name: str
    json_type: str
    value_type: str
    dtype: str  # of the field's column, whatever values the day holds
    unit: str
    min: float | None
    max: float | None
    invalid_value: float | None
    kind: str
    cleansing: str
    group: str
    agg: str
    weight: tuple[str, ...]
    role: tuple[str, ...]
    label: str
    description: str
    source: str

    @property
    def documented(self) -> bool:
        """Whether the vendor documents the field; if not, its values are never interpreted."""
        return self.source == "vendor-doc"


_BOUNDS: Final = ("min", "max", "invalid_value")


def _csv_bytes() -> bytes:
    return files("eyelog").joinpath("fields.csv").read_bytes()


@cache
def _table() -> Mapping[str, Mapping[str, Field]]:
    table: dict[str, dict[str, Field]] = {log: {} for log in known_logs()}
    for row in csv.DictReader(_csv_bytes().decode("utf-8").splitlines()):
        bounds = ("invalid_value",) if row["value_type"] == "datetime" else _BOUNDS
        numbers = {name: float(row[name]) for name in bounds if row[name]}
        texts: dict[str, Any] = row | dict.fromkeys(_BOUNDS)
        table[row["log"]][row["name"]] = Field(
            **texts
            | numbers
            | {
                "dtype": _DTYPES[row["value_type"]],
                "label": row["label"] or row["name"],
                "weight": tuple(filter(None, row["weight"].split("+"))),
                "role": tuple(row["role"].split()),
            }
        )
    return MappingProxyType({log: MappingProxyType(rows) for log, rows in table.items()})


@cache
def catalogue_version() -> str:
    """Return a short digest of ``fields.csv``; the files of an archive carry it."""
    return sha256(_csv_bytes()).hexdigest()[:12]


def near(name: str, names: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the nearest of `names`, or an empty text."""
    matches = difflib.get_close_matches(str(name), list(names), n=1, cutoff=0.6)
    return f" (did you mean {matches[0]!r}?)" if matches else ""


def check_log(log: str) -> str:
    """Return `log` if it is the name of a log, else raise `ConfigurationError`."""
    if not isinstance(log, str):
        names = " or ".join(map(repr, known_logs()))
        raise ConfigurationError(f"a log is named by text, {names}, not by a {type(log).__name__}")
    if log not in known_logs():
        raise ConfigurationError(
            f"unknown log {log!r}{near(log, known_logs())}: use {either_log()}"
        )
    return log


def check_served(log: str) -> str:
    """Return `log` if the web service has it, else raise `ConfigurationError`."""
    if not _LOGS[check_log(log)].served:
        raise ConfigurationError(
            f"the service has no {_LOGS[log].words} ({log!r}): it comes from the files of the app"
        )
    return log


@cache
def catalogue(log: str) -> Mapping[str, Field]:
    """Return the fields of `log` by name, in catalogue order, ``date`` first."""
    return _table()[check_log(log)]


def fold(name: str) -> str:
    """Return a column's name in the form used to compare names: stripped, lower case."""
    return name.strip().casefold()


@cache
def spellings(log: str) -> Mapping[str, str]:
    """Return a mapping from each folded name that a file or a user may use to its field.

    The vendor's own tables write both ``yMean`` and ``YMean``, so case makes no difference.
    """
    names = {
        fold(spelling): row.name
        for row in catalogue(log).values()
        for spelling in (row.long_name, row.name)
        if spelling
    }
    table = files("eyelog").joinpath("othernames.csv").read_text("utf-8")
    for line in csv.DictReader(table.splitlines()):
        if line["log"] == log:
            names[fold(line["spelling"])] = line["name"]
    return MappingProxyType(names)


@cache
def columns(log: str) -> tuple[str, ...]:
    """Return the names of the columns of a frame of `log`: all fields but ``date``."""
    return tuple(name for name in catalogue(log) if name != "date")


@cache
def only_in(log: str) -> frozenset[str]:
    """Return the columns that no other log has: one of them shows the log of a frame."""
    others = (columns(other) for other in known_logs() if other != log)
    return frozenset(columns(log)).difference(*others)


@cache
def role(log: str, *parts: str, cleansing: str | None = None) -> tuple[str, ...]:
    """Return the fields that play a part, by name and in catalogue order.

    Parameters
    ----------
    log : {"computed_data", "standard_mode_logs"}
        The 15-second or the 60-second log.
    *parts : str
        One or several roles of the catalogue, such as ``"steps"``.
    cleansing : {"strong", "weak"}, optional
        Leave out the fields of the other cleansing (60-second log).

    Returns
    -------
    tuple of str
        Each field once; empty if only another log has a field for the part.

    Raises
    ------
    FieldError
        If no log has a field for the part.

    Examples
    --------
    >>> role("standard_mode_logs", "steps")
    ('stp_fst', 'stp_mid', 'stp_slw', 'stp_vsl')
    >>> role("computed_data", "worn"), role("computed_data", "worn_s")
    (('isl',), ())
    """
    roles = {part for rows in _table().values() for row in rows.values() for part in row.role}
    for part in parts:
        if part not in roles:
            raise FieldError(f"unknown role {part!r}{near(part, roles)}: no field plays it")
    return tuple(
        name
        for name, row in catalogue(log).items()
        if not set(parts).isdisjoint(row.role) and cleansing in (None, row.cleansing or cleansing)
    )


def role_field(log: str, part: str, *, cleansing: str | None = None) -> str:
    """Return the one field that plays a part, or raise `FieldError` unless there is exactly one."""
    names = role(log, part, cleansing=cleansing)
    if not names:
        having = " or ".join(one.words for one in _LOGS.values() if role(one.name, part))
        raise FieldError(
            f"the {_LOGS[log].words} has no field for {part.replace('_', ' ')!r}: the {having} has"
        )
    if len(names) != 1:
        raise FieldError(f"log {log!r} has {len(names)} fields for {part!r}, not one")
    return names[0]


def needed(what: str, *, log: str) -> tuple[str, ...]:
    """Return the fields that a summary or recipe needs, with the evidence to judge them by.

    They are in catalogue order; ``fields(log, of=what)`` is the public way to ask.

    Raises
    ------
    ConfigurationError
        If there is no such summary or log, or only the other log has its fields.
    """
    rows = catalogue(log)
    if not isinstance(what, str):
        raise ConfigurationError(
            f"of takes the name of a summary, such as 'daily', not a {type(what).__name__}"
        )
    if what not in SUMMARIES:
        raise ConfigurationError(
            f"unknown summary {what!r}{near(what, SUMMARIES)}: use one of {', '.join(SUMMARIES)}"
        )
    chosen = set(role(log, *SUMMARIES[what]))
    if what == "daily":
        chosen |= {*role(log, *_LOGS[log].rate_roles, cleansing="weak")}
        chosen |= {*role(log, *_SHAPE, cleansing="strong")}
    if not chosen:
        raise ConfigurationError(f"log {log!r} has no fields for {what!r}: another log has")
    chosen |= {weight for name in chosen for weight in rows[name].weight}
    kinds = {rows[name].kind for name in chosen}
    chosen |= set(role(log, *(part for kind in kinds for part in _EVIDENCE.get(kind, ()))))
    return tuple(name for name in columns(log) if name in chosen)


def summarised(log: str) -> tuple[str, ...]:
    """Return the fields that at least one summary needs (`needed`), in catalogue order."""
    having = [what for what, parts in SUMMARIES.items() if role(log, *parts)]
    fields = {name for what in having for name in needed(what, log=log)}
    return tuple(name for name in columns(log) if name in fields)


def check_fields(log: str, names: Iterable[str] | None) -> tuple[str, ...]:
    """Return `names` in catalogue order, each once and without ``date``; None means all.

    The name of a summary stands for all fields that it needs (`needed`). A long or older name
    (``stepCount``) stands for its field, with a warning that says which.

    Raises
    ------
    FieldError
        If a name is not a field of `log`, or if there is no name but ``date``.
    """
    if names is None:
        return columns(log)
    wanted = {names} if isinstance(names, str) else set(names)
    for name in sorted(wanted - catalogue(log).keys() - SUMMARIES.keys(), key=str):
        short = spellings(log).get(fold(str(name)))
        if short is None:
            hint = near(name, catalogue(log)) or near(name, SUMMARIES)
            raise FieldError(
                f"unknown field {name!r} in log {log!r}{hint}:"
                f" eyelog.fields({log!r}) lists them, and {', '.join(SUMMARIES)} name all the"
                " fields that a summary needs"
            )
        warn(f"{name!r} is the field {short!r} of log {log!r}")
        wanted = wanted - {name} | {short}
    for name in sorted(wanted & set(SUMMARIES)):
        wanted |= set(needed(name, log=log))
    chosen = tuple(name for name in columns(log) if name in wanted)
    if not chosen:
        raise FieldError(f"no field of log {log!r} was named: name at least one besides 'date'")
    return chosen
