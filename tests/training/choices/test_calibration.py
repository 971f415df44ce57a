"""The class probabilities of decoders are calibrated."""

import numpy as np
import pytest
import torch
from sklearn.metrics import log_loss

from ipcae import ClassificationSelector, Mlp
from ipcae.runs import Stream
from ipcae.training.choices import calibration


@pytest.mark.parametrize("decoder", [Mlp(()), Mlp((5,)), Mlp((5, 4), skip=True)], ids=repr)
def test_a_scaled_decoder_multiplies_its_outputs(decoder):
    params, inputs = decoder.init(3, 2, Stream([0, 1])), torch.randn(2, 7, 3)
    factors = torch.tensor([0.5, 1.0])
    expected = decoder.apply(params, inputs) * factors.view(-1, 1, 1)
    torch.testing.assert_close(decoder.apply(decoder.scaled(params, factors), inputs), expected)


@pytest.fixture(scope="module")
def table():
    """Return rows of which a fifth has the wrong class."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 8))
    return X, (X[:, 0] + X[:, 1] > 0) ^ (rng.random(400) < 0.2)


def fitted(X, y, **settings):
    given = {"n_runs": 2, "random_state": 0, **settings}
    return ClassificationSelector(7, **given).fit(X, y)


def test_the_probabilities_of_a_small_table_are_softened_and_its_classes_kept(table, monkeypatch):
    X, y = table
    rows, new = slice(0, 150), slice(150, None)
    softened = fitted(X[rows], y[rows])
    monkeypatch.setattr(calibration, "FEW_ROWS", 0)
    certain = fitted(X[rows], y[rows])
    np.testing.assert_array_equal(softened.predict(X[new]), certain.predict(X[new]))
    losses = [log_loss(y[new], one.predict_proba(X[new])) for one in (softened, certain)]
    assert losses[0] < losses[1] - 0.02


def test_labels_are_calibrated_too(table, monkeypatch):
    X, y = table
    labels = np.stack([y, X[:, 2] > 0], axis=1).astype(int)
    softened = fitted(X[:150], labels[:150])
    monkeypatch.setattr(calibration, "FEW_ROWS", 0)
    certain = fitted(X[:150], labels[:150])
    np.testing.assert_array_equal(softened.predict(X), certain.predict(X))
    assert not np.array_equal(softened.predict_proba(X), certain.predict_proba(X))


def test_a_run_has_its_own_temperature_whatever_the_others_are(table):
    X, y = table
    together, alone = fitted(X[:150], y[:150]), fitted(X[:150], y[:150], n_runs=1)
    first = together.with_run(0)
    np.testing.assert_array_equal(first.predict_proba(X), alone.predict_proba(X))
