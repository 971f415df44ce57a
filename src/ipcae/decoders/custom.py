"""A decoder that wraps any ``nn.Module``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from ipcae.decoders.base import Params
from ipcae.decoders.global_random_state import one_at_a_time, seeded
from ipcae.decoders.module_checks import check_module, first_line
from ipcae.decoders.stateless_module import StatelessModule, named_tensors
from ipcae.errors import InputError
from ipcae.runs import Stream


@dataclass(frozen=True)
class CustomDecoder:
    """A custom network, given by a function of (n_inputs, n_outputs) that returns an ``nn.Module``.

    One module is built per run, seeded by the run. If ``torch.func.vmap`` supports the module, all
    runs are computed in parallel; a network with buffers or randomness (batch norm, dropout) is
    called run by run. Parameters that do not require gradients are not trained.
    Networks draw from PyTorch's global random state, so they are built and called by one thread at
    a time.

    Examples
    --------
    >>> decoder = CustomDecoder(lambda n, m: nn.Sequential(nn.Linear(n, m), nn.Tanh()))
    >>> params = decoder.init(3, 2, Stream([0, 1]))
    >>> decoder.apply(params, torch.ones(2, 5, 3)).shape
    torch.Size([2, 5, 2])
    """

    factory: Callable[[int, int], nn.Module]
    # A module for every set of shapes; its own tensors are not used.
    _modules: dict[object, StatelessModule] = field(default_factory=dict, repr=False, compare=False)

    def init(self, n_inputs: int, n_outputs: int, stream: Stream) -> Params:
        """Build a module for every run and stack their tensors."""
        modules = []
        for seed in stream.bits(1).flatten().tolist():
            with seeded(seed):
                modules.append(self._built(n_inputs, n_outputs))
        states = [named_tensors(module) for module in modules]
        stacked = {}
        for name, first in states[0].items():
            tensors = [state[name].detach() for state in states if name in state]
            if {tensor.shape for tensor in tensors} != {first.shape} or len(tensors) < len(states):
                raise InputError(
                    f"The decoder function built different networks for different runs ({name}): "
                    "expected the same layers every time."
                )
            key = name if first.requires_grad else f"buffer:{name}"
            stacked[key] = torch.stack(tensors).to(stream.device)
        if all(name.startswith("buffer:") for name in stacked):
            raise InputError(
                "The decoder has no parameters to train: expected an nn.Module with parameters "
                "that require gradients, such as nn.Linear."
            )
        self._modules[_shapes(stacked)] = StatelessModule.of(modules[0], n_inputs, n_outputs)
        return stacked

    def apply(self, params: Params, inputs: Tensor, stream: Stream | None = None) -> Tensor:
        """Shape: inputs (R, B, K) -> (R, B, O)."""
        stateless = self._modules[_shapes(params)]
        tensors = {name.removeprefix("buffer:"): tensor for name, tensor in params.items()}
        seeds = [0] * len(inputs)
        if stream is not None and not stateless.stackable:
            if stream.part is not None:  # the random numbers of a part are its own
                stream = stream.next_draw(stream.part.first, size=1)
            seeds = stream.bits(1).flatten().tolist()
        # A module is shared: its mode, and for the time of a call also its tensors.
        with one_at_a_time():
            stateless.module.train(stream is not None)
            if stateless.stackable:
                return stateless.checked(torch.func.vmap(stateless.call)(tensors, inputs), inputs)
            outputs = []
            for run, seed in enumerate(seeds):
                own = {name: tensor[run] for name, tensor in tensors.items()}
                with seeded(seed, inputs.device):
                    output = stateless.call(own, inputs[run])
                outputs.append(stateless.checked(output, inputs[run]))
            return torch.stack(outputs)

    def restored(self, n_inputs: int, n_outputs: int, params: Params) -> nn.Module:
        """Build a module and give it the tensors of one run, without the run axis."""
        with seeded(0):
            module = self._built(n_inputs, n_outputs)
        for name, tensor in named_tensors(module).items():
            tensor.data.copy_(params[name])
        return module

    def _built(self, n_inputs: int, n_outputs: int) -> nn.Module:
        try:
            module = self.factory(n_inputs, n_outputs)
        except Exception as error:
            raise InputError(
                f"The decoder function failed for {n_inputs} inputs and {n_outputs} outputs "
                f"({first_line(error)}): expected an nn.Module."
            ) from error
        check_module(module, n_inputs, n_outputs)
        return module


def _shapes(params: Params) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return tuple(sorted((name, tuple(tensor.shape[1:])) for name, tensor in params.items()))
