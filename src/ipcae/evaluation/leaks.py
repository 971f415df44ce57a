"""Find columns that alone predict the target almost perfectly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import rankdata
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from ipcae.arrays import Booleans, Floats, Integers
from ipcae.evaluation.correlations import correlations
from ipcae.evaluation.sample import Sample
from ipcae.tasks import Task
from ipcae.text import listed

ALMOST_PERFECT, ORDINARY = 0.98, 0.95
_MOST_LEAKS, _MOST_CANDIDATES = 5, 12
_MOST_VALUES = 2e7
_MOST_LEVELS = 20
_N_FOLDS = 5


def likely_leaks(task: Task, sample: Sample, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that alone predict the target almost perfectly."""
    if not task.supervised:
        return ()
    part = sample.at_most(max(int(_MOST_VALUES / len(names)), 200))
    missing = part.rows.inputs.isnan().numpy()
    targets = task.ranking_targets(part.rows.targets).double().numpy()
    values = part.numbers().numpy()
    varying = np.flatnonzero((values.min(0) < values.max(0)) | missing.any(0))
    if len(varying) == 0:
        return ()
    values, missing, leaks = values[:, varying], missing[:, varying], set()
    for y in targets.reshape(len(targets), -1).T:
        discrete = task.discrete or len(np.unique(y)) == 2  # such as whether an event happened
        leaks.update(varying[leaking(values, missing, y, discrete)].tolist())
    return tuple(names[leak] for leak in sorted(leaks))


def leaks_sentence(leaks: Sequence[str]) -> str:
    """Describe likely leaks.

    >>> leaks_sentence(["copy"])
    'Likely leak: copy alone predicts the target almost perfectly. Is it known before the target?'
    """
    verb = "alone predicts" if len(leaks) == 1 else "each predict"
    known = "Is it" if len(leaks) == 1 else "Are they"
    return (
        f"Likely leak: {listed(leaks)} {verb} the target almost perfectly. "
        f"{known} known before the target?"
    )


def leaking(inputs: Floats, missing: Booleans, y: Floats, discrete: bool) -> list[int]:
    """Return the columns that alone predict a target almost perfectly, while others do not.

    Shape: inputs, filled in where they are missing (N, D); y (N,).
    """
    ranks = rankdata(inputs, axis=0)
    if discrete:
        strength = _separation(ranks, inputs, missing, y)
        candidates = np.argsort(-strength, kind="stable")[:_MOST_CANDIDATES]
        candidates = candidates[strength[candidates] > ORDINARY]
        scores = {
            int(c): _accuracy_of_one(np.stack([inputs[:, c], missing[:, c]], 1), y)
            for c in candidates
        }
    else:
        strength = correlations(ranks, rankdata(y)[:, None])[:, 0]
        candidates = np.argsort(-strength, kind="stable")[:_MOST_CANDIDATES]
        scores = {int(c): float(strength[c]) for c in candidates}
    leaks = [c for c, score in scores.items() if score >= ALMOST_PERFECT]
    others = [score for c, score in scores.items() if c not in leaks]
    ordinary = max(others, default=0.0) < ORDINARY
    few = len(leaks) <= _MOST_LEAKS and len(leaks) < max(inputs.shape[1], 2)
    return leaks if ordinary and few else []


def _separation(ranks: Floats, inputs: Floats, missing: Booleans, y: Floats) -> Floats:
    """Return how well a column separates some class from the rest, from 0 to 1. Shape: -> (D,).

    The largest of 2 · |AUC − ½|; the difference between the shares of missing values; and, for
    categories, whose levels have no order, the total variation distance between the levels inside
    and outside of the class. Classes so small that one of the columns separates them by chance are
    left out.
    """
    n_rows, n_columns = inputs.shape
    levels, coded = _levels(inputs)
    best = np.zeros(n_columns)
    for label in np.unique(y):
        member = y == label
        inside = int(member.sum())
        by_chance = gammaln(inside + 1) + gammaln(n_rows - inside + 1) - gammaln(n_rows + 1)
        if by_chance + np.log(2 * n_columns) > np.log(1e-4):
            continue
        won = ranks[member].sum(0) - inside * (inside + 1) / 2
        best = np.maximum(best, np.abs(2 * won / (inside * (n_rows - inside)) - 1))
        best = np.maximum(best, np.abs(missing[member].mean(0) - missing[~member].mean(0)))
        distance = sum(
            np.abs((coded[member] == level).mean(0) - (coded[~member] == level).mean(0))
            for level in range(coded.max(initial=-1) + 1)
        )
        best[levels] = np.maximum(best[levels], distance / 2)
    return best


def _levels(inputs: Floats) -> tuple[Integers, NDArray[np.int8]]:
    """Return which columns may be numbers of more than two levels, and these numbers."""
    low, high = inputs.min(0), inputs.max(0)
    columns = np.flatnonzero((low >= 0) & (high < _MOST_LEVELS) & (high - low > 1))
    columns = columns[(inputs[:, columns] % 1 == 0).all(0)]
    return columns, inputs[:, columns].astype(np.int8)


def _accuracy_of_one(column: Floats, y: Floats) -> float:
    """Return the cross-validated balanced accuracy of a small tree on one column.

    Shape: column (N, 2), of the values and of whether they are missing.
    """
    labels, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        keep = np.isin(y, labels[counts >= 2])
        column, y = column[keep], y[keep]
        labels, counts = np.unique(y, return_counts=True)
    if len(labels) < 2:
        return 0.0
    tree = DecisionTreeClassifier(
        max_leaf_nodes=4 * len(labels), class_weight="balanced", random_state=0
    )
    predicted = cross_val_predict(tree, column, y, cv=min(_N_FOLDS, int(counts.min())))
    return float(np.mean([(predicted[y == label] == label).mean() for label in labels]))
