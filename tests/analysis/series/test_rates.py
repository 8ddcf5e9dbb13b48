"""Rates of days: the jackknife over days, and what days that are alike add to the error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from eyelog.analysis.series.dependence import effective_n, likeness
from eyelog.analysis.series.rates import DaysRate, difference_p, rate_error, reach

DAYS = np.arange(7, dtype=np.int64)
COUNTS = np.array([5000.0, 6100, 4200, 5600, 7000, 3900, 6600])
MINUTES = np.array([400.0, 380, 300, 420, 410, 330, 450])


def test_the_error_is_that_of_the_definition() -> None:
    days = DaysRate.of(DAYS, COUNTS, MINUTES)
    rate, whole = COUNTS.sum() / MINUTES.sum(), MINUTES.sum()
    e = (COUNTS - rate * MINUTES) / (1 - MINUTES / whole)
    variance = 6 / 7 * np.sum(e**2) / whole**2
    error = rate_error([days])
    assert days.rate == pytest.approx(rate)
    assert error.se == pytest.approx(np.sqrt(variance) / rate)
    assert (error.freedom, error.phi, error.n_effective) == (6, 0, 7)
    assert reach(error) == pytest.approx(np.exp(stats.t.ppf(0.975, 6) * error.se))


def test_days_that_are_alike_know_less_about_the_rate() -> None:
    generator = np.random.default_rng(3)
    level = np.exp(0.2 * np.sin(np.arange(28) / 4))
    counts = generator.poisson(6000 * level).astype(float)
    days = DaysRate.of(np.arange(28), counts, np.full(28, 400.0))
    error = rate_error([days])
    phi = likeness(np.arange(28), counts - counts.mean())
    assert error.phi == pytest.approx(phi, abs=0.01)
    assert error.phi > 0.5
    known = effective_n(np.arange(28), error.phi)
    assert error.n_effective == pytest.approx(known)
    assert error.freedom == pytest.approx(known - 1)
    independent = np.std(counts, ddof=1) / np.sqrt(28) / counts.mean()
    loss = 27 / (28 - 28 / known)
    assert error.se == pytest.approx(independent * np.sqrt(loss * 28 / known), rel=1e-2)


def test_the_errors_of_two_sets_add_up_and_their_order_does_not_matter() -> None:
    one = DaysRate.of(DAYS[:4], COUNTS[:4], MINUTES[:4])
    other = DaysRate.of(DAYS[3:] + 9, COUNTS[3:], MINUTES[3:])
    alone = [rate_error([each]) for each in (one, other)]
    both = rate_error([one, other])
    assert both.se == pytest.approx(np.hypot(alone[0].se, alone[1].se))
    assert both.freedom == 6
    assert rate_error([other, one]) == pytest.approx(both)
    ratio = one.rate / other.rate
    assert difference_p(ratio, both) == pytest.approx(difference_p(1 / ratio, both))
    assert difference_p(ratio, both) == pytest.approx(
        2 * stats.t.sf(abs(np.log(ratio)) / both.se, 6)
    )


@given(st.floats(0.01, 100), st.floats(0.01, 100))
def test_units_of_counts_and_time_change_nothing_but_the_rate(scale: float, unit: float) -> None:
    found = rate_error([DaysRate.of(DAYS, COUNTS, MINUTES)])
    scaled = rate_error([DaysRate.of(DAYS, COUNTS * scale, MINUTES * unit)])
    assert scaled == pytest.approx(found)


def test_days_without_any_spread_determine_the_rate() -> None:
    days = DaysRate.of(DAYS, MINUTES * 15, MINUTES)
    error = rate_error([days])
    assert error.se == pytest.approx(0, abs=1e-12)
    assert difference_p(1.0, error._replace(se=0.0)) == 1
    assert difference_p(1.1, error._replace(se=0.0)) == 0
