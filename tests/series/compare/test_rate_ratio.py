"""Ratios of rates, against R and planted rates."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from support.frames import frame_of


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
@settings(max_examples=50, deadline=None)
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


@pytest.mark.slow("a level is a frequency: it needs many seeds")
def test_weeks_of_the_same_process_differ_in_at_most_7_of_100() -> None:
    generators = [np.random.default_rng([8, run]) for run in range(300)]
    hits = [
        el.compare.rate_ratio(week(g, "2026-10-05"), week(g, "2026-10-12")).p < 0.05
        for g in generators
    ]
    assert 0 < np.mean(hits) < 0.07


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
