"""Forward selection with two objectives: the classes, and all columns."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from ipcae.arrays import Floats, Integers
from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.column_residuals import ColumnResiduals, add_one_by_one
from ipcae.selectors.classical.examples import needed_classes

_TINY = 1e-12


@dataclass(frozen=True)
class PanelForward(Ranking):
    """Repeatedly add the feature that most reduces the loss of linear models.

    One model is a logistic regression of the classes, the other a linear regression of all columns.
    Both read the features added so far. The gain of a feature is the weighted mean of the variance
    of the columns that it explains and of the decrease of the cross-entropy by a Newton step in its
    coefficients; both are relative to a constant prediction.

    Once a class is separated, its errors and thus the gain of further markers vanish, unlike in a
    regression of the indicators of the classes.

    Parameters
    ----------
    shrinkage : float, default=10.0
        A class of n rows has the weight n / (n + shrinkage): large classes have nearly equal
        weights, and classes with few rows, which many features separate by chance, have less.
    ridge : float, default=1.0
        Added to the curvature of the cross-entropy, in units of its mean over the columns. It
        limits the gain of columns that hardly vary, such as genes that few cells express.

    See Also
    --------
    PanelSelector : Predict a class and reconstruct all columns.
    ipcae.selectors.ColumnSubset : The columns that explain all others best.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import PanelSelector
    >>> from ipcae.selectors import PanelForward
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = PanelSelector(3, method=PanelForward(), max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True)
    array([0, 2, 6])
    """

    shrinkage: float = 10.0
    ridge: float = 1.0

    needs = "classes"
    random = False
    linear = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return the gain of a feature when it was added, less for others. Shape: -> (D,)."""
        share = examples.columns_weight
        classes = _Classes.of(examples, self.shrinkage, self.ridge)
        columns = ColumnResiduals(_scaled(examples))

        def gains() -> Floats:
            return (1 - share) * classes.gain() + share * columns.gains()

        def add(added: list[int]) -> None:
            classes.add(added)
            columns.add(added[-1])

        return add_one_by_one(gains, add, n_selected)[1]


def _scaled(examples: Examples) -> Floats:
    """Center the columns such that the sum of all squares is 1. Shape: -> (N, D)."""
    weights = examples.row_weights
    inputs = examples.inputs - np.average(examples.inputs, 0, weights)
    inputs = inputs * np.sqrt(weights)[:, None]
    return np.asarray(inputs / max(float(np.linalg.norm(inputs)), _TINY))


@dataclass(eq=False)
class _Classes:
    """A logistic regression of the classes on the features added so far.

    Shape: inputs (N, D); left (N, D), what the features added so far leave of them, times the roots
    of the weights; classes and weights (N,); probabilities (N, C).
    """

    inputs: Floats
    left: Floats
    classes: Integers
    weights: Floats
    probabilities: Floats
    ridge: float

    @classmethod
    def of(cls, examples: Examples, shrinkage: float, ridge: float) -> _Classes:
        """Weight the classes, and predict their frequencies."""
        classes = needed_classes(examples)
        given = examples.row_weights
        counts = np.bincount(classes, given)
        weights = given / (counts + shrinkage)[classes]
        weights = weights / weights.sum()
        inputs = examples.inputs - np.average(examples.inputs, 0, weights)
        inputs = inputs / max(np.sqrt(examples.inputs.var(0).mean()), _TINY)
        frequency = np.bincount(classes, weights)
        started = cls(
            inputs,
            inputs * np.sqrt(weights)[:, None],
            classes,
            weights,
            np.tile(frequency, (len(classes), 1)),
            ridge,
        )
        started.ridge = ridge * max(float(started._curvature().mean()), _TINY)
        return started

    def _curvature(self) -> Floats:
        """Shape: -> (D, C)."""
        spread = self.probabilities * (1 - self.probabilities)
        return np.asarray(np.square(self.left).T @ spread)

    def gain(self) -> Floats:
        """Return how much a Newton step reduces the cross-entropy. Shape: -> (D,)."""
        errors = np.eye(self.probabilities.shape[1])[self.classes] - self.probabilities
        slope = self.left.T @ (np.sqrt(self.weights)[:, None] * errors)
        frequency = np.bincount(self.classes, self.weights)
        constant = -(frequency * np.log(frequency)).sum()
        return np.asarray(
            (np.square(slope) / (self._curvature() + self.ridge)).sum(1) / 2 / constant
        )

    def add(self, added: list[int]) -> None:
        """Fit the features added so far, and remove the last from the others."""
        _remove(self.left, added[-1])
        model = LogisticRegression(max_iter=100, tol=1e-3)
        own = self.inputs[:, added]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # close is enough
            model.fit(own, self.classes, sample_weight=self.weights * len(own))
        self.probabilities = model.predict_proba(own)


def _remove(table: Floats, column: int) -> None:
    """Make all columns orthogonal to one of them, in place."""
    direction = table[:, column] / max(float(np.linalg.norm(table[:, column])), _TINY)
    table -= np.outer(direction, direction @ table)
