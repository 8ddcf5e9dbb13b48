"""The report of a cohort in a real browser: both widths, light and dark, on paper."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import eyelog as el
from support.chromium import DESK, PHONE, Chromium, chromium, needs_chromium
from support.cohort_days import cohort_days

pytestmark = [needs_chromium, pytest.mark.slow("a real browser shows the page")]

DRAWN = """
return [...document.querySelectorAll("figure")].map((figure) =>
  [...figure.querySelectorAll("svg")]
    .map((svg) => svg.getBoundingClientRect()).filter((box) => box.width && box.height).length);
"""


@pytest.fixture(scope="module", params=["group", None], ids=["groups", "no groups"])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    lost = {"failed": {"eve": "2026-10: cannot read the month"}, "without_days": ["zoe"]}
    table = cohort_days(14, 21, effect=4.0, **lost)
    people = table.reset_index()[["account", "group", "age"]].drop_duplicates()
    people.loc[len(table)] = ["eve", "treated", 40]
    people.loc[len(table) + 1] = ["zoe", "control", 41]
    target = tmp_path_factory.mktemp("cohort") / "study.html"
    dated = "Trial of 19 October 2026"
    return el.report_cohort(table, target, by=request.param, dated=dated, wearers=people)


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with chromium() as window:
        yield window


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_nothing_is_wrong_at_either_width_in_light_or_dark(
    browser: Chromium, page: Path, width: int, dark: bool
) -> None:
    browser.open(page, width=width, dark=dark)
    assert set(browser.run(DRAWN)) == {1}
    assert browser.run("return document.querySelectorAll('.problem').length") == 0
    assert browser.layout_faults() == []
    assert not browser.scrolls_sideways()
    assert browser.axe() == []
    assert browser.console() == []
    assert [url for url in browser.requests() if not url.startswith(("data:", page.as_uri()))] == []


@pytest.mark.parametrize(("width", "height"), [(DESK, 800), (PHONE, 844)])
def test_the_first_screen_holds_the_answer(
    browser: Chromium, page: Path, width: int, height: int
) -> None:
    browser.open(page, width=width)
    ends = browser.run(
        "return [...document.querySelectorAll('.facts, .answer, .looked')]"
        ".map((part) => part.getBoundingClientRect().bottom)"
    )
    assert len(ends) >= 2
    assert max(ends) < height
    (top, bottom) = browser.run(
        "const box = [...document.querySelectorAll('.opening figure svg')]"
        ".map((svg) => svg.getBoundingClientRect()).find((box) => box.width);"
        "return [box.top, box.bottom];"
    )
    # The figure whole on a desk; on a phone at least its upper third.
    assert top + (bottom - top) * (0.9 if width == DESK else 0.33) < height


def test_the_caption_of_a_wide_table_can_be_read_on_a_phone(browser: Chromium, page: Path) -> None:
    browser.open(page, width=PHONE)
    widths = browser.run(
        "return [...document.querySelectorAll('caption > span')]"
        ".map((text) => text.getBoundingClientRect().right)"
    )
    assert len(widths) >= 4
    assert max(widths) <= PHONE


def test_it_prints_on_a4_pages(browser: Chromium, page: Path) -> None:
    browser.open(page, dark=True)
    printed = browser.pdf()
    assert printed.count(b"/Type /Page\n") >= 4
    assert b"/MediaBox [0 0 594" in printed or b"/MediaBox [0 0 595" in printed
