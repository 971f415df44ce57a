"""The content of a report, before it is rendered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ipcae.evaluation import (
    ChanceTest,
    Evaluation,
    FdrSelection,
    Importance,
    RowStability,
    Sample,
    TableChecks,
)
from ipcae.feature_table import FeatureTable
from ipcae.grids import Grid
from ipcae.report.comparison import Comparison
from ipcae.report.correlation import Correlations


@dataclass(frozen=True, eq=False)
class Measured:
    """Results that require rows.

    Attributes
    ----------
    sample, training : Sample
        The rows to evaluate on, and the training rows if given.
    evaluation : Evaluation
    comparison : Comparison or str
        A comparison with other features, or a sentence if it is not available.
    correlations : Correlations or None
        None if all features are selected.
    importance : Importance
        Importance of the selected features on ``sample``.
    checks : TableChecks
        Likely leaks and identical columns.
    """

    sample: Sample
    training: Sample | None
    evaluation: Evaluation
    comparison: Comparison | str
    correlations: Correlations | None
    importance: Importance
    checks: TableChecks

    @property
    def rows_name(self) -> str:
        """How the report refers to the rows: "held-out" only if training rows are given."""
        return "held-out" if self.training is not None else "given"


@dataclass(frozen=True, eq=False)
class Findings:
    """A fitted selector and the results about it; ``measured`` is None without rows."""

    selector: Any
    features: FeatureTable
    grid: Grid | None
    measured: Measured | None
    chance: ChanceTest | None = None
    stability: RowStability | None = None
    discoveries: FdrSelection | None = None
