"""What is lost without one feature of a list, and which feature of the list is most like it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ipcae.arrays import Floats
from ipcae.evaluation.correlations import correlations
from ipcae.evaluation.list_fold import GIVEN, List, ListFold
from ipcae.tables.encodings.encoding import Encoding
from ipcae.tasks import METRICS


@dataclass(frozen=True)
class WithoutFeature:
    """What happens if a feature is dropped from the list.

    Attributes
    ----------
    name : str
    loss, error : float
        How much worse the main metric is without the feature, and the standard error over folds.
    closest : str or None
        The feature of the list with the largest absolute correlation, and the ``correlation``.
    """

    name: str
    loss: float
    error: float
    closest: str | None
    correlation: float

    @property
    def redundant(self) -> bool:
        """Whether dropping the feature makes no measurable difference."""
        return bool(self.loss <= self.error)


def without_each(
    results: list[ListFold], given: List, dropped: List, names: list[str], X: Any
) -> list[WithoutFeature]:
    """Return what is lost without each of the dropped features of the given list."""
    if not dropped:
        return []
    metric = results[0].metric
    sign = 1 if METRICS[metric].higher_is_better else -1
    full = np.array([fold.metrics[GIVEN][metric] for fold in results])
    correlation = _correlations(X, given)
    np.fill_diagonal(correlation, -1.0)
    found = []
    for place, feature in enumerate(dropped):
        less = np.array([fold.metrics[f"-{feature}"][metric] for fold in results])
        losses = sign * (full - less)
        closest = int(correlation[place].argmax())
        found.append(
            WithoutFeature(
                names[feature],
                float(np.nanmean(losses)),
                float(np.nanstd(losses, ddof=1) / np.sqrt(len(losses))),
                names[given[closest]],
                float(correlation[place, closest]),
            )
        )
    return sorted(found, key=lambda each: -each.loss)


def _correlations(X: Any, features: List) -> Floats:
    """Return the correlations of some columns, zero for unordered categories. Shape: -> (F, F)."""
    columns = X.iloc[:, list(features)] if hasattr(X, "iloc") else X[:, list(features)]
    values = _numbers(columns)
    return correlations(np.nan_to_num(values - np.nanmean(values, 0)))


def _numbers(columns: Any) -> Floats:
    """Return columns as numbers, zeros for those that have no order. Shape: -> (N, F)."""
    if not hasattr(columns, "columns"):
        dense = columns.toarray() if hasattr(columns, "toarray") else columns
        return np.asarray(dense, dtype=np.float64)
    encoding = Encoding.of(columns, impute=True)
    ordered = [coding.used and not coding.has_indicators for coding in encoding.codings]
    return np.where(ordered, encoding.code(columns).numpy(), 0.0)
