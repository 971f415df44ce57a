"""Mutual information with classes, compared with scikit-learn's."""

import numpy as np
import pytest
from sklearn.feature_selection import mutual_info_classif

from ipcae.selectors.classical.statistics import class_information as module
from ipcae.selectors.classical.statistics.class_information import class_information

RANDOM = np.random.default_rng(0)
LABELS = RANDOM.integers(0, 4, 500)
COLUMNS = {
    "numbers": RANDOM.normal(size=500) + LABELS,
    "few values": np.round(RANDOM.normal(size=500) + LABELS),
    "almost only zeros": (RANDOM.uniform(size=500) > 0.95) * 200.0,
    "one value": np.full(500, 3.0),
    "large numbers": 1e7 + 1e-3 * LABELS,
    "classes": LABELS.astype(float),
}
X = np.column_stack(list(COLUMNS.values()))


@pytest.mark.parametrize("n_neighbors", [1, 3, 10])
def test_the_estimates_are_those_of_scikit_learn(n_neighbors):
    expected = mutual_info_classif(X, LABELS, n_neighbors=n_neighbors, random_state=7)
    found = class_information(X, LABELS, n_neighbors, seed=7)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_classes_of_few_rows_have_fewer_neighbors_and_single_rows_are_ignored():
    labels = LABELS.copy()
    labels[:6] = 4, 4, 5, 5, 5, 6
    numbers = RANDOM.normal(size=(500, 3))
    expected = mutual_info_classif(numbers, labels, n_neighbors=3, random_state=7)
    np.testing.assert_allclose(class_information(numbers, labels, 3, seed=7), expected, rtol=1e-6)


def test_blocks_of_columns_do_not_change_the_estimates(monkeypatch):
    whole = class_information(X, LABELS, 3, seed=7)
    monkeypatch.setitem(module._BLOCK_VALUES, "cpu", 1000)  # two columns
    np.testing.assert_array_equal(class_information(X, LABELS, 3, seed=7), whole)
