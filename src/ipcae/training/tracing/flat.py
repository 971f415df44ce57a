"""Turn a function of tensors into a flat list of operations, without its Python overhead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor

from ipcae.training.tracing.operations import Recording, Value
from ipcae.training.tracing.simplification import fold_constants, merge_views

# Operations that are also methods of tensors, which have less overhead.
_METHODS = {"abs_", "add", "add_", "as_strided", "div", "div_", "expand", "gather", "lerp_"}
_METHODS |= {"log1p_", "log_", "mean", "mm", "mul", "mul_", "neg", "neg_", "scatter_add", "squeeze"}
_METHODS |= {"sum", "t", "transpose", "unsqueeze", "view"}


def flat_function(
    function: Callable[..., Sequence[Tensor]], kept: Sequence[Tensor], examples: Sequence[Tensor]
) -> Callable[..., list[Tensor]]:
    """Trace a function once, including its gradients, and return its operations as a new function.

    The function takes the ``kept`` tensors, followed by the ``examples``. The new function takes
    only the latter, with the same shapes and strides; it reads the kept tensors, and all tensors
    that are not arguments, from their memory at the time of the call. Python control flow is fixed
    by the trace.

    >>> import torch
    >>> def slope(factor, x):
    ...     return torch.autograd.grad(factor * x**3, x)
    >>> factor, x = torch.tensor(1.0), torch.tensor(1.0, requires_grad=True)
    >>> flat = flat_function(slope, [factor], [x])
    >>> flat(torch.tensor(2.0))
    [tensor(12.)]
    """
    # Imported here, because it uses private interfaces of PyTorch.
    from ipcae.training.tracing.recording import record

    recording = record(function, [*kept, *examples])
    first = len(kept)
    arguments = [Value(number) for number in range(first, first + len(examples))]
    return _compiled(_used(fold_constants(merge_views(recording, arguments))), arguments)


def _used(recording: Recording) -> Recording:
    """Leave out operations whose results nothing depends on."""
    wanted, kept = set(recording.outputs), []
    for operation in reversed(recording.operations):
        if operation.changes_its_arguments or wanted.intersection(operation.results):
            kept.append(operation)
            wanted |= operation.values
    return replace(recording, operations=kept[::-1])


def _compiled(recording: Recording, arguments: list[Value]) -> Callable[..., list[Tensor]]:
    """Compile the operations to a Python function that releases every tensor after its last use.

    Views of tensors with a fixed address are created here, once.
    """
    fixed = {v: t.detach() for v, t in recording.known.items() if v not in arguments}
    constants: dict[str, Any] = {}

    def constant(value: Any) -> str:
        name = f"constant_{len(constants)}"
        constants[name] = value
        return name

    def written(part: Any) -> str:
        if isinstance(part, Value):
            return f"tensor_{part.number}"
        if isinstance(part, list | tuple):
            return f"[{''.join(written(each) + ', ' for each in part)}]"
        return constant(part)

    lines = []
    last_uses = _last_uses(recording)
    for number, operation in enumerate(recording.operations):
        if operation.is_view and operation.args[0] in fixed:
            views = operation.function(fixed[operation.args[0]], *operation.args[1:])
            fixed |= zip(operation.results, views if operation.several else [views], strict=True)
        else:
            given = [written(value) for value in operation.args]
            given += [f"{name}={written(value)}" for name, value in operation.kwargs.items()]
            results = ", ".join(map(written, operation.results)) + "," * operation.several
            call = f"{constant(_shortest(operation.function))}({', '.join(given)})"
            lines.append(f"{results} = {call}")
        released = [written(value) for value in last_uses.get(number, ()) if value not in fixed]
        if released:
            lines.append(f"{' = '.join(released)} = None")
    lines.append(f"return {written(recording.outputs)}")
    body = "\n    ".join(lines)
    constants |= {written(value): tensor for value, tensor in fixed.items()}
    exec(f"def flat({', '.join(map(written, arguments))}):\n    {body}\n", constants)
    return constants["flat"]


def _shortest(operation: Any) -> Callable[..., Any]:
    """Return the callable with the least overhead that performs the operation."""
    name, _, overload = getattr(operation, "_name", "").removeprefix("aten::").partition(".")
    if name in _METHODS and not overload.endswith("out"):
        return getattr(Tensor, name)
    # Bypass OpOverload, which looks for dispatch modes at every call.
    return getattr(operation, "_op", operation)


def _last_uses(recording: Recording) -> dict[int, list[Value]]:
    """Return, for the number of each operation, the values whose last use it is, but no outputs."""
    found: dict[int, list[Value]] = {}
    seen = set(recording.outputs)
    for number, operation in reversed(list(enumerate(recording.operations))):
        used = operation.values.union(operation.results)
        found[number] = sorted(used - seen, key=lambda value: value.number)
        seen |= used
    return found
