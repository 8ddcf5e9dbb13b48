"""Guessing is slowed down for the one who guesses, and for no one else."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from eyelog.service.auth import throttle
from eyelog.service.auth.registry import Registry
from eyelog.service.auth.throttle import Throttle, guesser


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
