"""Moderated standard deviations, shrunk toward a common value."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, polygamma

from ipcae.arrays import Floats, Integers


def moderated_deviations(inputs: Floats, classes: Integers | None = None) -> Floats:
    """Return the standard deviation of every column within the classes, shrunk to a common value.

    s̃² = (d₀ s₀² + d s²) / (d₀ + d) with d = N − C degrees of freedom. The prior s₀² and its degrees
    of freedom d₀ are estimated from how much log s² varies between the columns (Smyth, 2004). If
    it varies no more than by chance, all columns have the same s̃; if columns differ, s̃ ≈ s. With
    few rows, this removes the columns that look good because their s is small by accident.
    Constant columns get infinity.

    Shape: (N, D), (N,) -> (D,).

    >>> random = np.random.default_rng(0)
    >>> alike = moderated_deviations(random.normal(size=(10, 500)))
    >>> unlike = moderated_deviations(random.normal(size=(10, 500)) * np.geomspace(1, 1e6, 500))
    >>> bool(alike.std() / alike.mean() < 0.05), bool(unlike.max() / unlike.min() > 1e5)
    (True, True)
    """
    if classes is None:
        classes = np.zeros(len(inputs), dtype=np.int64)
    variance, freedom = _within(inputs, classes)
    deviations = np.full(inputs.shape[1], np.inf)
    varying = variance > 1e-24 * max(float(np.square(inputs).max(initial=0.0)), 1e-280)
    if not varying.any() or freedom < 1:
        varying = inputs.std(0) > 0
        deviations[varying] = inputs[:, varying].std(0)
        return deviations
    variance = variance[varying]
    prior, prior_freedom = _prior(np.log(variance), freedom)
    if np.isinf(prior_freedom):
        deviations[varying] = np.sqrt(prior)
    else:
        total = prior_freedom * prior + freedom * variance
        deviations[varying] = np.sqrt(total / (prior_freedom + freedom))
    return deviations


def _within(inputs: Floats, classes: Integers) -> tuple[Floats, int]:
    """Return the variance within classes, and its degrees of freedom. Shape: -> (D,)."""
    labels = np.unique(classes)
    total = np.zeros(inputs.shape[1])
    for label in labels:
        rows = inputs[classes == label]
        total += np.square(rows - rows.mean(0)).sum(0)
    freedom = len(inputs) - len(labels)
    return total / max(freedom, 1), freedom


def _prior(logs: Floats, freedom: int) -> tuple[float, float]:
    """Return s₀² and d₀ by the moments of log s². Shape: logs (D,)."""
    half = freedom / 2
    expected = logs - digamma(half) + np.log(half)
    excess = float(expected.var(ddof=1)) - float(polygamma(1, half)) if len(logs) > 1 else 0.0
    if excess <= 1e-8:
        return float(np.exp(expected.mean())), np.inf
    # The trigamma function falls from infinity to zero.
    prior_half = float(np.exp(brentq(lambda x: polygamma(1, np.exp(x)) - excess, -25.0, 25.0)))
    return float(np.exp(expected.mean() + digamma(prior_half) - np.log(prior_half))), 2 * prior_half
