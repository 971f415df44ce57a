"""The rows of a ranking as arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ipcae.arrays import Booleans, Floats, Integers
from ipcae.errors import InputError
from ipcae.ridge import indicators, standardized
from ipcae.selectors.classical.rows_to_rank import sampled
from ipcae.selectors.classical.statistics.averages import averages, repeated
from ipcae.selectors.classical.statistics.copied_rows import copied_rows
from ipcae.selectors.classical.statistics.outliers import without_far_outliers
from ipcae.sources import StreamedRows
from ipcae.text import count
from ipcae.training import Problem

Scores = Floats


@dataclass(frozen=True)
class Examples:
    """The rows that a ranking sees, as arrays.

    ``columns_weight`` is the weight of the reconstruction of the inputs relative to the targets,
    and ``device`` that of the fit, which scores may be computed on. ``units`` has the unit of every
    column, for example of the levels of a category; None if every column is a unit. ``groups`` has
    the group of every row, such as a patient with several samples. ``given`` are the columns that
    are selected anyway, if the inputs are what these leave unexplained.

    Shape: inputs (N, D); targets (N, T), or (N, 0) for reconstruction; weights (N,) or None; units
    (D,) or None; groups (N,) or None; given (N, I) or None.
    """

    inputs: Floats
    targets: Floats
    discrete: bool
    weights: Floats | None = None
    columns_weight: float = 0.0
    device: torch.device = torch.device("cpu")
    units: Integers | None = None
    groups: Integers | None = None
    given: Floats | None = None

    @classmethod
    def of(cls, problem: Problem, run: int = 0, copies: float = 4.0) -> Examples:
        """Return all rows of the user's table that a run sees, as arrays without far outliers.

        If rows of the same group have the same target, they are averaged (:func:`averaged`). Rows
        that are copies of each other are merged (:func:`merged`).
        Of a table that is read in parts, return a sample of the training rows that fits into memory
        together with this many copies (:func:`sampled`).
        """
        if isinstance(problem.rows, StreamedRows):
            rows = sampled(problem.rows, copies)
        else:
            rows = problem.known_rows.of_run(run)
        inputs = without_far_outliers(rows.inputs.double().cpu().numpy())
        targets = inputs[:, :0]
        if rows.given_targets is not None:
            ranked = problem.task.ranking_targets(rows.given_targets)
            targets = ranked.double().cpu().numpy().reshape(len(inputs), -1)
            if not (problem.task.discrete or problem.task.censored):
                targets = without_far_outliers(targets)
        weights = None if rows.weights is None else rows.weights.double().cpu().numpy()
        share = problem.task.columns_weight(problem.loss)
        units = problem.constraints.units.of_column if problem.constraints.groups else None
        device = problem.rows.inputs.device
        groups = None if rows.groups is None else rows.groups.cpu().numpy()
        examples = cls(
            inputs, targets, problem.task.discrete, weights, share, device, units, groups
        )
        if groups is None:
            return merged(examples)
        return averaged(examples, apart=problem.task.discrete or problem.task.censored)

    def with_columns(self, columns: Integers) -> Examples:
        """Return some of the columns."""
        units = None if self.units is None else self.units[columns]
        return replace(self, inputs=self.inputs[:, columns], units=units)

    def beside_given(self, columns: Integers) -> Floats:
        """Return the inputs of some columns, and the given columns. Shape: -> (N, columns + I)."""
        inputs = self.inputs[:, columns]
        return inputs if self.given is None else np.hstack([inputs, self.given])

    def with_given(self) -> Examples:
        """Return the examples with the given columns as the last inputs, each a unit."""
        if self.given is None:
            return self
        inputs, units = self.beside_given(np.arange(self.inputs.shape[1])), self.units
        if units is not None:
            units = np.append(units, units.max(initial=0) + 1 + np.arange(self.given.shape[1]))
        return replace(self, inputs=inputs, units=units, given=None)

    def best_columns(self, scores: Floats, n_selected: int) -> Integers:
        """Return the columns of the units with the largest scores, the best first.

        The score of a unit is the largest of its columns. Shape: scores (D,) -> (at least K,).

        >>> table = Examples(np.zeros((1, 4)), np.zeros((1, 1)), True, units=np.array([0, 1, 0, 2]))
        >>> table.best_columns(np.array([1.0, 2.0, 3.0, 0.0]), 2)
        array([2, 0, 1])
        """
        order = np.argsort(-scores, kind="stable")
        if self.units is None:
            return order[:n_selected]
        best = list(dict.fromkeys(self.units[order].tolist()))[:n_selected]
        return np.concatenate([order[self.units[order] == unit] for unit in best])

    def n_units(self, columns: Booleans) -> int:
        """Return the number of units that some of the columns belong to."""
        return int(columns.sum()) if self.units is None else len({*self.units[columns]})

    def standardized(self) -> Examples:
        """Return the examples with columns of mean 0 and variance 1."""
        return replace(self, inputs=standardized(self.inputs))

    @property
    def unit_of(self) -> Integers:
        """The unit of every column, a number. Shape: (D,)."""
        return np.arange(self.inputs.shape[1]) if self.units is None else self.units

    @property
    def row_weights(self) -> Floats:
        """The weights, or ones. Shape: (N,)."""
        return np.ones(len(self.inputs)) if self.weights is None else self.weights

    @property
    def relative_weights(self) -> Floats:
        """The weights divided by their mean, or ones. Shape: (N,)."""
        return self.row_weights / self.row_weights.mean()

    def take(self, rows: NDArray[Any]) -> Examples:
        """Return the rows with these indices, or of a mask."""
        weights, groups, given = (
            None if own is None else own[rows] for own in (self.weights, self.groups, self.given)
        )
        inputs, targets = self.inputs[rows], self.targets[rows]
        return replace(
            self, inputs=inputs, targets=targets, weights=weights, groups=groups, given=given
        )

    def thinned(self, most: int) -> Examples:
        """Return at most this number of rows, equally spaced."""
        n_rows = len(self.inputs)
        if n_rows <= most:
            return self
        return self.take(np.linspace(0, n_rows - 1, most).astype(int))


def averaged(examples: Examples, apart: bool) -> Examples:
    """Average the rows of every group, if groups are the observations (:func:`repeated`).

    With ``apart``, rows of the same group with different targets are averaged separately. The
    result has groups only if some of them have several rows left.

    >>> person = np.repeat(np.arange(4), 5)
    >>> x, y = person[:, None] + np.tile([[-0.1], [0], [0], [0], [0.1]], (4, 1)), person % 2.0
    >>> averaged(Examples(x, y[:, None], discrete=True, groups=person), apart=True).inputs.ravel()
    array([0., 1., 2., 3.])
    """
    groups, weights = examples.groups, examples.weights
    if groups is None or examples.columns_weight or not examples.targets.shape[1]:
        return examples
    if not repeated(examples.inputs, examples.targets, groups, examples.discrete):
        return examples
    keys = np.column_stack([groups, examples.targets]) if apart else groups[:, None]
    _, first, cells = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    cells = cells.ravel()
    inputs, targets = (
        averages(table, cells, weights) for table in (examples.inputs, examples.targets)
    )
    if weights is not None:
        weights = averages(weights[:, None], cells)[:, 0]
    left = groups[first] if len(np.unique(groups)) < len(first) else None
    return replace(examples, inputs=inputs, targets=targets, weights=weights, groups=left)


def merged(examples: Examples) -> Examples:
    """Replace copies of a row, as of a class that was oversampled, by one with their total weight.

    Otherwise, rankings would be compared on rows whose copies they have seen, and prefer columns by
    which single rows can be recognized.

    >>> x = np.arange(40.0)[:, None] % 20
    >>> merged(Examples(x, x, discrete=False)).weights[:3]
    array([2., 2., 2.])
    """
    if examples.columns_weight or not examples.targets.shape[1]:
        return examples
    found = copied_rows(examples.inputs, examples.targets)
    if found is None:
        return examples
    first, copy = found
    weights = np.bincount(copy, examples.row_weights).astype(np.float64)
    return replace(examples.take(first), weights=weights)


def classes_of(examples: Examples) -> Integers | None:
    """Return the classes of a single discrete target, from 0, or None. Shape: -> (N,)."""
    if not examples.discrete or examples.targets.shape[1] != 1:
        return None
    return np.unique(examples.targets[:, 0], return_inverse=True)[1]


def needed_classes(examples: Examples) -> Integers:
    """Return the classes of the rows, or raise an error if they have several labels instead.

    >>> needed_classes(Examples(np.zeros((3, 2)), np.array([[7.0], [5.0], [7.0]]), discrete=True))
    array([1, 0, 1])
    """
    classes = classes_of(examples)
    if classes is None:
        labels = count(examples.targets.shape[1], "label")
        raise InputError(
            f"This method needs one class per row, but y has {labels}: pass one column of classes, "
            "or choose another method."
        )
    return classes


def numeric_targets(examples: Examples) -> Floats:
    """Return the targets, or the indicators of the classes of a single discrete one. -> (N, T)."""
    classes = classes_of(examples)
    return examples.targets if classes is None else indicators(classes)


def weighted(examples: Examples, balance: float = 1.0) -> tuple[Floats, Floats]:
    """Center inputs and targets, and multiply rows by the roots of their weights.

    A single discrete target becomes the indicators of its classes. The total weight of a class of n
    rows is n^(1 − balance): all classes have the same with 1, all rows have the same with 0.

    Shape: -> (N, D), (N, T).
    """
    targets, classes = numeric_targets(examples), classes_of(examples)
    weights = examples.row_weights
    if classes is not None:
        weights = weights / np.bincount(classes, weights)[classes] ** balance
    else:
        targets = standardized(targets)
    weights = weights / weights.mean()
    root = np.sqrt(weights)[:, None]
    inputs, targets = (
        (table - np.average(table, 0, weights)) * root for table in (examples.inputs, targets)
    )
    return inputs, targets


def mean_over_targets(examples: Examples, score: Callable[[Floats], Floats]) -> Floats:
    """Average the scores of the individual targets, each of shape (N,). Shape: -> (D,)."""
    return np.mean([np.nan_to_num(score(target)) for target in examples.targets.T], axis=0)
