"""Cells from several batches, such as donors: validation by batch, and a report for each."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from ipcae.arrays import Floats, Integers
from ipcae.errors import TrainingWarning, warn
from ipcae.sc.table import cells_of
from ipcae.sources import Source

FEWEST_BATCHES = 3
"""With fewer batches, cells are held out at random instead of whole batches."""


def hold_out(
    y: NDArray[Any] | None, batches: NDArray[Any], fraction: float, seed: int
) -> tuple[Integers, Integers]:
    """Return training and validation cells.

    With several batches, whole batches are held out, if the others contain all classes. Otherwise
    cells are held out at random, stratified by class.

    >>> train, validation = hold_out(None, np.repeat(["a", "b", "c", "d"], 5), 0.2, seed=0)
    >>> len(train), len(validation)
    (15, 5)
    """
    names = np.random.default_rng(seed).permutation(np.unique(batches))
    held_out = _whole_batches(names, batches, fraction, y)
    if held_out is None:
        return random_split(len(batches), y, fraction, seed)
    inside = np.isin(batches, held_out)
    return np.flatnonzero(~inside), np.flatnonzero(inside)


def random_split(
    n_cells: int, y: NDArray[Any] | None, fraction: float, seed: int
) -> tuple[Integers, Integers]:
    """Return training and validation cells at random, stratified by class if possible."""
    counts = np.unique(y, return_counts=True)[1] if y is not None else np.array([n_cells])
    stratify = (
        y if y is not None and counts.min() >= 2 and fraction * n_cells >= len(counts) else None
    )
    train, held_out = train_test_split(
        np.arange(n_cells), test_size=fraction, random_state=seed, stratify=stratify
    )
    return np.sort(train), np.sort(held_out)


def _whole_batches(
    names: NDArray[Any], batches: NDArray[Any], fraction: float, y: NDArray[Any] | None
) -> list[Any] | None:
    if len(names) < FEWEST_BATCHES:
        return None
    held_out: list[Any] = []
    for name in names:
        rest = ~np.isin(batches, [*held_out, name])
        if y is not None and len(np.unique(y[rest])) < len(np.unique(y)):
            continue
        held_out.append(name)
        if np.isin(batches, held_out).mean() >= fraction or len(held_out) == len(names) - 2:
            return held_out
    return held_out or None


def balanced_weights(batches: NDArray[Any]) -> Floats:
    """Return weights with which every batch counts the same, with mean 1.

    >>> balanced_weights(np.array(["a", "a", "a", "b"])).round(2)
    array([0.67, 0.67, 0.67, 2.  ])
    """
    _, index, counts = np.unique(batches, return_inverse=True, return_counts=True)
    return len(batches) / len(counts) / counts[index]


def score_each(
    selector: Any,
    X: pd.DataFrame | Source,
    y: NDArray[Any] | None,
    batches: NDArray[Any],
    max_epochs: int,
) -> dict[str, float]:
    """Return the score of the panel in every batch, with a decoder trained on the others.

    A batch is left out if it has a class that no other has.
    """
    names = np.unique(batches)
    panel = selector.get_feature_names_out().tolist()
    parameters = selector.get_params(deep=False) | {
        "n_features_to_select": len(panel),
        "include": panel,
        "exclude": None,
        "n_runs": 1,
        "max_epochs": max_epochs,
        "checkpoint": None,
        "resume": False,
    }
    scores: dict[str, float] = {}
    for name in names:
        own = batches == name
        if y is not None and not np.isin(y[own], y[~own]).all():
            warn(f"Batch {name} has a class that no other has: the panel is not evaluated on it.")
            continue
        again = type(selector)(**parameters)
        others = cells_of(X, np.flatnonzero(~own))
        inside = cells_of(X, np.flatnonzero(own))
        with warnings.catch_warnings():
            # What these fits would warn about, the fit to all batches has warned about.
            warnings.simplefilter("ignore", TrainingWarning)
            again.fit(others, None if y is None else y[~own])
            scores[str(name)] = float(again.score(inside, None if y is None else y[own]))
    return scores
