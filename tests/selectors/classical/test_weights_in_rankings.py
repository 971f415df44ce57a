"""Rows with a small weight hardly count when rankings are computed and compared."""

import numpy as np
import pytest

from ipcae import ClassificationSelector, RegressionSelector
from ipcae.ridge import fold_errors
from ipcae.selectors import Adaptive, Anova
from ipcae.selectors.classical.base import Examples
from ipcae.selectors.classical.forward import Forward
from ipcae.selectors.classical.models.held_out import errors_of_columns
from ipcae.selectors.classical.nonredundant import Nonredundant

QUICK = {"max_epochs": 1, "fine_tune": False, "refit": False, "random_state": 0}


def survey(seed=0, rows=300, columns=30):
    """Three columns matter for the rows that count, and three others for the rest."""
    random = np.random.default_rng(seed)
    X, counts = random.normal(size=(rows, columns)), random.random(rows) < 0.25
    y = np.where(counts, X[:, :3].sum(1), 3 * X[:, 3:6].sum(1)) + 0.3 * random.normal(size=rows)
    return X, y, counts


@pytest.mark.parametrize("small", [0.01, 0.0])
def test_columns_that_matter_for_the_rows_that_count_are_selected(small):
    X, y, counts = survey()
    selector = RegressionSelector(3, **QUICK)
    selector.fit(X, y, sample_weight=np.where(counts, 1.0, small))
    assert selector.get_support(indices=True).tolist() == [0, 1, 2]


def test_so_are_those_that_matter_for_classes():
    X, y, counts = survey()
    selector = ClassificationSelector(3, method="adaptive", **QUICK)
    selector.fit(X, y > 0, sample_weight=np.where(counts, 1.0, 0.01))
    assert selector.get_support(indices=True).tolist() == [0, 1, 2]


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("ranking", [Anova(), Forward(), Nonredundant()])
def test_scores_are_those_of_the_rows_that_count(ranking, discrete):
    X, y, counts = survey()
    y = (y > 0).astype(float) if discrete else y
    weights = np.where(counts, 1.0, 1e-12)
    scores = ranking.scores(Examples(X, y[:, None], discrete, weights), 3, 0)
    alone = ranking.scores(Examples(X[counts], y[counts, None], discrete), 3, 0)
    np.testing.assert_array_equal(np.argsort(-scores)[:3], np.argsort(-alone)[:3])


def test_f_values_with_equal_weights_are_those_without():
    X, y, _ = survey()
    for discrete, targets in ((False, y), (True, np.digitize(y, [-1, 1]).astype(float))):
        examples = Examples(X, targets[:, None], discrete)
        weighted = Examples(X, targets[:, None], discrete, np.full(len(X), 2.0))
        np.testing.assert_allclose(
            Anova().scores(weighted, 3, 0), Anova().scores(examples, 3, 0), rtol=1e-9
        )


def test_errors_of_columns_have_the_weights_of_rows():
    X, y, counts = survey()
    sets = [np.array([0, 1, 2]), np.array([3, 4, 5])]
    own, others = errors_of_columns(
        Examples(X, y[:, None], False, np.where(counts, 1.0, 0.01)), sets
    )
    assert own.mean() < others.mean() / 2


def test_a_row_with_weight_two_counts_as_two_rows():
    random = np.random.default_rng(0)
    x = random.normal(size=(20, 2))
    kernel, targets = x @ x.T, x[:, :1] + random.normal(size=(20, 1))
    once = fold_errors(kernel, targets, weights=np.full(20, 2.0), ridge=2.0)
    np.testing.assert_allclose(once, 2 * fold_errors(kernel, targets, ridge=1.0))


def test_equal_weights_change_no_ranking():
    X, y, _ = survey(rows=100)
    plain = Adaptive().scores(Examples(X, y[:, None], False), 3, 0)
    weighted = Adaptive().scores(Examples(X, y[:, None], False, np.ones(len(X))), 3, 0)
    np.testing.assert_allclose(weighted, plain, rtol=1e-9)
