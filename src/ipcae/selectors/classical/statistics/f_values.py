"""F-values of columns from sums over the rows, which can be read in parts."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from torch import Tensor

from ipcae.arrays import Floats

_TINY = 1e-12


def f_values(parts: Iterable[tuple[Tensor, Tensor]], discrete: bool) -> Floats:
    """Return the F-values of all columns, averaged over the targets, in one pass.

    ``parts`` are inputs and targets of some rows. Discrete targets are compared as in
    ``sklearn.feature_selection.f_classif``, others as in ``f_regression``. The columns should be
    scaled: a mean that is large compared with the deviation makes the sums inexact.

    Shape: inputs (n, D); targets (n, T) -> (D,).

    >>> import torch
    >>> x = torch.tensor([[0.0, 1.0], [0.0, 2.0], [1.0, 1.0], [2.0, 2.0]])
    >>> y = torch.tensor([[0.0], [0.0], [1.0], [1.0]])
    >>> f_values([(x[:2], y[:2]), (x[2:], y[2:])], discrete=True)
    array([9., 0.])
    """
    sums: list[_Sums] = []
    for inputs, targets in parts:
        wide = inputs.double()
        sums = sums or [_Sums() for _ in range(targets.shape[1])]
        for each, target in zip(sums, targets.T, strict=True):
            each.add(wide, target, discrete)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = [each.of_classes() if discrete else each.of_numbers() for each in sums]
    return np.asarray(np.mean(np.nan_to_num(found), axis=0))


def weighted_f_values(inputs: Floats, target: Floats, weights: Floats, discrete: bool) -> Floats:
    """Return the F-values of all columns if rows have weights, whose mean counts as 1.

    Shape: inputs (N, D); target and weights (N,) -> (D,).

    >>> x, y = np.array([[1.0], [2.0], [4.0], [5.0]]), np.array([0.0, 1.0, 1.0, 9.0])
    >>> weighted_f_values(x, y, np.ones(4), discrete=False).round(6)
    array([3.184275])
    """
    weights = weights / weights.mean()
    columns = inputs - np.average(inputs, 0, weights)
    total = weights @ np.square(columns)
    if discrete:
        members = np.unique(target)[:, None] == target
        sizes = members @ weights
        explained = (np.square((members * weights) @ columns) / sizes[:, None]).sum(0)
        freedom = len(members) - 1
    else:
        centered = weights * (target - np.average(target, weights=weights))
        explained = np.square(centered @ columns) / (centered @ target)
        freedom = 1
    left = total - explained
    left = np.where(left < _TINY * total, 0.0, left)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(explained / freedom / (left / (len(target) - 1 - freedom)))


class _Sums:
    """Sums of rows, of their squares, and of their products with one target."""

    def __init__(self) -> None:
        self.n_rows = 0
        self.squares: Floats = np.zeros(1)
        self.by_class: dict[float, tuple[int, Floats]] = {}
        self.products: Floats = np.zeros(1)
        self.target, self.target_squares = 0.0, 0.0

    def add(self, rows: Tensor, target: Tensor, discrete: bool) -> None:
        self.n_rows += len(rows)
        self.squares = self.squares + rows.square().sum(0).cpu().numpy()
        groups = target.unique().tolist() if discrete else [0.0]
        for group in groups:
            own = rows[target == group] if discrete else rows
            count, total = self.by_class.get(group, (0, np.zeros(1)))
            self.by_class[group] = count + len(own), total + own.sum(0).cpu().numpy()
        if not discrete:
            values = target.double()
            self.products = self.products + (values @ rows).cpu().numpy()
            self.target += float(values.sum())
            self.target_squares += float(values.square().sum())

    @property
    def _squared_mean(self) -> Floats:
        total = np.sum([total for _, total in self.by_class.values()], axis=0)
        return np.asarray(total**2 / self.n_rows)

    def _rounded(self, values: Floats) -> Floats:
        """Return sums of squares, 0 for those that are so small that they are rounding errors."""
        return np.where(values < _TINY * self.squares, 0.0, values)

    def of_classes(self) -> Floats:
        """Return the variance between classes over that within them."""
        n_classes, mean = len(self.by_class), self._squared_mean
        between = sum(total**2 / count for count, total in self.by_class.values()) - mean
        within = self.squares - mean - between
        within, between = self._rounded(within), self._rounded(between)
        return np.asarray(between / (n_classes - 1) / (within / (self.n_rows - n_classes)))

    def of_numbers(self) -> Floats:
        """Return r² / (1 − r²) times the degrees of freedom, r the correlation."""
        ((_, total),) = self.by_class.values()
        covariance = self.products - total * self.target / self.n_rows
        spread = self._rounded(self.squares - self._squared_mean)
        square = self.target_squares - self.target**2 / self.n_rows
        explained = np.where(spread > 0, covariance**2 / (spread * square), 0.0)
        explained[explained > 1 - _TINY] = 1.0
        return np.asarray(explained / (1 - explained) * (self.n_rows - 2))
