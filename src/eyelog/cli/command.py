"""A function as a command: its signature becomes words and options, its docstring the help."""

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Any, Final, Literal, get_args, get_origin

import click
from click.shell_completion import CompletionItem

from eyelog.catalogue import known_logs
from eyelog.figures.defaults import KINDS

_OFFERED: Final = {"log": known_logs(), "words": known_logs(), "figure": KINDS}


class Shared:
    """The options that commands share.

    Parameters
    ----------
    archive : DIR
        The archive.  [default: archive in EYELOG_HOME]
    account : A
        Whose records.
    tz : Z
        The wearer's time zone, such as Asia/Tokyo; for a wearer who travels, a .csv file with the
        columns from and tz; or the word file, for the offset that each date in a file has.
        [default: that of the files or of the account in the archive, else EYELOG_TZ, else UTC with
        a warning]
    fields : A,B
        Only these fields, or those of a summary: daily, steps, ...
    location
        Also write where the wearer was (lat, lng), which is left out otherwise.
    wearer : ID
        Only the rows of this wearer: by the column user_id, or by a Parquet file's account.
    device : ID
        Only the files with this device in their names.
    clock
        Which records of a time that comes twice because a clock was set back.
    dayfirst
        Read 03.04.2026 in files and a diary as 3 April, or as 4 March.
    encoding : E
        Of text files, such as cp932 or cp1252.
    log : LOG
        Which log to take if the files have both.
    offline
        Read what was fetched from the service before.
    refresh
        Fetch again from the service what is cached.
    columns : A,B
        Columns to show, or groups of them: wear, gait, eyes, head, scores.
    day_starts : HH:MM
        When a day starts, such as 18:00 for people who work at night.  [default: midnight]
    events : FILE
        A diary (CSV or Excel with start, end and label).
    output : FILE
        Write a .parquet, .csv or .xlsx file.
    start : DAY
        First local day, such as 2026-10-24.
    workers : N
        Processes on this machine.  [default: one per core]
    dated : TEXT
        A line below the title, such as a date or a study.
    dry_run
        List what would be removed, change nothing.
    csv : FILE
        All accounts in the column name of a CSV file.
    all_in : STUDY
        All accounts of a study.
    json
        Print JSON, for programs.
    """


class Names(click.ParamType):  # type: ignore[type-arg] # generic only since click 8.5
    """Names with commas between them, as a list."""

    name = "A,B"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[str]:
        """Return the names in a text."""
        if isinstance(value, list):
            return value
        names = [name.strip() for name in value.split(",") if name.strip()]
        if not names:
            self.fail(
                "it names nothing: give one name, or several with commas between them", param, ctx
            )
        return names


def command(
    function: Callable[..., Any], *, called: str | None = None, of: click.Group | None = None
) -> click.Command:
    """Return a function as a command of the program, or of a group.

    Positional parameters become words, keyword-only ones options: ``day_starts: str | None = None``
    is ``--day-starts TEXT``. A parameter whose type is a dataclass stands for its fields, which are
    options but for ``words`` and those whose metadata say that they are a ``word``; what else
    metadata say is for click, but for what holds ``otherwise``, where an option is not given. The
    section Parameters of the docstring gives each a placeholder and its help; what it leaves out
    is in `Shared`.

    Parameters
    ----------
    function : callable
        What the command runs.
    called : str, optional
        The command's name; by default the function's.
    of : click.Group, optional
        The group of which it is an action.
    """
    text, described = _documented(function)
    parameters: list[click.Parameter] = []
    wholes: dict[str, tuple[Any, list[str]]] = {}
    for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
        kind = parameter.annotation
        if dataclasses.is_dataclass(kind):
            for base in inspect.getmro(kind)[:-1]:  # type: ignore[arg-type] # it is a class
                described = _documented(base)[1] | described
            parts = dataclasses.fields(kind)
            wholes[name] = kind, [part.name for part in parts]
            for part in parts:
                about = described.get(part.name) or _SHARED.get(part.name, ("", ""))
                more = {name: each for name, each in part.metadata.items() if name != "otherwise"}
                make = _word if part.name == "words" or more.pop("word", False) else _option
                parameters.append(make(part.name, part.type, part.default, *about, **more))
        elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            about = described.get(name) or _SHARED.get(name, ("", ""))
            parameters.append(_option(name, kind, parameter.default, *about))
        else:
            about = described.get(name, ("", ""))
            parameters.append(_word(name, kind, parameter.default, *about))

    def run(**values: Any) -> Any:
        for whole, (kind, names) in wholes.items():
            values[whole] = kind(**{part: values.pop(part) for part in names})
        return function(**values)

    called = called or function.__name__.rstrip("_").replace("_", "-")
    made = click.Command(called, callback=run, params=parameters, help=text)
    if of is not None:
        of.add_command(made)
    return made


def _documented(what: Any) -> tuple[str, dict[str, tuple[str, str]]]:
    """Return the text of a docstring, and the placeholder and the help of each parameter in it."""
    text, *section = re.split(r"^Parameters\n-+\n", inspect.getdoc(what) or "", flags=re.MULTILINE)
    described: dict[str, tuple[str, str]] = {}
    for entry in re.split(r"\n(?=\S)", "".join(section)):
        head, _, body = entry.partition("\n")
        name, _, placeholder = head.partition(" : ")
        described[name] = placeholder, textwrap.dedent(body).replace("\n", " ").strip()
    return text.strip(), described


_SHARED: Final = _documented(Shared)[1]


def _word(name: str, kind: Any, default: Any, placeholder: str, _text: str) -> click.Argument:
    """Return a word of a command, by the type and the default of a parameter."""
    settings, takes_many = _settings(name, kind, default)
    settings["metavar"] = placeholder or name.upper()
    return click.Argument([name], nargs=-1 if takes_many else 1, **settings)


def _option(
    name: str, kind: Any, default: Any, placeholder: str, text: str, **more: Any
) -> click.Option:
    """Return an option of a command, by the type and the default of a parameter."""
    settings, takes_many = _settings(name, kind, default)
    flag = f"--{name.rstrip('_').replace('_', '-')}"
    settings |= {"metavar": placeholder or None, "multiple": takes_many}
    if settings["type"] is bool:
        settings["is_flag"] = True
        if default is None:
            flag += f"/--no-{flag[2:]}"
    elif default not in (None, "", ()):
        settings["show_default"] = not settings["required"]
    names = ["-o", flag, name] if name == "output" else [flag, name]
    return click.Option(names, help=text, **settings | more)


def _settings(name: str, kind: Any, default: Any) -> tuple[dict[str, Any], bool]:
    """Return what click has to know of a parameter, and whether it takes many values."""
    if NoneType in get_args(kind):
        kind = get_args(kind)[0]
    takes_many = get_origin(kind) is tuple
    if takes_many:
        kind = get_args(kind)[0]
    settings: dict[str, Any] = {"type": kind}
    if get_origin(kind) is Literal:
        settings["type"] = click.Choice(get_args(kind))
    elif get_origin(kind) is list:
        settings["type"] = Names()
    elif kind is Path:
        settings["type"] = click.Path(path_type=Path)
    settings["required"] = default in (inspect.Parameter.empty, dataclasses.MISSING)
    if not settings["required"]:
        settings["default"] = default
    if name in _OFFERED:
        settings["shell_complete"] = partial(_offered, name)
    return settings, takes_many


def _offered(name: str, _context: Any, _parameter: Any, begun: str) -> list[CompletionItem]:
    """Return what the Tab key offers for a word or an option: names, or files."""
    fitting = [CompletionItem(each) for each in _OFFERED[name] if each.startswith(begun)]
    file = [CompletionItem(begun, type="file")] if name == "words" else []
    return fitting or file
