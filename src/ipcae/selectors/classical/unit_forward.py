"""Add units within constraints, each the one that explains most of what is left of a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Floats, Integers
from ipcae.constraints import Constraints

_SHORTEST = 1e-10  # a residual that is shorter, relative to the longest column, is rounding error
_CHEAPEST = 1e-9  # of the largest cost, for units that are free


def added_units(inputs: Floats, constraints: Constraints, n_selected: int) -> list[int]:
    """Add the unit that explains most of what the others leave, or most per cost, until none fits.

    The included units come first. Within a budget, both are tried, and what explains more is
    returned.

    Shape: inputs (N, D), centered.

    >>> inputs = np.random.default_rng(0).normal(size=(99, 2)).repeat(2, axis=1)
    >>> added_units(inputs, Constraints(4, groups=((0, 1), (2, 3))), n_selected=2)
    [0, 1]
    """
    costs = constraints.cost_of_units
    prices = [np.ones(len(costs))]
    if constraints.binds(n_selected):
        prices.append(np.maximum(costs, _CHEAPEST * costs.max()))
    found = [_added(inputs, constraints, n_selected, price) for price in prices]
    return max(found, key=lambda one: one[1])[0]


def _added(
    inputs: Floats, constraints: Constraints, n_selected: int, price: Floats
) -> tuple[list[int], float]:
    """Return the units, and how much they explain."""
    left = UnitResiduals(inputs, constraints)
    units = constraints.included_units.tolist()
    left.remove(constraints.columns(units))
    while len(units) < n_selected and len(fitting := constraints.fitting(units)):
        gains = left.gains()[fitting] / price[fitting]
        if gains.max() <= 0:
            break
        units.append(int(fitting[gains.argmax()]))
        left.remove(constraints.columns(units[-1:]))
    return units, left.explained


class UnitResiduals:
    """What a linear regression on some columns Q leaves of every unit of a table.

    With the residuals R of a unit's columns, G = Rᵀ R and H = Rᵀ X Xᵀ R, the unit explains tr(G⁺ H)
    of the table's sum of squares in addition. Removing a direction from the residuals changes G and
    H by products of vectors, so that the residuals of the table are not needed.

    Shape: inputs (N, D), centered.
    """

    def __init__(self, inputs: Floats, constraints: Constraints):
        self._inputs, self.explained = inputs, 0.0
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
        self.explained += float(np.trace(inner))
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
