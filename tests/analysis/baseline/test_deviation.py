"""A person against themselves."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import eyelog as el

numbers = st.floats(-1e4, 1e4, allow_nan=False).map(lambda v: round(v, 2))


def by_day(values) -> pd.Series:
    index = pd.date_range("2026-10-01", periods=len(values), freq="D", tz="Asia/Tokyo")
    return pd.Series(np.asarray(values, dtype="float64"), index=index)


@given(st.lists(numbers, min_size=3, max_size=40, unique=True), st.floats(0.1, 100), numbers)
def test_a_robust_z_does_not_depend_on_unit_or_zero(values, scale, shift) -> None:
    first = el.baseline.robust_z(by_day(values))
    other = el.baseline.robust_z(by_day(values) * scale + shift)
    np.testing.assert_allclose(other, first, rtol=1e-5, atol=1e-5)


def test_a_robust_z_is_the_published_number() -> None:
    # median 3, MAD 1: (10 - 3) / 1.4826
    assert el.baseline.robust_z(by_day([1, 2, 3, 4, 10])).iloc[-1] == pytest.approx(7 / 1.4826)


def test_a_robust_z_without_spread_is_missing_and_says_why() -> None:
    found = el.baseline.robust_z(by_day([1, 1, 1, 5]))
    assert found.isna().all()
    assert "equal" in found.attrs["reason"]


def test_a_missing_day_stays_missing_and_counts_for_nothing() -> None:
    holed = by_day([1, 2, np.nan, 3, 4, 10])
    found = el.baseline.robust_z(holed)
    assert np.isnan(found.iloc[2])
    assert found.iloc[-1] == pytest.approx(7 / 1.4826)


def test_a_personal_baseline_knows_nothing_of_today_or_later() -> None:
    steps = by_day([5, 6, 7, 5, 6, 7, 6, 6, 6, 6])
    changed = steps.copy()
    changed.iloc[8:] = 1000.0
    first, other = (el.baseline.personal(s, min_n=3) for s in (steps, changed))
    pd.testing.assert_frame_equal(
        first[["baseline", "spread", "n"]].iloc[:9], other[["baseline", "spread", "n"]].iloc[:9]
    )


def test_a_personal_baseline_waits_for_enough_days() -> None:
    table = el.baseline.personal(by_day(range(10)), window="5D", min_n=4)
    assert table["baseline"].isna().tolist() == [True] * 4 + [False] * 6
    assert table["n"].tolist() == [0, 1, 2, 3, 4, 5, 5, 5, 5, 5]
    assert table["baseline"].iloc[-1] == 6.0
    assert table["coverage"].iloc[-1] == 1.0


def test_the_density_peak_is_that_of_a_gaussian_kernel_density() -> None:
    values = np.random.default_rng(3).gamma(4, 10, 3000).round()
    found = el.baseline.typical_value(by_day(values))
    assert (found.shape, found.method) == ("gamma", "peak")
    grid = np.linspace(values.min(), values.max(), 4001)
    other = grid[stats.gaussian_kde(values)(grid).argmax()]
    assert found.value == pytest.approx(other, abs=0.2)


def test_a_symmetric_shape_has_its_median_for_typical() -> None:
    found = el.baseline.typical_value(by_day([-2, -1, 0, 1, 2]))
    assert (found.shape, found.method, found.value) == ("other", "median", 0.0)


def test_a_method_that_is_named_is_taken() -> None:
    values = by_day(range(101))
    for method, value in (("median", 50), ("q90", 90), ("q99", 99)):
        assert el.baseline.typical_value(values, method=method).value == value


@given(st.floats(-5, 5), numbers, st.integers(4, 30))
def test_a_straight_line_has_its_own_slope(slope, start, n) -> None:
    found = el.baseline.trend(by_day(start + slope * np.arange(n)))
    assert found.slope == pytest.approx(slope, abs=1e-6)
    assert found.n == n


def test_a_trend_is_per_day_whatever_the_step() -> None:
    weekly = by_day(np.arange(50.0)).iloc[::7]
    assert el.baseline.trend(weekly).slope == pytest.approx(1)


def test_a_trend_of_too_many_values_says_to_summarise_first() -> None:
    with pytest.raises(el.ConfigurationError, match="per day"):
        el.baseline.trend(by_day(np.zeros(5001)))


def test_two_values_have_no_trend() -> None:
    found = el.baseline.trend(by_day([1, 2]))
    assert np.isnan(found.slope)
    assert found.reason


def test_a_new_level_begins_where_it_was_planted() -> None:
    pytest.importorskip("ruptures")
    values = np.r_[np.full(20, 5.0), np.full(15, 9.0), np.full(20, 4.0)]
    series = by_day(values + np.random.default_rng(2).normal(0, 0.5, 55))
    found = el.baseline.change_points(series, penalty=5)
    assert found == [series.index[20], series.index[35]]
    assert el.baseline.change_points(by_day(np.ones(30)), penalty=5) == []


def test_missing_days_do_not_make_a_new_level() -> None:
    pytest.importorskip("ruptures")
    series = by_day(np.r_[np.full(10, 5.0), np.full(5, np.nan), np.full(10, 5.0)])
    assert el.baseline.change_points(series, penalty=5) == []


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda s: el.baseline.change_points(s, penalty=0), "positive"),
        (lambda s: el.baseline.typical_value(s, method="mode"), "one of"),
        (lambda s: el.baseline.personal(s, window="long"), "duration"),
        (lambda s: el.baseline.robust_z(s.tz_localize(None)), "aware"),
    ],
)
def test_bad_input_is_said_in_one_sentence(call, says) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        call(by_day(range(10)))
