"""Adapt the decoders of small tables to how correlated their inputs are.

Columns of a spectrum are nearly the same, and what distinguishes them is smaller than the noise
that a decoder is trained with, and slow to learn without it. There, a decoder of the whitened
inputs x (C + λI)^−½ is better, where C is the covariance of the inputs, or a linear decoder.
Elsewhere, both may be much worse. So every run compares them in cross-validation, by a model that
is solved instead of trained: kernel ridge regression of the inputs as they are and for several λ,
and ridge regression. The usual decoder is used unless the errors of another one are smaller by two
standard errors (``docs/experiments/correlated-columns.md``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ipcae.arrays import Floats
from ipcae.ridge import PENALTIES, RIDGE, fold_errors, gaussian_kernel, margin
from ipcae.rows import Rows
from ipcae.selection import Selection
from ipcae.training.problem import Problem

MOST_ROWS = 1000
"""Tables with more rows are not adapted to: they were not measured."""

_FEWEST_ROWS, _COMPARED = 10, 300
_DAMPINGS = 1.0, 0.1, 0.01, 0.001  # λ; the columns have a variance of about 1

USUAL, WHITENED, LINEAR = "usual", "whitened inputs", "linear"


@dataclass(frozen=True, eq=False)
class Adaptation:
    """The kind of a decoder, and the matrix that whitens its inputs. Shape: (K, K)."""

    kind: str = USUAL
    matrix: Floats | None = None


def adaptations(problem: Problem, selections: Sequence[Selection]) -> list[Adaptation]:
    """Return how the decoder of every run is adapted to its inputs."""
    shared = not problem.rows.differ
    if not problem.adaptive or (shared and len(problem.rows) > MOST_ROWS):
        return [Adaptation()] * len(selections)
    known = problem.known_rows
    return [
        _adaptation(problem, known.with_columns(selection.features).of_run(run))
        for run, selection in enumerate(selections)
    ]


def _adaptation(problem: Problem, rows: Rows) -> Adaptation:
    """Return the adaptation with the smallest errors on held-out rows of the selected columns."""
    if rows.weights is not None:
        rows = rows.take(rows.weights.nonzero().flatten())
    if not _FEWEST_ROWS <= len(rows) <= MOST_ROWS:
        return Adaptation()
    if len(rows) > _COMPARED:
        spaced = torch.linspace(0, len(rows) - 1, _COMPARED, dtype=torch.float64)
        rows = rows.take(spaced.long().to(rows.inputs.device))
    targets = standardized_targets(problem, rows)
    inputs = rows.inputs.double().cpu().numpy()
    inputs = inputs - inputs.mean(0)
    variance = float(np.square(inputs).sum(1).mean())
    if variance == 0 or not targets.any():
        return Adaptation()
    weights = np.ones(len(rows)) if rows.weights is None else rows.weights.double().cpu().numpy()
    weights = weights / weights.mean()

    def errors_of(values: Floats) -> Floats:
        return weights * fold_errors(gaussian_kernel(values, variance), targets, RIDGE / weights)

    found = []
    for damping in _DAMPINGS:
        matrix = whitening(inputs, damping)
        found.append((Adaptation(WHITENED, matrix), errors_of(inputs @ matrix)))
    if problem.task.solves(problem.loss):
        deviation = inputs.std(0)
        standard = inputs / np.where(deviation > 0, deviation, np.inf)
        products = standard @ standard.T
        linear = [weights * fold_errors(products, targets, p / weights) for p in PENALTIES]
        found.append((Adaptation(LINEAR), min(linear, key=np.mean)))
    usual = errors_of(inputs)
    margins = [margin(errors, usual, n_errors=2) for _, errors in found]
    return found[int(np.argmax(margins))][0] if max(margins) > 0 else Adaptation()


def standardized_targets(problem: Problem, rows: Rows) -> Floats:
    """Return numbers, or a column for every class, with mean 0 and variance 1. Shape: -> (N, T)."""
    targets = problem.task.ranking_targets(rows.targets).double().cpu().numpy()
    targets = targets.reshape(len(rows), -1)
    if problem.task.discrete and targets.shape[1] == 1:
        classes = np.unique(targets)
        targets = (targets == classes[len(classes) == 2 :]).astype(np.float64)
    deviation = targets.std(0)
    return np.asarray((targets - targets.mean(0)) / np.where(deviation > 0, deviation, np.inf))


def whitening(inputs: Floats, damping: float) -> Floats:
    """Return the multiple of (C + λI)^−½ that keeps the total variance of centered inputs.

    Shape: (N, K) -> (K, K).

    >>> x = np.array([[1.0, 0.01], [-1.0, 0.01], [1.0, -0.01], [-1.0, -0.01]])
    >>> (x @ whitening(x, 1e-9)).std(0).round(2)
    array([0.71, 0.71])
    """
    variances, axes = np.linalg.eigh(inputs.T @ inputs / len(inputs))
    factors = (variances.clip(0) + damping) ** -0.5
    factors *= np.sqrt(variances.sum() / (variances * factors**2).sum())
    return np.asarray((axes * factors) @ axes.T)


def stacked_matrices(adapted: Sequence[Adaptation], n_inputs: int) -> Tensor | None:
    """Return the matrices of all runs, those of other inputs the identity; None if there are none.

    Shape: -> (R, n_inputs, n_inputs).
    """
    if all(each.matrix is None for each in adapted):
        return None
    stacked = np.tile(np.eye(n_inputs), (len(adapted), 1, 1))
    for own, each in zip(stacked, adapted, strict=True):
        if each.matrix is not None:
            own[: len(each.matrix), : len(each.matrix)] = each.matrix
    return torch.from_numpy(stacked).float()
