"""Ctrl-C during fit leaves a usable selector."""

import os
import signal

import numpy as np
import pandas as pd
import pytest

from ipcae import RegressionSelector, TrainingWarning


class InterruptsIn:
    """A squared error that presses Ctrl-C in some of the training batches."""

    def __init__(self, *batches):
        self.batches = batches
        self.n_trained = 0

    def __call__(self, outputs, targets):
        self.n_trained += outputs.requires_grad
        if outputs.requires_grad and self.n_trained in self.batches:
            os.kill(os.getpid(), signal.SIGINT)
        return (outputs - targets).square().mean(-1)


@pytest.fixture(autouse=True)
def handler():
    """Install Python's own handler of Ctrl-C, which a background process may lack."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def settings(quick):
    """Return settings of two batches for each of 50 epochs."""
    return quick | {"max_epochs": 50, "n_runs": 2}


@pytest.fixture
def interrupted(X, values, settings):
    selector = RegressionSelector(2, loss=InterruptsIn(7), **settings)
    with pytest.warns(TrainingWarning, match="interrupted; the best state so far is kept"):
        return selector.fit(X, values)


def test_an_interrupted_selector_is_fitted(interrupted, X):
    assert interrupted.run_status_ == ["interrupted"] * 2
    assert interrupted.transform(X).shape == (80, 2)
    assert np.isfinite(interrupted.predict(X)).all()
    assert sorted(interrupted.ranking_) == [1, 2, 3, 4, 5, 6]


def test_training_ends_with_the_epoch_of_the_interrupt(interrupted):
    assert pd.DataFrame(interrupted.history_).epoch.max() == 3


def test_the_interrupted_epochs_went_as_usual(interrupted, X, values, settings):
    table = pd.DataFrame(interrupted.history_)
    whole = pd.DataFrame(RegressionSelector(2, **settings).fit(X, values).history_)
    losses = [t.query("metric == 'validation_loss' and epoch < 4").value for t in (table, whole)]
    np.testing.assert_array_equal(*losses)


def test_ctrl_c_works_as_before_afterwards(interrupted, handler):
    assert signal.getsignal(signal.SIGINT) is handler


def test_an_interrupt_of_the_fine_tuning_is_reported(X, values, settings):
    settings |= {"max_epochs": 5, "fine_tune": 5}
    selector = RegressionSelector(2, loss=InterruptsIn(13), **settings)
    with pytest.warns(TrainingWarning, match="interrupted"):
        selector.fit(X, values)
    assert selector.history_["epoch"].max() == 6
    assert np.isfinite(selector.predict(X)).all()


def test_a_second_ctrl_c_ends_at_once(X, values, settings):
    selector = RegressionSelector(2, loss=InterruptsIn(7, 8), **settings)
    with pytest.raises(KeyboardInterrupt):
        selector.fit(X, values)
    assert not hasattr(selector, "params_")
