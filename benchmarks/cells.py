"""One cell of a table: a data set, a task, some settings, many runs."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from splits import load_split

from ipcae import ClassificationSelector, ReconstructionSelector

BATCH_SIZES = {"coil20": 16, "mice_protein": 16}


def batch_size(dataset: str) -> int:
    """Return the paper's batch size."""
    return BATCH_SIZES.get(dataset, 128)


def fit_cell(
    dataset: str,
    task: str,
    n_runs: int,
    arguments: dict[str, Any],
    splits: str | None = None,
    device: str = "auto",
) -> tuple[Any, Any, float]:
    """Train all runs of a cell at once; return the selector, the split and the seconds."""
    split = load_split(dataset, splits)
    k = 10 if dataset == "mice_protein" else 50
    kind = ClassificationSelector if task == "classification" else ReconstructionSelector
    selector = kind(k, n_runs=n_runs, random_state=0, device=device, **arguments)
    began = time.perf_counter()
    if task == "classification":
        selector.fit(split.X_train, split.y_train, X_val=split.X_val, y_val=split.y_val)
    else:
        selector.fit(split.X_train, X_val=split.X_val)
    return selector, split, time.perf_counter() - began


def measure(selector: Any, task: str, X: np.ndarray, y: np.ndarray) -> float:
    """Return the accuracy in percent, or the paper's reconstruction error."""
    if task == "classification":
        return 100 * selector.score(X, y)
    difference = selector.reconstruct(X) - X
    return float(np.linalg.norm(difference, axis=1).mean() / X.shape[1])
