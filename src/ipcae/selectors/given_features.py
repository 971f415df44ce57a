"""A method with given features: only the decoders are trained."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ipcae.arrays import Integers
from ipcae.errors import InputError
from ipcae.selection import Selection
from ipcae.selectors.base import Method
from ipcae.training import Choice, Phase, Problem, decode
from ipcae.training.fit import untrained


@dataclass(frozen=True)
class GivenFeatures(Method):
    """Train decoders on given lists of features, one list per run.

    With fewer lists than runs, the lists are repeated.

    Parameters
    ----------
    lists : tuple of tuple of int
        Indices of the features of each list, as many as are to be selected.
    compared : bool, default=False
        Whether the decoders are only compared by their predictions. Then all have the same seed,
        their importance is not measured, and those that are refitted in any case are not fine-tuned
        before.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ClassificationSelector
    >>> X, y = load_iris(return_X_y=True)
    >>> method = GivenFeatures(((0, 1), (2, 3)))
    >>> selector = ClassificationSelector(2, method=method, n_runs=2, max_epochs=20, random_state=0)
    >>> [s.features.tolist() for s in selector.fit(X, y).selections_]
    [[0, 1], [2, 3]]
    """

    lists: tuple[tuple[int, ...], ...]
    compared: bool = False

    phases = (Phase.DECODING,)
    random = False

    def encoded(self, owner: Integers) -> GivenFeatures:
        """Return the lists of the columns that encode the given features."""
        places = [
            tuple(int(place) for feature in given for place in np.flatnonzero(owner == feature))
            for given in self.lists
        ]
        return replace(self, lists=tuple(places))

    def choose(self, problem: Problem) -> Choice:
        """Train the decoders."""
        selections = []
        unit_of = problem.constraints.unit_of
        for run in range(len(problem.runs)):
            features = np.asarray(self.lists[run % len(self.lists)], dtype=np.int64)
            if features.min() < 0 or features.max() >= problem.n_features:
                raise InputError(
                    f"list {run} has features outside of 0 to {problem.n_features - 1}, the "
                    "columns of X."
                )
            n_different = len(np.unique(unit_of[features]))
            if n_different != problem.n_selected:
                raise InputError(
                    f"list {run} has {n_different} different features: expected "
                    f"{problem.n_selected}, the number of features to select."
                )
            selections.append(Selection.of(features, problem.n_features))
        if self.compared:
            seeds = (problem.plan.order_seed,) * len(selections)
            problem = replace(problem, runs=replace(problem.runs, seeds=seeds), importance=False)
        return decode(problem, selections, untrained(len(selections)))
