"""Functions that compute the runs of a batch one after the other on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import torch
from torch import Tensor


def each_run_alone(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Decorate a function of tensors, the run axis first, to be called for every run on the CPU.

    PyTorch computes the elements that do not fill a vector register with other code, which differs
    in the last bit. Which elements these are depends on the number of runs in an array.

    >>> @each_run_alone
    ... def sigmoid(values):
    ...     return values.sigmoid()
    >>> sigmoid(torch.zeros(2, 3)).shape
    torch.Size([2, 3])
    """

    @wraps(function)
    def decorated(*tensors: Tensor) -> Tensor:
        first = tensors[0]
        if first.device.type != "cpu" or len(first) <= 1:
            return function(*tensors)
        runs = zip(*(tensor.split(1) for tensor in tensors), strict=True)
        return torch.cat([function(*run) for run in runs])

    return decorated
