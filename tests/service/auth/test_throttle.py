"""Guessing is slowed down for the one who guesses, and for no one else."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from eyelog.service.auth import throttle
from eyelog.service.auth.registry import Registry
from eyelog.service.auth.throttle import Throttle, guesser
from support import live
from support.live import REDIRECT
from support.login_page import PASSWORD, Browser


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until a test moves it."""

    class Clock:
        now = 1_000_000.0

        def time(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(throttle, "time", clock)
    return clock


@pytest.fixture
def tries(registry: Registry, application, clock) -> Throttle:
    return registry.throttle()


ADA = guesser("ada", address="192.0.2.1", device=None)


def test_five_tries_are_free_and_then_the_delay_doubles_up_to_five_minutes(tries, clock):
    assert [tries.take_try(ADA) for _ in range(5)] == [0] * 5
    delays = []
    for _ in range(12):
        delays.append(tries.take_try(ADA))
        clock.now += delays[-1]
        assert tries.take_try(ADA) == 0
    assert delays == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300]


def test_a_refused_try_does_not_lengthen_the_wait(tries, clock):
    for _ in range(5):
        tries.take_try(ADA)
    clock.now += 1
    assert [tries.take_try(ADA) for _ in range(50)] == [1] * 50
    clock.now += 1
    assert tries.take_try(ADA) == 0


def test_the_count_begins_again_after_an_hour_or_the_right_password(tries, clock):
    for _ in range(5):
        tries.take_try(ADA)
    tries.forget(ADA)
    assert [tries.take_try(ADA) for _ in range(5)] == [0] * 5
    clock.now += 3601
    assert [tries.take_try(ADA) for _ in range(5)] == [0] * 5


def test_tries_made_at_once_are_all_counted(registry, application, clock):
    def one(_):
        return Registry(registry.folder).throttle().take_try(ADA)

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(one, range(20))) == [0] * 5 + [2] * 15


@pytest.mark.parametrize(
    ("address", "same"),
    [
        ("2001:db8:1:2:3::4", True),
        ("2001:db8:1:2:ffff:ffff:ffff:ffff", True),
        ("2001:db8:1:3::4", False),
        ("192.0.2.1", False),
    ],
)
def test_an_ipv6_network_of_one_household_is_one_address(address, same):
    one = guesser("ada", address="2001:db8:1:2::1", device=None)
    assert (guesser("ada", address=address, device=None) == one) is same


def test_name_address_and_device_cannot_be_confused():
    keys = {
        guesser(name, address=address, device=device)
        for name in ("ada", "bea")
        for address in ("192.0.2.1", "testclient", "")
        for device in (None, "mark")
    }
    # A device counts wherever it is.
    assert len(keys) == 2 * (3 + 1)


def test_200_wrong_passwords_of_a_stranger_keep_no_wearer_out(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("eyelog.service.auth.secrets._LOG2_N", 4)  # the guesses would take a minute
    with live.service(tmp_path / "a", {"ada": [], "bea": []}, password=PASSWORD) as there:
        hers = Browser(there)
        assert hers.send(hers.open(redirect_uri=REDIRECT), password=PASSWORD).status_code == 303
        stranger = Browser(there)
        page = stranger.open(redirect_uri=REDIRECT)
        answers = [stranger.send(page, password="guess") for _ in range(200)]
        assert [answer.status_code for answer in answers].count(400) < 10
        stopped = answers[-1]
        assert stopped.status_code == 429
        assert 0 < int(stopped.headers["Retry-After"]) <= 300
        assert "Too many wrong passwords. Try again in" in stopped.text
        # Ada's browser has logged in before; Bea comes for the first time, from the same address.
        assert hers.send(hers.open(redirect_uri=REDIRECT), password=PASSWORD).status_code == 303
        first_time = Browser(there)
        answer = first_time.send(first_time.open(), name="bea", password=PASSWORD)
        assert answer.status_code == 303


def test_the_mark_of_a_device_helps_its_own_name_only(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("eyelog.service.auth.secrets._LOG2_N", 4)
    with live.service(tmp_path / "a", {"ada": [], "eve": []}, password=PASSWORD) as there:
        eve = Browser(there)
        assert eve.send(eve.open(), name="eve", password=PASSWORD).status_code == 303
        page = eve.open()
        statuses = [eve.send(page, password=f"guess {n}").status_code for n in range(8)]
        assert statuses == [400] * 5 + [429] * 3
        assert eve.send(eve.open(), name="eve", password=PASSWORD).status_code == 303


def test_a_form_from_another_site_is_refused(browser: Browser) -> None:
    page = browser.open()
    for foreign in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": browser.there.url},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ):
        browser.session.headers.update(foreign)
        refused = browser.send(page, password=PASSWORD)
        assert refused.status_code == 403, foreign
        assert "another site" in refused.text
        assert "Location" not in refused.headers
        for name in foreign:
            del browser.session.headers[name]
    browser.session.headers.update({"Sec-Fetch-Site": "same-origin", "Origin": browser.there.url})
    assert browser.send(page, password=PASSWORD).status_code == 303


def test_a_login_cookie_that_this_service_did_not_make_is_replaced(browser: Browser) -> None:
    planted = "A" * 22
    browser.session.cookies.set("eyelog_login", planted, path="/v1/oauth/authorize")
    answer = browser.open()
    set_here = requests.utils.dict_from_cookiejar(answer.cookies)["eyelog_login"]
    assert set_here != planted
    assert len(set_here) > 50
