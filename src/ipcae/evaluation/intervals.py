"""Confidence intervals of metrics, by resampling the rows."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from ipcae.tasks import METRICS, Task

LEVEL = 0.95
MOST_RESAMPLES, FEWEST_RESAMPLES = 1000, 200
_MOST_VALUES = 3e7
_VALUES_AT_ONCE = 4e6

Interval = tuple[float, float]


def bootstrap_intervals(
    task: Task, outputs: Tensor, targets: Tensor, *, seed: int = 0
) -> dict[str, Interval]:
    """Return the bootstrap percentile interval of every metric of a task.

    The rows are drawn with replacement, up to 1,000 times. The intervals describe the
    uncertainty due to the number of rows; they do not include that of the training. Repeated rows
    vary less, which lowers R²: an interval that would not contain the metric is moved by this bias.

    >>> import numpy as np, torch
    >>> from ipcae.tasks import Classification
    >>> outputs = torch.tensor([[1.0, 0.0], [0.0, 1.0]], dtype=torch.float64).repeat(50, 1)
    >>> wrong_at_times = torch.tensor([0, 1] * 40 + [1, 0] * 10)
    >>> low, high = bootstrap_intervals(Classification(np.arange(2)), outputs, wrong_at_times)[
    ...     "accuracy"
    ... ]
    >>> 0.7 < low < 0.8 < high < 0.9
    True
    """
    n_rows, width = len(outputs), max(outputs[0].numel(), 1)
    if n_rows < 2 or not bool(outputs.isfinite().all()):
        return {}
    affordable = int(_MOST_VALUES / n_rows / width)
    n_resamples = min(max(affordable, FEWEST_RESAMPLES), MOST_RESAMPLES)
    at_once = max(int(_VALUES_AT_ONCE / n_rows), 1)
    random, equally = np.random.default_rng(seed), np.full(n_rows, 1 / n_rows)
    parts = [
        task.resampled(
            outputs, targets, random.multinomial(n_rows, equally, size=size).astype(np.float64)
        )
        for size in _sizes(n_resamples, at_once)
    ]
    tails = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
    once = task.resampled(outputs, targets, np.ones((1, n_rows)))
    intervals: dict[str, Interval] = {}
    for name in parts[0]:
        values = np.concatenate([part[name] for part in parts])
        values = values[np.isfinite(values)]
        if len(values):
            low, middle, high = np.quantile(values, (tails[0], 0.5, tails[1])).tolist()
            metric = float(once[name][0])
            if np.isfinite(metric) and not low <= metric <= high:
                low, high = low + metric - middle, high + metric - middle
            intervals[name] = _not_certain(name, low, high, n_rows)
    return intervals


def _not_certain(name: str, low: float, high: float, n_rows: int) -> Interval:
    """Widen the interval of a fraction that is 0 or 1 in all resamples, by the rule of three.

    >>> _not_certain("accuracy", 1.0, 1.0, 60)
    (0.95, 1.0)
    """
    if METRICS[name].style != "percent":
        return low, high
    margin = min(3 / n_rows, 1.0)
    return (1 - margin, high) if low == 1 else (low, margin) if high == 0 else (low, high)


def _sizes(total: int, most: int) -> list[int]:
    return [min(most, total - start) for start in range(0, total, most)]
