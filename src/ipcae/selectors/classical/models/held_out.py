"""Compare sets of columns by how well a smooth model predicts held-out rows from them."""

from __future__ import annotations

from collections.abc import Sequence

from ipcae.arrays import Floats, Integers
from ipcae.ridge import N_FOLDS, RIDGE, fold_errors, gaussian_kernel, margin
from ipcae.selectors.classical.examples import Examples, classes_of
from ipcae.selectors.classical.models.boosting import held_out_tree_errors, suits_trees
from ipcae.selectors.classical.statistics.standardizing import indicators, standardized

__all__ = ["MOST_ROWS", "N_FOLDS", "RIDGE", "errors_of_columns", "held_out_errors", "margin"]


MOST_ROWS = 1000


def errors_of_columns(examples: Examples, sets: Sequence[Integers]) -> list[Floats]:
    """Return the errors on several sets of columns, for the same held-out rows.

    They are those of :func:`held_out_errors`, on up to a thousand rows, or those of boosted trees
    if there are many rows and few columns (:func:`suits_trees`). Shape: -> one of (N,) per set.

    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=(200, 4))
    >>> examples = Examples(x, x[:, :1] * x[:, 1:2], discrete=False)
    >>> both, one, none = errors_of_columns(examples, list(map(np.array, ([0, 1], [0, 2], [2, 3]))))
    >>> margin(both, none, n_errors=2) > 0, margin(one, none, n_errors=2) > 0
    (True, False)
    """
    if suits_trees(examples):
        return held_out_tree_errors(examples, sets)
    some = examples.thinned(MOST_ROWS)
    classes = classes_of(some)
    targets = some.targets if classes is None else indicators(classes)
    targets = standardized(targets)
    return [held_out_errors(some.inputs[:, each], targets) for each in sets]


def held_out_errors(inputs: Floats, targets: Floats) -> Floats:
    """Return the squared errors of a kernel ridge regression, by five-fold cross-validation.

    The kernel is exp(−‖x − x'‖² / D) for standardized columns. Folds have similar targets.

    Shape: (N, D), (N, T) -> (N,).
    """
    inputs = standardized(inputs)
    return fold_errors(gaussian_kernel(inputs, inputs.shape[1]), targets)
