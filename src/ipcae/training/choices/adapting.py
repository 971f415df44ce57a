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
(``docs/experiments/correlated-columns.md``, ``docs/experiments/sharp-effects.md``). After some
methods the usual decoder is linear, and a network is one of the others.

With more than 5,000 rows, a network learns a linear relation or a sum by itself, and only piecewise
linear functions are compared. There are enough rows to predict some of them from others, instead of
cross-validation.

A reconstruction has so many outputs that a network overfits a few hundred rows. A linear or an
additive decoder is used whenever its errors are smaller, up to 5,000 rows
(``docs/experiments/reconstruction.md``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from ipcae.arrays import Floats, Integers
from ipcae.decoders import linear_decoder
from ipcae.ridge import (
    PENALTIES,
    fold_errors,
    gaussian_kernel,
    held_out_errors,
    linear_fold_errors,
    margin,
    standardized,
    weighted_ridge,
)
from ipcae.rows import Rows
from ipcae.selection import Selection
from ipcae.training.choices.pieces import Pieces, affordable_pieces
from ipcae.training.problem import Problem

MOST_ROWS, MOST_WHITENED = 5000, 1000
"""With more rows, only piecewise linear inputs are compared, or whitened inputs are not."""

_FEWEST_ROWS, _FEW_ROWS, _COMPARED = 10, 300, 1000
_FITTED, _MEASURED = 1500, 3000  # of more than MOST_ROWS rows
_DAMPINGS = 1.0, 0.1, 0.01, 0.001  # λ; the columns have a variance of about 1

USUAL, NETWORK, WHITENED, LINEAR = "usual", "network", "whitened inputs", "linear"
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
    """Return how the decoder of every run is adapted to its inputs.

    It is the same for runs with the same features and rows, such as those of a ranking.
    """
    may_be_linear = problem.decoder == linear_decoder() or not problem.task.supervised
    unsolved = may_be_linear and not problem.task.solves(problem.loss)
    if not problem.adaptive or unsolved:
        return [Adaptation()] * len(selections)
    known: dict[tuple[tuple[int, ...], int], Adaptation] = {}
    found = []
    for run, selection in enumerate(selections):
        key = tuple(selection.features.tolist()), run if problem.rows.differ else 0
        if key not in known:
            known[key] = _adaptation(problem, _known_rows(problem, selection).of_run(run))
        found.append(known[key])
    return found


def _known_rows(problem: Problem, selection: Selection) -> Rows:
    """Return the selected columns of all rows of the user's table."""
    rows = problem.rows.with_columns(selection.features)
    if not problem.held_out:
        return rows
    return rows.joined(problem.validation.with_columns(selection.features))


def _adaptation(problem: Problem, rows: Rows) -> Adaptation:
    """Return the adaptation with the smallest errors on held-out rows of the selected columns."""
    if rows.weights is not None:
        rows = rows.take(rows.weights.nonzero().flatten())
    n_rows = len(rows)
    if n_rows < _FEWEST_ROWS:
        return Adaptation()
    many = n_rows > MOST_ROWS
    rows = _compared_rows(rows, _FITTED if many else None)
    targets = standardized_targets(problem, rows)
    inputs = rows.inputs.double().cpu().numpy()
    variance = float(inputs.var(0).sum())
    if variance == 0 or not targets.any():
        return Adaptation()
    weights = np.ones(len(rows)) if rows.weights is None else rows.weights.double().cpu().numpy()
    weights = weights / weights.mean()

    usual = LINEAR if problem.decoder == linear_decoder() else NETWORK
    supervised = problem.task.supervised
    if many and (usual == LINEAR or not supervised):  # not measured
        return Adaptation()
    groups = None if rows.groups is None else rows.groups.cpu().numpy()
    compared = _Table(inputs, targets, weights, groups, _FITTED if many else None)
    if not supervised:
        found = [(Adaptation(NETWORK), compared.errors_with_linear_map(variance))]
        return _best(found + _piecewise(compared, linear=True, networks=False), usual, n_errors=0)
    found = [(Adaptation(NETWORK), compared.kernel_errors(inputs, variance))]
    found += _piecewise(compared, problem.task.solves(problem.loss) and not many)
    if n_rows <= MOST_WHITENED and usual == NETWORK:
        found += _whitened(compared, variance)
    return _best(found, usual, n_errors=2)


def _best(found: Compared, usual: str, n_errors: float) -> Adaptation:
    """Return the one whose errors are smaller by the largest margin, or the usual decoder."""
    first = next(errors for adapted, errors in found if adapted.kind == usual)
    margins = [margin(errors, first, n_errors) for _, errors in found]
    return found[int(np.argmax(margins))][0] if max(margins) > 0 else Adaptation()


def _compared_rows(rows: Rows, n_fitted: int | None) -> Rows:
    """Return equally spaced rows; those that are fitted, if not all in turn, come first."""
    if n_fitted is None:
        return rows if len(rows) <= _COMPARED else rows.take(_spaced(rows, _COMPARED))
    rows = rows.take(_spaced(rows, min(len(rows), n_fitted + _MEASURED)))
    later = torch.ones(len(rows), dtype=torch.bool, device=rows.inputs.device)
    later[_spaced(rows, n_fitted)] = False
    return rows.take(later.long().sort(stable=True).indices)


def _spaced(rows: Rows, count: int) -> Tensor:
    """Return the numbers of equally spaced rows."""
    spaced = torch.linspace(0, len(rows) - 1, count, dtype=torch.float64)
    return spaced.long().to(rows.inputs.device)


Compared = list[tuple[Adaptation, Floats]]


class _Table(NamedTuple):
    """Rows to compare decoders by, in cross-validation or after fitting the first of them.

    Shape: inputs (N, K), targets (N, T), weights and groups (N,).
    """

    inputs: Floats
    targets: Floats
    weights: Floats
    groups: Integers | None
    n_fitted: int | None

    def kernel_errors(self, inputs: Floats, width: float) -> Floats:
        """Return the errors of kernel ridge regression on the rows that are not fitted."""
        n_fitted = self.n_fitted
        kernel = gaussian_kernel(inputs, width, n_fitted)
        if n_fitted is None:
            return self._fold_errors(kernel)
        errors = held_out_errors(kernel, self.targets, weighted_ridge(self.weights[:n_fitted]))
        return self.weights[n_fitted:] * errors

    def errors_with_linear_map(self, width: float) -> Floats:
        """Return the errors of a kernel that also has the linear map of a network, if it learns it.

        With few rows it does not.
        """
        kernel = gaussian_kernel(self.inputs, width)
        if len(self.inputs) >= _FEW_ROWS:
            kernel += self.inputs @ self.inputs.T / width
        return self._fold_errors(kernel)

    def linear_errors(self, inputs: Floats) -> Floats:
        """Return the errors of the best of several ridge regressions on standardized inputs."""
        errors = linear_fold_errors(inputs, self.targets, PENALTIES, self.weights, self.groups)
        return min(errors, key=np.mean)

    def _fold_errors(self, kernel: Floats) -> Floats:
        return fold_errors(kernel, self.targets, groups=self.groups, weights=self.weights)


def _whitened(rows: _Table, variance: float) -> Compared:
    """Return the errors of networks on whitened inputs."""
    inputs = rows.inputs
    matrices = [whitening(inputs - inputs.mean(0), damping) for damping in _DAMPINGS]
    return [
        (Adaptation(WHITENED, matrix), rows.kernel_errors(inputs @ matrix, variance))
        for matrix in matrices
    ]


def _piecewise(rows: _Table, linear: bool, networks: bool = True) -> Compared:
    """Return the errors of networks with piecewise linear inputs, and of linear decoders."""
    found: Compared = []
    inputs = rows.inputs
    if linear:
        found.append((Adaptation(LINEAR), rows.linear_errors(standardized(inputs))))
    for n_pieces in affordable_pieces(inputs.shape[1]):
        pieces = Pieces.placed(inputs, n_pieces)
        if not pieces.slope.any():
            break
        every = standardized(np.hstack([inputs, pieces.steps(inputs)]))
        every = every[:, every.any(0)]
        if networks:
            errors = rows.kernel_errors(every, every.shape[1])
            found.append((Adaptation(PIECEWISE, pieces=pieces), errors))
        if linear:
            found.append((Adaptation(ADDITIVE, pieces=pieces), rows.linear_errors(every)))
    return found


def standardized_targets(problem: Problem, rows: Rows) -> Floats:
    """Return numbers, or a column for every class, with mean 0 and variance 1. Shape: -> (N, T)."""
    targets = problem.task.compared_targets(rows.targets).double().cpu().numpy()
    targets = targets.reshape(len(rows), -1)
    if problem.task.discrete and targets.shape[1] == 1:
        classes = np.unique(targets)
        targets = (targets == classes[len(classes) == 2 :]).astype(np.float64)
    if problem.task.supervised:
        return standardized(targets)
    return same_distances(targets - targets.mean(0))


def same_distances(targets: Floats) -> Floats:
    """Return targets of at most N columns with the same distances between rows.

    Squared errors of linear models of any kind are the same. Shape: (N, T) -> (N, min(N, T)).

    >>> distant = same_distances(np.array([[3.0, 0.0, 4.0], [0.0, 0.0, 0.0]]))
    >>> distant.shape, round(float(np.square(distant[0] - distant[1]).sum()), 6)
    ((2, 2), 25.0)
    """
    if targets.shape[1] <= len(targets):
        return targets
    variances, axes = np.linalg.eigh(targets @ targets.T)
    return np.asarray(axes * np.sqrt(variances.clip(0)))


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
