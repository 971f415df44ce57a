"""Find columns from which a number was computed, such as the parts of a total."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ipcae.arrays import Floats
from ipcae.evaluation.correlations import standardized
from ipcae.evaluation.sample import Sample
from ipcae.tasks import Task
from ipcae.text import listed

_FEWEST_ROWS, _MOST_VALUES = 30, 2e7
_MOST_PARTS, _MOST_STEPS = 5, 12
_LEFT = 1e-6  # share of the variance that rounding may leave
_SMALL = 1e-3  # standard deviations of the target, the effect of a column that is no part


def parts_of_target(task: Task, sample: Sample, names: Sequence[str]) -> tuple[str, ...]:
    """Return the two to five columns whose weighted sum or product is the target, if there are."""
    if not task.supervised or task.discrete:
        return ()
    part = sample.at_most(max(int(_MOST_VALUES / len(names)), 200))
    targets = task.ranking_targets(part.rows.targets).double().numpy()
    values, found = part.numbers().numpy(), set[int]()
    for y in targets.reshape(len(targets), -1).T:
        parts = summands(values, y)
        positive = np.flatnonzero((values > 0).all(0))
        if not parts and len(positive) and (y > 0).all():
            parts = positive[summands(np.log(values[:, positive]), np.log(y))].tolist()
        found.update(parts)
    return tuple(names[column] for column in sorted(found))


def parts_sentence(parts: Sequence[str]) -> str:
    """Describe the columns from which a target can be computed.

    >>> parts_sentence(["casual", "registered"])
    'The target can be computed exactly from casual, registered: leave out those not known before.'
    """
    return (
        f"The target can be computed exactly from {listed(parts)}: leave out those not known "
        "before."
    )


def summands(columns: Floats, y: Floats) -> list[int]:
    """Return two to five columns of which a weighted sum is y up to rounding, or none.

    They are found by orthogonal matching pursuit, as long as few columns are enough.

    >>> columns = np.random.default_rng(0).normal(size=(60, 8))
    >>> summands(columns, columns[:, 1] - 2 * columns[:, 4] + 3)
    [1, 4]
    >>> summands(columns, columns[:, 1] + 0.01 * columns[:, 4] ** 2)
    []
    """
    scaled, target = standardized(columns), standardized(y)
    if len(y) < _FEWEST_ROWS or not target.any():
        return []
    chosen: list[int] = []
    left: Floats = target
    weights: Floats = np.empty(0)
    for _ in range(min(_MOST_STEPS, columns.shape[1])):
        chosen.append(int(np.abs(left @ scaled).argmax()))
        weights = np.asarray(np.linalg.lstsq(scaled[:, chosen], target)[0], np.float64)
        left = target - scaled[:, chosen] @ weights
        if left @ left < _LEFT:
            break
    parts = [chosen[i] for i in np.flatnonzero(np.abs(weights) > _SMALL)]
    if left @ left >= _LEFT or not 2 <= len(parts) <= _MOST_PARTS:
        return []
    left = target - scaled[:, parts] @ np.linalg.lstsq(scaled[:, parts], target)[0]
    return sorted(parts) if left @ left < 2 * _LEFT else []
