"""A step with kernels does what a plain step does."""

from dataclasses import dataclass

import pytest
import torch
from torch import nn

from ipcae.decoders import CustomDecoder
from ipcae.losses import SquaredError
from ipcae.models import FixedSelection
from ipcae.ops import run_linear
from ipcae.ops.dispatch import kernels_everywhere
from ipcae.rows import Rows
from ipcae.runs import DeviceStep, Runs, Stream
from ipcae.training import Plan
from ipcae.training.epochs.step import Step, losses_and_gradients, row_losses_and_gradients
from ipcae.training.states.state import State

RATES = [1e-2, 3e-2]
X = torch.randn(7, 4, generator=torch.Generator().manual_seed(0))


@dataclass(frozen=True)
class Tied:
    """A network whose weight is used by layers and by other operations."""

    n_layers: int = 2
    penalized: bool = True
    added: bool = False

    def init(self):
        generator = torch.Generator().manual_seed(1)
        return {
            name: torch.randn(2, *shape, generator=generator)
            for name, shape in (("weight", (4, 4)), ("bias", (4,)))
        }

    def predict_with_penalty(self, params, inputs, progress, stream):
        weight, bias = params["weight"], params["bias"]
        values = run_linear(inputs, weight, bias)
        for _ in range(self.n_layers):
            values = run_linear(values.sin(), weight, bias)
        if self.added:
            values = values + weight.square().sum((1, 2)).view(-1, 1, 1)
        return values, weight.square().sum((1, 2)) if self.penalized else None


def stepped(model, params, with_kernels, device, weight_decay=0.0):
    """Return the tensors after two steps."""
    params = {name: tensor.to(device, copy=True) for name, tensor in params.items()}
    state = State.begin(params, Runs.of([1, 2], RATES), Plan(weight_decay=weight_decay))
    step_sizes = torch.tensor(RATES, device=device)
    optimizer = state.optimizer
    penalty_weights = torch.tensor([0.5, 0.0], device=device)
    batch = Rows(X.to(device), X.to(device))
    for i in range(2):
        number = DeviceStep(torch.full((), i, dtype=torch.int64, device=device))
        stream = Stream([1, 2], number if with_kernels else i, device)
        step = Step(0.0, penalty_weights, stream)
        given = model, SquaredError(), state.params, optimizer.names, batch, step
        if with_kernels:
            side = torch.cuda.Stream(device) if device.type == "cuda" else None
            with kernels_everywhere():
                _, gradients = row_losses_and_gradients(*given, side)
                optimizer.device_step(gradients, step_sizes, number, side)
        else:
            optimizer.step(losses_and_gradients(*given)[1], factor=1.0)
    return {name: tensor.detach().cpu() for name, tensor in state.params.items()}


@pytest.mark.parametrize(
    "model",
    [Tied(1, False), Tied(2, False), Tied(1), Tied(3), Tied(2, added=True)],
    ids=str,
)
def test_all_uses_of_a_weight_count(model, device):
    expected = stepped(model, model.init(), False, torch.device("cpu"))
    found = stepped(model, model.init(), True, device)
    for name, tensor in expected.items():
        torch.testing.assert_close(found[name], tensor, rtol=1e-4, atol=1e-5)


class WithUnused(nn.Module):
    """A network with a layer that it does not use."""

    def __init__(self, n_inputs, n_outputs):
        super().__init__()
        self.used, self.unused = nn.Linear(n_inputs, n_outputs), nn.Linear(3, 2)

    def forward(self, inputs):
        return self.used(inputs)


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_an_unused_parameter_has_a_gradient_of_zero(weight_decay, device):
    model = FixedSelection(CustomDecoder(WithUnused), 3, 4)
    start = model.start_from(model.init(Stream([1, 2])), torch.tensor([[0, 1, 2], [3, 2, 1]]))
    plain = stepped(model, start, False, torch.device("cpu"), weight_decay)
    with_kernels = stepped(model, start, True, device, weight_decay)
    unused = [name for name in start if "unused" in name]
    assert len(unused) == 2
    for name, tensor in start.items():
        torch.testing.assert_close(with_kernels[name], plain[name], rtol=1e-4, atol=1e-5)
        moves = weight_decay > 0 if name in unused else "buffer" not in name
        assert torch.equal(plain[name], tensor) != moves
