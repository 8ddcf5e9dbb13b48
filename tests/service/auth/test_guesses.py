"""A wrong password slows the name and the address it came from, and nobody else."""

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import requests

from support import live
from support.live import Live
from support.login_page import PASSWORD, Browser

Login = Callable[..., requests.Response]


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Live]:
    """A service behind a proxy, which says where each request comes from."""
    wearers = {"ada": [], "bea": []}
    with live.service(tmp_path / "a", wearers, password=PASSWORD, proxy="loopback") as running:
        yield running


@pytest.fixture
def login(there: Live) -> Login:
    """A function that sends a name and a password from an address."""

    def send(name: str = "ada", password: str = "a guess", address: str = "192.0.2.1"):
        browser = Browser(there)
        browser.session.headers["X-Forwarded-For"] = address
        browser.session.headers["X-Forwarded-Proto"] = "http"
        return browser.send(browser.open(), name=name, password=password)

    return send


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which stands still until a test changes it."""
    now = [time.time()]
    monkeypatch.setattr(time, "time", lambda: now[0])
    return now


def wait_s(answer: requests.Response) -> int:
    """Return how long a login has to wait, 0 if it was checked."""
    assert answer.status_code in (400, 429), answer.status_code
    return int(answer.headers.get("Retry-After", 0))


def test_five_tries_are_free_and_then_the_delay_doubles_up_to_five_minutes(
    login: Login, clock: list[float]
) -> None:
    assert [wait_s(login()) for _ in range(5)] == [0] * 5
    delays = []
    for _ in range(12):
        refused = login(password=PASSWORD)  # even the right one
        assert "Too many wrong passwords. Try again in" in refused.text
        delays.append(wait_s(refused))
        clock[0] += delays[-1]
        assert wait_s(login()) == 0
    assert delays == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300]
    clock[0] -= 86_400  # a clock that is set back makes nobody wait longer
    assert wait_s(login()) == 300


def test_wrong_passwords_for_one_name_keep_no_other_wearer_or_address_out(
    login: Login, clock: list[float]
) -> None:
    for _ in range(10):
        login()
    assert login().status_code == 429
    assert login("bea", PASSWORD).status_code == 303
    assert login("ada", PASSWORD, "192.0.2.2").status_code == 303


def test_one_password_is_not_tried_on_every_account(login: Login, clock: list[float]) -> None:
    statuses = [login(f"wearer {n}", "Summer2026!").status_code for n in range(22)]
    assert statuses == [400] * 20 + [429] * 2


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:3::4", True),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::4", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.2", "192.0.2.1", False),
    ],
)
def test_an_ipv6_network_of_one_household_is_one_address(
    login: Login, clock: list[float], first: str, second: str, same: bool
) -> None:
    for _ in range(5):
        login(address=first)
    assert wait_s(login(address=second)) == (2 if same else 0)


def test_tries_made_at_once_are_all_counted(login: Login, clock: list[float]) -> None:
    with ThreadPoolExecutor(8) as pool:  # as many as may wait
        waits = list(pool.map(lambda _: wait_s(login()), range(8)))
    assert sorted(waits) == [0] * 5 + [2] * 3


def test_a_flood_of_guesses_waits_for_no_more_than_a_few(
    there: Live, login: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, scrypt = threading.Event(), hashlib.scrypt

    def slow_for_guesses(password: bytes, **options: Any) -> bytes:
        if password != PASSWORD.encode():
            assert held.wait(30)
        return scrypt(password, **options)

    monkeypatch.setattr(hashlib, "scrypt", slow_for_guesses)
    with ThreadPoolExecutor(20) as at_once:
        guesses = [at_once.submit(login, f"nobody {n}") for n in range(20)]
        try:
            # 8 of them wait; the others are sent away at once.
            refused = [guess.result() for guess in islice(as_completed(guesses, 20), 12)]
        finally:
            held.set()
    assert {answer.status_code for answer in refused} == {429}
    assert "Too many logins from your network at once." in refused[0].text
    assert int(refused[0].headers["Retry-After"]) > 0
    assert login(password=PASSWORD).status_code == 303  # the flood is over
