"""A run that diverges is left out with a warning; the others are used."""

import warnings

import numpy as np
import pytest

from ipcae import InputError, ReconstructionSelector, RegressionSelector, TrainingWarning


@pytest.fixture
def half_diverged(X, quick):
    rates = [1e-3, 1e30, 1e-2]
    selector = ReconstructionSelector(2, n_runs=3, learning_rate=rates, **quick)
    with pytest.warns(TrainingWarning, match=r"Run 1 \(seed \d+\) diverged; it is left out"):
        selector.fit(X)
    return selector


def test_the_other_runs_answer(half_diverged, X, quick):
    assert half_diverged.run_status_ == ["finished", "diverged", "finished"]
    assert half_diverged.best_run_ in (0, 2)
    assert np.isinf(half_diverged.validation_loss_).tolist() == [False, True, False]
    assert np.isfinite(half_diverged.reconstruct(X)).all()
    alone = ReconstructionSelector(2, learning_rate=1e-3, **quick).fit(X)
    np.testing.assert_array_equal(half_diverged.with_run(0).reconstruct(X), alone.reconstruct(X))


def test_a_diverged_run_does_not_count_as_another_seed(half_diverged):
    (other,) = {0, 2} - {half_diverged.best_run_}
    support = half_diverged.with_run(other).get_support()
    np.testing.assert_array_equal(half_diverged.other_seeds_, support)
    assert sorted(half_diverged.ranking_) == [1, 2, 3, 4, 5, 6]


def test_a_diverged_run_is_not_to_be_asked(half_diverged):
    with pytest.raises(InputError, match="Run 1 diverged"):
        half_diverged.with_run(1)


def test_the_warning_points_at_the_caller(X, quick):
    with pytest.warns(TrainingWarning) as caught:
        ReconstructionSelector(2, n_runs=2, learning_rate=[1e-3, 1e30], **quick).fit(X)
    assert [warning.filename for warning in caught] == [__file__]


class NotANumberIn:
    """A squared error that is not a number in some of the training batches."""

    def __init__(self, batches):
        self.batches = batches
        self.n_trained = 0

    def __call__(self, outputs, targets):
        self.n_trained += outputs.requires_grad
        broken = outputs.requires_grad and self.n_trained in self.batches
        return (float("nan") if broken else 1.0) * (outputs - targets).square().mean(-1)


@pytest.mark.parametrize("settings", [{"learning_rate": 1e30}, {"loss": NotANumberIn(range(99))}])
def test_if_every_run_diverges_fit_raises_an_error(X, values, quick, settings):
    selector = RegressionSelector(2, n_runs=2, **quick | settings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError, match=r"diverged in every run.*lower the learning rate"):
            selector.fit(X, values)
    assert not hasattr(selector, "params_")


def test_a_run_that_diverges_late_keeps_its_best_state(X, values, quick):
    # Two batches make an epoch: the third epoch breaks.
    selector = RegressionSelector(2, loss=NotANumberIn([5]), **quick)
    with pytest.warns(TrainingWarning, match="diverged; its best state before that is kept"):
        selector.fit(X, values)
    assert selector.run_status_ == ["diverged"]
    assert selector.best_epoch_[0] in (0, 1)
    assert np.isfinite(selector.predict(X)).all()
