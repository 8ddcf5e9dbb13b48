"""Restricted maximum likelihood of a linear model with an intercept for each wearer.

With one variance between wearers, the likelihood has a closed form except for the ratio of the two
variances: a one-dimensional search finds it exactly, even at the boundary of 0.
"""

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from eyelog.judge.arrays import Floats

# Variance between wearers over that within them: beyond these limits it is 0 or infinite.
LOWEST, HIGHEST = -18.0, 18.0
STEPS: Final = 37
LEAST_RSS: Final = 1e-300


class RandomIntercept(NamedTuple):
    """Coefficients, the variance between wearers over that within them, and both SDs."""

    coefficients: Floats
    ratio: float
    sd_wearers: float
    sd_residual: float


def random_intercept(y: Floats, x: Floats, wearers: npt.NDArray[Any]) -> RandomIntercept:
    """Fit ``y = x b + wearer + residual``.

    Parameters
    ----------
    y : array of float64
        One value per row.
    x : array of float64
        One column per coefficient, the first of them 1 in each row, of full rank.
    wearers : array
        The wearer of each row.
    """
    shift = np.append(x.mean(axis=0), y.mean())
    scale = np.append(x.std(axis=0), y.std())
    shift[0], scale[0] = 0.0, 1.0
    both = (np.column_stack([x, y]) - shift) / scale
    _, of_row, counts = np.unique(wearers, return_inverse=True, return_counts=True)
    means = np.column_stack([np.bincount(of_row, column) for column in both.T]) / counts[:, None]
    inside = both - means[of_row]
    within = inside.T @ inside
    size, terms = x.shape

    def normal(ratio: float) -> Floats:
        """Return [x y]' V^-1 [x y], V in units of the variance within wearers."""
        weights = counts / (1.0 + counts * ratio)
        return np.asarray(within + (means * weights[:, None]).T @ means, dtype=np.float64)

    def solved(ratio: float) -> tuple[Floats, Floats, float]:
        whole = normal(ratio)
        left, right = whole[:-1, :-1], whole[:-1, -1]
        beta = np.asarray(np.linalg.solve(left, right), dtype=np.float64)
        return beta, left, max(float(whole[-1, -1] - right @ beta), LEAST_RSS)

    def deviance(ratio: float) -> float:
        _, left, rss = solved(ratio)
        spread = float(np.log1p(counts * ratio).sum()) + float(np.linalg.slogdet(left)[1])
        return float((size - terms) * np.log(rss) + spread)

    grid = np.linspace(LOWEST, HIGHEST, STEPS)
    best = int(np.argmin([deviance(float(np.exp(at))) for at in grid]))
    optimum = scipy.optimize.minimize_scalar(
        lambda at: deviance(float(np.exp(at))),
        bounds=(grid[max(best - 1, 0)], grid[min(best + 1, STEPS - 1)]),
        method="bounded",
        options={"xatol": 1e-9},
    )
    ratio = float(np.exp(optimum.x))
    if deviance(0.0) <= float(optimum.fun):
        ratio = 0.0
    beta, _, rss = solved(ratio)
    variance = rss / (size - terms)
    # Back to the units and the zeros of the columns.
    back = np.diag(scale[-1] / scale[:-1])
    back[0, 1:] = -scale[-1] * shift[1:-1] / scale[1:-1]
    coefficients = back @ beta
    coefficients[0] += shift[-1]
    return RandomIntercept(
        coefficients,
        ratio,
        float(scale[-1] * np.sqrt(variance * ratio)),
        float(scale[-1] * np.sqrt(variance)),
    )
