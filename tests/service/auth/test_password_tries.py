"""A wrong password slows the name and the address it came from, and nobody else."""

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from eyelog_service import oauth
from eyelog_service.accounts import Accounts
from eyelog_service.grants import Registry
from eyelog_service.oauth import _keys, take_try
from support import live
from support.login_page import PASSWORD, Browser


def test_wrong_passwords_for_one_name_keep_no_other_wearer_out(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("eyelog_service.state._LOG2_N", 4)  # the guesses would take a minute
    with live.service(tmp_path / "a", {"ada": [], "bea": []}, password=PASSWORD) as there:
        stranger = Browser(there)
        page = stranger.open()
        answers = [stranger.send(page, password="guess") for _ in range(50)]
        assert [answer.status_code for answer in answers].count(400) < 10
        stopped = next(answer for answer in answers if answer.status_code != 400)
        assert stopped.status_code == 429
        assert 0 < int(stopped.headers["Retry-After"]) <= 300
        assert "Too many wrong passwords. Try again in" in stopped.text
        other = Browser(there)  # at the same address
        answer = other.send(other.open(), name="bea", password=PASSWORD)
        assert answer.status_code == 303


def test_a_flood_of_guesses_waits_for_no_more_than_a_few(tmp_path: Path, monkeypatch) -> None:
    held, check = threading.Event(), Accounts.check_login

    def slow_for_strangers(accounts: Accounts, name: str, password: str) -> bool:
        if name.startswith("nobody"):
            assert held.wait(30)
        return check(accounts, name, password)

    monkeypatch.setattr("eyelog_service.state._LOG2_N", 4)
    monkeypatch.setattr(Accounts, "check_login", slow_for_strangers)
    with live.service(tmp_path / "a", {"ada": []}, password=PASSWORD) as there:
        stranger = Browser(there)
        page = stranger.open()
        with ThreadPoolExecutor(20) as at_once:
            guesses = [
                at_once.submit(stranger.send, page, name=f"nobody {n}", password="guess")
                for n in range(20)
            ]
            try:
                # 8 of them wait; the others are sent away at once.
                refused = [guess.result() for guess in islice(as_completed(guesses, 20), 12)]
            finally:
                held.set()
        assert {answer.status_code for answer in refused} == {429}
        assert "Too many logins from your network at once." in refused[0].text
        assert int(refused[0].headers["Retry-After"]) > 0
        hers = Browser(there)  # the flood is over, and nobody is kept waiting for it
        assert hers.send(hers.open(), password=PASSWORD).status_code == 303


def test_one_password_is_not_tried_on_every_account(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("eyelog_service.state._LOG2_N", 4)
    with live.service(tmp_path / "a", {"ada": []}, password=PASSWORD) as there:
        stranger = Browser(there)
        page = stranger.open()
        statuses = [
            stranger.send(page, name=f"wearer {n}", password="Summer2026!").status_code
            for n in range(30)
        ]
    assert statuses[:20] == [400] * 20
    assert 429 in statuses[20:22]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A clock that stands still until a test moves it."""

    class Clock:
        now = 1_000_000.0

        def time(self) -> float:
            return self.now

    clock = Clock()
    monkeypatch.setattr(oauth, "time", clock)
    return clock


def test_five_tries_are_free_and_then_the_delay_doubles_up_to_five_minutes(
    registry: Registry, application: Any, clock: Any
) -> None:
    who = {b"who": 5}
    assert [take_try(registry.state, who) for _ in range(5)] == [0] * 5
    delays = []
    for _ in range(12):
        delays.append(take_try(registry.state, who))
        clock.now += delays[-1]
        assert take_try(registry.state, who) == 0
    assert delays == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300]


def test_tries_made_at_once_are_all_counted(
    registry: Registry, application: Any, clock: Any
) -> None:
    def one(_: int) -> int:
        return take_try(Registry(registry.folder).state, {b"who": 5})

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(one, range(20))) == [0] * 5 + [2] * 15


def test_a_clock_that_is_set_back_makes_nobody_wait_longer(
    registry: Registry, application: Any, clock: Any
) -> None:
    who = {b"who": 5}
    for _ in range(5):
        take_try(registry.state, who)
    clock.now -= 86_400
    assert take_try(registry.state, who) == 2
    clock.now += 2
    assert take_try(registry.state, who) == 0


@pytest.mark.parametrize(
    ("address", "same"),
    [
        ("2001:db8:1:2:3::4", True),
        ("2001:db8:1:2:ffff:ffff:ffff:ffff", True),
        ("2001:db8:1:3::4", False),
        ("192.0.2.1", False),
    ],
)
def test_an_ipv6_network_of_one_household_is_one_address(address: str, same: bool) -> None:
    assert (_keys("ada", address) == _keys("ada", "2001:db8:1:2::1")) is same


def test_an_ipv4_address_in_ipv6_is_that_address() -> None:
    assert _keys("ada", "::ffff:192.0.2.1") == _keys("ada", "192.0.2.1")
    assert _keys("ada", "::ffff:192.0.2.2") != _keys("ada", "192.0.2.1")
