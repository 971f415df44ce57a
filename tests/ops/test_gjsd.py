"""The diversity penalty in training's precision and at its extremes."""

import pytest
import torch

from ipcae.ops import gjsd
from ipcae.regularizers import Gjsd
from tests.random_tensors import normal


@pytest.fixture
def logits():
    return normal(4, 5, 77)


def test_the_divergence_of_a_run_does_not_depend_on_the_other_runs(logits):
    among = gjsd(logits)
    for run in range(4):
        assert torch.equal(among[run : run + 1], gjsd(logits[run : run + 1]))


def test_divergence_does_not_depend_on_the_order_of_nodes_or_features(logits):
    torch.testing.assert_close(gjsd(logits.flip(1).roll(3, 2)), gjsd(logits))


def test_a_constant_added_to_a_nodes_logits_changes_nothing(logits):
    shifted = logits + torch.arange(20.0).view(4, 5, 1)
    torch.testing.assert_close(gjsd(shifted), gjsd(logits), rtol=1e-4, atol=0)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e2, 1e4])
def test_divergence_and_gradient_are_finite_and_within_bounds(logits, scale):
    scaled = (scale * logits).requires_grad_()
    divergence = gjsd(scaled)
    (gradient,) = torch.autograd.grad(divergence.sum(), scaled)
    assert torch.isfinite(gradient).all()
    assert (divergence > -1e-6).all()
    assert (divergence < torch.tensor(5.0).log() + 1e-5).all()


def test_following_the_penalty_makes_equal_nodes_different():
    logits = 0.01 * normal(1, 3, 6)
    logits.requires_grad_()
    before = gjsd(logits).item()
    for _ in range(200):
        (gradient,) = torch.autograd.grad(Gjsd().penalty(logits).sum(), logits)
        logits.data -= 5.0 * gradient
    assert before < 1e-3
    assert gjsd(logits).item() > 0.5
    assert len(set(logits.argmax(-1)[0].tolist())) == 3


def test_penalty_is_for_weight_one_whatever_the_weight(logits):
    assert torch.equal(Gjsd(0.5).penalty(logits), -gjsd(logits))
    assert torch.equal(Gjsd((0.1, 0.2, 0.3, 0.4)).penalty(logits), -gjsd(logits))
