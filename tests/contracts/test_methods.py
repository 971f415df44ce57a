"""What every named method promises."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest
import torch

from ipcae.decoders import Mlp
from ipcae.losses import BinaryCrossEntropy, CrossEntropy, CustomLoss, Huber, SquaredError
from ipcae.parametrizations import Direct
from ipcae.rows import Rows
from ipcae.runs import Runs, Stream
from ipcae.selectors import METHODS, Concrete, Shape, Subset, method_named
from ipcae.training import Plan, curve, train
from tests.problems import problem
from tests.random_tensors import normal

N_FEATURES, N_SELECTED = 9, 3


SAMPLED = {name: m for name, m in METHODS.items() if isinstance(m, Concrete | Subset)}


@pytest.fixture(params=SAMPLED.values(), ids=SAMPLED.keys())
def selector(request):
    return request.param


def absolute_error(outputs, targets):
    return (outputs - targets).abs().mean(-1)


TASKS = {
    "classification": (CrossEntropy(), "classes", 3),
    "several labels": (BinaryCrossEntropy(), "labels", 2),
    "reconstruction": (SquaredError(), None, N_FEATURES),
    "regression": (Huber(), "values", 1),
    "own loss": (CustomLoss(absolute_error), "values", 1),
}


@pytest.fixture
def data():
    x = normal(24, N_FEATURES)
    return {
        "inputs": x,
        "classes": (x[:, 0] > 0).long() + (x[:, 1] > 0).long(),
        "labels": (x[:, :2] > 0).float(),
        "values": x[:, :1] * 2,
    }


@pytest.mark.parametrize(("loss", "targets", "n_outputs"), TASKS.values(), ids=TASKS.keys())
def test_every_method_trains_an_epoch_on_every_task(selector, loss, targets, n_outputs, data):
    rows = Rows(data["inputs"], data.get(targets))
    model = selector.model(Shape(Mlp((8,)), N_FEATURES, N_SELECTED, n_outputs))
    runs, plan = Runs.of([1, 2]), Plan(max_epochs=1, batch_size=8)
    fit = train(model, problem(loss, rows, rows, runs, plan))
    start = model.init(Stream(runs.seeds))
    assert fit.status == ["finished", "finished"]
    assert fit.best_epoch == [0, 0]
    assert all(math.isfinite(best) for best in fit.best_loss)
    columns = fit.history.columns()
    assert np.isfinite(columns["value"]).all()
    assert len(curve(columns, "train_loss", 0)) == 1
    for name, tensor in fit.params.items():
        assert torch.isfinite(tensor).all()
        if "buffer:" not in name:
            assert (tensor - start[name]).flatten(1).abs().amax(1).min() > 0, name


def test_a_method_is_a_frozen_value(selector):
    with pytest.raises(dataclasses.FrozenInstanceError):
        selector.noise_draws = 3
    assert selector == copy.deepcopy(selector) == pickle.loads(pickle.dumps(selector))


def test_a_methods_repr_names_its_parts(selector):
    assert repr(selector.parametrization) in repr(selector)
    assert "0x" not in repr(selector)


def test_a_method_is_found_by_its_name():
    assert all(method_named(name) is selector for name, selector in METHODS.items())


def test_a_selector_is_its_own_name():
    selector = Concrete(Direct(), noise_draws=1)
    assert method_named(selector) is selector
