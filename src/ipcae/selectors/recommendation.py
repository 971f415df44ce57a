"""The default method: a rule on the task and the shape of the table.

The rule was chosen on development rows; ``docs/decisions/0001`` gives the reasons.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

from ipcae.selectors.classical.adaptive import Adaptive
from ipcae.selectors.classical.statistics.noise_share import noise_share
from ipcae.tasks import Panel, Task
from ipcae.text import count

FEW_FOR_CLASSES = 300
"""From about this number of rows on, a network selects better among the best of a ranking."""

MANY_FOR_CLASSES = 5000
FEW_FOR_NUMBERS = 5000
"""Up to 3,200 rows, a network that reads all features was never better."""

MANY_FOR_NUMBERS = 100_000
"""With 10,000 rows, a network selects better among the best of a ranking."""

FEW_COLUMNS = 200
"""Up to this number of columns, many rows are ranked by boosted trees before a network selects."""

FEW_NUMBERS = 2**24
"""A table that is read in parts, but has only this many numbers, is ranked like one in memory."""

SAMPLE = 1000
"""Number of rows used to estimate the correlations of the columns."""

FEW_EFFECTIVE = 1000
"""Rows that are worth fewer independent ones are too few for a network to select by."""

FEW_FOR_TIMES = 5000
"""Up to 2,500 rows, a network that reads all features was not better; more were not tried."""

FEW_FOR_RECONSTRUCTION = 1500
"""From about this number of rows on, a network reconstructs as well as a linear method."""


@dataclass(frozen=True)
class Recommendation:
    """A method, and the reason for it.

    Parameters
    ----------
    method : str
        Name of the method.
    reason : str
        Why it is recommended.

    See Also
    --------
    selectors.recommended : Recommend a method.
    ClassificationSelector : Uses the recommended method by default.

    Examples
    --------
    >>> Recommendation("ip-cae", "there are many rows").method
    'ip-cae'
    """

    method: str
    reason: str


def recommended(
    task: type[Task],
    n_rows: int,
    n_features: int,
    *,
    streamed: bool = False,
    independent: bool | None = None,
    n_effective: int | None = None,
    linear: bool = True,
    n_groups: int | None = None,
) -> Recommendation:
    """Return the default method for a task and the shape of a table.

    Parameters
    ----------
    task : type
        A class of ``ipcae.tasks``, such as ``Classification``.
    n_rows, n_features : int
        Shape of the table.
    streamed : bool, default=False
        Whether the table is read in parts.
    independent : bool or None, default=None
        Whether the columns are nearly independent; None if this is not known. It matters only for
        classification with 5,000 rows or more.
    n_effective : int or None, default=None
        Effective number of independent rows, if rows depend on each other, such as those of the
        same person. It matters only for classification with 5,000 rows or more.
    linear : bool, default=True
        Whether linear rankings find what matters. It matters only for classification with 5,000
        rows or more, and if ``n_effective`` is below 1,000 or there are more than 200 columns.
    n_groups : int or None, default=None
        Number of groups of rows that repeat an observation, such as samples of the same patient
        with the same diagnosis. It counts instead of the number of rows.

    Returns
    -------
    Recommendation
        With the ``method`` and the ``reason``.

    See Also
    --------
    ipcae.selectors.Adaptive : The ranking that suits the table.
    ipcae.selectors.Shortlist : A joint method among the best of a ranking.

    Examples
    --------
    >>> from ipcae.tasks import Classification
    >>> advice = recommended(Classification, n_rows=84, n_features=2000)
    >>> f"{advice.method}, because {advice.reason}"
    'adaptive, because the table has 84 rows; from 300 rows on, it is shortlist'
    >>> recommended(Classification, n_rows=60_000, n_features=784).method
    'subset'
    >>> recommended(Classification, 60_000, 784, independent=True).reason
    'the table has 60,000 rows and nearly independent columns'
    >>> recommended(Classification, 60_000, 784, linear=False).reason
    'the table has 60,000 rows and not only linear effects'
    >>> recommended(Classification, 200_000, 12).reason
    'the table has 200,000 rows and 12 columns'
    >>> recommended(Classification, 7352, 561, n_effective=280).reason
    'the table has 7,352 rows that depend on each other, worth about 280 independent ones'
    >>> recommended(Classification, 2000, 300, n_groups=40).reason
    'the table has 2,000 rows of 40 groups; from 300 groups on, it is shortlist'
    >>> recommended(Classification, 2000, 10_000, streamed=True).method
    'ip-cae'
    >>> recommended(Classification, 2000, 1000, streamed=True).method
    'shortlist'
    """
    rows, counted = f"the table has {count(n_rows, 'row')}", "rows"
    if n_groups is not None:
        rows, counted, n_rows = f"{rows} of {count(n_groups, 'group')}", "groups", n_groups
    tall = n_features <= FEW_COLUMNS and n_rows >= MANY_FOR_CLASSES and _predicts(task)
    small = n_rows < MANY_FOR_CLASSES and n_rows * n_features <= FEW_NUMBERS and _predicts(task)
    if streamed and not (tall or small):
        return Recommendation("ip-cae", "the table is read in parts")
    steps = _steps(task, few_columns=n_features <= FEW_COLUMNS)
    if depends_on_correlations(task, n_rows):
        if n_effective is not None and n_effective < FEW_EFFECTIVE:
            reason = (
                f"{rows} that depend on each other, worth about {n_effective:,} independent ones"
            )
            if linear:
                return Recommendation("backward", reason)
            return Recommendation("shortlist", f"{reason}, and not only linear effects")
        if independent and n_features > FEW_COLUMNS:
            return Recommendation("shortlist", f"{rows} and nearly independent columns")
        if not linear and n_features > FEW_COLUMNS:
            return Recommendation("shortlist", f"{rows} and not only linear effects")
        if independent is None and n_features > FEW_COLUMNS:
            rows += "; shortlist if the columns are nearly independent"
    if tall:
        return Recommendation("shortlist", f"{rows} and {count(n_features, 'column')}")
    for (limit, method), (_, following) in pairwise(steps):
        if n_rows < limit:
            return Recommendation(method, f"{rows}; from {limit:,} {counted} on, it is {following}")
    return Recommendation(steps[-1][1], rows)


def depends_on_correlations(task: type[Task], n_rows: int) -> bool:
    """Return whether the method depends on the correlations of the columns.

    The limit of 100,000 rows is a matter of memory: a ranking holds the table in double precision.
    """
    return _predicts(task) and task.discrete and MANY_FOR_CLASSES <= n_rows < MANY_FOR_NUMBERS


def _predicts(task: type[Task]) -> bool:
    """Return whether classes, labels or numbers are predicted, and nothing else."""
    return task.supervised and not task.censored and not issubclass(task, Panel)


def nearly_independent(inputs: Tensor) -> bool:
    """Return whether the columns are nearly independent, estimated from a thousand rows.

    That is, whether δ (:func:`noise_share`) is above the threshold of :class:`Adaptive`.

    >>> nearly_independent(torch.randn(6000, 20, generator=torch.Generator().manual_seed(0)))
    True
    """
    rows = torch.linspace(0, len(inputs) - 1, min(len(inputs), SAMPLE)).long()
    sample = inputs[rows.to(inputs.device)].double().cpu().numpy()
    return noise_share(sample) > Adaptive().threshold


def _steps(task: type[Task], few_columns: bool) -> list[tuple[float, str]]:
    """Return pairs of a number of rows and the method for fewer rows than that."""
    if task.censored:
        return [(FEW_FOR_TIMES, "cox-adaptive"), (math.inf, "ip-cae")]
    if issubclass(task, Panel):
        return [(MANY_FOR_CLASSES, "panel-forward"), (math.inf, "ip-cae")]
    if not task.supervised:
        return [(FEW_FOR_RECONSTRUCTION, "column-subset"), (math.inf, "ip-cae")]
    if task.discrete and few_columns:
        return [(FEW_FOR_CLASSES, "adaptive"), (math.inf, "shortlist")]
    if task.discrete:
        return [
            (FEW_FOR_CLASSES, "adaptive"),
            (MANY_FOR_CLASSES, "shortlist"),
            (math.inf, "subset"),
        ]
    return [
        (FEW_FOR_NUMBERS, "adaptive"),
        (MANY_FOR_NUMBERS, "shortlist"),
        (math.inf, "subset"),
    ]
