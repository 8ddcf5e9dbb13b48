"""Two periods of one person: published shift, exact and block intervals."""

from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import eyelog as el
from eyelog.analysis.compare.two_periods import _ranks_sums, two_periods

# Permeability of the chorioamnion at term and earlier (Hollander & Wolfe 1973, p. 69).
TERM = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
EARLY = [1.15, 0.88, 0.90, 0.74, 1.21]


def daily(values, start: str = "2026-01-01") -> pd.Series:
    index = pd.date_range(start, periods=len(values), freq="D", tz="UTC")
    return pd.Series(np.asarray(values, dtype="float64"), index=index)


def test_the_shift_of_hollander_and_wolfe_is_found_as_published() -> None:
    # R: wilcox.test(EARLY, TERM, conf.int = TRUE): -0.305, 95 % -0.76 to 0.15, p 0.2544
    found = two_periods(daily(TERM), daily(EARLY, "2026-03-01"))
    assert found.difference == pytest.approx(-0.305)
    assert (found.low, found.high) == (pytest.approx(-0.76), pytest.approx(0.15))
    assert found.p == pytest.approx(0.2544, abs=5e-5)
    assert (found.n_before, found.n_after, found.coverage) == (10, 5, 1.0)
    assert found.exposure_h == 15 * 24


def test_the_distribution_of_the_rank_sum_is_that_of_all_orders() -> None:
    # P(U = u) for 3 and 2 values: 1 1 2 2 2 1 1 of 10 orders
    assert _ranks_sums(3, 2) * 10 == pytest.approx([1, 1, 2, 2, 2, 1, 1])
    chance = _ranks_sums(9, 12)
    assert chance.sum() == pytest.approx(1)
    # scipy 1.17: mannwhitneyu(x, y, method="exact").pvalue is 2 P(U <= u)
    x, y = np.arange(9.0), np.arange(12.0) + 3.5
    test = stats.mannwhitneyu(x, y, method="exact")
    assert 2 * chance[: int(test.statistic) + 1].sum() == pytest.approx(test.pvalue)


values = st.lists(st.floats(-100, 100).map(lambda v: round(v, 2)), min_size=3, max_size=12)


@given(values, values, st.floats(0.1, 20), st.floats(-50, 50))
@settings(max_examples=30, deadline=None)
def test_unit_zero_order_and_sides_carry_over(one, other, scale, shift) -> None:
    before, after = daily(one), daily(other, "2026-03-01")
    found = two_periods(before, after, draws=100)
    brute = np.median([b - a for a in one for b in other])
    assert found.difference == pytest.approx(brute)
    # An interval is given where the widest one reaches 95 %, 1 - 2 / C(n + m, n).
    if comb(len(one) + len(other), len(one)) >= 40:
        assert found.low <= found.difference <= found.high
    else:
        assert np.isnan([found.low, found.high]).all()
    near = {"rel": 1e-6, "abs": 1e-6, "nan_ok": True}
    moved = two_periods(before * scale + shift, after * scale + shift, draws=100)
    assert moved[:5] == pytest.approx([v * scale for v in found[:5]], **near)
    assert two_periods(before, after + shift, draws=100).low == pytest.approx(
        found.low + shift, **near
    )
    turned = two_periods(after, before, draws=100)
    assert (turned.difference, turned.low) == (
        pytest.approx(-found.difference, **near),
        pytest.approx(-found.high, **near),
    )
    shuffled = daily(np.random.default_rng(0).permutation(one))
    assert two_periods(shuffled, after, draws=100)[:3] == pytest.approx(found[:3], **near)


def test_a_shift_that_makes_values_equal_moves_the_interval_and_nothing_else() -> None:
    before, after = daily([0, 1, 2, 5, 9]), daily([0.5, 3.5, 6.5, 8.5], "2026-03-01")
    apart, tied = two_periods(before, after), two_periods(before, after + 0.5)
    assert (tied.low, tied.high) == (apart.low + 0.5, apart.high + 0.5)


def test_missing_values_answer_like_missing_days() -> None:
    generator = np.random.default_rng(4)
    before, after = daily(generator.normal(size=20)), daily(generator.normal(size=20), "2026-03-01")
    holed = after.copy()
    holed.iloc[3:6] = np.nan
    one, two = two_periods(before, holed), two_periods(before, holed.dropna())
    assert one == two
    assert one.coverage == pytest.approx(37 / 40)


def test_the_block_interval_is_wider_where_days_or_hours_are_alike() -> None:
    generator = np.random.default_rng(2)
    index = pd.date_range("2026-01-01", periods=240, freq="h", tz="UTC")
    level = np.repeat(generator.normal(size=10), 24)
    before = pd.Series(level + generator.normal(size=240) * 0.1, index=index)
    after = pd.Series(
        np.repeat(generator.normal(size=10), 24) + generator.normal(size=240) * 0.1,
        index=index + pd.Timedelta("60D"),
    )
    found = two_periods(before, after, draws=300)
    assert found.block_high - found.block_low > 2 * (found.high - found.low)
    assert (found.days_before, found.days_after) == (10, 10)
    weeks = two_periods(before, after, block_days=7, draws=100)
    assert np.isnan(weeks.block_low)
    assert "blocks of days" in weeks.reason


def test_a_planted_change_of_a_simulated_wearer_is_found() -> None:
    steps = el.daily(el.simulate("2026-09-07", 24, log="standard_mode_logs", seed=3))["steps"]
    found = two_periods(steps.iloc[:12], steps.iloc[12:] + 4000)
    assert found.low < 4000 < found.high
    assert found.block_low > 0
    assert found.p < 0.01


def test_too_few_values_are_missing_with_a_reason() -> None:
    for before, after, says in (
        ([1, 2], [1, 2, 3], "before"),
        ([1, 2, 3], [np.nan] * 5, "after"),
        ([], [], "after"),
    ):
        found = two_periods(daily(before), daily(after, "2026-03-01"))
        assert np.isnan(found[:6]).all()
        assert f"values {says}" in found.reason


def test_bad_input_is_refused_in_one_sentence() -> None:
    long = daily(np.arange(600.0))
    cases = [
        (lambda: two_periods(long, long), "per day first"),
        (lambda: two_periods(long[:5], long[5:9], block_days=0), "block_days"),
        (lambda: two_periods(long[:5], long[5:9], seed=-1), "seed"),
        (lambda: two_periods(long[::-1], long), "in order, each once"),
    ]
    for call, says in cases:
        with pytest.raises(el.ConfigurationError, match=says):
            call()
    with pytest.raises(el.MixedLogsError):
        two_periods(
            el.daily(el.sample())["steps"], el.daily(el.sample("standard_mode_logs"))["steps"]
        )


@pytest.mark.slow
def test_both_intervals_hold_the_planted_shift_about_95_times_in_100() -> None:
    exact, block = [], []
    for seed in range(200):
        generator = np.random.default_rng(seed)
        before = daily(generator.normal(size=30))
        after = daily(generator.normal(1, size=30), "2026-03-01")
        found = two_periods(before, after, draws=300, seed=seed)
        exact.append(found.low <= 1 <= found.high)
        block.append(found.block_low <= 1 <= found.block_high)
    assert 0.91 < np.mean(exact) < 0.99
    assert 0.89 < np.mean(block) < 0.99


def test_too_few_values_are_counted_and_give_a_reason_and_no_difference() -> None:
    days = pd.date_range("2026-10-19", periods=8, freq="D", tz="UTC")
    steps = pd.Series(np.arange(8.0), index=days)
    result = el.compare.two_periods(steps[:2], steps[2:])
    assert np.isnan(result[:6]).all()
    assert (result.n_before, result.n_after, result.days_before, result.days_after) == (2, 6, 2, 6)
    assert result.exposure_h == 8 * 24
    assert result.reason == "fewer than 3 values before"


@pytest.mark.parametrize("n", range(3, 7))
@pytest.mark.parametrize("m", range(3, 7))
def test_an_interval_is_given_where_its_level_can_be_reached_and_nowhere_else(n, m) -> None:
    found = two_periods(daily(range(n)), daily(range(m), "2026-03-01"), draws=100)
    reached = 1 - 2 / comb(n + m, n)
    assert np.isfinite(found.low) == np.isfinite(found.high) == (reached >= 0.95)
    assert ("no 95 % interval" in found.reason) == (reached < 0.95)


def test_periods_of_unequal_length_are_covered_by_days() -> None:
    frame = el.simulate("2026-10-19", 9, log="standard_mode_logs", seed=5, tz="Europe/Berlin")
    days = el.daily(frame)
    found = two_periods(days["steps"][:3], days["steps"][3:], draws=100)
    assert found.exposure_h == pytest.approx(days["worn_h"].sum())
    assert found.coverage == pytest.approx(days["coverage"].mean())
    holed = two_periods(days["steps"][:3], days["steps"].drop(days.index[5])[3:], draws=100)
    assert holed.coverage == pytest.approx(days["coverage"].drop(days.index[5]).sum() / 9)
