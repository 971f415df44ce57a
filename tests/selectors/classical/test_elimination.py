"""Backward elimination, the group lasso, and the choice between them."""

import numpy as np
import pytest

from ipcae.selectors import Adaptive, Elimination, GroupLasso, RandomForest
from ipcae.selectors.classical.base import Examples
from ipcae.selectors.classical.preferred import preferred

METHODS = [Elimination(), Elimination(common_scale=True), GroupLasso(), Adaptive()]


def top(method, inputs, classes, n_selected):
    examples = Examples(inputs, classes[:, None].astype(float), discrete=True)
    return set(np.argsort(-method.scores(examples, n_selected, 0), kind="stable")[:n_selected])


@pytest.fixture
def random():
    return np.random.default_rng(0)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_shifted_columns_are_found(method, random):
    classes = np.repeat([0, 1, 2], 20)
    inputs = random.normal(size=(60, 200))
    inputs[classes == 1, 7] += 3
    inputs[classes == 2, 120] += 3
    assert top(method, inputs, classes, 2) == {7, 120}


def test_elimination_keeps_one_of_each_group_of_copies(random):
    signals = random.normal(size=(80, 3))
    classes = (signals @ [1.0, 1.0, 1.0] > 0).astype(int)
    inputs = np.repeat(signals, 10, axis=1) + 0.05 * random.normal(size=(80, 30))
    assert {column // 10 for column in top(Elimination(), inputs, classes, 3)} == {0, 1, 2}


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("shape", [(12, 3), (3, 12)], ids=str)
def test_columns_without_variation_have_finite_scores(method, shape):
    examples = Examples(np.zeros(shape), np.arange(shape[0])[:, None] % 2.0, discrete=True)
    assert np.isfinite(method.scores(examples, 2, 0)).all()


def test_independent_columns_are_eliminated_and_correlated_ones_enter_a_lasso(random):
    linear = Adaptive(linear_only=True)
    classes = np.arange(60) % 2
    independent = random.normal(size=(60, 300)) + 0.5 * np.outer(classes, np.arange(300) < 9)
    correlated = independent @ random.normal(size=(300, 3)) @ random.normal(size=(3, 300))
    correlated += 0.1 * independent
    for inputs, ranking in ((independent, Elimination()), (correlated, GroupLasso())):
        assert top(linear, inputs, classes, 5) == top(ranking, inputs, classes, 5)
    assert top(Elimination(), correlated, classes, 5) != top(GroupLasso(), correlated, classes, 5)
    three = np.arange(60) % 3
    assert top(linear, independent, three, 5) == top(GroupLasso(), independent, three, 5)


def test_a_class_of_a_single_row_does_not_decide_the_selection(random):
    classes = np.array([0, 1] * 30 + [2])
    inputs = random.normal(size=(61, 300))
    inputs[:, :5] += np.outer(classes == 1, np.full(5, 1.8))
    assert top(GroupLasso(), inputs, classes, 5) == set(range(5))
    assert top(GroupLasso(balance=1.0), inputs, classes, 5) != set(range(5))
    assert top(Adaptive(), inputs, classes, 5) == set(range(5))


def test_the_ranking_that_predicts_unseen_rows_better_is_used(random):
    classes = np.arange(60) % 2
    common = random.normal(size=(60, 1))
    inputs = common + 0.3 * random.normal(size=(60, 80))
    # Both ends of these columns are one class: no linear ranking sees it, a forest does.
    inputs[:, :6] = (random.choice([-1, 1], (60, 6)) * (1 + classes[:, None])) + 0.2 * common
    examples = Examples(inputs, classes[:, None].astype(float), discrete=True)
    forest = RandomForest(100)
    assert preferred(examples, [GroupLasso(), forest], 6) is forest
    assert preferred(examples, [forest, GroupLasso()], 6) is forest
    assert len(top(Adaptive(), inputs, classes, 6) & set(range(6))) >= 5
