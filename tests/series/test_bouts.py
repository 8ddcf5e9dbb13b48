"""Bouts and their fragmentation."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el


def minutely(values) -> pd.Series:
    index = pd.date_range("2026-10-19", periods=len(values), freq="min", tz="UTC")
    return pd.Series(values, index=index)


def states_of(lengths: list[int]) -> pd.Series:
    return minutely([float(s) for n in lengths for s in [0, *[1] * n]] + [0.0])


@pytest.mark.parametrize(
    ("lengths", "mean", "inverse", "gini", "hazard", "alpha"),
    [
        ([5, 1, 2, 9, 2], 3.8, 0.2631578947368421, 0.5, 0.55, 1.5774543735680226),
        (
            [3, 7, 4, 12, 3, 6],
            5.833333333333333,
            0.17142857142857143,
            0.3371428571428572,
            0.4833333333333333,
            2.3926442523475218,
        ),
    ],
)
def test_the_measures_agree_with_an_independent_implementation(
    lengths, mean, inverse, gini, hazard, alpha
) -> None:
    # scikit-digital-health 0.17.18, skdh.utility.fragmentation_endpoints, each with
    # lengths=lengths, values=ones(len(lengths)), voi=1: average_duration,
    # state_transition_probability, gini_index, average_hazard, state_power_law_distribution.
    # The last is alpha of Di et al. (2017), 1 + n / sum(ln(x / (x_min - 1/2))), with x_min the
    # shortest bout: 1 in the first case, so ln(x / 0.5); 3 in the second.
    found = el.rhythm.fragmentation(states_of(lengths))
    assert found.mean_bout == pytest.approx(mean)
    assert found.inverse_mean == pytest.approx(inverse)
    assert found.gini == pytest.approx(gini)
    assert found.hazard == pytest.approx(hazard)
    assert found.alpha == pytest.approx(alpha)


@given(st.lists(st.integers(1, 30), min_size=2, max_size=20), st.randoms())
def test_the_order_of_the_bouts_changes_nothing(lengths, random) -> None:
    shuffled = lengths.copy()
    random.shuffle(shuffled)
    first = el.rhythm.fragmentation(states_of(lengths))
    assert el.rhythm.fragmentation(states_of(shuffled))[:5] == pytest.approx(first[:5])


def test_no_bout_is_missing_and_not_zero() -> None:
    found = el.rhythm.fragmentation(minutely([0.0] * 10))
    assert np.isnan(found[:8]).all()
    assert found.n == 0
    assert "never held" in found.reason


def test_a_gap_and_a_missing_value_end_a_bout() -> None:
    states = minutely([1.0] * 10)
    assert el.rhythm.fragmentation(states.drop(states.index[4])).n == 2
    states.iloc[4] = np.nan
    assert el.rhythm.fragmentation(states).n == 2


def test_nullable_booleans_are_states_too() -> None:
    states = minutely(pd.array([True, True, None, False, True], dtype="boolean"))
    assert el.rhythm.fragmentation(states).n == 2


def test_an_activity_bout_may_dip_for_its_share() -> None:
    pace = minutely([100.0] * 4 + [0.0] + [100.0] * 5 + [0.0] * 10)
    table = el.rhythm.activity_bouts(pace, threshold=100, min_length="10min", share=0.8)
    assert table[["n", "share", "duration_min"]].iloc[0].tolist() == [10, 0.9, 10]
    assert table["start"].iloc[0] == pace.index[0]
    assert el.rhythm.activity_bouts(pace, threshold=100, min_length="10min", share=1.0).empty


def test_a_gap_ends_an_activity_bout() -> None:
    pace = minutely([100.0] * 12)
    holed = pace.drop(pace.index[6])
    assert el.rhythm.activity_bouts(holed, threshold=100, min_length="10min").empty


@given(
    st.lists(st.booleans(), min_size=1, max_size=60),
    st.sampled_from([0.5, 0.8, 1.0]),
    st.integers(1, 6),
)
def test_every_activity_bout_has_its_share_and_length(on, share, need) -> None:
    series = minutely([100.0 if state else 0.0 for state in on])
    table = el.rhythm.activity_bouts(series, threshold=100, min_length=f"{need}min", share=share)
    assert (table["n"] >= need).all()
    assert (table["share"] >= share - 1e-9).all()
    assert (table["start"].iloc[1:].to_numpy() >= table["end"].iloc[:-1].to_numpy()).all()


@pytest.mark.parametrize(
    ("states", "whole", "cut", "hidden"),
    [
        ([0, 1, 1, 1, 0, 1, 1, None, 0], [3], [2], []),
        ([0, 1, 0, None, 1, 1, 0], [1], [], [2]),  # nobody saw it begin
        ([0, 1, 0, 1, 1, 1, None, 1, 0, 1, 1, 0], [1, 2], [3], [1]),
        ([0, 1, 1, 0, 1], [2], [1], []),  # the record ends before the bout
        ([1, 0, 1, 1, 0], [2], [], [1]),  # nobody saw it begin
        ([0, None, 1, None, 0, 1, 1, 0], [2], [], [1]),
    ],
)
def test_a_bout_beside_a_gap_is_censored(states, whole, cut, hidden) -> None:
    found = el.rhythm.fragmentation(minutely(pd.array(states, dtype="boolean")))
    lost = len(cut) + len(hidden)
    assert (found.n, found.censored) == (len(whole) + lost, lost)
    assert found.mean_bout == np.mean(whole)
    lengths = np.array(whole + cut)
    hazards = [whole.count(size) / (lengths >= size).sum() for size in sorted(set(whole))]
    assert found.hazard == pytest.approx(np.mean(hazards))


def test_bouts_that_gaps_have_all_cut_off_have_no_length() -> None:
    found = el.rhythm.fragmentation(minutely([0.0, 1, 1, np.nan, 1, np.nan, 0]))
    assert np.isnan(found[:8]).all()
    assert (found.n, found.censored) == (2, 2)
    assert "every bout was cut off" in found.reason


@given(st.lists(st.integers(1, 20), min_size=3, max_size=15), st.integers(1, 30))
def test_the_hazard_of_geometric_bouts_is_not_moved_up_by_gaps(lengths, extra) -> None:
    plain = el.rhythm.fragmentation(states_of(lengths))
    # One more bout that is cut off is at risk at every length it reached, and ended at none.
    cut = np.r_[states_of(lengths).to_numpy(), np.ones(extra), np.nan]
    found = el.rhythm.fragmentation(minutely(cut))
    assert found.hazard <= plain.hazard + 1e-12
    assert found[:3] == pytest.approx(plain[:3])
    assert found.alpha == pytest.approx(plain.alpha)


def test_activity_bouts_say_whether_a_gap_or_an_end_of_the_record_stands_beside_them() -> None:
    pace = minutely([100.0] * 5 + [0.0, np.nan] + [100.0] * 5 + [np.nan] + [0.0] + [100.0] * 5)
    table = el.rhythm.activity_bouts(pace, threshold=100, min_length="5min", share=1)
    assert table["censored"].tolist() == [True, True, True]
    inside = el.rhythm.activity_bouts(
        minutely([0.0] + [100.0] * 5 + [0.0]), threshold=100, min_length="5min", share=1
    )
    assert inside["censored"].tolist() == [False]
    assert table["censored"].dtype == bool


def test_activity_bouts_begin_where_their_first_row_opens() -> None:
    pace = minutely([0.0] + [100.0] * 5 + [0.0])
    row = el.rhythm.activity_bouts(pace, threshold=100, min_length="5min").iloc[0]
    assert (row["start"], row["end"]) == (pace.index[1], pace.index[6])


def cut_at_random(mean: float, seed: int, days: int = 150) -> tuple[pd.Series, np.ndarray]:
    """Return minutes of bouts with gaps in them, and the lengths of the bouts before."""
    generator = np.random.default_rng(seed)
    states, lengths = [], []
    while sum(map(len, states)) < 1440 * days:
        lengths.append(int(generator.geometric(1 / mean)))
        states += [np.ones(lengths[-1]), np.zeros(generator.geometric(1 / 20))]
    whole = np.concatenate(states)
    at = generator.integers(1, 75, 9000).cumsum() * 2
    whole[at[at < whole.size - 1]] = np.nan
    return minutely(whole), np.array(lengths)


def test_bouts_that_gaps_cut_off_have_the_lengths_that_were_planted_by_kaplan_meier() -> None:
    series, lengths = cut_at_random(30.0, 1)
    found = el.rhythm.fragmentation(series)
    assert 0.4 < found.censored / found.n < 0.7
    assert found.mean_bout < 0.8 * lengths.mean()
    assert found.mean_bout_km == pytest.approx(lengths.mean(), rel=0.05)
    assert found.median_bout_km == pytest.approx(np.median(lengths), rel=0.08)


def test_without_gaps_kaplan_meier_gives_plain_mean_and_median() -> None:
    found = el.rhythm.fragmentation(states_of([3, 9, 4, 4, 7]))
    assert (found.mean_bout_km, found.median_bout_km) == pytest.approx((5.4, 4.0))
    assert (found.mean_bout, found.median_bout) == pytest.approx((5.4, 4.0))


def test_a_bout_whose_beginning_is_hidden_says_nothing_of_its_length() -> None:
    plain = [0, 1, 1, 0, 1, 1, 1, 1, 0]
    hidden = el.rhythm.fragmentation(minutely([*plain, np.nan, 1, 1, 1, 1, 1, 1, 1, 0]))
    assert hidden.mean_bout_km == pytest.approx(3.0)
    # Seen for three epochs and then cut off: at risk of ending after one and two, not after three.
    cut = el.rhythm.fragmentation(minutely([*plain, 1, 1, 1, np.nan, 0]))
    assert cut.mean_bout_km == pytest.approx(2 + 2 / 3 * 2)
    longest = el.rhythm.fragmentation(minutely([*plain, 1, 1, 1, 1, 1, 1, np.nan, 0]))
    assert "counts time up to it only" in longest.reason
