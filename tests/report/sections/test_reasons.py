"""A reason for every feature: what it is good for."""

import numpy as np
import pytest

from ipcae import ClassificationSelector, ReconstructionSelector, RegressionSelector
from ipcae.evaluation import importance_on, read_sample
from ipcae.report.sections.reasons import matters_for
from ipcae.selectors.given_features import GivenFeatures

QUICK = {"max_epochs": 60, "decoder": (32,), "learning_rate": 0.01, "random_state": 0}


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(300, 4))


def reasons(selector, X, y=None):
    names = ["a", "b", "c", "d"]
    importance = importance_on(selector, read_sample(selector, X, y))
    return {
        names[i]: matters_for(selector.task_, importance, i, names) for i in importance.features
    }


def test_a_feature_matters_for_the_class_that_it_tells_from_the_rest(X):
    y = np.where(X[:, 0] > 0.6, "high", np.where(X[:, 1] > 0.3, "middle", "low"))
    selector = ClassificationSelector(3, method=GivenFeatures(((0, 1, 3),)), **QUICK)
    found = reasons(selector.fit(X[:200], y[:200]), X[200:], y[200:])
    assert found["a"].startswith("high")
    assert "middle" in found["b"]
    assert "low" in found["b"]
    assert "high" not in found["b"]


def test_a_feature_matters_for_the_columns_that_follow_it(X):
    related = X.copy()
    related[:, 2] = X[:, 0] + 0.1 * X[:, 2]
    selector = ReconstructionSelector(2, method=GivenFeatures(((0, 1),)), **QUICK)
    found = reasons(selector.fit(related[:200]), related[200:])
    assert found["a"].startswith("c")
    assert "c" not in found["b"]


def test_a_feature_matters_for_the_target_or_not_at_all(X):
    selector = RegressionSelector(2, method=GivenFeatures(((0, 3),)), **QUICK)
    found = reasons(selector.fit(X[:200], X[:200, 0]), X[200:], X[200:, 0])
    assert found["a"] == "the target"
    several = RegressionSelector(2, method=GivenFeatures(((0, 3),)), **QUICK)
    found = reasons(several.fit(X[:200], X[:200, [0, 3]]), X[200:], X[200:, [0, 3]])
    assert found == {"a": "output 0", "d": "output 1"}
