"""Boosted trees on a sample of the rows, and their errors on held-out ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from ipcae.arrays import Floats, Integers
from ipcae.ridge import means_of_groups, standardized
from ipcae.selectors.classical.examples import Examples

BUDGET = 1_200_000
FEWEST_SAMPLED, MOST_SAMPLED = 7000, 28_000
"""A sample has as many rows as fit into the budget, times columns and trees per step."""

FITTED = 0.6
"""The share of the sample that trees are fitted to."""

FEWEST_ROWS, MOST_COLUMNS, MOST_TARGETS = 5000, 200, 8
"""Tables with fewer rows, more columns or more targets are not ranked by boosted trees."""

N_TREES, FEWEST_ITERATIONS, MOST_ITERATIONS = 160, 15, 60
_LEAST = 1e-3  # the smallest probability, so that single rows do not dominate
_FARTHEST = 5.0  # standard deviations, for the same reason


@dataclass(frozen=True)
class Boosted:
    """Boosted trees, one model per target; None if there is nothing to learn.

    >>> x = np.random.default_rng(0).normal(size=(300, 3))
    >>> examples = Examples(x, np.sign(x[:, :1] * x[:, 1:2]), discrete=False)
    >>> bool(Boosted.fitted(examples).errors(examples).mean() < 0.2)
    True
    """

    models: tuple[Any, ...]

    @classmethod
    def fitted(cls, examples: Examples) -> Boosted:
        """Fit trees to all rows."""
        kind = (
            HistGradientBoostingClassifier if examples.discrete else HistGradientBoostingRegressor
        )
        n_rows, models = len(examples.inputs), list[Any]()
        for target in examples.targets.T:
            if examples.discrete and (target == target[0]).all():
                models.append(None)
                continue
            n_steps = N_TREES / _trees_per_step(examples, target)
            model = kind(
                max_iter=int(np.clip(n_steps, FEWEST_ITERATIONS, MOST_ITERATIONS)),
                learning_rate=0.15,
                min_samples_leaf=int(np.clip(n_rows // 20, 1, 10)),
                early_stopping=False,
                random_state=0,
            )
            models.append(model.fit(examples.inputs, target, examples.weights))
        return cls(tuple(models))

    def errors(self, examples: Examples) -> Floats:
        """Return the sum over the targets of log losses, or of squared errors, by row. Shape: (N,).

        They are multiplied by the weights of the rows, whose mean is 1.
        """
        inputs, total = examples.inputs, np.zeros(len(examples.inputs))
        for model, target in zip(self.models, examples.targets.T, strict=True):
            if model is None:
                continue
            if examples.discrete:
                place = np.searchsorted(model.classes_, target).clip(0, len(model.classes_) - 1)
                likely = model.predict_proba(inputs)[np.arange(len(inputs)), place]
                known = model.classes_[place] == target
                total -= np.log(np.where(known, likely, 0).clip(_LEAST))
            else:
                total += np.square(model.predict(inputs) - target)
        weights = examples.weights
        return total if weights is None else total * (weights / weights.mean())


def suits_trees(examples: Examples) -> bool:
    """Return whether boosted trees rank and compare columns of a table with many rows.

    >>> suits_trees(Examples(np.zeros((5000, 12)), np.zeros((5000, 1)), discrete=True))
    True
    """
    (n_rows, n_columns), n_targets = examples.inputs.shape, examples.targets.shape[1]
    return n_rows >= FEWEST_ROWS and n_columns <= MOST_COLUMNS and 1 <= n_targets <= MOST_TARGETS


def sample_size(examples: Examples) -> int:
    """Return the most rows that trees are fitted to and compared by, 7,000 to 28,000.

    >>> x, y = np.zeros((9, 40)), np.arange(9.0)[:, None]
    >>> sample_size(Examples(x, y, discrete=False)), sample_size(Examples(x, y, discrete=True))
    (28000, 7000)
    """
    n_trees = sum(_trees_per_step(examples, target) for target in examples.targets.T)
    fitting = BUDGET // max(examples.inputs.shape[1] * n_trees, 1)
    return int(np.clip(fitting, FEWEST_SAMPLED, MOST_SAMPLED))


def _trees_per_step(examples: Examples, target: Floats) -> int:
    """Return how many trees a step of the boosting has: one, or one per class."""
    n_classes = len(np.unique(target)) if examples.discrete else 1
    return n_classes if n_classes > 2 else 1


def two_parts(examples: Examples, seed: int = 0) -> tuple[Examples, Examples]:
    """Return a random sample of the rows in two parts: to fit to, and to compare by.

    Rare classes are preferred: every class has an equal share of the sample, or all its rows if
    these are fewer. Numbers are standardized and clipped to ±5. Groups are not divided, unless
    there is only one.
    """
    random = np.random.default_rng(seed)
    order = random.permutation(len(examples.inputs))
    if examples.weights is not None:
        order = order[examples.weights[order] > 0]
    targets, most = examples.targets, sample_size(examples)
    if examples.discrete and targets.shape[1] == 1:
        _, classes = np.unique(targets[order, 0], return_inverse=True)
        number = np.empty(len(order), dtype=np.int64)  # among the rows of the same class
        for one in range(classes.max() + 1):
            number[classes == one] = np.arange(np.count_nonzero(classes == one))
        order = order[np.argsort(number, kind="stable")][:most]
        order = random.permutation(order)
    elif not examples.discrete:
        targets = standardized(targets).clip(-_FARTHEST, _FARTHEST)
    order = order[:most]
    n_fitted = round(FITTED * len(order))

    examples = replace(examples, targets=targets)
    if len(order) < 5:
        return examples.take(order), examples.take(order)
    if examples.groups is not None:
        order, n_fitted = _by_group(order, examples.groups[order], n_fitted)
    return examples.take(order[:n_fitted]), examples.take(order[n_fitted:])


def _by_group(order: Integers, groups: Integers, n_first: int) -> tuple[Integers, int]:
    """Return rows by group, and a number of them that ends a group, if possible near ``n_first``.

    >>> _by_group(np.array([3, 1, 2, 0]), np.array([5, 7, 5, 7]), 3)
    (array([3, 2, 1, 0]), 2)
    """
    _, first, member = np.unique(groups, return_index=True, return_inverse=True)
    place = first[member]  # groups in the order of their first rows, which is random
    order = order[np.argsort(place, kind="stable")]
    ends = np.flatnonzero(np.diff(np.sort(place))) + 1
    if not len(ends):
        return order, n_first
    return order, int(ends[np.argmin(np.abs(ends - n_first))])


def held_out_tree_errors(examples: Examples, sets: Sequence[Integers]) -> list[Floats]:
    """Return the errors of trees on several sets of columns, for the same held-out rows.

    With groups, they are the means of groups. Shape: -> one of (N,) per set.

    >>> x = np.random.default_rng(0).normal(size=(600, 4))
    >>> examples = Examples(x, x[:, :1] * x[:, 1:2], discrete=False)
    >>> together, apart = held_out_tree_errors(examples, [np.array([0, 1]), np.array([1, 2])])
    >>> bool(together.mean() < apart.mean() / 2)
    True
    """
    fitted, held_out = two_parts(examples, seed=1)
    found = []
    with threadpool_limits(1, "openmp"):
        for columns in sets:
            model = Boosted.fitted(replace(fitted, inputs=fitted.beside_given(columns)))
            errors = model.errors(replace(held_out, inputs=held_out.beside_given(columns)))
            found.append(means_of_groups(errors, held_out.groups))
    return found
