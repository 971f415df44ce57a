"""The best state of every run, copied by a kernel, compared with copies run by run."""

import pytest
import torch

from ipcae.training.states.state import Best
from tests.random_tensors import normal

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize("keep_last", [False, True])
def test_kernels_keep_the_same_tensors(keep_last, device):
    shapes = {"a": (4, 3), "b": (4, 70, 70), "count": (4,)}
    start = {name: torch.zeros(*shape) for name, shape in shapes.items()}
    start["count"] = start["count"].long()
    bests = Best(start, keep_last), Best(to(start, device), keep_last)
    for epoch, runs in enumerate([[0, 1, 2, 3], [0, 2, 3], [3, 0]]):
        losses = normal(len(runs), seed=epoch)
        losses[0] = float("nan") if epoch == 1 else losses[0]
        now = {name: normal(4, *shape[1:], seed=epoch)[runs] for name, shape in shapes.items()}
        now["count"] = torch.full((len(runs),), epoch + 1)
        slow(bests[0], epoch, torch.tensor(runs), losses, now)
        number = torch.tensor(epoch, device=device)
        bests[1].update(
            number, torch.tensor(runs, device=device), losses.to(device), to(now, device)
        )
    expected, found = bests
    assert found.loss == expected.loss
    assert found.epoch == expected.epoch
    for name, tensor in expected.params.items():
        assert torch.equal(found.params[name].cpu(), tensor)


def to(tensors, device):
    return {name: tensor.to(device) for name, tensor in tensors.items()}


def slow(best, epoch, runs, losses, params):
    """Update run by run."""
    for position, run in enumerate(runs.tolist()):
        bound = float("inf") if best.keep_last else best.losses[run]
        if losses[position] < bound:
            best.losses[run], best.epochs[run] = losses[position], epoch
            for name, tensor in params.items():
                best.params[name][run] = tensor[position]
