"""Two periods of one wearer, and ratios of rates: published numbers, and days that are alike."""

import numpy as np
import pandas as pd
import pytest
import scipy.signal
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from support.frames import frame_of
from support.laws import examples
from support.series import by_day

# Permeability of the chorioamnion at term and earlier (Hollander & Wolfe 1973, p. 69).
TERM = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]


EARLY = [1.15, 0.88, 0.90, 0.74, 1.21]


def test_the_shift_of_hollander_and_wolfe_is_found_as_published() -> None:
    # R: wilcox.test(EARLY, TERM, conf.int = TRUE): -0.305, 95 % -0.76 to 0.15, p 0.2544
    found = el.compare.two_periods(by_day(TERM), by_day(EARLY, "2026-03-01"))
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
@examples(30)
def test_unit_zero_order_and_sides_carry_over(one, other, scale, shift) -> None:
    before, after = by_day(one), by_day(other, "2026-03-01")
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
    before, after = by_day([0, 9, 2, 5, 1]), by_day([6.5, 3.5, 0.5, 8.5, 1.5], "2026-03-01")
    apart, tied = el.compare.two_periods(before, after), el.compare.two_periods(before, after + 0.5)
    assert (tied.low, tied.high) == (apart.low + 0.5, apart.high + 0.5)


def test_missing_values_answer_like_missing_days() -> None:
    generator = np.random.default_rng(4)
    before, after = (
        by_day(generator.normal(size=20)),
        by_day(generator.normal(size=20), "2026-03-01"),
    )
    holed = after.copy()
    holed.iloc[3:6] = np.nan
    hours = pd.concat([before, after]) * 0 + 24.0
    one, two = (
        el.compare.two_periods(before, late, exposure=hours) for late in (holed, holed.dropna())
    )
    assert one == two
    assert one.exposure_h == 37 * 24
    assert one.coverage == pytest.approx(37 / 40)


def test_every_other_day_of_a_period_is_no_neighbour_of_the_next() -> None:
    generator = np.random.default_rng(4)
    before, after = (
        by_day(generator.normal(size=20)),
        by_day(generator.normal(size=20), "2026-03-01"),
    )
    holed = after.where(np.arange(20) % 2 == 0)
    one, two = (el.compare.two_periods(before, late)[:6] for late in (holed, holed.dropna()))
    assert one == two


@pytest.mark.parametrize("step", ["2D", "4D", "7D"])
def test_days_are_neighbours_whatever_the_first_date_is(step: str) -> None:
    generator = np.random.default_rng(4)
    values = scipy.signal.lfilter([1.0], [1.0, -0.8], generator.normal(size=40))
    found = []
    for first in ("2026-01-01", "2026-01-02", "2026-01-03"):
        days = pd.Series(values, index=pd.date_range(first, periods=40, freq=step))
        found.append(
            (el.baseline.trend(days).phi, el.compare.two_periods(days[:20], days[20:]).phi)
        )
    assert found == [found[0]] * 3
    assert min(found[0]) > 0.4


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
    found = el.compare.two_periods(by_day(wandering[:20]), by_day(wandering[20:], "2026-01-21"))
    order = generator.permutation(20)
    mixed = el.compare.two_periods(
        by_day(wandering[:20][order]), by_day(wandering[20:][order], "2026-01-21")
    )
    assert found.phi > 0.4
    assert found.n_effective < 20
    assert found.high - found.low > 1.5 * (mixed.high - mixed.low)
    assert found.p > mixed.p
    assert found.difference == pytest.approx(mixed.difference, abs=0.2)


def test_a_planted_change_of_a_simulated_wearer_is_found() -> None:
    steps = el.daily(el.simulate("2026-09-07", 24, log="standard_mode_logs", seed=3))["steps"]
    found = el.compare.two_periods(steps.iloc[:12], steps.iloc[12:] + 4000)
    assert found.low < 4000 < found.high
    assert found.low > 0
    assert found.p < 0.01


def test_bad_input_is_refused_in_one_sentence() -> None:
    long = by_day(np.arange(600.0))
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


def test_too_few_values_are_counted_and_give_a_reason_and_no_difference() -> None:
    days = pd.date_range("2026-10-19", periods=8, freq="D", tz="UTC")
    steps = pd.Series(np.arange(8.0), index=days)
    result = el.compare.two_periods(steps[:2], steps[2:])
    assert np.isnan(result[:6]).all()
    assert (result.n_before, result.n_after, result.days_before, result.days_after) == (2, 6, 2, 6)
    assert np.isnan(result.exposure_h)
    assert result.reason == "fewer than 3 days before"
    assert "fewer than 3 days after" in el.compare.two_periods(steps[2:], steps[:2]).reason


@pytest.mark.parametrize(("n", "m"), [(3, 4), (4, 3), (3, 5), (4, 4), (5, 5)])
def test_an_interval_of_the_wearer_needs_days_that_can_reach_its_level(n, m) -> None:
    found = el.compare.two_periods(by_day(range(n)), by_day(range(m), "2026-03-01"))
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


def rates(n, minutes) -> pd.DataFrame:
    return pd.DataFrame({"n": [n], "exposure_min": [float(minutes)]})


def test_the_ratio_of_two_rates_is_that_of_r() -> None:
    # R: poisson.test(c(11, 6+8+7), c(800, 1083+1050+878)): 1.971488, 95 % 0.8584264 to 4.277266;
    # statsmodels 0.15: test_poisson_2indep(11, 800, 21, 3011, method="exact-cond")
    found = el.compare.rate_ratio(rates(11, 800), rates(21, 3011))
    assert found.ratio == pytest.approx(1.971488, abs=1e-6)
    assert (found.low, found.high) == (
        pytest.approx(0.8584264, abs=1e-6),
        pytest.approx(4.277266, abs=1e-5),
    )
    assert np.isnan(found.p)  # it would be that of these minutes, not of the wearer
    assert found.of == "minutes"
    assert "not days" in found.reason
    rows = pd.DataFrame({"n": [6, 8, 7], "exposure_min": [1083.0, 1050.0, 878.0]})
    assert el.compare.rate_ratio(rates(11, 800), rows)[:3] == found[:3]


counts = st.integers(0, 500)


spans = st.floats(1, 1e4)


@given(counts, spans, counts, spans, st.floats(0.1, 10))
@examples(50)
def test_turning_a_ratio_over_turns_its_interval_over(a, s, b, t, scale) -> None:
    found, turned = (
        el.compare.rate_ratio(rates(a, s), rates(b, t)),
        el.compare.rate_ratio(rates(b, t), rates(a, s)),
    )
    if a + b == 0:
        assert np.isnan(found.low)
        assert found.reason == "no event in either table"
        return
    if a and b:
        assert turned.ratio == pytest.approx(1 / found.ratio)
        assert turned.low == pytest.approx(1 / found.high, rel=1e-6)
        assert found.low < found.ratio < found.high
    other = el.compare.rate_ratio(rates(a, s * scale), rates(b, t * scale))
    assert other.low == pytest.approx(found.low, rel=1e-6, nan_ok=True)


def week(generator: np.random.Generator, first: str, level: float = 1.0) -> pd.DataFrame:
    days = pd.date_range(first, periods=7, name="day")
    minutes = generator.uniform(200, 700, 7)
    counts = generator.poisson(15 * level * minutes * generator.gamma(16, 1 / 16, 7))
    return pd.DataFrame({"n": counts, "exposure_min": minutes}, index=days)


def test_two_weeks_are_compared_with_days_as_the_units() -> None:
    generator = np.random.default_rng(4)
    one, other = week(generator, "2026-10-12", 1.6), week(generator, "2026-10-05")
    found, turned = el.compare.rate_ratio(one, other), el.compare.rate_ratio(other, one)
    assert (found.of, found.days_one, found.days_other, found.reason) == ("wearer", 7, 7, "")
    # Weekends are levelled: each side has one, of other minutes.
    assert found.ratio == pytest.approx(found.rate_one_per_min / found.rate_other_per_min, rel=0.1)
    assert found.low < found.ratio < found.high
    assert (turned.low, turned.high) == pytest.approx((1 / found.high, 1 / found.low))
    assert turned.p == pytest.approx(found.p)
    assert found.p < 0.05
    exact = el.compare.rate_ratio(one.reset_index(drop=True), other.reset_index(drop=True))
    assert exact.ratio == pytest.approx(found.rate_one_per_min / found.rate_other_per_min)
    assert exact.high - exact.low < 0.3 * (found.high - found.low)


def test_the_rows_of_a_day_are_one_day_and_their_order_does_not_matter() -> None:
    generator = np.random.default_rng(5)
    one, other = week(generator, "2026-10-12"), week(generator, "2026-10-05")
    # Each day in two rows, as of two labels, after another order of rows.
    first = one.assign(n=one["n"] // 3, exposure_min=one["exposure_min"] / 4)
    parts = pd.concat([one - first, first])
    found = el.compare.rate_ratio(parts.iloc[::-1], other)
    assert found[:4] == pytest.approx(el.compare.rate_ratio(one, other)[:4])
    assert found.days_one == 7


def test_three_days_have_no_p_of_the_wearer() -> None:
    generator = np.random.default_rng(6)
    one, other = week(generator, "2026-10-12"), week(generator, "2026-10-05")
    found = el.compare.rate_ratio(one.iloc[:3], other)
    assert np.isnan(found.p)
    assert (found.of, found.days_one) == ("minutes", 3)
    assert "fewer than 4 days" in found.reason
    nothing = one.assign(exposure_min=0.0, n=0)
    assert el.compare.rate_ratio(pd.concat([one.iloc[:3], nothing.iloc[3:]]), other).days_one == 3


def test_no_event_on_one_side_leaves_one_limit() -> None:
    none = el.compare.rate_ratio(rates(5, 10), rates(0, 10))
    assert np.isnan(none.ratio)
    assert none.low > 0
    assert none.high == np.inf
    assert "no upper limit" in none.reason
    zero = el.compare.rate_ratio(rates(0, 10), rates(5, 10))
    assert (zero.ratio, zero.low) == (0.0, 0.0)


def test_blinks_of_two_halves_of_the_sample_can_be_compared() -> None:
    frame = el.sample()
    days = el.blinks.rate(frame, by="1D")
    found = el.compare.rate_ratio(days.iloc[:3], days.iloc[3:])
    assert (found.n_one, found.n_other) == (days["n"].iloc[:3].sum(), days["n"].iloc[3:].sum())
    pooled = el.blinks.rate(frame[frame.index <= "2026-10-22T00:00:00+09:00"])
    assert found.rate_one_per_min == pytest.approx(pooled["rate_per_min"].iloc[0])
    assert 0 < found.coverage < 1


def test_rates_without_exposure_or_of_both_logs_are_refused_or_missing() -> None:
    missing = el.compare.rate_ratio(rates(0, 0), rates(5, 10))
    assert np.isnan([missing.ratio, missing.low, missing.rate_one_per_min]).all()
    assert "no exposure" in missing.reason
    assert np.isnan(el.compare.rate_ratio(rates(3, 10).iloc[:0], rates(5, 10)).ratio)
    with pytest.raises(el.ConfigurationError, match="whole counts"):
        el.compare.rate_ratio(rates(-1, 10), rates(5, 10))
    with pytest.raises(el.ConfigurationError, match="without any exposure"):
        el.compare.rate_ratio(rates(1, 0), rates(5, 10))
    with pytest.raises(el.FieldError, match="exposure_min"):
        el.compare.rate_ratio(rates(1, 0).drop(columns="exposure_min"), rates(5, 10))
    minutes = el.blinks.rate(el.sample("standard_mode_logs"))
    with pytest.raises(el.MixedLogsError):
        el.compare.rate_ratio(el.blinks.rate(el.sample()), minutes)


def test_rates_that_are_not_counts_over_their_exposure_are_refused() -> None:
    frame = el.sample("standard_mode_logs")
    counted = el.blinks.rate(frame)
    for table in (
        el.blinks.rate(frame, method="rms"),
        el.blinks.rate(frame, method="exponential", correct_noise=True),
    ):
        with pytest.raises(el.ConfigurationError, match=r"n / exposure_min"):
            el.compare.rate_ratio(table, counted)


def test_hours_without_one_blink_are_no_measurement_and_do_not_count() -> None:
    frame = frame_of("standard_mode_logs", {"lc_bk_n": [0] * 12 + [15] * 12 + [0] * 5})
    by = np.repeat(["mute", "awake", "short"], [12, 12, 5])
    table = el.blinks.rate(frame, by=by)
    found = el.compare.rate_ratio(table, table.loc[["awake"]])
    assert (found.n_one, found.exposure_one_min) == (180, 17)
