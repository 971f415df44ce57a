"""Reject values that are too large, with the names of their columns."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ipcae.errors import InputError
from ipcae.tables.encodings.encoded_scaler import EncodedScaler
from ipcae.tables.scaling import Scaler
from ipcae.text import listed


def refuse_overflow(
    scaler: Scaler | EncodedScaler,
    rows: Tensor,
    names: Sequence[str] | None = None,
    name: str = "X",
) -> None:
    """Raise an error if scaled values do not fit into float32. Shape: rows (N, D)."""
    # Scaling keeps the order of values, so that the extremes speak for all rows.
    extremes = torch.stack([rows.amin(0), rows.amax(0)])
    if bool(extremes.isnan().any()):
        rows = torch.where(rows.isnan(), scaler.center.to(rows), rows)
        extremes = torch.stack([rows.amin(0), rows.amax(0)])
    bad = ~torch.isfinite(scaler.plain.apply(extremes))
    columns = bad.any(0).nonzero().flatten().tolist()
    if not columns:
        return
    labels = [f"{_label(names, c)}: {extremes[bad[:, c], c][0].item():g}" for c in columns]
    raise InputError(
        f"{len(columns)} of {rows.shape[1]} columns of {name} hold values that are too large for "
        f"float32 once they are scaled ({listed(labels)}): expected numbers below 3.4e+38. Correct "
        "them, give the columns another unit, or leave them out."
    )


def refuse_far_rows(
    bad: Tensor, values: Tensor, scaler: Scaler | EncodedScaler, names: Sequence[str] | None
) -> None:
    """Raise an error that names, for rows without a finite answer, the values to blame.

    Shape: bad (N,), booleans; values (N, K), and the scaler and the names of their K columns.
    """
    if not bool(bad.any()):
        return
    far = values[bad].double().nan_to_num(nan=0.0)
    distance = (far / scaler.scale - scaler.center / scaler.scale).abs()
    furthest = distance.nan_to_num(torch.inf).argmax(1)
    labels = [
        f"{_label(names, c)}: {far[furthest == c, c][0].item():g}"
        for c in furthest.unique().tolist()
    ]
    raise InputError(
        f"The predictions for {int(bad.sum())} of {len(bad)} rows of X are not finite, "
        f"because of values that are too large ({listed(labels)}): correct them, or leave those "
        "rows out."
    )


def _label(names: Sequence[str] | None, column: int) -> str:
    return str(column if names is None else names[column])
