"""Everything that the page is made of, before it is HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ipcae.evaluation import Evaluation, Sample
from ipcae.feature_table import FeatureTable
from ipcae.grids import Grid
from ipcae.report.comparison import Comparison
from ipcae.report.substitutes import Substitutes


@dataclass(frozen=True, eq=False)
class Findings:
    """The selector and what was measured; None stands for what needs rows that were not given.

    ``comparison`` is a sentence where there is nothing to compare.
    """

    selector: Any
    features: FeatureTable
    grid: Grid | None
    sample: Sample | None
    training: Sample | None
    evaluation: Evaluation | None
    comparison: Comparison | str | None
    substitutes: Substitutes | None

    @property
    def n_selected(self) -> int:
        """The number of different features that are selected."""
        return self.features.n_selected

    @property
    def n_runs(self) -> int:
        """The number of runs that have an answer."""
        return self.features.n_runs
