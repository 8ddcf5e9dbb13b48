"""The whole report in a real browser: at both widths, light and dark, on paper, by keyboard."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import eyelog as el
from support.chromium import DESK, PHONE, Chromium, chromium, needs_chromium

pytestmark = needs_chromium

DRAWN = """
return [...document.querySelectorAll("figure")].map((figure) =>
  [...figure.querySelectorAll("svg")]
    .map((svg) => svg.getBoundingClientRect()).filter((box) => box.width && box.height).length);
"""


UNFOLD = "document.querySelectorAll('details').forEach((part) => { part.open = true; });"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = [
        el.simulate("2026-10-19", 9, log=log, seed=4, tz="Asia/Tokyo")
        for log in ("standard_mode_logs", "computed_data")
    ]
    return el.report(logs, tmp_path_factory.mktemp("report") / "report.html", name="Person 7")


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


def test_a_value_is_shown_where_the_pointer_rests_on_its_point(
    browser: Chromium, page: Path
) -> None:
    browser.open(page)
    titles = browser.run(
        "return [...document.querySelectorAll('#eyes-1-wide-title ~ * title')]"
        ".map((title) => title.textContent)"
    )
    assert any(title.startswith("Mon 19 Oct, Blink rate (per min): ") for title in titles)


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


def test_it_prints_on_a4_pages(browser: Chromium, page: Path) -> None:
    browser.open(page, dark=True)
    printed = browser.pdf()
    assert printed.startswith(b"%PDF")
    folded = printed.count(b"/Type /Page\n")
    assert 5 <= folded <= 12
    browser.run(UNFOLD)  # a folded appendix is printed whole
    assert browser.pdf().count(b"/Type /Page\n") == folded
    assert b"/MediaBox [0 0 594" in printed or b"/MediaBox [0 0 595" in printed
