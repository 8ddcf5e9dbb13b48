"""A frame as a list of rows, and the catalogue as plain rules."""

import csv
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

import pandas as pd

EYES = "computed_data"
MINUTES = "standard_mode_logs"
STEP_S = {EYES: 15, MINUTES: 60}

# Root mean squares from firmware 2.2.0 on; they never combine like arithmetic means.
RMS = {"lc_bki_av", "sc_bki_av"}

STEPS = {EYES: ("stp",), MINUTES: ("stp_fst", "stp_mid", "stp_slw", "stp_vsl")}
NOISE = {EYES: "nis_time", MINUTES: "nis_s"}
WALK = {EYES: "stp", MINUTES: "stp_s"}


class Record(dict[str, Any]):
    """The values of a record by name, and the share of its interval that is its own."""

    share: float = 1.0


Row = Any


@dataclass(frozen=True)
class Rule:
    """What the catalogue says about one field."""

    name: str
    kind: str
    low: float | None
    high: float | None
    sentinel: float | None
    whole: bool
    number: bool
    counts: bool
    agg: str
    weight: tuple[str, ...]
    documented: bool


@cache
def rules(log: str) -> dict[str, Rule]:
    """Return the rules of one log, in the order of the catalogue, without the stamp."""
    with (files("eyelog") / "fields.csv").open(encoding="utf-8") as text:
        lines = [line for line in csv.DictReader(text) if line["log"] == log]
    return {
        line["name"]: Rule(
            name=line["name"],
            kind=line["kind"],
            low=float(line["min"]) if line["min"] else None,
            high=float(line["max"]) if line["max"] else None,
            sentinel=float(line["invalid_value"]) if line["invalid_value"] else None,
            whole=line["value_type"] == "int",
            number=line["value_type"] in ("int", "float"),
            counts=line["unit"] == "count",
            agg="rms" if line["name"] in RMS else line["agg"],
            weight=tuple(filter(None, line["weight"].split("+"))),
            documented=line["source"] == "vendor-doc",
        )
        for line in lines
        if line["name"] != "date"
    }


def rows_of(frame: pd.DataFrame) -> list[Row]:
    """Return one dict for each record in order of time: its stamp as ``at``, None where missing."""
    rows = []
    for at, values in zip(frame.index, frame.to_dict("records"), strict=True):
        row: Row = Record({"at": at})
        for name, value in values.items():
            absent = value is None or value is pd.NA or value != value
            row[name] = None if absent else value
        rows.append(row)
    return sorted(rows, key=lambda row: row["at"])


def share_the_time(rows: list[Row], log: str) -> list[Row]:
    """Give each record the share of its interval that the one before has not covered already.

    A stamp that comes late makes the next one look early, so time that a neighbour has to spare is
    not lost.
    """
    step = float(STEP_S[log])
    apart = [
        (b["at"].tz_convert("UTC") - a["at"].tz_convert("UTC")).total_seconds()
        for a, b in pairwise(rows)
    ]
    for i, distance in enumerate(apart):
        neighbours = [apart[j] for j in (i - 1, i + 1) if 0 <= j < len(apart)]
        short = [step - distance, *(2 * step - distance - other for other in neighbours)]
        rows[i + 1].share = 1 - max(0.0, min(short)) / step
    return rows


def within_limits(rule: Rule, value: float) -> bool:
    """Return whether a number lies in the documented range and is whole where it must be."""
    if rule.low is not None and value < rule.low:
        return False
    if rule.high is not None and value > rule.high:
        return False
    return not (rule.whole and (math.isinf(value) or value != math.floor(value)))


def evidence(row: Row, name: str, log: str) -> Any:
    """Return a value that may be used as evidence, or None: out of range is no evidence."""
    value = row.get(name)
    if value is None or isinstance(value, bool):
        return value
    return value if within_limits(rules(log)[name], value) else None


def measured(row: Row) -> bool:
    """Return whether a record holds anything at all."""
    return any(value is not None for name, value in row.items() if name != "at")
