"""From the K selected values to the outputs: linear, multilayer, or a network of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

from ipcae.errors import InputError
from ipcae.ops import run_linear
from ipcae.runs import Stream

Params = dict[str, Tensor]


class Decoder(Protocol):
    """Hyper-parameters plus two pure functions."""

    def init(self, n_inputs: int, n_outputs: int, stream: Stream) -> Params:
        """Draw the initial tensors, each with the run as its first axis."""
        ...

    def apply(self, params: Params, inputs: Tensor, stream: Stream | None = None) -> Tensor:
        """Decode; random (dropout) only when given a stream. Shape: (R, B, K) -> (R, B, O)."""
        ...


@dataclass(frozen=True)
class Mlp:
    """Hidden layers of Linear → LayerNorm → LeakyReLU (→ dropout), then a linear layer.

    Initialized as PyTorch's ``Linear``. The default is the paper's decoder.

    Parameters
    ----------
    hidden : tuple of int
        Width of every hidden layer; none gives a linear decoder.
    dropout : float
        Probability of dropping a hidden unit in training.
    slope : float
        Of the LeakyReLU for negative inputs.
    normalize : bool
        Whether there is a LayerNorm.

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
        for layer, (fan_in, fan_out) in enumerate(zip(sizes, sizes[1:], strict=False)):
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
        for layer, width in enumerate(self.hidden):
            values = run_linear(values, params[f"{layer}.weight"], params[f"{layer}.bias"])
            if self.normalize:
                scale = params[f"{layer}.norm.weight"].unsqueeze(1)
                shift = params[f"{layer}.norm.bias"].unsqueeze(1)
                values = functional.layer_norm(values, (width,)) * scale + shift
            values = functional.leaky_relu(values, self.slope)
            if self.dropout and stream is not None:
                kept = stream.keep(1 - self.dropout, *values.shape[1:])
                values = values * kept / (1 - self.dropout)
        last = len(self.hidden)
        return run_linear(values, params[f"{last}.weight"], params[f"{last}.bias"])


def linear_decoder() -> Mlp:
    """Return a decoder without hidden layers: one linear map.

    >>> linear_decoder()
    Mlp(hidden=(), dropout=0.0, slope=0.2, normalize=True)
    """
    return Mlp(hidden=())


@dataclass(frozen=True)
class CustomDecoder:
    """Any network: a function of (number of inputs, number of outputs) that builds an ``nn.Module``.

    One module is built per run, seeded by the run. The runs are stacked with ``torch.func``. A
    network with buffers or random layers (batch norm, dropout) is called run by run instead.

    Examples
    --------
    >>> decoder = CustomDecoder(lambda n_in, n_out: nn.Sequential(nn.Linear(n_in, n_out), nn.Tanh()))
    >>> params = decoder.init(3, 2, Stream([0, 1]))
    >>> decoder.apply(params, torch.ones(2, 5, 3)).shape
    torch.Size([2, 5, 2])
    """

    factory: Callable[[int, int], nn.Module]

    def init(self, n_inputs: int, n_outputs: int, stream: Stream) -> Params:
        """Build a module for every run and stack what they hold."""
        modules = []
        for seed in stream.bits(1).flatten().tolist():
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                modules.append(self.factory(n_inputs, n_outputs))
        _check_module(modules[0], n_inputs, n_outputs)
        # The skeleton is rebuilt by the factory once; its own tensors are never used.
        object.__setattr__(self, "_skeleton", modules[0])
        params, buffers = torch.func.stack_module_state(modules)
        stacked = {name: tensor.detach().to(stream.device) for name, tensor in params.items()}
        stacked |= {f"buffer:{name}": t.to(stream.device) for name, t in buffers.items()}
        return stacked

    def apply(self, params: Params, inputs: Tensor, stream: Stream | None = None) -> Tensor:
        """Shape: inputs (R, B, K) -> (R, B, O)."""
        module: nn.Module = self.__dict__["_skeleton"]
        module.train(stream is not None)
        tensors = {name.removeprefix("buffer:"): tensor for name, tensor in params.items()}
        if _is_plain(module):
            call = torch.func.vmap(lambda p, x: torch.func.functional_call(module, p, (x,)))
            return call(tensors, inputs)
        seeds = [0] * len(inputs) if stream is None else stream.bits(1).flatten().tolist()
        outputs = []
        with torch.random.fork_rng(devices=[]):
            for run, seed in enumerate(seeds):
                torch.manual_seed(seed)
                own = {name: tensor[run] for name, tensor in tensors.items()}
                outputs.append(torch.func.functional_call(module, own, (inputs[run],)))
        return torch.stack(outputs)


def _is_plain(module: nn.Module) -> bool:
    random = (nn.modules.dropout._DropoutNd, nn.RReLU)
    return not any(True for _ in module.buffers()) and not any(
        isinstance(part, random) for part in module.modules()
    )


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
                f"The decoder cannot take {n_inputs} inputs ({error}): build it from the "
                "two numbers that the decoder function receives."
            ) from error
    module.train(was_training)
    if shape != (2, n_outputs):
        raise InputError(
            f"The decoder maps a batch of 2 rows to shape {shape}: expected (2, {n_outputs}). "
            "Build it from the two numbers that the decoder function receives."
        )
