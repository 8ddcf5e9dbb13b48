"""Bootstrap draws: how often each unit comes up, and the percentiles of what they give."""

import numpy as np
import pytest
from scipy import stats

import eyelog as el
from eyelog.analysis.series import bootstrap
from eyelog.analysis.series.bootstrap import check_draws, interval, multiplicities

MANY = 10**9  # units: their interval is that of plain percentiles


def test_every_draw_has_as_many_units_as_there_are() -> None:
    drawn = np.concatenate(list(multiplicities(7, 150, seed=1)))
    assert drawn.shape == (150, 7)
    assert (drawn.sum(axis=1) == 7).all()
    assert drawn.mean(axis=0) == pytest.approx(np.ones(7), abs=0.3)


def test_the_same_seed_gives_the_same_draws_however_they_are_cut(monkeypatch) -> None:
    whole = np.concatenate(list(multiplicities(7, 150, seed=1)))
    monkeypatch.setattr(bootstrap, "MOST_CELLS", 70)
    pieces = list(multiplicities(7, 150, seed=1))
    assert len(pieces) == 15
    np.testing.assert_array_equal(np.concatenate(pieces), whole)
    assert (np.concatenate(list(multiplicities(7, 150, seed=2))) != whole).any()


def test_the_interval_of_a_mean_is_that_of_scipy() -> None:
    values = np.random.default_rng(3).gamma(2.0, size=60)
    drawn = np.concatenate(list(multiplicities(60, 4000, seed=4)))
    low, high = interval((drawn @ values / 60)[:, None], np.array([MANY]))
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=4000, method="percentile", rng=np.random.default_rng(5)
    ).confidence_interval
    assert (low[0], high[0]) == (
        pytest.approx(theirs.low, abs=0.03),
        pytest.approx(theirs.high, abs=0.03),
    )


def test_draws_without_a_value_are_left_out() -> None:
    samples = np.column_stack([np.arange(101.0), np.full(101, np.nan), np.arange(101.0)])
    samples[50:, 2] = np.inf
    low, high = interval(samples, np.full(3, MANY))
    np.testing.assert_allclose(low, [2.5, np.nan, 1.225])
    np.testing.assert_allclose(high, [97.5, np.nan, 47.775])


@pytest.mark.parametrize(
    ("draws", "seed", "name"), [(99, 0, "draws"), (100.0, 0, "draws"), (100, -1, "seed")]
)
def test_draws_and_seeds_that_cannot_be_used_are_refused_by_name(draws, seed, name) -> None:
    with pytest.raises(el.ConfigurationError, match=name):
        check_draws(draws, seed)


def test_percentiles_of_draws_from_few_units_lie_as_far_apart_as_those_of_t() -> None:
    draws = np.random.default_rng(1).normal(size=(200_000, 2))
    low, high = interval(draws, np.array([5, 50]))
    expected = [stats.t.ppf(0.975, n - 1) * np.sqrt(n / (n - 1)) for n in (5, 50)]
    np.testing.assert_allclose(high, expected, rtol=0.03)
    np.testing.assert_allclose(low, np.negative(expected), rtol=0.03)


def test_draws_from_one_unit_have_no_interval() -> None:
    low, high = interval(np.zeros((100, 1)), np.array([1]))
    assert np.isnan(low[0])
    assert np.isnan(high[0])
