"""How the numbers were obtained: definitions, limits, recipe, and methods to paste."""

import importlib.metadata
import json
import platform
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any, Final

import pandas as pd

import eyelog as el
from eyelog.catalogue import catalogue_version
from eyelog.errors import FieldError
from eyelog.figures.labels import LOG_WORDS
from eyelog.frame import STORED, history, log_of
from eyelog.judge.limits import DEFAULT, Limits
from eyelog.measure.columns import column
from eyelog.reports import words
from eyelog.reports.literature import CitedText, cited_text
from eyelog.reports.logs import PURPOSE, RECIPE, Logs
from eyelog.reports.parts import PageTable, Part, said_table
from eyelog.reports.words import said

LONGEST: Final = 400  # characters of one detail of the history; longer ones are spans of time
LONGER: Final = "(too long to print)"
PACKAGES: Final = ("numpy", "pandas", "scipy", "matplotlib")
WEAR: Final = {
    "worn_h": "worn time (h)",
    "blink_rate_per_min": "blink rate (per min)",
    "head_moves_yaw_per_h": "turns of the head (per h)",
}
# Reasons that every list names, because they state a limit, even where it removed nothing.
OF_LIMITS: Final = ("UNWORN", "INVALID", "OFF_POSE", "MOVING", "NOISY")


def method(logs: Logs, arguments: dict[str, Any], notices: list[str]) -> Part:
    """Return the definitions, the limits and the recipe of a report.

    Parameters
    ----------
    logs : Logs
        What is reported.
    arguments : dict
        How `eyelog.report` was called, JSON-safe.
    notices : list of str
        Warnings given while the numbers were computed.
    """
    readings = [_reading(logs, log) for log in logs.frames]
    return method_part(
        said("methods.method", inventory=False, readings=readings, notices=notices),
        methods(logs, arguments.get("sections")),
        list(logs.frames),
        logs.limits,
        {"report": arguments, "logs": {log: _recipe(logs, log) for log in logs.frames}},
    )


def method_part(
    findings: list[str],
    to_paste: CitedText,
    logs: Sequence[str],
    limits: Limits,
    recipe: dict[str, Any],
) -> Part:
    """Return the section that closes a page, of a wearer or of a study."""
    recipe = recipe | {"versions": versions(), "catalogue": catalogue_version()}
    return Part(
        findings=findings,
        tables=[partial(limits_table, logs, limits)] if logs else [],
        to_paste=to_paste,
        recipe=json.dumps(recipe, indent=1, ensure_ascii=False, sort_keys=True, default=str),
    )


def versions() -> dict[str, str]:
    """Return the versions that a report was made with."""
    version_of = {"eyelog": el.__version__, "python": platform.python_version()}
    return version_of | {name: importlib.metadata.version(name) for name in PACKAGES}


def _reading(logs: Logs, log: str) -> str:
    """Return which reading of wear was used, and what the other would give."""
    used = logs.limits.wear
    other = replace(logs.limits, wear="device" if used == "blinks" else "blinks")
    moved, masked = None, STORED in logs.frames[log]
    try:
        if not masked:
            both = [
                el.summary(logs.frames[log], columns=[*WEAR], limits=limits).iloc[0]
                for limits in (logs.limits, other)
            ]
            moved = [
                (WEAR[str(name)], *of) for name, of in pd.concat(both, axis=1).dropna().iterrows()
            ]
    except FieldError:
        pass  # which is said
    facts = {"used": used, "other": other.wear, "moved": moved, "masked": masked}
    return words.sentence("methods.reading", log=log, **facts)


def limits_table(logs: Sequence[str], chosen: Limits = DEFAULT) -> PageTable:
    """Return the limits of these logs with their sources."""
    limits_of: dict[tuple[str, ...], list[str]] = {}
    for log in logs:
        for one in chosen.of(log).values():
            limits_of.setdefault((one.label, one.value_text, one.source), []).append(log)
    whole = []
    for (text, value, source), of in limits_of.items():
        whose = words.joined([LOG_WORDS[log] for log in of])
        for_all = len(of) == len(logs) > 1
        # A column of logs would make the table too wide for half a page.
        whole.append((text, value, "all" if for_all else whose, source))
    table = pd.DataFrame(whole, columns=pd.Index(["limit", "value", "logs", "source"]))
    return said_table("methods.limits_table", table.set_index("limit"), several=len(logs) > 1)


def _recipe(logs: Logs, log: str) -> dict[str, Any]:
    frame = logs.frames[log]
    return {
        "records": len(frame),
        "fields": len(frame.columns),
        "first": frame.index[0].isoformat(),
        "last": frame.index[-1].isoformat(),
        "zone": logs.zone,
        "history": [
            {
                name: of if len(json.dumps(of, default=str)) <= LONGEST else LONGER
                for name, of in step.items()
            }
            for step in history(frame)
        ],
        "days_sha256": sha256(logs.days(log).to_csv().encode()).hexdigest(),
    }


def methods(logs: Logs, sections: Collection[str] | None = None) -> CitedText:
    """Return the methods of one wearer's analysis as an author writes them, ready to paste.

    Parameters
    ----------
    logs : Logs
        What was analysed.
    sections : collection of str, optional
        The sections of the report whose measures are defined. Default: all.
    """
    every = ("days", "eyes", "blinks", "walking", "head", "rhythm", "baseline", "agreement")
    counted_as = []
    if logs.single is not None:
        rules = logs.limits.of(log_of(logs.single))
        counted_as = [rules[name].text("") for name in ("counted_strength", "counted_speed")]
    paragraphs = said(
        "methods.methods_of",
        logs=logs,
        sections=every if sections is None else sections,
        versions=versions(),
        own=own_limits(logs.limits),
        left_out={log: _left_out(logs, log) for log in logs.frames},
        counted_as=counted_as,
    )
    return cited_text(*paragraphs)


def own_limits(limits: Limits) -> list[tuple[str, str, str]]:
    """Return name, value and default of each limit that is not the default."""
    table = limits.table()
    return [
        (name, row["value"], row["default"])
        for name in limits.details()
        for _, row in table.loc[[name]].drop_duplicates("value").iterrows()
    ]


def _left_out(logs: Logs, log: str) -> dict[str, Any]:
    """Return the limits of a log, in turn, with the records that each of them left out."""
    facts: dict[str, Any] = {"purpose": PURPOSE[RECIPE[log]], "total": 0, "left": 0, "lost": []}
    facts["masked"] = STORED in logs.frames[log]
    if facts["masked"]:
        return facts  # which is said
    try:
        table = logs.attrition(log, RECIPE[log])
    except FieldError:
        return facts  # which is said
    steps = table[table["outcome"].fillna("") == ""]
    facts |= {"total": int(steps["left"].iloc[0]), "left": int(steps["left"].iloc[-1])}
    for reason, rows in steps.iloc[1:].groupby("reason", sort=False):
        removed, label = int(rows["removed"].sum()), column(str(reason), table="explain").label
        if reason in OF_LIMITS or removed:
            kept = ", ".join(map(str, rows["condition"])) if reason in OF_LIMITS else ""
            label = f"{label[:1].lower()}{label[1:]}"
            facts["lost"].append((label, removed, kept, int(rows["unknown"].max())))
    return facts
