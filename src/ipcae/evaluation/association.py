"""The association of out-of-fold predictions with the targets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.arrays import Floats, Integers, sample_of
from ipcae.evaluation.permutations import FEW_COLUMNS, permuted_variance, standardized
from ipcae.evaluation.sample import Sample
from ipcae.feature_table import reconstructed_columns
from ipcae.tasks import Reconstruction, Task

INFLATION = 2.0
"""Variance of the statistic, relative to permutations of the targets with the same predictions.

See docs/decisions/0010.
"""
_MOST_ROWS = 10_000
_MOST_ROWS_OF_MANY_COLUMNS = 3000


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
    few = n_outputs <= FEW_COLUMNS
    most = _MOST_ROWS if few else min(_MOST_ROWS, _MOST_ROWS_OF_MANY_COLUMNS)
    number, tested = np.full(n_rows, -1), sample_of(np.arange(n_rows), most, seed=0)
    number[tested] = np.arange(len(tested))
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
    variance = permuted_variance(predicted, true - true.mean(0)) / len(predicted)
    return predicted / math.sqrt(variance) if variance > 0 else np.zeros_like(predicted)


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
