"""The computation of a fitted selector, as the input of the exporters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from ipcae.decoders import CustomDecoder, Mlp
from ipcae.errors import InputError, invalid_argument
from ipcae.feature_table import feature_names, reconstructed_columns
from ipcae.models import part
from ipcae.tables import Scaler
from ipcae.tables.encodings.encoded_scaler import EncodedScaler
from ipcae.tables.encodings.encoding import Encoding
from ipcae.tables.encodings.expansion import Expansion
from ipcae.tasks import Head

INPUTS = ("selected", "all")


@dataclass(frozen=True)
class Network:
    """The steps of a prediction: take columns, scale, decode, convert the outputs.

    Attributes
    ----------
    input_names : list of str
        Names of the input columns.
    columns : list of int
        Column of each input of the decoder.
    expansion : Expansion or None
        How these columns are expanded, if they are not plain numbers.
    scaler : Scaler
        Scaler of the expanded columns.
    decoder : nn.Module
        The decoder in float32 and evaluation mode: an ``nn.Sequential`` of known layers, possibly
        in a :class:`WithSkip` and a :class:`WithSteps`, or a custom module.
    custom_decoder : bool
        Whether the decoder is a custom module.
    head : Head
        Conversion of the outputs to predictions.
    output_names : list of str
        Names of the outputs.
    levels : dict of str to list of str
        The levels of the input columns that are categories.
    """

    input_names: list[str]
    columns: list[int]
    expansion: Expansion | None
    scaler: Scaler
    decoder: nn.Module
    custom_decoder: bool
    head: Head
    output_names: list[str]
    levels: dict[str, list[str]]


def network_of(selector: Any, input: str) -> Network:
    """Return the network of the best run of a fitted selector."""
    check_is_fitted(selector)
    if input not in INPUTS:
        raise invalid_argument(
            "input",
            input,
            "'selected' for the selected columns, as returned by transform, or 'all'",
        )
    features = selector.selection_.features.tolist()
    support = selector.get_support(indices=True).tolist()
    names, head = feature_names(selector), selector.task_.head
    if input == "selected":
        input_names = [names[feature] for feature in support]
        columns = [support.index(feature) for feature in features]
    else:
        input_names, columns = names, features
    if head.restores_columns:
        output_names, _ = reconstructed_columns(selector)
    else:
        output_names = list(map(str, range(head.n_outputs or selector.model_.n_outputs)))
    scaler: Any = selector.scaler_.columns(torch.as_tensor(features))
    expansion: Expansion | None = None
    levels: dict[str, list[str]] = {}
    if isinstance(scaler, EncodedScaler):
        encoding: Encoding = selector.encoding_
        levels = {
            name: list(coding.levels)
            for name, coding in zip(encoding.names, encoding.codings, strict=True)
            if coding.levels and name in input_names
        }
        expansion, scaler = scaler.expansion, scaler.scaler
    return Network(
        input_names=input_names,
        columns=columns,
        expansion=expansion,
        scaler=scaler,
        decoder=_decoder_of(selector),
        custom_decoder=type(selector.model_.decoder) is not Mlp,
        head=head,
        output_names=output_names,
        levels=levels,
    )


def _decoder_of(selector: Any) -> nn.Module:
    decoder = selector.model_.decoder
    tensors = {
        name.removeprefix("buffer:"): tensor[selector.best_run_].clone()
        for name, tensor in part(selector.params_, "decoder").items()
    }
    model, nodes = selector.model_, selector.params_.get("buffer:nodes")
    used = torch.ones(model.n_selected) if nodes is None else nodes[selector.best_run_]
    if type(decoder) is Mlp:
        module = _perceptron(decoder, tensors, used != 0)
    elif isinstance(decoder, CustomDecoder):
        module = decoder.restored(model.n_selected, model.n_outputs, tensors)
        if not used.all():
            module = nn.Sequential(Spread(used != 0), module)
    else:
        raise InputError(
            f"The decoder {decoder!r} cannot be exported: expected an Mlp, or a function that "
            "returns an nn.Module."
        )
    return module.eval()


def _perceptron(decoder: Mlp, tensors: dict[str, Tensor], used: Tensor) -> nn.Module:
    """Return the layers of a decoder, of the inputs that are used."""
    for name in ("0", "skip"):
        if f"{name}.weight" not in tensors:
            continue
        weight = tensors[f"{name}.weight"][:, used]
        if decoder.pieces:
            steps = used.repeat_interleave(decoder.pieces)
            weight = torch.cat([weight, tensors[f"{name}.pieces"][:, steps]], 1)
        tensors[f"{name}.weight"] = weight.contiguous()
    module: nn.Module = _layers(decoder, tensors)
    if decoder.skip:
        module = WithSkip(module, _linear(tensors["skip.weight"]))
    if decoder.pieces:
        module = WithSteps(tensors["slope"][used], tensors["shift"][used], module)
    return module


class WithSteps(nn.Module):
    """Layers that read the inputs and piecewise linear steps of them.

    >>> steps = WithSteps(torch.tensor([[2.0]]), torch.tensor([[1.0]]), nn.Sequential())
    >>> steps(torch.tensor([[0.0], [-0.25], [-3.0]])).tolist()
    [[0.0, 1.0], [-0.25, 0.5], [-3.0, -1.0]]
    """

    slope: Tensor
    shift: Tensor

    def __init__(self, slope: Tensor, shift: Tensor, body: nn.Module):
        super().__init__()
        self.register_buffer("slope", slope)
        self.register_buffer("shift", shift)
        self.body = body

    def forward(self, values: Tensor) -> Tensor:
        """Shape: (N, K) -> (N, O)."""
        steps = (values.unsqueeze(-1) * self.slope + self.shift).clamp(-1, 1).flatten(1)
        return self.body(torch.cat([values, steps], 1))


class Spread(nn.Module):
    """Pass values to the inputs of a decoder that are used, and zeros to the others.

    >>> Spread(torch.tensor([True, False, True]))(torch.tensor([[1.0, 2.0]]))
    tensor([[1., 0., 2.]])
    """

    source: Tensor

    def __init__(self, used: Tensor):
        super().__init__()
        source = torch.where(used, used.cumsum(0) - 1, used.sum())
        self.register_buffer("source", source)

    def forward(self, values: Tensor) -> Tensor:
        """Shape: (N, used) -> (N, inputs)."""
        return nn.functional.pad(values, (0, 1)).index_select(1, self.source)


class WithSkip(nn.Module):
    """Layers, plus a linear map from their inputs to their outputs.

    >>> double = WithSkip(nn.Sequential(), _linear(torch.eye(2)))
    >>> double(torch.tensor([[1.0, 2.0]])).tolist()
    [[2.0, 4.0]]
    """

    def __init__(self, body: nn.Module, skip: nn.Linear):
        super().__init__()
        self.body, self.skip = body, skip

    def forward(self, values: Tensor) -> Tensor:
        """Shape: (N, K) -> (N, O)."""
        return self.body(values) + self.skip(values)


def _linear(weight: Tensor, bias: Tensor | None = None) -> nn.Linear:
    # On the meta device, so that the global random state does not change.
    n_outputs, n_inputs = weight.shape
    linear = nn.Linear(n_inputs, n_outputs, bias=bias is not None, device="meta")
    tensors = {"weight": weight} | ({} if bias is None else {"bias": bias})
    linear.load_state_dict(tensors, strict=True, assign=True)
    return linear


def _layers(decoder: Mlp, tensors: dict[str, torch.Tensor]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for layer in range(len(decoder.hidden) + 1):
        weight = tensors[f"{layer}.weight"]
        layers.append(_linear(weight, tensors[f"{layer}.bias"]))
        if layer == len(decoder.hidden):
            break
        if decoder.normalize:
            norm = nn.LayerNorm(weight.shape[0])
            norm.load_state_dict(
                {key: tensors[f"{layer}.norm.{key}"] for key in ("weight", "bias")}
            )
            layers.append(norm)
        layers.append(nn.LeakyReLU(decoder.slope))
        if decoder.dropout:
            layers.append(nn.Dropout(decoder.dropout))
    return nn.Sequential(*layers)
