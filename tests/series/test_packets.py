"""Packets: which rows belong to one connection, and how many were lost before each."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eyelog.judge.packets import even, packets

PACKET = 50_000


def reference(us: list[int], sequence: list[float | None] | None) -> tuple[list[int], list[int]]:
    """Return the connection and the lost packets of each row, row by row."""
    codes, packets = [0][: len(us)], [0][: len(us)]
    for i in range(1, len(us)):
        step = us[i] - us[i - 1]
        numbers = None if sequence is None else (sequence[i - 1], sequence[i])
        missing, new = 0, step > 12_000_000
        if numbers is None or None in numbers:
            if step > 1_000_000:
                missing = round(step / PACKET) - 1
        else:
            number = int(numbers[0])
            if numbers[0] == numbers[1] and step <= 1_000_000:  # received twice
                number -= 1
            while (number + 1) % 256 != numbers[1]:
                number, missing = number + 1, missing + 1
            if missing and abs((missing + 1) * PACKET - step) > 1_000_000:
                new = True
        codes.append(codes[-1] + new)
        packets.append(0 if new else missing)
    return codes, packets


def _stamps(steps: list[int]) -> np.ndarray:
    return np.cumsum(np.array(steps, dtype=np.int64))


def test_a_leap_of_the_numbers_is_a_loss_also_across_255():
    us = _stamps([0, 50_000, 200_000, 50_000])
    numbers = np.array([253.0, 254.0, 2.0, 3.0])
    assert packets(us, numbers).lost.tolist() == [0, 0, 3, 0]
    assert packets(us, numbers).connection.tolist() == [0, 0, 0, 0]


def test_uneven_stamps_without_a_leap_lose_nothing():
    us = _stamps([0, 30_000, 900_000, 1, 1, 60_000])
    numbers = np.arange(6.0)
    assert packets(us, numbers).lost.sum() == 0
    assert packets(us, numbers).connection.max() == 0


def test_a_leap_that_the_stamps_do_not_bear_out_is_a_new_connection_and_no_loss():
    us = _stamps([0, 50_000, 50_000, 50_000])
    numbers = np.array([17.0, 18.0, 100.0, 101.0])
    assert packets(us, numbers).connection.tolist() == [0, 0, 1, 1]
    assert packets(us, numbers).lost.tolist() == [0, 0, 0, 0]


def test_a_packet_that_is_received_twice_is_neither_a_loss_nor_a_new_connection():
    us = _stamps([0, 50_000, 20_000, 30_000])
    numbers = np.array([17.0, 18.0, 18.0, 19.0])
    assert packets(us, numbers).connection.tolist() == [0, 0, 0, 0]
    assert packets(us, numbers).lost.tolist() == [0, 0, 0, 0]


def test_a_pause_of_more_than_12_s_is_a_new_connection_whatever_the_numbers_say():
    us = _stamps([0, 12_000_000, 12_000_001])
    numbers = np.array([0.0, 240.0, 224.0])
    assert packets(us, numbers).connection.tolist() == [0, 0, 1]
    assert packets(us, numbers).lost.tolist() == [0, 239, 0]


def test_without_numbers_pauses_alone_show_what_was_lost():
    us = _stamps([0, 60_000, 1_000_000, 2_000_000, 13_000_000])
    assert packets(us, None).connection.tolist() == [0, 0, 0, 0, 1]
    assert packets(us, None).lost.tolist() == [0, 0, 0, 39, 0]


def test_a_number_out_of_range_counts_as_none():
    us = _stamps([0, 50_000, 50_000])
    assert packets(us, np.array([1.0, 300.0, 3.0])).lost.tolist() == [0, 0, 0]


def test_no_rows_have_no_connections():
    none = np.array([], dtype=np.int64)
    assert packets(none, None).connection.tolist() == []
    assert packets(none, np.array([])).lost.tolist() == []


@given(
    rows=st.lists(
        st.tuples(
            st.one_of(
                st.integers(1, 300_000),
                st.integers(900_000, 1_100_000),
                st.integers(11_900_000, 12_100_000),
                st.integers(1, 14_000_000),
            ),
            st.one_of(st.none(), st.integers(0, 255)),
        ),
        max_size=40,
    ),
    numbered=st.booleans(),
)
def test_rows_and_their_packets_follow_from_counting_by_hand(rows, numbered):
    us = _stamps([step for step, _ in rows])
    given_numbers = [number for _, number in rows] if numbered else None
    numbers = None if given_numbers is None else np.array(given_numbers, dtype="float64")
    codes, gone = reference(us.tolist(), given_numbers)
    assert packets(us, numbers).connection.tolist() == codes
    assert packets(us, numbers).lost.tolist() == gone


@given(
    late=st.lists(st.integers(-20_000, 20_000), min_size=2, max_size=60),
    dropped=st.sets(st.integers(1, 58)),
)
def test_even_stamps_are_the_line_through_those_of_each_connection(late, dropped):
    at = np.arange(len(late)) * PACKET + 500_000
    kept = np.array([i not in dropped or i == len(late) - 1 for i in range(len(late))])
    us = (at + np.array(late))[kept]
    numbers = np.arange(len(late), dtype="float64")[kept]
    both = np.concatenate([us, us + 60_000_000])
    found = even(both, np.concatenate([numbers, numbers]))
    slope, level = np.polyfit(numbers, us, 1)
    np.testing.assert_allclose(found[: len(us)], slope * numbers + level, atol=1)
    # Half a microsecond is rounded to the even one, which may be the other a minute later.
    np.testing.assert_allclose(found[len(us) :], found[: len(us)] + 60_000_000, rtol=0, atol=1)


def test_a_row_alone_keeps_its_stamp_and_even_stamps_stay_in_order():
    assert even(np.array([7]), np.array([3.0])).tolist() == [7]
    us = _stamps([0, 30_000, 90_000, 1, 40_000])
    found = even(us, np.array([1.0, 2.0, 3.0, 90.0, 91.0]))
    assert (np.diff(found) > 0).all()


@given(
    steps=st.lists(st.integers(30_000, 70_000), min_size=2, max_size=200),
    dropped=st.sets(st.integers(1, 199)),
    first=st.integers(0, 255),
)
def test_rows_and_lost_packets_add_up_to_what_was_sent(steps, dropped, first):
    us = _stamps(steps)
    numbers = (first + np.arange(len(us), dtype="float64")) % 256
    kept = np.array([i not in dropped or i == len(us) - 1 for i in range(len(us))])
    if packets(us[kept], numbers[kept]).connection.max() == 0:
        assert kept.sum() + packets(us[kept], numbers[kept]).lost.sum() == len(us)
