"""Networks that cannot be trained are explained; tied weights, lazy layers and threads work."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from torch import nn

from ipcae import InputError, RegressionSelector
from ipcae.decoders import CustomDecoder
from ipcae.runs import Stream

N_ROWS = 33


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(N_ROWS, 4))


def fit(rows, decoder, **settings):
    quick = {"max_epochs": 3, "batch_size": 8, "random_state": 0, "validation_fraction": None}
    return RegressionSelector(2, decoder=decoder, **{**quick, **settings}).fit(rows, rows[:, 0])


class Sum(nn.Module):
    def __init__(self, n_inputs, n_outputs):
        super().__init__()

    def forward(self, inputs):
        return inputs.sum(-1, keepdim=True)


class Tied(nn.Module):
    def __init__(self, n_inputs, n_outputs):
        super().__init__()
        self.first, self.second = nn.Linear(n_inputs, n_inputs), nn.Linear(n_inputs, n_inputs)
        self.second.weight = self.first.weight
        self.last = nn.Linear(n_inputs, n_outputs)

    def forward(self, inputs):
        return self.last(torch.relu(self.second(torch.relu(self.first(inputs)))))


class Pair(nn.Linear):
    def forward(self, inputs):
        return super().forward(inputs), inputs


class PairInTraining(nn.Linear):
    def forward(self, inputs):
        outputs = super().forward(inputs)
        return (outputs, inputs) if self.training else outputs


class Detached(nn.Linear):
    def forward(self, inputs):
        return super().forward(inputs).detach()


class Failing(nn.Linear):
    def forward(self, inputs):
        raise KeyError("layer")


class RandomFeatures(nn.Module):
    """A network with a random projection, which is no part of its state_dict."""

    def __init__(self, n_inputs, n_outputs):
        super().__init__()
        self.register_buffer("projection", torch.randn(n_inputs, 16), persistent=False)
        self.last = nn.Linear(16, n_outputs)

    def forward(self, inputs):
        return self.last(torch.tanh(inputs @ self.projection))


class PlainTensor(RandomFeatures):
    def __init__(self, n_inputs, n_outputs):
        super().__init__(n_inputs, n_outputs)
        del self.projection
        self.projection = torch.randn(n_inputs, 16)


class Single(nn.Linear):
    def forward(self, inputs):
        return super().forward(inputs.float())


def frozen(n_inputs, n_outputs):
    return nn.Linear(n_inputs, n_outputs).requires_grad_(False)


def failing(n_inputs, n_outputs):
    raise KeyError("size")


def with_batch_norm(n_inputs, n_outputs):
    return nn.Sequential(nn.Linear(n_inputs, 8), nn.BatchNorm1d(8), nn.Linear(8, n_outputs))


def with_dropout(n_inputs, n_outputs):
    return nn.Sequential(nn.Linear(n_inputs, 32), nn.Dropout(0.5), nn.Linear(32, n_outputs))


def plain(n_inputs, n_outputs):
    return nn.Sequential(nn.Linear(n_inputs, 32), nn.Tanh(), nn.Linear(32, n_outputs))


def absolute(outputs, targets):
    return (outputs - targets).abs().mean(-1)


@pytest.mark.parametrize(
    ("decoder", "sentence"),
    [
        (Sum, "no parameters to train"),
        (frozen, "no parameters to train"),
        (Pair, r"2 rows to a tuple: expected a tensor of shape \(2, 1\)"),
        (PairInTraining, r"8 rows to a tuple: expected a tensor .* in training as in prediction"),
        (Detached, "The loss has no gradient"),
        (Failing, "cannot take 2 inputs .*KeyError: 'layer'"),
        (failing, "failed for 2 inputs and 1 outputs .*KeyError: 'size'"),
        (PlainTensor, "cannot predict in float64 .* register_buffer"),
        (Single, "cannot predict in float64 .* dtype of the inputs"),
        (with_batch_norm, "a single row .* drop_last=True"),
    ],
    ids=lambda value: getattr(value, "__name__", "sentence"),
)
@pytest.mark.parametrize("method", ["ip-cae", "anova"])
def test_a_network_that_cannot_be_trained_is_explained(rows, decoder, sentence, method):
    with pytest.raises(InputError, match=sentence) as caught:
        fit(rows, decoder, method=method)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("loss", "sentence"),
    [
        (lambda outputs, targets: absolute(outputs.detach(), targets), "has no gradient"),
        (lambda outputs, targets: absolute(outputs, targets).long(), "numbers of torch.int64"),
    ],
    ids=["detached", "integers"],
)
def test_a_loss_without_a_gradient_is_explained(rows, loss, sentence):
    with pytest.raises(InputError, match=sentence):
        fit(rows, (4,), loss=loss)


def test_networks_of_different_sizes_are_refused(rows):
    widths = iter(range(3, 9))

    def factory(n_inputs, n_outputs):
        width = next(widths)
        return nn.Sequential(nn.Linear(n_inputs, width), nn.Linear(width, n_outputs))

    with pytest.raises(InputError, match=r"different networks for different runs \(0.weight\)"):
        fit(rows, factory, n_runs=2)


@pytest.mark.parametrize("n_runs", [1, 3])
def test_tied_weights_stay_tied(rows, n_runs):
    selector = fit(rows, Tied, n_runs=n_runs)
    assert "decoder.first.weight" in selector.params_
    assert "decoder.second.weight" not in selector.params_
    exported = selector.to_torch()
    assert exported.decoder.first.weight is exported.decoder.second.weight
    predicted = exported(torch.from_numpy(rows).float()).detach().flatten()
    np.testing.assert_allclose(predicted, selector.predict(rows), rtol=1e-4, atol=1e-5)


def test_every_run_keeps_its_buffers_that_are_not_persistent(rows):
    selector = fit(rows, RandomFeatures, n_runs=2, method="ip-cae")
    for run in range(2):
        one = selector.with_run(run)
        for other in (pickle.loads(pickle.dumps(one)), one):
            np.testing.assert_array_equal(other.predict(rows), one.predict(rows))
            exported = other.to_torch()(torch.from_numpy(rows)).detach()
            np.testing.assert_allclose(exported, one.predict(rows), rtol=1e-4, atol=1e-5)
    projections = selector.params_["decoder.buffer:projection"]
    assert not torch.equal(projections[0], projections[1])


def test_lazy_layers_are_drawn_from_the_seed(rows):
    fits = [fit(rows, lambda n, m: nn.LazyLinear(m), n_runs=2) for _ in range(2)]
    np.testing.assert_array_equal(fits[0].predict(rows), fits[1].predict(rows))


def test_batch_norm_without_the_last_row(rows):
    fit(rows, with_batch_norm, drop_last=True)


@pytest.mark.parametrize("factory", [with_dropout, with_batch_norm, plain])
@pytest.mark.parametrize("shared", [False, True], ids=["own", "shared"])
def test_fits_in_threads_equal_fits_alone(rows, factory, shared):
    decoder = CustomDecoder(factory) if shared else factory
    settings = {"drop_last": True, "max_epochs": 8}

    def params(seed):
        return fit(rows, decoder, random_state=seed, **settings).params_

    with ThreadPoolExecutor(4) as pool:
        found = pool.map(params, range(4))
    for alone, together in zip(map(params, range(4)), found, strict=True):
        for name, tensor in alone.items():
            assert torch.equal(tensor, together[name]), name


def test_building_twice_at_once_gives_what_building_alone_gives():
    def params(seed):
        return CustomDecoder(plain).init(50, 50, Stream([seed]))

    with ThreadPoolExecutor(8) as pool:
        found = pool.map(params, range(8))
    for alone, together in zip(map(params, range(8)), found, strict=True):
        assert all(torch.equal(tensor, together[name]) for name, tensor in alone.items())
