"""Consistency of the shapes in a file, checked before they are used.

With inconsistent shapes, broadcasting could allocate far more memory than the size of the file.
"""

from __future__ import annotations

from typing import Any, cast

from ipcae.decoders import Mlp
from ipcae.models import FixedSelection
from ipcae.tables.encodings.encoded_scaler import EncodedScaler
from ipcae.tables.encodings.encoding import Encoding

Shapes = dict[str, tuple[int, ...]]
_OPTIONAL = ("feature_names_in_", "data_min_", "data_max_")


def check_shapes(selector: Any) -> None:
    """Raise an error if a shape does not match the numbers of runs, features and outputs."""
    # Check the columns before allocating arrays of length n_features.
    _check_columns(selector, selector.n_features_in_)
    _check_selections(selector, selector.model_.n_selected)
    _check_outputs(selector, selector.model_.n_outputs)
    if isinstance(selector.model_.decoder, Mlp):
        for name, shape in _decoder_shapes(selector.model_, len(selector.selections_)).items():
            _require(selector.params_[name], shape, name)


def _check_columns(selector: Any, n_features: int) -> None:
    if isinstance(selector.scaler_, EncodedScaler):
        _check_encoding(selector.scaler_, selector.encoding_, n_features)
    for column in (
        *(getattr(selector, name) for name in _OPTIONAL if hasattr(selector, name)),
        selector.scaler_.center,
        selector.scaler_.scale,
        *(selection.probability for selection in selector.selections_),
    ):
        _require(column, (n_features,), "a value for every feature")
    if hasattr(selector, "row_stability_"):
        _require(selector.row_stability_.frequency, (n_features,), "the stability over rows")


def _check_selections(selector: Any, n_selected: int) -> None:
    for selection in selector.selections_:
        if not 1 <= selection.features.size <= n_selected:
            raise ValueError(f"{selection.features.size} selected features instead of {n_selected}")
        _require(selection.features, (selection.features.size,), "the selected features")
        _require(selection.chosen, (selection.chosen.size,), "the chosen features")
        if selection.chosen.size > selection.features.size:
            raise ValueError(f"{selection.chosen.size} nodes chose {selection.features.size}")
    most = max(selection.features.size for selection in selector.selections_)
    if not most <= selector.importance_.shape[-1] <= n_selected:
        raise ValueError(f"the importance of {selector.importance_.shape[-1]} features")
    shape = len(selector.selections_), selector.importance_.shape[-1]
    _require(selector.importance_, shape, "the importance")


def _check_outputs(selector: Any, n_outputs: int) -> None:
    if selector.task_.n_outputs != n_outputs:
        raise ValueError(f"{n_outputs} outputs for {selector.task_.n_outputs} targets")
    scaler = selector.task_.head.scaler
    if scaler is not None:
        _require(scaler.center, (n_outputs,), "the scale of the targets")
        _require(scaler.scale, (n_outputs,), "the scale of the targets")


def _check_encoding(scaler: EncodedScaler, encoding: Encoding, n_features: int) -> None:
    expansion = scaler.expansion
    if not len(encoding.codings) == len(encoding.names) == expansion.n_columns == n_features:
        raise ValueError("the encoding does not match the features")
    n_expanded = len(expansion.owner)
    for part in (expansion.owner, expansion.role, expansion.level, expansion.fill):
        _require(part, (n_expanded,), "the expansion of the columns")
    for tensor in (scaler.scaler.center, scaler.scaler.scale):
        _require(tensor, (n_expanded,), "the scale of the expanded columns")
    if not ((expansion.owner >= 0) & (expansion.owner < n_features)).all():
        raise ValueError("the expansion of columns that are not there")


def _decoder_shapes(model: FixedSelection, n_runs: int) -> Shapes:
    shapes = cast(Mlp, model.decoder).shapes(model.n_selected, model.n_outputs)
    return {f"decoder.{name}": (n_runs, *shape) for name, shape in shapes.items()}


def _require(array: Any, shape: tuple[int, ...], what: str) -> None:
    if tuple(array.shape) != shape:
        raise ValueError(f"{what} has the shape {tuple(array.shape)} instead of {shape}")
