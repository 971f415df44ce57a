"""Reading, splitting and scaling of the user's table."""

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
