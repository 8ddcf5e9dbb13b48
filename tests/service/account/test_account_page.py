"""The account page in a real browser: seen in both themes and widths, used by keys alone."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.account_page import Visitor
from support.chromium import DESK, PHONE, Chromium, chromium, needs_chromium
from support.live import REDIRECT, Live
from support.login_page import PASSWORD
from support.machines import within
from support.uploads import csv, stored

NEW = "a staple of batteries"

pytestmark = [needs_chromium, pytest.mark.slow("a real browser shows the page")]


class Page:
    """The account page in a window."""

    def __init__(self, window: Chromium, there: Live) -> None:
        self.window, self.url = window, f"{there.url}/account"
        window.driver.delete_all_cookies()

    def fill(self, **fields: str) -> None:
        for name, text in fields.items():
            self.window.driver.find_element("id", name).send_keys(text)

    def press(self, do: str) -> None:
        self.window.driver.find_element("css selector", f"button[value={do}]").click()

    def follow(self, text: str) -> None:
        self.window.driver.find_element("link text", text).click()

    def fine(self, title: str) -> None:
        """Wait for a page of a title, on which nothing is wrong."""
        self.window.wait_for_title(title)
        within(60, lambda: self.window.run("return document.readyState") == "complete")
        assert (self.window.axe(), self.window.layout_faults()) == ([], [])
        assert not self.window.scrolls_sideways()

    def focused(self) -> str:
        e = "const e = document.activeElement; return e.id || e.ariaLabel || e.innerText"
        return str(self.window.run(e))


@pytest.fixture(scope="module")
def window() -> Iterator[Chromium]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def page(window: Chromium, there: Live) -> Page:
    return Page(window, there)


@pytest.fixture
def study(there: Live) -> str:
    """An application that has access to Ada's records."""
    registry = there.registry
    client_id, _ = registry.applications.add(REDIRECT, name="Sleep study")
    registry.grants.exchange(
        registry.grants.issue_code("ada", client_id, REDIRECT), client_id, REDIRECT, None
    )
    return client_id


@pytest.mark.usefixtures("study")
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_nothing_is_wrong_on_any_state_of_the_page(
    there: Live, page: Page, width: int, dark: bool, tmp_path: Path
) -> None:
    (tmp_path / "week.csv").write_bytes(csv(start="2026-10-25 00:01"))
    page.window.open(page.url, width=width, dark=dark)
    page.fine("Log in to your account")
    page.fill(name="ada", password=PASSWORD)
    page.press("log-in")
    page.fine("Your account")
    failed_loads = page.window.console()
    page.press("change-password")
    page.fine("Enter your old password. Enter a new password. Enter the new password once more")
    page.window.console()  # has the 400 of that page
    page.press("withdraw")
    page.fine("Access is withdrawn. The application can read nothing more")
    page.press("send")  # the browser itself asks for a file
    assert page.window.run("return document.querySelector('#chosen').validity.valueMissing")
    page.fill(chosen=str(tmp_path / "week.csv"))
    page.press("send")
    page.fine("60 new records arrived")
    page.follow("See what arrived per day")
    page.fine("What arrived per day")
    page.follow("Back to your account")
    page.press("log-out")
    page.fine("You have logged out")
    assert failed_loads + page.window.console() == []
    assert all(asked.startswith((there.url, "data:")) for asked in page.window.requests())
    page.fill(name="ada", password=PASSWORD)
    page.press("log-in")
    page.press("delete")
    page.fine("Enter your password")
    assert page.focused() == "password"
    page.fill(password=PASSWORD)
    page.press("delete")
    page.fine("Everything is deleted")
    assert stored(there, "ada") == {}


def test_files_can_be_dropped_on_the_field(page: Page, tmp_path: Path) -> None:
    (tmp_path / "week.csv").write_bytes(csv())
    window = page.window
    window.open(page.url)
    page.fill(name="bea", password=PASSWORD)
    page.press("log-in")
    window.wait_for_title("Your account")
    box = window.run("return document.querySelector('#chosen').getBoundingClientRect().toJSON()")
    assert (box["width"] > 300, box["height"] > 90) == (True, True)
    data = {"items": [], "files": [str(tmp_path / "week.csv")], "dragOperationsMask": 1}
    at = {"x": box["x"] + box["width"] * 0.8, "y": box["y"] + box["height"] / 2}
    for kind in ("dragEnter", "dragOver", "drop"):
        window.command("Input.dispatchDragEvent", type=kind, data=data, **at)
    page.press("send")
    window.wait_for_title("60 new records arrived")


def keys(window: Chromium) -> Callable[..., None]:
    from selenium.webdriver.common.keys import Keys

    def send(*names: str) -> None:
        for name in names:
            pressed: Any = getattr(Keys, name, name)
            window.press(pressed)

    return send


def test_everything_can_be_done_with_the_keyboard_alone(
    there: Live, page: Page, study: str, tmp_path: Path
) -> None:
    window = page.window
    window.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    window.open(page.url)
    send = keys(window)
    send("ada", "TAB", PASSWORD, "ENTER")  # the cursor is in the first field
    window.wait_for_title("Your account")
    order = window.tab_through()
    marks = ("log-out", 'id="chosen"', "send", "show=days", "report", "download")
    marks += ("Withdraw access of Sleep study", "make-upload-token")
    fields = ('id="old"', 'id="new"', 'id="again"', "change-password", 'id="password"', "delete")
    for mark, tag in zip((*marks, *fields), order, strict=True):
        assert mark in tag
    window.open(page.url)
    send(*["TAB"] * 7)
    assert page.focused() == "Withdraw access of Sleep study"
    send("ENTER")
    window.wait_for_title("Access is withdrawn. The application can read nothing more")
    assert there.registry.grants.of_account("ada") == []
    send(*["TAB"] * 6)
    assert page.focused() == "Download my data"
    send("ENTER")
    within(60, lambda: bool(list(tmp_path.glob("eyelog-*.zip"))))
    send("TAB", "TAB", "a guess", "TAB", NEW, "TAB", NEW, "ENTER")
    window.wait_for_title("The old password is wrong")
    assert page.focused() == "old"
    send(PASSWORD, "TAB", NEW, "TAB", NEW, "TAB", "ENTER")
    window.wait_for_title("Your password is changed, and other browsers are logged out")
    send("TAB", "ENTER")
    window.wait_for_title("You have logged out")
    Visitor(there).log_in(password=NEW)
