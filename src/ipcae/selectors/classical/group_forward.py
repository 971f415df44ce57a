"""Forward selection of groups of columns, such as the channels of a recording."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipcae.arrays import Floats
from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.examples import weighted

PENALTIES = np.logspace(-3, 1, 9)
"""Penalties to choose from, relative to the sum of squares of the columns of a group."""

MOST_ROWS = 300
N_STEPS = 10
N_MORE = 16
"""How many more groups than K are candidates, the best by themselves."""

_TINY = 1e-12


@dataclass(frozen=True)
class GroupForward(Ranking):
    """Repeatedly add the group of columns that most reduces the leave-one-out error.

    The error is that of a ridge regression on all columns of the groups added so far and of one
    more. A group is scored by everything its columns know together, while other rankings score it
    by its best column. The columns are standardized and divided by the root of the size of their
    group, so that large groups have no advantage, and the penalty is the one with the smallest
    error.

    At most 300 rows are used, equally spaced. Up to K = 10, groups are added one at a time, and for
    larger K in ten steps.

    See Also
    --------
    ipcae.selectors.Adaptive : Uses it for groups of columns.

    Examples
    --------
    Two classes differ in the third of four groups, but hardly in any single column:

    >>> random = np.random.default_rng(0)
    >>> X, classes = random.normal(size=(100, 80)), np.arange(100) % 2
    >>> X[:, 40:60] += 0.3 * classes[:, None]
    >>> examples = Examples(X, classes[:, None], discrete=True, units=np.repeat(range(4), 20))
    >>> GroupForward().scores(examples, n_selected=1, seed=0)[::20].argmax()
    np.int64(2)
    """

    needs = "target"
    random = False
    linear = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the score of every column, the same within a group. Shape: -> (D,)."""
        examples = examples.thinned(MOST_ROWS)
        inputs, targets = weighted(examples.standardized(), balance=0.5)
        units = examples.unit_of
        _, unit, sizes = np.unique(units, return_inverse=True, return_counts=True)
        inputs = inputs / np.sqrt(sizes[unit])
        order = np.argsort(unit, kind="stable")
        groups = np.split(inputs[:, order], np.cumsum(sizes)[:-1], axis=1)
        return _order_of_adding(groups, targets, n_selected)[unit]


def _order_of_adding(groups: list[Floats], targets: Floats, n_selected: int) -> Floats:
    """Return K for the first group added, then less, and less than 1 for others."""
    alone = np.array([leave_one_out_error(group, targets) for group in groups])
    scores = 1 - alone / (alone.max() * (1 + 1e-6) + _TINY)
    left = list(np.argsort(alone, kind="stable")[: n_selected + N_MORE])
    errors, added = alone[left], np.zeros((len(targets), 0))
    per_step, n_left = -(-n_selected // N_STEPS), n_selected
    while n_left:
        best = np.argsort(errors, kind="stable")[: min(per_step, n_left)]
        chosen = [left[place] for place in best]
        scores[chosen] = np.arange(n_left, n_left - len(chosen), -1)
        n_left -= len(chosen)
        left = [group for group in left if group not in chosen]
        added = np.hstack([added, *(groups[group] for group in chosen)])
        if n_left:
            together = (np.hstack([added, groups[group]]) for group in left)
            errors = np.array([leave_one_out_error(each, targets) for each in together])
    return scores


def leave_one_out_error(inputs: Floats, targets: Floats) -> float:
    """Return the smallest squared error of ridge regressions for rows that were left out.

    With the hat matrix H of centered inputs, the error of row i is its residual divided by
    1 − H_ii − 1 / N; the last term is that of the intercept. Shape: (N, D), (N, T) -> ().

    >>> x = np.array([[-1.0], [0.0], [1.0]])
    >>> leave_one_out_error(x, 2 * x) < leave_one_out_error(x, x**2 - 2 / 3)
    True
    """
    n_rows, n_columns = inputs.shape
    if n_columns < n_rows:
        sizes, directions = np.linalg.eigh(inputs.T @ inputs)
        kept = sizes > _TINY * n_rows
        sizes, basis = sizes[kept], inputs @ (directions[:, kept] / np.sqrt(sizes[kept]))
    else:
        sizes, basis = np.linalg.eigh(inputs @ inputs.T)
        sizes = np.maximum(sizes, 0)
    products, squares = basis.T @ targets, np.square(basis)
    errors = []
    for penalty in PENALTIES * n_rows:
        share = sizes / (sizes + penalty)
        residuals = targets - basis @ (share[:, None] * products)
        rest = np.maximum(1 - squares @ share - 1 / n_rows, _TINY)
        errors.append(np.square(residuals / rest[:, None]).sum())
    return float(min(errors))
