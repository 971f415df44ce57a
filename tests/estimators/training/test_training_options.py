"""The settings of the training do what they say."""

import numpy as np
import pandas as pd
import pytest

from ipcae import ClassificationSelector, Concrete, Direct, ReconstructionSelector
from ipcae.schedules import Constant, Cosine, Warmup


def fit(X, classes, settings, **changes):
    return ClassificationSelector(2, **settings | changes).fit(X, classes)


def n_epochs(selector, metric="validation_loss"):
    history = pd.DataFrame(selector.history_).query("metric == @metric")
    return len(history[history.run == 0])


@pytest.mark.parametrize(
    ("fine_tune", "n_more"), [(True, 2), (False, 0), (None, 0), (0, 0), (3, 3)]
)
def test_fine_tuning_adds_epochs(X, classes, quick, fine_tune, n_more):
    selector = fit(X, classes, quick, max_epochs=10, fine_tune=fine_tune)
    assert n_epochs(selector, "unique_percentage") == 10
    assert n_epochs(selector) == 10 + n_more


def test_fine_tuning_keeps_the_selection_and_lowers_the_loss(X, classes, quick):
    plain = fit(X, classes, quick, max_epochs=10, fine_tune=False)
    tuned = fit(X, classes, quick, max_epochs=10, fine_tune=10)
    np.testing.assert_array_equal(plain.selection_.features, tuned.selection_.features)
    assert tuned.validation_loss_[0] < plain.validation_loss_[0]


@pytest.mark.parametrize(("early_stopping", "patience"), [(1, 1), (3, 3), (True, 25)])
def test_a_run_stops_when_it_has_waited_long_enough(X, classes, quick, early_stopping, patience):
    # With a learning rate of zero nothing ever improves.
    changes = {"max_epochs": 100, "learning_rate": 0.0, "fine_tune": False}
    selector = fit(X, classes, quick, early_stopping=early_stopping, **changes)
    assert selector.run_status_ == ["stopped early"]
    assert n_epochs(selector) == 1 + patience


@pytest.mark.parametrize("off", [False, None])
def test_a_run_goes_on_without_early_stopping(X, classes, quick, off):
    selector = fit(X, classes, quick, learning_rate=0.0, early_stopping=off, fine_tune=False)
    assert selector.run_status_ == ["finished"]
    assert n_epochs(selector) == 4


def test_the_temperature_falls_over_all_epochs(X, classes, quick):
    selector = fit(X, classes, quick, max_epochs=10)
    table = pd.DataFrame(selector.history_).query("metric == 'temperature'")
    np.testing.assert_allclose(table.value, 10 * 0.001 ** (np.arange(10) / 10), rtol=1e-5)


@pytest.mark.parametrize("none", [None, 0])
def test_without_a_fraction_the_training_rows_validate(X, classes, quick, none):
    selector = fit(X, classes, quick, validation_fraction=none)
    likelihood = selector.predict_proba(X)[np.arange(80), classes]
    np.testing.assert_allclose(selector.validation_loss_, -np.log(likelihood).mean(), rtol=1e-5)


class NotesSizes:
    """A loss that notes how many rows it was given, in training and in validation."""

    def __init__(self):
        self.trained, self.validated = [], []

    def __call__(self, outputs, targets):
        (self.trained if outputs.requires_grad else self.validated).append(outputs.shape[1])
        return outputs.square().mean(-1)


@pytest.mark.parametrize(("fraction", "n_rows"), [(0.25, 60), (0.5, 40), (0.001, 79)])
def test_the_fraction_sets_rows_aside(X, classes, quick, fraction, n_rows):
    loss = NotesSizes()
    changes = {"batch_size": 16, "max_epochs": 1, "fine_tune": False, "loss": loss}
    fit(X, classes, quick, validation_fraction=fraction, **changes)
    assert sum(loss.trained) == n_rows
    assert set(loss.validated) == {80 - n_rows}


@pytest.mark.parametrize(
    ("batch_size", "drop_last", "sizes"),
    [(30, False, [30, 30, 20]), (30, True, [30, 30]), (1000, True, [80]), (80, False, [80])],
)
def test_batches_have_the_size_that_was_asked_for(X, classes, quick, batch_size, drop_last, sizes):
    loss = NotesSizes()
    changes = {"batch_size": batch_size, "drop_last": drop_last, "loss": loss}
    fit(X, classes, quick, max_epochs=1, validation_fraction=None, fine_tune=False, **changes)
    assert loss.trained == sizes
    assert set(loss.validated) == {sum(sizes)}


def test_automatic_batches_are_of_sixteen_rows_at_least(X, classes, quick):
    automatic = fit(X, classes, quick, batch_size="auto")
    np.testing.assert_array_equal(
        automatic.predict_proba(X), fit(X, classes, quick, batch_size=16).predict_proba(X)
    )


@pytest.mark.parametrize(
    "change",
    [
        {"shuffle": False},
        {"drop_last": True, "batch_size": 30},
        {"noise_draws": "row"},
        {"noise_draws": 1},
        {"weight_decay": 0.1},
        {"learning_rate": 1e-2},
        {"schedule": "warmup"},
        {"schedule": "cosine"},
        {"method": "cae"},
        {"batch_size": 16},
        {"max_epochs": 5},
    ],
    ids=str,
)
def test_every_setting_has_an_effect(X, classes, quick, change):
    plain = fit(X, classes, quick).predict_proba(X)
    assert not np.array_equal(plain, fit(X, classes, quick, **change).predict_proba(X))


@pytest.mark.parametrize(
    ("one", "same"),
    [
        ("constant", lambda progress: 1.0),
        ("warmup", Warmup(fraction=0.125, start=1e-3)),
        ("cosine", Cosine()),
        (Constant(0.0), lambda progress: 0.0),
    ],
)
def test_a_schedule_is_a_name_or_a_function(X, classes, quick, one, same):
    first, second = (fit(X, classes, quick, schedule=schedule) for schedule in (one, same))
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))


def test_a_schedule_multiplies_the_learning_rate(X, classes, quick):
    half = fit(X, classes, quick, schedule=Constant(0.5), learning_rate=0.02, fine_tune=False)
    plain = fit(X, classes, quick, learning_rate=0.01, fine_tune=False)
    np.testing.assert_array_equal(half.predict_proba(X), plain.predict_proba(X))


def test_noise_draws_override_those_of_the_method(X, classes, quick):
    own = fit(X, classes, quick, method=Concrete(Direct(), noise_draws=2))
    override = fit(X, classes, quick, method=Concrete(Direct()), noise_draws=np.int64(2))
    np.testing.assert_array_equal(own.predict_proba(X), override.predict_proba(X))


def test_the_cpu_is_a_device(X, quick):
    selector = ReconstructionSelector(2, device="cpu", **quick).fit(X)
    assert {tensor.device.type for tensor in selector.params_.values()} == {"cpu"}
