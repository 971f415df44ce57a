"""Gaussian noise from bits, and the distribution function."""

import numpy as np
import torch
from scipy import stats

from ipcae.ops import gaussian_cdf, gaussian_from_bits
from ipcae.runs import Stream


def test_the_numbers_are_standard_normal():
    numbers = gaussian_from_bits(Stream([5], step=0).bits(20000))[0].numpy()
    assert stats.kstest(numbers, "norm").pvalue > 0.01


def test_no_bit_pattern_gives_infinity():
    extremes = torch.tensor([-(2**31), -1, 0, 2**31 - 1], dtype=torch.int32)
    assert torch.isfinite(gaussian_from_bits(extremes)).all()


def test_a_run_has_its_own_bits():
    bits = Stream([1, 2, 3], step=0).bits(13)
    together = gaussian_from_bits(bits)
    for run in range(3):
        assert torch.equal(gaussian_from_bits(bits[run : run + 1])[0], together[run])


def test_the_distribution_function_is_that_of_scipy():
    values = torch.linspace(-6, 6, 101).view(1, -1)
    np.testing.assert_allclose(gaussian_cdf(values), stats.norm.cdf(values), atol=1e-6)
