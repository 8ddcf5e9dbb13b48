"""Reliability of days, power from a pilot, and results under several limits."""

import numpy as np
import pandas as pd
import pytest
import scipy
from statsmodels.stats.power import TTestIndPower

import eyelog as el

DATES = pd.date_range("2026-10-19", periods=28, name="day")


def study(
    rng: np.random.Generator, wearers: int, days: int, *, between: float = 1.0, phi: float = 0.0
) -> pd.DataFrame:
    """Return days of several wearers, with a variance of 1 within each."""
    noise = rng.normal(size=(wearers, days + 50)) * (1 - phi**2) ** 0.5
    values = scipy.signal.lfilter([1.0], [1.0, -phi], noise)[:, 50:]
    values += between * rng.normal(size=(wearers, 1))
    names = [f"w{number}" for number in range(wearers)]
    index = pd.MultiIndex.from_product([names, DATES[:days]], names=["account", "day"])
    return pd.DataFrame({"rate": values.ravel()}, index=index)


def wearer(values: list[float] | np.ndarray) -> pd.DataFrame:
    dates = pd.date_range("2026-10-19", periods=len(values), name="day")
    return pd.DataFrame({"rate": values}, index=dates)


def test_with_independent_days_the_icc_is_that_of_the_analysis_of_variance() -> None:
    table = study(np.random.default_rng(3), 40, 28)
    k, n = 40, 28
    grid = table["rate"].to_numpy().reshape(k, n)
    between = n * grid.mean(axis=1).var(ddof=1)
    within = grid.var(axis=1, ddof=1).mean()
    icc = (between - within) / (between + (n - 1) * within)
    found = el.compare.reliability(table, "rate", days=n)
    assert found.phi == pytest.approx(0, abs=0.06)  # the estimate differs by what it takes away
    assert found.icc == pytest.approx(icc, abs=0.01)
    assert found.icc_mean == pytest.approx(1 - within / between, abs=0.01)
    assert found.sd_within == pytest.approx(within**0.5, rel=0.02)
    assert (found.wearers, found.n, found.reason) == (k, k * n, "")


def test_the_days_needed_are_those_at_which_the_mean_is_reliable_enough() -> None:
    table = study(np.random.default_rng(4), 20, 14, phi=0.3)
    found = el.compare.reliability(table, "rate")
    for name, goal in (("days_for_70", 0.7), ("days_for_80", 0.8), ("days_for_90", 0.9)):
        days = int(getattr(found, name))
        assert el.compare.reliability(table, "rate", days=days).icc_mean >= goal
        if days > 1:
            assert el.compare.reliability(table, "rate", days=days - 1).icc_mean < goal


def test_days_that_are_alike_make_a_mean_less_certain() -> None:
    rng = np.random.default_rng(5)
    alike, apart = (
        el.compare.reliability(study(rng, 30, 28, phi=phi), "rate") for phi in (0.6, 0.0)
    )
    assert alike.phi > 0.45 > apart.phi
    assert alike.sem_mean > 1.4 * apart.sem_mean
    assert apart.mdc == pytest.approx(1.96 * 2**0.5 * apart.sd_within)
    assert apart.mdc_mean == pytest.approx(1.96 * 2**0.5 * apart.sem_mean)


def test_one_wearer_has_a_detectable_change_and_no_icc() -> None:
    found = el.compare.reliability(wearer(np.random.default_rng(6).normal(15, 2, 28)), "rate")
    assert np.isnan([found.icc, found.icc_mean, found.days_for_80, found.sd_between]).all()
    assert found.reason == "fewer than 5 wearers: no ICC"
    assert found.sd_within == pytest.approx(2, rel=0.25)
    few = el.compare.reliability(wearer([1.0, 2.0, 3.0]), "rate")
    assert np.isnan(few.mdc)
    assert few.reason == "no wearer has 5 days with a value"


def test_rows_without_a_day_and_days_that_occur_twice_are_refused() -> None:
    with pytest.raises(el.ConfigurationError, match="one row per day"):
        el.compare.reliability(wearer([1.0] * 9).reset_index(drop=True), "rate")
    with pytest.raises(el.ConfigurationError, match="occurs twice"):
        el.compare.reliability(pd.concat([wearer([1.0] * 9)] * 2), "rate")
    with pytest.raises(el.FieldError, match="'steps'"):
        el.compare.reliability(wearer([1.0] * 9), "steps")


def test_the_power_of_two_groups_is_that_of_statsmodels() -> None:
    table = study(np.random.default_rng(7), 20, 14)
    pilot = el.compare.reliability(table, "rate", days=14)
    sd = np.hypot(pilot.sd_between, pilot.sem_mean)
    found = el.compare.power(table, "rate", change=0.8)
    for wearers, row in found.iterrows():
        expected = TTestIndPower().power(0.8 / sd, int(wearers), 0.05)
        assert row["power"] == pytest.approx(1.0 if np.isnan(expected) else expected, abs=1e-6)


def test_more_days_of_one_wearer_find_a_change_more_often() -> None:
    pilot = wearer(np.random.default_rng(8).normal(15, 2, 28))
    found = el.compare.power(pilot, "rate", change=2.0, days=[7, 28], draws=100)
    assert found.index.tolist() == [7, 28]
    assert found.loc[7, "power"] < found.loc[28, "power"]
    assert found["power"].between(found["low"], found["high"]).all()
    again = el.compare.power(pilot, "rate", change=2.0, days=[7, 28], draws=100)
    pd.testing.assert_frame_equal(found, again)


def test_without_a_change_to_find_or_a_pilot_there_is_no_power() -> None:
    pilot = wearer(np.random.default_rng(8).normal(15, 2, 9))
    with pytest.raises(el.ConfigurationError, match="a number other than 0"):
        el.compare.power(pilot, "rate", change=0)
    with pytest.raises(el.ConfigurationError, match="9 of at least 10 days"):
        el.compare.power(pilot, "rate", change=1)
    few = study(np.random.default_rng(8), 3, 9)
    with pytest.raises(el.ConfigurationError, match="fewer than 5 wearers"):
        el.compare.power(few, "rate", change=1)


def test_each_choice_of_limits_has_a_row_with_how_far_the_result_moves() -> None:
    frame = el.sample()
    choices = [el.Limits(), el.Limits(wear="blinks"), el.Limits(max_noise="1s")]
    found = el.compare.sensitivity(frame, el.blinks.rate, limits=choices)
    assert found.index.tolist() == [repr(choice) for choice in choices]
    rates = [el.blinks.rate(frame, limits=choice)["rate_per_min"].iloc[0] for choice in choices]
    assert found["rate_per_min"].tolist() == pytest.approx(rates)
    assert found["rate_per_min_moved"].tolist() == pytest.approx(np.subtract(rates, rates[0]))


def test_a_function_of_ones_own_is_asked_too() -> None:
    def slope(frame: pd.DataFrame, *, limits: el.Limits) -> el.baseline.Trend:
        return el.baseline.trend(el.daily(frame, limits=limits), "steps")

    found = el.compare.sensitivity(el.sample(), slope)
    assert len(found) == 5
    assert {"slope", "slope_moved", "tau"} <= set(found.columns)


def test_what_cannot_be_asked_under_limits_is_refused() -> None:
    frame = el.sample()
    with pytest.raises(el.ConfigurationError, match="two or more"):
        el.compare.sensitivity(frame, el.daily, limits=[el.Limits()])
    with pytest.raises(el.ConfigurationError, match="not what it returned"):
        el.compare.sensitivity(frame, el.daily(frame))
    with pytest.raises(el.ConfigurationError, match="limits="):
        el.compare.sensitivity(frame, len)


@pytest.mark.slow("a level is a frequency: it needs many seeds")
@pytest.mark.parametrize("phi", [0.0, 0.3, 0.5])
def test_the_interval_of_the_icc_holds_the_planted_one_about_95_times_in_100(phi: float) -> None:
    rng = np.random.default_rng(9)
    hits = []
    for _ in range(150):
        found = el.compare.reliability(study(rng, 10, 14, phi=phi), "rate")
        hits.append(found.icc_low <= 0.5 <= found.icc_high)
    assert np.mean(hits) == pytest.approx(0.95, abs=0.04)
