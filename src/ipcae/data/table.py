"""A data set as published."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Booleans, Integers
from ipcae.data.dataset import Dataset


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """All rows of a data set, unscaled, in the order of its files.

    Parameters
    ----------
    dataset : Dataset
        Entry of the data set.
    X : float32 array of shape (n_rows, n_features)
        Values as published; missing values are NaN.
    y : int64 array of shape (n_rows,)
        Classes, from 0, even if the source counts from 1.
    feature_names, class_names : tuple of str, optional
        Names, if the source has them. Feature names are unique; class names are ordered as `y`.
    is_test : bool array of shape (n_rows,), optional
        The rows of the official test set, if there is one.
    groups : int64 array of shape (n_rows,), optional
        Rows with the same number were measured on the same person or animal. To evaluate
        generalization to new ones, a split must keep these rows together.

    See Also
    --------
    data.load : Load it.
    data.Split : Its rows in three parts, scaled.

    Examples
    --------
    >>> from ipcae.data import CATALOGUE
    >>> table = Table(CATALOGUE["isolet"], np.zeros((2, 617), np.float32), np.array([0, 1]))
    >>> table.X.shape, table.groups
    ((2, 617), None)
    """

    dataset: Dataset
    X: NDArray[np.float32]
    y: Integers
    feature_names: tuple[str, ...] | None = None
    class_names: tuple[str, ...] | None = None
    is_test: Booleans | None = None
    groups: Integers | None = None

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        return f"Table({self.dataset.name}: {rows} rows, {columns} features)"
