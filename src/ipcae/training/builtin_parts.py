"""Distinguish built-in parts of a training from custom ones."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from ipcae.decoders import CustomDecoder
from ipcae.losses import CustomLoss


def is_builtin(part: Any) -> bool:
    """Return whether a model or a loss, with all its parts, is defined in ipcae.

    User code may change from step to step, and may not be safe in several threads.

    >>> from ipcae.losses import CrossEntropy, CustomLoss
    >>> is_builtin(CrossEntropy()), is_builtin(CustomLoss(lambda outputs, targets: outputs[..., 0]))
    (True, False)
    """
    if isinstance(part, tuple):
        return all(map(is_builtin, part))
    module = type(part).__module__
    if isinstance(part, CustomDecoder | CustomLoss) or not module.startswith(("builtins", "ipcae")):
        return False
    return not is_dataclass(part) or all(is_builtin(getattr(part, f.name)) for f in fields(part))
