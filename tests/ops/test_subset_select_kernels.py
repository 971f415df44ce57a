"""The kernel of the draws against the reference, with the same random bits."""

import pytest
import torch

from ipcae.ops.subset_select import NOISES, draw_subsets, fused, reference
from ipcae.runs import DeviceStep, Stream
from tests.random_tensors import normal

pytestmark = pytest.mark.usefixtures("kernels")

# (runs, draws, features, counts): blocks are 32 features in these tests.
SIZES = [
    (1, 1, 1, (1,)),
    (2, 2, 5, (1, 4)),
    (1, 1, 32, (32,)),
    (1, 2, 33, (0,)),  # more than one block
    (2, 1, 70, (3, 69)),
]


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(fused, "LARGEST_BLOCK", 32)


def compare(size, device, noise, scale=2.0):
    """Check masks and gradients; the reference gets the bits that the kernel used."""
    n_runs, n_draws, n_features, counts = size
    theta = (scale * normal(n_runs, n_features)).to(device).requires_grad_()
    upstream = normal(n_runs, n_draws, n_features, seed=1)
    wanted = torch.tensor(counts, dtype=torch.float32)
    masks = draw_subsets(theta, wanted.to(device), n_draws, Stream(range(n_runs), 7, device), noise)
    (gradient,) = torch.autograd.grad(masks, theta, upstream.to(device))
    bits = Stream(range(n_runs), 7, device).bits(n_draws, n_features).cpu()
    exact = theta.detach().cpu().double().requires_grad_()
    expected = reference.draw_subsets(exact, wanted.double(), NOISES[noise](bits).double())
    (by_reference,) = torch.autograd.grad(expected, exact, upstream.double())
    torch.testing.assert_close(masks.cpu().double(), expected, rtol=0, atol=0)
    # 1 − π is rounded where π is near 1.
    torch.testing.assert_close(gradient.cpu().double(), by_reference, rtol=0, atol=1e-4)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.usefixtures("small_blocks")
def test_masks_and_gradients_match_the_reference(size, device):
    compare(size, device, "logistic")


@pytest.mark.usefixtures("small_blocks")
def test_gumbel_noise_matches_the_reference(device):
    compare((1, 1, 40, (7,)), device, "gumbel")


@pytest.mark.parametrize("scale", [0.0, 300.0])
@pytest.mark.usefixtures("small_blocks")
def test_any_scale_of_theta_matches_the_reference(scale, device):
    compare((1, 1, 40, (7,)), device, "logistic", scale)


@pytest.mark.parametrize("n_features", [20, 50])
@pytest.mark.usefixtures("small_blocks")
def test_ties_are_broken_by_the_order_of_the_features(n_features, device):
    bits = torch.zeros(1, 1, n_features, dtype=torch.int32, device=device)
    theta = torch.zeros(1, n_features, device=device)
    masks = fused.draw_subsets(theta, torch.tensor([18.0], device=device), bits, "logistic")
    assert masks.flatten().tolist() == [1.0] * 18 + [0.0] * (n_features - 18)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="too slow under Triton's interpreter")
@pytest.mark.parametrize("n_features", [617, 4096, 4097, 100_000, 1_000_000])
def test_many_features_match_the_reference(n_features, device):
    n_runs, n_draws, counts = 2, 3, torch.tensor([50.0, n_features // 3], device=device)
    theta = normal(n_runs, n_features).to(device)
    masks = draw_subsets(theta, counts, n_draws, Stream([1, 2], 7, device))
    noise = NOISES["logistic"](Stream([1, 2], 7, device).bits(n_draws, n_features))
    expected = reference.draw_subsets(theta, counts, noise)
    assert torch.equal(masks.sum(-1), expected.sum(-1))
    # Values that differ in the last bit may change places at the limit.
    assert (masks != expected).sum(-1).max() <= 4


def test_draws_depend_on_the_step_in_device_memory(device):
    theta, counts = torch.zeros(1, 9, device=device), torch.tensor([3.0], device=device)
    base = torch.full((), 5, dtype=torch.int64, device=device)
    held = draw_subsets(theta, counts, 2, Stream([1], DeviceStep(base, 2), device))
    assert torch.equal(
        held, draw_subsets(theta, counts, 2, Stream([1], DeviceStep(base + 2), device))
    )
    assert not torch.equal(
        held, draw_subsets(theta, counts, 2, Stream([1], DeviceStep(base), device))
    )
