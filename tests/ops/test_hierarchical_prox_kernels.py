"""LassoNet's proximal operator in a kernel, against float64."""

from importlib import import_module

import pytest
import torch

from ipcae.ops import hierarchical_prox, hierarchical_prox_

pytestmark = pytest.mark.usefixtures("kernels")

# (runs, outputs, hidden weights, features)
SIZES = [(1, 1, 1, 1), (2, 3, 6, 40), (1, 130, 20, 17)]


def problem(size, scale):
    n_runs, n_outputs, n_hidden, n_features = size
    generator = torch.Generator().manual_seed(0)
    skip = torch.randn(n_runs, n_outputs, n_features, generator=generator)
    skip[:, :, 0] = 0.0  # a feature that was dropped
    hidden = scale * torch.randn(n_runs, n_hidden, n_features, generator=generator)
    return skip, hidden, 3 * torch.rand(n_runs, n_features, generator=generator)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(("scale", "hierarchy"), [(0.01, 10.0), (3.0, 10.0), (3.0, 0.5)])
def test_the_weights_match_float64(size, scale, hierarchy, device):
    exact = problem(size, scale)
    expected = hierarchical_prox(*(tensor.double() for tensor in exact), hierarchy)
    skip, hidden, threshold = (tensor.to(device) for tensor in exact)
    hierarchical_prox_(skip, hidden, threshold, hierarchy)
    for found, true in zip((skip, hidden), expected, strict=True):
        torch.testing.assert_close(found.cpu().double(), true, rtol=1e-5, atol=1e-5)
    assert torch.equal((skip != 0).any(1).cpu(), (expected[0] != 0).any(1))


def test_one_threshold_and_weights_within_larger_tensors(device):
    skip, hidden, _ = (tensor.to(device) for tensor in problem(SIZES[1], 1.0))
    threshold = torch.full((2, 1), 0.5, device=device)
    table = torch.cat([skip, hidden], 1)  # the runs of a view are further apart
    expected = hierarchical_prox(skip.double(), hidden.double(), threshold.double(), 10.0)
    hierarchical_prox_(table[:, :3], table[:, 3:], threshold, 10.0)
    torch.testing.assert_close(table.double(), torch.cat(expected, 1), rtol=1e-5, atol=1e-5)


def test_the_kernel_is_used(device, monkeypatch):
    module = import_module("ipcae.ops.hierarchical_prox")  # not the function of the same name
    monkeypatch.setattr(module, "hierarchical_prox", None)
    skip, hidden, threshold = (tensor.to(device) for tensor in problem(SIZES[1], 1.0))
    module.hierarchical_prox_(skip, hidden, threshold, 10.0)
