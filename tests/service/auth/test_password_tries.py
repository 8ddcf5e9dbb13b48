"""A wrong password slows the browser and the address it came from, and nobody else."""

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice
from pathlib import Path

import pytest

from eyelog.service.auth.accounts import Accounts
from eyelog.service.auth.password_tries import WrongPassword
from support import live
from support.live import REDIRECT
from support.login_page import PASSWORD, Browser

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
