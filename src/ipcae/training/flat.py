"""Trace a function of tensors into a flat list of operations, without its Python overhead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

# Operations that are also methods of tensors, which have less overhead.
_METHODS = {"abs_", "add", "add_", "div", "div_", "expand", "gather", "lerp_", "log1p_", "log_"}
_METHODS |= {"mean", "mm", "mul", "mul_", "neg", "neg_", "scatter_add", "squeeze", "sum"}
_METHODS |= {"transpose", "unsqueeze", "view"}


def flat_function(
    function: Callable[..., Sequence[Tensor]], kept: Sequence[Tensor], examples: Sequence[Tensor]
) -> Callable[..., list[Tensor]]:
    """Trace a function once, including its gradients, and return its operations as a new function.

    The function takes the ``kept`` tensors, followed by the ``examples``. The new function takes
    only the latter; it reads the kept tensors, and all tensors that are not arguments, from their
    memory at the time of the call. Python control flow is fixed by the trace.

    >>> def slope(factor, x):
    ...     return torch.autograd.grad(factor * x**3, x)
    >>> factor, x = torch.tensor(1.0), torch.tensor(1.0, requires_grad=True)
    >>> flat = flat_function(slope, [factor], [x])
    >>> flat(torch.tensor(2.0))
    [tensor(12.)]
    """
    # Imported here, because the import takes a second.
    from torch.fx.experimental.proxy_tensor import make_fx

    module = make_fx(function)(*kept, *examples)
    _merge_views(module.graph)
    return _compiled(module, kept)


def _merge_views(graph: Any) -> None:
    """Remove repeated views, and views that undo another view."""
    seen: dict[tuple[Any, str], Any] = {}
    for node in list(graph.nodes):
        if _is_view(node):
            same = _undone(node) or seen.setdefault((node.target, repr(node.args)), node)
            if same is not node:
                node.replace_all_uses_with(same)
                graph.erase_node(node)


def _is_view(node: Any) -> bool:
    return bool(getattr(node.target, "is_view", False))


def _undone(view: Any) -> Any:
    """Return the source of a view if the view of it undoes another view, else None."""
    aten, source = torch.ops.aten, view.args[0]
    if view.target is aten.detach.default:
        return source
    there_and_back = (source.target, view.target) == (aten.unsqueeze.default, aten.squeeze.dim)
    return source.args[0] if there_and_back and source.args[1] == view.args[1] else None


def _compiled(module: Any, kept: Sequence[Tensor]) -> Callable[..., list[Tensor]]:
    """Compile the graph to a Python function that releases every tensor after its last use.

    Views of tensors with a fixed address are created here, once.
    """
    constants: dict[str, Any] = {}

    def constant(value: Any) -> str:
        name = f"constant_{len(constants)}"
        constants[name] = value
        return name

    def written(value: Any) -> str:
        if type(value).__name__ == "Node":
            return str(value.name)
        if isinstance(value, list | tuple):
            return f"[{''.join(written(part) + ', ' for part in value)}]"
        return constant(value)

    remaining = iter(kept)
    arguments, lines = [], []
    last_uses = _last_uses(module.graph)
    for node in module.graph.nodes:
        if node.op == "placeholder":
            tensor = next(remaining, None)
            if tensor is None:
                arguments.append(node.name)
            else:
                constants[node.name] = tensor.detach()
        elif node.op == "get_attr":
            constants[node.name] = getattr(module, node.target)
        elif node.op == "output":
            lines.append(f"return {written(node.args[0])}")
        elif _is_view(node) and node.args[0].name in constants:
            constants[node.name] = node.target(constants[node.args[0].name], *node.args[1:])
        else:
            given = [written(value) for value in node.args]
            given += [f"{name}={written(value)}" for name, value in node.kwargs.items()]
            lines.append(f"{node.name} = {constant(_shortest(node.target))}({', '.join(given)})")
        released = [name for name in last_uses.get(node, ()) if name not in constants]
        if released:
            lines.append(f"{' = '.join(released)} = None")
    body = "\n    ".join(lines)
    exec(f"def flat({', '.join(arguments)}):\n    {body}\n", constants)
    return constants["flat"]


def _shortest(operation: Any) -> Callable[..., Any]:
    """Return the callable with the least overhead that performs the operation."""
    name, _, overload = getattr(operation, "_name", "").removeprefix("aten::").partition(".")
    if name in _METHODS and not overload.endswith("out"):
        return getattr(Tensor, name)
    # Bypass OpOverload, which looks for dispatch modes at every call.
    return getattr(operation, "_op", operation)


def _last_uses(graph: Any) -> dict[Any, list[str]]:
    """Return, for each node, the names whose last use it is, except for the outputs."""
    found: dict[Any, list[str]] = {}
    seen: set[Any] = set()
    for node in reversed(graph.nodes):
        for used in node.all_input_nodes:
            if used not in seen:
                seen.add(used)
                if node.op != "output":
                    found.setdefault(node, []).append(used.name)
    return found
