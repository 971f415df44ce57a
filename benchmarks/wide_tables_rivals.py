"""Two more rankings of the columns of a wide table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from real_tables_rivals import of_columns
from real_tables_split import Split
from sklearn.feature_selection import f_classif, f_regression
from sklearn.linear_model import Ridge
from sklearn.svm import LinearSVC

MOST_SELECTED = 50


def linear_rfe(split: Split) -> NDArray:
    """Return the order in which a linear model eliminates columns, a fifth of them at a time.

    The model is a linear SVM, or a ridge regression for numbers, as in scikit-learn's ``RFE``.
    """
    n_columns = split.tables[0].shape[1]
    place, left, step = np.zeros(n_columns), np.arange(n_columns), 1
    while len(left) > 1:
        inside = np.isin(split.owners, left)
        model = LinearSVC(random_state=0) if split.classes else Ridge()
        fitted = model.fit(split.numbers[0][:, inside], split.targets[0])
        size = np.square(np.atleast_2d(fitted.coef_)).sum(0)
        order = left[np.argsort(of_columns(size, split.owners[inside]))]
        gone = order[: max(1, len(left) // 5)]
        place[gone] = step + np.arange(len(gone)) / len(gone)
        left, step = np.setdiff1d(left, gone), step + 1
    place[left] = step
    return place


def mrmr(split: Split) -> NDArray:
    """Return the order by F value divided by the mean correlation with the columns before."""
    inputs, owners = split.numbers[0], split.owners
    test = f_classif if split.classes else f_regression
    relevance = np.nan_to_num(test(inputs, split.targets[0])[0])
    unit = inputs / np.maximum(np.linalg.norm(inputs, axis=0), 1e-12)
    place, redundancy = np.zeros(split.tables[0].shape[1]), np.zeros(len(relevance))
    for n_before in range(min(MOST_SELECTED, len(place))):
        value = relevance / np.maximum(redundancy / max(n_before, 1), 1e-3)
        best = int(np.argmax(np.where(place[owners] > 0, -1.0, value)))
        place[owners[best]] = MOST_SELECTED - n_before
        redundancy += np.abs(unit.T @ unit[:, best])
    return place
