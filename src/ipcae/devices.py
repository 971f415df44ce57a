"""The choice of the device."""

from __future__ import annotations

import torch

from ipcae.errors import InputError


def device_for(device: str | torch.device) -> torch.device:
    """Return the device; ``"auto"`` is a CUDA GPU if one is available.

    >>> device_for("cpu")
    device(type='cpu')
    """
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise InputError(
            f"device={device!r} is not understood: expected 'auto', 'cpu' or 'cuda'."
        ) from error
    if chosen.type == "cuda" and not torch.cuda.is_available():
        raise InputError(
            f"device={device!r} is not available: PyTorch finds no CUDA device. Use device='auto' "
            "or 'cpu'."
        )
    try:
        torch.zeros(1, device=chosen).item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise InputError(
            f"device={device!r} is not available: PyTorch cannot use it. Use device='auto' or "
            "'cpu'."
        ) from error
    return chosen
