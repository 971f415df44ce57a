"""Stored results of a cell: metrics of every run in long format, and curves over the epochs."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One metric of one run. ``seconds`` is the time of the whole cell."""

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
        """The key of the cell."""
        return self[:4]

    @classmethod
    def read(cls, columns: list[str]) -> Row:
        """Parse a line of a results file."""
        *key, run, metric, value, version, device, seconds = columns
        return cls(*key, int(run), metric, float(value), version, device, float(seconds))


class Curve(NamedTuple):
    """A metric over the epochs: mean or standard deviation over the runs, or one run.

    ``values`` are those after epochs step, 2 step, 3 step, …
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
        """The key of the cell."""
        return self[:4]

    @property
    def of_one_run(self) -> bool:
        """Whether it is the curve of a single run."""
        return self.statistic.startswith("run")

    @classmethod
    def read(cls, columns: list[str]) -> Curve:
        """Parse a line of a curves file."""
        *names, step, values = columns
        return cls(*names, int(step), tuple(float(value) for value in values.split()))
