"""Backward elimination by the logistic loss."""

import numpy as np
import pytest

from ipcae import ClassificationSelector
from ipcae.selectors import Adaptive, GroupLasso, LogisticBackward
from ipcae.selectors.classical import Examples, logistic_backward

K, N_COPIES, N_HIDDEN = 4, 6, 10


def similar_classes(seed, n_rows=200):
    """Five places, which three hidden values show, and two classes that only a fourth tells apart.

    Every hidden value has six noisy copies.
    """
    random = np.random.default_rng(seed)
    y = random.integers(0, 6, n_rows)
    means = np.zeros((6, N_HIDDEN))
    means[:4, :3] = 4 * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    means[4:, 3] = -1, 1
    hidden = means[y] + random.normal(size=(n_rows, N_HIDDEN))
    X = np.repeat(hidden, N_COPIES, axis=1)
    return X + 0.5 * random.normal(size=X.shape), y


def examples(X, y):
    return Examples(X, y[:, None].astype(float), discrete=True)


def n_found(ranking, n_rows=200):
    """Return in how many of six tables a copy of the fourth hidden value is selected."""
    count = 0
    for seed in range(6):
        table = examples(*similar_classes(seed, n_rows))
        best = table.best_columns(ranking.scores(table, K, 0), K)
        count += 3 in best // N_COPIES
    return count


def test_a_column_that_tells_similar_classes_apart_is_kept():
    assert n_found(LogisticBackward()) == 6
    assert n_found(GroupLasso()) == 0


@pytest.mark.parametrize("n_rows", [200, 400])
def test_the_default_for_several_classes_finds_it(n_rows):
    assert n_found(Adaptive(), n_rows) == 6


def test_every_column_has_a_position_of_its_own():
    table = examples(*similar_classes(0))
    scores = LogisticBackward().scores(table, K, 0)
    assert sorted(scores) == list(range(1, 61))


@pytest.mark.parametrize("n_rows", [60, 320])
def test_the_order_continues_that_of_the_elimination_beyond_the_limit(n_rows, monkeypatch):
    monkeypatch.setattr(logistic_backward, "MOST_COLUMNS", 40)
    monkeypatch.setattr(logistic_backward, "MOST_WITH_FEW_ROWS", 40)
    X, y = similar_classes(1, n_rows=n_rows)
    scores = LogisticBackward().scores(examples(X, y), K, 0)
    assert sorted(scores) == list(range(1, 61))
    best = np.sort(np.argsort(scores)[-40:])
    among_best = LogisticBackward().scores(examples(X[:, best], y), K, 0)
    assert (np.argsort(scores[best]) == np.argsort(among_best)).all()


def test_many_rows_and_classes_leave_fewer_columns():
    few, many = (examples(np.zeros((n, 1)), np.arange(n) % 50) for n in (400, 5000))
    assert logistic_backward._most_columns(few) == logistic_backward.MOST_COLUMNS
    assert logistic_backward._most_columns(many) == 447


def test_weights_of_rows_are_like_repetitions():
    X, y = similar_classes(2, n_rows=90)
    twice = np.arange(len(y)) % 3 == 0
    weighted = Examples(X, y[:, None].astype(float), True, weights=1.0 + twice)
    repeated = examples(np.concatenate([X, X[twice]]), np.concatenate([y, y[twice]]))
    by_weights, by_rows = (LogisticBackward().scores(each, K, 0) for each in (weighted, repeated))
    assert np.corrcoef(by_weights, by_rows)[0, 1] > 0.9


def test_labels_have_a_regression_each():
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 20))
    y = np.stack([X[:, 4] > 0, X[:, 9] + 0.5 * random.normal(size=150) > 0], axis=1).astype(int)
    selector = ClassificationSelector(2, method="logistic-backward", max_epochs=1, random_state=0)
    assert selector.fit(X, y).get_support(indices=True).tolist() == [4, 9]
