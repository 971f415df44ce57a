"""Gumbel noise from 32 bits: every pattern, both tails, and the distribution."""

import math

import numpy as np
import pytest
import torch
from scipy import stats

from ipcae.ops import gumbel_from_bits
from ipcae.runs import Stream

EDGE = 2**20
RANGES = {
    "lowest": np.arange(0, EDGE),
    "end of the lower half": np.arange(2**31 - EDGE, 2**31),
    "start of the upper half": np.arange(2**31, 2**31 + EDGE),
    "highest": np.arange(2**32 - EDGE, 2**32),
    "across the middle": np.arange(2**31 - EDGE, 2**31 + EDGE, 2),
    "a stride through all": np.arange(0, 2**32, 4093),
}


@pytest.fixture(params=RANGES.values(), ids=RANGES.keys())
def patterns(request):
    """Return bit patterns as unsigned numbers, in rising order."""
    return request.param


def noise_of(patterns):
    return gumbel_from_bits(torch.from_numpy(patterns.astype(np.uint32).view(np.int32)))


def exact(patterns):
    """Compute the Gumbel quantile in float64, from the nearer end of the interval."""
    lower = stats.gumbel_r.isf((patterns + 0.5) / 2**32)
    upper = stats.gumbel_r.ppf((2**32 - patterns - 0.5) / 2**32)
    return np.where(patterns < 2**31, lower, upper)


def test_every_pattern_is_finite_and_within_the_stated_range(patterns):
    noise = noise_of(patterns)
    assert torch.isfinite(noise).all()
    assert noise.min() >= -3.14
    assert noise.max() <= 22.88


def test_noise_never_rises_with_the_pattern(patterns):
    # Compared as a multiple of 32 elements, so that all come from vector instructions.
    noise = noise_of(patterns[: len(patterns) // 32 * 32])
    assert (noise.diff() <= 0).all()
    assert noise[0] > noise[-1]


def test_values_match_float64_in_both_tails(patterns):
    expected = exact(patterns)
    tails = (expected > 1) | (expected < -1)
    np.testing.assert_allclose(noise_of(patterns)[tails], expected[tails], rtol=1e-6)


def test_values_match_float64_everywhere(patterns):
    np.testing.assert_allclose(noise_of(patterns), exact(patterns), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("shape", [(1,), (7,), (3, 13), (5, 3, 77), (1001,), (4, 50, 617)], ids=str)
def test_the_noise_of_a_run_does_not_depend_on_the_other_runs(shape):
    bits = Stream([1, 2, 3], 0).bits(*shape)
    among = gumbel_from_bits(bits)
    for run in range(3):
        assert torch.equal(among[run], gumbel_from_bits(bits[run : run + 1])[0])


@pytest.fixture(scope="module")
def sample():
    """Draw 2²⁵ numbers over four steps."""
    return torch.cat([gumbel_from_bits(Stream([7], step).bits(2**23))[0] for step in range(4)])


def test_mean_and_variance_are_those_of_the_gumbel_distribution(sample):
    numbers, n = sample.double(), len(sample)
    variance = math.pi**2 / 6
    assert abs(numbers.mean() - np.euler_gamma) < 5 * (variance / n) ** 0.5
    # The kurtosis is 5.4, so the sample variance scatters by √(4.4 / n) of itself.
    assert abs(numbers.var() - variance) < 5 * variance * (4.4 / n) ** 0.5


@pytest.mark.parametrize("level", [3, 6, 9, 12, 15])
def test_upper_tail_has_its_probability(sample, level):
    expected = stats.gumbel_r.sf(level) * len(sample)
    low, high = stats.poisson.interval(1 - 1e-6, expected)
    assert low <= int((sample > level).sum()) <= high


@pytest.mark.parametrize("level", [-1, -2, -2.5])
def test_lower_tail_has_its_probability(sample, level):
    expected = stats.gumbel_r.cdf(level) * len(sample)
    low, high = stats.poisson.interval(1 - 1e-6, expected)
    assert low <= int((sample < level).sum()) <= high


def test_a_subsample_passes_the_kolmogorov_smirnov_test(sample):
    assert stats.kstest(sample[::331].double().numpy(), "gumbel_r").pvalue > 1e-4


def test_the_largest_of_many_is_gumbel_again():
    # max of D numbers − log D is standard Gumbel: what decides among many features.
    n_groups, size = 4000, 4096
    bits = Stream([3], 1).bits(n_groups, size)
    largest = gumbel_from_bits(bits)[0].amax(-1).double() - math.log(size)
    assert stats.kstest(largest.numpy(), "gumbel_r").pvalue > 1e-4
