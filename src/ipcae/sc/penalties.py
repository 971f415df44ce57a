"""Soft penalties on genes that are hard to measure."""

from __future__ import annotations

from typing import Any

from ipcae.errors import InputError
from ipcae.estimators.one_fit.arguments import is_auto
from ipcae.regularizers import FeatureCosts
from ipcae.selectors import method_named, recommended


def penalize(selector: Any, costs: FeatureCosts, n_cells: int) -> None:
    """Add soft penalties on the genes to the given method, or to the default for these cells."""
    method = selector.method
    if is_auto(method):
        raise InputError(
            "method='auto' compares methods by their names, without expression_limits: name one, "
            "such as 'ip-cae', or exclude genes with exclude=."
        )
    if method is None:
        n_genes = len(costs.costs)
        method = recommended(selector._fitted_task, n_cells, n_genes).method
    selector.set_params(method=method_named(method).with_costs(costs))
