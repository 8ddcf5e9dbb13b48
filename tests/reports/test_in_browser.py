"""Both reports in a real browser: at both widths, light and dark, on paper, by keyboard."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import eyelog as el
from support.chromium import DESK, PHONE, Chromium, chromium, needs_chromium
from support.cohort_days import cohort_days
from support.reported import FIFTEEN, SIXTY, TZ, Page

pytestmark = [needs_chromium, pytest.mark.slow("a real browser shows the page")]

LOGS = (SIXTY, FIFTEEN)
UNFOLD = "document.querySelectorAll('details').forEach((part) => { part.open = true; });"

# How often each figure is drawn.
DRAWN = """
return [...document.querySelectorAll("figure")].map((figure) =>
  [...figure.querySelectorAll("svg")]
    .map((svg) => svg.getBoundingClientRect()).filter((box) => box.width && box.height).length);
"""

# The text of all blocks that lie wholly in the window.
IN_VIEW = """
return [...document.querySelectorAll("h1, p, dt, dd")]
  .filter((block) => { const box = block.getBoundingClientRect();
                       return box.height && box.bottom <= innerHeight && box.right <= innerWidth; })
  .map((block) => block.innerText);
"""

# The top and the bottom of the first figure that is shown.
FIRST_FIGURE = """
const box = [...document.querySelectorAll('.opening figure svg')]
  .map((svg) => svg.getBoundingClientRect()).find((box) => box.width);
return [box.top, box.bottom];
"""

# The sizes of the letters in figures, as the window shows them.
TEXT_PX = """
const shown = [...document.querySelectorAll("figure svg")].filter((svg) => svg.clientWidth);
return shown.flatMap((svg) =>
  [...svg.querySelectorAll("text")].map((text) =>
    parseFloat(getComputedStyle(text).fontSize) * svg.getScreenCTM().a));
"""

# The tables, and their captions, that are wider than the window.
WIDE = """
return [...document.querySelectorAll('table, caption > span')]
  .filter((part) => part.getBoundingClientRect().right > innerWidth)
  .map((part) => part.innerText.slice(0, 80));
"""


def simulated(start: str, days: int, *logs: str) -> list[pd.DataFrame]:
    return [el.simulate(start, days, log=log, seed=4, tz=TZ) for log in logs or LOGS]


def study(path: Path, by: str | None) -> Path:
    lost = {"failed": {"eve": "2026-10: cannot read the month"}, "without_days": ["zoe"]}
    table = cohort_days(14, 21, effect=4.0, **lost)
    people = table.reset_index()[["account", "group", "age"]].drop_duplicates()
    people.loc[len(table)] = ["eve", "treated", 40]
    people.loc[len(table) + 1] = ["zoe", "control", 41]
    return el.report_cohort(table, path, by=by, dated="Trial of 19 October 2026", wearers=people)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the reports of nine days, of a fortnight, of a study; and page one of a month."""
    folder, name = tmp_path_factory.mktemp("report"), "Person 7"
    months = el.simulate("2026-08-31", 60, log=FIFTEEN, seed=4, tz=TZ)  # it has most panels
    return {
        "nine days": el.report(simulated("2026-10-19", 9), folder / "9.html", name=name),
        "fortnight": el.report(simulated("2026-10-12", 14), folder / "14.html", name=name),
        "month": el.report(months, folder / "60.html", name=name, glance=True),
        "groups": study(folder / "groups.html", "group"),
        "no groups": study(folder / "none.html", None),
    }


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with chromium() as window:
        yield window


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [DESK, PHONE])
@pytest.mark.parametrize("of", ["nine days", "month", "groups", "no groups"])
def test_nothing_is_wrong_at_either_width_in_light_or_dark(
    browser: Chromium, pages: dict[str, Path], of: str, width: int, dark: bool
) -> None:
    browser.open(pages[of], width=width, dark=dark)
    assert browser.axe() == []
    browser.run(UNFOLD)
    assert set(browser.run(DRAWN)) == {1}
    assert browser.run("return document.querySelectorAll('.problem').length") == 0
    assert browser.layout_faults() == []
    assert not browser.scrolls_sideways()
    assert browser.axe() == []
    assert browser.console() == []
    here = ("data:", pages[of].as_uri())
    assert [url for url in browser.requests() if not url.startswith(here)] == []
    if width == PHONE:
        assert browser.run(WIDE) == []
        # The arrows at rings are marks, as large as the ring leaves room for.
        assert min(browser.run(TEXT_PX)) >= (8 if of == "month" else 11)


@pytest.mark.parametrize("of", ["nine days", "month", "groups", "no groups"])
@pytest.mark.parametrize(("width", "height"), [(DESK, 800), (PHONE, 844)])
def test_the_first_screen_has_the_answer(
    browser: Chromium, pages: dict[str, Path], of: str, width: int, height: int
) -> None:
    browser.open(pages[of], width=width, height=height)
    seen = browser.run(IN_VIEW)
    assert browser.run("return document.querySelector('h1').innerText") in seen
    parts = browser.run(
        "return [...document.querySelectorAll('.facts dt, .answer, .looked')]"
        ".map((part) => part.innerText)"
    )
    assert len(parts) >= 4
    assert set(parts) <= set(seen)
    top, bottom = browser.run(FIRST_FIGURE)
    if "groups" in of:  # the figure whole on a desk; on a phone at least its upper third
        assert top + (bottom - top) * (0.9 if width == DESK else 0.33) < height
    assert top < height - 100


def test_the_keyboard_reaches_every_link(browser: Chromium, pages: dict[str, Path]) -> None:
    browser.open(pages["nine days"])
    folded = "return [...document.querySelectorAll('details:not([open]) h2')].map((h) => h.id)"
    assert browser.run(folded) == ["trust", "method"]
    browser.run(UNFOLD)
    links = browser.run("return [...document.links].map((link) => link.outerHTML.slice(0, 300))")
    assert len(links) > 20
    assert set(links) <= set(browser.tab_through())
    back = (
        "return [...document.querySelectorAll('main > section:not(.opening)')]"
        ".every((section) => section.querySelector('a[href=\"#contents\"]'))"
    )
    assert browser.run(back)


# On paper: how full each sheet is, and what stands at its foot.


needs_poppler = pytest.mark.skipif(
    not (shutil.which("pdftoppm") and shutil.which("pdftotext")),
    reason="poppler-utils is not installed",
)
DPI = 40
MARGINS_MM = (14.0, 16.0)  # above and below what is printed; the foot stands in the lower one
HEIGHT_MM = 297.0
HEADING_PT = 14.0  # words of headings are higher than this, all others lower
_PAGE = re.compile(r"<page .*?</page>", re.DOTALL)
_WORD = re.compile(r'yMin="([\d.]+)" xMax="[\d.]+" yMax="([\d.]+)">(.*?)</word>')


class Word(NamedTuple):
    """One word, and where it stands: the distance of its foot from the top, as a share."""

    text: str
    place: float
    height_pt: float


class Printed:
    """The sheets of a PDF.

    Attributes
    ----------
    filled : list of float
        How far down each sheet is filled, as a share of what can be printed on.
    """

    def __init__(self, pdf: bytes, folder: Path) -> None:
        path = folder / "printed.pdf"
        path.write_bytes(pdf)
        for old in folder.glob("sheet-*.png"):
            old.unlink()
        subprocess.run(
            ["pdftoppm", "-r", str(DPI), "-gray", "-png", path, folder / "sheet"], check=True
        )
        self.filled = [_filled(sheet) for sheet in sorted(folder.glob("sheet-*.png"))]
        text = subprocess.run(
            ["pdftotext", "-bbox", path, "-"], check=True, capture_output=True, text=True
        ).stdout
        self.words = [
            [
                Word(unescape(word), float(foot) / 842.0, float(foot) - float(top))
                for top, foot, word in _WORD.findall(page)
            ]
            for page in _PAGE.findall(text)
        ]

    def feet(self) -> list[str]:
        """Return the text in the lower margin of each sheet."""
        edge = 1.0 - MARGINS_MM[1] / HEIGHT_MM
        return [" ".join(word.text for word in page if word.place > edge) for page in self.words]

    def headings_at_the_foot(self) -> list[str]:
        """Return the words of headings with nothing but the margin beneath them."""
        edge = 1.0 - (MARGINS_MM[1] + 8.0) / HEIGHT_MM
        return [
            word.text
            for page in self.words
            for word in page
            if word.height_pt > HEADING_PT and word.place > edge
        ]


def _filled(path: Path) -> float:
    with Image.open(path) as sheet:
        dark = (np.asarray(sheet.convert("L")) < 250).any(axis=1)
    top, bottom = (round(len(dark) * margin / HEIGHT_MM) for margin in MARGINS_MM)
    used = np.flatnonzero(dark[top : len(dark) - bottom])
    return float(used[-1] + 1) / (len(dark) - top - bottom) if used.size else 0.0


@needs_poppler
def test_a_fortnight_of_both_logs_prints_on_eight_full_pages(
    browser: Chromium, pages: dict[str, Path], tmp_path: Path
) -> None:
    browser.open(pages["fortnight"], dark=True)
    printed = browser.pdf()
    assert b"/MediaBox [0 0 594" in printed or b"/MediaBox [0 0 595" in printed
    paper = Printed(printed, tmp_path)
    assert len(paper.filled) <= 8
    assert min(paper.filled) > 1 / 3
    assert paper.headings_at_the_foot() == []
    assert all("Person 7" in foot and f"{i} of" in foot for i, foot in enumerate(paper.feet(), 1))
    texts = [" ".join(word.text for word in page) for page in paper.words]
    assert "What was lost, and why (section 8, “How far to trust it”)" in texts[0]
    assert "Contents: 1 Days; 2 Eyes;" in texts[0].replace("\N{NO-BREAK SPACE}", " ")
    assert any("8 How far to trust it" in text for text in texts[1:])
    browser.run(UNFOLD)  # what is folded is printed whole
    assert len(Printed(browser.pdf(), tmp_path).filled) == len(paper.filled)


def test_a_fortnight_has_at_most_2200_words_beside_its_tables_and_figures(
    pages: dict[str, Path],
) -> None:
    body = pages["fortnight"].read_text("utf-8").split("<body>")[1]
    for part in ("svg", "table", "pre"):
        body = re.sub(rf"<{part}\b.*?</{part}>", " ", body, flags=re.DOTALL)
    assert 1000 < len(re.sub("<[^>]*>", " ", body).split()) <= 2200


@needs_poppler
def test_a_year_of_both_logs_is_whole_small_and_prints_on_twelve_full_pages(
    browser: Chromium, tmp_path: Path
) -> None:
    year = [el.simulate("2025-10-24", 365, log=log, seed=3, tz="Europe/Berlin") for log in LOGS]
    path = el.report(year, tmp_path / "year.html", name="Person 7")
    assert path.stat().st_size < 6e6
    assert Page(path.read_text("utf-8")).said("problem") == []
    browser.open(path)
    paper = Printed(browser.pdf(), tmp_path)
    assert len(paper.filled) <= 12
    assert min(paper.filled) > 1 / 3
    assert paper.headings_at_the_foot() == []


@needs_poppler
@pytest.mark.parametrize(
    ("logs", "days", "options"),
    [
        (LOGS[:1], 14, {"glance": True}),
        (LOGS[:1], 3, {"glance": True, "name": "W" * 130}),
        (LOGS[:1], 14, {}),
        (LOGS[1:], 1, {}),
        (LOGS[1:], 28, {}),
    ],
    ids=["glance", "glance of a long name", "fortnight", "day", "four weeks"],
)
def test_no_page_is_under_a_third_full_however_long_the_report_is(
    browser: Chromium, tmp_path: Path, logs: tuple[str, ...], days: int, options: dict[str, Any]
) -> None:
    frames = simulated("2026-10-05", days, *logs)
    browser.open(el.report(frames, tmp_path / "report.html", **{"name": "Person 7"} | options))
    paper = Printed(browser.pdf(), tmp_path)
    assert len(paper.filled) <= (1 if "glance" in options else 9)
    assert min(paper.filled) > 1 / 3
    assert paper.headings_at_the_foot() == []
    assert f"1 of {len(paper.filled)}" in paper.feet()[0]


@needs_poppler
def test_without_a_figure_page_one_goes_on_with_the_sections(
    browser: Chromium, tmp_path: Path
) -> None:
    (nothing,) = simulated("2026-10-12", 14, SIXTY)
    nothing.loc[:, nothing.select_dtypes("number").columns] = float("nan")
    browser.open(el.report(nothing, tmp_path / "report.html", name="Person 7"))
    assert min(Printed(browser.pdf(), tmp_path).filled) > 1 / 3


@needs_poppler
@pytest.mark.parametrize("of", ["groups", "no groups", "month"])
def test_a_study_and_a_month_print_on_full_pages(
    browser: Chromium, pages: dict[str, Path], tmp_path: Path, of: str
) -> None:
    browser.open(pages[of], dark=True)
    paper = Printed(browser.pdf(), tmp_path)
    assert len(paper.filled) == 1 if of == "month" else len(paper.filled) >= 4
    assert min(paper.filled) > 1 / 3
    assert paper.headings_at_the_foot() == []
