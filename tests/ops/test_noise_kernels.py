"""Gumbel noise of the kernels: the map from bits, and the distribution."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from scipy import stats

from ipcae.kernel_launch import launch
from ipcae.ops import gumbel_from_bits
from ipcae.ops.concrete_select.noise_triton import log2_exponential
from ipcae.ops.dispatch import kernels_everywhere
from ipcae.runs import Stream
from tests import kernel_noise
from tests.kernel_noise import read_noise

pytestmark = pytest.mark.usefixtures("kernels")

BLOCK = 4096
WORDS = {
    "the ends": np.r_[0:2048, 2**32 - 2048 : 2**32],
    "the middle": np.r_[2**31 - 2048 : 2**31 + 2048],
    "a stride through all": np.arange(0, 2**32, 2**32 // (8 * BLOCK))[: 8 * BLOCK],
    "random": np.random.default_rng(0).integers(0, 2**32, 8 * BLOCK),
    "powers of two": np.r_[2 ** np.arange(32), 2**32 - 2 ** np.arange(32)],
}


@triton.jit
def map_words(words, out, size, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = place < size
    values = log2_exponential(tl.load(words + place, inside, 0))
    tl.store(out + place, values, inside)


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS.keys())
def test_the_map_is_that_of_the_reference(words, device):
    bits = torch.from_numpy(words.astype(np.uint32).view(np.int32)).to(device)
    out = torch.empty(len(bits), device=device)
    launch(map_words, (triton.cdiv(len(bits), BLOCK),), bits, out, len(bits), BLOCK=BLOCK)
    noise = out.cpu().double() * -np.log(2) - np.log(np.log(2))
    # Two logarithms to 2⁻²² each: the inner one counts most where it is near zero, at E ≈ 0.7.
    # The rest is a rounding of the number itself, up to 22.9.
    expected = gumbel_from_bits(bits.cpu()).double()
    torch.testing.assert_close(noise, expected, rtol=2.0**-23, atol=2e-6)


def noise_of(device, step=0, n_features=512):
    with kernels_everywhere():
        return read_noise(Stream([1, 2], step, device).next_counter(), 5, 39, n_features)


@pytest.fixture(scope="module")
def sample(device):
    """Return 2 · 10⁵ numbers. Shape: (2 runs, 5 draws, 39 nodes, 512 features)."""
    return noise_of(device).cpu().double()


def test_mean_and_variance_are_those_of_the_gumbel_distribution(sample):
    variance, n = np.pi**2 / 6, sample.numel()
    assert abs(sample.mean() - np.euler_gamma) < 5 * (variance / n) ** 0.5
    # The kurtosis is 5.4, so the sample variance scatters by √(4.4 / n) of itself.
    assert abs(sample.var() - variance) < 5 * variance * (4.4 / n) ** 0.5


def test_the_numbers_pass_the_kolmogorov_smirnov_test(sample):
    assert stats.kstest(sample.flatten().numpy(), "gumbel_r").pvalue > 1e-4


def test_runs_draws_nodes_and_features_are_independent(sample):
    # Some numbers fall together in float32; a repeated axis would halve the count.
    assert len(torch.unique(sample)) > 0.99 * sample.numel()
    flat = sample - sample.mean()
    for axis in range(4):
        one = flat.narrow(axis, 0, flat.shape[axis] - 1)
        other = flat.narrow(axis, 1, flat.shape[axis] - 1)
        correlation = (one * other).mean() / flat.var()
        assert abs(correlation) < 5 / one.numel() ** 0.5


def test_the_numbers_of_a_run_depend_on_its_seed_alone(device):
    together = read_noise(Stream([1, 2], 3, device).next_counter(), 2, 6, 70)
    alone = read_noise(Stream([2], 3, device).next_counter(), 2, 6, 70)
    assert torch.equal(together[1], alone[0])
    assert not torch.equal(together[0], together[1])


def test_more_features_or_draws_do_not_change_the_first_ones(device):
    few = read_noise(Stream([1], 3, device).next_counter(), 2, 6, 70)
    many = read_noise(Stream([1], 3, device).next_counter(), 3, 6, 300)
    assert torch.equal(many[:, :2, :, :70], few)


@pytest.mark.slow
def test_both_tails_have_their_probabilities_over_many_draws(device, monkeypatch):
    monkeypatch.setattr(kernel_noise, "BLOCK", 2**16 if device.type == "cpu" else 256)
    # Times 2 runs, 5 draws and 39 nodes: 20 million numbers, or 100 million.
    n_features = 52_000 if device.type == "cpu" else 260_000
    noise = noise_of(device, n_features=n_features)
    levels = {level: (noise > level).sum().item() for level in (3.0, 6.0, 9.0, 12.0, 15.0, 17.0)}
    for level, count in levels.items():
        low, high = stats.poisson.interval(1 - 1e-6, stats.gumbel_r.sf(level) * noise.numel())
        assert low <= count <= high
    for level in (-1.0, -2.0, -2.5, -2.8):
        low, high = stats.poisson.interval(1 - 1e-6, stats.gumbel_r.cdf(level) * noise.numel())
        assert low <= (noise < level).sum().item() <= high
