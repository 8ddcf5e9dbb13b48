"""Words on figures: labels with their units, titles, and the meaning whose colour values have."""

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple
from unicodedata import east_asian_width

import pandas as pd

from eyelog.catalogue import Field, catalogue, known_logs, log_named
from eyelog.clock import LocalClock, local_days
from eyelog.figures.tables import stated_seconds
from eyelog.frame import clock_of, history, stated_account, stated_log
from eyelog.measure.columns import Column
from eyelog.measure.columns import column as column_of

ROW_CHARACTERS: Final = 24  # for a name beside an axis: a third of one column
STEPS: Final = "steps"
DERIVED: Final = ("rhythm.profile", "baseline.personal")  # of a column of what came before
AMOUNT: Final = r"((h|steps) )?per (day|week|h|h worn|min)|min|h|s|ms|0 to 1|%|uV-equiv|score"
MEANINGS: Final = {"gait": "walking", "head": "head", "scores": "score"}
LOG_WORDS: Final = {log: log_named(log).words for log in known_logs()}


def label_of(log: str | None, name: str, *, seconds: float | None = None) -> str:
    """Return a field's label with its unit, or the bare name if the catalogue lacks the field.

    Parameters
    ----------
    log : str, optional
        The log of the field; the same name is the same field in both logs.
    name : str
        The field.
    seconds : float, optional
        How long a row lasts: counts are per row ("Steps per 10 min", "Steps per record").
    """
    if name == "steps":  # of all classes, which are fields of their own in one of the logs
        return f"Steps per {duration_words(seconds) if seconds else 'record'}"
    field = field_or_none(name, log)
    if field is None:
        return name
    label, unit = field.label or name, field.unit
    if field.agg == "sum":
        per = f"per {duration_words(seconds)}" if seconds else "per record"
        return f"{label} {per}" if unit in ("", "count") else f"{label} ({unit} {per})"
    return label if unit in ("", "bool", "count") else f"{label} ({unit})"


def field_or_none(name: str, log: str | None = None) -> Field | None:
    """Return the field of a name: of the log, or of the first log that has it."""
    fields = (catalogue(one).get(name) for one in ((log,) if log else known_logs()))
    return next((field for field in fields if field is not None), None)


def duration_words(seconds: float) -> str:
    """Return a length of time in the largest unit that it is a multiple of: 600 is "10 min"."""
    for length, unit in ((86_400, "day"), (3600, "h"), (60, "min")):
        if seconds >= length and seconds % length == 0:
            number = seconds / length
            return unit if number == 1 else f"{number:g} {unit}{'s' * (unit == 'day')}"
    return f"{seconds:g} s"


def range_words(first: pd.Timestamp, last: pd.Timestamp) -> str:
    """Return a range of days in words, the year once: "6 to 19 Jan 2025"."""
    end = f"{last.day} {last:%b %Y}"
    if first.date() == last.date():
        return f"{last:%a} {end}"
    if first.year != last.year:
        return f"{first.day} {first:%b %Y} to {end}"
    return (
        f"{first.day} to {end}" if first.month == last.month else f"{first.day} {first:%b} to {end}"
    )


def in_legend(name: str) -> str:
    """Return a name from data as a label: matplotlib leaves those that begin with _ out."""
    return f"\N{ZERO WIDTH SPACE}{name}" if name.startswith("_") else name


def short_names(names: Sequence[str], most: int = ROW_CHARACTERS) -> list[str]:
    """Return names that fit beside an axis: long ones without their middle.

    They are whole if two would be equal. An East Asian letter is as wide as two others.
    """
    short = []
    for name in names:
        room = most >> any(east_asian_width(letter) in "WF" for letter in name)
        head, tail = room // 2, (room - 1) // 2
        whole = len(name) <= room
        short.append(name if whole else f"{name[:head]}\N{HORIZONTAL ELLIPSIS}{name[-tail:]}")
    return short if len({*short}) == len({*names}) else list(names)


def title_of(
    table: Any,
    *,
    wearer: str | None = None,
    days: pd.DatetimeIndex | None = None,
    zone: bool = True,
    clock: LocalClock | None = None,
) -> str:
    """Return the title of a figure of a table: wearer, log in words, range, zone.

    Parameters
    ----------
    table : DataFrame or Series
        Its provenance gives the wearer and the log; whatever it does not state is left out.
    wearer : str, optional
        The wearer, if that is not the account of the provenance.
    days : DatetimeIndex, optional
        The days shown; by default those of the stamps of the table.
    zone : bool
        Whether to include the zone of stamps; false if an axis names it.
    clock : LocalClock, optional
        The wearer's clock, if that is not the one that the table states.
    """
    account = stated_account(table) if wearer is None else wearer
    log = stated_log(table)
    parts = [str(account)] if account else []
    parts += [log_named(log).words] if log in known_logs() else []
    index = table.index
    if isinstance(index, pd.MultiIndex):
        index = index.get_level_values(-1)
    tz = index.tz if isinstance(index, pd.DatetimeIndex) else None
    if clock is None and tz is not None and index is table.index:
        clock = clock_of(table)
    if days is None and isinstance(index, pd.DatetimeIndex):
        days = local_days(index, clock=clock) if tz is not None else index
    if days is not None and len(days):
        parts.append(range_words(days.min(), days.max()))
        if zone and tz is not None:
            varies = clock is not None and clock.tz is None
            parts.append("local time" if varies else str(tz))
    return " · ".join(parts)


class Subject(NamedTuple):
    """What values are of."""

    label: str
    """With its unit."""
    unit: str
    meaning: str
    """That whose colour the values have in every figure."""
    is_amount: bool
    """Whether there are no values below 0."""


def subject(made: pd.DataFrame | pd.Series, name: str | None = None) -> Subject:
    """Return what a field or column of a table is, as the history of the table means its name.

    By default it is a Series itself, or the column that a table was made from:
    `eyelog.rhythm.profile` and `eyelog.baseline.personal` give its name to the columns of theirs.
    """
    if name is None:
        name = str((made.name if isinstance(made, pd.Series) else made.columns.name) or "")
    if not name:
        return Subject("Value", "", "usable", is_amount=False)
    log = stated_log(made)
    # The last step before those that name their columns by what came before.
    steps = [str(step["step"]) for step in history(made)]
    step = next((step for step in reversed(steps) if step not in DERIVED), "")
    field = field_or_none(name, log)
    if field is None and (name, step) != (STEPS, "resample"):
        period = "week" if step == "weekly" else "day"
        column = column_of(name, table=step, log=log, period=period)
        return Subject(column.text, column.unit, meaning_of(column), is_amount(column.unit))
    label = label_of(log, name, seconds=stated_seconds(made))
    # The label of a count has its unit without brackets: "Steps per h".
    unit = label.removeprefix(field.label if field and field.label else name).strip(" ()")
    least = field.min if field else 0
    positive = least is not None and float(least) >= 0
    return Subject(label, unit, meaning_of_field(name, log) or "usable", is_amount=positive)


def last_step(table: pd.DataFrame | pd.Series) -> dict[str, Any]:
    """Return the step that made a table, as stated by its provenance; empty if not stated."""
    steps = history(table)
    return dict(steps[-1]) if steps else {}


def span_of(table: pd.DataFrame) -> pd.DatetimeIndex | None:
    """Return the first and the last day that a table is based on, if its provenance states them."""
    span = last_step(table).get("days")
    return pd.DatetimeIndex(span) if span else None


def is_amount(unit: str) -> bool:
    """Return whether a quantity of this unit has no values below 0."""
    return bool(re.fullmatch(AMOUNT, unit))


def possible(values: pd.Series, unit: str) -> pd.Series:
    """Return values without those that a quantity of this unit cannot take, as ends of ranges."""
    least = 0.0 if is_amount(unit) else None
    return values.clip(least, 100.0 if unit == "score" else None)


def meaning_of(column: Column) -> str:
    """Return the meaning whose colour the values of a column have in every figure."""
    return MEANINGS.get(column.group, "usable")


def meaning_of_field(name: str, log: str | None) -> str | None:
    """Return the meaning whose colour a field has; None for a field without one."""
    if name == STEPS:
        return "walking"
    field = field_or_none(name, log)
    if field is None:
        return None
    if field.kind == "gait" or {"walking", "walking_s", "pace"} & {*field.role}:
        return "walking"
    if "score" in field.role:
        return "score"
    return {"static": "usable", "motion": "head"}.get(field.kind)


def shades(meaning: str) -> tuple[str, str]:
    """Return the meanings of a line or point of a quantity, and of the area behind it.

    On white the colour of walking alone is too light for a line.
    """
    if meaning == "walking":
        return "walking edge", "walking"
    return meaning, {"usable": "interval", "head": "head interval"}.get(meaning, meaning)
