"""`eyelog fields`: what each field of a log means, and a search for fields by subject."""

import argparse
import json
import re
import shutil
import textwrap
from typing import TYPE_CHECKING, Any, Final

from eyelog.catalogue import (
    SUMMARIES,
    Field,
    catalogue,
    check_fields,
    check_log,
    known_logs,
    log_named,
    near,
    spellings,
)
from eyelog.cli.output import add_json, emit, note, records
from eyelog.errors import FieldError

if TYPE_CHECKING:
    import pandas as pd

    from eyelog.analysis.columns import Column

__all__ = ["add_commands"]

# Words that people search for, and the catalogue's words for them. Any other word is searched for
# as it is.
_MEANT: Final = {
    "acceleration": ("landing",),
    "angle": ("tilt", "sway"),
    "asleep": ("drowsiness",),
    "attention": ("focus",),
    "balance": ("sway",),
    "concentration": ("focus",),
    "frequency": ("cadence", "blinks"),
    "gaze": ("eye movements",),
    "gps": ("latitude", "longitude"),
    "ibi": ("blink gap",),
    "impact": ("landing",),
    "interval": ("gap",),
    "location": ("latitude", "longitude"),
    "movement": ("movements", "nods", "turns"),
    "pace": ("cadence",),
    "position": ("latitude", "longitude"),
    "posture": ("tilt", "posture"),
    "quality": ("valid", "noise"),
    "rate": ("blinks", "cadence"),
    "saccade": ("eye movements",),
    "sleep": ("drowsiness",),
    "sleepiness": ("drowsiness",),
    "slouch": ("tilt",),
    "speed": ("cadence", "steps"),
    "stress": ("tension",),
    "temperature": ("in_tmp",),
    "vigilance": ("focus", "drowsiness"),
    "walk": ("steps", "walking", "cadence"),
    "walking": ("steps", "walking", "cadence"),
    "wear": ("worn",),
    "wearing": ("worn",),
}


def add_commands(commands: Any) -> None:
    """Add the command of this module."""
    fields = commands.add_parser(
        "fields",
        help="what a field or column means; finds fields by topic",
        description="Say what the fields of a log mean; find the fields of both logs that are about"
        " something: `eyelog fields steps`; or say what a column of a result means: `eyelog fields"
        " worn_h`.",
    )
    fields.add_argument(
        "what",
        metavar="LOG | WORD | COLUMN",
        help=f"{' or '.join(known_logs())}; what to look for in all; or a column of a result",
    )
    fields.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="after LOG: all about these fields, or about those of a summary: daily, steps, ...;"
        " after WORD: further words, all of which must fit",
    )
    add_json(fields)
    fields.set_defaults(run=_fields)


def _fields(args: argparse.Namespace) -> int:
    if args.what not in known_logs():
        return _find([args.what, *args.names], as_json=args.json)
    from eyelog.catalogue import fields

    table = fields(args.what)
    if args.names:
        dates = ["date"] if "date" in args.names else []  # the index of a frame, not a column
        others = [name for name in args.names if name != "date"]
        table = table.loc[[*dates, *(check_fields(args.what, others) if others else ())]]
    if args.json:
        emit(table, as_json=True)
    elif args.names:
        print("\n\n".join(_described(str(name), row) for name, row in table.iterrows()))
    else:
        print(_listed(table))
        note(f"`eyelog fields {args.what} NAME` shows all that is known about a field.")
    return 0


def _find(words: list[str], *, as_json: bool) -> int:
    """Print the fields of both logs that match all the words, the nearest first."""
    from eyelog.analysis.columns import meanings, names
    from eyelog.catalogue import fields

    words = [part for word in words for part in word.split()]
    columns_of = {name: columns for name in words if (columns := meanings(name))}
    fields_of_logs = _fitting(words, described=False)
    if not fields_of_logs and len(columns_of) == len(words):
        return _columns(columns_of, as_json=as_json)
    # A description mentions other things too, so it counts only if nothing else matches.
    fields_of_logs = fields_of_logs or _fitting(words, described=True)
    if near(" ".join(words), known_logs()):
        check_log(" ".join(words))
    if not fields_of_logs:
        phrase = " ".join(words)
        vocabulary = {word for log in known_logs() for word in _vocabulary(log)}
        hint = near(phrase, sorted({*vocabulary, *names()}))
        raise FieldError(
            f"no field of a log is about {phrase!r}{hint}, and no result has such a column:"
            f" {' and '.join(f'`eyelog fields {log}`' for log in known_logs())} list all fields"
        )
    tables = {log: fields(log).loc[rows] for log, rows in fields_of_logs.items()}
    if as_json:
        rows = [{"log": log, **row} for log, table in tables.items() for row in records(table)]
        print(json.dumps(rows, indent=1))
        return 0
    print(
        "\n\n".join(
            f"{log} ({log_named(log).words})\n{_listed(table)}" for log, table in tables.items()
        )
    )
    log = next(iter(tables))
    note(f"`eyelog fields {log} {fields_of_logs[log][0]}` shows all that is known about a field.")
    for name, columns in columns_of.items():
        note(f"{name!r} is also a column of results: {columns[0].meaning}")
    return 0


def _columns(by_name: "dict[str, list[Column]]", *, as_json: bool) -> int:
    """Print what columns of results mean, in each table in which one has a different meaning."""
    rows = [
        {
            "column": name,
            **{key: getattr(one, key) for key in ("table", "label", "unit", "meaning")},
        }
        for name, columns in by_name.items()
        for one in columns
    ]
    if as_json:
        print(json.dumps(rows, indent=1))
        return 0
    width = shutil.get_terminal_size((80, 24)).columns
    for row in rows:
        where = f" (in {row['table']})" if row["table"] else ""
        unit = f", {row['unit']}" if row["unit"] else ""
        text = f"{row['column']}{where}: {row['label']}{unit}. {row['meaning']}"
        print("\n".join(textwrap.wrap(text, width, subsequent_indent="    ")))
    return 0


def _words(text: str) -> list[str]:
    """Return the words of a text in lower case; stepCount has two, sc_fcs one."""
    return re.findall(r"[a-z0-9_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).casefold())


def _vocabulary(log: str) -> list[str]:
    rows = catalogue(log).values()
    labels = [word for row in rows for word in _words(f"{row.label} {row.group}")]
    return [word for word in (*labels, *_MEANT) if len(word) > 2]


def _fitting(words: list[str], *, described: bool) -> dict[str, list[str]]:
    """Return the fields of each log that match all the words, by name first."""
    fitting: dict[str, list[str]] = {}
    for log in known_logs():
        ranks = {}
        for row in catalogue(log).values():
            fits = [_rank(row, word.casefold(), described=described) for word in words]
            matched = [rank for rank in fits if rank is not None]
            if matched and len(matched) == len(words):
                ranks[row.name] = max(matched)
        if ranks:  # a stable sort keeps the order of the catalogue
            fitting[log] = sorted(ranks, key=lambda name: ranks[name])
    return fitting


def _rank(row: Field, word: str, *, described: bool) -> int | None:
    """Return how closely a word matches a field, 0 the closest, or None."""
    others = [spelling for spelling, name in spellings(row.log).items() if name == row.name]
    if word in (row.name.casefold(), *others, row.label.casefold()):
        return 0
    roles = " ".join(row.role).replace("_", " ")
    meant = (*_MEANT.get(word, ()), *_MEANT.get(word.removesuffix("s"), ()))
    if any(_is_in(phrase, text) for phrase in (word, *meant) for text in (row.label, roles)):
        return 1
    summaries = [name for name, parts in SUMMARIES.items() if set(parts) & set(row.role)]
    names = " ".join([row.name, row.long_name, *summaries]).replace("daily", "")
    if _is_in(word, names) or row.name in meant:
        return 2
    return 3 if described and _is_in(word, row.description) else None


def _is_in(phrase: str, text: str) -> bool:
    """Return whether the words of a text begin with those of a phrase, in its order."""
    has, wanted = _words(text), _words(phrase)
    stems = [word.removesuffix("s") if len(word) > 3 else word for word in wanted]
    return bool(stems) and any(
        all(word.startswith(stem) for word, stem in zip(has[at:], stems, strict=False))
        for at in range(len(has) - len(stems) + 1)
    )


def _listed(table: "pd.DataFrame") -> str:
    """Return the fields with their labels and units, as lines of the terminal's width."""
    width = shutil.get_terminal_size((80, 24)).columns
    room = max(len(str(name)) for name in table.index) + 2
    lines: list[str] = []
    for name, row in table.iterrows():
        unit = f", {row['unit']}" if row["unit"] else ""
        text = f"{name!s:{room}}{row['label']}{unit}. {row['description']}"
        lines += textwrap.wrap(text, max(width, 2 * room), subsequent_indent=" " * room)
    return "\n".join(lines)


def _described(name: str, row: "pd.Series[Any]") -> str:
    """Return everything the catalogue has on one field, as lines of the terminal's width."""
    limits = [_bound(row["min"], "from"), _bound(row["max"], "to")]
    weighted = f", weighted by {row['weight']}" if row["weight"] else ""
    facts = {
        "unit": row["unit"],
        "values": " ".join(limit for limit in limits if limit),
        "no value": _bound(row["invalid_value"], "written as"),
        "type": row["dtype"],
        "judged as": " ".join(filter(None, (row["kind"], row["cleansing"]))),
        "bins": "" if row["agg"] in ("", "none") else f"{row['agg']}{weighted}",
        "in Logger files": row["long_name"],
        "source": row["source"],
    }
    width = shutil.get_terminal_size((80, 24)).columns
    lines = textwrap.wrap(f"{name}: {row['label']}. {row['description']}", width)
    lines += [f"    {what + ':':17}{fact}" for what, fact in facts.items() if fact]
    return "\n".join(lines)


def _bound(value: float, word: str) -> str:
    return "" if value != value else f"{word} {value:g}"
