"""The reductions, against plain formulas and independent implementations."""

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from eyelog.analysis.grouped import reductions
from eyelog.analysis.grouped.groups import Groups
from eyelog.catalogue import LOGS, catalogue
from eyelog.errors import ConfigurationError

Floats = npt.NDArray[np.float64]


def groups_of(*sizes: int) -> Groups:
    bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Groups(pd.RangeIndex(len(sizes)), bounds, None, np.ones(len(sizes)))


def test_a_group_without_a_value_is_missing_and_never_zero() -> None:
    values, groups = np.array([1.0, np.nan, np.nan, 4.0]), groups_of(1, 2, 0, 1)
    for reduce in (reductions.total, reductions.mean, reductions.largest, reductions.last):
        np.testing.assert_array_equal(reduce(values, groups), [1.0, np.nan, np.nan, 4.0])
    np.testing.assert_array_equal(reductions.count_rows(~np.isnan(values), groups), [1, 0, 0, 1])


def test_weights_that_sum_to_zero_give_no_mean() -> None:
    found = reductions.weighted_mean(np.array([1.0, 2.0]), np.array([0.0, 0.0]), groups_of(2))
    assert np.isnan(found[0])


def test_a_row_without_a_weight_or_a_value_counts_in_neither_sum() -> None:
    values, weights = np.array([1.0, np.nan, 5.0, 7.0]), np.array([2.0, 9.0, np.nan, 2.0])
    assert reductions.weighted_mean(values, weights, groups_of(4))[0] == 4.0


def test_angles_average_on_the_circle_in_each_group() -> None:
    values = np.array([350.0, 10, 20, 5, 355, 2, 30, 0, 180, np.nan])
    found = reductions.circular_mean(values, None, groups_of(7, 2, 1))
    assert found[0] == pytest.approx(7.38355499, abs=1e-8)
    assert np.isnan(found[1:]).all()


def test_the_first_and_last_chosen_rows_are_found_in_any_order_of_rows() -> None:
    chosen = np.array([False, True, True, False, True])
    groups = Groups(pd.RangeIndex(3), np.array([0, 2, 3, 5]), np.array([0, 2, 3, 1, 4]), np.ones(3))
    assert reductions.first_row(chosen, groups).tolist() == [2, -1, 1]
    assert reductions.last_row(chosen, groups).tolist() == [2, -1, 4]


def test_the_poisson_interval_is_that_of_garwood() -> None:
    # The published tables of exact Poisson limits, 95 %, to the digits they print.
    low, high = reductions.garwood(np.array([0.0, 10.0, 18.0]), np.ones(3))
    np.testing.assert_allclose(low, [0.0, 4.795, 10.668], atol=5e-4)
    np.testing.assert_allclose(high, [3.689, 18.390, 28.448], atol=5e-4)


def test_the_poisson_interval_covers_at_its_level() -> None:
    for n in (1, 5, 40):
        low, high = (float(edge[0]) for edge in reductions.garwood(np.array([n]), np.array([1.0])))
        assert stats.poisson.sf(n - 1, low) == pytest.approx(0.025)
        assert stats.poisson.cdf(n, high) == pytest.approx(0.025)


numbers = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))
values_and_sizes = st.lists(st.integers(0, 5), min_size=1, max_size=6).flatmap(
    lambda sizes: st.tuples(
        st.just(sizes),
        arrays(np.float64, sum(sizes), elements=st.one_of(numbers, st.just(np.nan))),
        arrays(np.float64, sum(sizes), elements=st.one_of(st.integers(0, 9), st.just(np.nan))),
    )
)


@given(values_and_sizes)
def test_the_parts_make_the_whole(drawn: tuple[list[int], Floats, Floats]) -> None:
    sizes, values, weights = drawn
    parts, whole = groups_of(*sizes), groups_of(sum(sizes))
    outer = groups_of(len(sizes))
    both = np.where(np.isnan(values), np.nan, weights)
    close = {"rtol": 1e-9, "atol": 1e-6}
    np.testing.assert_allclose(
        reductions.total(reductions.total(values, parts), outer),
        reductions.total(values, whole),
        **close,
    )
    np.testing.assert_allclose(
        reductions.weighted_mean(
            reductions.weighted_mean(values, both, parts), reductions.total(both, parts), outer
        ),
        reductions.weighted_mean(values, both, whole),
        **close,
    )
    np.testing.assert_allclose(
        reductions.pooled_sd(
            reductions.pooled_sd(values, both, parts), reductions.total(both, parts), outer
        ),
        reductions.pooled_sd(values, both, whole),
        **close,
    )
    np.testing.assert_array_equal(
        reductions.largest(reductions.largest(values, parts), outer),
        reductions.largest(values, whole),
    )
    np.testing.assert_array_equal(
        reductions.last(reductions.last(values, parts), outer), reductions.last(values, whole)
    )


@given(st.lists(st.lists(numbers, min_size=1, max_size=6), min_size=1, max_size=5))
def test_the_pooled_sd_of_parts_is_the_sd_of_the_whole(parts: list[list[float]]) -> None:
    one = groups_of(len(parts))
    found = reductions.combined_sd(
        np.array([np.std(part) for part in parts]),
        np.array([np.mean(part) for part in parts]),
        np.array([float(len(part)) for part in parts]),
        one,
    )
    assert found.total[0] == pytest.approx(np.std(np.concatenate(parts)), abs=1e-6)


@given(
    arrays(np.float64, st.integers(1, 30), elements=st.integers(0, 50)),
    st.floats(0, 1),
)
def test_a_quantile_is_that_of_numpy(values: Floats, share: float) -> None:
    found = reductions.quantile(values, share, groups_of(len(values)))
    assert found[0] == pytest.approx(np.quantile(values, share))


def test_every_rule_of_the_catalogue_is_carried_out() -> None:
    values, weights = np.array([1.0, 5.0, 3.0]), np.array([1.0, 1.0, 2.0])
    expected = {
        "sum": 9.0,
        "max": 5.0,
        "last": 3.0,
        "mean": 3.0,
        "wmean": 3.0,
        "pooled_sd": np.sqrt((1 + 25 + 2 * 9) / 4),
        "rms": np.sqrt((1 + 25 + 2 * 9) / 4),
    }
    for rule, value in expected.items():
        assert reductions.by_rule(rule, values, weights, groups_of(3))[0] == pytest.approx(value)
    turned = reductions.by_rule("circ_mean", np.array([350.0, 20.0]), None, groups_of(2))
    assert turned[0] == pytest.approx(5.0)
    rules = {field.agg for log in LOGS for field in catalogue(log).values()} - {"none"}
    for rule in rules:
        assert np.isfinite(reductions.by_rule(rule, values, weights, groups_of(3))).all()


def test_a_rule_that_the_catalogue_does_not_have_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"unknown rule of aggregation.*'mode'"):
        reductions.by_rule("mode", np.ones(1), None, groups_of(1))


def test_a_sum_of_fields_is_missing_where_one_of_them_is() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, np.nan], "c": [True, False]})
    np.testing.assert_array_equal(reductions.sum_fields(frame, ["a", "b", "c"]), [5.0, np.nan])
    np.testing.assert_array_equal(reductions.sum_fields(frame, ["a"]), [1.0, 2.0])


def test_the_sd_of_labelled_rows_is_that_of_their_own_group() -> None:
    order = np.array([0, 2, 1, 3])  # rows 0 and 2 are in the first group, 1 and 3 in the second
    groups = Groups(pd.Index(["a", "b"]), np.array([0, 2, 4]), order, np.ones(2))
    means, sds, ones = np.array([1.0, 10.0, 3.0, 10.0]), np.zeros(4), np.ones(4)
    found = reductions.combined_sd(sds, means, ones, groups)
    assert found.between.tolist() == [1, 0]
    assert found.total.tolist() == [1, 0]


def test_angles_are_weighted_also_by_weights_below_one() -> None:
    angles, weights = np.array([0.0, 90.0, 45.0]), np.array([0.25, 0.25, 0.0])
    assert reductions.circular_mean(angles, weights, groups_of(3))[0] == pytest.approx(45)
    unequal = reductions.circular_mean(angles, np.array([0.75, 0.25, 0.0]), groups_of(3))
    assert unequal[0] == pytest.approx(np.degrees(np.arctan2(1, 3)))
