"""``--expression-limits``: genes that are expressed too weakly or too strongly are penalized."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.cli.inputs.streamed_table import SourceFrame
from ipcae.cli.options.selection_options import FitOptions
from ipcae.errors import InputError
from ipcae.regularizers import FeatureCosts
from ipcae.sc import expression_costs
from ipcae.sc.penalties import penalize

_MOST_VALUES = 2**24


def check_limits(options: FitOptions, place: str) -> None:
    """Raise an error if ``--expression-limits`` cannot be used."""
    if options.expression_limits is None:
        return
    if not place.endswith(".h5ad"):
        raise InputError(
            f"--expression-limits is for .h5ad files, but the table is {place}: leave it out."
        )
    if options.method == "auto":
        raise InputError(
            "--method auto compares methods by their names, without --expression-limits: name one, "
            "such as ip-cae, or exclude genes with --exclude."
        )


def apply_limits(
    selector: Any, limits: tuple[float | None, float | None], X: Any, train: NDArray[np.int64]
) -> None:
    """Penalize genes outside the limits, by their expression in the training cells.

    Of a table that is read in parts, a random sample of the cells is measured.
    """
    if isinstance(X, SourceFrame):
        n_cells = min(max(_MOST_VALUES // X.shape[1], 100), len(train))
        sample = np.random.default_rng(0).choice(train, n_cells, replace=False)
        values = X.in_memory(np.sort(sample)).to_numpy()
    else:
        values = X.iloc[train].to_numpy()
    costs = expression_costs(values, limits)
    penalize(selector, FeatureCosts(tuple(costs.tolist())), len(train))
