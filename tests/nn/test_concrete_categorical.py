"""Relaxed categorical samples: the engine's own, their frequencies, modes and gradients."""

import copy

import pytest
import torch

from ipcae.nn import ConcreteCategorical, IndirectLogits
from ipcae.nn.global_stream import global_gumbel
from ipcae.ops import concrete_select
from tests.parts import PARAMETRIZATIONS


@pytest.fixture
def logits():
    generator = torch.Generator().manual_seed(0)
    return torch.randn(6, 3, 5, generator=generator).requires_grad_()


@pytest.mark.parametrize("straight_through", [False, True])
@pytest.mark.parametrize("temperature", [10.0, 0.3])
def test_samples_are_the_engines_reading_of_one_hot_rows(logits, temperature, straight_through):
    torch.manual_seed(4)
    found = ConcreteCategorical(temperature, straight_through=straight_through)(logits)
    torch.manual_seed(4)
    noise = global_gumbel(*logits.shape, like=logits)
    # Every example is a run with one draw; node i reads the j-th one-hot row as its j-th weight.
    expected = concrete_select(
        logits,
        torch.eye(5),
        temperature,
        noise=noise.unsqueeze(1),
        straight_through=straight_through,
    ).transpose(1, 2)
    torch.testing.assert_close(found, expected)
    upstream = torch.randn(6, 3, 5)
    torch.testing.assert_close(
        torch.autograd.grad(found, logits, upstream),
        torch.autograd.grad(expected, logits, upstream),
    )


def test_samples_are_a_point_of_the_simplex(logits):
    sample = ConcreteCategorical(0.5)(logits)
    assert sample.shape == logits.shape
    assert (sample >= 0).all()
    torch.testing.assert_close(sample.sum(-1), torch.ones(6, 3))


def test_straight_through_samples_are_one_hot(logits):
    sample = ConcreteCategorical(0.5, straight_through=True)(logits)
    assert torch.equal(sample.sort(-1).values, torch.tensor([0.0, 0, 0, 0, 1]).expand(6, 3, 5))


def test_the_largest_entry_is_drawn_with_the_softmax_probability():
    torch.manual_seed(0)
    logits = torch.tensor([0.0, 1.0, 2.0])
    sample = ConcreteCategorical(1.0, straight_through=True)(logits.expand(20_000, 3))
    # The standard deviation of a frequency is at most 0.0036.
    torch.testing.assert_close(sample.mean(0), logits.softmax(0), rtol=0, atol=0.015)


def test_evaluation_gives_the_mode_and_draws_nothing(logits):
    latent = ConcreteCategorical().eval()
    before = torch.get_rng_state()
    sample = latent(logits)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(sample.argmax(-1), logits.argmax(-1))
    assert torch.equal(sample.sum(-1), torch.ones(6, 3))


def test_samples_follow_the_global_generator(logits):
    latent = copy.deepcopy(ConcreteCategorical())
    torch.manual_seed(0)
    first, second = latent(logits), latent(logits)
    assert not torch.equal(first, second)
    torch.manual_seed(0)
    assert torch.equal(latent(logits), first)


def test_examples_that_share_logits_have_noise_of_their_own():
    sample = ConcreteCategorical()(torch.zeros(1, 2, 5).expand(4, 2, 5))
    assert len(sample.view(8, 5).unique(dim=0)) == 8


@pytest.mark.parametrize("name", PARAMETRIZATIONS)
def test_learned_logits_get_a_gradient(name):
    logits = IndirectLogits(3, 5, PARAMETRIZATIONS[name]())
    ConcreteCategorical()(logits()).square().sum().backward()
    assert all(p.grad.any() for p in logits.parameters())


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("training", [False, True])
def test_samples_have_the_precision_of_the_logits(logits, dtype, training):
    assert ConcreteCategorical().train(training)(logits.to(dtype)).dtype == dtype


def test_no_logits_give_no_samples():
    assert ConcreteCategorical()(torch.zeros(0, 3, 5)).shape == (0, 3, 5)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_it_samples_on_the_gpu(logits):
    latent = ConcreteCategorical().cuda()
    torch.manual_seed(0)
    first = latent(logits.cuda())
    torch.manual_seed(0)
    assert torch.equal(latent(logits.cuda()), first)
    assert first.is_cuda


def test_its_printed_form_shows_the_temperature():
    assert repr(ConcreteCategorical(0.5)) == (
        "ConcreteCategorical(temperature=0.5, straight_through=False)"
    )


def test_samples_of_integer_logits_are_not_rounded_to_integers():
    samples = ConcreteCategorical(0.5)(torch.tensor([[0, 1, 2]]))
    assert samples.sum().item() == pytest.approx(1.0)
    assert samples.is_floating_point()
