"""The whole report in a real browser: at both widths, light and dark, on paper, by keyboard."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import eyelog as el
from support.chromium import DESK, PHONE, Chromium, chromium, needs_chromium
from support.cohort_days import cohort_days
from support.printed import Printed, needs_poppler
from support.reported import said

pytestmark = [needs_chromium, pytest.mark.slow("a real browser shows the page")]

DRAWN = """
return [...document.querySelectorAll("figure")].map((figure) =>
  [...figure.querySelectorAll("svg")]
    .map((svg) => svg.getBoundingClientRect()).filter((box) => box.width && box.height).length);
"""


LOGS = ("standard_mode_logs", "computed_data")

# The text of all blocks that lie wholly in the window.
IN_VIEW = """
return [...document.querySelectorAll("h1, p, dt, dd")]
  .filter((block) => { const box = block.getBoundingClientRect();
                       return box.height && box.bottom <= innerHeight && box.right <= innerWidth; })
  .map((block) => block.innerText);
"""

# The sizes of the letters in figures, as the window shows them.
TEXT_PX = """
const shown = [...document.querySelectorAll("figure svg")].filter((svg) => svg.clientWidth);
return shown.flatMap((svg) =>
  [...svg.querySelectorAll("text")].map((text) =>
    parseFloat(getComputedStyle(text).fontSize) * svg.getScreenCTM().a));
"""

UNFOLD = "document.querySelectorAll('details').forEach((part) => { part.open = true; });"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = [el.simulate("2026-10-19", 9, log=log, seed=4, tz="Asia/Tokyo") for log in LOGS]
    return el.report(logs, tmp_path_factory.mktemp("report") / "report.html", name="Person 7")


@pytest.fixture(scope="module")
def fortnight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = [el.simulate("2026-10-12", 14, log=log, seed=4, tz="Asia/Tokyo") for log in LOGS]
    return el.report(logs, tmp_path_factory.mktemp("fort") / "report.html", name="Person 7")


@pytest.fixture(scope="module")
def months(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return page one of a range so long that it shows a month, of the log with most panels."""
    frame = el.simulate("2026-08-31", 60, log="computed_data", seed=4, tz="Asia/Tokyo")
    path = tmp_path_factory.mktemp("months") / "glance.html"
    return el.report(frame, path, name="Person 7", glance=True)


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with chromium() as window:
        yield window


@pytest.mark.parametrize("width", [DESK, PHONE])
def test_every_figure_is_drawn_once_and_nothing_overlaps(
    browser: Chromium, page: Path, width: int
) -> None:
    browser.open(page, width=width)
    browser.run(UNFOLD)
    assert set(browser.run(DRAWN)) == {1}
    assert browser.run("return document.querySelectorAll('.problem').length") == 0
    assert browser.layout_faults() == []
    assert not browser.scrolls_sideways()


def test_nothing_goes_wrong_and_nothing_is_asked_of_the_network(
    browser: Chromium, page: Path
) -> None:
    browser.open(page)
    assert browser.console() == []
    assert [url for url in browser.requests() if not url.startswith(("data:", page.as_uri()))] == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_axe_finds_nothing(browser: Chromium, page: Path, width: int, dark: bool) -> None:
    browser.open(page, width=width, dark=dark)
    assert browser.axe() == []
    browser.run(UNFOLD)
    assert browser.axe() == []


def test_the_keyboard_reaches_every_link(browser: Chromium, page: Path) -> None:
    browser.open(page)
    browser.run(UNFOLD)
    links = browser.run("return [...document.links].map((link) => link.outerHTML.slice(0, 300))")
    assert len(links) > 20
    assert set(links) <= set(browser.tab_through())


def test_the_appendix_is_folded_on_a_screen(browser: Chromium, page: Path) -> None:
    browser.open(page)
    folded = "return [...document.querySelectorAll('details:not([open]) h2')].map((h) => h.id)"
    assert browser.run(folded) == ["trust", "method"]


def test_the_table_in_the_file_is_the_table_of_the_library(browser: Chromium, page: Path) -> None:
    browser.open(page)
    text = browser.run(
        "const link = document.querySelector('a[download=\"days-computed_data.csv\"]');"
        "return atob(link.href.split(',')[1])"
    )
    frame = el.simulate("2026-10-19", 9, log="computed_data", seed=4, tz="Asia/Tokyo")
    assert text.splitlines()[0].split(",")[1:] == list(el.daily(frame).columns)
    assert len(text.splitlines()) == 10


@pytest.mark.parametrize("of", ["page", "months"])
@pytest.mark.parametrize(("width", "height"), [(DESK, 800), (PHONE, 844)])
def test_the_first_screen_has_the_answer(
    browser: Chromium, request: pytest.FixtureRequest, of: str, width: int, height: int
) -> None:
    browser.open(request.getfixturevalue(of), width=width, height=height)
    seen = browser.run(IN_VIEW)
    assert "Eyewear report: Person 7" in seen
    for fact in ("Worn", "Worn for 8\N{NO-BREAK SPACE}h", "Compared with"):
        assert fact in seen
    assert browser.run("return document.querySelector('.answer').innerText") in seen
    assert browser.run("return document.querySelector('.looked').innerText") in seen
    figures = "return [...document.querySelectorAll('.opening svg')].map((svg) => svg.getBoundingClientRect()).filter((box) => box.width)[0].top"  # noqa: E501
    assert browser.run(figures) < height - 100


def test_the_text_of_figures_can_be_read_on_a_phone(browser: Chromium, page: Path) -> None:
    browser.open(page, width=PHONE)
    browser.run(UNFOLD)
    sizes = browser.run(TEXT_PX)
    assert len(sizes) > 100
    assert min(sizes) >= 11


def test_a_month_can_be_read_on_a_phone(browser: Chromium, months: Path) -> None:
    browser.open(months, width=PHONE)
    assert "The last four weeks at a glance" in browser.run("return document.body.innerText")
    assert not browser.scrolls_sideways()
    assert browser.layout_faults() == []
    # The arrows at rings are marks, as large as the ring leaves room for.
    assert min(browser.run(TEXT_PX)) >= 8


@needs_poppler
def test_a_month_at_a_glance_prints_on_one_page(
    browser: Chromium, months: Path, tmp_path: Path
) -> None:
    browser.open(months)
    assert len(Printed(browser.pdf(), tmp_path).filled) == 1


def test_no_table_is_wider_than_a_phone(browser: Chromium, page: Path) -> None:
    browser.open(page, width=PHONE)
    browser.run(UNFOLD)
    wide = browser.run(
        "return [...document.querySelectorAll('table')]"
        ".filter((table) => table.getBoundingClientRect().right > innerWidth)"
        ".map((table) => table.innerText.slice(0, 80))"
    )
    assert wide == []


def test_each_section_links_back_to_the_contents(browser: Chromium, page: Path) -> None:
    browser.open(page)
    links = "return [...document.querySelectorAll('main > section:not(.opening)')].map((section) => section.querySelector('a[href=\"#contents\"]') !== null)"  # noqa: E501
    assert set(browser.run(links)) == {True}


@needs_poppler
def test_a_fortnight_of_both_logs_prints_on_eight_full_pages(
    browser: Chromium, fortnight: Path, tmp_path: Path
) -> None:
    browser.open(fortnight, dark=True)
    printed = browser.pdf()
    assert b"/MediaBox [0 0 594" in printed or b"/MediaBox [0 0 595" in printed
    pages = Printed(printed, tmp_path)
    assert len(pages.filled) <= 8
    assert min(pages.filled) > 1 / 3
    assert pages.headings_at_the_foot() == []
    assert all("Person 7" in foot and f"{i} of" in foot for i, foot in enumerate(pages.feet(), 1))
    browser.run(UNFOLD)  # what is folded is printed whole
    assert len(Printed(browser.pdf(), tmp_path).filled) == len(pages.filled)


def test_a_fortnight_has_at_most_2200_words_beside_its_tables_and_figures(fortnight: Path) -> None:
    body = fortnight.read_text("utf-8").split("<body>")[1]
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
    assert said(path.read_text("utf-8"), "problem") == []
    browser.open(path)
    pages = Printed(browser.pdf(), tmp_path)
    assert len(pages.filled) <= 12
    assert min(pages.filled) > 1 / 3
    assert pages.headings_at_the_foot() == []


@needs_poppler
def test_a_glance_prints_on_one_page(browser: Chromium, tmp_path: Path) -> None:
    frame = el.simulate("2026-10-12", 14, log=LOGS[0], seed=4, tz="Asia/Tokyo")
    browser.open(el.report(frame, tmp_path / "glance.html", glance=True))
    assert len(Printed(browser.pdf(), tmp_path).filled) == 1


@needs_poppler
@pytest.mark.parametrize(("logs", "days"), [(LOGS[:1], 14), (LOGS[1:], 1), (LOGS[1:], 28)])
def test_no_page_is_under_a_third_full_however_long_the_report_is(
    browser: Chromium, tmp_path: Path, logs: tuple[str, ...], days: int
) -> None:
    frames = [el.simulate("2026-10-05", days, log=log, seed=4, tz="Asia/Tokyo") for log in logs]
    browser.open(el.report(frames, tmp_path / "report.html", name="Person 7"))
    pages = Printed(browser.pdf(), tmp_path)
    assert len(pages.filled) <= 9
    assert min(pages.filled) > 1 / 3
    assert pages.headings_at_the_foot() == []


@needs_poppler
def test_without_a_figure_page_one_goes_on_with_the_sections(
    browser: Chromium, tmp_path: Path
) -> None:
    nothing = el.simulate("2026-10-12", 14, log=LOGS[0], seed=4, tz="Asia/Tokyo")
    nothing.loc[:, nothing.select_dtypes("number").columns] = float("nan")
    browser.open(el.report(nothing, tmp_path / "report.html", name="Person 7"))
    assert min(Printed(browser.pdf(), tmp_path).filled) > 1 / 3


@needs_poppler
@pytest.mark.parametrize("by", ["group", None])
def test_a_cohort_prints_on_full_pages(browser: Chromium, tmp_path: Path, by: str | None) -> None:
    path = el.report_cohort(cohort_days(14, 21, effect=4.0), tmp_path / "study.html", by=by)
    browser.open(path)
    pages = Printed(browser.pdf(), tmp_path)
    assert min(pages.filled) > 1 / 3
    assert pages.headings_at_the_foot() == []


@needs_poppler
def test_paper_says_in_which_section_what_is_linked_stands(
    browser: Chromium, fortnight: Path, tmp_path: Path
) -> None:
    browser.open(fortnight)
    pages = [
        " ".join(word.text for word in page) for page in Printed(browser.pdf(), tmp_path).words
    ]
    assert "What was lost, and why (section 8, “How far to trust it”)" in pages[0]
    assert "Contents: 1 Days; 2 Eyes;" in pages[0].replace("\N{NO-BREAK SPACE}", " ")
    assert any("8 How far to trust it" in page for page in pages[1:])


@needs_poppler
def test_a_long_name_leaves_room_for_the_number_of_the_page(
    browser: Chromium, tmp_path: Path
) -> None:
    frame = el.simulate("2026-10-19", 3, log=LOGS[0], seed=4, tz="Asia/Tokyo")
    browser.open(el.report(frame, tmp_path / "report.html", name="W" * 130, glance=True))
    printed = Printed(browser.pdf(), tmp_path)
    assert len(printed.filled) == 1
    (foot,) = printed.feet()
    assert "1 of 1" in foot
    assert "\N{HORIZONTAL ELLIPSIS}" in foot
