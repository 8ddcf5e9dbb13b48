"""Two periods of one person: the published shift, and days that are alike."""

import numpy as np
import pandas as pd
import pytest
import scipy.signal
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el

# Permeability of the chorioamnion at term and earlier (Hollander & Wolfe 1973, p. 69).
TERM = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
EARLY = [1.15, 0.88, 0.90, 0.74, 1.21]


def daily(values, start: str = "2026-01-01") -> pd.Series:
    index = pd.date_range(start, periods=len(values), freq="D", tz="UTC")
    return pd.Series(np.asarray(values, dtype="float64"), index=index)


def test_the_shift_of_hollander_and_wolfe_is_found_as_published() -> None:
    # R: wilcox.test(EARLY, TERM, conf.int = TRUE): -0.305, 95 % -0.76 to 0.15, p 0.2544
    found = el.compare.two_periods(daily(TERM), daily(EARLY, "2026-03-01"))
    assert found.difference == pytest.approx(-0.305)
    # Neighbouring days may be alike, so less is known than of independent values.
    assert (found.low, found.high) == (pytest.approx(-0.76, abs=0.1), pytest.approx(0.15, abs=0.1))
    assert found.low < -0.76
    assert found.high > 0.15
    assert 0.2544 < found.p < 0.4
    assert (found.n_before, found.n_after, found.coverage) == (10, 5, 1.0)
    assert 10 < found.n_effective < 15
    assert np.isnan(found.exposure_h)


values = st.lists(st.floats(-100, 100).map(lambda v: round(v, 2)), min_size=5, max_size=12)


@given(values, values, st.floats(0.1, 20), st.floats(-50, 50))
@settings(max_examples=30, deadline=None)
def test_unit_zero_order_and_sides_carry_over(one, other, scale, shift) -> None:
    before, after = daily(one), daily(other, "2026-03-01")
    found = el.compare.two_periods(before, after)
    assert found.low <= found.difference <= found.high
    near = {"rel": 1e-6, "abs": 1e-6}
    moved = el.compare.two_periods(before * scale + shift, after * scale + shift)
    assert moved[:3] == pytest.approx([v * scale for v in found[:3]], **near)
    assert moved.phi == pytest.approx(found.phi, **near)
    assert el.compare.two_periods(before, after + shift).low == pytest.approx(
        found.low + shift, **near
    )
    turned = el.compare.two_periods(after, before)
    assert (turned.difference, turned.low) == (
        pytest.approx(-found.difference, **near),
        pytest.approx(-found.high, **near),
    )


def test_a_shift_that_makes_values_equal_moves_the_interval_and_nothing_else() -> None:
    before, after = daily([0, 9, 2, 5, 1]), daily([6.5, 3.5, 0.5, 8.5, 1.5], "2026-03-01")
    apart, tied = el.compare.two_periods(before, after), el.compare.two_periods(before, after + 0.5)
    assert (tied.low, tied.high) == (apart.low + 0.5, apart.high + 0.5)


def test_missing_values_answer_like_missing_days() -> None:
    generator = np.random.default_rng(4)
    before, after = daily(generator.normal(size=20)), daily(generator.normal(size=20), "2026-03-01")
    holed = after.copy()
    holed.iloc[3:6] = np.nan
    hours = pd.concat([before, after]) * 0 + 24.0
    one, two = (
        el.compare.two_periods(before, late, exposure=hours) for late in (holed, holed.dropna())
    )
    assert one == two
    assert one.exposure_h == 37 * 24
    assert one.coverage == pytest.approx(37 / 40)


def test_the_hours_of_a_day_count_as_one_value() -> None:
    generator = np.random.default_rng(2)
    index = pd.date_range("2026-01-01", periods=480, freq="h", tz="UTC")
    level = np.repeat(generator.normal(size=20), 24)
    hours = pd.Series(level + generator.normal(size=480) * 0.1, index=index)
    days = hours.resample("1D").mean()
    found = el.compare.two_periods(hours[:240], hours[240:])
    assert found[:6] == pytest.approx(el.compare.two_periods(days[:10], days[10:])[:6])
    assert (found.n_before, found.days_before, found.days_after) == (240, 10, 10)


def test_days_that_are_alike_widen_the_interval_and_raise_p() -> None:
    generator = np.random.default_rng(8)
    noise = generator.normal(size=60)
    wandering = np.convolve(noise, 0.7 ** np.arange(12))[12:52]
    found = el.compare.two_periods(daily(wandering[:20]), daily(wandering[20:], "2026-01-21"))
    order = generator.permutation(20)
    mixed = el.compare.two_periods(
        daily(wandering[:20][order]), daily(wandering[20:][order], "2026-01-21")
    )
    assert found.phi > 0.4
    assert found.n_effective < 20
    assert found.high - found.low > 1.5 * (mixed.high - mixed.low)
    assert found.p > mixed.p
    assert found.difference == pytest.approx(mixed.difference, abs=0.2)


def test_p_and_the_interval_never_contradict_each_other() -> None:
    generator = np.random.default_rng(9)
    said = []
    for _ in range(200):
        days = generator.normal(size=30).cumsum() * 0.3 + generator.normal(size=30)
        found = el.compare.two_periods(daily(days[:12]), daily(days[12:], "2026-01-13"))
        said.append(found.p < 0.05)
        assert said[-1] == (found.low > 0 or found.high < 0)
    assert {True, False} == set(said)


def test_a_planted_change_of_a_simulated_wearer_is_found() -> None:
    steps = el.daily(el.simulate("2026-09-07", 24, log="standard_mode_logs", seed=3))["steps"]
    found = el.compare.two_periods(steps.iloc[:12], steps.iloc[12:] + 4000)
    assert found.low < 4000 < found.high
    assert found.low > 0
    assert found.p < 0.01


def test_too_few_values_are_missing_with_a_reason() -> None:
    for before, after, says in (
        ([1, 2], [1, 2, 3], "before"),
        ([1, 2, 3], [np.nan] * 5, "after"),
        ([], [], "after"),
    ):
        found = el.compare.two_periods(daily(before), daily(after, "2026-03-01"))
        assert np.isnan(found[:6]).all()
        assert f"days {says}" in found.reason


def test_bad_input_is_refused_in_one_sentence() -> None:
    long = daily(np.arange(600.0))
    cases = [
        (lambda: el.compare.two_periods(long, long), "per week first"),
        (lambda: el.compare.two_periods(long[::-1], long), "stamps in order"),
    ]
    for call, says in cases:
        with pytest.raises(el.ConfigurationError, match=says):
            call()
    with pytest.raises(el.MixedLogsError):
        el.compare.two_periods(
            el.daily(el.sample())["steps"], el.daily(el.sample("standard_mode_logs"))["steps"]
        )


@pytest.mark.slow("a level is a frequency: it needs many seeds")
@pytest.mark.parametrize(("phi", "most"), [(0.0, 0.065), (0.3, 0.095), (0.5, 0.115)])
def test_two_weeks_and_two_weeks_without_a_difference_seldom_show_one(phi, most) -> None:
    generator = np.random.default_rng(11)
    noise = generator.normal(size=(300, 100))
    series = scipy.signal.lfilter([1.0], [1.0, -phi], noise, axis=1)[:, -28:]
    hits = [
        el.compare.two_periods(daily(x[:14]), daily(x[14:], "2026-01-15")).p < 0.05 for x in series
    ]
    assert np.mean(hits) < most


def test_too_few_values_are_counted_and_give_a_reason_and_no_difference() -> None:
    days = pd.date_range("2026-10-19", periods=8, freq="D", tz="UTC")
    steps = pd.Series(np.arange(8.0), index=days)
    result = el.compare.two_periods(steps[:2], steps[2:])
    assert np.isnan(result[:6]).all()
    assert (result.n_before, result.n_after, result.days_before, result.days_after) == (2, 6, 2, 6)
    assert np.isnan(result.exposure_h)
    assert result.reason == "fewer than 3 days before"


@pytest.mark.parametrize(("n", "m"), [(3, 4), (4, 3), (3, 5), (4, 4), (5, 5)])
def test_an_interval_of_the_wearer_needs_days_that_can_reach_its_level(n, m) -> None:
    found = el.compare.two_periods(daily(range(n)), daily(range(m), "2026-03-01"))
    enough = n + m >= 8
    assert np.isfinite(found.difference)
    for name in ("low", "high", "p", "phi", "n_effective"):
        assert np.isfinite(getattr(found, name)) == enough, name
    assert ("cannot reach the level" in found.reason) == (not enough)


def test_weekends_are_levelled_before_two_periods_are_compared() -> None:
    monday = pd.date_range("2026-10-19", periods=28, freq="D", tz="UTC")
    values = np.random.default_rng(4).normal(size=28) + 6 * (monday.day_of_week >= 5)
    days = pd.Series(values + np.repeat([0.0, 2.0], 14), index=monday)
    found = el.compare.two_periods(days[:14], days[14:])
    assert found.difference == pytest.approx(2, abs=1)
    assert found.p < 0.01
    # A side without weekends tells nothing about them.
    assert el.compare.two_periods(days[:14], days[14:19]).p > found.p


def test_periods_of_unequal_length_are_covered_by_days() -> None:
    frame = el.simulate("2026-10-19", 9, log="standard_mode_logs", seed=5, tz="Europe/Berlin")
    days = el.daily(frame)
    found = el.compare.two_periods(days[:3], days[3:], column="steps")
    assert found.exposure_h == pytest.approx(days["worn_h"].sum())
    assert found.coverage == pytest.approx(days["coverage"].mean())
    holed = el.compare.two_periods(days[:3], days.drop(days.index[5])[3:], column="steps")
    assert holed.coverage == pytest.approx(days["coverage"].drop(days.index[5]).sum() / 9)
