"""The losses: of the task, by name, as an object, and custom ones."""

import numpy as np
import pytest
import torch

from ipcae import ClassificationSelector, InputError, ReconstructionSelector, RegressionSelector
from ipcae.losses import Huber, SquaredError
from ipcae.training.choices import calibration


def squared(outputs, targets):
    return (outputs - targets).square().mean(-1)


def absolute(outputs, targets):
    return (outputs - targets).abs().mean(-1)


def doubled_cross_entropy(outputs, targets):
    index = targets.expand(outputs.shape[:2]).unsqueeze(-1)
    return -2 * torch.log_softmax(outputs, dim=-1).gather(-1, index).squeeze(-1)


@pytest.mark.parametrize("loss", ["squared_error", SquaredError(), squared])
def test_the_squared_error_has_three_names(X, values, quick, loss):
    usual = RegressionSelector(2, **quick).fit(X, values)
    named = RegressionSelector(2, loss=loss, **quick).fit(X, values)
    np.testing.assert_array_equal(named.predict(X), usual.predict(X))


def test_a_huber_loss_is_one_by_name_and_as_an_object(X, values, quick):
    name, same, other = (
        RegressionSelector(2, loss=loss, **quick).fit(X, values).predict(X)
        for loss in ("huber", Huber(1.0), Huber(0.1))
    )
    np.testing.assert_array_equal(name, same)
    assert not np.allclose(name, other)


@pytest.fixture
def with_outliers():
    """Return rows and targets, of which every tenth is far too large."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 10))
    values = X[:, 2] - X[:, 7]
    return X, values, values + 30 * (np.arange(300) % 10 == 0)


@pytest.mark.parametrize("robust", ["huber", absolute], ids=["huber", "own function"])
def test_robust_losses_withstand_outliers(with_outliers, thorough, robust):
    X, values, spoiled = with_outliers
    selectors = [
        RegressionSelector(2, loss=loss, **thorough).fit(X, spoiled) for loss in (None, robust)
    ]
    errors = [np.abs(selector.predict(X) - values).mean() for selector in selectors]
    assert selectors[1].get_support(indices=True).tolist() == [2, 7]
    assert errors[1] < errors[0] / 2


def test_a_function_serves_classification_and_reconstruction(X, classes, quick, monkeypatch):
    monkeypatch.setattr(calibration, "FEW_ROWS", 0)  # what a function's outputs mean is unknown
    own = ClassificationSelector(2, loss=doubled_cross_entropy, **quick).fit(X, classes)
    usual = ClassificationSelector(2, **quick).fit(X, classes)
    # Adam does not care for the scale of a loss.
    np.testing.assert_allclose(own.predict_proba(X), usual.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(own.validation_loss_, 2 * usual.validation_loss_, rtol=1e-4)
    same = ReconstructionSelector(2, loss=squared, **quick).fit(X)
    np.testing.assert_array_equal(
        same.reconstruct(X), ReconstructionSelector(2, **quick).fit(X).reconstruct(X)
    )


def test_a_loss_of_pytorch_is_refused_before_training(X, values, quick):
    with pytest.raises(InputError, match=r"MSELoss\(\) of PyTorch .* None, which is SquaredError"):
        RegressionSelector(2, **{**quick, "loss": torch.nn.MSELoss()}).fit(X, values)
