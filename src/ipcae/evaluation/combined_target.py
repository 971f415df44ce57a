"""Find columns from which a number was computed, such as the parts of a total."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ipcae.arrays import Floats
from ipcae.evaluation.sample import Sample
from ipcae.tasks import Task
from ipcae.text import listed

_EXACT = 1e-4
"""The largest share of the variance that a sum may leave, because numbers are rounded."""
_LEAST_WEIGHT = 0.01  # standard deviations of the target, of a column that is a part
_MOST_TERMS, _MOST_ROWS, _MOST_VALUES = 60, 4000, 4_000_000
_FEWEST_ROWS = 20


def parts_of_target(task: Task, sample: Sample, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns whose weighted sum or product is the target, if there are."""
    if not task.supervised or task.discrete or task.censored:
        return ()
    part = sample.at_most(min(_MOST_ROWS, max(_MOST_VALUES // len(names), 200)))
    targets = task.ranking_targets(part.rows.targets).double().numpy()
    values, found = part.numbers().numpy(), set[int]()
    for y in targets.reshape(len(targets), -1).T:
        found.update(summands(values, y) or factors(values, y))
    return tuple(names[column] for column in sorted(found))


def parts_sentence(parts: Sequence[str]) -> str:
    """Describe the columns from which the target can be computed.

    >>> parts_sentence(["casual", "registered"]).split(":")[0]
    'The target can be computed from 2 columns (casual, registered)'
    """
    return (
        f"The target can be computed from {len(parts)} columns ({listed(parts)}): leave them out, "
        "unless you look for the best of them."
    )


def summands(inputs: Floats, y: Floats) -> list[int]:
    """Return two columns or more whose weighted sum is the target, or an empty list.

    They are found in one half of the rows, by orthogonal matching pursuit, and must give the target
    in the other half, too, up to rounding. Columns with missing values are left out.

    Shape: inputs (N, D); y (N,).

    >>> inputs = np.random.default_rng(0).normal(size=(40, 5))
    >>> summands(inputs, inputs[:, 1] - 2 * inputs[:, 4] + 3)
    [1, 4]
    >>> summands(inputs, inputs[:, 1] ** 2)
    []
    """
    half = len(y) // 2
    rows = np.random.default_rng(0).permutation(len(y))
    inputs, y = inputs[rows], y[rows]
    columns = np.flatnonzero(np.isfinite(inputs).all(0) & (np.ptp(inputs[:half], axis=0) > 0))
    if len(y) < _FEWEST_ROWS or len(columns) < 2 or np.ptp(y[:half]) == 0:
        return []
    X = inputs[:, columns]
    X, y = (values - values[:half].mean(0) for values in (X, y))
    X, y = X / X[:half].std(0), y / y[:half].std()
    terms, weights = _fitted(X[:half], y[:half], _pursue(X[:half], y[:half]))
    left = y[half:] - X[half:][:, terms] @ weights
    exact = np.mean(left**2) <= _EXACT * np.var(y[half:])
    return sorted(columns[terms].tolist()) if exact and len(terms) > 1 else []


def factors(inputs: Floats, y: Floats) -> list[int]:
    """Return two columns or more whose product, or that of their powers, is the target.

    All values must be positive: the logarithm of a product is a weighted sum.

    >>> height, weight, age = np.random.default_rng(0).uniform(1, 2, (3, 40))
    >>> factors(np.stack([age, weight, height], 1), weight / height**2)
    [1, 2]
    """
    positive = np.flatnonzero((inputs > 0).all(0))
    if y.min() <= 0 or len(positive) == 0:
        return []
    return positive[summands(np.log(inputs[:, positive]), np.log(y))].tolist()


def _pursue(X: Floats, y: Floats) -> list[int]:
    """Return columns whose weighted sum is close to y, as few as are found one by one."""
    basis = np.zeros((len(y), 0))
    left, terms = y, list[int]()
    while len(terms) < min(_MOST_TERMS, len(y) // 3, X.shape[1]):
        strength = np.abs(left @ X)
        strength[terms] = 0
        terms.append(int(strength.argmax()))
        direction = X[:, terms[-1]]
        for _ in range(2):  # the second time against rounding errors
            direction = direction - basis @ (basis.T @ direction)
        length = float(np.linalg.norm(direction))
        if length < 1e-9 * len(y) ** 0.5:  # a sum of columns that are already terms
            break
        basis = np.column_stack([basis, direction / length])
        left = y - basis @ (basis.T @ y)
        if left @ left <= _EXACT / 10 * (y @ y):
            break
    return terms


def _fitted(X: Floats, y: Floats, terms: list[int]) -> tuple[list[int], Floats]:
    """Return the terms without which the sum is another one, and their weights."""
    weights = np.linalg.lstsq(X[:, terms], y, rcond=None)[0]
    kept = [
        term for term, weight in zip(terms, weights, strict=True) if abs(weight) > _LEAST_WEIGHT
    ]
    return kept, np.asarray(np.linalg.lstsq(X[:, kept], y, rcond=None)[0], dtype=np.float64)
