"""Grids, for features that are the pixels of an image in row-major order."""

from __future__ import annotations

from ipcae.errors import InputError

Grid = tuple[int, int]


def check_grid(grid: Grid | None, n_features: int) -> Grid | None:
    """Raise an error if the size of the grid differs from the number of features.

    >>> check_grid((8, 8), 64)
    (8, 8)
    """
    if grid is None:
        return None
    shape = tuple(int(side) for side in grid)
    if len(shape) != 2 or shape[0] * shape[1] != n_features:
        raise InputError(
            f"grid={grid!r} does not fit {n_features} features: expected (rows, columns) with "
            f"rows × columns = {n_features}."
        )
    return shape[0], shape[1]
