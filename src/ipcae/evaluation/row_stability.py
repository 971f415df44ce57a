"""How often features are selected from subsamples of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ipcae.arrays import Booleans, Floats, Integers
from ipcae.constraints.units import Units
from ipcae.evaluation.stability import StabilityIndex
from ipcae.text import count, fixed, number, percent


@dataclass(frozen=True, eq=False)
class RowStability:
    """The result of :class:`ipcae.StabilitySelection` without its decoder.

    Attributes
    ----------
    frequency : array of shape (D,)
        Fraction of the subsamples from which each feature was selected.
    consensus : array of int
        The features of the consensus, those selected most often first.
    clusters : tuple of tuple of int
        Often selected features that are highly correlated with each other.
    index : tuple of float
        Nogueira's index, and the ends of its 95 % confidence interval for other subsamples.
    n_subsamples : int
    threshold : float
        Features with at least this frequency are called stable.
    expected_false : float
        Upper bound on the expected number of irrelevant features among them, in which the features
        of a group count once.
    groups : tuple of tuple of int
        Features that are selected together or not at all.

    See Also
    --------
    StabilitySelection : Compute it.
    plots.StabilityDisplay : Draw the frequencies.

    Examples
    --------
    >>> found = RowStability(
    ...     np.array([1.0, 0.8, 0.2]), np.array([0, 1]), (), (0.7, 0.6, 0.8), 50, 0.75, 0.4
    ... )
    >>> print(found.sentence)
    Stability over rows 0.70 (0.60 to 0.80 with other subsamples): 2 features are selected from \
at least 75\u00a0% of 50 subsamples of the rows; at most 0.4 of them are expected to be irrelevant.
    """

    frequency: Floats
    consensus: Integers
    clusters: tuple[tuple[int, ...], ...]
    index: tuple[float, float, float]
    n_subsamples: int
    threshold: float
    expected_false: float
    groups: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        # The object may come from a file.
        several = (*self.clusters, *self.groups)
        features = np.array([*self.consensus, *(i for each in several for i in each)])
        if self.frequency.ndim != 1 or len(self.index) != 3:
            raise ValueError("the stability over rows has another shape")
        if len(features) and not 0 <= features.min() <= features.max() < len(self.frequency):
            raise ValueError("the stability over rows is about features that are not there")

    @property
    def stable(self) -> Booleans:
        """Mask of the features whose frequency is at least the threshold. Shape: (D,)."""
        return self.frequency >= self.threshold

    @property
    def n_stable(self) -> int:
        """Number of stable features, in which a group counts once."""
        return int(self.stable[Units(len(self.frequency), self.groups).first].sum())

    @property
    def stability(self) -> StabilityIndex:
        """Nogueira's index."""
        return StabilityIndex(*self.index)

    @property
    def sentence(self) -> str:
        """The result in words."""
        value, low, high = (fixed(end, 2) for end in self.index)
        n_stable = self.n_stable
        features = f"{count(n_stable, 'feature')} {'is' if n_stable == 1 else 'are'}"
        return (
            f"Stability over rows {value} ({low} to {high} with other subsamples): "
            f"{features if n_stable else 'no feature is'} selected from at least "
            f"{percent(self.threshold)} of {self.n_subsamples} subsamples of the rows"
            f"{', where a group counts as one' if self.groups else ''}{self._bound(n_stable)}."
        )

    def _bound(self, n_stable: int) -> str:
        if not n_stable:
            return ""
        if self.expected_false >= n_stable:
            bound = number(self.expected_false, 2)
            return f" (the bound on irrelevant ones among them, {bound}, says nothing here)"
        return f"; at most {number(self.expected_false, 2)} of them are expected to be irrelevant"

    def summary(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the result for ``metrics.json``, with the features that were selected at all."""
        value, low, high = self.index
        order = np.argsort(-self.frequency, kind="stable")
        return {
            "subsamples": self.n_subsamples,
            "index": value,
            "interval": [low, high],
            "threshold": self.threshold,
            "stable": [names[i] for i in order if self.stable[i]],
            "expected_false": self.expected_false,
            "consensus": [names[i] for i in self.consensus],
            "clusters": [[names[i] for i in each] for each in self.clusters],
            "frequency": {
                names[i]: float(self.frequency[i]) for i in order if self.frequency[i] > 0
            },
            "sentence": self.sentence,
        }
