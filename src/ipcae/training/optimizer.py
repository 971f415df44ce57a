"""Adam along the run axis: every run has its own learning rate, and its own arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ipcae.runs import DeviceStep
from ipcae.training.adam import adam_in_place

Params = dict[str, Tensor]
_ALL = slice(None)


@dataclass(frozen=True)
class Pace:
    """How far a step goes: the schedule's factor, and every run's learning rate times it.

    Shape: step_sizes (R,).
    """

    factor: float
    step_sizes: Tensor


class Adam:
    """Adam with betas (0.9, 0.999), PyTorch's own update, on tensors whose first axis is the run.

    Runs that share a learning rate are updated in one call. On the CPU every run's slice is a
    tensor of that call, so that the vector instructions' boundaries fall inside runs only and a
    run's bits do not depend on its company.
    """

    def __init__(self, params: Params, learning_rates: Sequence[float], weight_decay: float):
        self.learning_rates = tuple(learning_rates)
        self.weight_decay = weight_decay
        self.names = [name for name, tensor in params.items() if tensor.requires_grad]
        self.steps = 0
        self._first = {name: torch.zeros_like(params[name]) for name in self.names}
        self._second = {name: torch.zeros_like(params[name]) for name in self.names}
        self._bind(params)

    def step(self, gradients: Sequence[Tensor], pace: Pace) -> None:
        """Update the trained tensors in place."""
        gradients = [gradient.contiguous() for gradient in gradients]
        self._count += 1
        for rate, runs, (trained, first, second) in self._groups:
            own = _slices(gradients, runs)
            size = rate * pace.factor
            adam_in_place(trained, own, first, second, self._count, size, self.weight_decay)
        self.steps += 1

    def device_step(self, gradients: Sequence[Tensor | None], pace: Pace, step: DeviceStep) -> None:
        """Update in one launch; the device knows the number of steps so far, the caller counts."""
        from ipcae.ops.adam_triton import adam_update

        adam_update(
            self._trained,
            [
                torch.zeros_like(tensor) if gradient is None else gradient.contiguous()
                for tensor, gradient in zip(self._trained, gradients, strict=True)
            ],
            list(self._first.values()),
            list(self._second.values()),
            pace.step_sizes,
            step,
            self.weight_decay,
        )

    @property
    def moments(self) -> tuple[Params, Params]:
        """The running means of the gradients and of their squares."""
        return self._first, self._second

    def continue_from(self, steps: int, params: Params) -> None:
        """Go on after so many steps; the moments and ``params`` were filled in place."""
        self.steps = steps
        self._bind(params)

    def keep(self, runs: Tensor, params: Params) -> None:
        """Forget all runs but these, which ``params`` now holds."""
        self.learning_rates = tuple(self.learning_rates[r] for r in runs.tolist())
        runs = runs.to(next(iter(params.values())).device)
        self._first = {name: tensor[runs] for name, tensor in self._first.items()}
        self._second = {name: tensor[runs] for name, tensor in self._second.items()}
        self._bind(params)

    def _bind(self, params: Params) -> None:
        self._trained = trained = [params[name].detach() for name in self.names]
        moments = list(self._first.values()), list(self._second.values())
        # PyTorch asks for the number of steps as a tensor.
        self._count = torch.full((), float(self.steps), device=trained[0].device)
        self._groups = []
        for rate in dict.fromkeys(self.learning_rates):
            runs: list[slice] = [
                slice(r, r + 1) for r, own in enumerate(self.learning_rates) if own == rate
            ]
            on_cpu = trained[0].device.type == "cpu"
            if len(runs) == len(self.learning_rates) and (len(runs) == 1 or not on_cpu):
                runs = [_ALL]
            views = [_slices(tensors, runs) for tensors in (trained, *moments)]
            self._groups.append((rate, runs, views))


def _slices(tensors: Sequence[Tensor], runs: list[slice]) -> list[Tensor]:
    if runs == [_ALL]:
        return list(tensors)
    return [tensor[run] for tensor in tensors for run in runs]
