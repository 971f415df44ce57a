"""Fits: tables × containers × arguments, and all methods of a fitted selector."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ipcae import ClassificationSelector, InputError, ReconstructionSelector, RegressionSelector
from tests.fuzz import arguments, tables
from tests.fuzz.dice import Dice
from tests.fuzz.outcome import check, check_sentence

SELECTORS = {
    "classification": ClassificationSelector,
    "regression": RegressionSelector,
    "reconstruction": ReconstructionSelector,
}


def fit(seed: int) -> bool:
    """Fit a selector to a random table, and check its answers."""
    dice = Dice("fits", seed)
    task = dice.choice(list(SELECTORS))
    X = tables.rows(dice)
    n_selected = arguments.number_to_select(dice, X.shape[1])
    selector = SELECTORS[task](n_selected, **arguments.settings(dice))
    y, given = tables.target(dice, X, task), tables.any_container(dice, X)
    validation: dict[str, Any] = {}
    if dice.chance(0.1):
        validation = {"X_val": tables.any_container(dice, X)}
        if task != "reconstruction":
            validation["y_val"] = y
    selector.fit(given, y, arguments.weights(dice, len(X)), **validation)
    check_selection(selector)
    for table in (given, *_others(dice, X)):
        try:
            check_predictions(selector, table)
        except InputError as error:
            check_sentence(str(error))
    return True


def _others(dice: Dice, X: np.ndarray) -> list[Any]:
    with np.errstate(all="ignore"):
        other = dice.numbers.normal(size=(3, X.shape[1])) * 10.0 ** dice.randint(-300, 300)
    return [other, other[:0], tables.any_container(dice, X[:2])]


def check_selection(selector: Any) -> None:
    """Check that exactly K different features are selected, and everything about them."""
    n_features = selector.n_features_in_
    for selection in selector.selections_:
        features = selection.features
        check(features.min() >= 0, "features exist")
        check(features.max() < n_features, "features exist")
        if selector.unique:
            check(len(set(features.tolist())) == len(features), "features differ")
    check(np.isfinite(selector.selection_.probability).all(), "probabilities are finite")
    support = selector.get_support()
    check(support.shape == (n_features,), "the support has one value per feature")
    wanted = selector.n_features_to_select
    if selector.unique and isinstance(wanted, int) and not isinstance(wanted, bool):
        check(support.sum() == wanted, "exactly K features are selected")
    ranking = np.sort(selector.ranking_)
    check((ranking == np.arange(1, n_features + 1)).all(), "the ranking is one of all features")
    check(np.isfinite(selector.validation_loss_[selector.best_run_]), "the loss is finite")
    votes = selector.other_seeds_
    check(bool(((votes >= 0) & (votes <= 1) | np.isnan(votes)).all()), "votes are fractions")
    check(np.isfinite(selector.importance_[selector.best_run_]).all(), "importances are finite")


def check_predictions(selector: Any, X: Any) -> None:
    """Check that answers are finite and have the right shape, from all columns and from K."""
    chosen = selector.transform(X)
    n_rows, n_selected = chosen.shape
    check(n_selected == selector.get_support().sum(), "transform returns the selected columns")
    if sparse.issparse(chosen):
        chosen = chosen.toarray()
    _check_selected(selector, chosen)
    if isinstance(selector, ReconstructionSelector):
        restored = selector.reconstruct(X)
        check(restored.shape == (n_rows, selector.n_features_in_), "all columns are restored")
        check(_finite(selector, restored), "reconstructions are finite")
        return
    predicted = selector.predict(X)
    check(len(predicted) == n_rows, "every row has a prediction")
    if isinstance(selector, RegressionSelector):
        check(np.isfinite(predicted).all(), "predictions are finite")
        return
    probabilities = selector.predict_proba(X)
    check(probabilities.shape == (n_rows, len(selector.classes_)), "every class has a probability")
    check(np.isfinite(probabilities).all(), "probabilities are finite")
    check((probabilities >= 0).all() & (probabilities <= 1).all(), "they are from 0 to 1")
    if predicted.ndim == 1:
        check(np.isin(predicted, selector.classes_).all(), "predictions are classes")
        check(np.allclose(probabilities.sum(1), 1), "probabilities sum to 1")


def _finite(selector: Any, answers: np.ndarray) -> bool:
    """Return whether answers are finite, apart from levels and columns that are left out."""
    encoding = getattr(selector, "encoding_", None)
    if encoding is not None and isinstance(selector, ReconstructionSelector):
        codings = encoding.codings
        answers = answers[:, [c for c, k in enumerate(codings) if k.used and not k.levels]]
    return bool(np.isfinite(answers.astype(np.float64)).all())


def _check_selected(selector: Any, chosen: Any) -> None:
    if isinstance(selector, ReconstructionSelector):
        answers = selector.reconstruct(chosen)
    else:
        answers = selector.predict_from_selected(chosen)
    check(len(answers) == len(chosen), "every row of selected columns has an answer")
    if not isinstance(selector, ClassificationSelector):
        check(_finite(selector, answers), "answers from selected columns are finite")
    empty = (chosen.to_dense() if hasattr(chosen, "to_dense") else chosen)[:0]
    if isinstance(selector, ReconstructionSelector):
        check(len(selector.reconstruct(empty)) == 0, "no rows give no answers")
    else:
        check(len(selector.predict_from_selected(empty)) == 0, "no rows give no answers")
