"""Simplify a recording: single views instead of chains, and constants that are computed once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import torch
from torch import Tensor

from ipcae.training.tracing.operations import Layout, Operation, Recording, Value, replaced


def merge_views(recording: Recording, arguments: Iterable[Value]) -> Recording:
    """Take every view from the tensor that owns the memory, and equal views only once.

    A view with the layout of the tensor itself is replaced by the tensor. Views that nothing uses
    any more remain. Where an argument lies in its memory may differ from call to call.
    """
    views = _Views(recording, set(arguments))
    operations = [each for each in map(views.merged, recording.operations) if each is not None]
    outputs = [views.same.get(value, value) for value in recording.outputs]
    return replace(recording, operations=operations, outputs=outputs)


class _Views:
    def __init__(self, recording: Recording, arguments: set[Value]):
        self.same: dict[Value, Value] = {}  # what replaces the result of a view
        self._layouts = recording.layouts
        self._arguments = arguments
        self._owners: dict[Value, Value] = {}  # of the memory of a view
        self._first: dict[tuple[Value, Layout], Value] = {}

    def merged(self, operation: Operation) -> Operation | None:
        """Return what replaces an operation, or None if an earlier tensor replaces its result."""
        args = replaced(operation.args, self.same)
        kwargs = replaced(operation.kwargs, self.same)
        operation = replace(operation, args=args, kwargs=kwargs)
        if not operation.is_view or operation.several:
            return operation
        given, (result,) = args[0], operation.results
        owner, layout = self._owners.get(given, given), self._layouts[result]
        own = self._layouts[owner]
        moved = layout.offset != own.offset
        if layout.dtype != own.dtype or (moved and owner in self._arguments):
            return operation
        self._owners[result] = owner
        self._first.setdefault((owner, own), owner)
        first = self._first.setdefault((owner, layout), result)
        if first != result:
            self.same[result] = first
            return None
        if owner == given:
            return operation
        args = owner, layout.shape, layout.strides, layout.offset if moved else None
        return replace(operation, function=torch.ops.aten.as_strided.default, args=args, kwargs={})


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
