"""Rhythm: published definitions, identities, and refusals where the night is unknown."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el


def hourly(values, *, start: str = "2026-10-19", tz: str = "UTC") -> pd.Series:
    index = pd.date_range(start, periods=len(values), freq="h", tz=tz)
    return pd.Series(np.asarray(values, dtype="float64"), index=index)


days = st.lists(
    st.floats(min_value=-1e3, max_value=1e3, allow_nan=False).map(lambda v: round(v, 3)),
    min_size=24,
    max_size=24,
).filter(lambda day: np.ptp(day) > 0.01)


@given(days, st.integers(min_value=2, max_value=6))
def test_identical_days_have_a_stability_of_one(day, repeats) -> None:
    found = el.rhythm.interdaily_stability(hourly(day * repeats))
    assert found.is_ == pytest.approx(1, abs=1e-9)
    assert (found.p, found.n, found.days) == (24, 24 * repeats, repeats)


@given(st.lists(days, min_size=2, max_size=5), st.floats(0.1, 50), st.floats(-100, 100))
def test_stability_and_variability_do_not_depend_on_unit_or_zero(days_, scale, shift) -> None:
    series = hourly(np.concatenate(days_))
    other = series * scale + shift
    for name, attribute in (("interdaily_stability", "is_"), ("intradaily_variability", "iv")):
        measure = getattr(el.rhythm, name)
        first = getattr(measure(series), attribute)
        assert getattr(measure(other), attribute) == pytest.approx(first, rel=1e-6)


def test_alternating_values_have_a_variability_of_four() -> None:
    found = el.rhythm.intradaily_variability(hourly([0, 1] * 36))
    assert found.iv == pytest.approx(4)
    assert found.pairs == 71


def test_a_difference_across_a_gap_is_no_pair() -> None:
    whole = hourly([0, 1] * 24)
    holed = whole.drop(whole.index[10:13])
    assert el.rhythm.intradaily_variability(holed).pairs == 43
    masked = whole.copy()
    masked.iloc[10:13] = np.nan
    assert el.rhythm.intradaily_variability(masked).pairs == 43


def test_the_waking_window_counts_only_the_hours_that_were_observed() -> None:
    series = hourly(list(range(24)) * 4).between_time("08:00", "21:00")
    assert el.rhythm.interdaily_stability(series).p == 14
    assert el.rhythm.interdaily_stability(series).is_ == pytest.approx(1)
    by_the_clock = el.rhythm.interdaily_stability(series, periods=24)
    assert by_the_clock.is_ == pytest.approx(14 / 24)


def test_one_day_has_no_stability_and_says_so() -> None:
    found = el.rhythm.interdaily_stability(hourly(range(24)))
    assert np.isnan(found.is_)
    assert "two days" in found.reason


def test_the_active_windows_go_around_midnight() -> None:
    level = [5.0 if (h >= 20 or h < 6) else 1.0 for h in range(24)] * 3
    assert el.rhythm.most_active(hourly(level))[:2] == (5.0, 20.0)
    least = el.rhythm.least_active(hourly(level), night_worn=True)
    assert least.mean == 1.0


def test_the_active_windows_use_the_step_of_the_series() -> None:
    index = pd.date_range("2026-10-19", periods=288, freq="10min", tz="UTC")
    of_day = index.hour * 60 + index.minute
    series = pd.Series(((of_day >= 450) & (of_day < 1050)).astype(float), index=index)
    assert el.rhythm.most_active(series)[:2] == (1.0, 7.5)


@pytest.mark.parametrize("name", ["least_active", "relative_amplitude", "sleep_regularity"])
def test_what_needs_the_night_refuses_where_it_was_not_observed(name) -> None:
    day = hourly([float(h % 2) for h in range(96)]).between_time("07:00", "23:00")
    found = getattr(el.rhythm, name)(day)
    assert np.isnan(found[0])
    assert "night was not observed" in found.reason


def test_a_night_of_zeros_is_not_taken_for_rest() -> None:
    day = [0.0] * 7 + [float(3 + h % 5) for h in range(16)] + [0.0]
    found = el.rhythm.relative_amplitude(hourly(day * 4))
    assert np.isnan(found.ra)
    assert "one and the same value" in found.reason
    assert el.rhythm.relative_amplitude(hourly(day * 4), night_worn=True).ra == 1.0


def test_missing_states_are_left_out_of_regularity() -> None:
    states = hourly(([1.0] * 8 + [0.0] * 16) * 3)
    states.iloc[30:40] = np.nan
    found = el.rhythm.sleep_regularity(states, night_worn=True)
    assert found.sri == 100
    assert found.pairs == 48 - 20


def test_opposite_days_have_the_lowest_regularity() -> None:
    states = hourly([1.0] * 24 + [0.0] * 24)
    assert el.rhythm.sleep_regularity(states, night_worn=True).sri == -100


@given(
    st.floats(-50, 50),
    st.floats(0.5, 20),
    st.floats(0, 23.99),
    st.integers(min_value=2, max_value=7),
)
def test_a_cosinor_finds_the_wave_that_was_planted(mesor, amplitude, peak, n_days) -> None:
    t = np.arange(24 * n_days)
    fit = el.rhythm.cosinor(hourly(mesor + amplitude * np.cos(2 * np.pi * (t - peak) / 24)))
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
        assert fit.peak_h == pytest.approx(24 - values[2] * to_h)
        assert (fit.mesor_se, fit.amplitude_se) == pytest.approx(errors[:2])
        assert fit.peak_se_h == pytest.approx(errors[2] * to_h)
        assert fit.p == pytest.approx(p)


def test_the_indices_of_the_day_are_those_of_pyactigraphy_where_definitions_meet() -> None:
    # pyActigraphy 1.2.2, pyActigraphy.metrics.metrics on hourly values without a gap,
    # x = default_rng(11).gamma(2, 10, 120): _intradaily_variability(x), _interdaily_stability(x),
    # both with ddof 1; _lmx(x, "5h") and _lmx(x, "10h", lowest=False).
    iv, is_, l5, m10 = 2.145791511847918, 0.2568056771569837, 16.467656341917145, 23.450869402473963
    x = hourly(np.random.default_rng(11).gamma(2, 10, 120))
    assert el.rhythm.intradaily_variability(x).iv == pytest.approx(iv * 120 / 119)
    assert el.rhythm.interdaily_stability(x).is_ == pytest.approx(is_ * (23 / 24) * (120 / 119))
    assert el.rhythm.least_active(x).mean == pytest.approx(l5)
    assert el.rhythm.most_active(x).mean == pytest.approx(m10)
    assert el.rhythm.relative_amplitude(x).ra == pytest.approx((m10 - l5) / (m10 + l5))


def test_a_flat_series_has_no_peak() -> None:
    fit = el.rhythm.cosinor(hourly([3.0] * 48))
    assert (fit.mesor, fit.amplitude) == (pytest.approx(3), 0)
    assert np.isnan(fit.peak_h)
    assert "does not vary" in fit.reason


def test_local_hours_are_those_of_the_series_own_zone() -> None:
    series = hourly([float(8 <= (h + 9) % 24 < 18) for h in range(72)])
    assert el.rhythm.most_active(series.tz_convert("Asia/Tokyo")).start == 8.0


def test_a_profile_says_how_many_days_stand_behind_each_hour() -> None:
    table = el.rhythm.profile(hourly(range(30)), by="hour")
    assert table.loc[3, ["mean", "n", "days"]].tolist() == [15.0, 2, 2]
    assert table.loc[20, "days"] == 1


@pytest.mark.parametrize(
    "name",
    ["interdaily_stability", "intradaily_variability", "most_active", "least_active", "cosinor"],
)
def test_a_series_without_values_gives_missing_with_a_reason(name) -> None:
    for series in (hourly([]), hourly([np.nan] * 48)):
        found = getattr(el.rhythm, name)(series)
        assert np.isnan(found[0])
        assert found.reason
        assert found.n == 0


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda s: el.rhythm.cosinor(s.tz_localize(None)), "aware"),
        (lambda s: el.rhythm.cosinor(s[::-1]), "sorted"),
        (lambda s: el.rhythm.cosinor(s, period="often"), "duration"),
        (lambda s: el.rhythm.most_active(s, hours=24), "between 0 and 24"),
        (lambda s: el.rhythm.interdaily_stability(s, periods=12), "observed"),
        (lambda s: el.rhythm.sleep_regularity(s), "states"),
        (lambda s: el.rhythm.profile(s, by="month"), "weekday"),
        (lambda s: el.rhythm.profile(s.to_frame()), "one Series"),
    ],
)
def test_bad_input_is_said_in_one_sentence(call, says) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        call(hourly(range(48)))
