"""The features in the order of their rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

MOST_ROWS = 300
"""Where there are more features, the table holds so many, or the selected and a hundred more."""


@dataclass(frozen=True)
class Feature:
    """One line of the ranking; ``importance`` is not a number where it is not selected."""

    rank: int
    index: int
    name: str
    selected: bool
    importance: float
    probability: float
    agreement: float


def ranked_features(selector: Any) -> list[Feature]:
    """Return all features of a fitted selector, best first.

    >>> from ipcae import ReconstructionSelector
    >>> X = np.random.default_rng(0).normal(size=(40, 4))
    >>> features = ranked_features(ReconstructionSelector(2, max_epochs=2, random_state=0).fit(X))
    >>> [(feature.rank, feature.selected) for feature in features]
    [(1, True), (2, True), (3, False), (4, False)]
    """
    selection = selector.selection_
    names = feature_names(selector)
    importance = np.full(len(names), -np.inf)
    np.maximum.at(importance, selection.features, selector.importance_[selector.best_run_])
    importance[np.isneginf(importance)] = np.nan
    support = selection.support()
    return [
        Feature(
            rank=rank,
            index=int(index),
            name=names[index],
            selected=bool(support[index]),
            importance=float(importance[index]),
            probability=float(selection.probability[index]),
            agreement=float(selector.agreement_[index]),
        )
        for rank, index in enumerate(np.argsort(selector.ranking_), start=1)
    ]


def feature_names(selector: Any) -> list[str]:
    """Return the names of the columns, made up where they have none."""
    names = getattr(selector, "feature_names_in_", None)
    if names is None:
        return [f"x{i}" for i in range(selector.n_features_in_)]
    return [str(name) for name in names]


def shown_features(features: list[Feature]) -> list[Feature]:
    """Return as many as a page should hold, the selected ones first among them."""
    n_selected = sum(feature.selected for feature in features)
    return features[: max(MOST_ROWS, min(n_selected + 100, 2000))]
