"""The method for a table, if none was given: the rule of ``selectors.recommendation``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ipcae.estimators.one_fit.table import Table
from ipcae.selectors import effective_rows, nearly_independent, recommended
from ipcae.selectors.classical.statistics.averages import repeated
from ipcae.selectors.classical.statistics.effective_rows import filled
from ipcae.selectors.dependent_rows import consecutive_blocks
from ipcae.selectors.linear_effects import linear_suffices, only_linear_effects
from ipcae.selectors.recommendation import (
    FEW_COLUMNS,
    FEW_EFFECTIVE,
    Recommendation,
    depends_on_correlations,
)

if TYPE_CHECKING:
    from ipcae.estimators.base import NeuralSelector


def default_method(selector: NeuralSelector, table: Table) -> Recommendation:
    """Return the default method for a table, whose correlations are estimated if they matter."""
    task, rows, (n_rows, n_features) = selector._task, table.rows, table.shape
    n_groups = _observed_groups(table)
    if n_groups is not None:
        return recommended(task, n_rows, n_features, n_groups=n_groups)
    independent, n_effective, linear = None, None, True
    if depends_on_correlations(task, n_rows) and not rows.streamed:
        independent = nearly_independent(rows.inputs)
        inputs = rows.inputs.cpu().numpy()
        targets = table.task.ranking_targets(rows.targets).cpu().numpy().reshape(n_rows, -1)
        groups = table.groups
        if groups is None and n_features > FEW_COLUMNS and targets.shape[1] == 1:
            groups = consecutive_blocks(targets[:, 0])
        if groups is not None:
            n_effective = effective_rows(inputs, groups)
        if n_effective is not None and n_effective < FEW_EFFECTIVE:
            linear = linear_suffices(inputs, targets, table.n_selected, n_effective, table.groups)
        elif n_features > FEW_COLUMNS and not independent:
            weights = None if rows.weights is None else rows.weights.cpu().numpy()
            linear = only_linear_effects(inputs, targets, table.n_selected, weights)
    return recommended(
        task,
        n_rows,
        n_features,
        streamed=rows.streamed,
        independent=independent,
        n_effective=n_effective,
        linear=linear,
    )


def _observed_groups(table: Table) -> int | None:
    """Return the number of groups if their rows only repeat an observation, or None."""
    rows, task, groups = table.rows, table.task, table.groups
    if groups is None or rows.streamed or not task.supervised or task.columns_weight(table.loss):
        return None
    inputs = filled(rows.inputs.cpu().double().numpy())
    targets = task.ranking_targets(rows.targets).cpu().double().numpy().reshape(len(rows), -1)
    if not repeated(inputs, targets, groups, task.discrete):
        return None
    return len(np.unique(groups))
