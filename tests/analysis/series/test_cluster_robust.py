"""Errors clustered by day or wearer, against the dense definition and what balance gives."""

import numpy as np
import pytest
from scipy import linalg

from eyelog.analysis.series.cluster_robust import cluster_robust


def planted(sizes: list[int], seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    x = np.column_stack([np.ones(sum(sizes)), generator.normal(size=(sum(sizes), 2))])
    y = generator.normal(size=sum(sizes)) + generator.normal(size=len(sizes))[clusters]
    return x, y - x @ np.linalg.lstsq(x, y, rcond=None)[0], clusters


def test_errors_and_freedom_are_those_of_the_dense_matrices_of_the_definition() -> None:
    x, residuals, clusters = planted([3, 8, 5, 12, 4])
    bread = np.linalg.inv(x.T @ x)
    rest = np.eye(len(x)) - x @ bread @ x.T
    meat, columns = np.zeros((3, 3)), np.zeros((5, len(x), 3))
    for of in range(5):
        here = clusters == of
        adjust = linalg.fractional_matrix_power(rest[np.ix_(here, here)], -0.5).real
        score = x[here].T @ adjust @ residuals[here]
        meat += np.outer(score, score)
        columns[of] = rest[:, here] @ adjust @ x[here] @ bread
    found = cluster_robust(x, residuals, clusters)
    np.testing.assert_allclose(found.covariance, bread @ meat @ bread, rtol=1e-9)
    for k in range(3):
        inner = columns[:, :, k] @ columns[:, :, k].T
        assert found.freedom[k] == pytest.approx(np.trace(inner) ** 2 / np.trace(inner @ inner))


def test_equal_clusters_of_one_design_give_the_t_test_of_their_means() -> None:
    values = np.random.default_rng(3).normal(size=(6, 9))
    clusters = np.repeat(np.arange(6), 9)
    found = cluster_robust(np.ones((54, 1)), values.ravel() - values.mean(), clusters)
    assert found.covariance[0, 0] == pytest.approx(values.mean(axis=1).var(ddof=1) / 6)
    assert found.freedom[0] == pytest.approx(5)


def test_what_one_cluster_alone_determines_has_no_error() -> None:
    x, _, clusters = planted([4, 4, 4, 4])
    x[:, 1] = clusters == 0
    y = np.random.default_rng(5).normal(size=16)
    residuals = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
    found = cluster_robust(x, residuals, clusters).freedom
    assert np.isnan(found).tolist() == [False, True, False]
