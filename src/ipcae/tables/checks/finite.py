"""Reject missing and infinite values, with the names of their columns."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ipcae.errors import InputError
from ipcae.text import listed


def refuse_not_finite(
    rows: Tensor, names: Sequence[str] | None, name: str = "X", missing: str = "error"
) -> None:
    """Raise an error that counts missing and infinite values and names their columns.

    If ``missing`` is "impute", only infinite values are refused.
    """
    # The sum is not finite if any value is not. It may also overflow; then there is none to count.
    if bool(torch.isfinite(rows.sum())):
        return
    infinite = rows.isinf().sum(0)
    missed = torch.zeros_like(infinite) if missing == "impute" else rows.isnan().sum(0)
    refuse_counted(missed, infinite, names, name)


def refuse_counted(
    missing: Tensor,
    infinite: Tensor,
    names: Sequence[str] | None,
    name: str = "X",
    *,
    imputable: bool = True,
) -> None:
    """Raise an error if any column has missing or infinite values. Shape: (D,), (D,)."""
    per_column = missing + infinite
    columns = per_column.nonzero().flatten().tolist()
    if not columns:
        return
    counts = (int(missing.sum()), "NaN"), (int(infinite.sum()), "infinite")
    kinds = [f"{n:,} {kind}" for n, kind in counts if n]
    values = "value" if per_column.sum() == 1 else "values"
    labels = [f"{names[c] if names is not None else c}: {int(per_column[c])}" for c in columns]
    raise InputError(
        f"Input {name} contains {' and '.join(kinds)} {values} in {len(columns):,} of "
        f"{len(per_column):,} columns ({listed(labels)}): expected finite numbers. "
        f"{_way_out(imputable and bool(missing.any()))}"
    )


def _way_out(imputable: bool) -> str:
    if not imputable:
        return "Correct them, or drop those rows or columns."
    return (
        "Fit with missing='impute' to fill them in, or fill them in first, for example with "
        "sklearn.impute.SimpleImputer, or drop those rows or columns."
    )
