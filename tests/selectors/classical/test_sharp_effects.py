"""Columns with waves or steps are found, although a smooth model does not predict from them."""

import numpy as np
import pytest

from ipcae.ridge import margin
from ipcae.selectors import Adaptive
from ipcae.selectors.classical.base import Examples
from ipcae.selectors.classical.models.held_out import errors_of_columns, smooth_errors


def waves(seed, rows=600, columns=30):
    """Return a table in which the target is a sum of two waves and a linear effect."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, size=(rows, columns))
    y = 2 * np.sin(4 * np.pi * X[:, 0]) + 2 * np.cos(3 * np.pi * X[:, 1]) + 1.5 * X[:, 2]
    return X, (y + random.normal(size=rows))[:, None]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("discrete", [False, True])
def test_columns_with_waves_are_selected(seed, discrete):
    X, y = waves(seed)
    examples = Examples(X, (y > 0).astype(float) if discrete else y, discrete=discrete)
    scores = Adaptive().scores(examples, 3, seed=0)
    assert set(examples.best_columns(scores, 3)) == {0, 1, 2}


def test_a_model_for_waves_compares_columns_with_waves():
    X, y = waves(0)
    sets = [np.array([0, 1, 2]), np.array([2, 3, 4])]
    good, bad = errors_of_columns(Examples(X, y, discrete=False), sets)
    assert margin(good, bad, n_errors=2) > 0
    smooth = [smooth_errors(X[:, each], (y - y.mean()) / y.std()) for each in sets]
    assert margin(*smooth, n_errors=2) < 0


def test_smooth_effects_are_compared_by_a_smooth_model():
    X, _ = waves(0)
    y = X[:, :1] * X[:, 1:2]
    (errors,) = errors_of_columns(Examples(X, y, discrete=False), [np.array([0, 1])])
    expected = smooth_errors(X[:, :2], (y - y.mean()) / y.std())
    np.testing.assert_allclose(errors, expected, rtol=1e-6)


def steps_and_waves(seed, rows):
    """Return a table in which a wave, an interval and a corner matter."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 30))
    corner = (X[:, 2] > 0) & (X[:, 3] > 0)
    y = np.sin(3 * X[:, 0]) + 1.5 * (np.abs(X[:, 1]) < 0.6) + 1.5 * corner
    return X, y + 0.4 * random.normal(size=rows)


def test_they_are_selected_from_two_hundred_rows():
    X, y = steps_and_waves(1, 200)
    examples = Examples(X, y[:, None], discrete=False)
    assert set(examples.best_columns(Adaptive().scores(examples, 4, seed=0), 4)) == {0, 1, 2, 3}
    X, y = steps_and_waves(1, 280)
    examples = Examples(X, (y > np.median(y))[:, None].astype(float), discrete=True)
    assert set(examples.best_columns(Adaptive().scores(examples, 4, seed=0), 4)) == {0, 1, 2, 3}


@pytest.mark.parametrize("seed", range(3))
def test_waves_are_selected_from_seventy_rows(seed):
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, size=(70, 12))
    y = np.sin(4 * X[:, :2]).sum(1) + 0.3 * random.normal(size=70)
    examples = Examples(X, y[:, None], discrete=False)
    assert set(examples.best_columns(Adaptive().scores(examples, 2, seed=0), 2)) == {0, 1}


def test_they_are_selected_for_several_labels():
    X = np.random.default_rng(0).normal(size=(400, 20))
    y = np.column_stack([np.sin(4 * X[:, 0]) > 0, X[:, 1] > 0, np.abs(X[:, 2]) > 0.7])
    examples = Examples(X, y.astype(float), discrete=True)
    assert set(examples.best_columns(Adaptive().scores(examples, 3, seed=0), 3)) == {0, 1, 2}
