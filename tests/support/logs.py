"""What the contract says of the logs, as `eyelog.fields` shows it."""

import csv
from functools import cache
from importlib.resources import files
from typing import Any, Final

import pandas as pd

import eyelog as el

LOGS: Final = ("computed_data", "standard_mode_logs")
INTERVAL_SECONDS: Final = {"computed_data": 15, "standard_mode_logs": 60}


@cache
def columns(log: str) -> tuple[str, ...]:
    """The columns of a frame of a log: all fields but ``date``."""
    return tuple(name for name in el.fields(log).index if name != "date")


def history(frame: Any) -> list[dict[str, Any]]:
    """The steps that a frame remembers."""
    steps: list[dict[str, Any]] = frame.attrs["eyelog"]["history"]
    return steps


@cache
def fields(log: str) -> pd.DataFrame:
    """What `eyelog.fields` shows of a log, made once."""
    return el.fields(log)


@cache
def rows(log: str) -> dict[str, dict[str, str]]:
    """The rows of ``fields.csv`` of a log, by name: what the types of JSON and of files are."""
    lines = files("eyelog").joinpath("fields.csv").read_text("utf-8").splitlines()
    return {row["name"]: row for row in csv.DictReader(lines) if row["log"] == log}
