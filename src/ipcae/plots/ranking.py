"""The features in the order of their rank, as plain columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Ranking:
    """All D features of a fitted selector, best first.

    Attributes
    ----------
    names : list of str
    indices : array of shape (D,)
        Columns of the data.
    selected : bool array of shape (D,)
    importance : array of shape (D,)
        Rise of the validation loss when the column is shuffled; NaN where it is not selected.
    probability : array of shape (D,)
        Probability that at least one node of the best run draws the feature.
    agreement : array of shape (D,)
        Fraction of the runs that selected the feature.
    n_runs : int
        How many runs agree or disagree: those that have an answer.
    """

    names: list[str]
    indices: NDArray[np.int64]
    selected: NDArray[np.bool_]
    importance: NDArray[np.float64]
    probability: NDArray[np.float64]
    agreement: NDArray[np.float64]
    n_runs: int

    @property
    def n_selected(self) -> int:
        """The number of different features that are selected."""
        return int(self.selected.sum())


def rank_features(selector: Any) -> Ranking:
    """Return the ranking of a fitted selector.

    Examples
    --------
    >>> import numpy as np
    >>> from ipcae import ReconstructionSelector
    >>> X = np.random.default_rng(0).normal(size=(40, 4))
    >>> ranking = rank_features(ReconstructionSelector(2, max_epochs=2, random_state=0).fit(X))
    >>> ranking.selected
    array([ True,  True, False, False])
    """
    order = np.argsort(selector.ranking_)
    selection = selector.selection_
    names = getattr(selector, "feature_names_in_", None)
    importance = np.full(len(order), -np.inf)
    own = selector.importance_[selector.best_run_]
    np.maximum.at(importance, selection.features, own)
    importance[np.isneginf(importance)] = np.nan
    return Ranking(
        names=[f"x{i}" if names is None else str(names[i]) for i in order],
        indices=order,
        selected=selection.support()[order],
        importance=importance[order],
        probability=selection.probability[order].astype(np.float64),
        agreement=np.asarray(selector.agreement_, dtype=np.float64)[order],
        n_runs=int(np.isfinite(selector.validation_loss_).sum()),
    )
