"""Backward elimination by ridge regression, with a ridge estimated from the correlations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ipcae.arrays import Floats, Integers
from ipcae.ridge import ridge_weights
from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.statistics.moderation import moderated_deviations

_TINY = 1e-12


@dataclass(frozen=True)
class Elimination(Ranking):
    """Repeatedly drop the features with the smallest ridge weights.

    The weights are those of the shrunk covariance (1 − δ) S + δ s I for the centered targets, or
    for the indicators of the classes, all classes with the same total weight. δ is Ledoit and
    Wolf's estimate of how much of the columns' correlations is sampling noise. If columns are
    independent, δ is close to 1 and the ranking is that of a univariate test; if they are
    redundant, δ is small and one of each group is kept. As δ approaches 1, the columns are divided
    by moderated standard deviations (:func:`moderated_deviations`).

    Parameters
    ----------
    drop : float, default=0.1
        Fraction of the features to drop in each step; from K / 2 on, one at a time.
    common_scale : bool, default=False
        Whether the columns keep their relative variances instead of being standardized.

    See Also
    --------
    ipcae.selectors.Adaptive : The ranking that suits the table.
    ipcae.selectors.GroupLasso : The order of a group lasso path.
    ipcae.selectors.CoxElimination : Backward elimination with Cox models.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import ClassificationSelector
    >>> from ipcae.selectors import Elimination
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = ClassificationSelector(3, method=Elimination(), max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True)
    array([ 0,  6, 12])
    """

    drop: float = 0.1
    common_scale: bool = False

    needs = "target"
    random = False
    linear = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the step at which a feature is dropped. Shape: -> (D,)."""
        inputs = examples.inputs
        noise = noise_share(inputs)
        columns = inputs - inputs.mean(0)
        if not self.common_scale:
            columns = columns / deviations(examples, noise)
        inputs, targets = weighted(replace(examples, inputs=columns))
        ridge = noise / (1 - noise) * np.square(inputs).sum() / inputs.shape[1]
        ridge = max(ridge, _TINY)  # all columns may be zero after centering

        def size(alive: Integers) -> Floats:
            return np.square(ridge_weights(inputs[:, alive], targets, ridge)).sum(1)

        return dropping_steps(size, inputs.shape[1], n_selected, self.drop)


def dropping_steps(
    size_of: Callable[[Integers], Floats], n_columns: int, n_selected: int, drop: float
) -> Floats:
    """Return the step at which a column is dropped, those with the smallest sizes first.

    ``size_of`` returns the sizes of the columns that are left. Shape: -> (D,).

    >>> dropping_steps(lambda left: np.array([3.0, 1.0, 2.0])[left], 3, 1, drop=0.1).round(2)
    array([2.  , 0.17, 1.33])
    """
    alive = np.arange(n_columns)
    scores, step = np.zeros(n_columns), 0
    while len(alive) > 1:
        size = size_of(alive)
        n_out = max(1, int(drop * len(alive))) if len(alive) > n_selected // 2 else 1
        out = np.argsort(size, kind="stable")[:n_out]
        scores[alive[out]] = step + size[out] / (size.max() + _TINY) / 2
        alive, step = np.delete(alive, out), step + 1
    scores[alive] = step
    return scores


def deviations(examples: Examples, noise: float) -> Floats:
    """Return s^(1 − w) s̃^w with w = δ⁴, infinite for constant columns. Shape: -> (D,)."""
    own = examples.inputs.std(0)
    shrunk = moderated_deviations(examples.inputs, classes_of(examples))
    varying = (own > _TINY) & np.isfinite(shrunk)
    result = np.full(len(own), np.inf)
    weight = noise**4
    result[varying] = own[varying] ** (1 - weight) * shrunk[varying] ** weight
    return result


def noise_share(inputs: Floats) -> float:
    """Return δ, the share of the columns' correlations that is sampling noise, from 0 to 1.

    Ledoit and Wolf's shrinkage of the correlation matrix toward the identity, divided by its
    expectation for independent normal columns, 1 − 2 / N.

    >>> random = np.random.default_rng(0)
    >>> independent = random.normal(size=(50, 200))
    >>> repeated = np.repeat(random.normal(size=(50, 4)), 50, axis=1)
    >>> noise_share(independent) > 0.9, noise_share(repeated) < 0.2
    (True, True)
    """
    z = standardized(inputs)
    n_rows, n_columns = z.shape
    if n_rows < 3:
        return 0.999
    gram = z @ z.T if n_columns > n_rows else z.T @ z
    square = np.square(gram).sum() / n_rows**2 / n_columns
    lengths = np.square(z).sum(1)
    spread = square - (lengths.mean() / n_columns) ** 2
    noise = np.square(lengths).sum() / n_rows**2 / n_columns - square / n_rows
    return float(np.clip(noise / max(spread, _TINY) / (1 - 2 / n_rows), 0.01, 0.999))


def standardized(inputs: Floats) -> Floats:
    """Scale columns to mean 0 and standard deviation 1, constant ones to 0."""
    size = inputs.std(0)
    scale = np.where(size > _TINY, size, np.inf)
    return (inputs - inputs.mean(0)) / scale


def classes_of(examples: Examples) -> Integers | None:
    """Return the classes of a single discrete target, from 0, or None. Shape: -> (N,)."""
    if not examples.discrete or examples.targets.shape[1] != 1:
        return None
    return np.unique(examples.targets[:, 0], return_inverse=True)[1]


def indicators(classes: Integers) -> Floats:
    """Return a column of zeros and ones for every class. Shape: (N,) -> (N, C).

    >>> indicators(np.array([0, 1, 1]))
    array([[1., 0.],
           [0., 1.],
           [0., 1.]])
    """
    return np.eye(classes.max() + 1)[classes]


def weighted(examples: Examples, balance: float = 1.0) -> tuple[Floats, Floats]:
    """Center inputs and targets, and multiply rows by the roots of their weights.

    A single discrete target becomes the indicators of its classes. The total weight of a class of n
    rows is n^(1 − balance): all classes have the same with 1, all rows have the same with 0.

    Shape: -> (N, D), (N, T).
    """
    targets, classes = examples.targets, classes_of(examples)
    weights = examples.row_weights
    if classes is not None:
        targets = indicators(classes)
        weights = weights / np.bincount(classes, weights)[classes] ** balance
    else:
        targets = standardized(targets)
    weights = weights / weights.mean()
    root = np.sqrt(weights)[:, None]
    inputs, targets = (
        (table - np.average(table, 0, weights)) * root for table in (examples.inputs, targets)
    )
    return inputs, targets
