"""The kernels read all slots of a row with the sample that they would read a single slot with."""

import pytest
import torch

from ipcae.ops import concrete_select, concrete_select_slots
from ipcae.runs import Stream
from tests.random_tensors import normal

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize("draws", [2, "row"])
@pytest.mark.parametrize("hard", [False, True])
def test_every_slot_is_read_by_the_sample_of_its_row(draws, hard, device):
    logits = normal(2, 3, 5).to(device).requires_grad_()
    rows = normal(5, 2, 5, seed=1).to(device)

    def stream():
        return Stream([5, 6], 0, device)

    found = concrete_select_slots(
        logits, rows, 0.7, draws=draws, stream=stream(), straight_through=hard
    )
    assert found.shape == (2, 5, 3, 2)
    apart = [
        concrete_select(
            logits, rows[:, slot], 0.7, draws=draws, stream=stream(), straight_through=hard
        )
        for slot in range(2)
    ]
    torch.testing.assert_close(found, torch.stack(apart, -1), rtol=1e-3, atol=1e-4)
    gradients = [
        torch.autograd.grad(values.square().sum(), logits)[0]
        for values in (found, torch.stack(apart, -1))
    ]
    torch.testing.assert_close(*gradients, rtol=1e-2, atol=1e-3)
