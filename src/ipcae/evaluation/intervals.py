"""Confidence intervals of metrics, from their standard errors by resampling the rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtr, stdtrit
from torch import Tensor

from ipcae.arrays import Floats
from ipcae.tasks import METRICS, Task

LEVEL = 0.95
MOST_RESAMPLES, FEWEST_RESAMPLES = 1000, 200
_MOST_VALUES = 3e7
_VALUES_AT_ONCE = 4e6
_ROUNDING = 1e-18
_OF_ERRORS = ("log_loss", "brier_score")

Interval = tuple[float, float]


def bootstrap_intervals(
    task: Task, outputs: Tensor, targets: Tensor, *, groups: Any = None, seed: int = 0
) -> dict[str, Interval]:
    """Return a 95 % confidence interval of every metric of a task, for the given outputs.

    The standard errors come from up to 1,000 resamples of the rows. With ``groups``, whole groups
    of rows are resampled. A metric between 0 and 1, such as accuracy, gets the interval of a
    proportion with this standard error (:func:`fraction_interval`), so that a perfect score has an
    interval, too. Others are symmetric on the scale of the logarithm: R² on that of log(1 − R²).

    The intervals describe the uncertainty due to the number of rows; they do not include that of
    the training. With few rows, those of losses are too narrow if single rows dominate the mean.
    If all rows are classified correctly, the log loss and the Brier score have no interval: how
    large they are depends on errors that are not among these rows.

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
    members = np.arange(n_rows) if groups is None else np.unique(groups, return_inverse=True)[1]
    n_units = int(members.max()) + 1
    if n_units < 2 or not bool(outputs.isfinite().all()):
        return {}
    affordable = int(_MOST_VALUES / n_rows / width)
    n_resamples = min(max(affordable, FEWEST_RESAMPLES), MOST_RESAMPLES)
    at_once = max(int(_VALUES_AT_ONCE / n_rows), 1)
    random, equally = np.random.default_rng(seed), np.full(n_units, 1 / n_units)
    parts = [
        task.resampled(
            outputs,
            targets,
            random.multinomial(n_units, equally, size=size).astype(np.float64)[:, members],
        )
        for size in _sizes(n_resamples, at_once)
    ]
    found = task.resampled(outputs, targets, np.ones((1, n_rows)))
    sizes = task.effective_sizes(targets)
    intervals: dict[str, Interval] = {}
    for name in found:
        values = np.concatenate([part[name] for part in parts])
        values, value = values[np.isfinite(values)], float(found[name][0])
        if len(values) > 1 and math.isfinite(value):
            size = sizes.get(name, n_rows)
            intervals[name] = _interval(name, value, values, n_units, size, n_rows)
    if "accuracy" in found and found["accuracy"][0] == 1:
        intervals = {name: each for name, each in intervals.items() if name not in _OF_ERRORS}
    return intervals


def _interval(
    name: str, value: float, values: Floats, n_units: int, size: float, n_rows: int
) -> Interval:
    """Return the interval of a metric, given its values in the resamples."""
    metric = METRICS[name]
    # Quantile and factor correct for standard errors that are estimated from few units.
    quantile = float(stdtrit(n_units - 1, (1 + LEVEL) / 2))
    factor = n_units / (n_units - 1)
    if (metric.lowest, metric.highest) == (0, 1):
        variance = factor * float(values.var())
        if variance > _ROUNDING:
            size = min(size, value * (1 - value) / variance)
        else:  # nothing is known of how similar the rows of a group are
            size *= n_units / n_rows
        return fraction_interval(value, size, quantile)
    bound = metric.lowest if math.isfinite(metric.lowest) else metric.highest
    distances = np.abs(values - bound)
    if value == bound or not (distances > 0).any():
        return value, value
    error = math.sqrt(factor) * float(np.log(distances[distances > 0]).std())
    ends = (bound + (value - bound) * math.exp(sign * quantile * error) for sign in (-1, 1))
    low, high = sorted(ends)
    return max(low, metric.lowest), min(high, metric.highest)


def fraction_interval(value: float, size: float, quantile: float) -> Interval:
    """Return Jeffreys' interval of a proportion of ``size`` rows.

    The ends are quantiles of a beta distribution, at the probabilities of a normal distribution
    beyond ± ``quantile``; the interval of 0 begins at 0, and that of 1 ends at 1.

    >>> low, high = fraction_interval(0.8, 100, 1.96)
    >>> round(low, 3), round(high, 3)
    (0.714, 0.869)
    >>> low, high = fraction_interval(1.0, 60, 1.96)
    >>> round(low, 3), high
    (0.959, 1.0)
    """
    tail, right = ndtr(-quantile), value * size
    low, high = (
        float(betaincinv(right + 0.5, size - right + 0.5, probability))
        for probability in (tail, 1 - tail)
    )
    return (0.0 if value == 0 else min(low, value)), (1.0 if value == 1 else max(high, value))


def _sizes(total: int, most: int) -> list[int]:
    return [min(most, total - start) for start in range(0, total, most)]
