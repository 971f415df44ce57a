"""Moderated standard deviations."""

import numpy as np
import pytest

from ipcae.selectors import Anova, Elimination
from ipcae.selectors.classical import Examples
from ipcae.selectors.classical.statistics.moderation import moderated_deviations


@pytest.fixture
def random():
    return np.random.default_rng(0)


def test_columns_of_one_variance_share_their_deviation(random):
    inputs = 3 * random.normal(size=(12, 2000))
    deviations = moderated_deviations(inputs)
    assert deviations.std() < 0.1 * inputs.std(0, ddof=1).std()
    assert deviations.mean() == pytest.approx(3, rel=0.05)


def test_columns_of_different_variances_keep_theirs(random):
    scale = np.geomspace(1, 1e8, 500)
    inputs = random.normal(size=(12, 500)) * scale
    assert np.corrcoef(np.log(moderated_deviations(inputs)), np.log(scale))[0, 1] > 0.99


def test_the_variance_is_that_within_the_classes(random):
    classes = np.arange(40) % 2
    inputs = random.normal(size=(40, 300)) + 10 * classes[:, None]
    assert moderated_deviations(inputs, classes).max() < 2 < moderated_deviations(inputs).min()


@pytest.mark.parametrize("inputs", [np.zeros((5, 3)), np.eye(2), np.ones((1, 4))], ids=str)
def test_tables_without_variation_have_scores(inputs):
    deviations = moderated_deviations(inputs, np.arange(len(inputs)))
    assert (deviations > 0).all()


def test_a_constant_column_beside_others_gets_infinity(random):
    inputs = random.normal(size=(10, 4))
    inputs[:, 2] = 7
    assert np.isinf(moderated_deviations(inputs)).tolist() == [False, False, True, False]


def test_more_of_a_planted_truth_is_found_than_by_anova():
    found = dict.fromkeys((Anova(), Elimination()), 0)
    for seed in range(6):
        random = np.random.default_rng(seed)
        inputs, classes = random.normal(size=(50, 1500)), np.repeat([0, 1], [42, 8])
        inputs[42:, :10] += 1.7
        for method in found:
            scores = method.scores(Examples(inputs, classes[:, None] * 1.0, True), 10, 0)
            found[method] += np.count_nonzero(np.argsort(-scores)[:10] < 10)
    assert found[Elimination()] > found[Anova()]
