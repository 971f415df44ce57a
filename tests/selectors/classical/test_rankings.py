"""Which rows a ranking sees, and what becomes of its scores."""

from dataclasses import dataclass, field

import joblib
import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_info, threadpool_limits

from ipcae import ClassificationSelector, ReconstructionSelector
from ipcae.constraints import Constraints
from ipcae.losses import CrossEntropy
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.selectors import Anova, Ranking
from ipcae.training import Plan
from tests.problems import problem
from tests.random_tensors import normal

N_ROWS = 40


@dataclass(frozen=True)
class Recording(Ranking):
    """Remember the examples; prefer the first features."""

    seen: list = field(default_factory=list)

    random = False

    def scores(self, examples, n_selected, seed):
        self.seen.append(examples)
        return np.arange(examples.inputs.shape[1], 0, -1.0)


@pytest.fixture
def table():
    random = np.random.default_rng(0)
    return random.normal(size=(N_ROWS, 6)), np.arange(N_ROWS) % 2


def seen_by(ranking, fit):
    fit(ranking)
    (examples,) = ranking.seen
    return examples


def selector(ranking, **settings):
    settings = {"max_epochs": 1, "scale": None, "random_state": 0, **settings}
    return ClassificationSelector(2, method=ranking, **settings)


def test_a_ranking_sees_the_rows_held_out_for_validation(table):
    X, y = table
    weights = np.linspace(1, 2, N_ROWS)
    seen = seen_by(Recording(), lambda ranking: selector(ranking).fit(X, y, weights))
    order, expected = np.argsort(seen.inputs[:, 0]), np.argsort(X[:, 0])
    np.testing.assert_allclose(seen.inputs[order], X[expected], rtol=1e-6)
    np.testing.assert_array_equal(seen.targets[order, 0], y[expected])
    relative = seen.weights[order] / weights[expected]
    np.testing.assert_allclose(relative, relative[0], rtol=1e-6)


def test_a_ranking_for_reconstruction_sees_them_too(table):
    X, _ = table
    ranking = Recording()
    ReconstructionSelector(2, method=ranking, max_epochs=1).fit(X)
    assert ranking.seen[0].inputs.shape == X.shape
    assert ranking.seen[0].targets.shape == (N_ROWS, 0)


def test_a_ranking_does_not_see_validation_rows_of_another_table(table):
    X, y = table
    seen = seen_by(
        Recording(),
        lambda ranking: selector(ranking).fit(X[:30], y[:30], X_val=X[30:], y_val=y[30:]),
    )
    np.testing.assert_allclose(seen.inputs, X[:30], rtol=1e-6)


def test_rows_are_seen_once_when_none_are_held_out(table):
    X, y = table
    seen = seen_by(
        Recording(), lambda ranking: selector(ranking, validation_fraction=None).fit(X, y)
    )
    assert len(seen.inputs) == N_ROWS


@pytest.mark.parametrize(("n_cores", "expected"), [(1, 1), (4, 2)])
def test_linear_algebra_has_no_more_threads_than_cores(table, monkeypatch, n_cores, expected):
    monkeypatch.setattr(joblib, "cpu_count", lambda: n_cores)
    found = []

    class Watching(Recording):
        def scores(self, examples, n_selected, seed):
            found.extend(library["num_threads"] for library in threadpool_info())
            return super().scores(examples, n_selected, seed)

    with threadpool_limits(2, "blas"):
        selector(Watching()).fit(*table)
        after = [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]
    assert max(found) == expected
    assert set(after) == {2}


@pytest.mark.parametrize("seed", range(4))
def test_a_selection_within_a_budget_does_not_depend_on_the_other_runs(seed):
    x = normal(120, 8, seed=seed)
    y = (x[:, 0] + 0.7 * x[:, 1] + 0.7 * x[:, 2] + 0.6 * x[:, 3] > 0).long()
    folds = torch.zeros(2, 120)
    folds[0, :80] = folds[1, 40:] = 1  # the two take turns, with different numbers of features
    runs = Runs.of([0] * 4, 1e-2, n_selected=[2, 2, 3, 3])
    given = Constraints(8, costs=(3.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0), budget=3.0)
    rows, settings = Rows(x, y, folds.repeat(2, 1)), {"n_selected": 3, "constraints": given}
    stated = problem(CrossEntropy(), rows, Rows(x[:5], y[:5]), runs, Plan(), **settings)
    together = Anova().selections(stated)
    for run, selection in enumerate(together):
        (alone,) = Anova().selections(stated.of_runs([run]))
        assert selection.features.tolist() == alone.features.tolist()
