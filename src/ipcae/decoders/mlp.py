"""The decoder of the paper: a multilayer perceptron, all runs at once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn import functional

from ipcae.decoders.base import Params
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
        last = len(self.hidden)
        changed = {}
        for name in (f"{last}.weight", f"{last}.bias", "skip.weight"):
            if name in params:
                tensor = params[name]
                changed[name] = tensor * factors.view(-1, *[1] * (tensor.ndim - 1))
        return {**params, **changed}

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
