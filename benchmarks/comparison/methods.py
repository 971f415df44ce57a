"""The methods that are compared: those of the package, and those of other packages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comparison.rivals import RIVALS, rival
from ipcae import ClassificationSelector, ReconstructionSelector, RegressionSelector
from ipcae.selectors import METHODS, Adaptive, Ranking, recommended

Select = Callable[[NDArray, NDArray | None, int, int], NDArray]
ESTIMATORS = {
    "classification": ClassificationSelector,
    "regression": RegressionSelector,
    "reconstruction": ReconstructionSelector,
}
DEFAULT = "default"
VARIANTS = {"adaptive-linear": Adaptive(linear_only=True)}
"""Methods with other settings, to see what a part of them is good for."""

NAMES = (DEFAULT, *METHODS, *VARIANTS, *RIVALS)


def fitted(method: str, task: str, X: NDArray, y: NDArray | None, k: int, seed: int, **own: Any):
    """Fit the estimator of a task."""
    if method != DEFAULT:
        own["method"] = VARIANTS.get(method, method)
    used = method
    if method == DEFAULT:
        used = recommended(ESTIMATORS[task]._task, *X.shape).method
    ranks = isinstance({**METHODS, **VARIANTS}[used], Ranking)
    if y is not None and ranks:  # the decoder has no say
        own = {"max_epochs": 1, "fine_tune": False, "device": "cpu"} | own
    selector = ESTIMATORS[task](k, random_state=seed, **own)
    return selector.fit(X) if y is None else selector.fit(X, y)


def selection_of(method: str, task: str = "classification", **settings: Any) -> Select:
    """Return a function of (X, y, K, seed) that returns the columns a method selects.

    ``"default"`` is whatever the estimator chooses without ``method``.
    """
    if method in RIVALS:
        return rival(method).select

    def select(X: NDArray, y: NDArray | None, n_selected: int, seed: int) -> NDArray:
        return fitted(method, task, X, y, n_selected, seed, **settings).get_support(indices=True)

    return select


def checked(chosen: NDArray, n_selected: int, method: str) -> NDArray:
    """Return the columns; raise an error if they are not K different ones."""
    chosen = np.asarray(chosen)
    if len(set(chosen.tolist())) != n_selected:
        raise ValueError(f"{method} selected {len(set(chosen.tolist()))} columns of {n_selected}.")
    return chosen
