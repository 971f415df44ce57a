"""Rows that training never sees, and what the selection is worth on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from ipcae.cli.task import CLASSIFICATION, REGRESSION
from ipcae.errors import InputError

Metrics = dict[str, float]
FEWEST_TRAINING_ROWS = 5


def split_rows(
    n_rows: int, classes: NDArray[Any] | None, fraction: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Divide the rows into those to learn from and those held out, balanced by class if possible.

    A class with a single row is learned from.

    >>> train, test = split_rows(10, None, 0.2, seed=0)
    >>> len(train), len(test)
    (8, 2)
    """
    rows = np.arange(n_rows)
    n_test = max(round(n_rows * fraction), 2)
    if n_rows - n_test < FEWEST_TRAINING_ROWS:
        raise InputError(
            f"there are {n_rows} rows: too few to hold {n_test} out (--test-fraction {fraction:g}) "
            f"and learn from the rest, which should be {FEWEST_TRAINING_ROWS} at least."
        )
    if classes is None:
        train, test = train_test_split(rows, test_size=n_test, random_state=seed)
        return np.sort(train), np.sort(test)
    _, number, counts = np.unique(classes, return_inverse=True, return_counts=True)
    several = counts[number] > 1
    n_classes = int((counts > 1).sum())
    balanced = n_classes <= n_test <= several.sum() - n_classes
    train, test = train_test_split(
        rows[several],
        test_size=min(n_test, int(several.sum()) - 1),
        random_state=seed,
        stratify=classes[several] if balanced else None,
    )
    train = np.concatenate([train, rows[~several]])
    return np.sort(train), np.sort(test)


def measure(
    task: str,
    selector: Any,
    X: pd.DataFrame,
    y: NDArray[Any] | None,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
) -> tuple[Metrics, Metrics]:
    """Return the metrics of the selector on the test rows, and those of a guess without columns."""
    held_out = X.iloc[test]
    if task == CLASSIFICATION:
        assert y is not None
        return _classification(selector, held_out, y[test], y[train])
    if task == REGRESSION:
        assert y is not None
        guess = np.full(len(test), y[train].mean())
        return _regression(y[test], selector.predict(held_out)), _regression(y[test], guess)
    values = held_out.to_numpy(dtype=np.float64)
    mean = X.iloc[train].to_numpy(dtype=np.float64).mean(0)
    scale = selector.scaler_.scale.numpy()
    restored = selector.reconstruct(selector.transform(held_out))
    return (
        _reconstruction(values, restored, scale),
        _reconstruction(values, np.broadcast_to(mean, values.shape), scale),
    )


GUESSES = {
    "classification": "the commonest class",
    "regression": "the mean",
    "reconstruction": "the mean",
}
"""What the reference of each task predicts for every row."""


def _classification(
    selector: Any, X: pd.DataFrame, true: NDArray[Any], learned: NDArray[Any]
) -> tuple[Metrics, Metrics]:
    classes, counts = np.unique(learned, return_counts=True)
    frequencies = np.tile(counts / counts.sum(), (len(true), 1))
    guess = np.full(len(true), classes[counts.argmax()])
    probabilities = selector.predict_proba(X)
    return (
        _class_metrics(true, selector.predict(X), probabilities, selector.classes_),
        _class_metrics(true, guess, frequencies, classes),
    )


def _class_metrics(
    true: NDArray[Any],
    predicted: NDArray[Any],
    probabilities: NDArray[np.float64],
    classes: NDArray[Any],
) -> Metrics:
    right = true == predicted
    recalls = [right[true == label].mean() for label in np.unique(true)]
    # A class that was never learned has no probability.
    of_truth = np.where(true[:, None] == classes, probabilities, 0.0).sum(1)
    return {
        "accuracy": float(right.mean()),
        "balanced_accuracy": float(np.mean(recalls)),
        "log_loss": float(-np.log(of_truth.clip(1e-15, 1.0)).mean()),
    }


def _regression(true: NDArray[Any], predicted: NDArray[np.float64]) -> Metrics:
    errors = true - predicted
    return {
        "r2": _explained(errors, true),
        "mean_absolute_error": float(np.abs(errors).mean()),
        "root_mean_squared_error": float(np.sqrt(np.square(errors).mean())),
    }


def _reconstruction(
    true: NDArray[np.float64], rebuilt: NDArray[np.float64], scale: NDArray[np.float64]
) -> Metrics:
    """Measure on the columns as they are scaled for training; the error is mean ‖x − x̂‖₂ / D."""
    errors = (true - rebuilt) / scale
    return {
        "r2": _explained(errors, true / scale),
        "error": float(np.linalg.norm(errors, axis=1).mean() / true.shape[1]),
    }


def _explained(errors: NDArray[np.float64], true: NDArray[np.float64]) -> float:
    """Return the explained fraction of the variance of all columns together, R².

    >>> _explained(np.array([0.0, 1.0]), np.array([0.0, 2.0]))
    0.5
    """
    total = np.square(true - true.mean(0)).sum()
    return float(1 - np.square(errors).sum() / total) if total > 0 else float("nan")
