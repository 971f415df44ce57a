"""Reference methods that decide whether features matter, for comparison.

``boruta_like`` and ``stabl_like`` are small versions of the ideas of Boruta (Kursa & Rudnicki,
2010) and Stabl (Hédou et al., 2024). ``boruta_py`` is the published package with its own settings.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import binom
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

LEVEL, FDR = 0.05, 0.2


def boruta_like(
    X: np.ndarray, y: np.ndarray, seed: int, n_rounds: int = 20, n_trees: int = 100
) -> tuple[bool, float]:
    """Count how often a column is more important than the best shuffled column.

    Returns whether a column wins significantly often, with Bonferroni's correction, and the
    smallest corrected p-value.
    """
    random, wins = np.random.default_rng(seed), np.zeros(X.shape[1], dtype=int)
    for _ in range(n_rounds):
        shadows = random.permuted(X, axis=0)
        forest = ExtraTreesClassifier(
            n_trees, class_weight="balanced", random_state=int(random.integers(2**31))
        )
        importance = forest.fit(np.hstack([X, shadows]), y).feature_importances_
        wins += importance[: len(wins)] > importance[len(wins) :].max()
    p_value = min(1.0, float(binom.sf(wins.max() - 1, n_rounds, 0.5)) * len(wins))
    return p_value <= LEVEL, p_value


def boruta_py(X: np.ndarray, y: np.ndarray, seed: int) -> tuple[bool, float]:
    """Run ``BorutaPy`` with the settings that its documentation recommends.

    Returns whether it confirms any column, and how many.
    """
    from boruta import BorutaPy

    forest = RandomForestClassifier(class_weight="balanced", max_depth=5, n_jobs=1)
    search = BorutaPy(forest, n_estimators="auto", random_state=seed).fit(X, y)
    return bool(search.support_.any()), float(search.support_.sum())


def stabl_like(
    X: np.ndarray, y: np.ndarray, seed: int, n_subsamples: int = 30
) -> tuple[bool, float]:
    """Compare how often columns and shuffled columns are selected by ℓ1 in subsamples.

    Returns whether the smallest estimated false discovery proportion is at most ``FDR``, and this
    proportion.
    """
    random = np.random.default_rng(seed)
    both = np.hstack([X, random.permuted(X, axis=0)])
    both = StandardScaler().fit_transform(both)
    n, strengths = X.shape[1], np.geomspace(0.02, 0.5, 5)
    counts = np.zeros((len(strengths), both.shape[1]))
    for _ in range(n_subsamples):
        rows = np.concatenate(
            [
                random.choice(np.flatnonzero(y == c), (y == c).sum() // 2, replace=False)
                for c in (0, 1)
            ]
        )
        for place, strength in enumerate(strengths):
            model = LogisticRegression(
                l1_ratio=1.0,
                C=strength,
                solver="liblinear",
                class_weight="balanced",
                random_state=0,
            )
            counts[place] += model.fit(both[rows], y[rows]).coef_[0] != 0
    frequency = (counts / n_subsamples).max(0)
    real, decoys = frequency[:n], frequency[n:]
    thresholds = np.unique(frequency[frequency > 0])
    if not len(thresholds):
        return False, 1.0
    estimates = [(1 + (decoys >= t).sum()) / max((real >= t).sum(), 1) for t in thresholds]
    return min(estimates) <= FDR, float(min(estimates))
