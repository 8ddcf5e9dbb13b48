"""Logs of simulated wearers for the tests of reports, and what a page says."""

import base64
import json
import re
from functools import cache
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

import eyelog as el

FIFTEEN, SIXTY, TZ = "computed_data", "standard_mode_logs", "Asia/Tokyo"


def _plain(html: str) -> str:
    text = unescape(re.sub("<[^>]*>", "", html)).strip()
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-")


def _plain_texts(pattern: str, html: str) -> list[str]:
    return [_plain(found) for found in re.findall(pattern, html, re.DOTALL)]


class Page:
    """The text of a report, read as a person or a program reads it."""

    def __init__(self, html: str) -> None:
        self.html = html

    def said(self, kind: str = "finding|more|problem") -> list[str]:
        """Return the sentences of the page of a kind."""
        return _plain_texts(rf'<p class="(?:{kind})">(.*?)</p>', self.html)

    @property
    def answers(self) -> list[str]:
        """The sentences of page one."""
        return self.said("answer")

    @property
    def facts(self) -> list[str]:
        """The facts of page one, each with its value and remark."""
        found = re.findall(r"<div><dt>.*?</dd></div>", self.html)
        return [_plain(one.replace("<dd>", " ")) for one in found]

    @property
    def figures(self) -> list[str]:
        """The titles and descriptions of the figures."""
        return _plain_texts("<figcaption>(.*?)</figcaption>", self.html)

    @property
    def sections(self) -> list[str]:
        """The keys of the sections, in order."""
        return re.findall(r'<h2 id="(\w+)">', self.html)

    def table(self, caption: str) -> list[list[str]]:
        """Return the rows of the table whose caption begins so, the headers first."""
        for part in re.findall(r'<div class="table.*?</table>', self.html, re.DOTALL):
            (said,) = _plain_texts("<(?:caption|summary) [^>]*>(.*?)</(?:caption|summary)>", part)
            if said.startswith(caption):
                rows = re.findall("<tr>(.*?)</tr>", part, re.DOTALL)
                return [_plain_texts("<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
        raise AssertionError(f"no table {caption!r}")

    def cells(self, caption: str) -> dict[str, list[str]]:
        """Return the rows of a table by what heads them."""
        return {head: row for head, *row in self.table(caption)}

    def file(self, name: str) -> str:
        """Return the text of a file that can be downloaded from the page."""
        (code,) = re.findall(rf'base64,([^"]*)" download="{re.escape(name)}"', self.html)
        return base64.b64decode(code).decode()

    @property
    def methods(self) -> str:
        """The methods, ready to paste."""
        return " ".join(_plain_texts('<div class="paste">(.*?)</div>', self.html))

    @property
    def recipe(self) -> dict[str, Any]:
        """How the page was made."""
        (text,) = re.findall("<pre[^>]*>(.*?)</pre>", self.html, re.DOTALL)
        return dict(json.loads(unescape(text)))


def page_of(frames: Any, *sections: str, **options: Any) -> Page:
    """Return the report of one wearer, of all sections or of some."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        el.report(frames, path, sections=sections or None, **options)
        return Page(path.read_text("utf-8"))


def study_of(table: Any, **options: Any) -> Page:
    """Return the report of a study."""
    with TemporaryDirectory() as folder:
        path = el.report_cohort(table, Path(folder) / "study.html", **options)
        return Page(path.read_text("utf-8"))


@cache
def frame(log: str, days: int) -> pd.DataFrame:
    return el.simulate("2026-10-19", days, log=log, seed=4, tz=TZ)


@cache
def page(*logs: str, days: int = 9) -> Page:
    """Return the whole report of the logs of one wearer; of both without names."""
    return page_of([frame(log, days) for log in logs or (FIFTEEN, SIXTY)])
