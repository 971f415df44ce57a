"""Check the arguments of ``ipcae.sc.select``, and read the columns of obs that they name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.errors import InputError, invalid_argument
from ipcae.tasks import CountReconstruction, HurdleReconstruction
from ipcae.tasks.integer_classes import are_classes
from ipcae.text import count, listed, similar_name

COUNT_LOSSES = CountReconstruction.losses | HurdleReconstruction.losses
"""The losses of raw counts by name."""


def target_of(adata: Any, column: str) -> NDArray[Any]:
    """Return the target of every cell: numbers, or classes as text."""
    values = _column(adata, column, "target")
    if values.dtype.kind in "iu" and not are_classes(values):
        return values.astype(np.float64)
    return values if values.dtype.kind == "f" else values.astype(str)


def classes_of(y: NDArray[Any] | None) -> NDArray[Any] | None:
    """Return the target if it is classes, else None."""
    return None if y is None or y.dtype.kind == "f" else y


def batches_of(adata: Any, column: str) -> NDArray[Any]:
    """Return the batch of every cell as text; raise an error if there is only one."""
    batches = _column(adata, column, "batch_key").astype(str)
    if len(np.unique(batches)) < 2:
        raise InputError(
            f"adata.obs[{column!r}] (batch_key) is {str(batches[0])!r} for all cells: expected "
            "several batches. Leave it out, or name another column."
        )
    return batches


def check_size(n_genes: Any, adata: Any) -> None:
    """Raise an error if there are fewer genes than ``n_genes``."""
    if isinstance(n_genes, int) and not 1 <= n_genes <= adata.n_vars:
        raise InputError(
            f"n_genes={n_genes} is not possible: adata has {count(adata.n_vars, 'gene')}, expected "
            "1 to that number."
        )


def check_arguments(
    counts_expected: bool, target: str | None, fraction: float, n_subsamples: int
) -> None:
    """Raise errors that would otherwise come after the fit, or from other functions."""
    if counts_expected and target is not None:
        raise InputError(
            f"Losses for counts ({', '.join(COUNT_LOSSES)}) are for the reconstruction of all "
            "genes: leave out the target, or the loss."
        )
    if not 0 < fraction < 1:
        raise invalid_argument(
            "validation_fraction", fraction, "a fraction between 0 and 1, such as 0.2"
        )
    if n_subsamples < 0 or n_subsamples % 2:
        raise InputError(
            f"n_subsamples={n_subsamples} is not understood: expected an even number, because "
            "subsamples come in pairs, or 0."
        )


def _column(adata: Any, column: str, argument: str) -> NDArray[Any]:
    if column not in adata.obs:
        names = [str(name) for name in adata.obs.columns]
        near = similar_name(column, names)
        advice = f"did you mean {near!r}?" if near else f"it has {listed(names) or 'none'}."
        raise InputError(f"adata.obs has no column {column!r} ({argument}): {advice}")
    values = adata.obs[column]
    if bool(values.isna().any()):
        raise InputError(
            f"adata.obs[{column!r}] is missing for {count(int(values.isna().sum()), 'cell')}: fill "
            f"it in, or leave them out: adata[adata.obs[{column!r}].notna()].copy()."
        )
    return np.asarray(values)
