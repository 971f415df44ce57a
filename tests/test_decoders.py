"""The paper's decoder against PyTorch's own layers, and its dropout."""

import pytest
import torch
from scipy import stats
from torch import nn

from ipcae.decoders import Mlp, linear_decoder
from ipcae.runs import Stream

SEEDS = [3, 4, 5]


def sequential(decoder, params, run):
    """Build the same network of PyTorch's layers, with the weights of one run."""
    layers, last = [], len(decoder.hidden)
    for layer in range(last + 1):
        weight, bias = params[f"{layer}.weight"][run], params[f"{layer}.bias"][run]
        linear = nn.Linear(weight.shape[1], weight.shape[0])
        linear.load_state_dict({"weight": weight, "bias": bias})
        layers.append(linear)
        if layer < last:
            if decoder.normalize:
                norm = nn.LayerNorm(len(bias))
                own = {n: params[f"{layer}.norm.{n}"][run] for n in ("weight", "bias")}
                norm.load_state_dict(own)
                layers.append(norm)
            layers.append(nn.LeakyReLU(decoder.slope))
    return nn.Sequential(*layers)


def perturbed(params):
    """Move the norms away from ones and zeros."""
    generator = torch.Generator().manual_seed(0)
    return {n: t + 0.1 * torch.randn(t.shape, generator=generator) for n, t in params.items()}


@pytest.fixture
def inputs():
    return torch.randn(len(SEEDS), 9, 4, generator=torch.Generator().manual_seed(1))


DECODERS = [
    Mlp(),
    Mlp(hidden=(200, 200)),
    Mlp(hidden=(7, 5, 3), slope=0.1),
    Mlp(hidden=(8,), normalize=False),
    Mlp(hidden=(8,), dropout=0.5),
    Mlp(hidden=(8,), noise=0.5),
    Mlp(hidden=(8,), skip=True),
    linear_decoder(),
]


@pytest.mark.parametrize("decoder", DECODERS, ids=repr)
def test_decoder_equals_pytorchs_layers_with_the_same_weights(decoder, inputs):
    params = perturbed(decoder.init(4, 6, Stream(SEEDS)))
    outputs = decoder.apply(params, inputs)
    for run in range(len(SEEDS)):
        expected = sequential(decoder, params, run)(inputs[run])
        if decoder.skip:
            expected = expected + inputs[run] @ params["skip.weight"][run].T
        torch.testing.assert_close(outputs[run], expected.detach(), rtol=1e-5, atol=1e-5)


def test_the_default_is_the_papers_decoder():
    params = Mlp().init(50, 10, Stream([0]))
    layers = sequential(Mlp(), params, 0)
    kinds = [type(layer).__name__ for layer in layers]
    assert kinds == ["Linear", "LayerNorm", "LeakyReLU", "Linear"]
    assert (layers[0].in_features, layers[0].out_features) == (50, 200)
    assert layers[2].negative_slope == 0.2
    assert (layers[3].in_features, layers[3].out_features) == (200, 10)


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("kind", ["weight", "bias"])
def test_weights_start_as_pytorchs_linear(layer, kind):
    params = Mlp(hidden=(300,)).init(40, 500, Stream([0]))
    n_inputs = params[f"{layer}.weight"].shape[-1]
    numbers = params[f"{layer}.{kind}"].double().flatten() * n_inputs**0.5
    assert numbers.abs().max() <= 1 + 1e-6
    assert stats.kstest(numbers.numpy(), "uniform", args=(-1, 2)).pvalue > 1e-4


def test_norms_start_as_ones_and_zeros():
    params = Mlp(hidden=(7,)).init(4, 6, Stream(SEEDS))
    assert torch.equal(params["0.norm.weight"], torch.ones(3, 7))
    assert torch.equal(params["0.norm.bias"], torch.zeros(3, 7))


@pytest.mark.parametrize("decoder", DECODERS, ids=repr)
def test_a_run_starts_the_same_whatever_the_other_runs(decoder):
    among, alone = decoder.init(4, 6, Stream(SEEDS)), decoder.init(4, 6, Stream(SEEDS[1:2]))
    assert among.keys() == alone.keys()
    assert all(torch.equal(among[name][1:2], alone[name]) for name in alone)


@pytest.fixture
def dropping():
    decoder = Mlp(hidden=(16,), dropout=0.3)
    return decoder, decoder.init(4, 2, Stream([0, 1]))


def test_dropout_needs_a_stream(dropping, inputs):
    decoder, params = dropping
    without = decoder.apply(params, inputs[:2])
    assert torch.equal(without, decoder.apply(params, inputs[:2]))
    assert torch.equal(without, Mlp(hidden=(16,)).apply(params, inputs[:2], Stream([0, 1], 0)))
    assert not torch.equal(without, decoder.apply(params, inputs[:2], Stream([0, 1], 0)))


def test_dropout_is_drawn_for_every_run_row_and_step(dropping):
    decoder, params = dropping
    params = {name: tensor[:1].expand_as(tensor) for name, tensor in params.items()}
    rows = torch.ones(2, 5, 4)
    outputs = decoder.apply(params, rows, Stream([0, 1], 0))
    assert torch.equal(outputs, decoder.apply(params, rows, Stream([0, 1], 0)))
    assert not torch.equal(outputs, decoder.apply(params, rows, Stream([0, 1], 1)))
    assert len(torch.unique(outputs[..., 0])) > 5


def test_dropout_keeps_the_expectation(dropping):
    decoder, params = dropping
    row = torch.randn(2, 1, 4, generator=torch.Generator().manual_seed(0))
    sampled = decoder.apply(params, row.expand(2, 20_000, 4), Stream([0, 1], 0))
    deviation = sampled.std(1) / 20_000**0.5
    # The layer after the dropout is linear, so the mean passes through it.
    difference = (sampled.mean(1) - decoder.apply(params, row)[:, 0]).abs()
    assert (difference < 5 * deviation).all()
    assert (deviation > 1e-4).all()


def test_dropout_drops_its_share_of_the_units():
    decoder = Mlp(hidden=(1000,), dropout=0.3, normalize=False)
    params = {
        "0.weight": torch.zeros(1, 1000, 1),
        "0.bias": torch.ones(1, 1000),
        "1.weight": torch.eye(1000)[None],
        "1.bias": torch.zeros(1, 1000),
    }
    units = decoder.apply(params, torch.ones(1, 100, 1), Stream([0], 0))
    values = torch.unique(units)
    torch.testing.assert_close(values, torch.tensor([0.0, 1 / 0.7]))
    assert (units == 0).double().mean().item() == pytest.approx(0.3, abs=5 * (0.21 / 1e5) ** 0.5)


def test_noise_has_the_given_deviation_in_training_only(inputs):
    decoder = Mlp(hidden=(), noise=0.25)
    params = {"0.weight": torch.eye(4).repeat(1, 1, 1), "0.bias": torch.zeros(1, 4)}
    rows = inputs[:1].repeat(1, 500, 1)
    assert torch.equal(decoder.apply(params, rows), rows)
    noise = decoder.apply(params, rows, Stream([0], 0)) - rows
    assert noise.mean().abs() < 0.01
    assert 0.245 < noise.std() < 0.255
    assert not torch.equal(noise, decoder.apply(params, rows, Stream([0], 1)) - rows)


def test_noise_of_a_run_does_not_depend_on_the_other_runs(inputs):
    decoder = Mlp(hidden=(6,), noise=0.5, dropout=0.2)
    params = decoder.init(4, 6, Stream(SEEDS))
    among = decoder.apply(params, inputs, Stream(SEEDS, 3))
    own = {name: tensor[1:2] for name, tensor in params.items()}
    assert torch.equal(decoder.apply(own, inputs[1:2], Stream(SEEDS[1:2], 3)), among[1:2])
