"""Add units within constraints, each the one that explains most of what is left of a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Floats, Integers
from ipcae.constraints import Constraints

_SHORTEST = 1e-10  # a residual that is shorter, relative to the longest column, is rounding error
_CHEAPEST = 1e-9  # of the largest cost, for units that are free


def added_units(inputs: Floats, constraints: Constraints, n_selected: int) -> list[list[int]]:
    """Add the unit that explains most of what the others leave, until none fits.

    The included units come first. Within a budget, there is a second list, of the units that
    explain most per cost. Shape: inputs (N, D), centered.

    >>> inputs = np.random.default_rng(0).normal(size=(99, 2)).repeat(2, axis=1)
    >>> added_units(inputs, Constraints(4, groups=((0, 1), (2, 3))), n_selected=2)
    [[0, 1]]
    """
    costs = constraints.cost_of_units
    prices = [np.ones(len(costs))]
    if constraints.binds(n_selected):
        prices.append(np.maximum(costs, _CHEAPEST * costs.max()))
    return [_added(inputs, constraints, n_selected, price) for price in prices]


def _added(inputs: Floats, constraints: Constraints, n_selected: int, price: Floats) -> list[int]:
    left = UnitResiduals(inputs, constraints)
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
    """What a linear regression on some columns Q leaves of every unit of a table.

    With the residuals R of a unit's columns, G = Rᵀ R and H = Rᵀ X Xᵀ R, the unit explains tr(G⁺ H)
    of the table's sum of squares in addition. Removing a direction from the residuals changes G and
    H by products of vectors, so that the residuals of the table are not needed.

    Shape: inputs (N, D), centered.
    """

    def __init__(self, inputs: Floats, constraints: Constraints):
        self._inputs = inputs
        n_rows, n_columns = inputs.shape
        wide = n_columns > n_rows
        products = (inputs @ inputs.T) @ inputs if wide else inputs @ (inputs.T @ inputs)
        units, sizes = constraints.units, constraints.units.sizes
        self._places = [np.flatnonzero(sizes == size) for size in np.unique(sizes)]
        self._columns = [np.array([units[int(unit)] for unit in same]) for same in self._places]
        self._own, self._all = (
            [np.einsum("num,nuk->umk", inputs[:, c], table[:, c]) for c in self._columns]
            for table in (inputs, products)
        )
        self._smallest = _SHORTEST * float(np.square(inputs).sum(0).max(initial=0.0))
        self._basis = np.zeros((n_rows, 0))

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
        new = self._directions(columns)
        on_new = self._inputs.T @ new
        again = self._inputs @ on_new
        products = self._inputs.T @ again - self._inputs.T @ self._basis @ (self._basis.T @ again)
        inner = on_new.T @ on_new
        for place, each in enumerate(self._columns):
            a, b = on_new[each], products[each]
            crossed = a @ b.swapaxes(1, 2)
            self._own[place] = self._own[place] - a @ a.swapaxes(1, 2)
            self._all[place] = (
                self._all[place] - crossed - crossed.swapaxes(1, 2) + a @ inner @ a.swapaxes(1, 2)
            )
        self._basis = np.hstack([self._basis, new])

    def _directions(self, columns: Integers) -> NDArray[np.float64]:
        """Return orthonormal directions of what is left of some columns. Shape: -> (N, r)."""
        rest = self._inputs[:, columns]
        for _ in range(2):  # again, for rounding errors
            rest = rest - self._basis @ (self._basis.T @ rest)
        directions, lengths, _ = np.linalg.svd(rest, full_matrices=False)
        return np.asarray(directions[:, np.square(lengths) > self._smallest])
