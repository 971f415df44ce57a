"""What a fitted selector computes, step by step and without the selector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted
from torch import nn

from ipcae.decoders import CustomDecoder, Mlp
from ipcae.errors import InputError
from ipcae.estimators import ClassificationSelector, ReconstructionSelector, RegressionSelector
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.scaling import Scaler
from ipcae.models.base import part

INPUTS = ("selected", "all")


@dataclass(frozen=True)
class Network:
    """Take columns, scale them, decode them, and make an answer of the outputs.

    Attributes
    ----------
    input_names : list of str
        The columns of a row, in their order.
    columns : list of int
        The column that each input of the decoder reads.
    scaler : Scaler
        Of those columns.
    decoder : nn.Module
        In float32, for prediction. An ``nn.Sequential`` of known layers, or a user's own.
    own_decoder : bool
        Whether it is the user's.
    answer : str
        "classes" (softmax), "labels" (sigmoid), "values" or "rows" (in their own units).
    unscale : Scaler, optional
        Of the values or rows.
    classes : array, optional
    output_names : list of str
        What each output is the value of.
    squeeze : bool
        Whether the answer is one number a row, shape (N,).
    """

    input_names: list[str]
    columns: list[int]
    scaler: Scaler
    decoder: nn.Module
    own_decoder: bool
    answer: str
    unscale: Scaler | None
    classes: NDArray[Any] | None
    output_names: list[str]
    squeeze: bool


def network_of(selector: NeuralSelector, input: str) -> Network:
    """Take a fitted selector apart; of its runs, the best."""
    check_is_fitted(selector)
    if input not in INPUTS:
        raise InputError(
            f"input={input!r} is not understood: expected 'selected' for the selected columns "
            "alone, as transform returns them, or 'all'."
        )
    features = selector.selection_.features.tolist()
    support = selector.get_support(indices=True).tolist()
    given = getattr(selector, "feature_names_in_", None)
    names = [f"x{i}" for i in range(selector.n_features_in_)] if given is None else list(given)
    if input == "selected":
        input_names = [str(names[feature]) for feature in support]
        columns = [support.index(feature) for feature in features]
    else:
        input_names, columns = [str(name) for name in names], features
    answer, unscale, classes = _answer_of(selector)
    n_outputs = selector.model_.n_outputs
    rows = answer == "rows"
    return Network(
        input_names=input_names,
        columns=columns,
        scaler=selector.scaler_.columns(torch.as_tensor(features)),
        decoder=_decoder_of(selector),
        own_decoder=type(selector.model_.decoder) is not Mlp,
        answer=answer,
        unscale=unscale,
        classes=classes,
        output_names=[str(n) for n in (names if rows else range(n_outputs))],
        squeeze=getattr(selector, "single_target_", False),
    )


def _answer_of(selector: NeuralSelector) -> tuple[str, Scaler | None, NDArray[Any] | None]:
    if isinstance(selector, ClassificationSelector):
        return "labels" if selector.multilabel_ else "classes", None, selector.classes_
    if isinstance(selector, RegressionSelector):
        return "values", selector.target_scaler_, None
    if isinstance(selector, ReconstructionSelector):
        return "rows", selector.scaler_, None
    raise InputError(f"{type(selector).__name__} is of a kind that cannot be exported.")


def _decoder_of(selector: NeuralSelector) -> nn.Module:
    decoder = selector.model_.decoder
    tensors = {
        name.removeprefix("buffer:"): tensor[selector.best_run_].clone()
        for name, tensor in part(selector.params_, "decoder").items()
    }
    if type(decoder) is Mlp:
        module: nn.Module = _layers(decoder, tensors)
    elif isinstance(decoder, CustomDecoder):
        with torch.random.fork_rng(devices=[]):
            module = decoder.factory(selector.model_.n_selected, selector.model_.n_outputs)
        module.load_state_dict(tensors)
    else:
        raise InputError(
            f"The decoder {decoder!r} is of a kind that cannot be exported: expected an Mlp, or a "
            "function that builds an nn.Module."
        )
    return module.eval()


def _layers(decoder: Mlp, tensors: dict[str, torch.Tensor]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for layer in range(len(decoder.hidden) + 1):
        weight = tensors[f"{layer}.weight"]
        # Built without numbers of its own, which would move the user's random state.
        linear = nn.Linear(weight.shape[1], weight.shape[0], device="meta")
        linear.load_state_dict(
            {"weight": weight, "bias": tensors[f"{layer}.bias"]}, strict=True, assign=True
        )
        layers.append(linear)
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
