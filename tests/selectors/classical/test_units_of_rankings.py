"""Rankings of categories: their levels are one feature, and many levels of noise do not help."""

import numpy as np
import pandas as pd
import pytest

from ipcae import ClassificationSelector, RegressionSelector
from ipcae.selectors.classical import Adaptive, Elimination, GroupLasso
from ipcae.selectors.classical.examples import Examples
from ipcae.selectors.classical.statistics.products import with_products

RANKINGS = ["elimination", "group-lasso", "backward", "anova", "adaptive"]


def mixed(seed, n_rows=150):
    """Return three numbers that matter, five that do not, and three categories of noise."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(n_rows, 8)), columns=[f"x{i}" for i in range(8)])
    target = X.x0 + X.x1 + 0.7 * X.x2 + random.normal(size=n_rows)
    for n_levels in (3, 8, 20):
        X[f"c{n_levels}"] = random.choice([f"level {i}" for i in range(n_levels)], n_rows)
    return X, target


@pytest.mark.parametrize("method", [None, *RANKINGS])
@pytest.mark.parametrize("seed", [0, 1])
def test_noise_with_many_levels_is_not_preferred_to_numbers(method, seed):
    X, target = mixed(seed)
    classes = np.where(target > 0, "more", "less")
    for selector, y in ((ClassificationSelector, classes), (RegressionSelector, target)):
        fitted = selector(3, method=method, max_epochs=1, random_state=0).fit(X, y)
        assert [*fitted.get_feature_names_out()] == ["x0", "x1", "x2"]


def test_a_category_that_matters_is_found():
    X, target = mixed(0)
    y = target + 4 * X.c8.isin(["level 1", "level 2", "level 5"])
    selector = RegressionSelector(2, max_epochs=1, random_state=0).fit(X, y)
    assert "c8" in selector.get_feature_names_out()


def with_levels(n_rows=200):
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, 6))
    units = np.array([0, 1, 1, 1, 2, 3])
    return Examples(X, X[:, [1]] + X[:, [2]] + X[:, [3]] + 0.5 * X[:, [5]], False, units=units)


def test_the_group_lasso_continues_until_there_are_enough_units():
    examples = with_levels()
    scores = GroupLasso().scores(examples, 2, 0)
    assert {*examples.units[examples.best_columns(scores, 2)]} == {1, 3}
    assert examples.n_units(scores >= 1) >= 2


@pytest.mark.parametrize("ranking", [Adaptive(), Elimination()])
def test_the_best_columns_are_those_of_whole_units(ranking):
    examples = with_levels()
    columns = examples.best_columns(ranking.scores(examples, 2, 0), 2)
    assert sorted(columns) == [1, 2, 3, 5]


def test_columns_keep_their_units():
    examples = with_levels()
    np.testing.assert_array_equal(examples.with_columns(np.array([5, 2])).units, [3, 1])
    both = with_products(examples, np.array([[0, 4], [1, 5]]))
    np.testing.assert_array_equal(both.units, [0, 1, 1, 1, 2, 3, 4, 5])
