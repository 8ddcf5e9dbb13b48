"""Errors of least squares that are valid if rows of one cluster (a day, a wearer) are alike.

Bias-reduced linearisation (CR2: Bell & McCaffrey 2002; Pustejovsky & Tipton 2018, Journal of
Business & Economic Statistics 36:672) with Satterthwaite's degrees of freedom. statsmodels has only
the older CR1 with the normal distribution or the number of clusters, which is too narrow for a few
clusters.
"""

from typing import NamedTuple

import numpy as np

from eyelog.judge.arrays import Floats, Ints

ALONE = 1e-9  # a direction that one cluster alone determines has no error


class ClusterRobust(NamedTuple):
    """The covariance of the coefficients, and the degrees of freedom of each (NaN: no error)."""

    covariance: Floats
    freedom: Floats


def cluster_robust(x: Floats, residuals: Floats, clusters: Ints) -> ClusterRobust:
    """Return the errors of ordinary least squares of columns `x`.

    For generalised least squares, `x` and `residuals` are those divided by the root of the working
    covariance, which must not reach across clusters.

    Parameters
    ----------
    x : array of float64
        One row per observation, one column per coefficient, of full rank.
    residuals : array of float64
        The residuals of the rows.
    clusters : array of int64
        The number of each row's cluster, from 0 on, none left out.
    """
    count, terms = int(clusters.max()) + 1, x.shape[1]
    # In the basis in which x'x is 1, so that the units of the columns do not matter.
    q, r = np.linalg.qr(x)
    inside = np.zeros((count, terms, terms))
    np.add.at(inside, clusters, q[:, :, None] * q[:, None, :])
    scores = np.zeros((count, terms))
    np.add.at(scores, clusters, q * residuals[:, None])
    shares, turns = np.linalg.eigh(inside)
    kept = 1.0 - shares
    by = np.where(kept > ALONE, 1.0 / np.sqrt(np.maximum(kept, ALONE)), 0.0)
    adjust = np.einsum("gij,gj,gkj->gik", turns, by, turns)
    adjusted = np.einsum("gij,gj->gi", adjust, scores)
    back = np.linalg.inv(r)
    # A variance is the sum over clusters of (p'e)^2: its expectation and its own variance for
    # independent residuals give the degrees of freedom.
    weights = np.einsum("gij,kj->gki", adjust, back)  # of q, for each coefficient
    reach = np.einsum("gij,gkj->gki", inside, weights)  # q'p
    size = np.einsum("gki,gki->gk", weights, reach)  # p'p
    cross = np.einsum("gki,gkj->kij", reach, reach)
    trace = size.sum(axis=0) - np.einsum("kii->k", cross)
    squares = (
        (size**2).sum(axis=0)
        - 2.0 * np.einsum("gk,gki,gki->k", size, reach, reach)
        + np.einsum("kij,kji->k", cross, cross)
    )
    # What one cluster alone determines does not vary between clusters: its error is unknown.
    loads = np.einsum("kj,gji->gki", back, turns) ** 2
    alone = np.where((kept <= ALONE)[:, None, :], loads, 0.0).sum(axis=(0, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        estimable = (squares > 0) & (alone <= ALONE * (back**2).sum(axis=1))
        freedom = np.where(estimable, trace**2 / squares, np.nan)
    return ClusterRobust(back @ (adjusted.T @ adjusted) @ back.T, freedom)
