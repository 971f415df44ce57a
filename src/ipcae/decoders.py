"""Decoders, which map the K selected values to the outputs."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

from ipcae.errors import InputError
from ipcae.ops import dropout, norm_activation, run_linear
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
    noise : float
        Standard deviation of noise that is added to the inputs in training. The scaled columns
        have one of about 1. The noise is uniform.
    skip : bool
        Whether to add a linear map of the inputs to the outputs.
    mixup : float
        How much rows are mixed in training, once the features are selected: a row's share in its
        mixture with another has the distribution Beta(mixup, mixup). 0 for none.

    See Also
    --------
    ClassificationSelector : Predict classes from the selected features.
    ReconstructionSelector : Reconstruct all columns, without a target.

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
    noise: float = 0.0
    skip: bool = False
    mixup: float = 0.0

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
                shape = (len(stream.seeds), fan_out)
                params[f"{layer}.norm.weight"] = torch.ones(shape, device=stream.device)
                params[f"{layer}.norm.bias"] = torch.zeros(shape, device=stream.device)
        if self.skip:
            bound = n_inputs**-0.5
            params["skip.weight"] = stream.uniform(n_outputs, n_inputs).mul_(2 * bound).sub_(bound)
        return params

    def narrowed(self, params: Params, nodes: Tensor) -> Params:
        """Return initial tensors for the inputs that are used, those with 1 in ``nodes``.

        They are as large as those of a decoder with only these inputs. Shape: nodes (R, K).
        """
        factor = (nodes.shape[1] / nodes.sum(1)).sqrt()
        used = (factor.unsqueeze(1) * nodes).unsqueeze(1)
        changed = {"0.bias": params["0.bias"] * factor.unsqueeze(1)}
        for name in ("0.weight", "skip.weight"):
            if name in params:
                changed[name] = params[name] * used
        return {**params, **changed}

    def restricted(self, params: Params, inputs: Tensor, used: Tensor | None = None) -> Params:
        """Return the tensors of the decoder that reads only these inputs, in this order.

        The weights of inputs with 0 in ``used`` are zero. Shape: inputs, used (R, K).
        """
        weight = params["0.weight"]
        index = inputs.unsqueeze(1).expand(-1, weight.shape[1], -1)
        weight = weight.gather(2, index)
        if used is not None:
            weight = weight * used.unsqueeze(1)
        return {**params, "0.weight": weight}

    def apply(self, params: Params, inputs: Tensor, stream: Stream | None = None) -> Tensor:
        """Shape: inputs (R, B, K) -> (R, B, O)."""
        values = inputs
        if self.noise and stream is not None:
            bound = self.noise * 3**0.5
            values = inputs = values + stream.row_bits(*values.shape[1:]) * (bound / 2**31)
        for layer in range(len(self.hidden)):
            values = run_linear(values, params[f"{layer}.weight"], params[f"{layer}.bias"])
            if self.normalize:
                scale, shift = params[f"{layer}.norm.weight"], params[f"{layer}.norm.bias"]
                values = norm_activation(values, scale, shift, self.slope)
            else:
                values = functional.leaky_relu(values, self.slope)
            if self.dropout and stream is not None:
                values = dropout(values, self.dropout, stream)
        last = len(self.hidden)
        outputs = run_linear(values, params[f"{last}.weight"], params[f"{last}.bias"])
        return outputs + run_linear(inputs, params["skip.weight"]) if self.skip else outputs


def linear_decoder() -> Mlp:
    """Return a decoder without hidden layers.

    >>> linear_decoder()
    Mlp(hidden=(), dropout=0.0, slope=0.2, normalize=True, noise=0.0, skip=False, mixup=0.0)
    """
    return Mlp(hidden=())


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
    _skeletons: dict[object, _Skeleton] = field(default_factory=dict, repr=False, compare=False)

    def init(self, n_inputs: int, n_outputs: int, stream: Stream) -> Params:
        """Build a module for every run and stack their tensors."""
        modules = []
        for seed in stream.bits(1).flatten().tolist():
            with _seeded(seed):
                modules.append(self._built(n_inputs, n_outputs))
        states = [_state(module) for module in modules]
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
        self._skeletons[_shapes(stacked)] = _Skeleton.of(modules[0], n_inputs, n_outputs)
        return stacked

    def apply(self, params: Params, inputs: Tensor, stream: Stream | None = None) -> Tensor:
        """Shape: inputs (R, B, K) -> (R, B, O)."""
        skeleton = self._skeletons[_shapes(params)]
        tensors = {name.removeprefix("buffer:"): tensor for name, tensor in params.items()}
        seeds = [0] * len(inputs)
        if stream is not None and not skeleton.stackable:
            if stream.part is not None:  # the random numbers of a part are its own
                stream = stream.next_draw(stream.part.first, size=1)
            seeds = stream.bits(1).flatten().tolist()
        # A module is shared: its mode, and for the time of a call also its tensors.
        with _ONE_AT_A_TIME:
            skeleton.module.train(stream is not None)
            if skeleton.stackable:
                return skeleton.checked(torch.func.vmap(skeleton.call)(tensors, inputs), inputs)
            outputs = []
            for run, seed in enumerate(seeds):
                own = {name: tensor[run] for name, tensor in tensors.items()}
                with _seeded(seed, inputs.device):
                    output = skeleton.call(own, inputs[run])
                outputs.append(skeleton.checked(output, inputs[run]))
            return torch.stack(outputs)

    def restored(self, n_inputs: int, n_outputs: int, params: Params) -> nn.Module:
        """Build a module and give it the tensors of one run, without the run axis."""
        with _seeded(0):
            module = self._built(n_inputs, n_outputs)
        held = _state(module)
        module.load_state_dict({name: params[name] for name in held}, strict=False)
        return module

    def _built(self, n_inputs: int, n_outputs: int) -> nn.Module:
        try:
            module = self.factory(n_inputs, n_outputs)
        except Exception as error:
            raise InputError(
                f"The decoder function failed for {n_inputs} inputs and {n_outputs} outputs "
                f"({_named(error)}): expected an nn.Module."
            ) from error
        _check_module(module, n_inputs, n_outputs)
        return module


_ONE_AT_A_TIME = threading.RLock()


def _renew_lock() -> None:
    """Forget, in the child of a fork, the lock that a thread of the parent may hold."""
    global _ONE_AT_A_TIME
    _ONE_AT_A_TIME = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


@contextmanager
def _seeded(seed: int, device: torch.device | None = None) -> Iterator[None]:
    """Seed PyTorch's global random state in this block, for no other thread, and restore it."""
    devices = [device] if device is not None and device.type == "cuda" else []
    with _ONE_AT_A_TIME, torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed)
        yield


@dataclass(frozen=True)
class _Skeleton:
    module: nn.Module
    stackable: bool
    n_outputs: int

    @classmethod
    def of(cls, module: nn.Module, n_inputs: int, n_outputs: int) -> _Skeleton:
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
            f"The decoder maps a batch of {rows} rows to {_described(outputs)}: expected a tensor "
            f"of shape {(rows, n_outputs)}, in training as in prediction."
        )


def _state(module: nn.Module) -> Params:
    """Return parameters and buffers by name; tensors that two layers share have their first."""
    seen: set[int] = set()
    state = {}
    for name, tensor in module.state_dict(keep_vars=True).items():
        if isinstance(tensor, Tensor) and id(tensor) not in seen:
            seen.add(id(tensor))
            state[name] = tensor
    return state


def _shapes(params: Params) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return tuple(sorted((name, tuple(tensor.shape[1:])) for name, tensor in params.items()))


def _described(outputs: Any) -> str:
    if isinstance(outputs, Tensor):
        return f"shape {tuple(outputs.shape)}"
    return f"a {type(outputs).__name__}"


def _named(error: Exception) -> str:
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"


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
            outputs = module(torch.zeros(2, n_inputs))
        except Exception as error:
            raise InputError(
                f"The decoder cannot take {n_inputs} inputs ({_named(error)}): build it from the "
                "two numbers that the decoder function receives."
            ) from error
    module.train(was_training)
    if not isinstance(outputs, Tensor) or outputs.shape != (2, n_outputs):
        raise InputError(
            f"The decoder maps a batch of 2 rows to {_described(outputs)}: expected a tensor of "
            f"shape (2, {n_outputs}). Build it from the two numbers that the decoder function "
            "receives."
        )
