"""Scores that are computed once for the same rows."""

from dataclasses import replace

import numpy as np

from ipcae.selectors import RandomForest
from ipcae.selectors.classical.base import Examples
from ipcae.selectors.classical.score_cache import cached_scores

calls = []


class Counted(RandomForest):
    def scores(self, examples, n_selected, seed):
        calls.append(seed)
        return super().scores(examples, n_selected, seed)


def test_a_forest_is_grown_once_for_the_same_rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(50, 4))
    examples = Examples(X, (X[:, :1] > 0).astype(float), discrete=True)
    forest = Counted(n_trees=5)
    first = cached_scores(forest, examples, seed=0)
    np.testing.assert_array_equal(first, RandomForest(5).scores(examples, 1, 0))
    first[:] = 0
    again = cached_scores(forest, replace(examples, inputs=X.copy()), seed=0)
    assert again.argmax() == 0
    assert again.max() > 0
    assert calls == [0]
    for others in (replace(examples, inputs=X + 1), replace(examples, weights=np.ones(50))):
        cached_scores(forest, others, seed=0)
    cached_scores(forest, examples, seed=1)
    assert calls == [0, 0, 0, 1]
