"""Guessing is slowed down for the one who guesses, and for no one else."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from eyelog.service.auth import state_file
from eyelog.service.auth.registry import Registry
from eyelog.service.auth.throttle import Throttle, guesser, network


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until a test moves it."""

    class Clock:
        now = 1_000_000.0

        def monotonic(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(state_file, "time", clock)
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


def test_a_time_in_the_future_delays_by_no_more_than_the_delay(tries, registry, clock):
    for _ in range(6):
        tries.take_try(ADA)
    clock.now -= 86_400  # the machine was started again
    assert tries.take_try(ADA) == 2
    clock.now += 1
    assert tries.take_try(ADA) == 1
    clock.now += 1
    assert tries.take_try(ADA) == 0
    for wrong in (1e300, "never", float("inf"), b"x"):
        with registry.state.write() as db:
            db.execute("UPDATE login_try SET last = ?, n = 5", (wrong,))
        assert tries.take_try(ADA) == 2
        clock.now += 2
        assert tries.take_try(ADA) == 0


def test_a_damaged_count_is_a_count_of_wrong_passwords(tries, registry, clock):
    for wrong in (-7, "many", 2.5, 10**18):
        tries.take_try(ADA)
        with registry.state.write() as db:
            db.execute("UPDATE login_try SET n = ?", (wrong,))
        assert tries.take_try(ADA) in (2, 300)
        clock.now += 4000


def test_one_password_cannot_be_tried_on_every_account(tries, clock):
    here = network("192.0.2.1")
    waits = [
        tries.take_try(guesser(f"wearer-{i}", address="192.0.2.1", device=None), here)
        for i in range(200)
    ]
    assert waits == [0] * 20 + [2] * 180
    ipv6 = [f"2001:db8:1:2::{i:x}" for i in range(1, 201)]
    waits = [
        tries.take_try(guesser(f"wearer-{i}", address=address, device=None), network(address))
        for i, address in enumerate(ipv6)
    ]
    assert waits.count(0) == 20
    assert tries.take_try(guesser("ada", address="192.0.2.1", device="known")) == 0
    assert (
        tries.take_try(guesser("ada", address="198.51.100.7", device=None), network("198.51.100.7"))
        == 0
    )


def test_right_passwords_of_a_shared_address_are_not_counted(tries, clock):
    here = network("192.0.2.1")
    for i in range(100):
        who = guesser(f"wearer-{i}", address="192.0.2.1", device=None)
        assert tries.take_try(who, here) == 0
        tries.forget(who, here)
    # but one of them does not pay for the guesses of the same person
    for i in range(20):
        tries.take_try(guesser(f"wearer-{i}", address="192.0.2.1", device=None), here)
    assert tries.take_try(ADA, here) == 2


def test_an_ipv4_address_in_ipv6_is_that_address():
    assert network("::ffff:192.0.2.1") == network("192.0.2.1") != network("::ffff:192.0.2.2")


def test_the_wait_of_an_address_is_that_of_all_names_together(tries, clock):
    here = network("192.0.2.1")
    assert tries.wait_s(here) == 0
    for _ in range(6):
        tries.take_try(ADA, here)
    assert tries.take_try(ADA, here) == 2  # of this name only
    assert tries.wait_s(here) == 0
    for i in range(15):
        tries.take_try(guesser(f"wearer-{i}", address="192.0.2.1", device=None), here)
    assert tries.wait_s(here) == 2
    clock.now += 2
    assert tries.wait_s(here) == 0
