"""Logs of simulated wearers for the tests of reports, and what a page says."""

import re
from functools import cache
from html import unescape
from typing import Any

import pandas as pd

import eyelog as el
from eyelog.reports.logs import Logs, as_logs

FIFTEEN, SIXTY = "computed_data", "standard_mode_logs"


@cache
def frame(log: str, days: int) -> pd.DataFrame:
    return el.simulate("2026-10-19", days, log=log, seed=4, tz="Asia/Tokyo")


@cache
def logs(*names: str, days: int = 9) -> Logs:
    """Return the logs of one wearer; both without names."""
    return as_logs({name: frame(name, days) for name in names or (FIFTEEN, SIXTY)})


@cache
def unworn() -> Logs:
    """Return a 15-second log of three days on which nobody wore the eyewear."""
    seen = frame(FIFTEEN, 3).copy()
    seen["isl"] = pd.array([True] * len(seen), dtype="boolean")
    return as_logs(seen)


def cells(table: Any) -> dict[str, list[str]]:
    """Return the rows of a table of a page by what heads them."""
    return {head: row for head, *row in table.rows}


def said(page: str, kind: str = "finding|more|problem") -> list[str]:
    """Return the sentences of a page."""
    found = re.findall(rf'<p class="(?:{kind})">(.*?)</p>', page, re.DOTALL)
    return [unescape(text).replace("\N{NO-BREAK SPACE}", " ") for text in found]
