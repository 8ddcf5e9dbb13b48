"""`eyelog fields`: what each field of a log and each column of a result means."""

from typing import TYPE_CHECKING

from eyelog.catalogue import check_fields, check_log, known_logs, log_named, near
from eyelog.cli.command import command
from eyelog.cli.output import note, print_json, print_list, records
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
    if what in known_logs():
        _of_log(what, names, as_json=json)
        return
    from eyelog.measure import columns
    from eyelog.topics import fields, fields_about, near_topic

    phrase = " ".join((what, *names))
    words, known = phrase.split(), columns.names()
    about = [column for name in words for column in columns.meanings(name)]
    every = (column for name in known for column in columns.meanings(name))
    about += [column for column in every if column.label.casefold() == phrase.casefold()]
    # A description mentions other things too, so it counts only if nothing else matches.
    found = fields_about(words) or ({} if about else fields_about(words, described=True))
    if not found and not about:
        if near(phrase, known_logs()):
            check_log(phrase)
        raise FieldError(
            f"no field of a log is about {phrase!r}{near_topic(phrase, (*known,))}, and no result"
            " has such a column: `eyelog fields LOG` lists all fields of a log"
        )
    tables = {log: fields(log).loc[rows] for log, rows in found.items()}
    if json:
        rows = [{"log": log, **row} for log, table in tables.items() for row in records(table)]
        keys = ("table", "label", "unit", "meaning")
        print_json(rows or [{"column": c.name} | {k: getattr(c, k) for k in keys} for c in about])
        return
    for log, table in tables.items():
        _print_fields(table, title=f"{log} ({log_named(log).words})")
        note(f"`eyelog fields {log} {table.index[0]}` shows all that is known about a field.")
    if about:
        print_list(
            (
                f"{column.name}{f' (in {column.table})' if column.table else ''}:",
                f"{column.label}{f', {column.unit}' if column.unit else ''}. {column.meaning}",
            )
            for column in about
        )


def _of_log(log: str, names: tuple[str, ...], *, as_json: bool) -> None:
    """Print all fields of a log, or all that is known about some of them."""
    from eyelog.topics import fields

    table = fields(log)
    if names:
        dates = ["date"] if "date" in names else []  # the index of a frame, not a column
        others = [name for name in names if name != "date"]
        table = table.loc[[*dates, *(check_fields(log, others) if others else ())]]
    if as_json:
        print_json(records(table))
    elif not names:
        _print_fields(table)
        note(f"`eyelog fields {log} NAME` shows all that is known about a field.")
    for name, row in table.iterrows() if names and not as_json else ():
        known = {what: value for what, value in row.items() if value == value and value != ""}
        title = f"{name}: {known.pop('label')}. {known.pop('description', '')}"
        facts = (f"{fact:.15g}" if isinstance(fact, float) else fact for fact in known.values())
        print_list(zip((f"    {what}:" for what in known), facts, strict=True), title=title)
        print()


def _print_fields(table: "pd.DataFrame", *, title: str = "") -> None:
    """Print fields with their labels, units and descriptions."""
    units = table["unit"].where(table["unit"] == "", ", " + table["unit"])
    texts = table["label"] + units + ". " + table["description"]
    print_list(texts.items(), title=title)
