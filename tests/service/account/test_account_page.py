"""The account page in a real browser: seen in both themes and widths, used by keys alone."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.account_page import Visitor
from support.chromium import DESK, PHONE, Chromium, chromium, needs_chromium
from support.live import REDIRECT, Live
from support.login_page import PASSWORD

NEW = "a staple of batteries"

pytestmark = [needs_chromium, pytest.mark.slow("a real browser shows the page")]


@pytest.fixture(scope="module")
def window() -> Iterator[Chromium]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def study(there: Live) -> str:
    """An application that has access to Ada's records."""
    client_id, secret = there.operator.application(REDIRECT, "Sleep study")
    code = there.operator.code("ada", client_id, REDIRECT)
    assert there.exchange(code, client_id=client_id, client_secret=secret).status_code == 200
    return client_id


def fill(window: Chromium, **fields: str) -> None:
    for name, text in fields.items():
        window.driver.find_element("id", name).send_keys(text)


def press(window: Chromium, do: str) -> None:
    window.driver.find_element("css selector", f"button[value={do}]").click()


def until(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def fine(window: Chromium, title: str) -> None:
    until(lambda: window.driver.title == f"{title} - eyelog")
    until(lambda: window.run("return document.readyState") == "complete")
    assert window.axe() == []
    assert window.layout_faults() == []
    assert not window.scrolls_sideways()


@pytest.mark.usefixtures("study")
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_axe_finds_nothing_on_any_state_of_the_page(
    there: Live, window: Chromium, width: int, dark: bool
) -> None:
    window.driver.delete_all_cookies()
    window.open(f"{there.url}/account", width=width, dark=dark)
    fine(window, "Log in to your account")
    fill(window, name="ada", password=PASSWORD)
    press(window, "log-in")
    fine(window, "Your account")
    failed_loads = window.console()
    press(window, "change-password")
    fine(window, "Enter your old password. Enter a new password. Enter the new password once more")
    window.console()  # has the 400 of that page
    press(window, "withdraw")
    fine(window, "Access is withdrawn. The application can read nothing more")
    press(window, "log-out")
    fine(window, "You have logged out")
    assert failed_loads + window.console() == []
    assert all(asked.startswith((there.url, "data:")) for asked in window.requests())


def keys(window: Chromium) -> Callable[..., None]:
    from selenium.webdriver.common.keys import Keys

    def send(*names: str) -> None:
        for name in names:
            pressed = getattr(Keys, name, name)
            window.press(pressed)

    return send


def focused(window: Chromium) -> str:
    return str(
        window.run("const e = document.activeElement; return e.id || e.ariaLabel || e.innerText")
    )


def test_everything_can_be_done_with_the_keyboard_alone(
    there: Live, window: Chromium, study: str, tmp_path: Path
) -> None:
    window.driver.delete_all_cookies()
    window.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    window.open(f"{there.url}/account")
    send = keys(window)
    send("ada", "TAB", PASSWORD, "ENTER")  # the cursor is in the first field
    until(lambda: window.driver.title == "Your account - eyelog")
    order = window.tab_through()
    marks = ("log-out", 'id="chosen"', "send", "show=days", "report", "download")
    marks += ("Withdraw access of Sleep study", "make-upload-token")
    fields = ('id="old"', 'id="new"', 'id="again"', "change-password", 'id="password"', "delete")
    for mark, tag in zip((*marks, *fields), order, strict=True):
        assert mark in tag
    window.open(f"{there.url}/account")
    send(*["TAB"] * 7)
    assert focused(window) == "Withdraw access of Sleep study"
    send("ENTER")
    until(lambda: "Access is withdrawn" in window.driver.title)
    assert there.operator.tokens() == []
    send(*["TAB"] * 6)
    assert focused(window) == "Download my data"
    send("ENTER")
    until(lambda: list(tmp_path.glob("eyelog-*.zip")))
    send("TAB", "TAB", "a guess", "TAB", NEW, "TAB", NEW, "ENTER")
    until(lambda: window.driver.title == "The old password is wrong - eyelog")
    assert focused(window) == "old"
    send(PASSWORD, "TAB", NEW, "TAB", NEW, "TAB", "ENTER")
    until(lambda: "Your password is changed" in window.driver.title)
    send("TAB", "ENTER")
    until(lambda: window.driver.title == "You have logged out - eyelog")
    Visitor(there).log_in(password=NEW)
