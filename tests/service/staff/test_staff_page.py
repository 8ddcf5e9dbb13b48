"""The page of the staff in a real browser: seen in both themes and widths, used by keys alone."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.chromium import DESK, PHONE, Chromium, chromium, needs_chromium
from support.live import Live
from support.login_page import PASSWORD

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def window() -> Iterator[Chromium]:
    with chromium() as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_axe_finds_nothing_and_the_keyboard_is_enough(
    there: Live, window: Chromium, width: int, dark: bool, tmp_path: Path
) -> None:
    from selenium.webdriver.common.keys import Keys

    def fine(title: str) -> None:
        window.wait_for_title(title)
        assert (window.axe(), window.layout_faults()) == ([], [])
        assert not window.scrolls_sideways()

    window.driver.delete_all_cookies()
    window.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    window.open(f"{there.url}/staff", width=width, dark=dark)
    fine("Log in as staff")
    window.press("kim", Keys.TAB, PASSWORD, Keys.ENTER)
    fine("Study sleep")
    order = window.tab_through()
    marks = ("log-out", "Picture of who", "Table of the wearers", 'id="month"', "download")
    for mark, tag in zip(marks, order, strict=True):
        assert mark in tag
    window.open(f"{there.url}/staff", width=width, dark=dark)
    window.wait_for_title("Study sleep")
    window.press(*[Keys.TAB] * 5, Keys.ENTER)
    deadline = time.monotonic() + 20
    while not list(tmp_path.glob("eyelog-study-*.zip")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert window.console() == []
    assert all(asked.startswith((there.url, "data:")) for asked in window.requests())
