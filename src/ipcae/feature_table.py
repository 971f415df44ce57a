"""The features of a fitted selector, ordered by rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.stats import rankdata

from ipcae.arrays import Booleans, Floats, Integers
from ipcae.selection import Selection


class MeasuredImportance(Protocol):
    """The importance of some features and its standard error. Shape: (F,) each."""

    @property
    def features(self) -> Integers: ...  # noqa: D102

    @property
    def mean(self) -> Floats: ...  # noqa: D102

    @property
    def error(self) -> Floats: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Feature:
    """One row of the table; what is not known is NaN."""

    rank: int
    index: int
    name: str
    selected: bool
    importance: float
    importance_error: float
    probability: float
    other_seeds: float


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """All D features of a fitted selector, best first.

    Attributes
    ----------
    names : list of str
    indices : array of shape (D,)
        Columns of the data.
    selected : bool array of shape (D,)
    importance : array of shape (D,)
        Permutation importance; NaN if the feature is not selected.
    importance_error : array of shape (D,)
        Standard error of the importance; NaN if it is not known.
    probability : array of shape (D,)
        Probability that at least one node of the best run draws the feature; for methods without
        probabilities, a score from 0 to 1.
    other_seeds : array of shape (D,)
        Fraction of the runs other than the best that selected the feature; NaN if there are none,
        or if the method does not depend on the seed.
    n_others : int
        Number of these runs.
    measure : str
        What ``probability`` contains: "probability" or "score".

    Examples
    --------
    >>> import numpy as np
    >>> from ipcae import ReconstructionSelector
    >>> X = np.random.default_rng(0).normal(size=(40, 4))
    >>> selector = ReconstructionSelector(2, max_epochs=2, random_state=0).fit(X)
    >>> FeatureTable.of(selector).selected
    array([ True,  True, False, False])
    """

    names: list[str]
    indices: Integers
    selected: Booleans
    importance: Floats
    importance_error: Floats
    probability: Floats
    other_seeds: Floats
    n_others: int
    measure: str = "probability"

    @classmethod
    def of(cls, selector: Any, measured: MeasuredImportance | None = None) -> FeatureTable:
        """Return the table of a fitted selector.

        ``measured`` is the importance on other rows than the validation rows. The order of the
        features does not depend on it.
        """
        order = np.argsort(selector.ranking_)
        selection, names = selector.selection_, feature_names(selector)
        if measured is None:
            importance = importance_by_feature(selection, selector.importance_[selector.best_run_])
            error = np.full(len(names), np.nan)
        else:
            importance, error = np.full((2, len(names)), np.nan)
            importance[measured.features], error[measured.features] = measured.mean, measured.error
        other_seeds = np.asarray(selector.other_seeds_, dtype=np.float64)
        n_usable = int(np.isfinite(selector.validation_loss_).sum())
        return cls(
            names=[names[i] for i in order],
            indices=order,
            selected=selection.support()[order],
            importance=importance[order],
            importance_error=error[order],
            probability=selection.probability[order].astype(np.float64),
            other_seeds=other_seeds[order],
            n_others=0 if np.isnan(other_seeds).all() else n_usable - 1,
            measure=selection.measure,
        )

    @property
    def n_selected(self) -> int:
        """The number of distinct selected features."""
        return int(self.selected.sum())

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Feature]:
        scores = self.importance, self.importance_error, self.probability, self.other_seeds
        columns = (column.tolist() for column in (self.selected, *scores))
        rows = zip(self.indices.tolist(), self.names, *columns, strict=True)
        for rank, row in enumerate(rows, start=1):
            yield Feature(rank, *row)


def feature_names(selector: Any) -> list[str]:
    """Return the names of the columns; x0, x1, … by default."""
    names = getattr(selector, "feature_names_in_", None)
    if names is None:
        return [f"x{i}" for i in range(selector.n_features_in_)]
    return [str(name) for name in names]


def reconstructed_columns(selector: Any) -> tuple[list[str], Integers]:
    """Return the names of the columns that are reconstructed, and the column of X of each.

    They are the columns of X, or the inputs that these are encoded as.
    """
    names, expansion = feature_names(selector), getattr(selector.scaler_, "expansion", None)
    if expansion is None:
        return names, np.arange(len(names))
    return expansion.names(names, selector.encoding_.codings), expansion.owner


def importance_by_feature(selection: Selection, importance: Floats) -> Floats:
    """Return the importance of every feature, NaN if it is not selected. Shape: (K,) -> (D,)."""
    largest = np.full(len(selection.probability), -np.inf)
    np.maximum.at(largest, selection.features, importance[: len(selection.features)])
    return np.where(np.isneginf(largest), np.nan, largest)


def feature_ranks(
    selection: Selection,
    importance: Floats,
    other_seeds: Floats,
    included: Sequence[int] = (),
) -> Integers:
    """Rank all features, starting at 1.

    Selected features come first. Those of a network are ordered by importance, those of a method
    with scores by the mean of their ranks by importance and by score, because neither is accurate
    if there are few rows; ``included`` features have no score. The others are ordered by the
    fraction of other runs that selected them, NaN if there are none, then by probability or score.
    Shape: importance (K,); other_seeds (D,) -> (D,).

    >>> scores = np.array([0.0, 0.7, 1.0, 0.8])
    >>> three = Selection(np.array([1, 2, 3]), np.array([1, 2, 3]), scores, "score")
    >>> feature_ranks(three, np.array([0.5, 0.4, 0.1]), np.full(4, np.nan))
    array([4, 2, 1, 3])
    """
    strength = np.nan_to_num(importance_by_feature(selection, importance), nan=-np.inf)
    votes = np.nan_to_num(other_seeds, nan=0.0)
    support = selection.support()
    place = np.zeros(len(support))
    if selection.measure == "score":
        scored = support.copy()
        scored[list(included)] = False
        place[support] = 2 * rankdata(-strength[support])
        place[scored] = place[scored] / 2 + rankdata(-selection.probability[scored])
    order = np.lexsort((-selection.probability, -votes, -strength, place, ~support))
    return np.argsort(order) + 1
