"""Logistic noise from random bits."""

import torch

from ipcae.ops import logistic_from_bits
from ipcae.runs import Stream


def test_the_distribution_is_logistic():
    numbers = logistic_from_bits(Stream([0]).bits(200_000)).double()
    for probability in (0.01, 0.1, 0.5, 0.9, 0.99):
        quantile = torch.logit(torch.tensor(probability, dtype=torch.float64))
        assert abs((numbers < quantile).double().mean().item() - probability) < 0.003


def test_the_extreme_bits_are_finite_and_symmetric():
    bits = torch.tensor([0, -1, 2**31 - 1, -(2**31)], dtype=torch.int32)
    found = logistic_from_bits(bits)
    torch.testing.assert_close(found[:2], torch.tensor([22.8739, -22.8739]), rtol=1e-5, atol=0)
    assert found[2:].abs().max() < 1e-6


def test_batched_equals_alone():
    bits = Stream([1, 2, 3]).bits(5, 7)
    together = logistic_from_bits(bits)
    assert all(torch.equal(logistic_from_bits(bits[r : r + 1])[0], together[r]) for r in range(3))
