"""Compute operations once whose results are the same in every call."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from ipcae.training.tracing.operations import Operation, Recording, Value, replaced

_FILLED = {torch.ops.aten.ones_like.default: 1, torch.ops.aten.zeros_like.default: 0}


def fold_constants(recording: Recording) -> Recording:
    """Compute what depends on shapes only, such as the gradient of a mean, in advance.

    Tensors that are changed in place, and those that are returned, are not computed in advance.
    """
    changed = _changed(recording)
    constants: dict[Value, Tensor] = {}
    kept = []
    for operation in recording.operations:
        if changed.isdisjoint(operation.results) and _is_constant(operation, constants):
            (result,) = operation.results
            constants[result] = _computed(operation, recording, constants)
        else:
            kept.append(operation)
    return replace(recording, operations=kept, known={**recording.known, **constants})


def _changed(recording: Recording) -> set[Value]:
    """Return the outputs, and tensors that are changed in place, perhaps by way of a view."""
    changed = set(recording.outputs)
    for operation in reversed(recording.operations):
        if operation.changes_its_arguments:
            changed |= operation.values
        elif operation.is_view and not changed.isdisjoint(operation.results):
            changed.add(operation.args[0])
    return changed


def _is_constant(operation: Operation, constants: dict[Value, Tensor]) -> bool:
    if operation.several or operation.changes_its_arguments:
        return False
    if operation.function in _FILLED:
        return True
    random = torch.Tag.nondeterministic_seeded in operation.function.tags
    return bool(operation.values) and operation.values <= constants.keys() and not random


def _computed(operation: Operation, recording: Recording, constants: dict[Value, Tensor]) -> Tensor:
    if operation.function in _FILLED:
        dtype, shape, strides, _ = recording.layouts[operation.results[0]]
        return torch.empty_strided(shape, strides, dtype=dtype).fill_(_FILLED[operation.function])
    args, kwargs = replaced(operation.args, constants), replaced(operation.kwargs, constants)
    return operation.function(*args, **kwargs)
