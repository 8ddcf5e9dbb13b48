"""The requests of an account in an hour: counted exactly, shared, and told to the client."""

from pathlib import Path
from typing import Any

import pytest

import eyelog as el
from eyelog_service import records
from eyelog_service.grants import Registry
from eyelog_service.records import HourlyLimits
from eyelog_service.state import State
from eyelog_service.web import Problem
from support import live
from support.live import REDIRECT, STANDARD
from support.records import records as written


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

    monkeypatch.setattr(records, "time", Time)
    return now


@pytest.mark.parametrize("per_hour", [1, 7, 200, 1000])
def test_exactly_so_many_requests_are_allowed(
    state: State, clock: list[float], per_hour: int
) -> None:
    counted = HourlyLimits(state, per_hour)
    remaining = [counted.take("ada") for _ in range(per_hour + 3)]
    assert remaining == [*reversed(range(per_hour)), -1, -1, -1]
    assert counted.take("bea") == per_hour - 1


@pytest.mark.parametrize("per_hour", [3, 40, 900])
def test_several_processes_never_allow_more_together(
    state: State, clock: list[float], per_hour: int
) -> None:
    workers = [HourlyLimits(state, per_hour) for _ in range(4)]
    allowed = sum(workers[turn % 4].take("ada") >= 0 for turn in range(per_hour * 2 + 40))
    assert allowed == per_hour


def test_a_wait_for_the_state_past_the_full_hour_does_not_cost_another_hour(
    state: State, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    HourlyLimits(state, 1).take("ada")
    clock[0] += 3600 - 11
    run = records.run

    def slow(*args: Any, **values: Any) -> Any:
        clock[0] += 2
        return run(*args, **values)

    monkeypatch.setattr(records, "run", slow)
    with pytest.raises(Problem) as refused:
        HourlyLimits(state, 1).count("ada")
    assert refused.value.headers["Retry-After"] == "1"
    assert refused.value.headers["X-RateLimit-Reset"] == "1800003600"


@pytest.mark.parametrize("per_hour", [-1, True, 2.5])
def test_an_impossible_limit_is_reported_in_one_sentence(state: State, per_hour: int) -> None:
    with pytest.raises(el.ConfigurationError, match="requests_per_hour must be a whole number"):
        HourlyLimits(state, per_hour)


@pytest.mark.usefixtures("within_one_hour")
def test_the_client_says_that_the_limit_is_reached(tmp_path: Path) -> None:
    frame = written(STANDARD, "2026-10-24 00:01", 30)
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
