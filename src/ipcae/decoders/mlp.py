"""The decoder of the paper: a multilayer perceptron, all runs at once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn import functional

from ipcae.decoders.base import Params
from ipcae.errors import invalid_argument
from ipcae.ops import dropout, norm_activation, run_linear
from ipcae.runs import Stream


@dataclass(frozen=True)
class Mlp:
    """Hidden layers of Linear → LayerNorm → LeakyReLU (→ dropout), then a linear layer.

    Linear layers are initialized as in PyTorch. The default is the decoder of the paper.

    Parameters
    ----------
    hidden : tuple of int, default=(200,)
        Widths of the hidden layers; ``()`` for a linear decoder.
    dropout : float, default=0.0
        Probability of dropping a hidden unit in training.
    slope : float, default=0.2
        Negative slope of the LeakyReLU.
    normalize : bool, default=True
        Whether to apply LayerNorm.
    noise : float, default=0.0
        Standard deviation of uniform noise that is added to the inputs in training. The scaled
        columns have a standard deviation of about 1.
    skip : bool, default=False
        Whether to add a linear map of the inputs to the outputs.
    mixup : float, default=0.0
        Strength of mixup in training once the features are selected: the weight of a row in its
        mixture with another has the distribution Beta(mixup, mixup). 0 disables it.
    pieces : int, default=0
        Number of steps of every input, piecewise linear functions from −1 to 1, that the first
        layer reads besides the input. ``decoder="auto"`` places them where they help.

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
    pieces: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.hidden, tuple | list) or not all(
            width >= 1 for width in self.hidden
        ):
            expected = "the widths of the hidden layers, such as (200,)"
            raise invalid_argument("hidden", self.hidden, expected)
        if not 0 <= self.dropout < 1:
            raise invalid_argument("dropout", self.dropout, "a probability of 0 or more, below 1")
        for name in ("noise", "mixup", "pieces"):
            if not getattr(self, name) >= 0:
                raise invalid_argument(name, getattr(self, name), "0 or more")

    def init(self, n_inputs: int, n_outputs: int, stream: Stream) -> Params:
        """Draw the tensors of :meth:`shapes`, the run axis first."""
        params = {}
        sizes = (n_inputs, *self.hidden, n_outputs)
        for name, shape in self.shapes(n_inputs, n_outputs).items():
            layer, _, kind = name.partition(".")
            if kind.startswith("norm") or name.startswith("buffer:"):
                value = float(kind == "norm.weight")
                params[name] = torch.full((len(stream.seeds), *shape), value, device=stream.device)
                continue
            fan_in = n_inputs if layer == "skip" else sizes[int(layer)]
            bound = (fan_in * (1 + self.pieces if kind == "pieces" else 1)) ** -0.5
            params[name] = stream.uniform(*shape).mul_(2 * bound).sub_(bound)
        return params

    def shapes(self, n_inputs: int, n_outputs: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes of all tensors, without the run axis.

        >>> linear_decoder().shapes(3, 2)
        {'0.weight': (2, 3), '0.bias': (2,)}
        """
        shapes: dict[str, tuple[int, ...]] = {}
        sizes = (n_inputs, *self.hidden, n_outputs)
        for layer, (fan_in, fan_out) in enumerate(pairwise(sizes)):
            shapes[f"{layer}.weight"] = (fan_out, fan_in)
            shapes[f"{layer}.bias"] = (fan_out,)
            if self.normalize and layer < len(self.hidden):
                shapes[f"{layer}.norm.weight"] = shapes[f"{layer}.norm.bias"] = (fan_out,)
        if self.skip:
            shapes["skip.weight"] = (n_outputs, n_inputs)
        if self.pieces:
            shapes["0.pieces"] = (sizes[1], n_inputs * self.pieces)
            if self.skip:
                shapes["skip.pieces"] = (n_outputs, n_inputs * self.pieces)
            shapes["buffer:slope"] = shapes["buffer:shift"] = (n_inputs, self.pieces)
        return shapes

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
        for name in ("0.pieces", "skip.pieces"):
            if name in params:
                changed[name] = params[name] * used.repeat_interleave(self.pieces, 2)
        return {**params, **changed}

    def restricted(self, params: Params, inputs: Tensor, used: Tensor | None = None) -> Params:
        """Return the tensors of the decoder that reads only these inputs, in this order.

        The weights of inputs with 0 in ``used`` are zero. Shape: inputs, used (R, K).
        """
        changed: Params = {}
        for name in ("0.weight", "skip.weight"):
            if name in params:
                index = inputs.unsqueeze(1).expand(-1, params[name].shape[1], -1)
                weight = params[name].gather(2, index)
                changed[name] = weight if used is None else weight * used.unsqueeze(1)
        return {**params, **changed}

    def scaled(self, params: Params, factors: Tensor) -> Params:
        """Return the tensors of the decoder whose outputs are multiplied by these factors.

        Shape: factors (R,).
        """
        last = f"{len(self.hidden)}."
        changed = {
            name: tensor * factors.view(-1, *[1] * (tensor.ndim - 1))
            for name, tensor in params.items()
            if name.startswith((last, "skip."))
        }
        return {**params, **changed}

    def apply(self, params: Params, inputs: Tensor, stream: Stream | None = None) -> Tensor:
        """Shape: inputs (R, B, K) -> (R, B, O)."""
        steps = self._noisy(self.steps(params, inputs), stream) if self.pieces else None
        values = inputs = self._noisy(inputs, stream)
        for layer in range(len(self.hidden)):
            values = self._linear(params, layer, values, steps)
            if self.normalize:
                scale, shift = params[f"{layer}.norm.weight"], params[f"{layer}.norm.bias"]
                values = norm_activation(values, scale, shift, self.slope)
            else:
                values = functional.leaky_relu(values, self.slope)
            if self.dropout and stream is not None:
                values = dropout(values, self.dropout, stream)
        outputs = self._linear(params, len(self.hidden), values, steps)
        if self.skip:
            outputs = outputs + run_linear(inputs, params["skip.weight"])
            outputs = self._with_steps(params, "skip", outputs, steps)
        return outputs

    def _linear(self, params: Params, layer: int, values: Tensor, steps: Tensor | None) -> Tensor:
        outputs = run_linear(values, params[f"{layer}.weight"], params[f"{layer}.bias"])
        return self._with_steps(params, layer, outputs, steps)

    @staticmethod
    def _with_steps(
        params: Params, layer: int | str, outputs: Tensor, steps: Tensor | None
    ) -> Tensor:
        """Add the steps of the inputs to the outputs of a layer, if it reads the inputs."""
        weight = params.get(f"{layer}.pieces")
        return outputs if steps is None or weight is None else outputs + run_linear(steps, weight)

    def _noisy(self, values: Tensor, stream: Stream | None) -> Tensor:
        """Add noise in training. Shape: (R, B, n) -> (R, B, n)."""
        if not self.noise or stream is None:
            return values
        bound = self.noise * 3**0.5
        return values + stream.row_bits(*values.shape[1:]) * (bound / 2**31)

    @staticmethod
    def steps(params: Params, inputs: Tensor) -> Tensor:
        """Return the steps of every input. Shape: (R, B, K) -> (R, B, K * pieces)."""
        slope, shift = (params[f"buffer:{name}"].unsqueeze(1) for name in ("slope", "shift"))
        return (inputs.unsqueeze(-1) * slope + shift).clamp(-1, 1).flatten(2)


def linear_decoder() -> Mlp:
    """Return a decoder without hidden layers.

    >>> linear_decoder().hidden
    ()
    """
    return Mlp(hidden=())
