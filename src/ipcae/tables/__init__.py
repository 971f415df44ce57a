"""Reading, splitting and scaling of the user's table.

In reading order: ``reading`` turns X into a tensor, with what ``checks`` refuse, how ``encodings``
turn columns into numbers, and ``frames`` and ``tensors`` for what X may be. ``selection_size``
reads K, ``splitting`` holds out validation rows, and ``scaling`` scales columns. ``copies`` finds
equal columns, ``dependence`` rows that depend on each other, and ``decoys`` are columns without
information.
"""

from ipcae.tables.checks.overflow import refuse_far_rows, refuse_overflow
from ipcae.tables.checks.weights import read_groups, read_weights, require_same_length
from ipcae.tables.reading import read_rows
from ipcae.tables.scaling import (
    DETECTED,
    SCALES,
    Scaler,
    detected_scaler,
    fit_scaler,
    robust_scaler,
    scaler_of,
)
from ipcae.tables.splitting import split_rows

__all__ = [
    "DETECTED",
    "SCALES",
    "Scaler",
    "detected_scaler",
    "fit_scaler",
    "read_groups",
    "read_rows",
    "read_weights",
    "refuse_far_rows",
    "refuse_overflow",
    "require_same_length",
    "robust_scaler",
    "scaler_of",
    "split_rows",
]
