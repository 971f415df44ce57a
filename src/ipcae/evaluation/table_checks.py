"""Find columns that alone predict the target almost perfectly, and identical columns."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import rankdata
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from ipcae.evaluation.sample import Sample
from ipcae.tasks import Task
from ipcae.text import listed

ALMOST_PERFECT, ORDINARY = 0.98, 0.95
_MOST_LEAKS, _MOST_CANDIDATES = 5, 12
_MOST_VALUES = 2e7
_SAME = 0.9999  # absolute correlation of columns that measure the same
_N_FOLDS = 5


@dataclass(frozen=True)
class TableChecks:
    """Columns to look at before trusting a result.

    Attributes
    ----------
    leaks : tuple of str
        Columns of which each alone predicts the target almost perfectly, while others do not.
    duplicates : tuple of tuple of str
        Groups of identical columns.
    similar : tuple of tuple of str
        Pairs of selected columns that measure the same, such as one length in two units.
    """

    leaks: tuple[str, ...] = ()
    duplicates: tuple[tuple[str, ...], ...] = ()
    similar: tuple[tuple[str, str], ...] = ()

    @property
    def sentences(self) -> list[str]:
        """Describe what was found.

        >>> print(*TableChecks(("copy",), (("a", "b"), ("c", "d"))).sentences, sep="\\n")
        Likely leak: copy alone predicts the target almost perfectly. Is it known before the target?
        2 groups of columns are identical: a = b, c = d.
        """
        found = []
        if self.leaks:
            verb = "alone predicts" if len(self.leaks) == 1 else "each predict"
            known = "Is it" if len(self.leaks) == 1 else "Are they"
            found.append(
                f"Likely leak: {listed(self.leaks)} {verb} the target almost perfectly. "
                f"{known} known before the target?"
            )
        if self.duplicates:
            groups = [" = ".join(group) for group in self.duplicates]
            noun = "group of columns is" if len(groups) == 1 else "groups of columns are"
            found.append(f"{len(groups):,} {noun} identical: {listed(groups, 3)}.")
        if self.similar:
            pairs = [" and ".join(pair) for pair in self.similar]
            found.append(
                f"Selected columns measure the same ({listed(pairs, 3)}): leave one of them out to "
                "make room for another column."
            )
        return found


def check_table(
    task: Task, sample: Sample, names: list[str], selected: Sequence[int] = ()
) -> TableChecks:
    """Find copies of the target, or almost, and identical columns.

    Parameters
    ----------
    task : Task
    sample : Sample
        Rows with encoded targets, such as the training rows.
    names : list of str
        The names of the columns.
    selected : sequence of int
        The selected columns, which are compared with each other.
    """
    inputs = sample.numbers().numpy()
    duplicates = identical_columns(inputs)
    leaks: list[int] = []
    if task.supervised:
        part = sample.at_most(max(int(_MOST_VALUES / len(names)), 200))
        values = part.numbers().numpy()
        targets = task.ranking_targets(part.rows.targets).double().numpy()
        columns = targets.reshape(len(targets), -1)
        leaks = sorted({leak for y in columns.T for leak in leaking(values, y, task.discrete)})
    return TableChecks(
        tuple(names[i] for i in leaks),
        tuple(tuple(names[i] for i in group) for group in duplicates),
        tuple((names[selected[i]], names[selected[j]]) for i, j in similar_pairs(inputs, selected)),
    )


def similar_pairs(inputs: NDArray[np.float64], selected: Sequence[int]) -> list[tuple[int, int]]:
    """Return pairs of columns, as places in ``selected``, that are almost multiples of each other.

    >>> values = np.array([[1.0, 100.0, 7.0], [2.0, 200.0, 5.0], [4.0, 400.0, 6.0]])
    >>> similar_pairs(values, [0, 1, 2])
    [(0, 1)]
    """
    values = inputs[:, list(selected)]
    centered = values - values.mean(0)
    scale = np.sqrt(np.square(centered).sum(0))
    scaled = np.divide(centered, scale, out=np.zeros_like(centered), where=scale > 0)
    alike = np.triu(np.abs(scaled.T @ scaled) > _SAME, 1)
    return [(int(i), int(j)) for i, j in np.argwhere(alike)]


def identical_columns(inputs: NDArray[np.float64]) -> list[list[int]]:
    """Return the groups of identical columns that are not constant.

    >>> identical_columns(np.array([[1.0, 2.0, 1.0, 0.0], [3.0, 4.0, 3.0, 0.0]]))
    [[0, 2]]
    """
    groups = defaultdict(list)
    for index in np.flatnonzero(inputs.min(0) != inputs.max(0)).tolist():
        # Adding zero turns −0.0, whose bytes differ, into 0.0.
        column = np.ascontiguousarray(inputs[:, index] + 0.0)
        groups[hashlib.blake2b(column.tobytes(), digest_size=16).digest()].append(index)
    return [group for group in groups.values() if len(group) > 1]


def leaking(inputs: NDArray[np.float64], y: NDArray[np.float64], discrete: bool) -> list[int]:
    """Return the columns that alone predict a target almost perfectly, while others do not.

    Shape: inputs (N, D); y (N,).
    """
    ranks = rankdata(inputs, axis=0)
    if discrete:
        strength = _separation(ranks, y, inputs.shape[1])
        candidates = np.argsort(-strength, kind="stable")[:_MOST_CANDIDATES]
        candidates = candidates[strength[candidates] > ORDINARY]
        scores = {int(c): _accuracy_of_one(inputs[:, [c]], y) for c in candidates}
    else:
        strength = _correlation(ranks, rankdata(y))
        candidates = np.argsort(-strength, kind="stable")[:_MOST_CANDIDATES]
        scores = {int(c): float(strength[c]) for c in candidates}
    leaks = [c for c, score in scores.items() if score >= ALMOST_PERFECT]
    others = [score for c, score in scores.items() if c not in leaks]
    ordinary = max(others, default=0.0) < ORDINARY
    few = len(leaks) <= _MOST_LEAKS and len(leaks) < max(inputs.shape[1], 2)
    return leaks if ordinary and few else []


def _separation(ranks: NDArray[np.float64], y: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return how well a column separates some class from the rest, 2 · |AUC − ½|. Shape: -> (D,).

    A copy of the target, however its classes are numbered, separates the class of its lowest
    number. Classes so small that one of the columns separates them by chance are left out.
    """
    n_rows, best = len(y), np.zeros(n)
    for label in np.unique(y):
        member = y == label
        inside = int(member.sum())
        by_chance = gammaln(inside + 1) + gammaln(n_rows - inside + 1) - gammaln(n_rows + 1)
        if by_chance + np.log(2 * n) > np.log(1e-4):
            continue
        won = ranks[member].sum(0) - inside * (inside + 1) / 2
        best = np.maximum(best, np.abs(2 * won / (inside * (n_rows - inside)) - 1))
    return best


def _accuracy_of_one(column: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return the cross-validated balanced accuracy of a small tree on one column."""
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


def _correlation(ranks: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the absolute correlation of columns with a target. Shape: (N, D), (N,) -> (D,)."""
    ranks, y = ranks - ranks.mean(0), y - y.mean()
    size = np.sqrt(np.square(ranks).sum(0) * np.square(y).sum())
    return np.abs(np.divide(ranks.T @ y, size, out=np.zeros(len(size)), where=size > 0))
