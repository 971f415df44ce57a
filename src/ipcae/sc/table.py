"""The expression matrix of an AnnData object as a table: dense, or sparse and read in batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import torch
from scipy import sparse

from ipcae.arrays import Integers, sample_of
from ipcae.devices import free_bytes
from ipcae.errors import InputError, warn
from ipcae.estimators.one_fit.arguments import is_auto
from ipcae.sc.expression import looks_like_counts
from ipcae.selectors import method_named, recommended
from ipcae.sources import CsrSource, Source
from ipcae.text import byte_size, listed

DENSE_BYTES = 8
"""A cell and gene of a dense table: one float32, and another for the scaled copy."""

DENSE_AT_ONCE = 2**25
"""The size of the cells that are dense at a time, four times that of a pass over the table."""

HELD_OUT_BYTES = 2**25
"""The size of the validation cells of a sparse table, which are made dense."""


def expression_of(adata: Any, layer: str | None, *, counts_expected: bool = False) -> Any:
    """Return the matrix of cells and genes, dense or sparse; warn of counts that are unexpected."""
    if not hasattr(adata, "obs") or not hasattr(adata, "var_names"):
        raise InputError(
            f"adata is a {type(adata).__name__}: expected an AnnData. For a table, use a selector "
            "such as ipcae.ClassificationSelector."
        )
    if not adata.n_obs:
        raise InputError("adata has no cells: expected at least a few, to learn from.")
    if not adata.var_names.is_unique:
        repeated = adata.var_names[adata.var_names.duplicated()].unique()
        raise InputError(
            f"adata.var_names has several genes of the same name "
            f"({listed([str(name) for name in repeated])}): call adata.var_names_make_unique()."
        )
    if layer is not None and layer not in adata.layers:
        known = listed([str(name) for name in adata.layers]) or "none"
        raise InputError(f"adata has no layer {layer!r}: its layers are {known}.")
    values = adata.X if layer is None else adata.layers[layer]
    if values is None:
        raise InputError("adata.X is empty: pass the layer with the expression as layer=.")
    if hasattr(values, "to_memory"):  # a sparse matrix in a file that was opened with backed="r"
        values = values.to_memory()
    if sparse.issparse(values):
        values = sparse.csr_array(values).astype(np.float32, copy=False)
    else:
        values = np.asarray(values, dtype=np.float32)
    if not counts_expected and looks_like_counts(values):
        place = "adata.X" if layer is None else f"layer {layer!r}"
        warn(
            f"{place} looks like raw counts (integers up to {values.max():,.0f}), but normalized, "
            "log-transformed values are expected: a few highly expressed genes would dominate. Use "
            "scanpy.pp.normalize_total and scanpy.pp.log1p first, or pass another layer."
        )
    return values


def table_for(selector: Any, values: Any, names: list[str], n_train: int) -> pd.DataFrame | Source:
    """Return a sparse matrix as a source if the fit reads it batch by batch, else a dense table.

    If a dense table does not fit into half of the free memory, a ranking gets the source, too, and
    samples its cells.
    """
    if not sparse.issparse(values):
        return pd.DataFrame(values, columns=names)
    method = selector.method
    if method is None:
        method = recommended(selector._task, n_train, len(names)).method
    if not is_auto(method) and method_named(method).streams:
        return _source(values, names)
    needed, free = DENSE_BYTES * values.shape[0] * len(names), free_bytes(torch.device("cpu"))
    if free is None or needed < free / 2:
        return pd.DataFrame(values.toarray(), columns=names)
    if selector.method is None or (method != "auto" and method_named(method).samples):
        return _source(values, names)
    raise InputError(
        f"method={method!r} needs a dense table: {values.shape[0]:,} cells and {len(names):,} "
        f"genes take about {byte_size(needed)}, and {byte_size(free)} are free. Select from fewer "
        "genes, such as the highly variable ones, or leave it out: 'ip-cae' keeps the matrix "
        "sparse."
    )


def _source(values: Any, names: list[str]) -> Source:
    return CsrSource(values, names).with_window(DENSE_AT_ONCE)


def cells_of(table: pd.DataFrame | Source, cells: Integers) -> Any:
    """Return some cells of a table, sparse ones as a source."""
    return table.subset(cells) if isinstance(table, Source) else table.iloc[cells]


def held_out_sample(table: pd.DataFrame | Source, held_out: Integers, seed: int) -> Integers:
    """Return the cells to validate on: of a sparse table a sample, which becomes dense."""
    if not isinstance(table, Source):
        return held_out
    return sample_of(held_out, max(HELD_OUT_BYTES // (4 * table.shape[1]), 100), seed)
