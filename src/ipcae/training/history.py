"""The metrics of every epoch, in long format."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Columns = dict[str, NDArray[np.generic]]


class History:
    """Rows of (run, epoch, phase, metric, value).

    >>> from ipcae.training.phases import Phase
    >>> history = History()
    >>> history.add(0, Phase.SELECTING, "validation_loss", [0, 1], [0.5, 0.25])
    >>> history.columns()["value"]
    array([0.5 , 0.25])
    """

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, str, str, float]] = []

    def add(
        self,
        epoch: int,
        phase: str,
        metric: str,
        runs: Sequence[int],
        values: Sequence[float],
    ) -> None:
        """Add the values of one metric for some runs."""
        phase = str(phase)
        self._rows.extend(
            (run, epoch, phase, metric, value) for run, value in zip(runs, values, strict=True)
        )

    @property
    def n_epochs(self) -> int:
        """The number of epochs so far."""
        return 1 + max((epoch for _, epoch, *_ in self._rows), default=-1)

    def extend(self, other: History) -> None:
        """Append the history of a later phase, and continue the numbering of the epochs."""
        offset = self.n_epochs
        self._rows.extend((r, e + offset, p, m, v) for r, e, p, m, v in other._rows)

    def of_runs(self, runs: Sequence[int]) -> History:
        """Return the history of some runs, renumbered in this order."""
        number = {run: i for i, run in enumerate(runs)}
        chosen = History()
        chosen._rows = [(number[r], e, p, m, v) for r, e, p, m, v in self._rows if r in number]
        return chosen

    def add_runs(self, other: History, runs: Sequence[int]) -> None:
        """Add the history of other runs, which get these numbers.

        >>> history, other = History(), History()
        >>> other.add(0, "selecting", "validation_loss", [0, 1], [0.5, 0.25])
        >>> history.add_runs(other, [4, 2])
        >>> history.columns()["run"].tolist()
        [4, 2]
        """
        self._rows.extend((runs[r], e, p, m, v) for r, e, p, m, v in other._rows)

    def columns(self) -> Columns:
        """Return five arrays of equal length, such as ``pandas.DataFrame`` accepts."""
        columns = zip(*self._rows, strict=True) if self._rows else ((),) * 5
        run, epoch, phase, metric, value = columns
        return {
            "run": np.array(run, dtype=np.int64),
            "epoch": np.array(epoch, dtype=np.int64),
            "phase": np.array(phase, dtype=object),
            "metric": np.array(metric, dtype=object),
            "value": np.array(value, dtype=np.float64),
        }


def curve(history: Columns, metric: str, run: int) -> NDArray[np.float64]:
    """Return the values of one metric of one run, ordered by epoch."""
    wanted = (history["metric"] == metric) & (history["run"] == run)
    return history["value"][wanted].astype(np.float64)
