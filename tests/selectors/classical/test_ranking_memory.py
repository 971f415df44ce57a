"""The memory of a ranking is estimated before it is needed."""

import tracemalloc

import numpy as np
import pytest

from ipcae import ClassificationSelector
from ipcae.selectors import METHODS
from ipcae.selectors.classical import RANKINGS, Examples


@pytest.mark.parametrize("name", ["anova", "elimination", "backward", "group-lasso", "adaptive"])
@pytest.mark.parametrize("shape", [(300, 40), (60, 1000)])
def test_scores_need_no_more_memory_than_estimated(name, shape):
    x = np.random.default_rng(0).normal(size=shape)
    examples = Examples(x, (x[:, :1] > 0).astype(float), True)
    RANKINGS[name].scores(examples, 5, 0)  # imports
    tracemalloc.start()
    RANKINGS[name].scores(examples, 5, 0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    grows = RANKINGS[name].ranking_bytes(*shape) - RANKINGS[name].ranking_bytes(0, 0)
    assert grows / 12 < peak < RANKINGS[name].ranking_bytes(*shape)


def test_the_estimate_of_a_fit_includes_the_ranking():
    selector = ClassificationSelector(10, n_runs=1, device="cpu")
    rows = {"n_rows": 3000, "n_features": 5000, "n_outputs": 2}
    ranking = METHODS["shortlist"].ranking_bytes(3000, 5000)
    by_default = selector.estimate_memory(**rows)
    joint = selector.set_params(method="ip-cae").estimate_memory(**rows)
    assert by_default.total > ranking > joint.total
