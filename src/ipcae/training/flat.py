"""A function of tensors as a flat list of operations, without the Python that led to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

# Operations that are methods of tensors with the same arguments: the shorter way to the same code.
_METHODS = {"abs_", "add", "add_", "div", "div_", "expand", "gather", "lerp_", "log1p_", "log_"}
_METHODS |= {"mean", "mm", "mul", "mul_", "neg", "neg_", "scatter_add", "squeeze", "sum"}
_METHODS |= {"transpose", "unsqueeze", "view"}


def flat_function(
    function: Callable[..., Sequence[Tensor]], kept: Sequence[Tensor], examples: Sequence[Tensor]
) -> Callable[..., list[Tensor]]:
    """Run a function once and return the operations it did, gradients included, as a new function.

    The function takes the ``kept`` tensors, then the others; the new function takes the others
    alone, and reads the kept ones, and all tensors that are no arguments, where they are. Whatever
    the function decided by looking at something else than its tensors' values is decided for good.

    >>> def slope(factor, x):
    ...     return torch.autograd.grad(factor * x**3, x)
    >>> factor, x = torch.tensor(1.0), torch.tensor(1.0, requires_grad=True)
    >>> flat = flat_function(slope, [factor], [x])
    >>> flat(torch.tensor(2.0))
    [tensor(12.)]
    """
    # PyTorch's tracer takes a second to import, which only long trainings have to spare.
    from torch.fx.experimental.proxy_tensor import make_fx

    module = make_fx(function)(*kept, *examples)
    _merge_views(module.graph)
    return _compiled(module, kept)


def _merge_views(graph: Any) -> None:
    """Take every view of a tensor once, and none that leads back to where it came from."""
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
    """Return the tensor that a view of a view is again, None if there is none."""
    aten, source = torch.ops.aten, view.args[0]
    if view.target is aten.detach.default:
        return source
    there_and_back = (source.target, view.target) == (aten.unsqueeze.default, aten.squeeze.dim)
    return source.args[0] if there_and_back and source.args[1] == view.args[1] else None


def _compiled(module: Any, kept: Sequence[Tensor]) -> Callable[..., list[Tensor]]:
    """Write the graph as a Python function that forgets every tensor after its last use.

    Views of tensors that stay where they are are taken here, once.
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
        forgotten = [name for name in last_uses.get(node, ()) if name not in constants]
        if forgotten:
            lines.append(f"{' = '.join(forgotten)} = None")
    body = "\n    ".join(lines)
    exec(f"def flat({', '.join(arguments)}):\n    {body}\n", constants)
    return constants["flat"]


def _shortest(operation: Any) -> Callable[..., Any]:
    """Return what does the same with less around it."""
    name, _, overload = getattr(operation, "_name", "").removeprefix("aten::").partition(".")
    if name in _METHODS and not overload.endswith("out"):
        return getattr(Tensor, name)
    # The operation itself, not the object around it that also looks for modes.
    return getattr(operation, "_op", operation)


def _last_uses(graph: Any) -> dict[Any, list[str]]:
    """Return the names that no node needs after this one, the results' excepted."""
    found: dict[Any, list[str]] = {}
    seen: set[Any] = set()
    for node in reversed(graph.nodes):
        for used in node.all_input_nodes:
            if used not in seen:
                seen.add(used)
                if node.op != "output":
                    found.setdefault(node, []).append(used.name)
    return found
