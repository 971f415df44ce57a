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

from ipcae.arrays import Floats
from ipcae.ridge import PENALTIES, RIDGE, fold_errors, gaussian_kernel, linear_fold_errors, margin
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
    weights = weights / weights.mean()

    found = _piecewise(inputs, targets, weights, problem.task.solves(problem.loss))
    if n_rows <= MOST_WHITENED:
        found += _whitened(inputs, variance, targets, weights)
    usual = _kernel_errors(inputs, variance, targets, weights)
    margins = [margin(errors, usual, n_errors=2) for _, errors in found]
    return found[int(np.argmax(margins))][0] if max(margins, default=0) > 0 else Adaptation()


Compared = list[tuple[Adaptation, Floats]]


def _whitened(inputs: Floats, variance: float, targets: Floats, weights: Floats) -> Compared:
    """Return the errors of networks on whitened inputs."""
    matrices = [whitening(inputs - inputs.mean(0), damping) for damping in _DAMPINGS]
    return [
        (Adaptation(WHITENED, matrix), _kernel_errors(inputs @ matrix, variance, targets, weights))
        for matrix in matrices
    ]


def _piecewise(inputs: Floats, targets: Floats, weights: Floats, linear: bool) -> Compared:
    """Return the errors of networks with piecewise linear inputs, and of linear decoders."""
    found: Compared = []
    if linear:
        linear_errors = linear_fold_errors(_standardized(inputs), targets, PENALTIES, weights)
        found.append((Adaptation(LINEAR), min(linear_errors, key=np.mean)))
    for n_pieces in affordable_pieces(inputs.shape[1]):
        pieces = Pieces.placed(inputs, n_pieces)
        if not pieces.slope.any():
            break
        every = _standardized(np.hstack([inputs, pieces.steps(inputs)]))
        every = every[:, every.any(0)]
        errors = _kernel_errors(every, every.shape[1], targets, weights)
        found.append((Adaptation(PIECEWISE, pieces=pieces), errors))
        if linear:
            additive_errors = linear_fold_errors(every, targets, PENALTIES, weights)
            found.append((Adaptation(ADDITIVE, pieces=pieces), min(additive_errors, key=np.mean)))
    return found


def _kernel_errors(inputs: Floats, width: float, targets: Floats, weights: Floats) -> Floats:
    """Return the errors of kernel ridge regression on held-out rows. Shape: -> (N,)."""
    return weights * fold_errors(gaussian_kernel(inputs, width), targets, RIDGE / weights)


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
