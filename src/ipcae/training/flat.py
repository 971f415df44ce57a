"""A function of tensors as a flat list of operations, without the Python that led to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor


def flat_function(
    function: Callable[..., Sequence[Tensor]], *examples: Tensor
) -> Callable[..., list[Tensor]]:
    """Run a function once and return the operations it did, gradients included, as a new function.

    Whatever the function decided by looking at something else than its tensors' values is decided
    for good, and tensors that it did not get as arguments are read where they are.

    >>> import torch
    >>> def slope(x):
    ...     return torch.autograd.grad(x**3, x)
    >>> flat = flat_function(slope, torch.tensor(1.0, requires_grad=True))
    >>> flat(torch.tensor(2.0))
    [tensor(12.)]
    """
    # PyTorch's tracer takes a second to import, which only long trainings have to spare.
    from torch.fx.experimental.proxy_tensor import make_fx

    return _compiled(make_fx(function)(*examples))


def _compiled(module: Any) -> Callable[..., list[Tensor]]:
    """Write the graph as a Python function that forgets every tensor after its last use."""
    names: dict[str, Any] = {}

    def constant(value: Any) -> str:
        names[f"c{len(names)}"] = value
        return f"c{len(names) - 1}"

    def written(value: Any) -> str:
        if type(value).__name__ == "Node":
            return str(value.name)
        if isinstance(value, list | tuple):
            return f"[{''.join(written(part) + ', ' for part in value)}]"
        return constant(value)

    arguments, lines = [], []
    last_uses = _last_uses(module.graph)
    for node in module.graph.nodes:
        if node.op == "placeholder":
            arguments.append(node.name)
        elif node.op == "get_attr":
            lines.append(f"{node.name} = {constant(getattr(module, node.target))}")
        elif node.op == "output":
            lines.append(f"return {written(node.args[0])}")
        else:
            # The operation itself, not the object around it that also looks for modes.
            operation = constant(getattr(node.target, "_op", node.target))
            given = [written(value) for value in node.args]
            given += [f"{name}={written(value)}" for name, value in node.kwargs.items()]
            lines.append(f"{node.name} = {operation}({', '.join(given)})")
        if node in last_uses:
            lines.append(f"{' = '.join(last_uses[node])} = None")
    body = "\n    ".join(lines)
    exec(f"def flat({', '.join(arguments)}):\n    {body}\n", names)
    return names["flat"]


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
