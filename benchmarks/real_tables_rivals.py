"""Rankings by scikit-learn of the columns of a real table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from real_tables_split import Split
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import (
    f_classif,
    f_regression,
    mutual_info_classif,
    mutual_info_regression,
)
from sklearn.linear_model import LassoCV, LogisticRegressionCV
from sklearn.multiclass import OneVsRestClassifier


def of_columns(scores: NDArray, owners: NDArray, how: Any = np.maximum) -> NDArray:
    """Return the score of every column of the table from those of its inputs."""
    return how.reduceat(np.nan_to_num(scores), np.flatnonzero(np.diff(owners, prepend=-1)))


def forest(split: Split, inputs: NDArray) -> NDArray:
    """Return the importances of a random forest."""
    kind = RandomForestClassifier if split.classes else RandomForestRegressor
    return kind(100, min_samples_leaf=2, random_state=0).fit(inputs, split.targets[0])


def forest_scores(split: Split) -> NDArray:
    """Return the importances of the columns in a random forest."""
    found = forest(split, split.numbers[0]).feature_importances_
    return of_columns(found, split.owners, np.add)


def rfe_scores(split: Split) -> NDArray:
    """Return the order in which columns are eliminated by a forest, a fifth of them at a time."""
    n_columns = split.tables[0].shape[1]
    scores, left = np.zeros(n_columns), np.arange(n_columns)
    step = 1
    while len(left) > 3:
        inside = np.isin(split.owners, left)
        found = forest(split, split.numbers[0][:, inside]).feature_importances_
        order = left[np.argsort(of_columns(found, split.owners[inside], np.add))]
        gone = order[: min(max(1, len(left) // 5), len(left) - 3)]
        scores[gone] = step + np.arange(len(gone)) / len(gone)
        left, step = np.setdiff1d(left, gone), step + 1
    scores[left] = step
    return scores


def f_scores(split: Split) -> NDArray:
    """Return the F values."""
    test = f_classif if split.classes else f_regression
    return of_columns(test(split.numbers[0], split.targets[0])[0], split.owners)


def information(split: Split) -> NDArray:
    """Return the mutual information with the target."""
    estimate = mutual_info_classif if split.classes else mutual_info_regression
    binary = np.array([len(np.unique(column)) <= 2 for column in split.numbers[0].T])
    found = estimate(
        *(split.numbers[0], split.targets[0]), discrete_features=binary, random_state=0
    )
    return of_columns(found, split.owners)


def l1_scores(split: Split) -> NDArray:
    """Return the sizes of the coefficients of a cross-validated l1-penalized model."""
    X, y = split.numbers[0], split.targets[0]
    if not split.classes:
        return of_columns(np.abs(LassoCV(cv=3, alphas=30).fit(X, y).coef_), split.owners)
    model = LogisticRegressionCV(
        Cs=[0.02, 0.1, 0.5], cv=3, penalty="l1", solver="liblinear", max_iter=200
    )
    if len(np.unique(y)) > 2:
        models = OneVsRestClassifier(model).fit(X, y).estimators_
        size = np.max([np.abs(one.coef_[0]) for one in models], axis=0)
    else:
        size = np.abs(model.fit(X, y).coef_[0])
    return of_columns(size, split.owners)


RIVALS: dict[str, Callable[[Split], NDArray]] = {
    "F-test": f_scores,
    "mutual-information": information,
    "random-forest": forest_scores,
    "l1": l1_scores,
    "forest-rfe": rfe_scores,
}
