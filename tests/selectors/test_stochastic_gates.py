"""STG's gates and penalty, against the published package."""

import importlib
import importlib.util
import sys
import types

import pytest
import torch

from ipcae import StochasticGates
from ipcae.runs import Stream
from tests.random_tensors import normal

N_FEATURES = 7


@pytest.fixture
def published(monkeypatch):
    """Return the package's layers; its survival part needs another package, and is left out."""
    found = importlib.util.find_spec("stg")
    if found is None or importlib.util.find_spec("six") is None:
        pytest.skip("the published package is not here: pip install --no-deps stg six")
    package = types.ModuleType("stg")
    package.__path__ = list(found.submodule_search_locations)
    monkeypatch.setitem(sys.modules, "stg", package)
    for name in ("stg.layers", "stg.utils"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("stg.layers").FeatureSelector(N_FEATURES, 0.5, "cpu")


@pytest.fixture
def params():
    params = StochasticGates().init(torch.ones(N_FEATURES), 2, Stream([0, 1]))
    params["center"] = torch.linspace(-1.5, 1.5, 2 * N_FEATURES).view(2, N_FEATURES)
    return params


def test_a_gate_without_noise_is_the_published_one(published, params):
    published.eval()
    rows = normal(5, N_FEATURES)
    for run in range(2):
        published.mu.data = params["center"][run]
        gate = StochasticGates().probability(params)[run]
        torch.testing.assert_close(rows * gate, published(rows).detach())


def test_a_gate_with_noise_is_the_published_one(published, params, monkeypatch):
    """With the package's own noise given to both."""
    noise = normal(N_FEATURES, seed=1)
    published.mu.data = params["center"][0]
    published.noise = types.SimpleNamespace(normal_=lambda: noise)
    published.train()
    rows = torch.ones(1, N_FEATURES)
    monkeypatch.setattr(
        "ipcae.selectors.stochastic_gates.gaussian_from_bits", lambda bits: noise.expand(2, -1)
    )
    seen = []

    class Spy:
        def apply(self, params, inputs, stream):
            seen.append(inputs)
            return inputs

    StochasticGates(network=Spy()).predict(params, rows, 0.0, Stream([0, 1], step=0))
    torch.testing.assert_close(seen[0][0], published(rows).detach())


def test_the_penalty_is_the_published_one(published, params):
    for run, penalty in enumerate(StochasticGates().penalty(params)):
        expected = published.regularizer((params["center"][run] + 0.5) / 0.5).mean()
        torch.testing.assert_close(penalty, expected)


def test_gates_start_half_open_like_the_published_ones(published):
    center = StochasticGates().init(torch.ones(5000), 2, Stream([0]))["center"]
    assert abs(float(center.std()) - 0.01) < 1e-3
    assert published.mu.detach().abs().max() < 0.06


def test_open_gates_are_those_above_zero(params):
    gates = StochasticGates()
    assert torch.equal(gates.is_open(params), params["center"] > -0.5)
    assert torch.equal(gates.scores(params).argsort(), params["center"].argsort())
