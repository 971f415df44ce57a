"""Selection with control of the false discovery rate, by decoys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ipcae.errors import InputError
from ipcae.estimators.stability_selection import StabilitySelection
from ipcae.evaluation.column_names import column_names
from ipcae.tables.decoys import knockoffs, permuted_decoys
from ipcae.text import listed, percent

DECOYS = ("auto", "knockoffs", "permuted")
MOST_COLUMNS = 3000
"""The largest number of columns for knockoffs, which need a matrix of columns by columns."""


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
        The false discovery rate that was asked for.
    decoys : "knockoffs" or "permuted"
    """

    features: list[str]
    statistic: NDArray[np.float64] = field(repr=False)
    threshold: float
    estimate: float
    fdr: float
    decoys: str

    @property
    def support(self) -> NDArray[np.bool_]:
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


def select_with_fdr(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    fdr: float = 0.1,
    decoys: str = "auto",
    n_subsamples: int = 50,
    random_state: int = 0,
) -> FdrSelection:
    """Select features such that at most a given fraction of them is expected to be false.

    A decoy is added for every column, and the estimator selects features from columns and decoys
    in many subsamples of the rows. A feature counts by how much more often it is selected than its
    decoy. If a feature does not matter, its decoy is selected as often: features that lose
    against their decoys estimate how many win by chance (the knockoff+ filter of Barber and
    Candès, 2015). With ``fdr=0.1``, at least ten features must win: fewer are never selected.

    Parameters
    ----------
    estimator : ClassificationSelector or RegressionSelector
        ``n_features_to_select`` is the number of columns and decoys to select in every subsample;
        about twice the number of features that are expected.
    X : array or data frame of shape (n_rows, n_features)
    y : array of shape (n_rows,)
    fdr : float, default=0.1
        The false discovery rate.
    decoys : {"auto", "knockoffs", "permuted"}, default="auto"
        "knockoffs" have the correlations of the columns with each other; "permuted" are the columns
        in another order of the rows, for tables with too few rows to estimate correlations.
        They control the false discovery rate only if features that do not matter are
        not correlated with those that do. "auto" uses knockoffs if there are at least twice as many
        rows as columns.
    n_subsamples : int, default=50
    random_state : int, default=0

    Returns
    -------
    FdrSelection
        With ``features`` and a ``sentence``.

    Examples
    --------
    >>> import numpy as np
    >>> from ipcae import RegressionSelector, select_with_fdr
    >>> X = np.random.default_rng(0).normal(size=(40, 12))
    >>> y = np.random.default_rng(1).normal(size=40)
    >>> selector = RegressionSelector(4, method="lasso", max_epochs=1, random_state=0)
    >>> select_with_fdr(selector, X, y, n_subsamples=10).sentence
    'No feature is selected at a false discovery rate of 10\\xa0%.'
    """
    if not 0 < fdr < 1:
        raise InputError(f"fdr={fdr!r} is not a rate: expected a number such as 0.1.")
    if decoys not in DECOYS:
        raise InputError(f"decoys={decoys!r} is not understood: expected one of {DECOYS}.")
    if not estimator._task.supervised:
        raise InputError(
            f"{type(estimator).__name__} has no target: decoys that tell nothing about a target "
            "need one."
        )
    names = column_names(X)
    values = np.asarray(X, dtype=np.float64)
    kind = decoys
    if decoys == "auto":
        enough = len(values) >= 2 * len(names) and len(names) <= MOST_COLUMNS
        kind = "knockoffs" if enough else "permuted"
    made = {"knockoffs": knockoffs, "permuted": permuted_decoys}[kind](values, random_state)
    # In random order, so that ties do not favor the columns.
    order = np.random.default_rng([random_state, 1]).permutation(2 * len(names))
    both = np.hstack([values, made])[:, order]
    selector = clone(estimator).set_params(n_runs=1, random_state=random_state)
    stability = StabilitySelection(selector, n_subsamples=n_subsamples, refit=False).fit(both, y)
    frequency = np.empty(len(order))
    frequency[order] = stability.frequency_
    statistic = frequency[: len(names)] - frequency[len(names) :]
    threshold, estimate = knockoff_threshold(statistic, fdr)
    chosen = np.flatnonzero(statistic >= threshold)
    chosen = chosen[np.argsort(-statistic[chosen], kind="stable")]
    return FdrSelection([names[i] for i in chosen], statistic, threshold, estimate, fdr, kind)


def knockoff_threshold(statistic: NDArray[np.float64], fdr: float) -> tuple[float, float]:
    """Return the smallest threshold at which the estimated proportion is at most ``fdr``.

    The estimate is (1 + number of statistics ≤ −t) / (number of statistics ≥ t).

    >>> knockoff_threshold(np.array([0.9] * 10 + [0.1, -0.1]), 0.1)
    (0.9, 0.1)
    >>> knockoff_threshold(np.array([0.9, -0.1]), 0.1)
    (inf, 1.0)
    """
    for t in np.unique(np.abs(statistic[statistic != 0])):
        estimate = (1 + (statistic <= -t).sum()) / max((statistic >= t).sum(), 1)
        if estimate <= fdr:
            return float(t), float(estimate)
    return float("inf"), 1.0
