"""No hour counts twice: what overlaps is found, and a change of the phase is not an overlap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyelog.overlap import TOLERATED_US, mostly_differ, overlaps

SECOND = 1_000_000
INTERVALS = st.sampled_from([15 * SECOND, 60 * SECOND])


@st.composite
def connections(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    """Return stamps of connections one after another, the number of each, and the interval."""
    interval = draw(INTERVALS)
    at, stamps, numbers = draw(st.integers(0, 10**15)), [], []
    for number in range(draw(st.integers(1, 12))):
        for _ in range(draw(st.integers(1, 40))):
            at += interval
            stamps.append(at)
            numbers.append(number)
        at += draw(st.integers(1 - interval, 3 * interval))
    return np.array(stamps), np.array(numbers), interval


@given(connections())
def test_connections_that_follow_each_other_never_overlap(drawn) -> None:
    stamps, numbers, interval = drawn
    assert overlaps(stamps, numbers // 2, interval).records == 0


@given(INTERVALS, st.lists(st.integers(0, 10**12), max_size=30), st.data())
def test_any_stamps_give_an_answer_that_does_not_depend_on_their_order(interval, us, data) -> None:
    stamps = np.array(sorted(set(us)), np.int64)
    source = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(stamps),
                                         max_size=len(stamps))), np.int64)  # fmt: skip
    order = np.array(data.draw(st.permutations(range(len(stamps)))), np.int64)
    found = overlaps(stamps[order], source[order], interval)
    assert found == overlaps(stamps, source, interval)
    assert 0 <= found.records <= found.of == len(stamps)
    assert 0 <= found.doubled_us <= found.of * interval


def test_half_an_hour_of_a_year_is_found() -> None:
    year = np.arange(1, 2_000_001) * 15 * SECOND
    half_an_hour = year[1000:1120] + 6 * SECOND
    source = np.repeat([0, 1], [len(year), len(half_an_hour)])
    found = overlaps(np.append(year, half_an_hour), source, 15 * SECOND)
    assert found.too_much
    assert found.doubled_us == pytest.approx(120 * 15 * SECOND, rel=0.02)


@pytest.mark.parametrize(
    ("shared", "differing", "somebody_else"),
    [(0, 0, False), (5, 5, False), (6, 6, True), (1440, 1440, True), (1440, 720, False),
     (1440, 721, True), (1000, 30, False)],
)  # fmt: skip
def test_a_few_corrected_records_are_not_somebody_else(shared, differing, somebody_else) -> None:
    assert mostly_differ(shared, differing, 60 * SECOND) is somebody_else
    assert TOLERATED_US == 5 * 60 * SECOND
