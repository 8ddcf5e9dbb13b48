"""The model with an intercept for each wearer, against closed forms and statsmodels."""

import numpy as np
import pytest

from eyelog.analysis.compare.random_intercept import random_intercept


def made(seed: int, *, wearers: int = 12, spread: float = 1.0):
    """Return y, x and wearers of an uneven number of days each."""
    rng = np.random.default_rng(seed)
    of_row = np.repeat(np.arange(wearers), rng.integers(2, 9, wearers))
    x = np.column_stack(
        [np.ones(len(of_row)), rng.normal(size=len(of_row)) + 50, of_row % 2]
    ).astype(float)
    noise = rng.normal(size=len(of_row)) + spread * rng.normal(size=wearers)[of_row]
    return x @ [3, 0.5, 1] + noise, x, of_row


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_uneven_days_are_fitted_as_by_statsmodels(seed: int) -> None:
    models = pytest.importorskip("statsmodels.regression.mixed_linear_model")
    y, x, wearers = made(seed)
    found = random_intercept(y, x, wearers)
    fit = models.MixedLM(y, x, groups=wearers).fit(reml=True)
    np.testing.assert_allclose(found.coefficients, fit.fe_params, rtol=1e-4)
    assert found.sd_wearers == pytest.approx(float(np.sqrt(fit.cov_re[0, 0])), rel=1e-3)
    assert found.sd_residual == pytest.approx(float(np.sqrt(fit.scale)), rel=1e-4)


def test_the_found_ratio_of_variances_is_the_best_one() -> None:
    y, x, wearers = made(7)
    found = random_intercept(y, x, wearers)

    def deviance(ratio: float) -> float:
        inside = wearers[:, None] == wearers
        v = np.eye(len(y)) + ratio * inside
        inverse = np.linalg.inv(v)
        left = x.T @ inverse @ x
        rest = y - x @ np.linalg.solve(left, x.T @ inverse @ y)
        size = len(y) - x.shape[1]
        dets = np.linalg.slogdet(v)[1] + np.linalg.slogdet(left)[1]
        return float(size * np.log(rest @ inverse @ rest) + dets)

    best = found.ratio
    assert best == pytest.approx((found.sd_wearers / found.sd_residual) ** 2)
    assert all(deviance(best) <= deviance(best * factor) for factor in (0.5, 0.98, 1.02, 2))


def test_wearers_who_do_not_differ_give_the_fit_of_the_days_alone() -> None:
    rng = np.random.default_rng(1)
    y = np.tile([1.0, 2, 4, 7], 6) + rng.normal(scale=1e-6, size=24)
    x = np.column_stack([np.ones(24), np.tile([0.0, 1, 2, 3], 6)])
    found = random_intercept(y, x, np.repeat(np.arange(6), 4))
    np.testing.assert_allclose(found.coefficients, np.linalg.lstsq(x, y)[0], rtol=1e-9)
    assert found.sd_wearers == 0


def test_units_and_zeros_carry_over() -> None:
    y, x, wearers = made(5)
    found = random_intercept(y, x, wearers)
    moved = x * [1, 1e-3, 1] + [0, 8, 0]
    other = random_intercept(1e6 * y + 1e7, moved, wearers)
    assert other.coefficients[1] == pytest.approx(1e9 * found.coefficients[1], rel=1e-6)
    assert other.coefficients[2] == pytest.approx(1e6 * found.coefficients[2], rel=1e-6)
    expected = 1e7 + 1e6 * found.coefficients[0] - 8e9 * found.coefficients[1]
    assert other.coefficients[0] == pytest.approx(expected, rel=1e-6)
    assert other.sd_wearers == pytest.approx(1e6 * found.sd_wearers, rel=1e-5)
