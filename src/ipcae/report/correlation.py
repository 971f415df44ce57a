"""Correlations of the selected features with the unselected ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from ipcae.arrays import Floats
from ipcae.evaluation import Sample
from ipcae.feature_table import FeatureTable

MOST_SELECTED, MOST_OTHERS, N_CLOSEST = 20, 24, 3
STRONG = 0.7
_MOST_VALUES = 3e7


@dataclass(frozen=True, eq=False)
class Correlations:
    """Pearson correlation of selected with unselected features.

    Attributes
    ----------
    selected, others : list of str
        The names of the rows and columns of ``correlation``.
    correlation : array of shape (len(selected), len(others))
    closest : list of list of (str, float)
        For each row, the unselected features most correlated with it.
    n_selected, n_others : int
        Total numbers of selected and unselected features.
    n_covered : int
        Number of unselected features that are strongly correlated with a selected one.
    n_rows : int
    """

    selected: list[str]
    others: list[str]
    correlation: Floats
    closest: list[list[tuple[str, float]]]
    n_selected: int
    n_others: int
    n_covered: int
    n_rows: int


def correlate(features: FeatureTable, sample: Sample) -> Correlations | None:
    """Correlate over the rows of a sample; return None if all features are selected."""
    chosen = [feature for feature in features if feature.selected]
    others = [feature for feature in features if not feature.selected]
    if not others:
        return None
    sample = sample.at_most(max(int(_MOST_VALUES / len(features)), 200))
    left = _standardized(sample, [feature.index for feature in chosen])
    right = _standardized(sample, [feature.index for feature in others])
    correlation = (left.T @ right / len(sample)).double().numpy()
    strength = np.abs(correlation)
    shown = strength[:MOST_SELECTED]
    columns = np.argsort(-shown.max(0), kind="stable")[:MOST_OTHERS]
    # Group the columns by their closest selected feature.
    columns = columns[np.lexsort((-shown.max(0)[columns], shown.argmax(0)[columns]))]
    return Correlations(
        selected=[feature.name for feature in chosen[:MOST_SELECTED]],
        others=[others[i].name for i in columns],
        correlation=correlation[:MOST_SELECTED, columns],
        closest=[
            [(others[i].name, float(line[i])) for i in np.argsort(-np.abs(line))[:N_CLOSEST]]
            for line in correlation[:MOST_SELECTED]
        ],
        n_selected=len(chosen),
        n_others=len(others),
        n_covered=int((strength.max(0) >= STRONG).sum()),
        n_rows=len(sample),
    )


def _standardized(sample: Sample, columns: list[int]) -> torch.Tensor:
    values = sample.numbers()[:, columns]
    varies = values.amin(0) != values.amax(0)
    values -= values.mean(0)
    deviation = values.square().mean(0).sqrt()
    # The correlation with a constant column is set to zero.
    return (values / torch.where(varies, deviation, torch.inf)).float()
