"""Features that are selected more often than their decoys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ipcae.arrays import Booleans, Floats
from ipcae.text import listed, percent


@dataclass(frozen=True, eq=False)
class FdrSelection:
    """The result of :func:`ipcae.select_with_fdr`.

    Attributes
    ----------
    features : list of str
        Names of the selected features, best first; empty if none passes.
    statistic : array of shape (n_features,)
        How much more often a feature is selected than its decoy.
    threshold : float
        Features with at least this statistic are selected; infinite if there is none.
    estimate : float
        The estimated false discovery proportion at the threshold.
    fdr : float
        The requested false discovery rate.
    decoys : "knockoffs" or "permuted"

    See Also
    --------
    select_with_fdr : Compute it.
    StabilitySelection : How often features are selected from subsamples.

    Examples
    --------
    >>> import numpy as np
    >>> found = FdrSelection(["a", "b"], np.array([0.9, 0.8, 0.1]), 0.8, 0.0, 0.1, "knockoffs")
    >>> found.features
    ['a', 'b']
    """

    features: list[str]
    statistic: Floats = field(repr=False)
    threshold: float
    estimate: float
    fdr: float
    decoys: str

    @property
    def support(self) -> Booleans:
        """Mask of the selected features."""
        return self.statistic >= self.threshold

    @property
    def sentence(self) -> str:
        """The result in words."""
        level = f"a false discovery rate of {percent(self.fdr)}"
        if not self.features:
            return f"No feature is selected at {level}."
        count = f"{len(self.features):,} feature{'s are' if len(self.features) > 1 else ' is'}"
        return f"{count} selected at {level}: {listed(self.features)}."

    def summary(self) -> dict[str, Any]:
        """Return the result for ``metrics.json``."""
        return {
            "fdr": self.fdr,
            "features": self.features,
            "threshold": self.threshold if self.features else None,
            "estimate": self.estimate if self.features else None,
            "decoys": self.decoys,
            "sentence": self.sentence,
        }
