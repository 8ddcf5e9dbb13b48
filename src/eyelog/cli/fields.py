"""`eyelog fields`: what each field of a log and each column of a result means."""

import shutil
import textwrap
from typing import TYPE_CHECKING, Any

from eyelog.catalogue import check_fields, check_log, known_logs, log_named, near
from eyelog.cli.command import command
from eyelog.cli.output import emit, note, print_json, records
from eyelog.errors import FieldError

if TYPE_CHECKING:
    import pandas as pd


@command
def fields(what: str, names: tuple[str, ...] = (), *, json: bool = False) -> None:
    """Say what a field or column means; find fields.

    Says what the fields of a log mean (all about those that are named after it, or about those of a
    summary: daily, steps, ...); finds the fields of all logs that are about something: `eyelog
    fields steps`; or says what a column of a result means: `eyelog fields worn_h`.

    Parameters
    ----------
    what : {LOG | WORD | COLUMN}
    names : [NAME]...
    """
    if what not in known_logs():
        _find([part for word in (what, *names) for part in word.split()], as_json=json)
        return
    from eyelog.topics import fields

    table = fields(what)
    if names:
        dates = ["date"] if "date" in names else []  # the index of a frame, not a column
        others = [name for name in names if name != "date"]
        table = table.loc[[*dates, *(check_fields(what, others) if others else ())]]
    if json:
        emit(table, as_json=True)
    elif names:
        print("\n\n".join(_described(str(name), row) for name, row in table.iterrows()))
    else:
        print(_listed(table))
        note(f"`eyelog fields {what} NAME` shows all that is known about a field.")


def _find(words: list[str], *, as_json: bool) -> None:
    """Print the fields and the columns of results that match all the words."""
    from eyelog.measure.columns import meanings, names
    from eyelog.topics import fields, fields_about, near_topic

    phrase = " ".join(words)
    columns = [(name, column) for name in words for column in meanings(name)]
    all_are_columns = {name for name, _ in columns} == {*words}
    columns += [
        (name, column)
        for name in names()
        for column in meanings(name)
        if column.label.casefold() == phrase.casefold()
    ]
    found = fields_about(words)
    if not found and not all_are_columns:
        # A description mentions other things too, so it counts only if nothing else matches.
        found = fields_about(words, described=True)
    if near(phrase, known_logs()):
        check_log(phrase)
    if not found and not columns:
        raise FieldError(
            f"no field of a log is about {phrase!r}{near_topic(phrase, (*names(),))}, and no result"
            " has such a column:"
            f" {' and '.join(f'`eyelog fields {log}`' for log in known_logs())} list all fields"
        )
    tables = {log: fields(log).loc[rows] for log, rows in found.items()}
    explained = [
        {
            "column": name,
            "table": column.table,
            "label": column.label,
            "unit": column.unit,
            "meaning": column.meaning,
        }
        for name, column in columns
    ]
    if as_json:
        rows = [{"log": log, **row} for log, table in tables.items() for row in records(table)]
        print_json(rows or explained)
    elif tables:
        parts = (f"{log} ({log_named(log).words})\n{_listed(t)}" for log, t in tables.items())
        print("\n\n".join(parts))
        log = next(iter(tables))
        note(f"`eyelog fields {log} {found[log][0]}` shows all that is known about a field.")
        for name, column in columns:
            note(f"{name!r} is also a column of results: {column.meaning}")
    else:
        for row in explained:
            where = f" (in {row['table']})" if row["table"] else ""
            unit = f", {row['unit']}" if row["unit"] else ""
            text = f"{row['column']}{where}: {row['label']}{unit}. {row['meaning']}"
            print("\n".join(textwrap.wrap(text, _width(), subsequent_indent="    ")))


def _listed(table: "pd.DataFrame") -> str:
    """Return the fields with their labels and units, as lines of the terminal's width."""
    room = max(len(str(name)) for name in table.index) + 2
    lines: list[str] = []
    for name, row in table.iterrows():
        unit = f", {row['unit']}" if row["unit"] else ""
        text = f"{name!s:{room}}{row['label']}{unit}. {row['description']}"
        lines += textwrap.wrap(text, max(_width(), 2 * room), subsequent_indent=" " * room)
    return "\n".join(lines)


def _described(name: str, row: "pd.Series[Any]") -> str:
    """Return everything the catalogue has on one field, as lines of the terminal's width."""

    def bound(value: float, word: str) -> str:
        return "" if value != value else f"{word} {value:g}"

    weighted = f", weighted by {row['weight']}" if row["weight"] else ""
    facts = {
        "unit": row["unit"],
        "values": " ".join([bound(row["min"], "from"), bound(row["max"], "to")]).strip(),
        "no value": bound(row["invalid_value"], "written as"),
        "type": row["dtype"],
        "judged as": " ".join(filter(None, (row["kind"], row["cleansing"]))),
        "bins": "" if row["agg"] in ("", "none") else f"{row['agg']}{weighted}",
        "in Logger files": row["long_name"],
        "source": row["source"],
    }
    lines = textwrap.wrap(f"{name}: {row['label']}. {row['description']}", _width())
    lines += [f"    {what + ':':17}{fact}" for what, fact in facts.items() if fact]
    return "\n".join(lines)


def _width() -> int:
    return shutil.get_terminal_size((80, 24)).columns
