"""Calls of public functions with each table that they take, found by introspection.

A new function is covered as soon as it is public: its tables are found by the names and annotations
of its parameters, and what else it needs by name in `ARGUMENTS`. An annotation that is unknown here
gets every kind of table.
"""

import inspect
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt

import eyelog as el
from support.kindsoftables import KINDS, held, records
from support.public import public_names, resolve

__all__ = ["NOT_COVERED", "Call", "answer", "calls", "functions", "plain"]

FRAMES = ["records of 60 s", "records of 15 s", "masked, 60 s", "masked, 15 s"]
BINS = ["bins of 60 s", "bins of 15 s", "bins of two widths", "some bins"]
OTHERS = ["days", "weeks", "reasons", "days of a cohort"]  # none of these holds records
NUMBERS = [
    "a field", "a masked field", "a masked field of 15 s", "a raw score", "a field of bins",
    "an hourly field", "a column of days",
]  # fmt: skip

# The kinds that a parameter is given, by its name; the first is given where another is varied.
FITTING: dict[str, list[str]] = {
    "frame": [*FRAMES, *BINS, *OTHERS],
    "frames": ["records of 60 s", "records of 15 s", "days", "masked, 60 s"],
    "fifteen": ["records of 15 s", "masked, 15 s"],
    "pairs": ["records of 15 s", "masked, 15 s"],
    "limits": ["records of 60 s", "masked, 60 s"],
    "sixty": ["records of 60 s", "masked, 60 s"],
    "series": NUMBERS,
    "before": ["a column of days", "a masked field", "a field of bins"],
    "after": ["a column of days", "a masked field", "a field of bins"],
    "reasons": ["reasons", "reasons of 15 s"],
    "states": ["states", "a condition"],
    "condition": ["a condition"],
    "worn": ["a condition"],
    "events": ["events"],
    "times": ["events"],
    "each": ["each event"],
    "profile": ["a profile"],
    "right": ["a masked field", "a column of days"],
    "left": ["a masked field", "a column of days"],
    "degrees": ["a masked field", "a field of bins"],
    "sd": ["a masked field"],
    "mean": ["a masked field"],
    "n": ["a masked field"],
}
# What is no table by its annotation, but may be one.
LOOSE = {"degrees", "sd", "one", "other", "right", "left"}
# Tables that may be left out: only these of them are varied.
OPTIONAL = {"events", "states", "each"}
# Other places where a table may stand are no tables of this kind, or an option of another test.
LEFT_OUT = {"by", "wearers", "limits", "reference", "meta", "mean", "n", "exposure", "baseline"}
# Kinds and pairs that are left to the slow test.
LONGER = {
    "some bins", "bins of 15 s", "masked, 15 s", "reasons of 15 s", "weeks", "days of a cohort",
    "each event",
}  # fmt: skip
LONG = {(f"baseline.{name}", kind) for name in ("personal", "trend") for kind in NUMBERS[:5]}
LONG |= {("baseline.change_points", kind) for kind in NUMBERS[:4]}
LONG |= {(name, "masked, 60 s") for name in ("plot_day", "plot_timeline", "compose_figure")}
LONG |= {(name, "bins of 15 s") for name in ("plot_day", "plot_timeline", "compose_figure")}
LONG |= {(name, kind) for name in ("report", "report_cohort") for kind in KINDS}
LONG |= {("readable", kind) for kind in (*FRAMES, "reasons")}

FOLDER = tempfile.TemporaryDirectory()  # for the files that are made, until the tests end

Argument = Any  # a value, or a function of the table that is varied


def _first(*names: str) -> Callable[[Any], Any]:
    def pick(table: Any) -> Any:
        columns = table.columns if isinstance(table, pd.DataFrame) else []
        return next((name for name in names if name in columns), names[0])

    return pick


def _groups(table: Any) -> dict[str, str]:
    """Return the group of each account of a table, by turns."""
    flat = table.reset_index() if isinstance(table, pd.DataFrame) else pd.DataFrame()
    names = flat[next((name for name in ("account", "person") if name in flat), [])]
    return {name: "ab"[number % 2] for number, name in enumerate(dict.fromkeys(names))}


def _file(name: str) -> Callable[[Any], Path]:
    """Return a place for a file that no other call writes to."""
    return lambda _: Path(tempfile.mkdtemp(dir=FOLDER.name)) / name


# What a function needs beside tables, by the name of the parameter.
ARGUMENTS: dict[str, Argument] = {
    "every": "1h",
    "first": "09:00",
    "last": "17:00",
    "recipe": "trend",
    "kind": "timeline",
    "field": _first("stp", "stp_s", "steps"),
    "before": "20min",
    "after": "20min",
    "threshold": 5.0,
    "penalty": 20.0,
    "quantity": "steps",
    "outcome": _first("steps", "steps_per_day", "stp", "stp_s"),
    "by": "group",
    "groups": _groups,
    "counts": _first("steps", "stp", "stp_s", "n"),
    "exposure": _first("worn_h", "exposure_h", "bin_s", "n"),
    "log": "computed_data",
    "key": lambda _: Path(FOLDER.name) / "key.csv",
    "key_file": lambda _: Path(FOLDER.name) / "key.csv",
    "path": _file("made.html"),
    # Fewer than by default, which makes no other difference.
    "draws": 100,
}
ALWAYS = {"draws"}  # arguments that are given although they have a default

# What a function needs other than that, and calls of it beside the plainest one.
MORE: dict[str, list[dict[str, Argument]]] = {
    "compare.events": [{"fields": _first("stp", "stp_s", "steps")}],
    "compare.event_courses": [{"fields": _first("stp", "stp_s", "steps")}],
    "compare.fit_mixed": [{"predictors": _first("age", "worn_h")}],
    "compare.mixed_table": [{}],
    "compose_figure": [{"fields": lambda t: [_first("stp", "stp_s", "steps")(t)]}],
    "plot_cohort": [{"kind": "lines"}, {"kind": "lines", "by": "group"}],
    "plot_timeline": [{"fields": lambda t: [_first("stp", "stp_s", "steps")(t)]}, {}],
    "rhythm.least_active": [{"night_worn": True}],
    "rhythm.relative_amplitude": [{"night_worn": True}],
    "rhythm.sleep_regularity": [{"night_worn": True}],
    "export_actigraphy": [{"path": _file("made.csv"), "field": _first("stp", "steps")}],
    "plot_change": [{"column": _first("steps", "steps_per_day", "worn_h"), "at": "2026-10-22"}],
    "plot_agreement": [{"quantity": "steps"}],
    "plot_daily": [{"column": _first("steps", "steps_per_day", "worn_h")}],
    "plot_events": [{"field": "tl_yav"}],
}
# Calls beside the plainest one, for every function that has such a parameter.
ALSO: dict[str, list[Argument]] = {"by": ["hour", "weekend"], "judge": [False]}
TAKES_GROUPS = ("blinks.", "gait.", "posture.")

# Functions that take tables in a mapping.
IN_A_MAPPING = ("compare.mixed_table",)

# Functions with a table that no call here covers, and why.
NOT_COVERED: dict[str, str] = {
    "blinks.blinks": "takes the 20 Hz log alone: tests/analysis/blinks/test_each_blink.py",
    "compare.logs": "takes two frames of one recording: analysis/compare/test_log_comparison.py",
    "eyes.moves": "takes the 20 Hz log alone: tests/analysis/eyes/test_eye_moves.py",
    "gait.steps": "takes the 20 Hz log alone: tests/analysis/gait/test_each_step.py",
    "intervals": "takes the 20 Hz log alone: tests/analysis/test_intervals.py",
    "posture.angles": "takes the 20 Hz log alone: tests/analysis/posture/test_corrected_angles.py",
    "posture.tilt": "takes the 20 Hz log alone: tests/analysis/posture/test_gravity_tilt.py",
    "posture.turns": "takes the 20 Hz log alone: tests/analysis/posture/test_turns.py",
    "report_cohort": "its page shows the history (who failed, how to repeat it), for people",
    "read_events": "its table is one of zones, which el.Zones reads: tests/test_clock_zones.py",
}
# Functions of an archive: tables come out of them, and `wearers` is the list of its accounts.
OF_AN_ARCHIVE = ("cohort.apply", "cohort.daily", "cohort.simulate")


@dataclass(frozen=True)
class Call:
    """A function, the parameter whose table is varied, its kind, and the other arguments."""

    function: str
    parameter: str
    kind: str
    number: int
    options: tuple[tuple[str, Argument], ...]
    slow: bool = False

    def __str__(self) -> str:
        options = ", ".join(f"{k}={v!r}" for k, v in self.options if not callable(v))
        return f"{self.function}({self.parameter}: {self.kind}{', ' * bool(options)}{options})"


def functions() -> dict[str, list[str]]:
    """Return the public functions that take a table, each with the parameters that may be one."""
    found = {}
    for name, thing in public_names().items():
        if not inspect.isfunction(thing) or ("." in name and name[0].isupper()):
            continue
        tables = [each for each in inspect.signature(thing).parameters.values() if _may_be(each)]
        if tables and name not in OF_AN_ARCHIVE:
            found[name] = [each.name for each in tables]
    return found


def _may_be(parameter: inspect.Parameter) -> bool:
    words = str(parameter.annotation)
    is_table = "DataFrame" in words or "Series" in words
    if parameter.name in LEFT_OUT and parameter.default is not parameter.empty:
        return False
    if parameter.default is not parameter.empty:
        return is_table and parameter.name in OPTIONAL
    return is_table or (parameter.name in LOOSE and "object" in words)


def _kinds(parameter: inspect.Parameter) -> list[str]:
    """Return the kinds of table for a parameter: by its name, else all of its class."""
    words = str(parameter.annotation)
    if parameter.name in FITTING:
        return FITTING[parameter.name]
    frames, series = "DataFrame" in words, "Series" in words or "object" in words
    return [name for name, kind in KINDS.items() if (series if kind.is_series else frames)]


def calls() -> Iterator[Call]:
    """Return every call: each function with each table that it may take, of each kind."""
    for name, tables in functions().items():
        if name in NOT_COVERED:
            continue
        signature = inspect.signature(public_names()[name]).parameters
        is_figure = name.startswith("plot_")
        for which in tables:
            for kind in _kinds(signature[which]):
                for number, options in enumerate(_options(name, signature)):
                    slow = number > 0 or kind in LONGER or (name, kind) in LONG or is_figure
                    yield Call(name, which, kind, number, tuple(options.items()), slow)


def _options(name: str, signature: Any) -> list[dict[str, Argument]]:
    found = [dict(each) for each in MORE.get(name, [{}])]
    for parameter, values in ALSO.items():
        own = parameter != "by" or name.startswith(TAKES_GROUPS)
        if own and parameter in signature and parameter not in found[0]:
            found += [found[0] | {parameter: value} for value in values]
    return found


def answer(call: Call, table: Any) -> Any:
    """Return what a function answers if the parameter has this table, or the error it raises.

    Warnings of other packages are errors here: a person would read them as a fault.
    """
    try:
        arguments = _arguments(call, table)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", el.EyelogWarning)
            return resolve(call.function)(**arguments)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer
        return error
    finally:
        plt.close("all")


def _arguments(call: Call, table: Any) -> dict[str, Any]:
    signature = inspect.signature(resolve(call.function)).parameters
    as_made = held(call.kind)
    found: dict[str, Any] = {}
    for parameter in signature.values():
        name = parameter.name
        if name == call.parameter:
            found[name] = _given(call.function, name, table)
        elif name in dict(call.options):
            found[name] = _value(dict(call.options)[name], as_made)
        elif _may_be(parameter) and parameter.default is parameter.empty:
            found[name] = _given(
                call.function, name, _partner(call, name, as_made, _kinds(parameter))
            )
        elif parameter.default is parameter.empty or name in ALWAYS:
            if name not in ARGUMENTS:
                raise LookupError(f"{call.function}: say in ARGUMENTS what {name!r} may be")
            found[name] = _value(ARGUMENTS[name], as_made)
    return found


def _given(function: str, parameter: str, table: Any) -> Any:
    """Return a table as a function takes it: the times of events are a column of theirs."""
    if function in IN_A_MAPPING:
        return {"ann": table, "bob": table}
    if parameter == "times" and isinstance(table, pd.DataFrame):
        return table["start"]
    return table


def _value(argument: Argument, table: Any) -> Any:
    return argument(table) if callable(argument) else argument


def _partner(call: Call, name: str, as_made: Any, kinds: list[str]) -> Any:
    """Return the table beside the one that is varied, of the same log where it has to be."""
    if name == "reasons" and call.parameter == "frame":
        return el.flag(records("quarters" if "15" in call.kind else "minutes"))
    if name == "frame" and call.kind == "reasons of 15 s":
        return records("quarters")
    if name in FITTING and name not in ("before", "after", "right", "left"):
        return held(kinds[0])
    return as_made


def plain(error: Exception) -> str:
    """Return an error in a line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
