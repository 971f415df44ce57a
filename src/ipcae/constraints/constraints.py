"""The conditions that every selection of a fit satisfies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.errors import InputError

Columns = NDArray[np.int64]
Scores = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Constraints:
    """Conditions on the selection of K features, by their columns.

    Parameters
    ----------
    n_features : int
        Number of columns, D.
    included : tuple of int
        Features that are always selected; they count toward K.
    excluded : tuple of int
        Features that are never selected.
    avoided : tuple of int
        Features that are selected only if there are not enough others, such as constant columns.

    Examples
    --------
    >>> constraints = Constraints(6, included=(4,), excluded=(0, 1))
    >>> constraints.candidates
    array([2, 3, 5])
    >>> constraints.require(np.array([4, 2]))
    >>> constraints.require(np.array([0, 2]))
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: The selection contains 1 excluded feature and lacks 1 included one.
    """

    n_features: int
    included: tuple[int, ...] = ()
    excluded: tuple[int, ...] = ()
    avoided: tuple[int, ...] = ()

    @cached_property
    def candidates(self) -> Columns:
        """The features to choose from: neither included nor excluded."""
        return np.setdiff1d(np.arange(self.n_features), self.included + self.excluded)

    @cached_property
    def preferred(self) -> Columns:
        """The candidates that are not avoided."""
        return np.setdiff1d(self.candidates, self.avoided)

    @property
    def restricts(self) -> bool:
        """Whether any feature is included or excluded."""
        return bool(self.included or self.excluded)

    def best(self, scores: Scores, n_selected: int) -> Columns:
        """Return the included features and those with the largest scores, K in total.

        Ties are broken by the order of the columns. Shape: scores (D,) -> (K,).

        >>> Constraints(4, included=(3,), excluded=(0,)).best(np.array([9, 1, 2, 0]), 2)
        array([3, 2])
        """
        ranked = np.full(self.n_features, -np.inf)
        ranked[self.preferred] = scores[self.preferred]
        order = self.candidates[np.argsort(-ranked[self.candidates], kind="stable")]
        included = np.array(self.included, dtype=np.int64)
        return np.concatenate([included, order])[:n_selected]

    def among(self, columns: Columns) -> Constraints:
        """Return the constraints of a table that has only these columns, in this order.

        >>> Constraints(6, included=(4,), excluded=(0, 1)).among(np.array([1, 4, 5]))
        Constraints(n_features=3, included=(1,), excluded=(0,), avoided=())
        """
        place = {int(column): position for position, column in enumerate(columns)}

        def kept(features: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(place[feature] for feature in features if feature in place)

        return Constraints(
            len(columns), kept(self.included), kept(self.excluded), kept(self.avoided)
        )

    def probability(self, probability: Any) -> Any:
        """Return the probabilities with 1 for included and 0 for excluded features."""
        if not self.restricts:
            return probability
        probability = probability.copy()
        probability[list(self.included)] = 1
        probability[list(self.excluded)] = 0
        return probability

    def require(self, features: Columns) -> None:
        """Raise an error if a selection violates a constraint."""
        n_forbidden = len(np.intersect1d(features, self.excluded))
        n_missing = len(np.setdiff1d(self.included, features))
        if n_forbidden or n_missing:
            raise InputError(
                f"The selection contains {n_forbidden} excluded "
                f"feature{'s' * (n_forbidden != 1)} and lacks {n_missing} included "
                f"one{'s' * (n_missing != 1)}."
            )
