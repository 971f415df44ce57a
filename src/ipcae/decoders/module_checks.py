"""Checks that a custom network can serve as a decoder."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ipcae.errors import InputError


def described(outputs: Any) -> str:
    """Return what a network returned, for a message."""
    if isinstance(outputs, Tensor):
        return f"shape {tuple(outputs.shape)}"
    return f"a {type(outputs).__name__}"


def first_line(error: Exception) -> str:
    """Return the type of an error and the first line of its message."""
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"


def _require_float64(module: nn.Module, n_inputs: int) -> None:
    tensors = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    double = {name: t.double() for name, t in tensors.items() if t.is_floating_point()}
    try:
        torch.func.functional_call(module, double, (torch.zeros(2, n_inputs).double(),))
    except Exception as error:
        raise InputError(
            f"The decoder cannot predict in float64 ({first_line(error)}): store tensors with "
            "register_buffer, and create others with the dtype of the inputs."
        ) from error


def check_module(module: object, n_inputs: int, n_outputs: int) -> None:
    """Raise an error unless this is a module that maps n_inputs numbers to n_outputs."""
    if not isinstance(module, nn.Module):
        raise InputError(
            f"The decoder function returned a {type(module).__name__}: expected an nn.Module "
            f"that maps {n_inputs} inputs to {n_outputs} outputs."
        )
    was_training = module.training
    module.eval()
    with torch.no_grad():
        try:
            outputs = torch.func.functional_call(module, {}, (torch.zeros(2, n_inputs),))
        except Exception as error:
            raise InputError(
                f"The decoder cannot take {n_inputs} inputs in float32 ({first_line(error)}): "
                "build it from the two numbers that the decoder function receives, in float32."
            ) from error
        _require_float64(module, n_inputs)
    module.train(was_training)
    if not isinstance(outputs, Tensor) or outputs.shape != (2, n_outputs):
        raise InputError(
            f"The decoder maps a batch of 2 rows to {described(outputs)}: expected a tensor of "
            f"shape (2, {n_outputs}). Build it from the two numbers that the decoder function "
            "receives."
        )
