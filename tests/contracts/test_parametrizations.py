"""What every registered parametrization promises."""

import copy
import dataclasses
import pickle

import pytest
import torch

from ipcae.runs import Stream
from tests.parts import PARAMETRIZATIONS

SEEDS, N_NODES, N_FEATURES = [1, 2, 3], 4, 9


@pytest.fixture(params=PARAMETRIZATIONS.values(), ids=PARAMETRIZATIONS.keys())
def parametrization(request):
    return request.param()


@pytest.fixture
def params(parametrization):
    return parametrization.init(N_NODES, N_FEATURES, Stream(SEEDS))


def test_every_tensor_has_the_run_axis_first(params):
    assert params
    for tensor in params.values():
        assert tensor.dtype == torch.float32
        assert len(tensor) == len(SEEDS)


def test_initial_tensors_depend_on_the_seed_alone(parametrization, params):
    again = parametrization.init(N_NODES, N_FEATURES, Stream(SEEDS))
    alone = parametrization.init(N_NODES, N_FEATURES, Stream(SEEDS[1:2]))
    for name, tensor in params.items():
        assert torch.equal(tensor, again[name])
        assert torch.equal(tensor[1:2], alone[name])
        assert not torch.equal(tensor[0], tensor[1])


def test_logits_have_a_row_of_features_for_every_node(parametrization, params):
    logits = parametrization.logits(params)
    assert logits.shape == (len(SEEDS), N_NODES, N_FEATURES)
    assert torch.isfinite(logits).all()


def test_nodes_start_different_from_each_other(parametrization, params):
    for run in parametrization.logits(params):
        assert len(torch.unique(run, dim=0)) == N_NODES


def test_gradients_reach_every_tensor_of_every_run(parametrization, params):
    leaves = {name: tensor.clone().requires_grad_() for name, tensor in params.items()}
    probability = torch.softmax(parametrization.logits(leaves), -1)
    target = torch.arange(N_NODES)
    loss = -probability[:, target, target].log().sum()
    gradients = torch.autograd.grad(loss, list(leaves.values()))
    for gradient in gradients:
        assert torch.isfinite(gradient).all()
        assert (gradient.flatten(1).abs().sum(1) > 0).all()


def test_logits_of_a_run_do_not_depend_on_the_other_runs(parametrization, params):
    logits = parametrization.logits(params)
    for run in range(len(SEEDS)):
        alone = {name: tensor[run : run + 1] for name, tensor in params.items()}
        assert torch.equal(logits[run], parametrization.logits(alone)[0])


def test_logits_do_not_change_the_tensors(parametrization, params):
    before = {name: tensor.clone() for name, tensor in params.items()}
    parametrization.logits(params)
    assert all(torch.equal(params[name], tensor) for name, tensor in before.items())


def test_it_is_a_frozen_value(parametrization):
    fields = dataclasses.fields(parametrization)
    name = fields[0].name if fields else "size"
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(parametrization, name, None)
    assert parametrization == copy.deepcopy(parametrization)
    assert hash(parametrization) == hash(copy.deepcopy(parametrization))


def test_it_can_be_pickled(parametrization):
    assert pickle.loads(pickle.dumps(parametrization)) == parametrization


def test_its_repr_builds_it_again(parametrization):
    names = {cls.__name__: cls for cls in PARAMETRIZATIONS.values()}
    assert eval(repr(parametrization), names) == parametrization


def test_it_starts_its_docstring_with_a_sentence_and_has_an_example(parametrization):
    docstring = type(parametrization).__doc__
    assert docstring.splitlines()[0].endswith(".")
    assert ">>>" in docstring
