"""Runs with different rows and numbers of features: batched equals alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from ipcae.decoders import Mlp
from ipcae.errors import InputError
from ipcae.losses import BinaryCrossEntropy, CrossEntropy, CustomLoss, Huber, SquaredError
from ipcae.models import node_mask
from ipcae.parametrizations import Direct, Full
from ipcae.regularizers import Gjsd
from ipcae.rows import Rows
from ipcae.runs import Runs, Stream
from ipcae.selectors import (
    METHODS,
    Concrete,
    DenseToSparse,
    LassoNet,
    RandomForest,
    Shape,
    StochasticGates,
)
from ipcae.training import Checkpoint, Phase, Plan, curve, train
from ipcae.training.epochs import traced
from tests.problems import problem
from tests.random_tensors import normal

D, N, M, K = 13, 43, 17, 5
COUNTS = (2, 5, 1, 3)
PLAN = Plan(max_epochs=4, batch_size=10)
RUNS = Runs.of([11, 22, 11, 44], [1e-3, 1e-2, 1e-3, 1e-3], [0.0, 0.05, 0.5, 0.1])
X = normal(N + M, D)
CLASSES = (X[:, 2] > 0).long() + (X[:, 5] > 0).long()


def absolute(outputs, targets):
    return (outputs - targets).abs().mean(-1)


LOSSES = {
    "cross-entropy": (CrossEntropy(), CLASSES),
    "squared error": (SquaredError(), X[:, :3] * 2),
    "reconstruction": (SquaredError(), None),
    "huber": (Huber(), X[:, :3] * 2),
    "binary cross-entropy": (BinaryCrossEntropy(), (X[:, 2:5] > 0).float()),
    "own loss": (CustomLoss(absolute), X[:, :3] * 2),
}
DIFFERENCES = ["rows", "counts", "both"]


def stated(loss="cross-entropy", differ="both", runs=RUNS, plan=PLAN, device="cpu", **settings):
    """Return a problem whose four runs differ in rows, numbers of features or both."""
    loss, targets = LOSSES[loss]
    rows, validation = (Rows(X[:N], targets), Rows(X[N:], targets))
    if targets is not None:
        rows = replace(rows, given_targets=targets[:N])
        validation = replace(validation, given_targets=targets[N:])
    whole = problem(loss, rows, validation, runs, plan)
    generator = torch.Generator().manual_seed(1)
    if differ in ("rows", "both"):
        folds = [(torch.rand(4, n, generator=generator) < 0.7).float() for n in (N, M)]
        rows, validation = replace(rows, weights=folds[0]), replace(validation, weights=folds[1])
    if differ in ("counts", "both"):
        runs = replace(runs, n_selected=COUNTS)
    settings = {
        "n_selected": K,
        "decoder": Mlp((7,), dropout=0.2),
        "fine_tune_epochs": 2,
    } | settings
    return replace(
        whole, rows=rows.to(device), validation=validation.to(device), runs=runs, **settings
    )


def concrete(**settings):
    return Concrete(Full(size=4), noise_draws=4, regularizer=Gjsd(), **settings)


METHODS_UNDER_TEST = {
    "concrete": concrete(),
    "direct": Concrete(Direct(), noise_draws="row", straight_through=True),
    "stg": StochasticGates(penalty_weights=(0.1, 1.0), network=Mlp((7,), slope=0.0)),
    "lassonet": LassoNet(
        network=Mlp((7,), slope=0.0, normalize=False), path=DenseToSparse(start=0.02)
    ),
    "forest": RandomForest(n_trees=3),
    **{name: METHODS[name] for name in ("anova", "l1-logistic", "elimination")},
}
RANKINGS = {n: m for n, m in METHODS_UNDER_TEST.items() if Phase.RANKING in m.phases}


def assert_same_choice(together, run, alone):
    """Compare everything that a method returns of one run."""
    for name in ("chosen", "features", "probability"):
        np.testing.assert_array_equal(
            getattr(together.selections[run], name), getattr(alone.selections[0], name)
        )
    np.testing.assert_array_equal(together.importance[run], alone.importance[0])
    assert together.validation_loss[run] == alone.validation_loss[0]
    assert together.status[run] == alone.status[0]
    for metric in set(alone.history.columns()["metric"]):
        np.testing.assert_array_equal(
            curve(together.history.columns(), metric, run),
            curve(alone.history.columns(), metric, 0),
            err_msg=metric,
        )
    for name, tensor in alone.params.items():
        assert torch.equal(tensor[0], together.params[name][run]), name


@pytest.mark.parametrize("method", METHODS_UNDER_TEST.values(), ids=METHODS_UNDER_TEST.keys())
@pytest.mark.parametrize("differ", DIFFERENCES)
def test_every_method_chooses_the_same(method, differ):
    whole = stated(differ=differ)
    together = method.choose(whole)
    for run in range(4):
        assert_same_choice(together, run, method.choose(whole.of_runs([run])))


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_trains_the_same(loss):
    whole = stated(loss)
    together = concrete().choose(whole)
    for run in range(4):
        assert_same_choice(together, run, concrete().choose(whole.of_runs([run])))


def test_runs_that_leave_the_batch_take_their_rows_with_them():
    runs = replace(RUNS, learning_rates=(1e-3, 1e30, 0.0, 2e-3))
    whole = stated(runs=runs, plan=replace(PLAN, max_epochs=8, patience=3), fine_tune_epochs=0)
    together = concrete().choose(whole)
    assert together.status[1:3] == ["diverged", "stopped early"]
    for run in (0, 2, 3):
        assert_same_choice(together, run, concrete().choose(whole.of_runs([run])))


def test_a_traced_step_is_the_plain_one(monkeypatch):
    whole = stated()
    plain = concrete().choose(whole)
    monkeypatch.setattr(traced, "_LONG", 1)
    monkeypatch.setattr(traced, "_PLAIN", 1)
    replayed = concrete().choose(whole)
    for run in range(4):
        for name, tensor in plain.params.items():
            assert torch.equal(tensor[run], replayed.params[name][run]), name


def test_a_resumed_training_is_the_uninterrupted_one(tmp_path):
    whole = stated(fine_tune_epochs=3)
    expected = concrete().choose(whole)

    def crash(report):
        if report.epoch == 2 and report.phase == Phase.SELECTING:
            raise RuntimeError("power failure")

    saved = replace(whole, checkpoint=Checkpoint(tmp_path, every=1), callbacks=(crash,))
    with pytest.raises(RuntimeError, match="power failure"):
        concrete().choose(saved)
    again = replace(whole, checkpoint=Checkpoint(tmp_path, every=1, resume=True))
    resumed = concrete().choose(again)
    for name, tensor in expected.params.items():
        assert torch.equal(tensor, resumed.params[name]), name
    other = replace(again.rows, weights=again.rows.weights.flip(0))
    with pytest.raises(InputError, match="rows"):
        concrete().choose(replace(again, rows=other))
    with pytest.raises(InputError, match="runs"):
        concrete().choose(replace(again, runs=replace(again.runs, n_selected=(5, 5, 5, 5))))


@pytest.mark.parametrize("method", METHODS_UNDER_TEST.values(), ids=METHODS_UNDER_TEST.keys())
def test_every_run_selects_as_many_features_as_asked(method):
    choice = method.choose(stated(differ="counts"))
    for selection, importance, count in zip(
        choice.selections, choice.importance, COUNTS, strict=True
    ):
        assert len(set(selection.features)) == len(selection.chosen) == count
        assert np.isfinite(importance).tolist() == [True] * count + [False] * (K - count)
    assert choice.params["buffer:nodes"].sum(1).tolist() == list(COUNTS)


@pytest.mark.parametrize("method", RANKINGS.values(), ids=RANKINGS.keys())
def test_a_run_of_a_batch_ranks_as_a_fit_on_its_rows_does(method):
    whole = stated(differ="rows", runs=replace(RUNS, n_selected=COUNTS))
    together = method.choose(whole)
    for run, count in enumerate(COUNTS):
        own = problem(
            CrossEntropy(),
            whole.rows.of_run(run),
            whole.validation.of_run(run),
            whole.runs.subset([run]),
            PLAN,
            n_selected=count,
        )
        own = replace(own, runs=replace(own.runs, n_selected=None))
        alone = method.choose(own)
        np.testing.assert_array_equal(
            together.selections[run].features, alone.selections[0].features
        )


def test_rows_without_weight_teach_nothing():
    whole = stated(differ="rows")
    absurd = whole.rows.inputs.clone()
    unused = whole.rows.weights[0] == 0
    absurd[unused] = 1e3
    changed = replace(whole, rows=replace(whole.rows, inputs=absurd)).of_runs([0])
    # One draw per batch: the noise of a row does not depend on the others.
    method = Concrete(Direct(), noise_draws=1)
    fits = [method.choose(stated_) for stated_ in (whole.of_runs([0]), changed)]
    np.testing.assert_array_equal(fits[0].selections[0].features, fits[1].selections[0].features)
    assert fits[0].validation_loss == pytest.approx(fits[1].validation_loss, rel=1e-4)


def test_nodes_beyond_a_runs_number_neither_learn_nor_count():
    whole = stated(differ="counts")
    model = concrete().model(Shape(whole.decoder, D, K, 3))
    before = train(model, replace(whole, plan=replace(PLAN, max_epochs=1)))
    after = train(model, replace(whole, plan=replace(PLAN, keep_last=True)))
    for run, count in enumerate(COUNTS):
        for fit in (before, after):
            unused = fit.params["decoder.0.weight"][run, :, count:]
            assert not unused.any()
        assert torch.equal(
            before.params["selector.embedding"][run, count:],
            after.params["selector.embedding"][run, count:],
        )
        learned = curve(after.history.columns(), "gjsd", run)
        assert (learned <= np.log(count) + 1e-5).all()
        assert curve(after.history.columns(), "unique_percentage", run).max() <= 100


def test_fewer_features_start_from_decoders_of_their_size():
    params = Mlp((64,)).init(50, 2, Stream([0, 1]))
    narrow = Mlp((64,)).narrowed(params, node_mask([5, 50], 50))
    assert torch.equal(narrow["0.weight"][1], params["0.weight"][1])
    assert narrow["0.weight"][0, :, :5].abs().max() == pytest.approx(5**-0.5, rel=0.05)
    assert not narrow["0.weight"][0, :, 5:].any()
