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
    assert found.stability == pytest.approx(1, abs=1e-9)
    assert (found.per_day, found.n, found.days) == (24, 24 * repeats, repeats)


@pytest.mark.slow("many drawn series")
@given(st.lists(days, min_size=2, max_size=5), st.floats(0.1, 50), st.floats(-100, 100))
def test_stability_and_variability_do_not_depend_on_unit_or_zero(days_, scale, shift) -> None:
    series = hourly(np.concatenate(days_))
    other = series * scale + shift
    for name, attribute in (
        ("interdaily_stability", "stability"),
        ("intradaily_variability", "iv"),
    ):
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
    assert el.rhythm.interdaily_stability(series).per_day == 14
    assert el.rhythm.interdaily_stability(series).stability == pytest.approx(1)
    by_the_clock = el.rhythm.interdaily_stability(series, periods=24)
    assert by_the_clock.stability == pytest.approx(14 / 24)


def test_one_day_has_no_stability_and_says_so() -> None:
    found = el.rhythm.interdaily_stability(hourly(range(24)))
    assert np.isnan(found.stability)
    assert "two days" in found.reason


def test_a_table_of_days_has_no_daily_pattern_and_says_so() -> None:
    found = el.rhythm.interdaily_stability(el.daily(el.sample()), "steps")
    assert np.isnan([found.stability, found.corrected, found.p]).all()
    assert found.reason.startswith("fewer than two hours of the day")


def test_the_indices_of_the_day_are_those_of_pyactigraphy_where_definitions_meet() -> None:
    # pyActigraphy 1.2.2, pyActigraphy.metrics.metrics on hourly values without a gap,
    # x = default_rng(11).gamma(2, 10, 120): _intradaily_variability(x), _interdaily_stability(x),
    # both with ddof 1; _lmx(x, "5h") and _lmx(x, "10h", lowest=False).
    iv, is_, l5, m10 = 2.145791511847918, 0.2568056771569837, 16.467656341917145, 23.450869402473963
    x = hourly(np.random.default_rng(11).gamma(2, 10, 120))
    assert el.rhythm.intradaily_variability(x).iv == pytest.approx(iv * 120 / 119)
    assert el.rhythm.interdaily_stability(x).stability == pytest.approx(
        is_ * (23 / 24) * (120 / 119)
    )
    assert el.rhythm.least_active(x).mean == pytest.approx(l5)
    assert el.rhythm.most_active(x).mean == pytest.approx(m10)
    assert el.rhythm.relative_amplitude(x).ra == pytest.approx((m10 - l5) / (m10 + l5))


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
        (lambda s: el.rhythm.cosinor(s[::-1]), "stamps in order"),
        (lambda s: el.rhythm.most_active(s, hours=24), "between 0 and 24"),
        (lambda s: el.rhythm.interdaily_stability(s, periods=12), "observed"),
        (lambda s: el.rhythm.sleep_regularity(s), "states"),
        (lambda s: el.rhythm.profile(s.to_frame()), "one Series"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(call, says) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        call(hourly(range(48)))


def test_the_hours_of_one_day_are_one_day_though_the_last_one_closes_at_midnight() -> None:
    assert el.rhythm.interdaily_stability(hourly(range(24))).days == 1
    assert el.rhythm.interdaily_stability(hourly(range(24)).shift(freq="1h")).days == 2


def test_noise_of_few_days_has_the_stability_that_it_states_and_none_when_corrected() -> None:
    generator = np.random.default_rng(4)
    found = [
        el.rhythm.interdaily_stability(hourly(generator.normal(size=24 * 3))) for _ in range(60)
    ]
    seen, noise, corrected, p = (
        np.array([getattr(one, name) for one in found])
        for name in ("stability", "noise", "corrected", "p")
    )
    assert seen.mean() == pytest.approx(1 / 3, abs=0.02)
    assert noise.mean() == pytest.approx(seen.mean(), abs=0.02)
    assert corrected.mean() == pytest.approx(0, abs=0.03)
    assert (p < 0.05).mean() < 0.15


def test_identical_days_are_one_after_correction_whatever_the_hours_divided_by() -> None:
    series = hourly(list(range(24)) * 4).between_time("08:00", "21:00")
    for periods in ("observed", 24):
        found = el.rhythm.interdaily_stability(series, periods=periods)
        assert found.corrected == pytest.approx(1)
        assert 0 < found.noise < found.stability
        assert found.p == pytest.approx(1 / 1001, abs=0.002)


def test_the_same_seed_shifts_the_days_alike() -> None:
    series = hourly(np.random.default_rng(5).normal(size=96))
    one, same, other = (el.rhythm.interdaily_stability(series, seed=s) for s in (1, 1, 2))
    assert one == same
    assert one.noise != other.noise


def test_hours_seen_once_each_compare_nothing() -> None:
    series = hourly(np.random.default_rng(5).normal(size=48))
    apart = series.iloc[[8, 9, 10, 24 + 15, 24 + 16]]
    found = el.rhythm.interdaily_stability(apart)
    assert np.isnan(found.corrected)
    assert found.p == 1
    assert "no hour of the day was observed on two days" in found.reason
