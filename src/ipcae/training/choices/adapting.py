"""Adapt the decoders of a table to its columns.

Columns of a spectrum are nearly the same, and what distinguishes them is smaller than the noise
that a decoder is trained with, and slow to learn without it. There, a decoder of the whitened
inputs x (C + λI)^−½ is better, where C is the covariance of the inputs, or a linear decoder.
Thresholds, waves and heavy tails are slow to learn, too. There, a decoder that also reads piecewise
linear functions of every column is better, or a sum of such functions, an additive decoder.
Elsewhere, each of them may be much worse. So every run compares them in cross-validation, by a
model that is solved instead of trained: kernel ridge regression of the inputs as they are, for
several λ, and with the piecewise linear functions, and ridge regression. The usual decoder is used
unless the errors of another one are smaller by two standard errors
(``docs/experiments/correlated-columns.md``, ``docs/experiments/sharp-effects.md``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ipcae.arrays import Floats, Integers
from ipcae.ridge import (
    PENALTIES,
    RIDGE,
    fold_errors,
    gaussian_kernel,
    linear_fold_errors,
    margin,
    means_of_groups,
)
from ipcae.rows import Rows
from ipcae.selection import Selection
from ipcae.training.choices.pieces import Pieces, affordable_pieces
from ipcae.training.problem import Problem

MOST_ROWS, MOST_WHITENED = 5000, 1000
"""Tables with more rows are not adapted to, or not by whitened inputs: they were not measured."""

_FEWEST_ROWS, _COMPARED = 10, 1000
_DAMPINGS = 1.0, 0.1, 0.01, 0.001  # λ; the columns have a variance of about 1

USUAL, WHITENED, LINEAR = "usual", "whitened inputs", "linear"
PIECEWISE, ADDITIVE = "piecewise linear inputs", "additive"


@dataclass(frozen=True, eq=False)
class Adaptation:
    """The kind of a decoder, and how its inputs are transformed.

    That is, by a matrix that whitens them, of shape (K, K), or by piecewise linear functions.
    """

    kind: str = USUAL
    matrix: Floats | None = None
    pieces: Pieces | None = None


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
    n_rows = len(rows)
    if not _FEWEST_ROWS <= n_rows <= MOST_ROWS:
        return Adaptation()
    if n_rows > _COMPARED:
        spaced = torch.linspace(0, len(rows) - 1, _COMPARED, dtype=torch.float64)
        rows = rows.take(spaced.long().to(rows.inputs.device))
    targets = standardized_targets(problem, rows)
    inputs = rows.inputs.double().cpu().numpy()
    variance = float(inputs.var(0).sum())
    if variance == 0 or not targets.any():
        return Adaptation()
    weights = np.ones(len(rows)) if rows.weights is None else rows.weights.double().cpu().numpy()
    groups = None if rows.groups is None else rows.groups.cpu().numpy()
    errors = _Errors(targets, weights / weights.mean(), groups)

    found = _piecewise(inputs, errors, problem.task.solves(problem.loss))
    if n_rows <= MOST_WHITENED:
        found += _whitened(inputs, variance, errors)
    usual = errors.of_kernel(inputs, variance)
    margins = [margin(errors, usual, n_errors=2) for _, errors in found]
    return found[int(np.argmax(margins))][0] if max(margins, default=0) > 0 else Adaptation()


Compared = list[tuple[Adaptation, Floats]]


@dataclass(frozen=True, eq=False)
class _Errors:
    """The errors of models on held-out rows with these targets, or their means over groups.

    Shape: targets (N, T), weights and groups (N,).
    """

    targets: Floats
    weights: Floats
    groups: Integers | None

    def of_kernel(self, inputs: Floats, width: float) -> Floats:
        """Return those of kernel ridge regression. Shape: (N, D) -> (N,), or one per group."""
        kernel, penalty = gaussian_kernel(inputs, width), RIDGE / self.weights
        errors = fold_errors(kernel, self.targets, penalty, self.groups)
        return means_of_groups(self.weights * errors, self.groups)

    def of_ridge(self, inputs: Floats) -> Floats:
        """Return those of ridge regression with the best penalty. Shape: as `of_kernel`."""
        every = linear_fold_errors(inputs, self.targets, PENALTIES, self.weights, self.groups)
        return min((means_of_groups(each, self.groups) for each in every), key=np.mean)


def _whitened(inputs: Floats, variance: float, errors: _Errors) -> Compared:
    """Return the errors of networks on whitened inputs."""
    matrices = [whitening(inputs - inputs.mean(0), damping) for damping in _DAMPINGS]
    return [
        (Adaptation(WHITENED, matrix), errors.of_kernel(inputs @ matrix, variance))
        for matrix in matrices
    ]


def _piecewise(inputs: Floats, errors: _Errors, linear: bool) -> Compared:
    """Return the errors of networks with piecewise linear inputs, and of linear decoders."""
    found: Compared = []
    if linear:
        found.append((Adaptation(LINEAR), errors.of_ridge(_standardized(inputs))))
    for n_pieces in affordable_pieces(inputs.shape[1]):
        pieces = Pieces.placed(inputs, n_pieces)
        if not pieces.slope.any():
            break
        every = _standardized(np.hstack([inputs, pieces.steps(inputs)]))
        every = every[:, every.any(0)]
        own = errors.of_kernel(every, every.shape[1])
        found.append((Adaptation(PIECEWISE, pieces=pieces), own))
        if linear:
            found.append((Adaptation(ADDITIVE, pieces=pieces), errors.of_ridge(every)))
    return found


def _standardized(inputs: Floats) -> Floats:
    deviation = inputs.std(0)
    return np.asarray((inputs - inputs.mean(0)) / np.where(deviation > 0, deviation, np.inf))


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
