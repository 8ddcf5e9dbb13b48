"""Sums over intervals, covered places and onsets."""

import numpy as np

from eyelog.wearer.interval_sums import covered, onsets, running, sums


def test_a_sum_over_an_interval_is_a_difference_of_running_totals() -> None:
    values = np.array([1, 2, 3, 4])
    assert running(values).tolist() == [0, 1, 3, 6, 10]
    assert sums(values, np.array([0, 1, 2]), np.array([4, 3, 2])).tolist() == [10, 5, 0]


def test_a_place_is_covered_from_the_first_up_to_but_without_the_last() -> None:
    first, last = np.array([1, 2, 5]), np.array([3, 4, 6])
    assert np.flatnonzero(covered(first, last, 6)).tolist() == [1, 2, 3, 5]
    empty = np.empty(0, dtype=np.int64)
    assert not covered(empty, empty, 3).any()


def test_an_onset_is_where_a_condition_begins_to_hold() -> None:
    condition = np.array([True, True, False, True, False])
    assert onsets(condition).tolist() == [True, False, False, True, False]
    assert onsets(condition[:0]).tolist() == []
