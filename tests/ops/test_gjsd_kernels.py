"""The divergence in kernels against float64, values and gradients."""

import pytest
import torch

from ipcae.ops import gjsd
from ipcae.ops.gjsd import fused, reference
from tests.random_tensors import normal

pytestmark = pytest.mark.usefixtures("kernels")

# (runs, nodes, features); one program averages 64 nodes of 32 features at a time
SIZES = [(1, 1, 1), (2, 3, 5), (1, 5, 33), (1, 66, 7), (2, 4, 40)]


def compare(device, logits, nodes=None, tolerance=1e-5):
    single = logits.to(device).requires_grad_()
    double = logits.double().requires_grad_()
    found = gjsd(single, None if nodes is None else nodes.to(device))
    expected = reference(double, None if nodes is None else nodes.double())
    upstream = normal(len(logits), seed=9)
    (gradient,) = torch.autograd.grad(found, single, upstream.to(device))
    (exact,) = torch.autograd.grad(expected, double, upstream.double())
    for own, true in ((found, expected), (gradient, exact)):
        torch.testing.assert_close(own.cpu().double(), true, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("spread", [1.0, 100.0])
def test_divergence_matches_float64(size, spread, device):
    compare(device, spread * normal(*size), tolerance=1e-5 * spread)


def test_blocks_of_features_are_added_up(device, monkeypatch):
    monkeypatch.setattr(fused, "_LARGEST_BLOCK", 16)
    compare(device, normal(2, 3, 45))


def test_only_included_nodes_count(device):
    nodes = torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    compare(device, normal(2, 3, 6), nodes)


def test_excluded_features_have_no_gradient(device):
    logits = normal(1, 3, 6)
    logits[..., 2] -= 1e9
    compare(device, logits)


def test_logits_in_another_memory_layout_give_the_same_divergence(device):
    turned = normal(2, 5, 3).to(device).transpose(1, 2)
    assert torch.equal(gjsd(turned), gjsd(turned.contiguous()))


def test_the_divergence_of_a_run_does_not_depend_on_the_other_runs(device):
    logits = normal(3, 4, 20).to(device)
    alone = torch.cat([gjsd(logits[run : run + 1]) for run in range(3)])
    assert torch.equal(gjsd(logits), alone)
