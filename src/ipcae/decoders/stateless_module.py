"""Call a module with the tensors of a run instead of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ipcae.decoders.base import Params
from ipcae.decoders.module_checks import described
from ipcae.errors import InputError


@dataclass(frozen=True)
class StatelessModule:
    """A module whose tensors are arguments of the call, and the number of its outputs.

    ``stackable`` is whether ``torch.func.vmap`` can call it for all runs at once.

    >>> module = StatelessModule.of(nn.Linear(3, 2), 3, 2)
    >>> tensors = {"weight": torch.ones(2, 3), "bias": torch.zeros(2)}
    >>> module.call(tensors, torch.ones(1, 3)), module.stackable
    (tensor([[3., 3.]]), True)
    """

    module: nn.Module
    stackable: bool
    n_outputs: int

    @classmethod
    def of(cls, module: nn.Module, n_inputs: int, n_outputs: int) -> StatelessModule:
        """Find out whether the runs of this module can be computed in parallel."""
        if next(module.buffers(), None) is not None:
            return cls(module, False, n_outputs)
        one = {name: t.detach().unsqueeze(0) for name, t in module.named_parameters()}
        try:
            torch.func.vmap(cls(module, True, n_outputs).call)(one, torch.zeros(1, 2, n_inputs))
        except Exception:  # vmap refuses randomness and data-dependent code, in several ways
            return cls(module, False, n_outputs)
        return cls(module, True, n_outputs)

    def call(self, tensors: Params, inputs: Tensor) -> Tensor:
        """Map the inputs with these tensors. Shape: (B, K) -> (B, O)."""
        try:
            return torch.func.functional_call(self.module, tensors, (inputs,))
        except ValueError as error:
            if "more than 1 value per channel" not in str(error):
                raise
            raise InputError(
                "A batch of a single row cannot be normalized by the decoder's batch norm: choose "
                "drop_last=True, or a batch_size that leaves more than one row for the last batch."
            ) from error

    def checked(self, outputs: Any, inputs: Tensor) -> Tensor:
        """Return the outputs if they have the right shape."""
        expected = (*inputs.shape[:-1], self.n_outputs)
        if isinstance(outputs, Tensor) and outputs.shape == expected:
            return outputs
        rows, n_outputs = expected[-2:]
        raise InputError(
            f"The decoder maps a batch of {rows} rows to {described(outputs)}: expected a tensor "
            f"of shape {(rows, n_outputs)}, in training as in prediction."
        )


def named_tensors(module: nn.Module) -> Params:
    """Return parameters and buffers by name; a tensor that layers share has its first name."""
    seen: set[int] = set()
    state = {}
    # Buffers that are not persistent are missing in a state_dict.
    tensors = {**module.state_dict(keep_vars=True), **dict(module.named_buffers())}
    for name, tensor in tensors.items():
        if isinstance(tensor, Tensor) and id(tensor) not in seen:
            seen.add(id(tensor))
            state[name] = tensor
    return state
