"""Ratios of rates, against R and planted rates."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from eyelog.analysis.compare.rate_ratio import rate_ratio
from support.frames import frame_of


def rates(n, minutes) -> pd.DataFrame:
    return pd.DataFrame({"n": [n], "exposure_min": [float(minutes)]})


def test_the_ratio_of_two_rates_is_that_of_r() -> None:
    # R: poisson.test(c(11, 6+8+7), c(800, 1083+1050+878)): 1.971488, 95 % 0.8584264 to 4.277266,
    # p 0.07967; statsmodels 0.15: test_poisson_2indep(11, 800, 21, 3011, method="exact-cond")
    found = rate_ratio(rates(11, 800), rates(21, 3011))
    assert found.ratio == pytest.approx(1.971488, abs=1e-6)
    assert (found.low, found.high) == (
        pytest.approx(0.8584264, abs=1e-6),
        pytest.approx(4.277266, abs=1e-5),
    )
    assert found.p == pytest.approx(0.0796686330333295)
    rows = pd.DataFrame({"n": [6, 8, 7], "exposure_min": [1083.0, 1050.0, 878.0]})
    assert rate_ratio(rates(11, 800), rows)[:4] == found[:4]


counts = st.integers(0, 500)


spans = st.floats(1, 1e4)


@given(counts, spans, counts, spans, st.floats(0.1, 10))
@settings(max_examples=50, deadline=None)
def test_turning_a_ratio_over_turns_its_interval_over(a, s, b, t, scale) -> None:
    found, turned = rate_ratio(rates(a, s), rates(b, t)), rate_ratio(rates(b, t), rates(a, s))
    if a + b == 0:
        assert np.isnan(found.low)
        assert found.reason == "no event in either table"
        return
    if a and b:
        assert turned.ratio == pytest.approx(1 / found.ratio)
        assert turned.low == pytest.approx(1 / found.high, rel=1e-6)
        assert found.low < found.ratio < found.high
    other = rate_ratio(rates(a, s * scale), rates(b, t * scale))
    assert other.low == pytest.approx(found.low, rel=1e-6, nan_ok=True)
    assert turned.p == pytest.approx(found.p, rel=1e-6)


def test_no_event_on_one_side_leaves_one_limit() -> None:
    none = rate_ratio(rates(5, 10), rates(0, 10))
    assert np.isnan(none.ratio)
    assert none.low > 0
    assert none.high == np.inf
    assert "no upper limit" in none.reason
    zero = rate_ratio(rates(0, 10), rates(5, 10))
    assert (zero.ratio, zero.low) == (0.0, 0.0)


def test_blinks_of_two_halves_of_the_sample_can_be_compared() -> None:
    frame = el.sample()
    days = el.blinks.rate(frame, by="1D")
    found = rate_ratio(days.iloc[:3], days.iloc[3:])
    assert (found.n_one, found.n_other) == (days["n"].iloc[:3].sum(), days["n"].iloc[3:].sum())
    pooled = el.blinks.rate(frame[frame.index <= "2026-10-22T00:00:00+09:00"])
    assert found.rate_one_per_min == pytest.approx(pooled["rate_per_min"].iloc[0])
    assert 0 < found.coverage < 1


def test_rates_without_exposure_or_of_both_logs_are_refused_or_missing() -> None:
    missing = rate_ratio(rates(0, 0), rates(5, 10))
    assert np.isnan([missing.ratio, missing.low, missing.rate_one_per_min]).all()
    assert "no exposure" in missing.reason
    assert np.isnan(rate_ratio(rates(3, 10).iloc[:0], rates(5, 10)).ratio)
    with pytest.raises(el.ConfigurationError, match="whole counts"):
        rate_ratio(rates(-1, 10), rates(5, 10))
    with pytest.raises(el.ConfigurationError, match="without any exposure"):
        rate_ratio(rates(1, 0), rates(5, 10))
    with pytest.raises(el.FieldError, match="exposure_min"):
        rate_ratio(rates(1, 0).drop(columns="exposure_min"), rates(5, 10))
    minutes = el.blinks.rate(el.sample("standard_mode_logs"))
    with pytest.raises(el.MixedLogsError):
        rate_ratio(el.blinks.rate(el.sample()), minutes)


def test_rates_that_are_not_counts_over_their_exposure_are_refused() -> None:
    frame = el.sample("standard_mode_logs")
    counted = el.blinks.rate(frame)
    for table in (
        el.blinks.rate(frame, method="rms"),
        el.blinks.rate(frame, method="exponential", correct_noise=True),
    ):
        with pytest.raises(el.ConfigurationError, match=r"n / exposure_min"):
            rate_ratio(table, counted)


def test_hours_without_one_blink_are_no_measurement_and_do_not_count() -> None:
    frame = frame_of("standard_mode_logs", {"lc_bk_n": [0] * 12 + [15] * 12 + [0] * 5})
    by = np.repeat(["mute", "awake", "short"], [12, 12, 5])
    table = el.blinks.rate(frame, by=by)
    found = rate_ratio(table, table.loc[["awake"]])
    assert (found.n_one, found.exposure_one_min) == (180, 17)
