"""Scores and selected columns of tables that are read in parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ipcae.errors import InputError
from ipcae.sources import Source, Summary
from ipcae.tables.checks.finite import refuse_not_finite


@torch.no_grad()
def explained_variance(selector: Any, source: Source) -> float:
    """Return the fraction of the variance of the scaled columns that is reconstructed (R²)."""
    summary: Summary | None = None
    errors = 0.0
    for rows in _blocks(selector, source):
        true = selector.scaler_.apply(rows).double()
        restored = selector.decoder_outputs(rows)
        errors += float((true - restored).square().sum())
        own = Summary.of(true)
        summary = own if summary is None else summary.joined(own)
    assert summary is not None
    return 1 - errors / float(summary.squares.sum())


@torch.no_grad()
def explained_deviance(selector: Any, source: Source) -> float:
    """Return the fraction of the deviance of counts that is explained (D²)."""
    task, sums = selector.task_, np.zeros(2)
    for rows in _blocks(selector, source):
        both = task.deviances(selector.decoder_outputs(rows), task.encode(None, rows))
        sums += np.multiply(both, len(rows))
    return float(1 - sums[0] / sums[1]) if sums[1] > 0 else float("nan")


def _blocks(selector: Any, source: Source) -> Iterator[Tensor]:
    """Yield the rows in parts, their columns in the order of ``fit`` if both have names."""
    places = np.arange(source.shape[1])
    if hasattr(selector, "feature_names_in_") and source.names is not None:
        places = source.positions(selector.feature_names_in_)
    for _, block in source.blocks():
        yield block[:, torch.from_numpy(places)]


def selected_columns(selector: Any, source: Source, name: str = "X") -> Tensor:
    """Read only the selected columns, by name if both have names. Shape: -> (N, K)."""
    columns, names = selector.get_support(indices=True), None
    if hasattr(selector, "feature_names_in_"):
        names = selector.get_feature_names_out()
    if names is not None and source.names is not None:
        values = source.columns(source.positions(names))
    elif source.shape[1] == len(columns):
        values = source.columns(np.arange(len(columns)))
    elif source.shape[1] == selector.n_features_in_:
        values = source.columns(columns)
    else:
        raise InputError(
            f"{name} has {source.shape[1]} features, but {type(selector).__name__} is expecting "
            f"{selector.n_features_in_} features as input."
        )
    refuse_not_finite(values, names, name)
    return values
