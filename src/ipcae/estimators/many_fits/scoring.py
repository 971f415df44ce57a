"""The scorers of a cross-validation, checked before any training."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import check_scoring, get_scorer_names

from ipcae.errors import InputError, as_input_error
from ipcae.estimators.many_fits.folds import checked_folds, splitter_for
from ipcae.evaluation.folds import Fold
from ipcae.tables.tensors import as_array


def main_scoring(selector: Any, y: Any, cv: Any, groups: Any = None) -> str | None:
    """Return the name of the score that is the main metric for a target.

    None if it is what ``score`` of the selector returns. For imbalanced classes it is not, since
    accuracy favors the common ones. If a fold is tested without one of two classes, its ROC AUC is
    undefined, and balanced accuracy is used.

    >>> from ipcae import ClassificationSelector
    >>> main_scoring(ClassificationSelector(), [0] * 9 + [1] * 3, cv=3)
    'roc_auc'
    >>> main_scoring(ClassificationSelector(), [0] * 9 + [1] * 3, cv=5)
    'balanced_accuracy'
    """
    labels = None if y is None or not selector._task.discrete else np.asarray(as_array(y))
    if labels is None or labels.ndim != 1:
        return None
    task = selector._fitted_task.read(labels, torch.empty(len(labels), 1), type(selector).__name__)
    score = task.score
    if score == "roc_auc" and not _tests_both_classes(labels, cv, groups):
        score = "balanced_accuracy"
    known = score != task.selector_score and score in get_scorer_names()
    return score if known else None


def _tests_both_classes(labels: Any, cv: Any, groups: Any) -> bool:
    """Return whether there are two classes in the test rows of every fold."""
    splitter = splitter_for(cv, labels, True, groups)
    folds = checked_folds(splitter, np.empty((len(labels), 1)), labels, len(labels), groups=groups)
    return all(len(np.unique(labels[test])) == 2 for _, test in folds)


@dataclass(frozen=True, eq=False)
class Scorer:
    """One or several scikit-learn scores; without ``names``, a single one named "score"."""

    function: Any
    names: tuple[str, ...] = ()
    label: str = ""

    @classmethod
    def of(cls, estimator: Any, scoring: Any) -> Scorer:
        """Return the scorer; without ``scoring``, the score is that of the estimator."""
        with as_input_error():
            function = check_scoring(estimator, scoring=scoring)
        several = not (scoring is None or isinstance(scoring, str) or callable(scoring))
        label = scoring if isinstance(scoring, str) else ""
        return cls(function, tuple(scoring) if several else (), label)

    def decisive(self, refit: Any) -> str:
        """Return the name of the score that decides."""
        if not self.names:
            return "score"
        if refit not in self.names:
            raise InputError(
                f"refit={refit!r} does not say which of several scores decides: expected one of "
                f"{', '.join(map(repr, self.names))}."
            )
        return str(refit)

    def __call__(self, estimator: Any, X: Any, y: Any, **params: Any) -> dict[str, float]:
        """Return the scores of a fitted estimator by name."""
        targets = () if y is None else (y,)
        result = self.function(estimator, X, *targets, **params)
        if isinstance(result, Mapping) and self.names:
            return {name: float(result[name]) for name in self.names}
        if isinstance(result, bool) or not isinstance(result, int | float | np.number):
            raise InputError(
                f"The scorer returned a {type(result).__name__}: expected a number. Pass several "
                "scores as a list or a dict."
            )
        return {"score": float(result)}

    def require_computable(self, y: Any, folds: list[Fold], discrete: bool) -> None:
        """Compute the scores of constant predictions on every fold; raise an error if one fails.

        A function that is not built by scikit-learn may expect a selector, and is not called.
        """
        parts = getattr(self.function, "_scorers", {"": self.function})
        known = {name: each for name, each in parts.items() if hasattr(each, "_score_func")}
        if not known or np.ndim(y) != 1:
            return
        labels = np.asarray(y)
        for number, (train, test) in enumerate(folds, start=1):
            constant = DummyClassifier(strategy="prior") if discrete else DummyRegressor()
            constant.fit(np.zeros((len(train), 1)), labels[train])
            for name, each in known.items():
                reason = _failure(each, constant, labels[test])
                if reason is not None:
                    score = name or self.label or each._score_func.__name__
                    raise InputError(
                        f"The score {score!r} cannot be computed for the test rows of fold "
                        f"{number} ({reason}): {_remedy(reason)}."
                    )

    def require_no_target(self, owner: str) -> None:
        """Raise an error if a scikit-learn score needs a target."""
        parts = getattr(self.function, "_scorers", {self.label: self.function})
        for name, each in parts.items():
            if hasattr(each, "_score_func"):
                score = name or each._score_func.__name__
                raise InputError(
                    f"The score {score!r} needs a target, but {owner} has none: leave out the "
                    "score, or pass a function of a selector and X."
                )


def _failure(scorer: Any, constant: Any, labels: Any) -> str | None:
    """Return why a score cannot be computed for these labels, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = scorer(constant, np.zeros((len(labels), 1)), labels)
        except Exception as error:
            return _reason(str(error), labels)
    if np.isnan(value):
        n_labels = len(np.unique(labels))
        return f"it is undefined for {len(labels)} rows with {n_labels} different targets"
    return None


def _reason(message: str, labels: Any) -> str:
    """Return scikit-learn's reason in terms that a user knows."""
    if "multi_class must be" in message:
        return f"it is for two classes, but there are {len(np.unique(labels))}: try roc_auc_ovr"
    if "has none of the following attributes" in message:
        return "it needs probabilities of classes, but the target has none"
    return message.partition("\n")[0].rstrip(".")


def _remedy(reason: str) -> str:
    """Return what to do about it: folds with more rows may have targets of more kinds."""
    by_rows = reason.startswith("it is undefined")
    return "choose another score, or fewer folds" if by_rows else "choose another score"
