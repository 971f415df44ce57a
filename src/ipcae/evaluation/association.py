"""The association of out-of-fold predictions with the targets, and its null distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.arrays import Floats, Integers
from ipcae.evaluation.sample import Sample
from ipcae.feature_table import reconstructed_columns
from ipcae.tasks import Reconstruction, Task

INFLATION = 2.0
"""Variance of the statistic, relative to permutations of the targets with the same predictions.

See docs/decisions/0010.
"""
_MOST_ROWS, _MOST_COLUMNS = 10_000, 16
_MOST_ROWS_OF_MANY_COLUMNS = 3000
_PERMUTATIONS_AT_ONCE = 200


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
        The main metric of the task, averaged over the folds of the first repetition, and its name.
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
    places: Sequence[Integers] | None = None,
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
    places : sequence of array, optional
        The numbers of the rows of every sample, from 0 on, if rows were left out several times. By
        default, every row was left out once.
    held_out : (selector, Sample), optional
        A selector, and rows that neither it nor the selectors of the folds have seen. They count as
        another fold of the statistic, but not of the score. The widened null distribution is wider
        than needed for them.
    """
    random = np.random.default_rng(seed)
    n_rows = len(_distinct(_places(samples, places)))
    n_folds = round(len(fitted) * n_rows / sum(map(len, samples)))  # of the first repetition
    scores, baselines = zip(*map(_scores, fitted[:n_folds], samples[:n_folds]), strict=True)
    if held_out is not None:
        fitted, samples = [*fitted, held_out[0]], [*samples, held_out[1]]
        n_rows += len(held_out[1])
    pooled = _Pooled.of(fitted, samples, places)
    statistic, null, largest = standardized(*pooled, n_permutations, random)
    # Widened, the null distribution belongs to folds that are not independent of each other.
    width = math.sqrt(INFLATION) if len(fitted) > 1 else 1.0
    groups = None if pooled.groups is None else _distinct([each.groups for each in samples])
    return Association(
        statistic=statistic / width,
        null=null,
        score=float(np.nanmean(scores)),
        metric=fitted[0].task_.score,
        baseline=float(np.nanmean(baselines)),
        n_folds=n_folds,
        n_rows=n_rows,
        n_groups=None if groups is None else len(groups),
        largest=largest / width,
    )


class _Pooled(NamedTuple):
    """Scores of predictions and targets, and the groups of some rows. Shape: (N, Q), (N, Q), (N,).

    A row that was left out several times has the sum of its predictions' scores.
    """

    predicted: Floats
    true: Floats
    groups: NDArray[Any] | None

    @classmethod
    def of(
        cls,
        fitted: Sequence[Any],
        samples: Sequence[Sample],
        places: Sequence[Integers] | None,
    ) -> _Pooled:
        """Add up the scores of all folds."""
        placed = _places(samples, places)
        number = _tested_rows(len(_distinct(placed)), fitted[0].task_.n_outputs)
        n_tested = int((number >= 0).sum())
        every: list[Any] = []
        for selector, sample, rows in zip(fitted, samples, placed, strict=True):
            own = number[rows]
            tested = sample.take(torch.from_numpy(np.flatnonzero(own >= 0)))
            outputs, targets, ignored = _compared(selector, tested)
            scores = _fold_scores(selector.task_, outputs, targets, ignored)
            parts = (outputs.numpy(), targets.numpy(), scores, tested.groups)
            if not every:
                every = [
                    None if part is None else np.zeros((n_tested, *part.shape[1:]), part.dtype)
                    for part in parts
                ]
            own = own[own >= 0]
            for known, part in zip(every, parts, strict=True):
                if part is scores:
                    known[own] += part
                elif part is not None:
                    known[own] = part
        known_outputs, known_targets, predicted, groups = every
        true = fitted[0].task_.association(
            torch.from_numpy(known_outputs), torch.from_numpy(known_targets)
        )[1]
        return cls(predicted, true, groups)


def _tested_rows(n_rows: int, n_outputs: int) -> Integers:
    """Number the rows to test, at most 10,000; the others are -1. Shape: -> (n_rows,).

    They are drawn at random: the rows may be in the order of the target.
    """
    few = n_outputs <= _MOST_COLUMNS
    most = _MOST_ROWS if few else min(_MOST_ROWS, _MOST_ROWS_OF_MANY_COLUMNS)
    if n_rows <= most:
        return np.arange(n_rows)
    number = np.full(n_rows, -1)
    some = np.random.default_rng(0).choice(n_rows, most, replace=False)
    number[np.sort(some)] = np.arange(most)
    return number


def _places(samples: Sequence[Sample], places: Sequence[Integers] | None) -> Sequence[Integers]:
    """Return the numbers of the rows of every sample; by default, they follow each other."""
    if places is not None:
        return places
    ends = np.cumsum([len(sample) for sample in samples])
    return [np.arange(end - len(sample), end) for end, sample in zip(ends, samples, strict=True)]


def _distinct(parts: Sequence[Any]) -> NDArray[Any]:
    """Return the distinct values of several arrays."""
    return np.unique(np.concatenate(list(parts)))


def _fold_scores(task: Task, outputs: Tensor, targets: Tensor, ignored: Integers) -> Floats:
    """Return the centered scores of the predictions of a fold. Shape: -> (N, Q).

    They are scaled such that all rows count alike: the variance of the fold's association under
    permutation is proportional to the number of its rows.
    """
    predicted, true = task.association(outputs, targets)
    predicted = predicted - predicted.mean(0)
    predicted[:, ignored] = 0.0
    variance = _variance(predicted, true - true.mean(0)) / len(predicted)
    return predicted / math.sqrt(variance) if variance > 0 else np.zeros_like(predicted)


def _variance(predicted: Floats, true: Floats) -> float:
    """Return the variance of Σ predicted · true for permuted rows; both are centered."""
    within = (predicted.T @ predicted) * (true.T @ true)
    return float(within.sum()) / max(len(predicted) - 1, 1)


def standardized(
    predicted: Floats,
    true: Floats,
    groups: NDArray[Any] | None,
    n_permutations: int,
    random: np.random.Generator,
) -> tuple[float, Floats, float]:
    """Return the standardized association, that for permuted targets, and the largest.

    The association is the sum of predicted · true. The rows of a group are not exchangeable with
    others. Their part of the sum is then added or subtracted at random: without an association,
    groups are independent of each other, and the expectation of each part is zero. The largest
    association is that of parts of the same sizes that are all positive.

    Shape: predicted, true (N, Q); groups (N,) -> (), (n_permutations,), ().
    """
    predicted, true = predicted - predicted.mean(0), true - true.mean(0)
    products, largest = (predicted * true).sum(1), math.inf
    if groups is None:
        n_units, variance = len(products), _variance(predicted, true)
        null = _permuted_sums(predicted, true, n_permutations, random)
    else:
        names, members = np.unique(groups, return_inverse=True)
        n_units = len(names)
        parts = np.bincount(members, products)
        # The parts are not quite independent, since predictions and targets are centered.
        correction = n_units / max(n_units - 1, 1)
        variance = np.square(parts).sum() * correction
        largest = np.abs(parts).sum()
        signs = random.choice([-1.0, 1.0], size=(n_permutations, n_units))
        null = signs @ parts * np.sqrt(correction)
    if n_units < 2 or not variance > 0:
        return 0.0, np.zeros(n_permutations), math.inf if groups is None else 0.0
    size = math.sqrt(variance)
    return float(products.sum() / size), null / size, float(largest / size)


def _permuted_sums(
    predicted: Floats, true: Floats, n_permutations: int, random: np.random.Generator
) -> Floats:
    """Return the sum of predicted · true for permuted rows of true. Shape: -> (n_permutations,)."""
    n_rows, n_columns = predicted.shape
    products = predicted @ true.T if n_columns > _MOST_COLUMNS else None
    sums = []
    for first in range(0, n_permutations, _PERMUTATIONS_AT_ONCE):
        n_now = min(_PERMUTATIONS_AT_ONCE, n_permutations - first)
        orders = random.permuted(np.tile(np.arange(n_rows), (n_now, 1)), axis=1)
        if products is not None:
            sums.append(products[np.arange(n_rows), orders].sum(1))
        else:
            sums.append(sum(true[:, q][orders] @ predicted[:, q] for q in range(n_columns)))
    return np.concatenate(sums) if sums else np.empty(0)


def _scores(fitted: Any, sample: Sample) -> tuple[float, float]:
    """Return the main metric of a selector and of the best constant prediction."""
    task: Task = fitted.task_
    outputs = fitted.decoder_outputs(sample.rows.inputs).double()
    targets = sample.rows.targets
    constant = task.baseline(targets).expand_as(outputs)
    score, baseline = (task.metrics(each, targets)[task.score] for each in (outputs, constant))
    return score, baseline


def _compared(fitted: Any, sample: Sample) -> tuple[Tensor, Tensor, Integers]:
    """Return outputs and targets, and the columns that do not count: those that are selected."""
    task: Task = fitted.task_
    outputs = fitted.decoder_outputs(sample.rows.inputs).double()
    targets = sample.rows.targets
    if not task.head.restores_columns:
        return outputs, targets, np.empty(0, dtype=np.int64)
    if isinstance(task, Reconstruction) and hasattr(fitted, "encoding_"):
        targets, outputs = map(torch.from_numpy, task.compared(outputs, targets))
    columns = reconstructed_columns(fitted)[1]
    return outputs, targets, np.flatnonzero(fitted.get_support()[columns])
