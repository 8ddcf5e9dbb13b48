"""No hour counts twice: what overlaps is found, and a change of the phase is not an overlap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyelog.overlap import TOLERATED_US, duration_text, mostly_differ, overlaps

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


@given(connections().filter(lambda drawn: np.bincount(drawn[1]).min() > 4))
def test_a_change_of_the_phase_is_no_overlap_without_sources_either(drawn) -> None:
    stamps, _, interval = drawn
    assert overlaps(stamps, None, interval).records == 0


@given(INTERVALS, st.integers(30, 400), st.data())
def test_a_log_and_itself_shifted_overlap_by_the_whole_time(interval, count, data) -> None:
    shift = data.draw(st.integers(1, interval - 1))
    stamps = np.arange(1, count + 1) * interval
    both, source = np.append(stamps, stamps + shift), np.repeat([4, 7], count)
    order = np.array(data.draw(st.permutations(range(2 * count))))
    for labels in (source[order], None):
        found = overlaps(both[order], labels, interval)
        assert found.too_much
        assert found.sources == (() if labels is None else (4, 7))
        # From the definition: the recorded time less the union of time.
        union = count * interval + shift
        assert abs(found.doubled_us - (2 * count * interval - union)) <= interval
        assert found.first <= 2 * interval
        assert found.last >= stamps[-1] - interval


@given(INTERVALS, st.integers(1, 300), st.data())
def test_repeats_on_the_same_stamps_never_overlap(interval, count, data) -> None:
    stamps = np.arange(count) * interval
    times = data.draw(st.lists(st.integers(1, 4), min_size=count, max_size=count))
    every = np.repeat(stamps, times)
    source = np.concatenate([np.arange(n) for n in times])
    assert overlaps(every, source, interval).records == 0


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


def test_a_clock_that_runs_a_little_slow_is_no_overlap() -> None:
    stamps = np.arange(200_000) * 14_980_000
    assert not overlaps(stamps, None, 15 * SECOND).too_much
    assert not overlaps(stamps, np.arange(200_000) // 240, 15 * SECOND).too_much


def test_half_an_hour_of_a_year_is_found() -> None:
    year = np.arange(1, 2_000_001) * 15 * SECOND
    half_an_hour = year[1000:1120] + 6 * SECOND
    source = np.repeat([0, 1], [len(year), len(half_an_hour)])
    found = overlaps(np.append(year, half_an_hour), source, 15 * SECOND)
    assert found.too_much
    assert found.doubled_us == pytest.approx(120 * 15 * SECOND, rel=0.02)


def test_records_half_an_interval_apart_overlap() -> None:
    found = overlaps(np.arange(120) * 30 * SECOND, None, 60 * SECOND)
    assert found.too_much
    assert found.doubled_us == pytest.approx(60 * 60 * SECOND, rel=0.02)


@pytest.mark.parametrize(
    ("shared", "differing", "somebody_else"),
    [(0, 0, False), (5, 5, False), (6, 6, True), (1440, 1440, True), (1440, 720, False),
     (1440, 721, True), (1000, 30, False)],
)  # fmt: skip
def test_a_few_corrected_records_are_not_somebody_else(shared, differing, somebody_else) -> None:
    assert mostly_differ(shared, differing, 60 * SECOND) is somebody_else
    assert TOLERATED_US == 5 * 60 * SECOND


def test_durations_are_written_for_people() -> None:
    texts = [duration_text(s * SECOND) for s in (20, 300, 3600, 43.8 * 3600)]
    assert texts == ["20 s", "5 min", "60 min", "43.8 h"]
