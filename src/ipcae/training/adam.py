"""In-place Adam updates, with PyTorch's fused operation if available."""

from __future__ import annotations

import torch
from torch import Tensor

_BETA_1, _BETA_2, _EPSILON = 0.9, 0.999, 1e-8


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
