"""Wear against outcome: between days and at the edges of wear bouts."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import eyelog as el
from eyelog.analysis.compare.wear_diagnostic import wear_diagnostic
from eyelog.analysis.series.bootstrap import interval, multiplicities
from support.frames import MINUTES


def daily(values) -> pd.Series:
    index = pd.date_range("2026-10-01", periods=len(values), freq="D", tz="UTC")
    return pd.Series(np.asarray(values, dtype="float64"), index=index)


def worn_week(hours) -> tuple[pd.Series, pd.Series]:
    """Return a minute series of zeros and its wear: from 8 o'clock on for the given hours."""
    index = pd.date_range("2026-10-19 00:01", periods=1440 * len(hours), freq="min", tz="UTC")
    since = (index - pd.Timedelta("1min") - index.normalize()) / pd.Timedelta("1h")
    day = np.repeat(np.arange(len(hours)), 1440)
    on = (since >= 8) & (since < 8 + np.asarray(hours)[day])
    return pd.Series(0.0, index=index), pd.Series(on, index=index)


ranked = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=7, max_size=15
).filter(lambda p: np.ptp([a for a, _ in p]) > 0 and np.ptp([b for _, b in p]) > 0)


@given(ranked)
@settings(max_examples=30, deadline=None)
def test_rank_correlations_are_those_of_scipy(pairs) -> None:
    outcome, hours = (daily(side) for side in zip(*pairs, strict=True))
    found = wear_diagnostic(outcome, hours, draws=100)
    # scipy.stats.spearmanr(outcome, hours), scipy.stats.kendalltau(outcome, hours)
    assert found.rho == pytest.approx(stats.spearmanr(outcome, hours).statistic)
    assert found.tau == pytest.approx(stats.kendalltau(outcome, hours).statistic)
    assert found.rho_low <= found.rho_high
    monotone = wear_diagnostic(np.exp(outcome / 5) * 3 - 7, hours, draws=100)
    assert monotone[:6] == pytest.approx(found[:6])


def test_the_intervals_of_the_correlations_are_those_of_days_drawn_and_ranked_anew() -> None:
    generator = np.random.default_rng(2)
    hours = generator.integers(4, 12, 14).astype(float)
    outcome = hours + generator.integers(-3, 4, 14)
    found = wear_diagnostic(daily(outcome), daily(hours), draws=200, seed=5)
    drawn = []
    for times in np.concatenate(list(multiplicities(14, 200, 5))).astype(int):
        days = np.repeat(np.arange(14), times)
        each = (
            stats.spearmanr(outcome[days], hours[days]),
            stats.kendalltau(outcome[days], hours[days]),
        )
        drawn.append([one.statistic for one in each])
    low, high = interval(np.array(drawn))
    assert (found.rho_low, found.tau_low) == pytest.approx(tuple(low))
    assert (found.rho_high, found.tau_high) == pytest.approx(tuple(high))


def test_days_of_longer_wear_with_more_of_it_are_found() -> None:
    hours = np.linspace(2, 12, 30)
    noise = np.random.default_rng(1).normal(size=30)
    found = wear_diagnostic(daily(hours + noise), daily(hours))
    assert found.rho_low > 0.7
    none = wear_diagnostic(daily(noise), daily(hours))
    assert none.rho_low < 0 < none.rho_high
    assert none.tau_low < 0 < none.tau_high
    assert (found.days, found.n, found.exposure_h) == (30, 30, hours.sum())
    assert "single intervals" in found.reason


def test_a_day_counts_with_both_its_outcome_and_its_hours() -> None:
    hours = np.linspace(2, 12, 12)
    outcome = hours.copy()
    outcome[0], lacking = np.nan, hours.copy()
    lacking[1] = np.nan
    found = wear_diagnostic(daily(outcome), daily(lacking))
    assert (found.days, found.n, found.exposure_h) == (10, 10, hours[2:].sum())
    assert found.rho == pytest.approx(1)


def test_the_edges_of_wear_bouts_are_compared_with_their_inside() -> None:
    series, worn = worn_week([4, 5, 6, 7, 8, 9, 10])
    series += 1.0
    since = (series.index - pd.Timedelta("1min") - series.index.normalize()) / pd.Timedelta("1min")
    series[(since >= 480) & (since < 490)] = 7.0  # the first ten minutes of each bout
    found = wear_diagnostic(series, worn)
    assert found.n_edge == 7 * 20
    assert found.n_edge + found.n_inside == found.n == 60 * (4 + 5 + 6 + 7 + 8 + 9 + 10)
    assert (found.edge_mean, found.inside_mean, found.difference) == (4.0, 1.0, 3.0)
    assert (found.difference_low, found.difference_high) == (3.0, 3.0)
    assert found.rho == pytest.approx(-1)
    assert wear_diagnostic(series, worn, edge="0min").n_edge == 0
    assert "near the edge" in wear_diagnostic(series, worn, edge="0min").reason
    assert wear_diagnostic(series, worn, edge="1D").n_inside == 0


def test_unworn_and_missing_values_never_change_an_answer() -> None:
    series, worn = worn_week([4, 5, 6, 7, 8, 9, 10])
    series += np.random.default_rng(3).normal(size=len(series))
    found = wear_diagnostic(series, worn)
    other = series.where(worn, 99.0)
    assert wear_diagnostic(other, worn) == found
    assert wear_diagnostic(series.where(worn), worn) == found


def test_a_missing_state_ends_a_bout() -> None:
    series, worn = worn_week([4, 4, 4, 4, 4])
    states = worn.astype("boolean")
    states.iloc[600] = pd.NA
    assert wear_diagnostic(series, states).n_edge == wear_diagnostic(series, worn).n_edge + 20


@given(st.floats(0.1, 20), st.floats(-50, 50))
@settings(max_examples=10, deadline=None)
def test_unit_and_zero_carry_over(scale, shift) -> None:
    series, worn = worn_week([4, 5, 6, 7, 8, 9, 10])
    series += np.random.default_rng(3).normal(size=len(series)).round(3)
    found = wear_diagnostic(series, worn, draws=100)
    other = wear_diagnostic(series * scale + shift, worn, draws=100)
    assert other[:7] == pytest.approx(found[:7])
    assert other.difference_low == pytest.approx(found.difference_low * scale, rel=1e-6, abs=1e-9)
    assert other.edge_mean == pytest.approx(found.edge_mean * scale + shift, rel=1e-6, abs=1e-9)


def test_a_simulated_wearer_is_told_by_either_log() -> None:
    for log, outcome in (("computed_data", "hm_yo"), (MINUTES, "hm_yo")):
        frame = el.sample(log)
        clean = el.mask(frame, el.flag(frame))
        worn = ~frame["isl"] if log == "computed_data" else frame["wea_s"] >= 20
        found = wear_diagnostic(clean[outcome], worn)
        assert found.days == 7
        assert -1 <= found.rho_low <= found.rho <= found.rho_high <= 1
        assert found.reason == ""


def test_what_rests_on_too_little_is_missing_with_a_reason() -> None:
    few = wear_diagnostic(daily([1, 2, 3]), daily([4, 5, 6]))
    assert np.isnan(few.rho)
    assert "fewer than 5 days" in few.reason
    flat = wear_diagnostic(daily(range(9)), daily([5] * 9))
    assert np.isnan([flat.rho, flat.tau]).all()
    assert "the same on all days" in flat.reason
    series, worn = worn_week([4, 4, 4, 4, 4])
    for case in (series * np.nan, series):
        found = wear_diagnostic(case, worn & False)
        assert np.isnan([found.edge_mean, found.inside_mean, found.difference, found.rho]).all()
        assert (found.n, found.n_edge) == (0, 0)
    empty = wear_diagnostic(series[:0], worn[:0])
    assert (empty.n, empty.days) == (0, 0)
    one = wear_diagnostic(series[600:601], worn[600:601])
    assert one.n == 1


def test_days_with_as_many_edges_as_insides_count_in_the_interval() -> None:
    series, worn = worn_week([1] * 7)  # 30 minutes lie within 15 minutes of an edge, 30 do not
    since = (series.index - pd.Timedelta("1min") - series.index.normalize()) / pd.Timedelta("1min")
    series[(since >= 480) & (since < 495)] = 6.0
    found = wear_diagnostic(series, worn, edge="15min")
    assert (found.n_edge, found.n_inside) == (7 * 30, 7 * 30)
    assert (found.difference_low, found.difference, found.difference_high) == (3.0, 3.0, 3.0)


def test_fewer_than_seven_days_have_no_intervals() -> None:
    outcome = daily([3, 1, 4, 1, 5, 9])
    found = wear_diagnostic(outcome, daily([4, 5, 6, 7, 8, 9]))
    assert found.rho == pytest.approx(stats.spearmanr(outcome, range(6)).statistic)
    assert np.isnan([found.rho_low, found.tau_high]).all()
    assert "fewer than 7 days: no interval of the correlations" in found.reason
    series, worn = worn_week([4, 5, 6, 7, 8, 9])
    edges = wear_diagnostic(series, worn)
    assert edges.difference == 0
    assert np.isnan([edges.difference_low, edges.difference_high]).all()


def test_bad_input_is_refused_in_one_sentence() -> None:
    series, worn = worn_week([4, 5, 6])
    cases = [
        (lambda: wear_diagnostic(series, worn[1:]), "same stamps"),
        (lambda: wear_diagnostic(series, worn.astype(float)), "one row per day"),
        (lambda: wear_diagnostic(daily([1, 2]), daily([4, 90])), "0 to 25"),
        (lambda: wear_diagnostic(series, worn, edge="wide"), "edge"),
        (lambda: wear_diagnostic(series, worn, draws=0), "draws"),
        (lambda: wear_diagnostic(series.tz_localize(None), worn), "aware"),
    ]
    for call, says in cases:
        with pytest.raises(el.ConfigurationError, match=says):
            call()
    eyes, minutes = el.daily(el.sample()), el.daily(el.sample(MINUTES))
    with pytest.raises(el.MixedLogsError):
        wear_diagnostic(eyes["steps"], minutes["worn_h"])


def test_the_outcome_of_days_is_covered_as_its_days_are() -> None:
    frame = el.simulate("2026-10-19", 7, log=MINUTES, seed=5, tz="Europe/Berlin")
    days = el.daily(frame)
    found = wear_diagnostic(days, days["worn_h"], column="steps", draws=100)
    assert found.exposure_h == pytest.approx(days["worn_h"].sum())
    assert found.coverage == pytest.approx(days["coverage"].mean())


def test_bins_that_close_at_midnight_belong_to_the_day_that_ended() -> None:
    frame = el.simulate("2026-10-19", 6, log=MINUTES, seed=5, tz="Europe/Berlin")
    bins = el.resample(frame, "1h")
    bins = bins[(bins.index > bins.index[0].normalize()) & (bins["n"] > 0)]
    late = pd.Series(np.where(bins.index.hour == 0, 5.0, 1.0), index=bins.index)
    late.attrs = dict(bins.attrs)
    found = wear_diagnostic(late, pd.Series(True, index=bins.index), draws=100)
    inside = (bins.index - pd.Timedelta("1s")).normalize()
    assert found.days == inside.nunique()
