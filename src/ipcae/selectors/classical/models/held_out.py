"""Compare sets of columns by how well a model predicts held-out rows from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import rankdata

from ipcae.arrays import Floats, Integers
from ipcae.ridge import fold_errors, gaussian_kernel, margin, means_of_groups, standardized
from ipcae.selectors.classical.examples import Examples, numeric_targets
from ipcae.selectors.classical.models.boosting import held_out_tree_errors, suits_trees

MOST_ROWS = 1000


def errors_of_columns(examples: Examples, sets: Sequence[Integers]) -> list[Floats]:
    """Return the errors on several sets of columns, for the same held-out rows.

    They are those of a smooth model (:func:`smooth_errors`), or of one for steps and waves
    (:func:`sharp_errors`) if it predicts better from the best set by two standard
    errors, on up to a thousand rows; or those of boosted trees if there are many rows and few
    columns (:func:`suits_trees`). Rows have weights, also in the errors. With groups, whole groups
    are held out, and the errors are the means of groups. Shape: -> one of (N,), or of the number of
    groups, per set.

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
    targets = standardized(numeric_targets(some))
    groups, weights = some.groups, some.relative_weights
    smooth, sharp = (
        [
            means_of_groups(model(some.beside_given(each), targets, groups, weights), groups)
            for each in sets
        ]
        for model in (smooth_errors, sharp_errors)
    )
    best, other = (min(errors, key=np.mean) for errors in (smooth, sharp))
    return sharp if margin(other, best, n_errors=2) > 0 else smooth


def smooth_errors(
    inputs: Floats,
    targets: Floats,
    groups: Integers | None = None,
    weights: Floats | None = None,
) -> Floats:
    """Return the squared errors of a kernel ridge regression, by five-fold cross-validation.

    The kernel is exp(−‖x − x'‖² / D) for standardized columns. Folds have similar targets.

    Shape: (N, D), (N, T), groups and weights (N,) -> (N,).
    """
    inputs = standardized(inputs)
    kernel = gaussian_kernel(inputs, inputs.shape[1])
    return fold_errors(kernel, targets, groups=groups, weights=weights)


def sharp_errors(
    inputs: Floats,
    targets: Floats,
    groups: Integers | None = None,
    weights: Floats | None = None,
) -> Floats:
    """Return the squared errors of a model for steps and waves, by five-fold cross-validation.

    It is a kernel ridge regression with the kernel exp(−‖u − u'‖₁ / √D) for ranks u of the columns,
    from 0 to 1. Shape: (N, D), (N, T), groups and weights (N,) -> (N,).
    """
    ranks = rankdata(inputs, axis=0) / len(inputs)
    kernel = np.exp(-cdist(ranks, ranks, "cityblock") / inputs.shape[1] ** 0.5)
    return fold_errors(kernel, targets, groups=groups, weights=weights)
