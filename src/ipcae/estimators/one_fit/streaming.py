"""Fitting to tables that are read in parts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ipcae.arrays import Integers
from ipcae.devices import free_bytes
from ipcae.errors import InputError
from ipcae.estimators.one_fit.settings import Settings
from ipcae.rows import Rows
from ipcae.sources import Source, StreamedRows, Summary, as_source, may_be_read_in_parts
from ipcae.sources.ahead import read_ahead
from ipcae.tables.checks.finite import refuse_counted, refuse_not_finite
from ipcae.tables.splitting import MOST_HELD_OUT, split_indices
from ipcae.training.progress.callbacks import announced

if TYPE_CHECKING:
    from ipcae.estimators.base import NeuralSelector
    from ipcae.estimators.one_fit.table import Table

VALIDATION_BYTES = 2**28
"""The size of the validation rows that are kept in memory, unless they are fewer than 100."""


def streamed(X: Any) -> Any:
    """Return X as a source if it is one, or if it would not fit into memory as an array.

    A memory-mapped array or a sparse matrix is read in parts if a dense copy, together with the
    scaled rows, needs more than half of the free memory.
    """
    if isinstance(X, Source) or not may_be_read_in_parts(X):
        return X
    itemsize = 4 if X.dtype == np.float32 else 8
    needed = X.shape[0] * X.shape[1] * (2 * itemsize + 4)
    free = free_bytes(torch.device("cpu"))
    if free is not None and needed > free / 2:
        return as_source(X)
    return X


def refuse_source(X: Any, what: str) -> None:
    """Raise an error if a table is read in parts, for what needs all rows."""
    if isinstance(X, Source):
        raise InputError(
            f"{what} needs all rows in memory, but X is read in parts: pass an array, for example "
            "of a sample of the rows."
        )


def check_source(selector: NeuralSelector, source: Source) -> None:
    """Check that a selector can be fitted to a table that is read in parts; store its columns."""
    if selector.missing == "impute":
        raise InputError(
            "missing='impute' needs all rows in memory, but X is read in parts: fill in missing "
            "values first, and leave missing='error'."
        )
    selector.n_features_in_ = source.shape[1]
    if hasattr(selector, "feature_names_in_"):
        del selector.feature_names_in_
    if source.names is not None:
        selector.feature_names_in_ = np.array(source.names, dtype=object)


def hold_out_sample(
    rows: StreamedRows, table: Table, settings: Settings, seed: int
) -> tuple[StreamedRows, Rows]:
    """Hold out a bounded sample, and summarize the other rows in the same pass over the table."""
    task, names = table.task, table.names
    n_rows, most = len(rows), max(VALIDATION_BYTES // (4 * rows.source.shape[1]), 100)
    most = min(most, MOST_HELD_OUT)
    everything = np.arange(n_rows)
    if settings.validation_fraction is None:
        train, held_out = everything, everything
        if n_rows > most:
            held_out = np.random.default_rng(seed).choice(n_rows, most, replace=False)
    else:
        strata = None if rows.given_targets is None else task.strata(rows.given_targets)
        train, held_out = split_indices(
            n_rows, settings.validation_fraction, strata, seed, table.groups, most
        )
        if n_rows > rows.source.window_rows and not rows.source.in_memory:
            train = np.sort(train)  # so that chunks of rows are read together
    with announced(settings.callbacks, "reading the table"):
        summary, kept = _read_once(rows.source, train, held_out, settings.device)
    refuse_counted(summary.n_nan, summary.n_infinite, names, imputable=False)
    refuse_not_finite(kept, names)
    training = rows if train is everything else rows.subset(train)
    validation = rows.labeled(kept, torch.from_numpy(held_out))
    if task.restores_rows:
        validation = replace(validation, given_targets=task.encode(None, kept))
    return replace(training, summary=summary), validation


def summarize(source: Source, device: torch.device, names: Any) -> Summary:
    """Summarize all rows of a source in one pass, and refuse values that are not finite."""
    summary, _ = _read_once(source, np.arange(len(source)), np.arange(0), device)
    refuse_counted(summary.n_nan, summary.n_infinite, names, imputable=False)
    return summary


def _read_once(
    source: Source, train: Integers, held_out: Integers, device: torch.device
) -> tuple[Summary, Tensor]:
    """Read the table once; return a summary of the training rows, and the held-out rows."""
    learned = np.zeros(len(source), dtype=bool)
    learned[train] = True
    place = np.full(len(source), -1)
    place[held_out] = np.arange(len(held_out))
    kept = torch.empty(len(held_out), source.shape[1], dtype=source.dtype)
    parts = np.split(np.arange(len(source)), np.cumsum(source.block_sizes)[:-1])

    summary: Summary | None = None
    reads = (lambda rows=rows: source.load(rows, device) for rows in parts)
    for rows, block in zip(parts, read_ahead(reads, 1), strict=True):
        mine = torch.from_numpy(learned[rows]).to(device)
        if bool(mine.any()):
            own = Summary.of(block if bool(mine.all()) else block[mine])
            summary = own if summary is None else summary.joined(own)
        wanted = place[rows]
        chosen = torch.from_numpy(np.flatnonzero(wanted >= 0))
        kept[torch.from_numpy(wanted[wanted >= 0])] = block[chosen.to(device)].cpu()
    assert summary is not None
    return summary.cpu(), kept


def ranges_of(training: StreamedRows, validation: Rows) -> tuple[Any, Any]:
    """Return the smallest and the largest value of every column. Shape: -> (D,), (D,)."""
    assert training.summary is not None
    both = torch.cat([training.summary.extremes, validation.inputs.double().cpu()])
    return both.amin(0).numpy(), both.amax(0).numpy()
