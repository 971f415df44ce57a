"""What is kept of a cell: figures of every run in long format, and curves over the epochs."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One figure of one run. ``seconds`` is the time of the whole cell, all runs together."""

    dataset: str
    task: str
    method: str
    setting: str
    run: int
    metric: str
    value: float
    version: str
    device: str
    seconds: float

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What identifies the results it belongs to."""
        return self[:4]

    @classmethod
    def read(cls, columns: list[str]) -> Row:
        """Parse a line of a results file."""
        *key, run, metric, value, version, device, seconds = columns
        return cls(*key, int(run), metric, float(value), version, device, float(seconds))


class Curve(NamedTuple):
    """One figure over the epochs: the mean or standard deviation over the runs, or one run's.

    ``values`` belong to the epochs step, 2 step, 3 step, … counted from 1.
    """

    dataset: str
    task: str
    method: str
    setting: str
    metric: str
    statistic: str
    step: int
    values: tuple[float, ...]

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What identifies the results it belongs to."""
        return self[:4]

    @property
    def of_one_run(self) -> bool:
        """Whether it is not a statistic of all runs."""
        return self.statistic.startswith("run")

    @classmethod
    def read(cls, columns: list[str]) -> Curve:
        """Parse a line of a curves file."""
        *names, step, values = columns
        return cls(*names, int(step), tuple(float(value) for value in values.split()))
