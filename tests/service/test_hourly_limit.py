"""The requests of an account in an hour: counted exactly, shared, and told to the client."""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

import eyelog as el
from eyelog.errors import ConfigurationError
from eyelog.service import hourly_limit
from eyelog.service.auth.registry import Registry
from eyelog.service.auth.state import State
from eyelog.service.hourly_limit import HourlyLimits
from support import live
from support.live import REDIRECT, STANDARD
from support.records import records
from support.replies import DAY, oauth_error


@pytest.fixture
def state(tmp_path: Path) -> State:
    Registry(tmp_path).signing_key()
    return State(tmp_path)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the service takes for now; a test may change them."""
    now = [1_800_000_000.0 + 10]

    class Time:
        @staticmethod
        def time() -> float:
            return now[0]

    monkeypatch.setattr(hourly_limit, "time", Time)
    return now


@pytest.mark.parametrize("per_hour", [1, 7, 200, 1000])
def test_exactly_so_many_requests_are_allowed(
    state: State, clock: list[float], per_hour: int
) -> None:
    counted = HourlyLimits(state, per_hour)
    remaining = [counted.take("ada").remaining for _ in range(per_hour + 3)]
    assert remaining == [*reversed(range(per_hour)), -1, -1, -1]
    assert counted.take("bea").remaining == per_hour - 1


def test_a_new_hour_begins_a_new_count(state: State, clock: list[float]) -> None:
    counted = HourlyLimits(state, 2)
    quotas = [counted.take("ada") for _ in range(3)]
    assert [quota.remaining for quota in quotas] == [1, 0, -1]
    assert {quota.reset for quota in quotas} == {1_800_000_000 + 3600}
    assert quotas[0].wait_s == 3590
    clock[0] += 3590
    assert counted.take("ada").remaining == 1


@pytest.mark.parametrize("per_hour", [3, 40, 900])
def test_several_processes_never_allow_more_together(
    state: State, clock: list[float], per_hour: int
) -> None:
    workers = [HourlyLimits(state, per_hour) for _ in range(4)]
    allowed = sum(workers[turn % 4].take("ada").remaining >= 0 for turn in range(per_hour * 2 + 40))
    assert allowed == per_hour


def test_requests_of_many_threads_are_all_counted(state: State, clock: list[float]) -> None:
    workers = [HourlyLimits(state, 90) for _ in range(2)]
    start = threading.Barrier(8)

    def ask(number: int) -> int:
        start.wait()
        return sum(workers[number % 2].take("ada").remaining >= 0 for _ in range(30))

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(8))) == 90


def test_a_restart_forgets_at_most_a_two_hundredth(state: State, clock: list[float]) -> None:
    first = HourlyLimits(state, 1000)
    for _ in range(501):
        first.take("ada")
    assert 499 - 5 <= HourlyLimits(state, 1000).take("ada").remaining < 499


@pytest.mark.parametrize("per_hour", [-1, 0, True, 2.5])
def test_an_impossible_limit_is_reported_in_one_sentence(state: State, per_hour: int) -> None:
    with pytest.raises(ConfigurationError, match="requests_per_hour must be a whole number"):
        HourlyLimits(state, per_hour)


@pytest.mark.usefixtures("within_one_hour")
def test_each_answer_says_what_is_left_and_the_last_when_to_come_back(tmp_path: Path) -> None:
    frame = records(STANDARD, "2026-10-24 00:01", 30)
    with live.service(tmp_path / "a", {"ada": [frame], "bea": []}, requests_per_hour=4) as there:
        token = there.login("ada")["access_token"]
        answers = [there.get(STANDARD, *DAY, token=token) for _ in range(3)]
        answers.append(there.get(STANDARD, "x", "y", token=token))
        assert [answer.status_code for answer in answers] == [200, 200, 200, 400]
        for left, answer in zip((3, 2, 1, 0), answers, strict=True):
            assert answer.headers["X-RateLimit-Limit"] == "4"
            assert answer.headers["X-RateLimit-Remaining"] == str(left)
            reset = int(answer.headers["X-RateLimit-Reset"])
            assert reset % 3600 == 0
            assert 0 < reset - time.time() + 1 <= 3601
        refused = there.get(STANDARD, *DAY, token=token)
        assert oauth_error(refused, 429) == "rate_limit_exceeded"
        assert refused.headers["X-RateLimit-Remaining"] == "0"
        assert 0 < int(refused.headers["Retry-After"]) <= 3600
        # Another wearer, a wrong token and a new token are not counted with Ada.
        assert there.get(STANDARD, *DAY, token="x" * 43).status_code == 401
        bea = there.login("bea")["access_token"]
        assert there.get(STANDARD, *DAY, token=bea).headers["X-RateLimit-Remaining"] == "3"
        newer = there.login("ada")["access_token"]
        assert there.get(STANDARD, *DAY, token=newer).status_code == 429


@pytest.mark.usefixtures("within_one_hour")
def test_the_client_says_that_the_limit_is_reached(tmp_path: Path) -> None:
    frame = records(STANDARD, "2026-10-24 00:01", 30)
    with live.service(tmp_path / "a", {"ada": [frame]}, requests_per_hour=2) as there:
        application = el.Application(there.client_id, there.client_secret, REDIRECT)
        with el.Client(there.url, application=application, home=tmp_path / "home") as client:
            client.exchange(there.code("ada"))
            client.standard_mode_logs("2026-10-24", "2026-10-25")
            with pytest.raises(el.RateLimited, match="limit 2, remaining 0") as caught:
                client.standard_mode_logs("2026-10-26", "2026-10-26")
    assert caught.value.status == 429
    assert caught.value.retry_after is not None
    assert 0 < caught.value.retry_after <= 3600


def test_without_a_limit_no_answer_speaks_of_one(tmp_path: Path) -> None:
    with live.service(tmp_path / "a", {"ada": []}, requests_per_hour=0) as there:
        token = there.login("ada")["access_token"]
        answers = [there.get(STANDARD, *DAY, token=token) for _ in range(3)]
    assert Counter(answer.status_code for answer in answers) == {200: 3}
    assert not any("X-RateLimit" in name for answer in answers for name in answer.headers)
    assert isinstance(answers[0], requests.Response)
