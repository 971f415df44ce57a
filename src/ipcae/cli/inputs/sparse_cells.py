"""Cells of an AnnData file that stay sparse, and the columns of ``obs`` that options name."""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from ipcae.cli.inputs.detection import detect_task, for_cells
from ipcae.cli.inputs.finding_columns import column_named
from ipcae.cli.options.selection_options import InputOptions
from ipcae.devices import free_bytes
from ipcae.errors import InputError
from ipcae.sc.table import DENSE_AT_ONCE
from ipcae.selectors import method_named, recommended
from ipcae.sources import ChunkedCsrSource, CsrSource, Source
from ipcae.sources.hdf5 import cells

MANY_VALUES = 2**25
"""Smaller matrices become dense, for more checks; as many values take about 1 GB as a table."""


def stays_sparse(source: Source, options: InputOptions) -> bool:
    """Return whether a file has a sparse matrix that the selection reads batch by batch."""
    if not isinstance(source, ChunkedCsrSource | CsrSource) or options.needs_all_rows:
        return False
    n_rows, n_columns = source.shape
    if n_rows * n_columns < MANY_VALUES or options.stream is False:
        return False
    y = None if options.target is None else cell_column(options, options.target, "--target")
    task = for_cells(detect_task(y)) if options.task is None else detect_task(y, options.task)
    method = options.method or recommended(task.task, n_rows, n_columns).method
    return method != "auto" and method_named(method).streams


def in_memory(source: Source) -> Source:
    """Read a sparse matrix into memory, if it takes less than a quarter of what is free."""
    free = free_bytes(torch.device("cpu"))
    if isinstance(source, ChunkedCsrSource) and (free is None or source.sparse_bytes < free / 4):
        source = source.loaded()
    return source.with_window(DENSE_AT_ONCE) if source.in_memory else source


def cell_column(options: InputOptions, name: str, option: str) -> pd.Series:
    """Return a column of ``obs``; raise an error if there is none, or if cells lack a value."""
    obs, place = cells(options.table), f"obs of {options.table}"
    name = column_named(name, [str(column) for column in obs.columns], place, option)
    column = obs[name]
    if column.isna().any():
        raise InputError(
            f'"{name}" ({option}) is missing for {int(column.isna().sum())} of {len(column)} cells '
            f"of {options.table}: fill it in, or remove these cells."
        )
    plain = column.astype(object) if isinstance(column.dtype, pd.CategoricalDtype) else column
    return plain.reset_index(drop=True)


def batches_of(options: InputOptions) -> NDArray[np.str_] | None:
    """Return the batch of every cell, or None without ``--batch-key``."""
    if options.batch_key is None:
        return None
    return cell_column(options, options.batch_key, "--batch-key").astype(str).to_numpy(np.str_)
