"""Reading an AnnData file as a table: the genes, and columns of the cells."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from ipcae.cli.inputs.finding_columns import column_named, split_event
from ipcae.cli.inputs.sparse_cells import batches_of
from ipcae.cli.inputs.table_file import Source, describe_file
from ipcae.cli.messages import Messages
from ipcae.cli.options.selection_options import InputOptions
from ipcae.errors import InputError
from ipcae.optional import optional
from ipcae.sc import looks_like_counts
from ipcae.text import listed


@dataclass(frozen=True, eq=False)
class Cells:
    """The expression of an AnnData file with the columns of the cells that options name.

    Shape: table (N, D and more); batches (N,) or None.
    """

    table: pd.DataFrame
    batches: NDArray[Any] | None
    source: Source


def is_h5ad(options: InputOptions) -> bool:
    """Return whether the table is an AnnData file; refuse its options for other files."""
    inside = options.table.suffix == ".h5ad"
    for option, value in (("--layer", options.layer), ("--batch-key", options.batch_key)):
        if value is not None and not inside:
            raise InputError(f"{option} is for .h5ad files, but the table is {options.table}.")
    if options.batch_key is not None and options.missing != "error":
        raise InputError("--missing cannot be used with --batch-key: remove the cells first.")
    if options.batch_key is not None and options.weights is not None:
        raise InputError("--weights cannot be used with --batch-key, which weights the batches.")
    return inside


def read_h5ad(options: InputOptions, messages: Messages) -> Cells:
    """Read the expression, the target, the time and event, and the batch of every cell."""
    source = describe_file(options.table)
    place = str(options.table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other versions of pandas
        anndata = optional("anndata", "reading .h5ad files", install="ipcae[sc]")
        try:
            adata = anndata.read_h5ad(options.table)
        except (OSError, KeyError, ValueError, TypeError) as error:
            raise InputError(f"{place} cannot be read as an AnnData file ({error}).") from error
    values = adata.X if options.layer is None else _layer(adata, options.layer, place)
    if values is None:
        raise InputError(
            f"{place} has no X: name the layer that holds the expression with --layer."
        )
    dense = values.toarray() if sparse.issparse(values) else np.asarray(values)
    dense = np.asarray(dense, dtype=np.float32)
    note_counts(dense, options, messages)
    genes = [str(name) for name in adata.var_names]
    refuse_repeated(genes, place)
    table = pd.DataFrame(dense, columns=genes)
    columns = _columns_named(options, [str(name) for name in adata.obs.columns])
    if both := [name for name in columns if name in set(genes)]:
        raise InputError(
            f"{place} has a gene and a column of obs of the same name: {listed(both)}."
        )
    for name in columns:
        table[name] = _plain(adata.obs[name])
    return Cells(table, batches_of(options), source)


def _columns_named(options: InputOptions, names: list[str]) -> list[str]:
    """Return which columns of the cells the options name."""
    asked = {
        "--target": options.target,
        "--time": options.time,
        "--event": options.event and split_event(options.event, names)[0],
        "--weights": options.weights,
    }
    place = f"obs of {options.table}"
    found = (
        column_named(name, names, place, option)
        for option, name in asked.items()
        if name is not None
    )
    return list(dict.fromkeys(found))


def refuse_repeated(genes: list[str], place: str) -> None:
    """Raise an error if several genes have the same name."""
    if repeated := [name for name, times in Counter(genes).items() if times > 1]:
        raise InputError(
            f"{place} has several genes of the same name ({listed(repeated)}): call "
            "adata.var_names_make_unique() in Python, and write the file again."
        )


def note_counts(values: NDArray[Any], options: InputOptions, messages: Messages) -> None:
    """Warn of raw counts, unless the loss is for them."""
    if looks_like_counts(values) and not options.counts_expected:
        place = options.table if options.layer is None else f'layer "{options.layer}" of the file'
        messages.warn(
            f"{place} looks like raw counts (integers up to {values.max():,.0f}): normalized, "
            "log-transformed values are expected, which may be in another --layer."
        )


def _layer(adata: Any, name: str, place: str) -> Any:
    if name not in adata.layers:
        known = listed([str(layer) for layer in adata.layers]) or "none"
        raise InputError(f"{place} has no layer {name!r} (--layer): its layers are {known}.")
    return adata.layers[name]


def _plain(column: pd.Series) -> NDArray[Any]:
    """Return the values without their categories and index."""
    categorical = isinstance(column.dtype, pd.CategoricalDtype)
    return np.asarray(column.astype(object) if categorical else column)
