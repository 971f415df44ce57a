"""The order of the features of a fitted selector."""

import numpy as np
import pytest

from ipcae import ClassificationSelector, SurvivalSelector
from ipcae.feature_table import feature_ranks
from ipcae.selection import Selection

FEATURES, UNKNOWN = np.array([1, 2, 3]), np.full(5, np.nan)
SCORES = np.array([0.1, 0.7, 1.0, 0.8, 0.2])
IMPORTANCE = np.array([0.5, 0.4, 0.1])


def test_features_of_a_network_are_ordered_by_importance():
    selection = Selection(FEATURES, FEATURES, SCORES, "probability")
    assert feature_ranks(selection, IMPORTANCE, UNKNOWN).tolist() == [5, 1, 2, 3, 4]


def test_scores_and_importance_determine_the_order_together():
    selection = Selection(FEATURES, FEATURES, SCORES, "score")
    assert feature_ranks(selection, IMPORTANCE, UNKNOWN).tolist() == [5, 2, 1, 3, 4]


def test_an_included_feature_does_not_come_first_because_it_is_included():
    scores = np.array([0.0, 0.9, 0.8, 1.0, 0.2])  # feature 3 is included, which counts as 1
    selection = Selection(FEATURES, FEATURES, scores, "score")
    assert feature_ranks(selection, IMPORTANCE, UNKNOWN, included=[3])[3] == 3


@pytest.mark.parametrize("task", ["classes", "survival times"])
def test_relevant_columns_of_few_rows_come_first(task):
    found = []
    for seed in range(4):
        random = np.random.default_rng(seed)
        X = random.normal(size=(120, 60))
        signal = X[:, :6].sum(1)
        if task == "classes":
            selector, y = ClassificationSelector(18, random_state=0), signal > 0
        else:
            times = random.exponential(np.exp(-signal))
            selector, y = SurvivalSelector(18, random_state=0), np.stack([times, times > 0], axis=1)
        selector.fit(X, y)
        found.append(np.mean(np.argsort(selector.ranking_)[:6] < 6))
    assert np.mean(found) > 0.8
