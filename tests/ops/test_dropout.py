"""Dropout against its formula, value and gradient."""

import pytest
import torch

from ipcae.ops import dropout
from ipcae.runs import Stream


@pytest.mark.parametrize("seeds", [(7,), (7, 5), (7, 5, 7, 5), (7, 5, 5), (5, 5)])
def test_values_and_gradients_are_those_of_the_formula(seeds):
    values = torch.randn(len(seeds), 6, 11, requires_grad=True)
    kept = Stream(seeds, 3).keep(0.7, 6, 11)
    found, expected = dropout(values, 1 - 0.7, Stream(seeds, 3)), values * (kept * (1 / 0.7))
    assert torch.equal(found, expected)
    assert 0 < kept.sum() < kept.numel()
    weights = torch.randn(found.shape)
    gradients = [torch.autograd.grad((out * weights).sum(), values) for out in (found, expected)]
    assert torch.equal(*(gradient for (gradient,) in gradients))
