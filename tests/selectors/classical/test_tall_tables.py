"""Rankings of tables with more rows than columns, which are computed on the device."""

import numpy as np
import torch
from scipy.linalg import qr
from sklearn.decomposition import PCA

from ipcae.selectors.classical import PivotedQr
from ipcae.selectors.classical.examples import Examples
from ipcae.selectors.classical.principal_features import _components

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(400, 6)) @ RANDOM.normal(size=(6, 30)) + RANDOM.normal(size=(400, 30))
TALL = Examples(X, X[:, :0], discrete=False, device=torch.device("cpu"))


def test_the_pivots_are_those_of_the_whole_table():
    triangle, pivots = qr(X - X.mean(0), mode="r", pivoting=True)
    scores = PivotedQr().scores(TALL, 5, seed=0)
    np.testing.assert_array_equal(np.argsort(-scores), pivots)
    np.testing.assert_allclose(scores[pivots], np.abs(np.diagonal(triangle)))


def test_the_components_are_those_of_scikit_learn():
    found = _components(TALL, 6, seed=0)
    expected = PCA(6, svd_solver="full").fit(X).components_
    np.testing.assert_allclose(np.abs((found * expected).sum(1)), 1.0, atol=1e-9)
