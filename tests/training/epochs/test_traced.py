"""Traced training gives the plain result, bit for bit."""

import sys

import pytest
import torch
from torch import nn

from ipcae.constraints import Constraints
from ipcae.decoders import CustomDecoder, Mlp
from ipcae.losses import BinaryCrossEntropy, CrossEntropy, CustomLoss, Huber, SquaredError
from ipcae.models import FixedSelection
from ipcae.ops.concrete_select import in_parts
from ipcae.parametrizations import Diagonal, Direct, Full, Scalar
from ipcae.regularizers import Gjsd
from ipcae.rows import Rows
from ipcae.runs import Runs, Stream
from ipcae.schedules import Exponential, Linear, Warmup
from ipcae.selectors import (
    Concrete,
    LassoNet,
    SelectThenDecode,
    Shape,
    StochasticGates,
    Subset,
)
from ipcae.selectors.screening_model import ScreeningModel
from ipcae.training import Checkpoint, Plan, train
from ipcae.training.epochs import traced
from tests.problems import problem

LONG = traced._LONG
D, K, N = 11, 3, 22
COOLING = Exponential(5.0, 0.1)
PLAN = Plan(max_epochs=4, batch_size=5, schedule=Warmup(0.5, 0.1))  # 5, 5, 5, 5 and 2 rows
RUNS = Runs.of([1, 2, 3], [1e-2, 3e-2, 1e-2], penalty_weight=[0.0, 0.3, 0.1])
X = torch.randn(N, D, generator=torch.Generator().manual_seed(0))
CLASSES = (X[:, 0] > 0).long() + (X[:, 1] > 0).long()
LABELS = (X[:, :3] > 0).float()


SMALL = Mlp((5,))
NOISY = Mlp((6, 5), dropout=0.4, noise=0.2, skip=True)
BUDGET = Constraints(D, avoided=(2,), groups=((0, 3),), costs=(1.0,) * (D - 1), budget=2.0)


def concrete(parametrization, decoder=SMALL, outputs=3, constraints=None, **settings):
    selector = Concrete(parametrization, COOLING, **{"noise_draws": 2} | settings)
    return SelectThenDecode(selector, decoder, D, K, outputs, constraints)


MODELS = {
    "IP-CAE": (concrete(Full(size=4)), CrossEntropy(), CLASSES),
    "CAE with GJSD": (concrete(Direct(), regularizer=Gjsd(0.1)), CrossEntropy(), CLASSES),
    "a draw per row": (concrete(Diagonal(), noise_draws="row"), Huber(), X[:, :3]),
    "straight through": (concrete(Scalar(), straight_through=True), SquaredError(), X[:, :3]),
    "reconstruction": (
        concrete(Full(size=4), outputs=D, constraints=Constraints(D, avoided=(2,))),
        SquaredError(),
        None,
    ),
    "labels": (concrete(Full(size=4)), BinaryCrossEntropy(), LABELS),
    "dropout": (concrete(Full(size=4), Mlp((6, 5), dropout=0.4)), CrossEntropy(), CLASSES),
    "noise and skip": (concrete(Full(size=4), NOISY), CrossEntropy(), CLASSES),
    "linear": (concrete(Full(size=4), Mlp(())), CrossEntropy(), CLASSES),
    "subset": (
        Subset(surplus=Linear(0.5, 0.0)).model(Shape(SMALL, D, K, 3)),
        CrossEntropy(),
        CLASSES,
    ),
    "subset within a budget": (
        Subset(Full(size=4)).model(Shape(SMALL, D, K, 3), BUDGET),
        CrossEntropy(),
        CLASSES,
    ),
    "subset with Gumbel noise": (
        Subset(noise="gumbel").model(Shape(SMALL, D, K, 3)),
        CrossEntropy(),
        CLASSES,
    ),
    "gates": (ScreeningModel(StochasticGates(), (1.0,) * D, 3), CrossEntropy(), CLASSES),
    "LassoNet": (ScreeningModel(LassoNet(), (1.0,) * D, 3), CrossEntropy(), CLASSES),
    "fixed": (FixedSelection(SMALL, K, 3), CrossEntropy(), CLASSES),
    "mixup": (FixedSelection(Mlp((5,), mixup=0.2), K, 3), CrossEntropy(), CLASSES),
}


@pytest.fixture
def used(monkeypatch):
    """Trace short trainings too; list the functions that were traced."""
    functions = []

    def tracing(function, *examples):
        functions.append(function)
        return flat_function(function, *examples)

    flat_function = traced.flat_function
    monkeypatch.setattr(traced, "flat_function", tracing)
    monkeypatch.setattr(traced, "_LONG", 1)
    monkeypatch.setattr(traced, "_PLAIN", 1)
    return functions


def fit(model, loss, targets, plan=PLAN, runs=RUNS, weights=None, **options):
    rows = Rows(X, targets, weights)
    start = None
    if isinstance(model, FixedSelection):
        features = torch.tensor([[2, 0, 1]]).repeat(len(runs), 1)
        start = model.start_from(model.init(Stream(runs.seeds)), features)
    stated = problem(loss, rows, rows.take(slice(6)), runs, plan, **options)
    return train(model, stated, start=start)


def never(model, problem, state):
    return False


def plainly(monkeypatch, *arguments, **options):
    with monkeypatch.context() as patch:
        patch.setattr(traced.TracedEpochs, "suit", staticmethod(never))
        return fit(*arguments, **options)


def assert_same(one, other):
    assert one.params.keys() == other.params.keys()
    assert all(torch.equal(one.params[name], other.params[name]) for name in one.params)
    ours, theirs = one.history.columns(), other.history.columns()
    assert all((ours[name] == theirs[name]).all() for name in ours)
    assert one.status == other.status


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_runs", [1, 3])
def test_the_same_bits_as_the_plain_way(name, n_runs, used, monkeypatch):
    runs = RUNS.subset(list(range(n_runs)))
    expected = plainly(monkeypatch, *MODELS[name], runs=runs)
    assert not used
    assert_same(fit(*MODELS[name], runs=runs), expected)
    assert len(used) == 2  # batches of five and of two rows


def test_the_same_bits_if_runs_share_their_noise(used, monkeypatch):
    runs = Runs.of([11, 22, 11], learning_rate=[0.01, 0.01, 0.02])
    expected = plainly(monkeypatch, *MODELS["IP-CAE"], runs=runs)
    assert_same(fit(*MODELS["IP-CAE"], runs=runs), expected)
    assert len(used) == 2  # batches of five and of two rows


def test_the_same_bits_with_weights(used, monkeypatch):
    weights = torch.rand(N, generator=torch.Generator().manual_seed(1))
    expected = plainly(monkeypatch, *MODELS["IP-CAE"], weights=weights)
    assert_same(fit(*MODELS["IP-CAE"], weights=weights), expected)
    assert len(used) == 2  # batches of five and of two rows


@pytest.mark.usefixtures("two_threads")  # with one, products do not depend on it
def test_the_same_bits_wherever_the_batches_lie(used, monkeypatch):
    n_features, batch_size = 77, 10
    # The batch that is traced, the second, begins at a multiple of 64 bytes, most others do not.
    offset = -batch_size * n_features % 16
    table = torch.randn(100, n_features, generator=torch.Generator().manual_seed(0))
    place = torch.empty(table.numel() + offset)[offset:].copy_(table.flatten())
    rows = Rows(place.view(table.shape), (table[:, 0] > 0).long())
    selector = Concrete(Full(size=20), COOLING, noise_draws=1)
    model = SelectThenDecode(selector, Mlp((17,)), n_features, 13, 3)
    plan = Plan(max_epochs=3, batch_size=batch_size, shuffle=False)
    stated = problem(CrossEntropy(), rows, rows.take(slice(6)), Runs.of([1]), plan)
    with monkeypatch.context() as patch:
        patch.setattr(traced.TracedEpochs, "suit", staticmethod(never))
        expected = train(model, stated)
    assert_same(train(model, stated), expected)
    assert len(used) == 1


def test_the_same_bits_after_a_run_has_left(used, monkeypatch):
    runs, plan = Runs.of([1, 2], [0.0, 1e-3]), Plan(max_epochs=6, batch_size=5, patience=2)
    expected = plainly(monkeypatch, *MODELS["IP-CAE"], plan, runs)
    assert expected.status[0] == "stopped early"
    assert_same(fit(*MODELS["IP-CAE"], plan, runs), expected)
    assert len(used) > 1  # the runs that are left are traced again


def test_the_same_bits_after_an_interruption(used, monkeypatch, tmp_path):
    def cut(report):
        if report.epoch == 2:
            raise InterruptedError

    expected = plainly(monkeypatch, *MODELS["IP-CAE"])
    with pytest.raises(InterruptedError):
        fit(*MODELS["IP-CAE"], callbacks=(cut,), checkpoint=Checkpoint(tmp_path, every=1))
    resuming = Checkpoint(tmp_path, every=1, resume=True)
    seen = []
    resumed = fit(*MODELS["IP-CAE"], callbacks=(seen.append,), checkpoint=resuming)
    assert_same(resumed, expected)
    assert [report.epoch for report in seen] == [2, 3]
    assert len(used) == 4


def test_a_tracer_that_fails_is_done_without(used, monkeypatch, caplog):
    def failing(function, *examples):
        raise RuntimeError("something inside of PyTorch\nand where")

    monkeypatch.setattr(traced, "flat_function", failing)
    expected = plainly(monkeypatch, *MODELS["IP-CAE"])
    with caplog.at_level("INFO", logger="ipcae"):
        assert_same(fit(*MODELS["IP-CAE"]), expected)
    assert caplog.messages == [
        "Training continues without tracing, which is slower: something inside of PyTorch"
    ]


class WithUnused(Mlp):
    """A decoder with a tensor that it does not use."""

    def init(self, n_inputs, n_outputs, stream):
        return super().init(n_inputs, n_outputs, stream) | {"unused": stream.uniform(3)}


def test_the_same_bits_with_an_unused_parameter(used, monkeypatch):
    monkeypatch.setattr(traced, "is_builtin", lambda part: True)
    task = concrete(Full(size=4), WithUnused((5,))), CrossEntropy(), CLASSES
    plan = Plan(max_epochs=4, batch_size=5, weight_decay=0.1)
    expected = plainly(monkeypatch, *task, plan)
    assert_same(fit(*task, plan), expected)
    assert len(used) == 2  # batches of five and of two rows


def without_the_tracer(monkeypatch):
    monkeypatch.delitem(sys.modules, "ipcae.training.tracing.recording")
    monkeypatch.setitem(sys.modules, "torch.utils._python_dispatch", None)


def without_its_function(monkeypatch):
    monkeypatch.delitem(sys.modules, "ipcae.training.tracing.recording")
    monkeypatch.delattr(sys.modules["torch.utils._python_dispatch"], "TorchDispatchMode")


def with_a_result_that_fails(monkeypatch):
    def failing(*tensors):
        raise AttributeError("'OpOverload' object has no attribute '_op'")

    monkeypatch.setattr(traced, "flat_function", lambda *arguments: failing)


@pytest.mark.parametrize(
    "break_it", [without_the_tracer, without_its_function, with_a_result_that_fails]
)
def test_a_pytorch_that_cannot_trace_trains_plainly(break_it, used, monkeypatch, caplog):
    import ipcae.training.tracing.recording  # noqa: F401, so that it can be taken away

    expected = plainly(monkeypatch, *MODELS["IP-CAE"])
    break_it(monkeypatch)
    with caplog.at_level("INFO", logger="ipcae"):
        assert_same(fit(*MODELS["IP-CAE"]), expected)
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith("Training continues without tracing, which is slower:")


def test_a_short_training_is_not_traced(used, monkeypatch):
    monkeypatch.setattr(traced, "_LONG", PLAN.max_epochs * 5 + 1)
    fit(*MODELS["IP-CAE"])
    assert not used


def test_the_same_bits_if_the_rows_are_fewer_than_a_batch(used, monkeypatch):
    plan = Plan(max_epochs=3, batch_size=N + 1)
    expected = plainly(monkeypatch, *MODELS["IP-CAE"], plan)
    assert_same(fit(*MODELS["IP-CAE"], plan), expected)
    assert len(used) == 1


class Unknown(Concrete):
    """A selector of the user's own."""


@pytest.mark.parametrize(
    ("model", "loss"),
    [
        (concrete(Direct(), CustomDecoder(nn.Linear)), CrossEntropy()),
        (concrete(Direct()), CustomLoss(lambda outputs, targets: outputs.square().mean(-1))),
        (SelectThenDecode(Unknown(Direct()), Mlp(()), D, K, 3), CrossEntropy()),
    ],
    ids=["decoder", "loss", "selector"],
)
def test_custom_parts_are_not_traced(model, loss, used):
    fit(model, loss, CLASSES)
    assert not used


def test_noise_in_parts_is_not_traced(used, monkeypatch):
    monkeypatch.setattr(in_parts, "PART", 8)
    expected = plainly(monkeypatch, *MODELS["a draw per row"])
    assert_same(fit(*MODELS["a draw per row"]), expected)
    assert not used


def test_a_training_of_a_hundred_steps_is_traced(used, monkeypatch):
    monkeypatch.setattr(traced, "_LONG", LONG)

    def enough(report):
        return report.epoch == 1

    for max_epochs, n_traced in ((19, 0), (20, 2)):  # of five steps each
        plan = Plan(max_epochs=max_epochs, batch_size=5)
        fit(*MODELS["IP-CAE"], plan, callbacks=(enough,))
        assert len(used) == n_traced
