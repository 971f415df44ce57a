"""Adam for tensors whose first axis is the run, with a learning rate per run."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ipcae.models import Params
from ipcae.ops.product_gradient import ProductGradient, SumGradient
from ipcae.ops.side_stream import Gradient
from ipcae.runs import DeviceStep

_BETA_1, _BETA_2, _EPSILON = 0.9, 0.999, 1e-8
_ALL = slice(None)


class Adam:
    """Adam with betas (0.9, 0.999) for tensors whose first axis is the run.

    Runs with the same learning rate are updated in one call. On the CPU, the slice of each run is
    passed as a separate tensor, so that vector instructions do not cross runs: results are
    identical whether a run is trained alone or in a batch.
    """

    def __init__(self, params: Params, learning_rates: Sequence[float], weight_decay: float):
        self.learning_rates = tuple(learning_rates)
        self.weight_decay = weight_decay
        self.names = [name for name, tensor in params.items() if tensor.requires_grad]
        self.steps = 0
        self._first = {name: torch.zeros_like(params[name]) for name in self.names}
        self._second = {name: torch.zeros_like(params[name]) for name in self.names}
        self._bind(params)

    def step(self, gradients: Sequence[Tensor], factor: float) -> None:
        """Update the trained tensors in place, with the learning rates times the factor."""
        gradients = [gradient.contiguous() for gradient in gradients]
        self._count += 1
        for rate, runs, (trained, first, second) in self._groups:
            slices = _slices(gradients, runs)
            size = rate * factor
            adam_in_place(trained, slices, first, second, self._count, size, self.weight_decay)
        self.steps += 1

    def device_step(
        self,
        gradients: Sequence[Gradient | None],
        step_sizes: Tensor,
        step: DeviceStep,
        side_stream: torch.cuda.Stream | None = None,
    ) -> None:
        """Update the trained tensors with few kernels, with the step number on the device.

        Gradients given as products are multiplied by the kernel that updates their tensor; the
        others are updated by one kernel, on ``side_stream`` if given.

        Shape: step_sizes (R,), the learning rates times the factor.
        """
        from ipcae.ops.adam_product_triton import adam_update_by_product
        from ipcae.ops.adam_triton import adam_update

        firsts, seconds = list(self._first.values()), list(self._second.values())
        products: list[tuple[int, ProductGradient]] = []
        others: list[tuple[int, Tensor | SumGradient]] = []
        for i, (tensor, gradient) in enumerate(zip(self._trained, gradients, strict=True)):
            if isinstance(gradient, ProductGradient):
                products.append((i, gradient))
            else:
                others.append((i, torch.zeros_like(tensor) if gradient is None else gradient))
        decay = self.weight_decay
        beside = side_stream if products else None
        if beside is not None:
            beside.wait_stream(torch.cuda.current_stream(beside.device))
        # The large kernel first: the small one then uses the multiprocessors that it leaves.
        for i, factors in products:
            own = self._trained[i], factors, firsts[i], seconds[i]
            adam_update_by_product(*own, step_sizes, step, decay)
        with torch.cuda.stream(beside):
            if others:
                tensors, first, second = (
                    [group[i] for i, _ in others] for group in (self._trained, firsts, seconds)
                )
                given = [gradient for _, gradient in others]
                adam_update(tensors, given, first, second, step_sizes, step, decay)
        if beside is not None:
            torch.cuda.current_stream(beside.device).wait_stream(beside)

    @property
    def moments(self) -> tuple[Params, Params]:
        """The running averages of the gradients and of the squared gradients."""
        return self._first, self._second

    def continue_from(self, steps: int, params: Params) -> None:
        """Continue after ``steps`` steps, once the moments and ``params`` are restored in place."""
        self.steps = steps
        self._bind(params)

    def keep(self, runs: Tensor, params: Params) -> None:
        """Keep only these runs, whose tensors are now in ``params``."""
        self.learning_rates = tuple(self.learning_rates[r] for r in runs.tolist())
        runs = runs.to(next(iter(params.values())).device)
        self._first = {name: tensor[runs] for name, tensor in self._first.items()}
        self._second = {name: tensor[runs] for name, tensor in self._second.items()}
        self._bind(params)

    def _bind(self, params: Params) -> None:
        self._trained = trained = [params[name].detach() for name in self.names]
        moments = list(self._first.values()), list(self._second.values())
        # The fused operation takes the number of steps as a tensor.
        self._count = torch.full((), float(self.steps), device=trained[0].device)
        self._groups = []
        for rate in dict.fromkeys(self.learning_rates):
            runs: list[slice] = [
                slice(r, r + 1) for r, other in enumerate(self.learning_rates) if other == rate
            ]
            on_cpu = trained[0].device.type == "cpu"
            if len(runs) == len(self.learning_rates) and (len(runs) == 1 or not on_cpu):
                runs = [_ALL]
            views = [_slices(tensors, runs) for tensors in (trained, *moments)]
            self._groups.append((rate, runs, views))


def _slices(tensors: Sequence[Tensor], runs: list[slice]) -> list[Tensor]:
    if runs == [_ALL]:
        return list(tensors)
    if len(runs) == len(tensors[0]):
        return [run for tensor in tensors for run in tensor.unbind()]
    return [tensor[run] for tensor in tensors for run in runs]


def adam_in_place(
    params: list[Tensor],
    gradients: list[Tensor],
    firsts: list[Tensor],
    seconds: list[Tensor],
    step: Tensor,
    learning_rate: float,
    weight_decay: float,
) -> None:
    """Update tensors and their moments in place.

    ``step`` is the number of this step, starting at 1, as a scalar tensor.

    ``torch._fused_adam_``, which ``torch.optim.Adam(fused=True)`` calls, is private. If the version
    of PyTorch or the device does not support it, slower public operations are used.
    """
    try:
        torch._fused_adam_(
            params,
            gradients,
            firsts,
            seconds,
            [],
            [step] * len(params),
            lr=learning_rate,
            beta1=_BETA_1,
            beta2=_BETA_2,
            weight_decay=weight_decay,
            eps=_EPSILON,
            amsgrad=False,
            maximize=False,
        )
    except (AttributeError, TypeError, NotImplementedError):  # raised before any update
        _plain_adam(params, gradients, firsts, seconds, step, learning_rate, weight_decay)


def _plain_adam(
    params: list[Tensor],
    gradients: list[Tensor],
    firsts: list[Tensor],
    seconds: list[Tensor],
    step: Tensor,
    learning_rate: float,
    weight_decay: float,
) -> None:
    number = step.item()
    step_size = learning_rate / (1 - _BETA_1**number)
    correction = (1 - _BETA_2**number) ** 0.5
    for param, gradient, first, second in zip(params, gradients, firsts, seconds, strict=True):
        if weight_decay:
            gradient = gradient.add(param, alpha=weight_decay)
        first.lerp_(gradient, 1 - _BETA_1)
        second.mul_(_BETA_2).addcmul_(gradient, gradient, value=1 - _BETA_2)
        denominator = second.sqrt().div_(correction).add_(_EPSILON)
        param.addcdiv_(first, denominator, value=-step_size)
