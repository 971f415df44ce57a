"""The association of out-of-fold predictions with the targets, and its null distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ipcae.arrays import Floats
from ipcae.evaluation.sample import Sample
from ipcae.feature_table import reconstructed_columns
from ipcae.tasks import Reconstruction, Task

INFLATION = 2.0
"""Variance of the sum over folds, relative to independent folds; see docs/decisions/0010."""
_MOST_ROWS = 2000


@dataclass(frozen=True, eq=False)
class Association:
    """The association of the predictions for all folds with the targets.

    Attributes
    ----------
    statistic : float
        In standard deviations of the null distribution.
    null : array of shape (n_permutations,)
        The statistic for permuted targets.
    score, metric : float, str
        The main metric of the task, averaged over the folds, and its name.
    n_folds, n_rows, n_groups : int
    baseline : float
        The same metric of the best constant prediction.
    largest : float
        The statistic if all groups of rows agreed; without groups, infinite.
    """

    statistic: float
    null: Floats
    score: float
    metric: str
    n_folds: int
    n_rows: int
    n_groups: int | None = None
    baseline: float = math.nan
    largest: float = math.inf


def association_of(
    fitted: Sequence[Any],
    samples: Sequence[Sample],
    *,
    n_permutations: int,
    seed: int,
    held_out: tuple[Any, Sample] | None = None,
) -> Association:
    """Return the association for selectors and the rows that were left out of their folds.

    The same seed permutes the targets of all selectors in the same way.

    Parameters
    ----------
    fitted : sequence of selector
        A fitted selector for every fold. If there is one, the null distribution is not widened.
    samples : sequence of Sample
        The rows that were left out, with their groups, if there are any.
    held_out : (selector, Sample), optional
        A selector, and rows that neither it nor the selectors of the folds have seen. They count as
        another fold of the statistic, but not of the score. The widened null distribution is wider
        than needed for them.
    """
    random = np.random.default_rng(seed)
    pairs = list(zip(fitted, samples, strict=True))
    scores, baselines = zip(*(_scores(*pair) for pair in pairs), strict=True)
    if held_out is not None:
        pairs.append(held_out)
    statistics, nulls, largest = [], [], []
    for selector, sample in pairs:
        # At random: the rows may be in the order of the target.
        tested = sample.at_most(_MOST_ROWS)
        products = _products(selector, tested)
        statistic, null, most = standardized(products, tested.groups, n_permutations, random)
        statistics.append(statistic)
        nulls.append(null)
        largest.append(most)
    # Widened, the null distribution belongs to folds that are not independent of each other.
    inflation = INFLATION if len(pairs) > 1 else 1.0
    scale = np.sqrt(inflation * len(pairs))
    return Association(
        statistic=float(np.sum(statistics) / scale),
        null=np.sqrt(inflation) * np.sum(nulls, axis=0) / scale,
        score=float(np.nanmean(scores)),
        metric=fitted[0].task_.score,
        baseline=float(np.nanmean(baselines)),
        n_folds=len(fitted),
        n_rows=sum(len(sample) for _, sample in pairs),
        n_groups=_count_groups([sample for _, sample in pairs]),
        largest=float(np.sum(largest) / scale),
    )


def standardized(
    products: Floats,
    groups: NDArray[Any] | None,
    n_permutations: int,
    random: np.random.Generator,
) -> tuple[float, Floats, float]:
    """Return the standardized association in a fold, that for permuted targets, and the largest.

    Element (i, j) of ``products`` is the product of prediction i and target j, both centered; the
    association is the trace. The rows of a group are not exchangeable with others. Their part of
    the trace is then added or subtracted at random: without an association, groups are independent
    of each other, and the expectation of each part is zero. The largest association is that of
    parts of the same sizes that are all positive.

    Shape: products (N, N); groups (N,) -> (), (n_permutations,), ().
    """
    n_rows, largest = len(products), math.inf
    if groups is None:
        orders = random.permuted(np.tile(np.arange(n_rows), (n_permutations, 1)), axis=1)
        variance = np.square(products).sum() / max(n_rows - 1, 1)
        n_units, null = n_rows, products[np.arange(n_rows), orders].sum(1)
    else:
        names, members = np.unique(groups, return_inverse=True)
        n_units = len(names)
        parts = np.bincount(members, products.diagonal())
        # The parts are not quite independent, since predictions and targets are centered.
        correction = n_units / max(n_units - 1, 1)
        variance = np.square(parts).sum() * correction
        largest = np.abs(parts).sum()
        signs = random.choice([-1.0, 1.0], size=(n_permutations, n_units))
        null = signs @ parts * np.sqrt(correction)
    if n_units < 2 or not variance > 0:
        return 0.0, np.zeros(n_permutations), math.inf if groups is None else 0.0
    size = np.sqrt(variance)
    return float(products.trace() / size), null / size, float(largest / size)


def _count_groups(samples: Sequence[Sample]) -> int | None:
    groups = [sample.groups for sample in samples if sample.groups is not None]
    return len(np.unique(np.concatenate(groups))) if groups else None


def _scores(fitted: Any, sample: Sample) -> tuple[float, float]:
    """Return the main metric of a selector and of the best constant prediction."""
    task: Task = fitted.task_
    outputs = fitted.decoder_outputs(sample.rows.inputs).double()
    targets = sample.rows.targets
    constant = task.baseline(targets).expand_as(outputs)
    score, baseline = (task.metrics(each, targets)[task.score] for each in (outputs, constant))
    return score, baseline


def _products(fitted: Any, sample: Sample) -> Floats:
    """Return the products of centered predictions and targets. Shape: -> (N, N)."""
    task: Task = fitted.task_
    outputs = fitted.decoder_outputs(sample.rows.inputs).double()
    targets = sample.rows.targets
    if task.head.restores_columns:
        columns = reconstructed_columns(fitted)[1]
        if isinstance(task, Reconstruction) and hasattr(fitted, "encoding_"):
            targets, outputs = map(torch.from_numpy, task.compared(outputs, targets))
        others = np.flatnonzero(~fitted.get_support()[columns])
        outputs, targets = outputs[:, others], targets[:, others]
    predicted, true = task.association(outputs, targets)
    return (predicted - predicted.mean(0)) @ (true - true.mean(0)).T
