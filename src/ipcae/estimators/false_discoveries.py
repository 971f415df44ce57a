"""Selection with control of the false discovery rate, by decoys."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from ipcae.arrays import Floats, Integers
from ipcae.errors import InputError, invalid_argument
from ipcae.estimators.one_fit.arguments import seed_for
from ipcae.estimators.stability_selection import StabilitySelection
from ipcae.evaluation.column_names import column_names
from ipcae.evaluation.estimator_checks import require_selector
from ipcae.evaluation.fdr_selection import FdrSelection
from ipcae.tables.decoys import (
    common_levels,
    frame_with_decoys,
    knockoffs_beside_categories,
    permuted_decoys,
)
from ipcae.tables.encodings.numeric_columns import text_columns
from ipcae.tables.frames import is_frame, warn_of_other_order
from ipcae.tables.tensors import as_array
from ipcae.text import listed

CONSTRAINTS = ("include", "exclude", "feature_groups", "at_most", "feature_costs", "budget")
DECOYS = ("auto", "knockoffs", "permuted")
MOST_COLUMNS = 3000
"""The largest number of columns for knockoffs, which need a matrix of columns by columns."""


def select_with_fdr(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    fdr: float = 0.1,
    decoys: str = "auto",
    n_subsamples: int = 50,
    random_state: Any = 0,
    verbose: int = 0,
) -> FdrSelection:
    """Select features such that at most a given fraction of them is expected to be false.

    A decoy is added for every column, and the estimator selects features from columns and decoys in
    many subsamples of the rows. The statistic of a feature is how much more often it is selected
    than its decoy. Positive and negative values are equally likely for an irrelevant feature, so
    the number of negative values estimates how many of the positive ones are false (the knockoff+
    filter of Barber and Candès, 2015). With ``fdr=0.1``, at least ten features are selected, or
    none.

    Parameters
    ----------
    estimator : ClassificationSelector or RegressionSelector
        ``n_features_to_select`` is the number of columns and decoys to select in every subsample;
        about twice the number of features that are expected.
    X : array or data frame of shape (n_rows, n_features)
        The rows must be independent of each other.
    y : array of shape (n_rows,)
        The target.
    fdr : float, default=0.1
        The false discovery rate.
    decoys : {"auto", "knockoffs", "permuted"}, default="auto"
        "knockoffs" have the same correlations as the columns; "permuted" are the columns with their
        rows shuffled, for tables with too few rows to estimate correlations. They control the false
        discovery rate only if irrelevant features are not correlated with relevant ones.
        "auto" uses knockoffs if there are more than twice as many rows as columns, where every
        common level of a category counts as a column. The decoys of categories are always permuted.
    n_subsamples : int, default=50
        Number of subsamples of the rows.
    random_state : int, RandomState or None, default=0
        Seed of the decoys and the subsamples.
    verbose : int, default=0
        1 shows a progress line on standard error.

    Returns
    -------
    FdrSelection
        With ``features`` and a ``sentence``.

    See Also
    --------
    StabilitySelection : How often features are selected from other rows.
    chance_test : Test whether a selection is better than chance.

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
    require_selector(estimator)
    if not 0 < fdr < 1:
        raise InputError(f"fdr={fdr!r} is not a rate: expected a number such as 0.1.")
    if decoys not in DECOYS:
        raise invalid_argument("decoys", decoys, f"one of {DECOYS}")
    if not estimator._task.supervised:
        raise InputError(
            f"{type(estimator).__name__} has no target: decoys are columns without information "
            "about a target. Use a supervised selector."
        )
    given = [name for name in CONSTRAINTS if getattr(estimator, name) is not None]
    if given:
        raise InputError(
            f"The estimator has constraints ({listed(given)}), which decoys cannot satisfy: leave "
            "them out."
        )
    names = column_names(X)
    warn_of_other_order(X, y)
    seed = seed_for(random_state)
    both, order, kind = _with_decoys(X, len(names), decoys, seed)
    selector = clone(estimator).set_params(n_runs=1, random_state=seed)
    stability = StabilitySelection(
        selector, n_subsamples=n_subsamples, refit=False, verbose=verbose
    ).fit(both, y)
    frequency = np.empty(len(order))
    frequency[order] = stability.frequency_
    statistic = frequency[: len(names)] - frequency[len(names) :]
    threshold, estimate = knockoff_threshold(statistic, fdr)
    chosen = np.flatnonzero(statistic >= threshold)
    chosen = chosen[np.argsort(-statistic[chosen], kind="stable")]
    return FdrSelection([names[i] for i in chosen], statistic, threshold, estimate, fdr, kind)


def _with_decoys(X: Any, n_columns: int, decoys: str, seed: int) -> tuple[Any, Integers, str]:
    """Return a table with a decoy for every column, the order of its columns, and the kind.

    The order is random, so that ties do not favor the columns. Shape: order (2 · n_columns,).
    """
    order = np.random.default_rng([seed, 1]).permutation(2 * n_columns)
    text = text_columns(X) if is_frame(X) else []
    names = [name for name in X.columns if str(name) not in text] if text else []
    numbers, levels = _numbers(X[names] if text else X), np.zeros((X.shape[0], 0))
    if text:
        levels = np.hstack([common_levels(X[name]) for name in X.columns if str(name) in text])
    n_wide, kind = numbers.shape[1] + levels.shape[1], decoys
    if decoys == "auto":
        enough = len(numbers) > 2 * n_wide and n_wide <= MOST_COLUMNS
        kind = "knockoffs" if enough and numbers.shape[1] else "permuted"
    if kind == "knockoffs" and not numbers.shape[1]:
        raise InputError(
            "decoys='knockoffs' needs columns of numbers, but X has none: use 'permuted'."
        )
    made = permuted_decoys(numbers, seed)
    if kind == "knockoffs":
        made = knockoffs_beside_categories(numbers, levels, seed)
    if not text:
        return np.hstack([numbers, made])[:, order], order, kind
    replaced = dict(zip(map(str, names), made.T, strict=True)) if kind == "knockoffs" else {}
    return frame_with_decoys(X, order, seed, replaced), order, kind


def _numbers(X: Any) -> Floats:
    """Return columns of numbers, with NaN for gaps. Shape: -> (N, D)."""
    dense = X.toarray() if hasattr(X, "toarray") else as_array(X, "X")
    values = np.asarray(dense, dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def knockoff_threshold(statistic: Floats, fdr: float) -> tuple[float, float]:
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
