"""The cosinor, against planted waves and independent implementations."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import eyelog as el
from support.series import hourly


@given(
    st.floats(-50, 50),
    st.floats(0.5, 20),
    st.floats(0, 23.99),
    st.integers(min_value=3, max_value=7),
)
def test_a_cosinor_finds_the_wave_that_was_planted(mesor, amplitude, peak, n_days) -> None:
    t = np.arange(24 * n_days)
    fit = el.rhythm.cosinor(hourly(mesor + amplitude * np.cos(2 * np.pi * (t + 0.5 - peak) / 24)))
    assert fit.mesor == pytest.approx(mesor, abs=1e-6)
    assert fit.amplitude == pytest.approx(amplitude, abs=1e-6)
    assert (fit.peak_h - peak + 12) % 24 - 12 == pytest.approx(0, abs=1e-5)


def test_a_cosinor_agrees_with_ordinary_least_squares_of_statsmodels() -> None:
    # OLS(y, [1, cos(2 pi t/24), sin(2 pi t/24)]).fit(cov_type="cluster"), with
    # y = default_rng(7).normal(10 + 4 cos(2 pi (t-16)/24), 2), t = 0..71
    sm = pytest.importorskip("statsmodels.api")
    t = np.arange(72)
    y = np.random.default_rng(7).normal(10 + 4 * np.cos(2 * np.pi * (t - 16) / 24), 2)
    angle = 2 * np.pi * t / 24
    model = sm.OLS(y, np.column_stack([np.ones(72), np.cos(angle), np.sin(angle)]))
    ols = model.fit(
        cov_type="cluster", cov_kwds={"groups": np.arange(72) // 24, "use_correction": False}
    )
    fit = el.rhythm.cosinor(hourly(y))
    assert fit.mesor == pytest.approx(ols.params[0])
    assert fit.amplitude == pytest.approx(np.hypot(*ols.params[1:]))
    # Days that are worn alike: CR2 is the plain sandwich times days / (days - 1).
    assert fit.mesor_se == pytest.approx(ols.bse[0] * np.sqrt(3 / 2))
    wave, spread = ols.params[1:], ols.cov_params()[1:, 1:] * 3 / 2
    hotelling = wave @ np.linalg.inv(spread) @ wave * (3 - 2) / (2 * (3 - 1))
    assert fit.p == pytest.approx(stats.f.sf(hotelling, 2, 3 - 2))
    # Each day has its own level, and the wave explains what is left.
    levels = sm.OLS(y, np.column_stack([np.cos(angle), np.sin(angle), np.eye(3)[t // 24]])).fit()
    within = ((y.reshape(3, 24) - y.reshape(3, 24).mean(axis=1, keepdims=True)) ** 2).sum()
    assert fit.r_squared == pytest.approx(1 - levels.ssr / within)


def test_a_cosinor_agrees_with_cosinorpy() -> None:
    # CosinorPy 3.1, cosinor1.fit_cosinor(t, y, period=24, plot_on=False), with
    # t = arange(72.), y = default_rng(7).normal(10 + 4 cos(2 pi (t-16)/24), 2);
    # mesor, amplitude, acrophase (radians before t = 0). t = 0 is local midnight in both.
    y = np.random.default_rng(7).normal(10 + 4 * np.cos(2 * np.pi * (np.arange(72) - 16) / 24), 2)
    whole = hourly(y)
    fit = el.rhythm.cosinor(whole)
    assert (fit.mesor, fit.amplitude) == pytest.approx((9.553441321408183, 3.9094162154349013))
    # A value stands for its interval, in the middle of which it is placed.
    assert fit.peak_h == pytest.approx(24 - 2.1911133842020716 * 24 / (2 * np.pi) + 0.5)


def test_high_days_that_are_worn_at_other_hours_make_no_wave() -> None:
    generator = np.random.default_rng(5)
    days = []
    for day in range(14):
        high = day % 2
        hours = pd.date_range(
            f"2026-10-{day + 5} {6 + 6 * high}:00", periods=10, freq="h", tz="UTC"
        )
        days.append(pd.Series(3.0 * high + generator.normal(size=10), index=hours))
    fit = el.rhythm.cosinor(pd.concat(days))
    assert fit.p > 0.05 or fit.reason


def test_days_of_unequal_wear_have_the_wave_of_least_squares_with_a_level_each() -> None:
    sm = pytest.importorskip("statsmodels.api")
    y = np.random.default_rng(7).normal(10 + 4 * np.cos(2 * np.pi * (np.arange(72) - 16) / 24), 2)
    t = np.delete(np.arange(72), slice(30, 41))
    angle = 2 * np.pi * (t + 0.5) / 24
    ols = sm.OLS(y[t], np.column_stack([np.cos(angle), np.sin(angle), np.eye(3)[t // 24]])).fit()
    fit = el.rhythm.cosinor(hourly(y).iloc[t])
    assert fit.amplitude == pytest.approx(np.hypot(*ols.params[:2]))
    assert fit.mesor == pytest.approx(ols.params[2:].mean())


def test_a_flat_series_has_no_peak() -> None:
    fit = el.rhythm.cosinor(hourly([3.0] * 48))
    assert (fit.mesor, fit.amplitude) == (pytest.approx(3), 0)
    assert np.isnan(fit.peak_h)
    assert "no day varies" in fit.reason


def worn(values, first: int, last: int) -> pd.Series:
    series = hourly(values)
    return series.where((series.index.hour >= first) & (series.index.hour < last))


def test_a_peak_that_was_never_observed_is_refused() -> None:
    t = np.arange(24 * 7)
    noise = np.random.default_rng(1).normal(size=t.size)
    late = worn(np.cos(2 * np.pi * (t + 0.5 - 21.0) / 24) + 0.1 * noise, 8, 18)
    fit = el.rhythm.cosinor(late)
    assert np.isnan([fit.mesor, fit.amplitude, fit.peak_h, fit.p]).all()
    assert fit.reason.startswith("the fitted cosine peaks at 2")
    assert fit.reason.endswith("when nothing was observed")
    noon = worn(np.cos(2 * np.pi * (t + 0.5 - 13.0) / 24) + 0.1 * noise, 8, 18)
    assert el.rhythm.cosinor(noon).peak_h == pytest.approx(13, abs=0.3)


def test_fewer_than_three_days_have_no_error_of_a_cosine() -> None:
    fit = el.rhythm.cosinor(hourly(np.random.default_rng(2).normal(size=48)))
    assert fit.reason == "fewer than 3 days were observed: a cosine has no error"
    assert np.isnan(fit.amplitude)
