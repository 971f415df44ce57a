"""A few values far from all others do not hide the signal of their column."""

import numpy as np
import pytest

from ipcae import ClassificationSelector, RegressionSelector, TrainingWarning
from ipcae.selectors.classical.statistics.outliers import without_far_outliers


@pytest.fixture
def table():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 8))
    y = (X[:, 3] > 0).astype(int)
    X[[7, 31], 3] = 1e4, -3e4  # on the wrong side
    return X, np.where(np.isin(np.arange(200), [7, 31]), 1 - (X[:, 3] > 0), y)


@pytest.mark.parametrize("method", ["anova", "group-lasso", "elimination", "backward"])
def test_wrong_decimal_points_do_not_hide_a_column(table, method):
    selector = ClassificationSelector(1, method=method, max_epochs=1, random_state=0)
    assert selector.fit(*table).get_support(indices=True).tolist() == [3]


@pytest.mark.parametrize("method", ["adaptive", "anova", "group-lasso", "backward", "lasso"])
def test_a_wrong_decimal_point_in_the_target_does_not_hide_the_columns(method):
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 10))
    y = 2 * X[:, 0] - X[:, 3] + random.normal(0, 0.5, 300)
    y[7] = 1e6
    selector = RegressionSelector(2, method=method, loss="huber", random_state=0).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 3]
    others = np.arange(300) != 7
    assert selector.score(X[others], y[others]) > 0.9
    with pytest.warns(TrainingWarning, match=r"y has 1 value far from the others \(1e\+06\)"):
        RegressionSelector(2, method=method, max_epochs=1, random_state=0).fit(X, y)


def test_columns_without_far_outliers_are_left_alone():
    random = np.random.default_rng(0)
    ordinary = random.normal(size=(300, 5))
    pixels = np.where(random.random((300, 5)) < 0.9, 0, random.integers(1, 256, (300, 5))) / 255
    counts = random.poisson(0.2, (300, 5)).astype(float)
    words = np.zeros((2000, 3))
    words[:30] = [1, 2, -1]  # in few rows
    for columns in (ordinary, pixels, counts, words, np.exp(ordinary), ordinary[:10] * 1e9):
        assert without_far_outliers(columns) is columns
