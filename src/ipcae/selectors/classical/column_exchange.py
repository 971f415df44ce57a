"""Exchange columns of a subset for others that explain more of a table."""

from __future__ import annotations

import numpy as np

from ipcae.arrays import Floats
from ipcae.selectors.classical.column_residuals import squared_products

_MOST_WORK = 2e10  # multiply-adds; a few seconds
_LEAST_GAIN = 1e-6  # of the sum of squares of all columns
_SHORTEST = 1e-10  # a residual that is shorter, relative to the longest column, is rounding error


def exchange_columns(inputs: Floats, columns: list[int]) -> tuple[list[int], Floats, Floats]:
    """Exchange one column at a time, as long as the subset then explains more of all columns.

    Every step makes the best of all exchanges. For large tables, their number is limited. Also
    returns the sum of squares that each column of the subset explains beyond the others, and the
    one that any other column would explain in addition.

    Shape: inputs (N, D), centered -> K columns, (K,), (D,).

    >>> inputs = np.array([[3.0, 3.0, 0.0], [3.0, 1.0, 2.0], [-3.0, -3.0, 0.0], [-3.0, -1.0, -2.0]])
    >>> exchange_columns(inputs, [2])[0]
    [0]
    """
    regression = ColumnRegression(inputs, columns)
    steps = int(_MOST_WORK / (5 * len(columns) ** 2 * inputs.shape[1]))
    for _ in range(min(steps, 4 * len(columns))):
        gains = regression.gains_in_each_place()
        better = gains - regression.own(gains)[:, None]
        better[:, regression.columns] = 0
        place, column = np.unravel_index(better.argmax(), better.shape)
        if better[place, column] <= _LEAST_GAIN * regression.total:
            break
        regression.replace(int(place), int(column))
    own = regression.own(regression.gains_in_each_place())
    return regression.columns, own, regression.gains()


class ColumnRegression:
    """The linear regression of all columns of a table on a subset S of them.

    With G = XᵀX and the coefficients P = G_SS⁻¹ G_S, the products of the residuals are
    C = G - Pᵀ G_S, and a column d explains ‖C_d‖² / C_dd of the residuals' sum of squares. Without
    column i of S, the products are C + v vᵀ / a, where v is row i of P, and a the element i, i of
    G_SS⁻¹. Neither G nor C is formed: the rows S of G and of G² are enough.

    Shape: inputs (N, D), centered.
    """

    def __init__(self, inputs: Floats, columns: list[int]):
        self.columns = list(columns)
        self._inputs = inputs
        self._lengths, self._squares = np.square(inputs).sum(0), squared_products(inputs)
        self.total = float(self._lengths.sum())
        self._rows, self._second = self._products(self.columns)

    def replace(self, place: int, column: int) -> None:
        """Put another column into a place of the subset."""
        self.columns[place] = column
        self._rows[place], self._second[place] = (rows[0] for rows in self._products([column]))

    def gains(self) -> Floats:
        """Return what every column explains in addition to the subset. Shape: -> (D,)."""
        _, coefficients, second = self._solved()
        return self._ratio(*self._residuals(coefficients, second))

    def gains_in_each_place(self) -> Floats:
        """Return what every column explains in the place of each of S. Shape: -> (K, D)."""
        inverse, coefficients, second = self._solved()
        lengths, squares = self._residuals(coefficients, second)
        scaled = coefficients / np.diag(inverse)[:, None]
        along = second - (coefficients @ self._rows.T) @ coefficients
        sizes = np.square(coefficients).sum(1, keepdims=True)
        return self._ratio(
            lengths + coefficients * scaled, squares + 2 * along * scaled + sizes * scaled**2
        )

    def own(self, gains: Floats) -> Floats:
        """Return what every column of the subset explains in its place. Shape: (K, D) -> (K,)."""
        return gains[np.arange(len(self.columns)), self.columns]

    def _products(self, columns: list[int]) -> tuple[Floats, Floats]:
        """Return rows of G and of G². Shape: -> (F, D), (F, D)."""
        rows = self._inputs[:, columns].T @ self._inputs
        return rows, (rows @ self._inputs.T) @ self._inputs

    def _solved(self) -> tuple[Floats, Floats, Floats]:
        """Return G_SS⁻¹ and its products with the rows of G and of G²."""
        own = self._rows[:, self.columns]
        inverse = np.asarray(np.linalg.pinv(own, _SHORTEST, hermitian=True), dtype=np.float64)
        return inverse, inverse @ self._rows, inverse @ self._second

    def _residuals(self, coefficients: Floats, second: Floats) -> tuple[Floats, Floats]:
        """Return C_dd and ‖C_d‖² of every column d. Shape: (K, D), (K, D) -> (D,), (D,)."""
        lengths = self._lengths - (coefficients * self._rows).sum(0)
        inner = coefficients @ coefficients.T
        return lengths, self._squares + ((inner @ self._rows - 2 * second) * self._rows).sum(0)

    def _ratio(self, lengths: Floats, squares: Floats) -> Floats:
        usable = lengths > _SHORTEST * self._lengths.max(initial=0.0)
        return np.where(usable, np.maximum(squares, 0) / np.where(usable, lengths, 1), 0)
