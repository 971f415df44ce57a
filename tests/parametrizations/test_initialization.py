"""Every parametrization starts as the protocol says."""

import pytest
import torch
from scipy import stats

from ipcae.errors import InputError
from ipcae.parametrizations import Diagonal, Direct, Full, MlpLogits, Scalar, Separate
from ipcae.runs import Stream


def assert_standard_normal(tensor):
    assert stats.kstest(tensor.double().flatten().numpy(), "norm").pvalue > 1e-4


def assert_uniform_within(tensor, bound):
    numbers = tensor.double().flatten().numpy()
    assert abs(numbers).max() <= bound * (1 + 1e-6)
    assert stats.kstest(numbers, "uniform", args=(-bound, 2 * bound)).pvalue > 1e-4


def test_direct_starts_as_uniform_numbers_divided_by_their_sum():
    logits = Direct().init(20, 500, Stream([1]))["embedding"]
    torch.testing.assert_close(logits.sum(-1), torch.ones(1, 20))
    assert logits.min() >= 0
    # The largest of 500 uniform numbers is nearly 1.
    numbers = logits / logits.amax(-1, keepdim=True)
    assert stats.kstest(numbers.double().flatten().numpy(), "uniform").pvalue > 1e-4


@pytest.mark.parametrize(("size", "embedded"), [("features", 300), ("auto", 128), (64, 64)])
def test_full_starts_as_pytorchs_linear_on_a_normal_embedding(size, embedded):
    params = Full(size=size).init(50, 300, Stream([1]))
    assert params["embedding"].shape == (1, 50, embedded)
    assert params["weight"].shape == (1, 300, embedded)
    assert_standard_normal(params["embedding"])
    assert_uniform_within(params["weight"], embedded**-0.5)
    assert_uniform_within(params["bias"], embedded**-0.5)


def test_separate_starts_as_full_with_a_weight_per_node():
    params = Separate(size=16).init(10, 100, Stream([1]))
    assert params["weight"].shape == (1, 10, 100, 16)
    assert_standard_normal(params["embedding"])
    assert_uniform_within(params["weight"], 0.25)
    assert_uniform_within(params["bias"], 0.25)


def test_diagonal_starts_standard_normal():
    params = Diagonal().init(50, 300, Stream([1]))
    assert params["weight"].shape == params["bias"].shape == (1, 300)
    for name in ("embedding", "weight", "bias"):
        assert_standard_normal(params[name])


def test_scalar_starts_standard_normal():
    params = Scalar().init(50, 300, Stream(range(400)))
    assert params["weight"].shape == (400, 1)
    for name in ("embedding", "weight", "bias"):
        assert_standard_normal(params[name].flatten()[:100_000])


def test_mlp_starts_as_two_of_pytorchs_linear_layers():
    params = MlpLogits(size=64, hidden=100).init(50, 300, Stream([1]))
    assert_standard_normal(params["embedding"])
    for name in ("hidden_weight", "hidden_bias"):
        assert_uniform_within(params[name], 64**-0.5)
    for name in ("weight", "bias"):
        assert_uniform_within(params[name], 0.1)


@pytest.mark.parametrize("cls", [Full, Separate, Diagonal, Scalar, MlpLogits])
def test_without_a_bias_there_is_none(cls):
    params = cls(bias=False).init(3, 8, Stream([1]))
    assert not [name for name in params if "bias" in name]
    assert cls(bias=False).logits(params).shape == (1, 3, 8)


@pytest.mark.parametrize("cls", [Full, Separate])
def test_an_automatic_embedding_is_never_longer_than_the_features(cls):
    assert cls().init(3, 8, Stream([1]))["embedding"].shape == (1, 3, 8)
    assert cls().init(3, 129, Stream([1]))["embedding"].shape == (1, 3, 128)


@pytest.mark.parametrize("cls", [Full, Separate])
@pytest.mark.parametrize("size", [0, -1, None, 1.5, "large"])
def test_an_unusable_size_is_explained(cls, size):
    with pytest.raises(
        InputError, match=r"not understood: expected a positive integer, 'features'"
    ):
        cls(size=size).init(3, 8, Stream([1]))


@pytest.mark.parametrize("parametrization", [Full(), Separate(size=4), Diagonal(), MlpLogits()])
def test_tensors_of_one_run_are_not_correlated(parametrization):
    params = parametrization.init(30, 40, Stream([1]))
    numbers = [tensor.flatten()[:40] for tensor in params.values()]
    correlation = torch.corrcoef(torch.stack(numbers)) - torch.eye(len(numbers))
    assert correlation.abs().max() < 0.6


@pytest.mark.parametrize(("n_features", "said"), [(128, 0), (500, 1)])
def test_an_embedding_shorter_than_the_features_is_logged(n_features, said, caplog):
    with caplog.at_level("INFO", logger="ipcae"):
        Full().init(2, n_features, Stream([1]))
        Full(size="features").init(2, n_features, Stream([1]))
    assert len(caplog.messages) == said
    assert not said or "P = 128 for D = 500 features" in caplog.text
