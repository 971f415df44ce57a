"""Replace chains of views by single ones, and leave out those that are not needed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import torch

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
