"""Decoders, which map the K selected values to the outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

from ipcae.errors import InputError
from ipcae.ops import norm_activation, run_linear
from ipcae.runs import Stream

Params = dict[str, Tensor]


class Decoder(Protocol):
    """A map from the selected values to the outputs."""

    def init(self, n_inputs: int, n_outputs: int, stream: Stream) -> Params:
        """Draw the initial tensors, the run axis first."""
        ...

    def apply(self, params: Params, inputs: Tensor, stream: Stream | None = None) -> Tensor:
        """Decode, with dropout if a stream is given. Shape: (R, B, K) -> (R, B, O)."""
        ...


@dataclass(frozen=True)
class Mlp:
    """Hidden layers of Linear → LayerNorm → LeakyReLU (→ dropout), then a linear layer.

    Linear layers are initialized as in PyTorch. The default is the decoder of the paper.

    Parameters
    ----------
    hidden : tuple of int
        Widths of the hidden layers; ``()`` for a linear decoder.
    dropout : float
        Probability of dropping a hidden unit in training.
    slope : float
        Negative slope of the LeakyReLU.
    normalize : bool
        Whether to apply LayerNorm.

    Examples
    --------
    >>> params = Mlp(hidden=(6,)).init(3, 2, Stream([0]))
    >>> Mlp(hidden=(6,)).apply(params, torch.ones(1, 5, 3)).shape
    torch.Size([1, 5, 2])
    """

    hidden: tuple[int, ...] = (200,)
    dropout: float = 0.0
    slope: float = 0.2
    normalize: bool = True

    def init(self, n_inputs: int, n_outputs: int, stream: Stream) -> Params:
        """Shape: weights (R, out, in), biases (R, out), norms (R, hidden)."""
        params = {}
        sizes = (n_inputs, *self.hidden, n_outputs)
        for layer, (fan_in, fan_out) in enumerate(pairwise(sizes)):
            bound = fan_in**-0.5
            weight = stream.uniform(fan_out, fan_in)
            params[f"{layer}.weight"] = weight.mul_(2 * bound).sub_(bound)
            params[f"{layer}.bias"] = stream.uniform(fan_out).mul_(2 * bound).sub_(bound)
            if self.normalize and layer < len(self.hidden):
                ones = torch.ones(len(stream.seeds), fan_out, device=stream.device)
                params[f"{layer}.norm.weight"] = ones
                params[f"{layer}.norm.bias"] = torch.zeros_like(ones)
        return params

    def apply(self, params: Params, inputs: Tensor, stream: Stream | None = None) -> Tensor:
        """Shape: inputs (R, B, K) -> (R, B, O)."""
        values = inputs
        for layer in range(len(self.hidden)):
            values = run_linear(values, params[f"{layer}.weight"], params[f"{layer}.bias"])
            if self.normalize:
                scale, shift = params[f"{layer}.norm.weight"], params[f"{layer}.norm.bias"]
                values = norm_activation(values, scale, shift, self.slope)
            else:
                values = functional.leaky_relu(values, self.slope)
            if self.dropout and stream is not None:
                kept = stream.keep(1 - self.dropout, *values.shape[1:])
                values = values * kept / (1 - self.dropout)
        last = len(self.hidden)
        return run_linear(values, params[f"{last}.weight"], params[f"{last}.bias"])


def linear_decoder() -> Mlp:
    """Return a decoder without hidden layers.

    >>> linear_decoder()
    Mlp(hidden=(), dropout=0.0, slope=0.2, normalize=True)
    """
    return Mlp(hidden=())


@dataclass(frozen=True)
class CustomDecoder:
    """A custom network, given by a function of (n_inputs, n_outputs) that returns an ``nn.Module``.

    One module is built per run, seeded by the run. If ``torch.func.vmap`` supports the module, all
    runs are computed in parallel; a network with buffers or randomness (batch norm, dropout) is
    called run by run. Parameters that do not require gradients are not trained.

    Examples
    --------
    >>> decoder = CustomDecoder(lambda n, m: nn.Sequential(nn.Linear(n, m), nn.Tanh()))
    >>> params = decoder.init(3, 2, Stream([0, 1]))
    >>> decoder.apply(params, torch.ones(2, 5, 3)).shape
    torch.Size([2, 5, 2])
    """

    factory: Callable[[int, int], nn.Module]
    # A module for every set of shapes; its own tensors are not used.
    _skeletons: dict[object, _Skeleton] = field(default_factory=dict, repr=False, compare=False)

    def init(self, n_inputs: int, n_outputs: int, stream: Stream) -> Params:
        """Build a module for every run and stack their tensors."""
        modules = []
        for seed in stream.bits(1).flatten().tolist():
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                modules.append(self.factory(n_inputs, n_outputs))
        _check_module(modules[0], n_inputs, n_outputs)
        stacked = {}
        for name, first in modules[0].state_dict(keep_vars=True).items():
            tensors = [module.state_dict()[name].detach() for module in modules]
            key = name if first.requires_grad else f"buffer:{name}"
            stacked[key] = torch.stack(tensors).to(stream.device)
        self._skeletons[_shapes(stacked)] = _Skeleton.of(modules[0], n_inputs)
        return stacked

    def apply(self, params: Params, inputs: Tensor, stream: Stream | None = None) -> Tensor:
        """Shape: inputs (R, B, K) -> (R, B, O)."""
        skeleton = self._skeletons[_shapes(params)]
        skeleton.module.train(stream is not None)
        tensors = {name.removeprefix("buffer:"): tensor for name, tensor in params.items()}
        if skeleton.stackable:
            return torch.func.vmap(skeleton.call)(tensors, inputs)
        seeds = [0] * len(inputs) if stream is None else stream.bits(1).flatten().tolist()
        outputs = []
        with torch.random.fork_rng(devices=[]):
            for run, seed in enumerate(seeds):
                torch.manual_seed(seed)
                state = {name: tensor[run] for name, tensor in tensors.items()}
                outputs.append(skeleton.call(state, inputs[run]))
        return torch.stack(outputs)


@dataclass(frozen=True)
class _Skeleton:
    module: nn.Module
    stackable: bool

    @classmethod
    def of(cls, module: nn.Module, n_inputs: int) -> _Skeleton:
        """Find out whether the runs of this module can be computed in parallel."""
        if next(module.buffers(), None) is not None:
            return cls(module, stackable=False)
        one = {name: t.detach().unsqueeze(0) for name, t in module.named_parameters()}
        try:
            torch.func.vmap(cls(module, True).call)(one, torch.zeros(1, 2, n_inputs))
        except RuntimeError:  # vmap does not support randomness and data-dependent code
            return cls(module, stackable=False)
        return cls(module, stackable=True)

    def call(self, tensors: Params, inputs: Tensor) -> Tensor:
        return torch.func.functional_call(self.module, tensors, (inputs,))


def _shapes(params: Params) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return tuple(sorted((name, tuple(tensor.shape[1:])) for name, tensor in params.items()))


def _check_module(module: object, n_inputs: int, n_outputs: int) -> None:
    if not isinstance(module, nn.Module):
        raise InputError(
            f"The decoder function returned a {type(module).__name__}: expected an nn.Module "
            f"that maps {n_inputs} inputs to {n_outputs} outputs."
        )
    was_training = module.training
    module.eval()
    with torch.no_grad():
        try:
            shape = tuple(module(torch.zeros(2, n_inputs)).shape)
        except RuntimeError as error:
            raise InputError(
                f"The decoder cannot take {n_inputs} inputs ({error}): build it from n_inputs and "
                "n_outputs, the arguments of the decoder function."
            ) from error
    module.train(was_training)
    if shape != (2, n_outputs):
        raise InputError(
            f"The decoder maps a batch of 2 rows to shape {shape}: expected (2, {n_outputs}). "
            "Build it from n_inputs and n_outputs, the arguments of the decoder function."
        )
