"""The metrics of every epoch, in long format."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Floats
from ipcae.training.phases import Phase

HistoryColumns = dict[str, NDArray[np.generic]]


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
        self, epoch: int, phase: str, metric: str, runs: Sequence[int], values: Sequence[float]
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

    def sort(self) -> None:
        """Order the rows by epoch, metric and run, as a common training adds them."""
        metrics = list(dict.fromkeys(metric for *_, metric, _ in self._rows))
        self._rows.sort(key=lambda row: (row[1], metrics.index(row[3]), row[0]))

    def starts(self) -> dict[str, int]:
        """Return the first epoch of every phase, in the order of the phases."""
        first: dict[str, int] = {}
        for _, epoch, phase, *_ in self._rows:
            first.setdefault(phase, epoch)
        return first

    def columns(self) -> HistoryColumns:
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


def aligned_phases(histories: Sequence[History]) -> list[History]:
    """Let every phase begin after the longest of the previous one, as in a common training.

    >>> short, long = History(), History()
    >>> for history, n_epochs in ((short, 1), (long, 2)):
    ...     for phase, first in (("selecting", 0), ("fine-tuning", n_epochs)):
    ...         for epoch in range(n_epochs):
    ...             history.add(first + epoch, phase, "loss", [0], [0.5])
    >>> aligned_phases([short, long])[0].columns()["epoch"].tolist()
    [0, 2]
    """
    starts = [history.starts() for history in histories]
    order = sorted({phase for own in starts for phase in own}, key=[*Phase].index)
    aligned, start = [History() for _ in histories], 0
    for phase in order:
        longest = 0
        for history, own, result in zip(histories, starts, aligned, strict=True):
            rows = [row for row in history._rows if row[2] == phase]
            result._rows.extend((r, e - own[phase] + start, p, m, v) for r, e, p, m, v in rows)
            longest = max([longest, *(e - own[phase] + 1 for _, e, *_ in rows)])
        start += longest
    return aligned


def curve(history: HistoryColumns, metric: str, run: int) -> Floats:
    """Return the values of one metric of one run, ordered by epoch."""
    wanted = (history["metric"] == metric) & (history["run"] == run)
    return history["value"][wanted].astype(np.float64)
