"""Skewed columns are ranked by their normal scores, if these predict better."""

import numpy as np
import pytest

from ipcae.selectors.classical import Adaptive, GroupLasso, preferred
from ipcae.selectors.classical import adaptive as module
from ipcae.selectors.classical.examples import Examples
from ipcae.selectors.classical.preferred import on_preferred_scale

N_SELECTED = 6


def skewed_table(seed, n_classes, logarithmic=True):
    """Return log-normal columns; the first six, or their logarithms, determine the target."""
    random = np.random.default_rng(seed)
    logs = random.normal(size=(100, 400))
    relevant = logs[:, :N_SELECTED] if logarithmic else np.exp(logs[:, :N_SELECTED])
    y = relevant.sum(1) + 0.5 * random.normal(size=100)
    if n_classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes)).astype(float)
    return Examples(np.exp(logs), y[:, None], n_classes > 0)


def n_found(examples):
    scores = Adaptive().scores(examples, N_SELECTED, 0)
    return int((examples.best_columns(scores, N_SELECTED) < N_SELECTED).sum())


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_effects_of_logarithms_are_found(n_classes, monkeypatch):
    monkeypatch.setattr(module, "scores_or_curves", lambda _, scores, __: scores)
    tables = [skewed_table(seed, n_classes) for seed in range(4)]
    found = sum(map(n_found, tables))
    monkeypatch.setattr(module, "on_preferred_scale", lambda examples, *_: (examples, {}))
    assert found >= sum(map(n_found, tables)) + 2


def test_effects_of_the_values_themselves_are_found_as_before(monkeypatch):
    tables = [skewed_table(seed, n_classes=0, logarithmic=False) for seed in range(4)]
    found = sum(map(n_found, tables))
    monkeypatch.setattr(module, "on_preferred_scale", lambda examples, *_: (examples, {}))
    assert found >= sum(map(n_found, tables))


def test_noise_keeps_its_scale():
    random = np.random.default_rng(0)
    X, y = random.lognormal(size=(100, 50)), random.normal(size=(100, 1))
    examples = Examples(X, y, discrete=False)
    kept, _ = on_preferred_scale(examples, GroupLasso(), N_SELECTED)
    assert kept is examples


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_the_errors_of_a_ranking_are_computed_once_for_each_scale(n_classes, monkeypatch):
    computed = []

    def spy(ranking, examples, n_selected):
        computed.append((ranking, examples.inputs.tobytes()))
        return errors_of(ranking, examples, n_selected)

    errors_of = preferred.errors_of
    monkeypatch.setattr(preferred, "errors_of", spy)
    n_found(skewed_table(0, n_classes))
    assert len(computed) == len(set(computed)) > 2
