"""Add units within constraints, each the one that explains most of what is left of the targets."""

from __future__ import annotations

import numpy as np

from ipcae.arrays import Floats, Integers
from ipcae.constraints import Constraints

_SHORTEST = 1e-10  # a residual that is shorter, relative to the longest column, is rounding error
_CHEAPEST = 1e-9  # of the largest cost, for units that are free


def added_units(
    inputs: Floats,
    constraints: Constraints,
    n_selected: int,
    targets: Floats | None = None,
    ridge: float = 0.0,
) -> list[list[int]]:
    """Add the unit that explains most of what the others leave of the targets, until none fits.

    The targets are the inputs, unless others are given. The included units come first. Within a
    budget, there is a second list, of the units that explain most per cost. Shape: inputs (N, D)
    and targets (N, T), centered.

    >>> inputs = np.random.default_rng(0).normal(size=(99, 2)).repeat(2, axis=1)
    >>> added_units(inputs, Constraints(4, groups=((0, 1), (2, 3))), n_selected=2)
    [[0, 1]]
    """
    costs = constraints.cost_of_units
    prices = [np.ones(len(costs))]
    if constraints.binds(n_selected):
        prices.append(np.maximum(costs, _CHEAPEST * costs.max()))
    return [
        _added(UnitResiduals(inputs, constraints, targets, ridge), constraints, n_selected, price)
        for price in prices
    ]


def _added(
    left: UnitResiduals, constraints: Constraints, n_selected: int, price: Floats
) -> list[int]:
    units: list[int] = constraints.included_units.tolist()
    left.remove(constraints.columns(units))
    while len(units) < n_selected and len(fitting := constraints.fitting(units)):
        gains = left.gains()[fitting] / price[fitting]
        if gains.max() <= 0:
            break
        units.append(int(fitting[gains.argmax()]))
        left.remove(constraints.columns(units[-1:]))
    return units


def explained(inputs: Floats, columns: Integers) -> float:
    """Return how much of the sum of squares of a table some of its columns explain.

    >>> explained(np.diag([1.0, 2.0, 3.0]), np.array([0, 2]))
    10.0
    """
    basis, sizes, _ = np.linalg.svd(inputs[:, columns], full_matrices=False)
    usable = np.square(sizes) > _SHORTEST * np.square(inputs).sum(0).max(initial=0.0)
    return float(np.square(basis[:, usable].T @ inputs).sum())


class UnitResiduals:
    """What a linear regression on some columns leaves of every unit of a table.

    With the residuals R of a unit's columns, G = Rᵀ R and H = Rᵀ Y Yᵀ R, the unit explains tr(G⁺ H)
    of the sum of squares of the targets Y in addition. Removing a direction from the residuals
    changes G and H by products of vectors, so that the residuals of the table are not needed.

    A ridge penalty λ is a row √λ per column, in which the column has √λ and everything else 0. Of
    these rows, only those of the columns removed so far are needed.

    Shape: inputs (N, D), centered; targets (N, T), centered, the inputs if None.
    """

    def __init__(
        self,
        inputs: Floats,
        constraints: Constraints,
        targets: Floats | None = None,
        ridge: float = 0.0,
    ):
        targets = inputs if targets is None else targets
        self._inputs, self._targets, self._ridge = inputs, targets, ridge
        n_rows, wide = len(inputs), targets.shape[1] > len(inputs)
        products = (targets @ targets.T) @ inputs if wide else targets @ (targets.T @ inputs)
        units, sizes = constraints.units, constraints.units.sizes
        self._places = [np.flatnonzero(sizes == size) for size in np.unique(sizes)]
        self._columns = [np.array([units[int(unit)] for unit in same]) for same in self._places]
        self._own, self._all = (
            [np.einsum("num,nuk->umk", inputs[:, c], table[:, c]) for c in self._columns]
            for table in (inputs, products)
        )
        self._own = [own + ridge * np.eye(own.shape[1]) for own in self._own]
        self._smallest = _SHORTEST * float(np.square(inputs).sum(0).max(initial=0.0))
        self._basis = np.zeros((n_rows, 0))  # then rows of the penalty

    def gains(self) -> Floats:
        """Return how much every unit explains in addition. Shape: -> (units,)."""
        gains = np.zeros(sum(map(len, self._places)))
        for places, own, every in zip(self._places, self._own, self._all, strict=True):
            sizes, directions = np.linalg.eigh(own)
            along = np.einsum("umi,umk,uki->ui", directions, every, directions, optimize=True)
            usable = sizes > self._smallest
            gains[places] = np.where(usable, along / np.where(usable, sizes, 1), 0).sum(1)
        return gains

    def remove(self, columns: Integers) -> None:
        """Remove what these columns explain from the residuals."""
        n_rows = len(self._inputs)
        before, basis = self._basis[:n_rows], self._directions(columns)
        new = basis[:n_rows, before.shape[1] :]
        on_new, of_targets = self._inputs.T @ new, self._targets.T @ new
        again = self._targets @ of_targets
        products = self._inputs.T @ (again - before @ (before.T @ again))
        inner = of_targets.T @ of_targets
        for place, each in enumerate(self._columns):
            a, b = on_new[each], products[each]
            crossed = a @ b.swapaxes(1, 2)
            self._own[place] = self._own[place] - a @ a.swapaxes(1, 2)
            self._all[place] = (
                self._all[place] - crossed - crossed.swapaxes(1, 2) + a @ inner @ a.swapaxes(1, 2)
            )
        self._basis = basis

    def _directions(self, columns: Integers) -> Floats:
        """Return the basis with orthonormal directions of what is left of some columns."""
        n_new = len(columns)
        n_before = len(self._basis) - len(self._inputs)
        basis = np.pad(self._basis, ((0, n_new), (0, 0)))
        penalty = np.pad(np.sqrt(self._ridge) * np.eye(n_new), ((n_before, 0), (0, 0)))
        rest = np.vstack([self._inputs[:, columns], penalty])
        for _ in range(2):  # again, for rounding errors
            rest = rest - basis @ (basis.T @ rest)
        directions, lengths, _ = np.linalg.svd(rest, full_matrices=False)
        return np.hstack([basis, directions[:, np.square(lengths) > self._smallest]])
