"""Rankings within a budget: what units add to each other matters, not only their ranks."""

import numpy as np
import pytest

from ipcae import ClassificationSelector, RegressionSelector
from ipcae.constraints import Constraints
from ipcae.selectors.classical.examples import Examples
from ipcae.selectors.classical.unit_forward import UnitResiduals
from ipcae.selectors.classical.within_budget import FEWEST_ROWS, with_additions


def ridge_error(inputs, targets, columns, ridge):
    """Return the smallest sum of squared errors and penalties of a ridge regression."""
    own = inputs[:, columns]
    weights = np.linalg.solve(own.T @ own + ridge * np.eye(len(columns)), own.T @ targets)
    return np.square(targets - own @ weights).sum() + ridge * np.square(weights).sum()


@pytest.mark.parametrize("shape", [(40, 12), (9, 20)], ids=str)
@pytest.mark.parametrize("n_targets", [1, 50])
def test_gains_are_those_of_ridge_regressions_on_the_units(shape, n_targets):
    random, ridge = np.random.default_rng(0), 3.0
    inputs, targets = random.normal(size=shape), random.normal(size=(shape[0], n_targets))
    constraints = Constraints(shape[1], groups=((0, 4), (1, 2, 3), (6, 7)))
    left = UnitResiduals(inputs, constraints, targets, ridge)
    known = np.zeros(0, dtype=int)
    for unit in (1, 3, 0):
        before = ridge_error(inputs, targets, known, ridge)
        gains = left.gains()
        for other in (0, 1, 2, 3, 5):
            columns = np.union1d(known, constraints.columns([other]))
            if len(columns) > len(known):
                after = ridge_error(inputs, targets, columns, ridge)
                assert gains[other] == pytest.approx(before - after)
        left.remove(constraints.columns([unit]))
        known = np.union1d(known, constraints.columns([unit]))


def with_cheap_copies(seed):
    """Return four causes, three noisy copies of each and noise; a cause costs as much as five."""
    random = np.random.default_rng(seed)
    causes = random.normal(size=(80, 4))
    copies = np.tile(causes, 3) + 0.4 * random.normal(size=(80, 12))
    X = np.hstack([causes, copies, random.normal(size=(80, 20))])
    return X, causes @ [1.0, 0.9, 0.8, 0.7], np.repeat([5.0, 1.0], [4, 32])


@pytest.mark.parametrize(
    ("selector", "seed"),
    [(RegressionSelector, 1), (RegressionSelector, 2), (ClassificationSelector, 3)],
)
def test_a_cheap_copy_of_every_cause_is_found(selector, seed):
    X, y, costs = with_cheap_copies(seed)
    if selector is ClassificationSelector:
        y = y > 0
    fitted = selector(6, feature_costs=costs, budget=6, max_epochs=1, random_state=0).fit(X, y)
    causes = {column % 4 for column in fitted.get_support(indices=True) if column < 16}
    assert causes == {0, 1, 2, 3}


def test_with_few_rows_the_choice_of_the_ranking_is_kept():
    X, y, costs = with_cheap_copies(0)
    given = Constraints(36, costs=tuple(costs), budget=6.0)
    ranked = np.array([28, 29, 30, 31])
    for n_rows in (FEWEST_ROWS - 1, FEWEST_ROWS):
        examples = Examples(X[:n_rows], y[:n_rows, None], discrete=False)
        units = with_additions(given, ranked, np.ones(36), 4, examples)
        assert (units is ranked) == (n_rows < FEWEST_ROWS)
