"""Look up metrics and curves of cells."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from paper.cell import Cell
from paper.records import Curve, Row

Key = tuple[str, str, str, str]


class Results:
    """All stored results, by cell."""

    def __init__(self, rows: Iterable[Row], curves: Iterable[Curve] = ()):
        self._values: dict[tuple[Key, str], dict[int, float]] = defaultdict(dict)
        self._seconds: dict[Key, float] = {}
        self._origin: dict[Key, tuple[str, str]] = {}
        for row in rows:
            self._values[row.key, row.metric][row.run] = row.value
            self._seconds[row.key] = row.seconds
            self._origin[row.key] = (row.version, row.device)
        self._curves = {(c.key, c.metric, c.statistic): c for c in curves}

    def has(self, cell: Cell) -> bool:
        """Return whether the cell is finished."""
        return all(cell.key(setting) in self._seconds for setting in cell.settings)

    def values(self, cell: Cell, metric: str) -> NDArray[np.float64]:
        """Return a metric of every run; with a grid, of the chosen setting."""
        of_runs = self._values.get((cell.key(self.chosen(cell)), metric), {})
        return np.array([of_runs[run] for run in sorted(of_runs)])

    def test(self, cell: Cell) -> NDArray[np.float64]:
        """Return the metric that the paper reports, for every run."""
        return self.values(cell, f"test_{cell.metric}")

    def chosen(self, cell: Cell) -> str:
        """Return the setting with the lowest mean validation loss."""

        def loss(setting: str) -> float:
            losses = self._values.get((cell.key(setting), "validation_loss"), {})
            return float(np.mean([*losses.values()])) if losses else np.inf

        return min(cell.settings, key=loss) if len(cell.settings) > 1 else cell.settings[0]

    def curve(
        self, cell: Cell, metric: str, statistic: str = "mean"
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return epochs, counted from 1, and values."""
        found = self._curves[cell.key(self.chosen(cell)), metric, statistic]
        return found.step * np.arange(1.0, 1 + len(found.values)), np.array(found.values)

    def seconds(self, cell: Cell) -> float:
        """Return the training time of a cell."""
        return sum(self._seconds.get(cell.key(setting), 0.0) for setting in cell.settings)

    def origins(self, cells: Iterable[Cell]) -> set[tuple[str, str]]:
        """Return the code versions and devices of the results."""
        keys = {cell.key(setting) for cell in cells for setting in cell.settings}
        return {self._origin[key] for key in keys if key in self._origin}
