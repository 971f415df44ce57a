"""Folds of a cross-validation, stratified if possible."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import _safe_indexing, indexable
from torch import Tensor

from ipcae.arrays import Floats, Integers
from ipcae.errors import InputError, as_input_error, invalid_argument
from ipcae.tables.tensors import as_array, count_rows
from ipcae.tasks import Task

Fold = tuple[Integers, Integers]
"""The training and the test rows."""


class Data(NamedTuple):
    """Features, targets and groups of some rows, as for ``fit``."""

    X: Any
    y: Any = None
    groups: NDArray[Any] | None = None

    def take(self, rows: Integers) -> Data:
        """Return the rows with these indices."""
        return Data(*(take_rows(values, rows) for values in self))


def take_rows(values: Any, rows: Integers) -> Any:
    """Return rows of an array, data frame, sparse matrix, tensor or list; None stays None.

    >>> take_rows(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    if values is None:
        return None
    if isinstance(values, Tensor):
        return values[torch.as_tensor(rows, device=values.device)]
    return _safe_indexing(values, rows)


def folds_of(data: Data, task: type[Task], n_folds: int, seed: int) -> list[Fold]:
    """Return the training and test rows of every fold.

    Classes are spread evenly. Every fold has rows of at least two classes: if only one class has as
    many rows as there are folds, there are fewer folds, but at least two. The rows of a group are
    in the same fold, and every fold has at least two groups.

    >>> from ipcae.tasks import Classification
    >>> y = ["a"] * 9 + ["b"] * 3
    >>> len(folds_of(Data(np.zeros((12, 1)), y), Classification, 5, seed=0))
    3
    """
    if not isinstance(n_folds, int | np.integer) or n_folds < 2:
        raise invalid_argument("cv", n_folds, "at least 2 folds")
    X, y, groups = data
    with as_input_error():
        X, _ = indexable(X, y)
    n_rows = count_rows(X)
    if n_rows < 2 * n_folds:
        raise InputError(
            f"X has {n_rows} rows, too few for {n_folds} folds: expected at least {2 * n_folds}."
        )
    rows, labels = np.zeros(n_rows), None if y is None else task.split_labels(y)
    if labels is not None:
        labels = np.asarray(as_array(labels)).reshape(n_rows, -1)
    if groups is not None:
        n_folds = max(min(int(n_folds), len(np.unique(groups)) // 2), 2)
    if labels is None or labels.shape[1] > 1:
        plain = KFold if groups is None else GroupKFold
        return list(plain(n_folds, shuffle=True, random_state=seed).split(rows, groups=groups))
    _, strata, counts = np.unique(labels[:, 0], return_inverse=True, return_counts=True)
    if groups is None:
        second = int(np.sort(counts)[-2:].min())
        n_folds = max(min(int(n_folds), second), 2)
    fewest = 2 if groups is None else n_folds  # rarer classes cannot be spread
    strata = np.where(counts[strata] < fewest, counts.argmax(), strata)
    stratified = StratifiedKFold if groups is None else StratifiedGroupKFold
    split = stratified(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return list(split.split(rows, strata, groups))


def split_scores(results: Mapping[str, Any], name: str = "score") -> Floats:
    """Return a score of ``cv_results_``, by fold and number of features. Shape: -> (F, K)."""
    keys = [key for key in results if key.startswith("split") and key.endswith(f"_test_{name}")]
    return np.array([results[key] for key in keys], dtype=np.float64)


def standard_errors(scores: Floats) -> Floats:
    """Return the standard errors of the means over the folds, 0 for one. Shape: (F, K) -> (K,)."""
    if len(scores) < 2:
        return np.zeros(scores.shape[1])
    return np.asarray(scores.std(0, ddof=1) / np.sqrt(len(scores)))
