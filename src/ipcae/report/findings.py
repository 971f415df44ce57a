"""Everything that the page shows, before it is HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ipcae.evaluation import Evaluation, Sample
from ipcae.feature_table import FeatureTable
from ipcae.grids import Grid
from ipcae.report.comparison import Comparison
from ipcae.report.correlation import Correlations


@dataclass(frozen=True, eq=False)
class Measured:
    """What was measured on rows.

    Attributes
    ----------
    sample, training : Sample
        The rows to evaluate on, and the training rows if they were given.
    evaluation : Evaluation
    comparison : Comparison or str
        Or a sentence that says why there is none.
    correlations : Correlations or None
        None if all features are selected.
    """

    sample: Sample
    training: Sample | None
    evaluation: Evaluation
    comparison: Comparison | str
    correlations: Correlations | None

    @property
    def rows_name(self) -> str:
        """How the page calls the rows of the sample: without training rows they may be any."""
        return "held-out" if self.training is not None else "given"


@dataclass(frozen=True, eq=False)
class Findings:
    """A fitted selector and what is known about it; ``measured`` needs rows."""

    selector: Any
    features: FeatureTable
    grid: Grid | None
    measured: Measured | None
