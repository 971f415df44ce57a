"""Groups of columns are ranked by what all their columns know together."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from ipcae import ChannelSelector, ClassificationSelector
from ipcae.selectors.classical import Adaptive
from ipcae.selectors.classical import group_forward as module
from ipcae.selectors.classical.examples import Examples
from ipcae.selectors.classical.group_forward import GroupForward, leave_one_out_error

N_CHANNELS, N_TIMES = 12, 40


def channels(seed, discrete, n_rows=90):
    """Return drifting channels, of which two have a fast oscillation that depends on the target."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, N_CHANNELS, N_TIMES)).cumsum(2)
    number = random.normal(size=n_rows)
    y = (number > 0).astype(float) if discrete else number
    strength = 0.6 if discrete else 0.4
    X[:, [2, 7]] += strength * (y[:, None] * np.sin(1.5 * np.arange(N_TIMES)))[:, None]
    units = np.repeat(np.arange(N_CHANNELS), N_TIMES)
    return Examples(X.reshape(n_rows, -1), y[:, None], discrete, units=units)


def selected(ranking, examples, n_selected):
    scores = ranking.scores(examples, n_selected, 0)
    return {*examples.units[examples.best_columns(scores, n_selected)].tolist()}


@pytest.mark.parametrize("ranking", [GroupForward(), Adaptive()])
@pytest.mark.parametrize("discrete", [True, False])
def test_oscillations_below_a_drift_are_found(ranking, discrete):
    assert selected(ranking, channels(1, discrete), 2) == {2, 7}


def test_the_channel_selector_finds_them_by_default():
    examples = channels(3, discrete=True)
    X = examples.inputs.reshape(-1, N_CHANNELS, N_TIMES)
    selector = ChannelSelector(ClassificationSelector(2, max_epochs=1, random_state=0))
    assert {*selector.fit(X, examples.targets[:, 0]).channels_} == {2, 7}


def test_the_first_group_has_the_largest_score_and_all_its_columns_the_same():
    examples = channels(0, discrete=True)
    scores = GroupForward().scores(examples, 3, 0).reshape(N_CHANNELS, N_TIMES)
    assert (scores == scores[:, :1]).all()
    assert sorted(scores[:, 0])[-3:] == [1, 2, 3]
    assert ((scores >= 0) & (scores <= 3)).all()
    assert (scores[:, 0] < 1).sum() == N_CHANNELS - 3


def test_columns_of_a_group_need_not_be_neighbors():
    examples = channels(0, discrete=False)
    order = np.random.default_rng(1).permutation(examples.inputs.shape[1])
    mixed = examples.with_columns(order)
    scores = GroupForward().scores(examples, 2, 0)
    np.testing.assert_allclose(GroupForward().scores(mixed, 2, 0), scores[order], rtol=1e-6)


def test_a_copy_of_a_group_is_not_added():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 8))
    X[:, 2:4] = X[:, :2] + 0.01 * random.normal(size=(80, 2))
    y = X[:, [0]] + X[:, [1]] + 0.5 * X[:, [4]]
    examples = Examples(X, y, False, units=np.repeat(np.arange(4), 2))
    assert 2 in selected(GroupForward(), examples, 2)


def test_a_large_group_of_noise_is_not_preferred():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 56))
    y = X[:, [0]] + X[:, [2]] + random.normal(size=(60, 1))
    examples = Examples(X, y, False, units=np.array([0, 0, 1, 1, 2, 2, *[3] * 50]))
    assert selected(GroupForward(), examples, 2) == {0, 1}


@pytest.mark.parametrize("n_selected", [1, 11, 25, 30])
def test_many_groups_are_added_in_several_steps(n_selected):
    X = np.random.default_rng(0).normal(size=(50, 60))
    examples = Examples(X, X[:, ::2].sum(1, keepdims=True), False, units=np.arange(60) // 2)
    scores = GroupForward().scores(examples, n_selected, 0)
    assert sorted({*scores[scores >= 1]}) == list(range(1, n_selected + 1))


def test_weights_and_constant_columns_are_allowed():
    examples = channels(0, discrete=True)
    inputs = examples.inputs.copy()
    inputs[:, :N_TIMES] = 1.0
    weights = np.where(np.arange(len(inputs)) < 80, 1.0, 0.0)
    given = replace(examples, inputs=inputs, weights=weights)
    assert selected(GroupForward(), given, 2) == {2, 7}


@pytest.mark.parametrize("n_columns", [5, 40])
def test_the_error_is_that_of_refitted_models(n_columns, monkeypatch):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(30, n_columns)), random.normal(size=(30, 2))
    X, y = X - X.mean(0), y - y.mean(0)
    monkeypatch.setattr(module, "PENALTIES", np.array([0.1]))
    predicted = cross_val_predict(Ridge(0.1 * 30), X, y, cv=LeaveOneOut())
    assert leave_one_out_error(X, y) == pytest.approx(np.square(y - predicted).sum())
