"""Neutral models that evaluate selected columns on rows that the selection did not see."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from comparison.pairwise_svm import PairwiseSVC

Judges = dict[str, Any]
PENALTIES = tuple(np.logspace(-2, 4, 13))


def classifiers(seed: int) -> Judges:
    """Return the judges of small tables; the value of a cell is their mean accuracy."""
    return {
        "svm": make_pipeline(StandardScaler(), SVC()),
        "knn": make_pipeline(StandardScaler(), KNeighborsClassifier(3)),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "trees": ExtraTreesClassifier(100, random_state=seed),
    }


def neurofs_classifiers(seed: int) -> Judges:
    """Return the judges of the NeuroFS protocol with published rows; on a GPU the SVM is quick."""
    return {
        "svm": PairwiseSVC() if torch.cuda.is_available() else SVC(),
        "trees": ExtraTreesClassifier(50, random_state=seed, n_jobs=-1),
    }


def regressors(seed: int) -> Judges:
    """Return the judges of regression; the value of a cell is their mean R²."""
    return {
        "ridge": make_pipeline(StandardScaler(), RidgeCV(PENALTIES)),
        "knn": make_pipeline(StandardScaler(), KNeighborsRegressor(5)),
        "svr": make_pipeline(StandardScaler(), SVR()),
        "trees": ExtraTreesRegressor(100, random_state=seed),
    }


def scores(
    judges: Judges, X: NDArray, y: NDArray, X_test: NDArray, y_test: NDArray
) -> dict[str, float]:
    """Fit every judge, and return its score on the test rows in percent, at least −100."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # convergence
        return {
            name: max(100 * float(judge.fit(X, y).score(X_test, y_test)), -100.0)
            for name, judge in judges.items()
        }


def explained(X: NDArray, X_test: NDArray, chosen: NDArray) -> float:
    """Return the variance of all columns that a ridge regression on K of them explains, in percent.

    The penalty is chosen on the training rows, by leave-one-out.
    """
    center = X.mean(0)
    model = RidgeCV(PENALTIES).fit(X[:, chosen] - center[chosen], X - center)
    rest = X_test - center - model.predict(X_test[:, chosen] - center[chosen])
    return 100 * (1 - float(np.square(rest).sum() / np.square(X_test - center).sum()))


def as_row(values: dict[str, float], seconds: float) -> dict[str, str]:
    """Return the mean of the values, each of them, and the seconds."""
    mean = float(np.mean(list(values.values())))
    shown = {name: f"{value:.2f}" for name, value in values.items()}
    return {"value": f"{mean:.2f}", **shown, "seconds": f"{seconds:.2f}"}
