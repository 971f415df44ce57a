"""Find columns that alone predict the target almost perfectly."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold, cross_val_predict
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
_CHANCE = 1e-4


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
    'Likely leak: copy alone predicts the target suspiciously well. Is it known before the target?'
    """
    verb = "alone predicts" if len(leaks) == 1 else "each predict"
    known = "Is it" if len(leaks) == 1 else "Are they"
    return (
        f"Likely leak: {listed(leaks)} {verb} the target suspiciously well. "
        f"{known} known before the target?"
    )


def leaking(inputs: Floats, missing: Booleans, y: Floats, discrete: bool) -> list[int]:
    """Return the columns that alone predict a target almost perfectly, while others do not.

    Also copies of the target: other names of the classes, and categories made from a number.

    Shape: inputs, filled in where they are missing (N, D); y (N,).
    """
    ranks = rankdata(inputs, axis=0)
    if discrete:
        strength = _separation(ranks, inputs, missing, y)
        candidates = np.argsort(-strength, kind="stable")[:_MOST_CANDIDATES]
        candidates = candidates[strength[candidates] > ORDINARY]
        columns = {int(c): np.stack([inputs[:, c], missing[:, c]], 1) for c in candidates}
        scores = {c: _accuracy_of_one(column, y) for c, column in columns.items()}
        copies = [c for c in scores if _renames(inputs[:, c], y)]
    else:
        strength = correlations(ranks, rankdata(y)[:, None])[:, 0]
        candidates = np.argsort(-strength, kind="stable")[:_MOST_CANDIDATES]
        scores = {int(c): float(strength[c]) for c in candidates}
        copies = ranges_of_target(inputs, y)
    leaks = sorted({*copies, *_ahead({c: s for c, s in scores.items() if c not in copies})})
    return leaks if len(leaks) <= _MOST_LEAKS and len(leaks) < max(inputs.shape[1], 2) else []


def _ahead(scores: Mapping[int, float]) -> list[int]:
    """Return the columns that are almost perfect and far ahead of all others.

    The closer to perfect they are, the less needs to be missing from the others.

    >>> _ahead({4: 0.99, 2: 0.93}), _ahead({4: 0.99, 2: 0.96}), _ahead({4: 0.999, 2: 0.96})
    ([4], [], [4])
    """
    best = sorted(scores, key=lambda c: -scores[c])
    lacking = [1 - scores[c] for c in best] + [1.0]
    for n in range(len(best), 0, -1):
        enough = min(1 - ORDINARY, 10 * lacking[n - 1])
        if lacking[n - 1] <= 1 - ALMOST_PERFECT and lacking[n] > enough:
            return best[:n]
    return []


def _renames(column: Floats, y: Floats) -> bool:
    """Return whether a column has exactly one value for every class, another for each."""
    pairs = np.unique(np.stack([column, y], 1), axis=0)
    return len(pairs) == len(np.unique(column)) == len(np.unique(y))


def ranges_of_target(inputs: Floats, y: Floats) -> list[int]:
    """Return the columns of a few levels each of which has a range of the target of its own.

    They may be made from the target, such as "passed" from a score. Columns for which so many rows
    may be in order by chance are left out.

    >>> score = np.arange(40.0)
    >>> ranges_of_target(np.stack([score > 25, score % 2], 1), score)
    [0]
    """
    columns = _of_few_levels(inputs)
    changes = np.count_nonzero(np.diff(inputs[np.argsort(y, kind="stable")][:, columns], axis=0), 0)
    found = []
    for c, n_changes in zip(columns, changes, strict=True):
        if n_changes >= _MOST_LEVELS:
            continue
        sizes = np.unique(inputs[:, c], return_counts=True)[1]
        by_chance = gammaln(sizes + 1).sum() + gammaln(len(sizes) + 1) - gammaln(len(y) + 1)
        if n_changes == len(sizes) - 1 and by_chance + np.log(inputs.shape[1]) < np.log(_CHANCE):
            found.append(int(c))
    return found


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
        if by_chance + np.log(2 * n_columns) > np.log(_CHANCE):
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
    columns = _of_few_levels(inputs)
    columns = columns[np.ptp(inputs[:, columns], axis=0) > 1]
    return columns, inputs[:, columns].astype(np.int8)


def _of_few_levels(inputs: Floats) -> Integers:
    """Return the columns that have only small whole numbers, such as those of categories."""
    low, high = inputs.min(0), inputs.max(0)
    columns = np.flatnonzero((low >= 0) & (high < _MOST_LEVELS) & (low < high))
    return columns[(inputs[:, columns] % 1 == 0).all(0)]


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
    # Unless shuffled, a fold of a table in the order of the column is beyond the other folds.
    folds = StratifiedKFold(min(_N_FOLDS, int(counts.min())), shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of many classes
        predicted = cross_val_predict(tree, column, y, cv=folds)
    return float(np.mean([(predicted[y == label] == label).mean() for label in labels]))
