"""Numbers are predicted in their own unit."""

import numpy as np
import pytest
from sklearn.metrics import r2_score

from ipcae import RegressionSelector, TrainingWarning


@pytest.fixture
def rows():
    """Return rows to learn from and rows to be judged by, 300 each."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(300, 8)), rng.normal(size=(300, 8))


@pytest.mark.parametrize(("unit", "offset"), [(1, 0), (1e6, 3e6), (1e-6, 0), (1, 1e6)])
def test_one_number_is_learned_in_its_unit(rows, thorough, unit, offset):
    train, test = rows
    thorough |= {"n_runs": 1}
    selector = RegressionSelector(2, **thorough)
    selector.fit(train, unit * (train[:, 1] - train[:, 6]) + offset)
    truth = unit * (test[:, 1] - test[:, 6]) + offset
    assert selector.get_support(indices=True).tolist() == [1, 6]
    assert selector.score(test, truth) > 0.9
    assert selector.score(test, truth) == r2_score(truth, selector.predict(test))


def test_several_targets_in_different_units_are_learned(rows, thorough):
    train, test = rows
    units = np.array([1e-3, 1, 1e6])
    selector = RegressionSelector(3, **thorough).fit(train, train[:, [0, 2, 5]] * units)
    assert selector.get_support(indices=True).tolist() == [0, 2, 5]
    each = r2_score(test[:, [0, 2, 5]] * units, selector.predict(test), multioutput="raw_values")
    assert each.shape == (3,)
    assert each.min() > 0.9


@pytest.mark.parametrize("shape", [(80,), (80, 2)])
def test_a_constant_target_is_predicted_as_it_is_with_a_warning(X, quick, shape):
    settings = quick | {"max_epochs": 80, "learning_rate": 0.02, "decoder": "linear"}
    with pytest.warns(TrainingWarning, match=r"y is 0\.1.* in every row: .*nothing to predict"):
        selector = RegressionSelector(2, **settings).fit(X, np.full(shape, 0.1))
    np.testing.assert_allclose(selector.predict(X), 0.1, atol=0.05)


def test_the_unit_of_the_target_changes_nothing_else(X, values, quick):
    one, thousand = (RegressionSelector(2, **quick).fit(X, unit * values) for unit in (1, 1024))
    np.testing.assert_array_equal(one.selection_.features, thousand.selection_.features)
    np.testing.assert_allclose(thousand.predict(X), 1024 * one.predict(X), rtol=1e-6)
