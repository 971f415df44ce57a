"""From training to K features and a decoder that reads exactly those."""

import numpy as np
import pytest
import torch

from ipcae.constraints import Constraints
from ipcae.decoders import Mlp
from ipcae.losses import CrossEntropy, SquaredError
from ipcae.parametrizations import Direct, Full
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.selectors import Concrete, SelectThenDecode
from ipcae.training import Plan, curve, train
from ipcae.training.epochs.validation import evaluate
from tests.parts import PARAMETRIZATIONS
from tests.problems import choose_features, problem

RUNS = Runs.of([1, 2, 3], 1e-2)
PLAN = Plan(max_epochs=8, batch_size=16)


@pytest.fixture
def colliding():
    """Return a CAE whose nodes are too many for the features that matter."""
    return SelectThenDecode(Concrete(Direct()), Mlp((8,)), 9, 6, 3)


def choose(model, rows, validation, plan=PLAN, runs=RUNS, **settings):
    return choose_features(model, CrossEntropy(), rows, validation, runs, plan, **settings)


@pytest.mark.parametrize("fine_tune_epochs", [0, 4])
def test_every_run_selects_k_different_features(colliding, rows, validation, fine_tune_epochs):
    choice = choose(colliding, rows, validation, fine_tune_epochs=fine_tune_epochs)
    for run, selection in enumerate(choice.selections):
        assert len(set(selection.features)) == 6
        assert choice.params["buffer:features"][run].tolist() == selection.features.tolist()
        assert selection.support().sum() == 6
    assert min(selection.unique_percentage for selection in choice.selections) < 100


def test_nodes_that_do_not_collide_keep_their_features(model, rows, validation):
    choice = choose(model, rows, validation)
    unique = [s for s in choice.selections if s.unique_percentage == 100]
    assert unique
    for selection in unique:
        np.testing.assert_array_equal(selection.features, selection.chosen)


def test_collisions_may_be_left_as_they_are(colliding, rows, validation):
    choice = choose(colliding, rows, validation, unique=False)
    for selection in choice.selections:
        np.testing.assert_array_equal(selection.features, selection.chosen)


def test_without_changes_the_decoder_is_the_trained_one(colliding, rows, validation):
    choice = choose(colliding, rows, validation, unique=False)
    fit = train(colliding, problem(CrossEntropy(), rows, validation, RUNS, PLAN))
    np.testing.assert_allclose(choice.validation_loss, fit.best_loss, rtol=1e-6)
    assert choice.best_epoch == fit.best_epoch
    predictions = choice.model.predict(choice.params, validation.inputs)
    assert torch.equal(predictions, colliding.predict(fit.params, validation.inputs))


@pytest.mark.parametrize("unique", [False, True])
def test_fine_tuning_never_raises_the_validation_loss(colliding, rows, validation, unique):
    short = Plan(max_epochs=2, batch_size=16)
    before = choose(colliding, rows, validation, short, unique=unique)
    after = choose(colliding, rows, validation, short, unique=unique, fine_tune_epochs=10)
    assert (after.validation_loss <= before.validation_loss).all()
    assert (after.validation_loss < before.validation_loss).any()


def test_ruinous_fine_tuning_changes_nothing(colliding, rows, validation):
    runs, plan = Runs.of([1], 1e4), Plan(max_epochs=2, batch_size=16)
    before = choose(colliding, rows, validation, plan, runs)
    after = choose(colliding, rows, validation, plan, runs, fine_tune_epochs=3)
    assert after.validation_loss[0] <= before.validation_loss[0]


def test_fine_tuning_has_a_schedule_of_its_own(colliding, rows, validation):
    asked = []

    def schedule(progress):
        asked.append(progress)
        return 1.0

    plan = Plan(max_epochs=4, batch_size=16, schedule=schedule)
    choose(colliding, rows, validation, plan, fine_tune_epochs=3)
    assert asked == [0.0, 0.25, 0.5, 0.75]


def test_validation_loss_is_that_of_the_final_model(colliding, rows, validation):
    choice = choose(colliding, rows, validation, fine_tune_epochs=3)
    evaluated, _ = evaluate(choice.model, CrossEntropy(), choice.params, validation)
    np.testing.assert_allclose(choice.validation_loss, evaluated, rtol=1e-6)


def test_the_final_model_reads_the_selected_features_only(colliding, rows, validation):
    choice = choose(colliding, rows, validation, fine_tune_epochs=2)
    before = choice.model.predict(choice.params, validation.inputs)
    for run, selection in enumerate(choice.selections):
        changed = validation.inputs.clone()
        changed[:, ~selection.support()] = 1e3
        assert torch.equal(choice.model.predict(choice.params, changed)[run], before[run])


def test_fine_tuning_follows_training_in_the_history(model, rows, validation):
    choice = choose(model, rows, validation, fine_tune_epochs=4)
    columns = choice.history.columns()
    assert sorted(set(columns["epoch"])) == list(range(8 + 4))
    assert len(curve(columns, "validation_loss", 0)) == 8 + 4
    assert len(curve(columns, "temperature", 0)) == 8


@pytest.mark.parametrize("parametrization", PARAMETRIZATIONS)
def test_excluded_features_are_never_chosen(parametrization, rows, validation):
    # Features 2 and 5 decide the classes: training would want nothing else.
    selector = Concrete(PARAMETRIZATIONS[parametrization]())
    excluding = SelectThenDecode(selector, Mlp((8,)), 9, 7, 3, Constraints(9, avoided=(2, 5)))
    plan = Plan(max_epochs=10, batch_size=16)
    choice = choose(excluding, rows, validation, plan, Runs.of([1, 2], [1e-2, 0.3]))
    for selection in choice.selections:
        assert not set(selection.chosen) & {2, 5}
        assert set(selection.features) == {0, 1, 3, 4, 6, 7, 8}
        assert (selection.probability[[2, 5]] == 0).all()


def test_a_diverged_run_has_an_infinite_loss_and_k_features(colliding, rows, validation):
    runs = Runs.of([1, 2], [1e30, 1e-2])
    choice = choose(colliding, rows, validation, runs=runs, fine_tune_epochs=2)
    assert choice.status == ["diverged", "finished"]
    assert np.isinf(choice.validation_loss).tolist() == [True, False]
    assert len(set(choice.selections[0].features)) == 6


@pytest.fixture(scope="module")
def informed():
    """Choose on rows of which feature 4 alone decides the class."""
    x = torch.randn(400, 12, generator=torch.Generator().manual_seed(1))
    y = (x[:, 4] > 0).long()
    model = SelectThenDecode(Concrete(Full()), Mlp((16,)), 12, 3, 2)
    return choose_features(
        model,
        CrossEntropy(),
        Rows(x[:300], y[:300]),
        Rows(x[300:], y[300:]),
        Runs.of([1, 2], 1e-2),
        Plan(max_epochs=40, batch_size=50),
        fine_tune_epochs=10,
    )


def test_the_only_informative_feature_is_found(informed):
    for selection in informed.selections:
        assert 4 in selection.features
        assert selection.probability.argmax() == 4
        assert selection.probability[4] > 0.9


def test_the_only_informative_feature_is_the_most_important(informed):
    assert informed.importance.shape == (2, 3)
    for selection, importance in zip(informed.selections, informed.importance, strict=True):
        own = importance[selection.features == 4]
        others = importance[selection.features != 4]
        assert own > 0.5
        assert own > 5 * np.abs(others).max()


def test_a_column_that_does_not_vary_has_no_importance():
    x = torch.randn(60, 4, generator=torch.Generator().manual_seed(0))
    x[:, 1] = 2.0
    model = SelectThenDecode(Concrete(Direct()), Mlp((8,)), 4, 4, 4)
    rows = Rows(x)
    choice = choose_features(model, SquaredError(), rows, rows, Runs.of([1]), PLAN)
    importance = dict(zip(choice.selections[0].features, choice.importance[0], strict=True))
    assert importance[1] == pytest.approx(0, abs=1e-6)
    assert min(abs(value) for feature, value in importance.items() if feature != 1) > 1e-6
