"""A wrong password slows the browser and the address it came from, and nobody else."""

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from itertools import islice
from pathlib import Path
from statistics import median

import pytest
import requests

from eyelog.service.auth.accounts import Accounts
from eyelog.service.auth.password_tries import WrongPassword
from eyelog.service.auth.throttle import Throttle
from support import live
from support.live import REDIRECT
from support.login_page import PASSWORD, Browser
from support.served import served

WRONG = "Wrong name or password."


@pytest.mark.parametrize(
    ("wait_s", "status", "said"),
    [
        (0, 400, WRONG),
        (1, 429, "Too many wrong passwords. Try again in 1 s."),
        (99, 429, "Too many wrong passwords. Try again in 99 s."),
        (121, 429, "Too many wrong passwords. Try again in 3 min."),
    ],
)
def test_the_wait_is_said_in_words(wait_s: int, status: int, said: str) -> None:
    wrong = WrongPassword(wait_s)
    assert (wrong.status, wrong.text(WRONG)) == (status, said)


def test_200_wrong_passwords_of_a_stranger_keep_no_wearer_out(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("eyelog.service.auth.secrets._LOG2_N", 4)  # the guesses would take a minute
    with live.service(tmp_path / "a", {"ada": [], "bea": []}, password=PASSWORD) as there:
        hers = Browser(there)
        assert hers.send(hers.open(redirect_uri=REDIRECT), password=PASSWORD).status_code == 303
        stranger = Browser(there)
        page = stranger.open(redirect_uri=REDIRECT)
        answers = [stranger.send(page, password="guess") for _ in range(200)]
        assert [answer.status_code for answer in answers].count(400) < 10
        stopped = next(answer for answer in answers if answer.status_code != 400)
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


def test_a_flood_of_guesses_makes_no_wearer_wait(tmp_path: Path, monkeypatch) -> None:
    held, check = threading.Event(), Accounts.check_login

    def slow_for_strangers(accounts: Accounts, name: str, password: str) -> bool:
        if name.startswith("nobody"):
            assert held.wait(30)
        return check(accounts, name, password)

    monkeypatch.setattr("eyelog.service.auth.secrets._LOG2_N", 4)
    monkeypatch.setattr(Accounts, "check_login", slow_for_strangers)
    with live.service(tmp_path / "a", {"ada": []}, password=PASSWORD) as there:
        hers = Browser(there)
        assert hers.send(hers.open(), password=PASSWORD).status_code == 303
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
                assert hers.send(hers.open(), password=PASSWORD).status_code == 303
            finally:
                held.set()
        assert {answer.status_code for answer in refused} == {429}
        assert "Too many logins from your network at once." in refused[0].text
        assert int(refused[0].headers["Retry-After"]) > 0
        elsewhere = Browser(there)  # the flood is over, and nobody is kept waiting for it
        assert elsewhere.send(elsewhere.open(), password=PASSWORD).status_code == 303


@pytest.mark.slow
def test_one_password_is_not_tried_on_200_accounts_and_known_browsers_stay_quick(
    tmp_path: Path,
) -> None:
    others = [f"wearer-{number}" for number in range(200)]
    with served(tmp_path / "a", {}) as (_, there):
        there.registry.accounts.add("ada", PASSWORD)
        for name in others:
            there.registry.accounts.add(name)
        hers = Browser(there)
        assert hers.send(hers.open(), password=PASSWORD).status_code == 303
        statuses: list[int] = []
        over = threading.Event()

        def login() -> float:
            page = hers.open()
            started = time.monotonic()
            assert hers.send(page, password=PASSWORD).status_code == 303
            return time.monotonic() - started

        def spray(names: list[str]) -> None:
            stranger = Browser(there)
            page = stranger.open()
            for name in names:
                answer = stranger.send(page, name=name, password="Summer2026!")
                statuses.append(answer.status_code)
            while not over.is_set():  # the flood lasts as long as Ada logs in
                stranger.send(page, name=names[0], password="Summer2026!")
                time.sleep(0.02)  # the guesser has a machine of its own, the test has not

        quiet = max(login() for _ in range(5))
        with ThreadPoolExecutor(16) as at_once:
            floods = [at_once.submit(spray, others[first::16]) for first in range(16)]
            try:
                while len(statuses) < len(others):
                    time.sleep(0.05)
                took = [login() for _ in range(20)]
            finally:
                over.set()
            for flood in floods:
                flood.result()
    assert len(statuses) == 200
    assert statuses.count(400) <= 20  # were checked
    assert statuses.count(429) == len(statuses) - statuses.count(400)
    # On a busy machine hashing alone takes most of a second; behind the guesses it would be 16
    # times that.
    assert median(took) < max(1, 5 * quiet), (quiet, took)


@pytest.mark.slow
def test_known_browsers_log_in_within_a_second_while_guesses_come_from_everywhere(
    tmp_path: Path,
) -> None:
    with served(tmp_path / "a", {"ada": []}, password=PASSWORD, proxy="loopback", workers=4) as (
        _,
        there,
    ):
        plain = {"X-Forwarded-Proto": "http"}
        hers = Browser(there)
        hers.session.headers.update(plain)
        assert hers.send(hers.open(), password=PASSWORD).status_code == 303
        checked: list[int] = []
        over = threading.Event()

        def login() -> float:
            started = time.monotonic()
            assert hers.send(hers.open(), password=PASSWORD).status_code == 303
            return time.monotonic() - started

        def guess(number: int) -> None:  # every time from another network, so each is checked
            stranger = Browser(there)
            stranger.session.headers.update(plain)
            page = stranger.open()
            while not over.is_set():
                address = f"10.{number}.{len(checked) % 250}.{len(checked) // 250}"
                stranger.session.headers["X-Forwarded-For"] = address
                with suppress(requests.RequestException):  # on a busy machine it waits for long
                    answer = stranger.send(page, name=f"wearer-{number}", password="Summer2026!")
                    checked.append(answer.status_code)

        quiet = max(login() for _ in range(5))
        with ThreadPoolExecutor(8) as at_once:
            floods = [at_once.submit(guess, number) for number in range(8)]
            try:
                while len(checked) < 8:
                    time.sleep(0.05)
                took = [login() for _ in range(20)]
            finally:
                over.set()
            for flood in floods:
                flood.result()
    assert checked.count(400) > 0.9 * len(checked)
    assert max(took) < max(1, 5 * quiet), (quiet, took)


SET_BACK = """
import signal, time
real, back = time.time, [0]
time.time = lambda: real() - back[0]
signal.signal(signal.SIGUSR1, lambda *_: back.__setitem__(0, 86_400))
"""


@pytest.mark.slow
def test_a_clock_that_is_set_back_keeps_no_wearer_out(tmp_path: Path) -> None:
    with served(tmp_path / "a", {"ada": []}, password=PASSWORD, before=SET_BACK) as started:
        process, there = started
        stranger = Browser(there)
        page = stranger.open()
        answers = [stranger.send(page, password="guess") for _ in range(6)]
        assert [answer.status_code for answer in answers] == [400] * 5 + [429]
        process.send_signal(signal.SIGUSR1)
        time.sleep(0.2)
        first_time = Browser(there)
        refused = first_time.send(first_time.open(), password=PASSWORD)
        assert refused.status_code == 429
        assert int(refused.headers["Retry-After"]) <= 2
        # A damaged time in the state, of the far future, delays nobody for longer either.
        with there.registry.state.write() as db:
            assert db.execute("UPDATE login_try SET last = last + 1e9").rowcount
        time.sleep(2)
        refused = first_time.send(first_time.open(), password=PASSWORD)
        assert refused.status_code in (303, 429)
        time.sleep(int(refused.headers.get("Retry-After", 0)))
        assert int(refused.headers.get("Retry-After", 0)) <= 2
        assert first_time.send(first_time.open(), password=PASSWORD).status_code == 303


def test_an_address_that_is_refused_for_all_names_asks_the_state_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eyelog.service.auth.secrets._LOG2_N", 4)
    taken, take = [], Throttle.take_try

    def counted(throttle: Throttle, who: bytes, everyone: bytes | None = None) -> int:
        taken.append(who)
        return take(throttle, who, everyone)

    monkeypatch.setattr(Throttle, "take_try", counted)
    with live.service(tmp_path / "a", {"ada": []}, password=PASSWORD) as there:
        stranger = Browser(there)
        page = stranger.open()
        statuses = [
            stranger.send(page, name=f"nobody {number}", password="guess").status_code
            for number in range(40)
        ]
    assert statuses.count(400) in (20, 21)  # the delay of two seconds may end meanwhile
    assert len(taken) < 25
