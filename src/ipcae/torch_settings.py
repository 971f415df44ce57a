"""PyTorch's global settings, which the user may have changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any, TypeVar, cast

import torch

_Function = TypeVar("_Function", bound=Callable[..., Any])
_CPU = torch.device("cpu")


@contextmanager
def default_torch_settings() -> Iterator[None]:
    """Use PyTorch's defaults in this block: float32, the CPU, gradients, and no autocast.

    Without it, ``torch.set_default_dtype``, ``torch.set_default_device`` or a surrounding
    ``torch.no_grad()`` would change or break a fit. The default type belongs to the process: other
    threads see it change as well.

    >>> with torch.no_grad(), default_torch_settings():
    ...     torch.is_grad_enabled()
    True
    """
    dtype = torch.get_default_dtype()
    with ExitStack() as settings:
        if dtype != torch.float32:
            settings.callback(torch.set_default_dtype, dtype)
            torch.set_default_dtype(torch.float32)
        if torch.get_default_device() != _CPU:  # otherwise not, because it slows every operation
            settings.enter_context(_CPU)
        if torch.is_inference_mode_enabled():
            settings.enter_context(torch.inference_mode(False))
        if not torch.is_grad_enabled():
            settings.enter_context(torch.enable_grad())
        for device in ("cpu", "cuda"):
            if torch.is_autocast_enabled(device):
                settings.enter_context(torch.autocast(device, enabled=False))
        yield


def with_default_torch_settings(function: _Function) -> _Function:
    """Let a function run in :func:`default_torch_settings`.

    Unlike those of a decorator of ``contextlib``, its frames belong to this package, which warnings
    skip when they look for the line of the user.
    """

    @wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with default_torch_settings():
            return function(*args, **kwargs)

    return cast(_Function, wrapped)
