"""Record the operations that a function performs on tensors, including those of its gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.weak import TensorWeakRef

from ipcae.training.tracing.operations import Layout, Operation, Recording, Value


def record(function: Callable[..., Sequence[Tensor]], arguments: Sequence[Tensor]) -> Recording:
    """Call a function with these arguments and record its operations.

    Python control flow is not recorded. A function that turns a tensor into a number cannot be
    recorded.

    >>> import torch
    >>> recording = record(lambda x: [x.exp().add_(1)], [torch.ones(2)])
    >>> [str(operation.function) for operation in recording.operations]
    ['aten.exp.default', 'aten.add_.Tensor']
    >>> recording.outputs == list(recording.operations[0].results)
    True
    """
    recorder = _Recorder(arguments)
    with recorder:
        outputs = function(*arguments)
    values = [recorder.value(tensor) for tensor in outputs]
    return Recording(recorder.operations, recorder.known, recorder.layouts, values)


class _Recorder(TorchDispatchMode):
    """Sees every operation below autograd, in this thread."""

    def __init__(self, arguments: Sequence[Tensor]):
        super().__init__()
        self.operations: list[Operation] = []
        self.known: dict[Value, Tensor] = {}
        self.layouts: dict[Value, Layout] = {}
        # By the id of a tensor, which another gets once the tensor is released.
        self._values: dict[int, tuple[TensorWeakRef, Value]] = {}
        self._n_values = 0
        for tensor in arguments:  # a tensor that is given twice has the first number
            self.known[self._new(tensor)] = tensor

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        given, options = self._written(args), self._written(kwargs)
        results = func(*args, **kwargs)
        several = isinstance(results, list | tuple)
        tensors = tuple(results) if several else (results,)
        if not all(tensor is None or isinstance(tensor, Tensor) for tensor in tensors):
            raise RuntimeError(f"{func} returns numbers, which cannot be recorded.")
        values = tuple(self._seen(each) or self._new(each) for each in tensors)
        for tensor, value in zip(tensors, values, strict=True):
            if tensor is not None and self.layouts[value] != Layout.of(tensor):
                raise RuntimeError(f"{func} changes a shape in place, which cannot be recorded.")
        self.operations.append(Operation(func, given, options, values, several))
        return results

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Return False, so that PyTorch does not import its compiler, which takes a second."""
        return False

    def value(self, tensor: Tensor) -> Value:
        """Return the value of a tensor; if it is new, it existed before."""
        value = self._seen(tensor)
        if value is None:
            value = self._new(tensor)
            self.known[value] = tensor
        return value

    def _seen(self, tensor: Tensor | None) -> Value | None:
        reference, value = self._values.get(id(tensor), (None, None))
        return value if reference is not None and reference() is tensor else None

    def _new(self, tensor: Tensor | None) -> Value:
        value = Value(self._n_values)
        self._n_values += 1
        if tensor is not None and self._seen(tensor) is None:  # None was not asked for
            self._values[id(tensor)] = TensorWeakRef(tensor), value
            self.layouts[value] = Layout.of(tensor)
        return value

    def _written(self, part: Any) -> Any:
        if isinstance(part, Tensor):
            return self.value(part)
        if isinstance(part, list | tuple):
            return type(part)(map(self._written, part))
        if isinstance(part, dict):
            return {name: self._written(each) for name, each in part.items()}
        return part
