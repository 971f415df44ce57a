"""Run r of a batch reproduces the same run by itself, bit for bit on the CPU."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from ipcae.decoders import Mlp
from ipcae.losses import BinaryCrossEntropy, CrossEntropy, Huber, SquaredError
from ipcae.parametrizations import Direct, Full
from ipcae.regularizers import Gjsd
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.schedules import Linear
from ipcae.selection import distinct_features
from ipcae.selectors import (
    Concrete,
    DenseToSparse,
    LassoNet,
    SelectThenDecode,
    Shape,
    StochasticGates,
    Subset,
)
from ipcae.selectors.screening_model import ScreeningModel
from ipcae.training import Plan, curve, train
from tests.parts import PARAMETRIZATIONS
from tests.problems import choose_features, problem

# (features, batch): with 43 training rows every epoch ends in a partial batch.
SIZES = [(13, 10), (33, 16), (77, 10)]
RUNS = Runs.of([11, 22, 33], learning_rate=[1e-3, 3e-2, 1e-3], penalty_weight=[0.0, 0.05, 0.5])
LOSSES = {
    "cross-entropy": CrossEntropy(),
    "squared error": SquaredError(),
    "huber": Huber(),
    "binary cross-entropy": BinaryCrossEntropy(),
}


def rows_for(loss, n_features, n_rows=60):
    """Make rows whose targets some of the features decide."""
    generator = torch.Generator().manual_seed(n_features)
    x = torch.randn(n_rows, n_features, generator=generator)
    classes = (x[:, 2] > 0).long() + (x[:, 5] > 0).long()
    y = None
    if isinstance(loss, CrossEntropy):
        y = classes
    elif isinstance(loss, BinaryCrossEntropy):
        y = (x[:, 2:5] > 0).float()
    rows, n_train = Rows(x, y), n_rows - 17
    n_outputs = x.shape[1] if y is None else 3
    return rows.take(slice(n_train)), rows.take(slice(n_train, None)), n_outputs


def model_for(parametrization, n_features, n_outputs, draws):
    selector = Concrete(parametrization, noise_draws=draws, regularizer=Gjsd())
    decoder = Mlp((17,), dropout=0.2, noise=0.1, skip=True)
    return SelectThenDecode(selector, decoder, n_features, 5, n_outputs)


def assert_same_run(together, position, alone, own=0):
    """Compare everything that training returns of one run."""
    for name, tensor in alone.params.items():
        assert torch.equal(tensor[own], together.params[name][position]), name
    assert together.best_loss[position] == alone.best_loss[own]
    assert together.best_epoch[position] == alone.best_epoch[own]
    assert together.status[position] == alone.status[own]
    history, by_itself = together.history.columns(), alone.history.columns()
    for metric in set(by_itself["metric"]):
        np.testing.assert_array_equal(
            curve(history, metric, position), curve(by_itself, metric, own), err_msg=metric
        )


def assert_batched_equals_alone(model, loss, rows, validation, plan, runs=RUNS):
    together = train(model, problem(loss, rows, validation, runs, plan))
    for run in range(len(runs)):
        alone = train(model, problem(loss, rows, validation, runs.subset([run]), plan))
        assert_same_run(together, run, alone)
    return together


@pytest.mark.parametrize("parametrization", PARAMETRIZATIONS)
@pytest.mark.parametrize("loss", ["cross-entropy", "squared error"])
@pytest.mark.parametrize("draws", [1, 4, "row"])
@pytest.mark.parametrize(("n_features", "batch_size"), SIZES)
def test_every_parametrization_trains_the_same(
    parametrization, loss, draws, n_features, batch_size
):
    rows, validation, n_outputs = rows_for(LOSSES[loss], n_features)
    model = model_for(PARAMETRIZATIONS[parametrization](), n_features, n_outputs, draws)
    plan = Plan(max_epochs=2, batch_size=batch_size)
    assert_batched_equals_alone(model, LOSSES[loss], rows, validation, plan)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weighted", [False, True], ids=["equal weights", "sample weights"])
@pytest.mark.parametrize("drop_last", [False, True], ids=["partial batch", "whole batches"])
def test_every_loss_trains_the_same_down_to_the_lowest_temperature(loss, weighted, drop_last):
    rows, validation, n_outputs = rows_for(LOSSES[loss], 33)
    if weighted:
        weights = torch.linspace(0, 2, len(rows))
        rows = replace(rows, weights=weights)
        validation = replace(validation, weights=weights[: len(validation)])
    model = model_for(Full(), 33, n_outputs, draws=4)
    plan = Plan(max_epochs=20, batch_size=16, drop_last=drop_last, weight_decay=1e-4)
    together = assert_batched_equals_alone(model, LOSSES[loss], rows, validation, plan)
    assert curve(together.history.columns(), "temperature", 0)[-1] < 0.02


@pytest.mark.parametrize("straight_through", [False, True])
@pytest.mark.parametrize("n_selected", [1, 2, 13])
@pytest.mark.parametrize("batch_size", [1, 7, 100])
def test_extreme_sizes_train_the_same(straight_through, n_selected, batch_size):
    rows, validation, n_outputs = rows_for(CrossEntropy(), 13)
    selector = Concrete(Full(), regularizer=Gjsd(), straight_through=straight_through)
    model = SelectThenDecode(selector, Mlp((3,)), 13, n_selected, n_outputs)
    plan = Plan(max_epochs=2, batch_size=batch_size, shuffle=False)
    assert_batched_equals_alone(model, CrossEntropy(), rows, validation.take(slice(1)), plan)


@pytest.mark.parametrize("company", [[22, 11], [1, 2, 3, 4, 22], [22, 22], list(range(10, 31))])
def test_a_run_does_not_notice_how_many_others_there_are(company):
    rows, validation, n_outputs = rows_for(CrossEntropy(), 33)
    model = model_for(Full(), 33, n_outputs, draws=4)
    plan = Plan(max_epochs=3, batch_size=16)
    alone = train(model, problem(CrossEntropy(), rows, validation, Runs.of([22]), plan))
    together = train(model, problem(CrossEntropy(), rows, validation, Runs.of(company), plan))
    assert_same_run(together, company.index(22), alone)


@pytest.mark.parametrize("loss", ["cross-entropy", "squared error"])
@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_run_does_not_notice_that_another_diverges(loss, position):
    rows, validation, n_outputs = rows_for(LOSSES[loss], 33)
    rates = [1e-3, 1e-2, 1e-3]
    rates[position] = 1e30
    model = model_for(Full(), 33, n_outputs, draws=4)
    plan = Plan(max_epochs=5, batch_size=16)
    runs = Runs.of([11, 22, 33], rates, [0.1, 0.2, 0.3])
    together = assert_batched_equals_alone(model, LOSSES[loss], rows, validation, plan, runs)
    expected = ["finished"] * 3
    expected[position] = "diverged"
    assert together.status == expected


@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_run_does_not_notice_that_another_stops_early(position):
    rows, validation, n_outputs = rows_for(CrossEntropy(), 33)
    rates = [1e-3, 1e-3, 2e-3]
    rates[position] = 0.0
    model = model_for(Direct(), 33, n_outputs, draws=4)
    plan = Plan(max_epochs=8, batch_size=16, patience=6)
    runs = Runs.of([11, 22, 33], rates)
    together = assert_batched_equals_alone(model, CrossEntropy(), rows, validation, plan, runs)
    lengths = [len(curve(together.history.columns(), "train_loss", run)) for run in range(3)]
    assert together.status[position] == "stopped early"
    assert lengths[position] == 7
    assert max(lengths) == 8


def test_the_chosen_features_and_the_fine_tuned_decoders_are_the_same():
    rows, validation, n_outputs = rows_for(CrossEntropy(), 33)
    model = model_for(Direct(), 33, n_outputs, draws=4)
    plan = Plan(max_epochs=5, batch_size=16)

    def choose(runs):
        return choose_features(
            model, CrossEntropy(), rows, validation, runs, plan, fine_tune_epochs=3
        )

    together = choose(RUNS)
    for run in range(len(RUNS)):
        alone = choose(RUNS.subset([run]))
        np.testing.assert_array_equal(
            together.selections[run].features, alone.selections[0].features
        )
        np.testing.assert_array_equal(together.importance[run], alone.importance[0])
        assert together.validation_loss[run] == alone.validation_loss[0]
        for name, tensor in alone.params.items():
            assert torch.equal(tensor[0], together.params[name][run]), name


@pytest.mark.parametrize("parametrization", [Direct(), Full()], ids=repr)
@pytest.mark.parametrize("draws", [4, "row"])
@pytest.mark.parametrize(("n_features", "batch_size"), SIZES)
def test_draws_of_subsets_train_the_same(parametrization, draws, n_features, batch_size):
    rows, validation, n_outputs = rows_for(CrossEntropy(), n_features)
    method = Subset(parametrization, noise_draws=draws, surplus=Linear(0.5, 0.0))
    model = method.model(Shape(Mlp((17,), dropout=0.2), n_features, 5, n_outputs))
    plan = Plan(max_epochs=3, batch_size=batch_size)
    runs = replace(RUNS, n_selected=(5, 2, 4))
    assert_batched_equals_alone(model, CrossEntropy(), rows, validation, plan, runs)


SCREENS = {
    "stg": StochasticGates(penalty_weights=(0.1, 1.0, 4.0), network=Mlp((17,), slope=0.0)),
    "lassonet": LassoNet(
        network=Mlp((17,), slope=0.0, normalize=False), path=DenseToSparse(start=0.02)
    ),
    "lassonet with groups": LassoNet(
        network=Mlp((17,), slope=0.0, normalize=False), groups=((1, 5, 7), (0, 2))
    ),
}


@pytest.mark.parametrize("screen", SCREENS.values(), ids=SCREENS.keys())
@pytest.mark.parametrize("loss", ["cross-entropy", "squared error"])
@pytest.mark.parametrize(("n_features", "batch_size"), SIZES)
def test_every_screen_trains_the_same(screen, loss, n_features, batch_size):
    rows, validation, n_outputs = rows_for(LOSSES[loss], n_features)
    sizes = tuple(rows.inputs.square().mean(0).sqrt().tolist())
    model = ScreeningModel(screen, sizes, n_outputs)
    plan = Plan(max_epochs=6, batch_size=batch_size, keep_last=True)
    together = assert_batched_equals_alone(model, LOSSES[loss], rows, validation, plan)
    assert together.best_epoch == [5, 5, 5]


@pytest.mark.parametrize("screen", SCREENS.values(), ids=SCREENS.keys())
def test_the_screened_features_and_their_decoders_are_the_same(screen):
    rows, validation, _ = rows_for(CrossEntropy(), 33)
    plan = Plan(max_epochs=5, batch_size=16)
    settings = {"n_selected": 5, "decoder": Mlp((17,), dropout=0.2), "fine_tune_epochs": 3}

    def choose(runs):
        return screen.choose(problem(CrossEntropy(), rows, validation, runs, plan, **settings))

    together = choose(RUNS)
    for run in range(len(RUNS)):
        alone = choose(RUNS.subset([run]))
        for name in ("features", "probability"):
            np.testing.assert_array_equal(
                getattr(together.selections[run], name), getattr(alone.selections[0], name)
            )
        assert together.validation_loss[run] == alone.validation_loss[0]
        for metric in ("train_loss", "open_features"):
            np.testing.assert_array_equal(
                curve(together.history.columns(), metric, run),
                curve(alone.history.columns(), metric, 0),
            )
        for name, tensor in alone.params.items():
            assert torch.equal(tensor[0], together.params[name][run]), name


def full_size():
    """Make rows of 26 noisy prototypes, as large as the paper's spoken letters."""
    generator = torch.Generator().manual_seed(0)
    prototypes = torch.rand(26, 617, generator=generator)
    y = torch.randint(0, 26, (512,), generator=generator)
    x = prototypes[y] + 0.3 * torch.randn(512, 617, generator=generator)
    selector = Concrete(Full("features"), noise_draws="row", regularizer=Gjsd())
    model = SelectThenDecode(selector, Mlp(), 617, 50, 26)
    return model, Rows(x[:384], y[:384]), Rows(x[384:], y[384:])


def test_the_selection_is_the_same_at_full_size():
    model, rows, validation = full_size()
    plan, runs = Plan(max_epochs=2, batch_size=128), Runs.of([11, 22], penalty_weight=0.05)
    together = train(model, problem(CrossEntropy(), rows, validation, runs, plan))
    for run in range(2):
        alone = train(model, problem(CrossEntropy(), rows, validation, runs.subset([run]), plan))
        assert alone.best_epoch[0] == together.best_epoch[run]
        assert alone.best_loss[0] == pytest.approx(together.best_loss[run], rel=1e-5)
        selections = [
            distinct_features(model.logits(fit.params)[own])
            for fit, own in ((together, run), (alone, 0))
        ]
        assert torch.equal(*selections)


@pytest.mark.usefixtures("two_threads")
def test_two_threads_train_the_same():
    # Large enough for PyTorch to use both: 128 · 10 · 101 numbers of noise.
    rows, validation, n_outputs = rows_for(CrossEntropy(), 101, n_rows=145)
    selector = Concrete(Full(), noise_draws="row", regularizer=Gjsd())
    model = SelectThenDecode(selector, Mlp((50,), dropout=0.2), 101, 10, n_outputs)
    plan = Plan(max_epochs=2, batch_size=128)
    runs = Runs.of([11, 22], penalty_weight=0.1)
    assert_batched_equals_alone(model, CrossEntropy(), rows, validation, plan, runs)
