"""Layer normalization with a scale and shift per run, followed by a leaky ReLU."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from ipcae.ops.dispatch import kernels_for
from ipcae.ops.norm_activation import in_place

__all__ = ["norm_activation"]

EPSILON = 1e-5


def norm_activation(inputs: Tensor, scale: Tensor, shift: Tensor, slope: float) -> Tensor:
    """Normalize every row to mean 0 and variance 1, scale and shift it, and apply a leaky ReLU.

    Shape: inputs (R, B, H); scale, shift (R, H) -> (R, B, H).

    >>> import torch
    >>> rows = torch.tensor([[[1.0, 3.0]]])
    >>> norm_activation(rows, torch.ones(1, 2), torch.zeros(1, 2), slope=0.5)
    tensor([[[-0.5000,  1.0000]]])
    """
    if kernels_for(inputs):
        from ipcae.ops.norm_activation import fused

        return fused.norm_activation(inputs, scale, shift, slope)
    if inputs.device.type == "cpu" and slope > 0:  # otherwise the sign is lost
        return in_place.norm_activation(inputs, scale, shift, slope, EPSILON)
    return reference(inputs, scale, shift, slope)


def reference(inputs: Tensor, scale: Tensor, shift: Tensor, slope: float) -> Tensor:
    """Compute the same with PyTorch's own operations. Shape: as :func:`norm_activation`."""
    normal = functional.layer_norm(inputs, inputs.shape[-1:], eps=EPSILON)
    values = normal * scale.unsqueeze(1) + shift.unsqueeze(1)
    return functional.leaky_relu(values, slope)
