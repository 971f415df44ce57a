"""Tables of cells in the layout of AnnData, in HDF5 or zarr."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.errors import InputError
from ipcae.optional import optional
from ipcae.sources.base import Source
from ipcae.sources.csr import CsrSource
from ipcae.sources.stored import ChunkedCsrSource, ChunkedSource
from ipcae.text import listed


def matrix_of(root: Any, place: str, layer: str | None) -> Source:
    """Return X, or a layer, of an open AnnData file, with the names of ``var``.

    A sparse matrix that is stored gene by gene is read into memory.
    """
    layers = list(root["layers"]) if "layers" in root else []
    if layer is not None and layer not in layers:
        known = listed(layers) or "none"
        raise InputError(f"{place} has no layer {layer!r}: its layers are {known}.")
    if layer is None and "X" not in root:
        raise InputError(f"{place} has no X: name the layer that holds the expression.")
    stored = root["X"] if layer is None else root[f"layers/{layer}"]
    names = _read(root["var"]).index.astype(str).tolist() if "var" in root else None
    if str(stored.attrs.get("encoding-type")) == "csc_matrix":  # its rows cannot be read in parts
        return CsrSource(_read(stored), names)
    kind = ChunkedSource if hasattr(stored, "shape") else ChunkedCsrSource
    return kind(stored, names, place)


def column_of(root: Any, name: str, place: str) -> NDArray[Any]:
    """Return a column of ``obs``."""
    obs = obs_of(root)
    if name not in obs:
        known = listed([str(column) for column in obs.columns])
        raise InputError(f'obs of {place} has no column "{name}": its columns are {known}.')
    column = obs[name]
    return np.asarray(column.astype(object) if str(column.dtype) == "category" else column)


def obs_of(root: Any) -> Any:
    """Return the table of the cells, a data frame."""
    return _read(root["obs"])


def _read(element: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other versions of pandas
        anndata = optional("anndata", "reading the names of cells and genes", install="ipcae[sc]")
        return anndata.io.read_elem(element)
