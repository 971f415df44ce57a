"""How well a kernel classifier separates classes in leave-one-out predictions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipcae.arrays import Floats, Integers
from ipcae.ridge import indicators

_WIDTH, _RIDGE, _SLOPE, _SOFTNESS = 0.3, 1e-4, 0.1, 0.1


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """A ridge regression of the classes on Gaussian kernels at a few rows, and on the columns.

    All classes have the same total weight. The prediction for a row without that row follows from
    the hat matrix H: (f − H y) / (1 − H), with H its diagonal element.

    Shape: inputs (N, D), scaled; classes and weights (N,); landmarks (L,), rows at which there are
    kernels.
    """

    inputs: Floats
    classes: Integers
    weights: Floats
    landmarks: Integers

    @classmethod
    def of(cls, inputs: Floats, classes: Integers, per_class: int = 20) -> LeaveOneOut:
        """Center and scale the columns, and draw the landmarks, some rows of every class.

        A column is divided by the root of its variance plus the mean variance, so that columns that
        hardly vary do not count as much as others. Classes are numbers from 0.
        """
        random = np.random.default_rng(0)
        members = [np.flatnonzero(classes == c) for c in range(int(classes.max()) + 1)]
        landmarks = [random.choice(own, min(per_class, len(own)), replace=False) for own in members]
        variance = inputs.var(0)
        scaled = (inputs - inputs.mean(0)) / np.sqrt(variance + max(float(variance.mean()), 1e-300))
        weights = 1.0 / np.bincount(classes)[classes]
        return cls(scaled, classes, weights / weights.sum(), np.concatenate(landmarks))

    def recall(self, columns: Integers) -> float:
        """Return the mean over the classes of how clearly their rows are separated from the others.

        A row counts σ(m / 0.1), where m is the margin of its class: a smooth version of the mean
        recall.

        >>> inputs = np.arange(40.0)[:, None] % 4 + np.zeros((40, 2))
        >>> classes = np.arange(40) % 4 // 2
        >>> LeaveOneOut.of(inputs, classes).recall(np.array([0])) > 0.95
        True
        """
        own = self.inputs[:, columns]
        marks = own[self.landmarks]
        distances = np.square(own).sum(1)[:, None] + np.square(marks).sum(1) - 2 * own @ marks.T
        kernels = np.exp(-_WIDTH / len(columns) * distances)
        table = np.hstack([kernels, np.ones((len(own), 1)), _SLOPE * own])
        weighted = self.weights[:, None] * table
        products = table.T @ weighted
        products.flat[:: len(products) + 1] += _RIDGE
        solved = np.linalg.solve(products, table.T).T
        targets = indicators(self.classes)
        hat = ((solved * table).sum(1) * self.weights)[:, None]
        without = (solved @ (weighted.T @ targets) - hat * targets) / np.maximum(1 - hat, 1e-6)
        rows = np.arange(len(own))
        true = without[rows, self.classes]
        without[rows, self.classes] = -np.inf
        margins = (true - without.max(1)) / _SOFTNESS
        return float(self.weights @ (1 / (1 + np.exp(-np.clip(margins, -50, 50)))))
