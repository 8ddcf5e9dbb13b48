"""The cosinor, against planted waves and independent implementations."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el


def hourly(values, *, start: str = "2026-10-19", tz: str = "UTC") -> pd.Series:
    index = pd.date_range(start, periods=len(values), freq="h", tz=tz)
    return pd.Series(np.asarray(values, dtype="float64"), index=index)


@given(
    st.floats(-50, 50),
    st.floats(0.5, 20),
    st.floats(0, 23.99),
    st.integers(min_value=2, max_value=7),
)
def test_a_cosinor_finds_the_wave_that_was_planted(mesor, amplitude, peak, n_days) -> None:
    t = np.arange(24 * n_days)
    fit = el.rhythm.cosinor(hourly(mesor + amplitude * np.cos(2 * np.pi * (t - 0.5 - peak) / 24)))
    assert fit.mesor == pytest.approx(mesor, abs=1e-6)
    assert fit.amplitude == pytest.approx(amplitude, abs=1e-6)
    assert (fit.peak_h - peak + 12) % 24 - 12 == pytest.approx(0, abs=1e-5)


def test_a_cosinor_agrees_with_ordinary_least_squares_of_statsmodels() -> None:
    # statsmodels 0.15: OLS(y, [1, cos(2 pi t/24), sin(2 pi t/24)]).fit(), with
    # y = default_rng(7).normal(10 + 4 cos(2 pi (t-16)/24), 2), t = 0..71
    sm = pytest.importorskip("statsmodels.api")
    t = np.arange(72)
    y = np.random.default_rng(7).normal(10 + 4 * np.cos(2 * np.pi * (t - 16) / 24), 2)
    angle = 2 * np.pi * t / 24
    ols = sm.OLS(y, np.column_stack([np.ones(72), np.cos(angle), np.sin(angle)])).fit()
    fit = el.rhythm.cosinor(hourly(y))
    assert fit.mesor == pytest.approx(ols.params[0])
    assert fit.amplitude == pytest.approx(np.hypot(*ols.params[1:]))
    assert fit.mesor_se == pytest.approx(ols.bse[0])
    assert fit.p == pytest.approx(ols.f_pvalue)
    assert fit.r_squared == pytest.approx(ols.rsquared)


def test_a_cosinor_agrees_with_cosinorpy() -> None:
    # CosinorPy 3.1, cosinor1.fit_cosinor(t, y, period=24, plot_on=False), with
    # t = arange(72.), y = default_rng(7).normal(10 + 4 cos(2 pi (t-16)/24), 2);
    # then without t = 30 to 40. Values and SE of mesor, amplitude, acrophase (radians before
    # t = 0), and the F test. t = 0 is local midnight in both.
    y = np.random.default_rng(7).normal(10 + 4 * np.cos(2 * np.pi * (np.arange(72) - 16) / 24), 2)
    whole = hourly(y)
    whole_says = (
        (9.553441321408183, 3.9094162154349013, 2.1911133842020716),
        (0.21091358223654907, 0.29827684848762115, 0.07629703056686163),
        1.8797102974092165e-19,
    )
    gapped_says = (
        (9.63152964530014, 3.742063935113706, 2.2295718824895294),
        (0.23643274584691634, 0.32801857603282525, 0.08967133254544152),
        1.4945416015597406e-15,
    )
    to_h = 24 / (2 * np.pi)
    for series, (values, errors, p) in (
        (whole, whole_says),
        (whole.drop(whole.index[30:41]), gapped_says),
    ):
        fit = el.rhythm.cosinor(series)
        assert (fit.mesor, fit.amplitude) == pytest.approx(values[:2])
        # A value stands for its interval, in the middle of which it is placed.
        assert fit.peak_h == pytest.approx(24 - values[2] * to_h - 0.5)
        assert (fit.mesor_se, fit.amplitude_se) == pytest.approx(errors[:2])
        assert fit.peak_se_h == pytest.approx(errors[2] * to_h)
        assert fit.p == pytest.approx(p)


def test_a_flat_series_has_no_peak() -> None:
    fit = el.rhythm.cosinor(hourly([3.0] * 48))
    assert (fit.mesor, fit.amplitude) == (pytest.approx(3), 0)
    assert np.isnan(fit.peak_h)
    assert "does not vary" in fit.reason
